"""A sixth language from outside: the one of docs/new-language.md, found through an entry point."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planewalk.core.errors import PlanewalkError
from planewalk.core.language import Language
from planewalk.core.state import State
from planewalk.core.step import Halted, Hungry
from planewalk.core.stream import InputStream
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import examples_of
from tests.installed import environment, install
from tests.patience import PATIENCE

GUIDE = Path(__file__).parent.parent / "docs" / "new-language.md"


def guide_files() -> dict[str, str]:
    """The files that the guide shows; blocks without a name go on with the file before."""
    files: dict[str, str] = {}
    pattern = r"(?:^`([\w./]+)`:\n\n)?^```(\w*)\n(.*?)^```$"
    for name, kind, text in re.findall(pattern, GUIDE.read_text(), re.DOTALL | re.MULTILINE):
        if name:
            files[name] = text
        elif kind == "python":
            files["src/snails/__init__.py"] += "\n\n" + text
    return files


def guide_code() -> str:
    """The language of the guide in one file, without its example programs."""
    code = guide_files()["src/snails/__init__.py"]
    return code.replace('    examples="snails/examples",\n', "")


def language_of(code: str, name: str = "snails.py") -> Language:
    names: dict[str, Any] = {}
    exec(compile(code, name, "exec"), names)
    language = names["LANGUAGE"]
    assert isinstance(language, Language)
    return language


@pytest.fixture
def planewalk(tmp_path: Path):
    """The command, with the package of the guide installed beside it."""
    for name, text in guide_files().items():
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    install(tmp_path / "package" / "pyproject.toml", tmp_path / "site")

    def run(*words: str, source: str = "", data: str = "") -> subprocess.CompletedProcess[str]:
        if source:
            (tmp_path / "race.snail").write_text(source)
        return subprocess.run(
            [sys.executable, "-m", "planewalk", *words],
            input=data,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path / "package" / "src", tmp_path / "site"),
            timeout=PATIENCE,
        )

    return run


@pytest.fixture
def package(planewalk, tmp_path: Path) -> Path:
    """Where the installed package stands."""
    return tmp_path / "package" / "src" / "snails"


def test_it_is_found_by_its_suffix(planewalk) -> None:
    done = planewalk("run", "race.snail", source="+++.@")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3", "")


def test_it_is_listed_with_its_instructions(planewalk) -> None:
    assert "snails that share a counter" in planewalk("list").stdout
    assert "A second snail sets out the other way." in planewalk("list", "snails").stdout


def test_its_walkers_act_one_after_the_other(planewalk) -> None:
    # The first snail goes right and counts, its twin goes left round the torus and prints.
    done = planewalk("run", "race.snail", "--json", "--max-steps", "3", source="Y+x .")
    answer = json.loads(done.stdout)
    assert answer["state"] == {"counter": 1, "snails": [[2, 0, -1, 0]]}
    assert (answer["status"], base64.b64decode(answer["output_b64"])) == ("limit", b"1")


def test_a_tick_of_several_walkers_can_wait_for_input_in_the_middle() -> None:
    # Both snails read in the second tick and print in the third.
    language = language_of(guide_code())
    state = language.start(b"Y,.x x.,", {}, 0)
    state.input = InputStream(closed=False)
    engine = ReferenceEngine(language, state)
    assert isinstance(engine.advance(10), Hungry)
    state.input.feed(b"A")
    assert isinstance(engine.advance(10), Hungry)
    assert (state.tick, state.registers["counter"]) == (1, 65)
    state = State.from_json(json.loads(json.dumps(state.to_json())))
    engine = ReferenceEngine(language, state)
    state.input.feed(b"B")
    assert isinstance(engine.advance(10), Halted)
    assert (bytes(state.output), state.tick) == (b"6666", 4)


def test_walkers_that_double_every_tick_come_to_a_limit(planewalk) -> None:
    done = planewalk("run", "race.snail", "--max-memory", "1M", source="Y")
    assert (done.returncode, done.stdout) == (3, "")
    assert "memory" in done.stderr


def test_explain_speaks_its_words(planewalk) -> None:
    done = planewalk("explain", "race.snail", source="+.@")
    assert "Add one to the counter that all snails share." in " ".join(done.stdout.split())


@pytest.mark.exhaustive
def test_its_examples_are_listed_shown_copied_and_run(planewalk, tmp_path: Path) -> None:
    assert "Two snails set out;" in planewalk("examples").stdout
    assert "Two snails set out;" in planewalk("examples", "list", "snails").stdout
    assert "Y+++.@ x" in planewalk("examples", "show", "race").stdout
    assert planewalk("examples", "copy", "race.snail", "here/").returncode == 0
    assert (tmp_path / "here" / "race.snail").read_text() == "Y+++.@ x\n"
    toured = planewalk("tour", "snails").stdout
    assert "Snails: Race" in toured and "output  3" in toured
    assert planewalk("run", "race.snail").stdout == "3"


def test_it_keeps_its_promises(planewalk) -> None:
    done = planewalk("check-language", "snails", "--seconds", "0.2")
    assert done.returncode == 0, done.stdout
    assert "example programs               3 tried\n" in done.stdout


@pytest.mark.exhaustive
def test_its_tests_pass(planewalk, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path / "package"],
        capture_output=True,
        env=environment(tmp_path / "package" / "src", tmp_path / "site"),
    )
    assert done.returncode == 0, done.stdout


INDEX = guide_files()["src/snails/examples/index.toml"]


@pytest.mark.parametrize(("index", "why"), [
    ("example = 1", "'int' object is not iterable"),
    ("[[example]", "Expected ']]'"),
    ("[[example]]\nfile = 'race.snail'", "'race.snail' has no 'title'"),
    (INDEX.replace("race", "rice"), "there is no file 'rice.snail'"),
    (INDEX.partition("[[example.run]]")[0], "'race.snail' has no 'run'"),
])  # fmt: skip
def test_broken_examples_are_a_clear_error(
    package: Path, monkeypatch: pytest.MonkeyPatch, index: str, why: str
) -> None:
    (package / "examples" / "index.toml").write_text(index)
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setitem(sys.modules, "snails", None)  # so that it is forgotten after the test
    del sys.modules["snails"]
    with pytest.raises(PlanewalkError) as caught:
        examples_of(language_of(guide_files()["src/snails/__init__.py"]))
    said = "the examples of Snails (snails/examples/index.toml) cannot be read: "
    assert str(caught.value).startswith(said) and why in str(caught.value)


def test_broken_examples_do_not_hide_those_of_others(planewalk, package: Path) -> None:
    (package / "examples" / "index.toml").write_text("[[example]")
    done = planewalk("examples", "list", "snails")
    assert done.returncode == 2 and "(snails/examples/index.toml) cannot be read" in done.stderr
    every = planewalk("examples")
    assert every.returncode == 0 and "Expected ']]'" in every.stderr and "hello.mf" in every.stdout


def test_a_broken_language_is_a_clear_error(planewalk, package: Path) -> None:
    (package / "__init__.py").write_text("raise RuntimeError('no lettuce')")
    done = planewalk("run", "race.snail", source="+")
    assert done.returncode == 2
    assert (
        "'snails' of snails 1.0 (snails:LANGUAGE): it cannot be loaded: RuntimeError: no lettu"
        in (done.stderr)
    )
    assert "Traceback" not in done.stderr
