"""`planewalk convert`: boards and Brainfuck, with the options that a conversion has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import planewalk


def test_boards_go_there_and_back(tmp_path: Path) -> None:
    text = "..>:?\n.*v<#\n"
    (tmp_path / "b.txt").write_text(text)
    for suffix in ("png", "bmp", "gif"):
        assert planewalk("convert", "b.txt", "-o", f"b.{suffix}", cwd=tmp_path).returncode == 0
        assert (
            planewalk("convert", f"b.{suffix}", "--to", "txt", cwd=tmp_path).stdout.decode() == text
        )


def test_brainfuck_becomes_refunge(tmp_path: Path) -> None:
    (tmp_path / "p.bf").write_text("++++++++[>++++++++<-]>+.")
    assert planewalk("convert", "p.bf", "-o", "p.ref", cwd=tmp_path).returncode == 0
    assert planewalk("run", "p.ref", cwd=tmp_path).stdout == b"A"


@pytest.mark.parametrize(
    ("words", "expected"),
    [([], b"ab\0"), (["--eof", "-1"], b"ab\xff"), (["--eof", "keep"], b"abb")],
)
def test_the_end_of_input_can_be_chosen(tmp_path: Path, words: list[str], expected: bytes) -> None:
    (tmp_path / "p.bf").write_text(",.,.,.")
    assert planewalk("convert", "p.bf", "-o", "p.ref", *words, cwd=tmp_path).returncode == 0
    assert planewalk("run", "p.ref", cwd=tmp_path, data=b"ab").stdout == expected


def test_leaving_the_tape_is_said_when_converting_and_when_running(tmp_path: Path) -> None:
    (tmp_path / "p.bf").write_text("+[\n->\n<<]")
    done = planewalk("convert", "p.bf", "-o", "p.ref", cwd=tmp_path)
    assert done.returncode == 0
    assert b"p.bf: line 3, column 1: << moves left of the first cell" not in done.stderr
    assert planewalk("run", "p.ref", cwd=tmp_path).stdout == b"\nmoved left of the first cell\n"
    (tmp_path / "p.bf").write_text("+\n<.")
    done = planewalk("convert", "p.bf", "-o", "p.ref", "--force", cwd=tmp_path)
    assert done.returncode == 0
    assert b"p.bf: line 2, column 1: < moves left of the first cell" in done.stderr


def test_an_option_of_another_conversion_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("..")
    done = planewalk("convert", "b.txt", "-o", "b.png", "--eof", "0", cwd=tmp_path)
    assert_one_clear_line(done, "text to picture has no option 'eof'; it has none")


def test_a_file_that_must_be_converted_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "my cat.bf").write_text(",[.,]")
    done = planewalk("run", "my cat.bf", cwd=tmp_path)
    assert_one_clear_line(done, "planewalk convert 'my cat.bf' -o 'my cat.ref'")
