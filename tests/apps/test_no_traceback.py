"""Whatever the command line, the files and the streams: one line, never a traceback."""

import contextlib
import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import planewalk as library
from planewalk.apps.cli.main import main
from planewalk.core.text import visible
from planewalk.engines.python.source import _constant
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import COMMAND, planewalk
from tests.patience import PATIENCE

HOSTILE = "e\x1b]0;owned\x07\x9b31m\u202e.mf"
"""A name that gives orders to a terminal."""
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "ok.mf").write_text("1.@")
    (tmp_path / "ok.wf").write_text("@")
    for suffix in ("mf", "ref", "gemooy", "wf"):
        (tmp_path / f"empty.{suffix}").write_text("")
        (tmp_path / f"blank.{suffix}").write_text(" ")
    (tmp_path / "text.mf").write_text('"❶\x1b[31m\x9b",,@')
    return tmp_path


NUMBERS = [
    ["run", "ok.mf", "--max-steps=--"], ["run", "ok.mf", "--max-time=--"],
    ["run", "ok.mf", "--max-memory=--"], ["run", "ok.mf", "--max-output=--"],
    ["run", "ok.mf", "--seed=--"], ["film", "ok.mf", "--fps=--", "-o", "x.gif"],
    ["film", "ok.mf", "--crop=--", "-o", "x.gif"], ["render", "ok.wf", "-o--"],
    ["render", "ok.wf", "--cluster=--", "-o", "x.png"],
]  # fmt: skip


@pytest.mark.parametrize("words", NUMBERS, ids=" ".join)
def test_two_dashes_are_no_value(here: Path, words: list[str]) -> None:
    assert_one_clear_line(planewalk(*words, cwd=here), "expected a value, not '--'")


