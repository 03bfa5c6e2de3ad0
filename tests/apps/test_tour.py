"""`planewalk tour`: wherever it is seen, every language has its turn."""

import os
import re
from pathlib import Path

import pytest

from planewalk.apps.cli.tour import WAYS, highlight
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.apps.terminals import at_terminal
from tests.apps.test_no_traceback import ASCII
from tests.apps.test_run import planewalk
from tests.marks import plainly

BRIEF = {"planewalk.apps.cli.tour.SLICE": 0.01}
"""Nobody looks how fast it is."""


def everything(text: str) -> None:
    """The tour tells of each language, and shows a film, a picture, a table and a speed."""
    for name in registry.SUFFIXES:
        assert f"{registry.get(name).title}: " in text
    assert "output    Two hands write faster than one." in text
    assert "output  Hello, world!" in text
    assert re.search(r"\d+ x \d+ pixels, each a run of its own, in [0-9.]+ seconds", text)
    assert "  7   111  3\n" in text
    slow, fast = re.findall(r"([0-9,]+) steps a second", text)
    assert float(fast.replace(",", "")) > 0 and float(slow.replace(",", "")) > 0
    assert "What to try next:" in text and "planewalk explain duet.ref" in text


def test_every_language_has_a_way_of_its_own() -> None:
    ways = {name: highlight(name).tour for name in registry.SUFFIXES}
    assert set(WAYS) <= set(ways.values())
    assert {example.tour for example in gallery()} <= {"", "run", *WAYS}


@pytest.mark.parametrize("setting", plainly([{}], [ASCII]), ids=["UTF-8", "ASCII"])
def test_in_a_pipe(setting: dict[str, str]) -> None:
    done = planewalk("tour", env={**os.environ, "LC_ALL": "C.UTF-8", **setting})
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    everything(text)
    assert "\x1b" not in text and text.count("duet.ref, Refunge") == 3
    assert text.isascii() == bool(setting)
    assert ("  0|vv  " if setting else "  0│vv  ") in text, "a rule is no cell"
    assert max(map(len, text.splitlines())) <= 100


def test_at_a_terminal_with_colours(tmp_path: Path) -> None:
    text = at_terminal(["tour"], 90, tmp_path, BRIEF, NO_COLOR="", COLORTERM="truecolor")
    everything(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text))
    assert "\x1b[48;2;255;0;255mv" in text, "a cell of a board has its colour"
    assert text.count("▀") > 80 * 20, "the picture is drawn in half blocks"
    moves = re.findall(r"\x1b\[(\d+)A\r", text)
    assert len(moves) > 1 and len(set(moves)) == 1, "the film stays in its place"
    assert text.index("\x1b[?25l") < text.index("\x1b[?25h"), "and the cursor comes back"


@pytest.mark.parametrize("setting", plainly([{"TERM": "dumb"}], [{"NO_COLOR": "1"}]), ids=str)
def test_at_a_terminal_without_colours(tmp_path: Path, setting: dict[str, str]) -> None:
    text = at_terminal(["tour"], 60, tmp_path, BRIEF, **setting)
    everything(re.sub(r"\x1b\[[0-9;?]*[A-Zhl]", "", text))
    assert not re.search(r"\x1b\[[0-9;]*m", text)
    assert ("\x1b" in text) == ("TERM" not in setting), "a dumb terminal cannot move"


def test_of_one_language() -> None:
    text = planewalk("tour", "bmprog").stdout.decode()
    for example in gallery("bmprog"):
        assert f"{example.file}. " in text


def test_boards_have_their_colours_when_an_example_is_shown() -> None:
    shown = planewalk("examples", "show", "not.png", env={**os.environ, "FORCE_COLOR": "1"}).stdout
    assert b"\x1b[48;5;201m" in shown, "magenta, among 256 colours"
