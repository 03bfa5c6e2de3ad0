"""What the repository promises: public names, fresh docs, layers."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any

import pytest

import planewalk
from planewalk.apps.cli.main import build_parser
from planewalk.core.vocabulary import Vocabulary
from planewalk.engines.base.policy import SPEED_UPS
from planewalk.engines.stepping.reference import Machine
from planewalk.languages import registry

GRAPHICS = ("DISPLAY", "WAYLAND_DISPLAY", "PLANEWALK_TEST_GPU")
ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "planewalk"


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    """All files of the package."""
    return {path: path.read_text() for path in sorted(SOURCE.rglob("*.py"))}


def parsed(texts: dict[Path, str], words: Iterable[str]) -> Iterator[tuple[Path, ast.Module]]:
    """The files that have any of these words; parsing all of them would take a while."""
    for path, text in texts.items():
        if any(word in text for word in words):
            yield path, ast.parse(text)


def test_public_names_are_those_of_all() -> None:
    assert dir(planewalk) == planewalk.__all__
    for name in planewalk.__all__:
        assert getattr(planewalk, name) is not None


def test_importing_the_package_brings_nothing_heavy() -> None:
    heavy = {"PIL", "json", "dataclasses", "inspect", "difflib", "tempfile", "shutil", "asyncio"}
    code = (
        "import sys, planewalk.apps.cli.run, planewalk.languages.mirrorfunge; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "src")}, check=True)  # fmt: skip
    assert heavy.isdisjoint(done.stdout.split())


def test_generated_docs_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_engine_or_app_names_a_language(texts: dict[Path, str]) -> None:
    names = {"refunge", "mirrorfunge", "gemooy", "webfunge", "bmprog"}
    for path, tree in parsed(texts, names):
        if path.relative_to(SOURCE).parts[0] in ("core", "engines", "view", "apps"):
            strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            assert names.isdisjoint(s for s in strings if isinstance(s, str)), path


def test_nothing_is_read_that_could_run(texts: dict[Path, str]) -> None:
    """No format that can name what is to be called, for nothing that planewalk reads. What it
    raises where Python writes one is only a name."""
    able = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
    raised = ("pickle", ["PicklingError"])
    for path, tree in parsed(texts, able):
        imported = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names] if isinstance(node, ast.Import)
                else [node.module or ""] if isinstance(node, ast.ImportFrom)
                and (node.module, [alias.name for alias in node.names]) != raised else []
            )
        }  # fmt: skip
        assert imported.isdisjoint(able), path


def test_only_the_studio_and_the_debug_adapter_listen(texts: dict[Path, str]) -> None:
    """Whatever else others could connect to would need a token, and promises of its own."""
    words = "socket|socketserver|uvicorn|http.server|xmlrpc|asyncio.streams"
    opens = re.compile(rf"(?:import|from) (?:{words})\b|\bstart_(?:unix_)?server\(|\bListener\(")
    found = {
        f"{path.parent.name}/{path.name}" for path, text in texts.items() if opens.search(text)
    }
    assert found == {"cli/dap.py", "dap/port.py", "cli/studio.py", "studio/server.py"}


def test_every_word_is_performed_on_numbers() -> None:
    """A word without a body of its own would silently do nothing."""
    tree = ast.parse((ROOT / "src" / "planewalk" / "core" / "vocabulary.py").read_text())
    words = (node for kind in tree.body if isinstance(kind, ast.ClassDef) for node in kind.body)
    bodiless = [
        node.name for node in words if isinstance(node, ast.FunctionDef) and len(node.body) == 1
    ]
    assert {"read_byte", "times"} < set(bodiless) and "turn" not in bodiless
    for word in bodiless:
        assert getattr(Machine, word) is not getattr(Vocabulary, word), word


def test_links_and_files_that_pages_name_lead_somewhere() -> None:
    """Files by their path from the repository, the package, its engines, the tests, or the page."""
    folders = [ROOT, SOURCE, SOURCE / "engines", ROOT / "tests"]
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
        for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", page.read_text()):
            found = any((folder / name).exists() for folder in [*folders, page.parent])
            # The page on new languages names files of the package that its reader writes.
            assert found or page.name == "new-language.md", f"{page.name}: {name}"


def test_no_option_is_said_to_be_of_one_language() -> None:
    """Languages of other packages may draw, have values, and take numbers as well."""
    titles = {registry.get(name).title for name in registry.SUFFIXES}
    said_by_languages = {conversion.name for conversion in registry.conversions()}
    for command in build_parser().commands.values():
        groups = [group.title or "" for group in command._action_groups]
        for text in (*groups, *(action.help or "" for action in command._actions)):
            named = any(title in text for title in titles) and text not in said_by_languages
            assert not named, (command.prog, text)


@pytest.mark.exhaustive
def test_what_cannot_be_tested_here_is_skipped_and_said(tmp_path: Path) -> None:
    """A machine without Vulkan and without Xvfb, as `make test` would find it."""
    drivers = ("VK_ICD_FILENAMES", "VK_DRIVER_FILES", "LIBGL_DRIVERS_PATH")
    lacking = {"PATH": str(tmp_path), **dict.fromkeys(drivers, "/none")}
    kept = {name: value for name, value in os.environ.items() if name not in GRAPHICS}
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "no:cacheprovider",
            "tests/apps/test_live.py::test_a_real_window_shows_it",
            "tests/engines/test_gpu.py::test_pixels_of_which_nothing_is_known_are_counted_as_such",
        ],
        cwd=ROOT, env=kept | lacking, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for reason in ("Xvfb (Debian: xvfb)", "Vulkan, if only Mesa's (Debian: mesa-vulkan-drivers"):
        assert f": needs {reason}" in done.stdout


def test_a_class_name_means_one_thing(texts: dict[Path, str]) -> None:
    places: dict[str, list[str]] = {}
    for path, text in texts.items():
        for name in re.findall(r"(?m)^class (\w+)", text):
            places.setdefault(name, []).append(path.name)
    assert len(places) > 300
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_faults_are_generated_on_chosen_lines() -> None:
    loader = SourceFileLoader("mutate", str(ROOT / "scripts" / "mutate"))
    script: Any = ModuleType("mutate")
    script.__file__ = loader.path
    loader.exec_module(script)
    text = "if a < 1 and b:\n    go(é)\nx = f(2)\n"
    found = [(one.line, one.old, one.new) for one in script.mutants("a.py", text, {1, 2})]
    assert found == [
        (1, "a < 1 and b", "(not (a < 1 and b))"),
        (1, "a < 1 and b", "(a < 1 or b)"),
        (1, "a < 1", "(a <= 1)"),
        (1, "1", "(2)"),
        (2, "go(é)", "pass"),
        (2, "go(é)", "(é)"),
    ]
    texts = [one.text for one in script.mutants("a.py", text, {2})]
    assert texts[0] == text.replace("go(é)", "pass")
    owners = script.owners("src/planewalk/view/console/watches.py")
    assert owners[0] == "tests/view/test_console.py" and "tests/view/test_heat.py" in owners


def test_each_speed_up_has_a_row_in_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    worth = run_path(str(ROOT / "benchmarks" / "worth"))
    assert set(worth["WORTH"]) == set(SPEED_UPS)
    for speed_up in worth["WORTH"].values():
        assert worth["lines"](worth["ENGINES"], speed_up.source) > 0
        assert worth["lines"](worth["TESTS"], speed_up.tests) >= 0
