"""Command lines that are short, and lines that fit the terminal."""

import os
from pathlib import Path

import pytest

from planewalk.apps.cli.main import build_parser
from planewalk.view.terminal.wrap import filled, labelled, page
from tests.apps.terminals import at_terminal
from tests.apps.test_run import planewalk


def test_help_of_all_and_of_one() -> None:
    assert planewalk("help").stdout == planewalk("--help").stdout == planewalk().stdout
    assert planewalk("help", "run").stdout == planewalk("run", "--help").stdout
    assert b"usage: planewalk run" in planewalk("help", "run").stdout


def test_a_file_alone_is_run(tmp_path: Path) -> None:
    (tmp_path / "hi.mf").write_text('"iH",,@')
    (tmp_path / "plain").write_text('"iH",,@')
    assert planewalk("hi.mf", cwd=tmp_path).stdout == b"Hi"
    assert planewalk("./hi.mf", "--max-steps", "5", cwd=tmp_path).returncode == 3
    assert planewalk("--max-steps", "5", "hi.mf", cwd=tmp_path).returncode == 3
    assert planewalk("plain", "--lang", "mirrorfunge", cwd=tmp_path).stdout == b"Hi"
    assert planewalk("-", "--lang", "mirrorfunge", data=b'"iH",,@').stdout == b"Hi"
    assert planewalk("hello.mf", cwd=tmp_path).stdout == b"Hello, world!"


def test_a_command_is_never_taken_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("@")
    assert b"mirrorfunge" in planewalk("list", cwd=tmp_path).stdout


@pytest.mark.parametrize("width", [60, 80])
def test_help_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    parser = build_parser()
    for each in (parser, *parser.commands.values()):
        assert max(map(len, each.format_help().splitlines())) <= width, each.prog


def test_help_has_examples() -> None:
    for name, each in build_parser().commands.items():
        _, begins, examples = each.format_help().partition("examples:")
        assert f"planewalk {name}" in examples or (name == "completion" and not begins)


WORDY = [["list"], ["list", "refunge"], ["examples"], ["explain", "hello.mf"]]


@pytest.mark.parametrize("words", WORDY, ids=" ".join)
def test_words_fit_the_terminal(tmp_path: Path, words: list[str]) -> None:
    narrow = planewalk(*words, cwd=tmp_path, env={**os.environ, "COLUMNS": "64"}).stdout.decode()
    assert max(map(len, narrow.splitlines())) <= 64
    plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    piped = planewalk(*words, cwd=tmp_path, env=plain).stdout.decode()
    assert max(map(len, piped.splitlines())) <= 100
    assert narrow.split() == piped.split(), "the same words"


def test_a_terminal_tells_its_width(tmp_path: Path) -> None:
    lines = at_terminal(["examples", "list", "gemooy"], 58, tmp_path).splitlines()
    assert 50 < max(map(len, lines)) <= 58


def test_errors_are_broken_between_words_at_a_terminal(tmp_path: Path) -> None:
    lines = at_terminal(["run", "x.mf", "--lang", "nothing-like-it"], 40, tmp_path).splitlines()
    assert len(lines) > 1 and max(map(len, lines)) <= 40
    done = planewalk("run", "x.mf", "--lang", "nothing-like-it", cwd=tmp_path)
    assert done.stderr.decode() == " ".join(lines) + "\n"


PAGE = """\
A paragraph that is
filled anew.

examples:
  planewalk run a                 one that is short
  planewalk run b --with-options  words that need more room than there is
  name      what it is, in words that
            go on in the next line"""


def test_pages() -> None:
    assert page(PAGE, 200) == PAGE.replace("is\nfilled", "is filled")
    assert page(PAGE, 52).splitlines() == [
        "A paragraph that is filled anew.",
        "",
        "examples:",
        "  planewalk run a                 one that is short",
        "  planewalk run b --with-options",
        "      words that need more room than there is",
        "  name      what it is, in words that",
        "            go on in the next line",
    ]
    assert page(PAGE, 36).splitlines()[-3:] == [
        "  name      what it is, in words",
        "            that go on in the next",
        "            line",
    ]


def test_labels() -> None:
    assert list(labelled("label", "some words to wrap", 34, 10)) == ["label     some words to wrap"]
    assert list(labelled("label", "some words to wrap", 20, 10)) == [
        "label",
        "    some words to",
        "    wrap",
    ]
    assert list(labelled("a longer label", "words", 60, 4)) == ["a longer label words"]
    assert list(labelled("label", "", 60, 10)) == ["label"]
    assert filled("one two three", 8) == ["one two", "three"]
