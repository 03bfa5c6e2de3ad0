"""The other commands: list, examples, explain, render, tour, completion."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import planewalk as library
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.apps.terminals import at_terminal
from tests.apps.test_run import planewalk
from tests.marks import plainly
from tests.patience import PATIENCE


def test_help_and_version() -> None:
    assert planewalk("--version").stdout.decode() == f"planewalk {library.__version__}\n"
    assert b"exit codes" in planewalk("--help").stdout
    assert planewalk().stdout == planewalk("--help").stdout


def test_list_names_every_language() -> None:
    text = planewalk("list").stdout.decode()
    for name in registry.SUFFIXES:
        assert f"\n{name} " in f"\n{text}"
    table = json.loads(planewalk("list", "webfunge", "--json").stdout)[0]["instructions"]
    assert {row["table"] for row in table} == {"webfunge", "m", "V", "M", "T"}
    assert "clear-mode" in planewalk("list", "refunge").stdout.decode()
    shown = " ".join(planewalk("list", "refunge").stdout.decode().split())
    assert "(--eof 0|-1|keep, --left say|end)" in shown
    (conversion,) = json.loads(planewalk("list", "refunge", "--json").stdout)[0]["conversions"]
    assert (conversion["from"], conversion["to"]) == ([".bf", ".b"], [".ref", ".refunge"])


def test_examples_are_listed_shown_and_copied(tmp_path: Path) -> None:
    listed = planewalk("examples").stdout.decode()
    for example in gallery():
        assert example.file in listed
    example = gallery("mirrorfunge")[0]
    shown = planewalk("examples", "show", example.file).stdout.decode()
    assert (
        example.description in " ".join(shown.split()) and f"planewalk run {example.file}" in shown
    )
    assert planewalk("examples", "copy", example.file, cwd=tmp_path).returncode == 0
    assert (tmp_path / example.file).read_bytes() == example.read()
    again = planewalk("examples", "copy", example.file, cwd=tmp_path)
    assert again.returncode == 2 and b"--force" in again.stderr
    assert planewalk("examples", "copy", "all", "gallery", cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "gallery").glob("*/*"))) == len(gallery())


@pytest.mark.parametrize("name", plainly(["mirrorfunge"], registry.SUFFIXES))
def test_a_copied_example_runs_as_shown(tmp_path: Path, name: str) -> None:
    example = gallery(name)[0]
    planewalk("examples", "copy", example.file, cwd=tmp_path)
    shown = planewalk("examples", "show", example.file).stdout.decode()
    line = next(x.strip() for x in shown.splitlines() if f"run {example.file}" in x)
    words = line.rpartition("planewalk ")[2]
    done = subprocess.run(
        ["bash", "-c", line.replace(f"planewalk {words}", f"python -m planewalk {words}")],
        capture_output=True, cwd=tmp_path, timeout=PATIENCE,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    )  # fmt: skip
    expected = example.runs[0]
    assert done.returncode == {"halted": 0, "limit": 3}.get(expected.get("status", "halted"), 3)
    if "output" in expected:
        assert expected["output"] in done.stdout.decode()


def test_explain_says_what_cells_do_and_which_are_not_reached(tmp_path: Path) -> None:
    path = tmp_path / "p.mf"
    path.write_text("1v7@\n \\.@\n")
    text = planewalk("explain", path, "--unreached").stdout.decode()
    assert "(1, 0)     v  arrow" in text and "heading right; 1 time. From the sides" in text
    assert "(2, 0)     7  number           NOT REACHED." in text
    assert "5 cells reached, 2 instructions not; the program ended after 5 steps" in text
    found = json.loads(planewalk("explain", path, "--json").stdout)
    assert [visit["symbol"] for visit in found["reached"]] == ["1", "v", "\\", ".", "@"]


def test_explain_reads_the_input_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "p.mf").write_text("&.@")
    (tmp_path / "in").write_text("5")
    done = planewalk("explain", "p.mf", "--input", "in", cwd=tmp_path)
    assert "the program ended after 3 steps" in done.stdout.decode()


def test_textures_are_seen_by_the_letter_t(tmp_path: Path) -> None:
    Image.frombytes("RGB", (2, 1), bytes([255, 0, 0, 0, 51, 255])).save(tmp_path / "t.png")
    (tmp_path / "p.wf").write_text("0y2y/00T@")
    words = ["p.wf", "--size", "2x1", "--texture", "t.png", "-o", "p.png"]
    assert planewalk("render", *words, cwd=tmp_path).returncode == 0
    assert Image.open(tmp_path / "p.png").tobytes() == bytes([255, 0, 0, 0, 51, 255])


COLOURED = [
    ["help"], ["help", "run"], ["list"], ["list", "bmprog"], ["examples"], ["explain", "hello.mf"],
]  # fmt: skip


@pytest.mark.parametrize("words", COLOURED, ids=" ".join)
def test_colours_are_for_those_who_can_see_them(words: list[str], tmp_path: Path) -> None:
    """At a terminal, or where somebody wants them; and they change nothing else."""
    plainly = {**os.environ, "COLUMNS": "80", "NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"}

    def shown(**environment: str) -> str:
        return planewalk(*words, env={**plainly, **environment}).stdout.decode()

    coloured = shown(FORCE_COLOR="1")
    assert "\x1b[" in coloured and "\x1b[" not in shown()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown()
    assert "\x1b[" not in shown(FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[" not in shown(FORCE_COLOR="0")
    assert "\x1b[" in at_terminal(words, 80, tmp_path, NO_COLOR="")
    assert "\x1b[" not in at_terminal(words, 80, tmp_path, NO_COLOR="", TERM="dumb")


def test_lists_say_which_files_are_looked_into() -> None:
    text = planewalk("list").stdout.decode()
    assert ".bmp .png .gif (.txt)" in text
    (bmprog,) = json.loads(planewalk("list", "bmprog", "--json").stdout)
    assert (bmprog["suffixes"], bmprog["recognised"]) == ([".bmp", ".png", ".gif"], [".txt"])


def test_letters_alone_show_no_cell_that_is_not_there() -> None:
    """A rule beside the code, and cells where nothing stands, never look like instructions."""
    letters = {**os.environ, "LC_ALL": "C"}
    text = planewalk("tour", "refunge", env=letters).stdout.decode()
    shown = planewalk("examples", "show", "hello.ref", env=letters).stdout.decode()
    assert text.isascii() and shown.isascii()
    assert "?" not in shown and "Hello, world!     " in shown
    manual = planewalk("manual", "mirrorfunge", env=letters).stdout.decode()
    assert manual.isascii() and "x+-1" in manual
