"""Every command and every line of Python on a page works as it stands there: page by page, in an
empty folder, in order, as after the README's own set-up."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import planewalk
from planewalk.apps.cli.main import COMMANDS, build_parser
from planewalk.core.errors import EngineRefused
from planewalk.engines.gpu.painter import find_adapter
from planewalk.examples import shipped
from tests import warm
from tests.marks import plainly
from tests.pages import PAGES, ROOT, Code, Command, claim, claims, commands, perform, steps
from tests.patience import PATIENCE

ELSEWHERE = {"docs/new-language.md": "tests/test_new_language.py builds the package that it shows"}
"""Pages that are followed by other tests."""

NOT_HERE = {
    r"planewalk (live|studio|debug|dap --port)\b": "waits for somebody",
    r"planewalk site ": "needs what npm has; tests/apps/test_site.py does it",
    r"--device cuda": "needs an NVIDIA card",
    r"pip install": "the tests have installed all extras",
    r"dask |--cluster t|openssl |export |for role": "tests/apps/test_cluster.py does it",
}
"""Commands that are not run, each with its reason."""

FINE = (0, 3)
"""Exit codes of programs that end, and of those that are shown because they do not."""


def reason_not_to(command: str) -> str | None:
    """Why a command cannot be run on this machine, if it cannot."""
    for pattern, reason in NOT_HERE.items():
        if re.search(pattern, command):
            return reason
    if "ffmpeg" in command and shutil.which("ffmpeg") is None:
        return "needs ffmpeg"
    if "--device gpu" in command:
        try:
            find_adapter()
        except EngineRefused as refused:
            return str(refused)
    return None


def run_command(command: Command, folder: Path) -> None:
    path = os.pathsep.join([*warm.commands(), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command.text], cwd=folder, env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode in FINE, f"{command.text}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    if command.shown:
        assert done.stdout.rstrip("\n") == command.shown, command.text


def run_code(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* using the example of that name")
        assert perform(code) == []


LONG = {
    "README.md": r"planewalk bench|--duration|disasm mandelbrot", "docs/films.md": "",
    "docs/gpu.md": "", "docs/pictures.md": "",
}  # fmt: skip
"""Pages that take seconds: films, measurements, large pictures; each with the commands that do, or
with what all commands match."""


def follow(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, without: str) -> None:
    """Do what a page says, but for commands that match."""
    for step in steps(page.read_text()):
        if isinstance(step, Code):
            run_code(step.text, folder, monkeypatch)
        elif not re.search(without, step.text) and reason_not_to(step.text) is None:
            run_command(step, folder)


NOTHING = r"(?!)"
SHORT = {str(page.relative_to(ROOT)): NOTHING for page in PAGES} | LONG


SOME = [name for name, without in SHORT.items() if without]
ALIKE = [name for name in SOME if name.startswith("docs/languages/") and "mirror" not in name]
"""Pages that are written like that of another language."""


@pytest.mark.parametrize("name", plainly([name for name in SOME if name not in ALIKE], SOME))
def test_a_page_works_as_written(name: str, tmp_path: Path, monkeypatch) -> None:
    if name not in ELSEWHERE:
        follow(ROOT / name, tmp_path, monkeypatch, without=SHORT[name])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LONG)
def test_a_long_page_works_as_written(name: str, tmp_path: Path, monkeypatch) -> None:
    follow(ROOT / name, tmp_path, monkeypatch, without=NOTHING)


def test_the_docstring_of_the_package_works_as_written(tmp_path: Path, monkeypatch) -> None:
    shown = re.findall(r"^    (.*)$", planewalk.__doc__ or "", re.MULTILINE)
    assert len(shown) > 10
    run_code("\n".join(shown), tmp_path, monkeypatch)


def test_every_exception_is_needed() -> None:
    """What nobody writes any more needs no exception."""
    found = [step.text for page in PAGES for step in steps(page.read_text())]
    for pattern in NOT_HERE:
        assert any(re.search(pattern, text) for text in found), pattern
    for name in ELSEWHERE:
        assert (ROOT / name).exists()


def test_most_commands_are_run() -> None:
    typed = [s for page in PAGES for s in steps(page.read_text()) if isinstance(s, Command)]
    here = [one for one in typed if not any(re.search(p, one.text) for p in NOT_HERE)]
    assert len(here) > 50 and len(here) > 3 * (len(typed) - len(here))


# Examples in the help of commands ---------------------------------------------------------------

OWN = {"hello2.mf", "saved.walk", "snails", "src/snails"}
"""Names in these examples that stand for files of the reader's own."""


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_in_the_help_of_a_command_are_understood(command: str) -> None:
    """They are not run, but every option is one, and every program is there."""
    parser = build_parser()
    said = import_module(f"planewalk.apps.cli.{command.replace('-', '_')}").EPILOG
    for line in re.findall(r"^  (?:[^|\n]*\| )?planewalk ([^|\n]*)", said, re.MULTILINE):
        arguments = parser.parse_args(shlex.split(line.partition("  ")[0].partition(" > ")[0]))
        given = vars(arguments)
        for name in [*given.get("files", ()), given.get("file"), given.get("other")]:
            there = name is None or name in OWN or shipped(name) is not None
            assert there or name in said.partition(line)[0], name  # or written by one before


# The reading of pages -----------------------------------------------------------------------------


def test_commands_go_on_and_show_output() -> None:
    block = "$ one  # comment\nshown\nmore\n$ two |\n    three\n$ four\n\n"
    assert commands(block) == [
        Command("one  # comment", "shown\nmore"),
        Command("two |\n    three", ""),
        Command("four", ""),
    ]


def test_sentences_have_commands_too() -> None:
    page = "Say `planewalk run x.mf\n--json`, not `planewalk run FILE` or `planewalk list gemooy`."
    assert steps(page) == [Command("planewalk run x.mf --json", "")]


@pytest.mark.parametrize(("comment", "value"), [
    ("5", "5"), ("b'x', 'halted', 44", "(b'x', 'halted', 44)"),
    ("(15, 1): the cell that wrote it", "(15, 1)"),
    ("(Hit('output', ()), 17)", "(Hit('output', ()), 17)"), ("BMProg: 5", None),
    ("(red, green, blue)", None), ("what can be run", None),
])  # fmt: skip
def test_a_comment_is_a_claim_or_words(comment: str, value: str | None) -> None:
    assert claim(comment) == value


def test_claims_are_compared_with_what_comes_of_a_line() -> None:
    code = "a = 2\na + a  # 4\na * 3  # 5\na, a  # 2, 2\n"
    assert claims(code) == {2: "4", 3: "5", 4: "(2, 2)"}
    assert perform(code) == [("a * 3", "5", "6")]