REFUSED = [
    (["render", "ok.wf", "--engine", "warp", "-o", "x.png"], "unknown engine 'warp'"),
    (["run", "ok.wf", "--set", "pixel=1,1", "--pixel", "2,2"], "'pixel' is given twice"),
    (["render", "ok.wf", "--set", "size=9x9", "--size", "8x8", "-o", "x.png"], "given twice"),
    (["render", "ok.wf", "--frames", "2", "-o", "%999999999d.png"], "is one picture"),
    (["run", "a\nb\x1b.mf"], r"'a\nb\x1b.mf' does not exist"),
    (["run", b"\xff.mf"], r"'\udcff.mf' does not exist"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_makes_no_sense_is_refused(here: Path, words: list[str], said: str) -> None:
    words = [os.fsdecode(word) for word in words]
    assert_one_clear_line(planewalk(*words, cwd=here), said)


@pytest.mark.parametrize("words", [["explain", "text.mf"], ["trace", "text.mf"]])
def test_a_terminal_of_plain_letters_gets_plain_letters(here: Path, words: list[str]) -> None:
    done = planewalk(*words, cwd=here, env={**os.environ, **ASCII})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii() and done.stdout


@pytest.mark.parametrize("name", ["blank.mf", "blank.ref", "blank.gemooy", "empty.mf"])
def test_blank_programs_can_be_measured(here: Path, name: str) -> None:
    done = planewalk("bench", name, "--seconds", "0.05", cwd=here)
    assert done.returncode == 0 and b"Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["empty.mf", "empty.ref", "empty.gemooy", "empty.wf"])
def test_empty_programs_have_a_graph(here: Path, name: str) -> None:
    done = planewalk("graph", name, "--max-steps", "99", "-o", "x.svg", cwd=here)
    assert done.returncode == 0 and (here / "x.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("command", ["graph", "picture", "film"])
@pytest.mark.parametrize("name", [b"bad\xff.mf", HOSTILE.encode()])
def test_any_name_can_be_drawn(here: Path, command: str, name: bytes) -> None:
    file = os.fsdecode(name)
    (here / file).write_text("1.@")
    done = planewalk(command, file, "-o", "x.svg", cwd=here)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (here / "x.svg").read_text().replace("\n", "").isprintable()


SHOWN = [
    ["bench", "--seconds", "0.05"], ["explain"], ["trace"], ["diff", "ok.mf"], ["disasm"],
    ["run", "--json"], ["run", "--max-steps", "1"], ["graph", "-o", "-"],
    ["convert", "-o", "x.png"], ["check-language"], ["examples", "show"],
]  # fmt: skip


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_names_and_sources_give_no_orders_to_a_terminal(here: Path, words: list[str]) -> None:
    (here / HOSTILE).write_bytes(b'"\x1b[31m\xc2\x9b\x9b",,,,,,,@\x1b')
    done = planewalk(*words, HOSTILE, cwd=here)
    said = (done.stdout + done.stderr).decode()
    assert said.replace("\n", "").isprintable(), said
    assert "Traceback" not in said


def test_what_is_visible_stays_as_it_is() -> None:
    assert visible("planewalk: 'é❶' ist da") == "planewalk: 'é❶' ist da"
    assert visible("a\x1b\n\udcff\u202e") == r"a\x1b\n\udcff\u202e"


CLOSED = [
    ("run - <&-", "standard input cannot be read: Bad file descriptor"),
    ("convert - --from txt -o x.png <&-", "standard input cannot be read: Bad file descriptor"),
    ("run ok.mf >&-", "output cannot be written: Bad file descriptor"),
    ("list >&-", "output cannot be written: Bad file descriptor"),
    ("--help >&-", "output cannot be written: Bad file descriptor"),
    ("--version >&-", "output cannot be written: Bad file descriptor"),
    ("--help >/dev/full", "output cannot be written: No space left on device"),
    ("--version >/dev/full", "output cannot be written: No space left on device"),
    ("run --help >/dev/full", "output cannot be written: No space left on device"),
]

UNBUFFERED = {"run ok.mf >&-", "--version >&-", "--help >/dev/full"}
"""Those that are tried without a buffer, too: a program's output, a line, and many."""


def shell(words: str, here: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    line = f"{' '.join(COMMAND)} {words}"
    return subprocess.run(
        ["sh", "-c", line], capture_output=True, cwd=here, timeout=PATIENCE,
        env={**os.environ, **more},
    )  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(("words", "said"), CLOSED, ids=[words for words, _ in CLOSED])
def test_streams_that_cannot_be_used(here: Path, words: str, said: str) -> None:
    if "/dev/full" in words and not Path("/dev/full").exists():
        pytest.skip("needs a device that is always full")
    for unbuffered in ("", "1") if words in UNBUFFERED else ("",):
        done = shell(words, here, PYTHONUNBUFFERED=unbuffered)
        assert_one_clear_line(done, said)


@pytest.mark.parametrize(
    "words", ["run ok.mf <&-", "run missing.mf 2>&-", "bench ok.mf --seconds 0.05 2>&-"]
)
def test_streams_that_are_not_needed(here: Path, words: str) -> None:
    done = shell(words, here)
    assert done.returncode == (2 if "missing" in words else 0)
    assert b"planewalk: " not in done.stdout + done.stderr


@pytest.mark.parametrize("words", ["--help", "list"])
def test_a_reader_that_went_away(here: Path, words: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, *words.split()], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", ["a\0b.mf", "a\0b.png"])
def test_a_path_with_a_nul(name: str) -> None:
    for call in (library.load, library.run, library.picture, library.session):
        with pytest.raises(library.PlanewalkError):
            call(name)
    hello = library.load(source="1.@", language="mirrorfunge")
    pictures = [library.picture(hello), library.film(hello), library.graph(hello)]
    pictures.append(library.render(source="@", language="webfunge", size=(2, 2)))
    for picture in pictures:
        for suffix in (".png", ".gif", ".svg"):
            with pytest.raises(library.PlanewalkError):
                picture.save(f"a\0b{suffix}")


WRONG = [5, 1.5, None, [], object(), b"x", True]


@pytest.mark.parametrize("value", WRONG, ids=range(7))
def test_wrong_types_are_one_clear_error(value: object, tmp_path: Path) -> None:
    hello = library.load(source="1.@", language="mirrorfunge")
    session = library.session(hello)
    calls = [session.until, session.back_until, session.goto, session.save]
    calls += [library.picture(hello).save, library.film(hello).save, library.graph(hello).save]
    calls += [library.render(source="@", language="webfunge", size=(2, 2)).save]
    calls += [library.load, library.run, library.explain, library.session]
    for call in calls:
        with contextlib.suppress(library.PlanewalkError):  # and nothing else
            call(value)
    if not isinstance(value, bytes):
        with pytest.raises(library.PlanewalkError):
            session.feed(value)
        with pytest.raises(library.PlanewalkError):
            library.run(source=value, language="mirrorfunge")


def test_numbers_that_are_too_large_are_refused_or_do() -> None:
    assert library.picture(source="1.@", language="mirrorfunge", trail=10**30).steps == 0
    with pytest.raises(library.OptionError, match="supersample"):
        library.render(source="@", language="webfunge", size=(2, 2), supersample=10**30)


def test_constants_of_any_length_can_be_written_as_python() -> None:
    for value in (7, -7, 10**5000, -(10**5000)):
        assert eval(_constant(value)) == value


# What nobody expected


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A command with a bug in it; gives the folder for reports."""

    def fail(arguments: object) -> int:
        raise ZeroDivisionError("of all things\nand more")

    from planewalk.apps.cli import list as module

    monkeypatch.setattr(module, "perform", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_bug_is_one_line_and_a_report(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 1
    said = capsys.readouterr().err
    (report,) = broken.iterdir()
    assert said == (
        f"planewalk: list: this is a bug in planewalk; the report is in {report} "
        "(ZeroDivisionError: of all things)\n"
    )
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    text = report.read_text()
    assert "planewalk ['list']" in text and "Traceback" in text and "and more" in text


def test_a_bug_can_be_shown(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--traceback", "list"]) == 1
    said = capsys.readouterr().err
    assert "Traceback (most recent call last)" in said and "this is a bug in planewalk" in said
    assert not list(broken.iterdir())


def test_a_bug_without_room_for_a_report(broken: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(broken / "missing"))
    assert main(["list"]) == 1
    assert "add --traceback to see it" in capsys.readouterr().err


def test_streams_of_a_program_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["list"]) == 0
    assert sys.stdout is stream and "webfunge" in stream.getvalue()
