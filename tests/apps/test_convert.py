"""`planewalk convert`: boards and Brainfuck, with the options that a conversion has."""

import json
from pathlib import Path

import pytest

import planewalk as library
from planewalk.core.errors import LimitReached
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
    done = planewalk("convert", "p.bf", "-o", "p.ref", cwd=tmp_path)
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


def test_what_is_made_may_take_so_much_memory(tmp_path: Path) -> None:
    """The plane of loops in loops grows with the square of their number."""
    (tmp_path / "deep.bf").write_text("+[>" * 5000 + "]" * 5000)
    done = planewalk("convert", "deep.bf", "-o", "p.ref", "--max-memory", "8M", cwd=tmp_path)
    assert done.returncode == 3 and done.stderr.count(b"\n") == 1
    assert b"what is made of this program takes 8.001 MiB of memory" in done.stderr
    assert not (tmp_path / "p.ref").exists()
    with pytest.raises(LimitReached):
        library.convert(tmp_path / "deep.bf", to="ref", max_memory=8 << 20)


@pytest.fixture
def mapped(tmp_path: Path) -> Path:
    (tmp_path / "p.bf").write_text("read\n ,[.\n,] +++++ [-]")
    assert planewalk("convert", "p.bf", "-o", "p.ref", "--map", cwd=tmp_path).returncode == 0
    return tmp_path


def test_explain_says_what_a_cell_was_made_from(mapped: Path) -> None:
    (mapped / "in").write_text("a")
    words = ["explain", "p.ref", "--input", "in", "--unreached"]
    done = planewalk(*words, cwd=mapped)
    lines = done.stdout.decode().splitlines()
    field = (mapped / "p.ref").read_text().splitlines()
    rows = json.loads((mapped / "p.ref.map").read_text())["cells"]
    assert {text: (line, column) for _, _, line, column, text in rows} == {
        ",": (3, 1), "[": (2, 3), ".": (2, 4), "]": (3, 2), "+++++": (3, 4), "[-]": (3, 10)
    }  # fmt: skip
    ((x, y),) = [(x, y) for x, y, _, _, text in rows if text == "." and field[y][x] == "!"]
    entry = " ".join(" ".join(lines).partition(f" ({x}, {y}) ")[2].split()[:25])
    assert "; from . of p.bf line 2 column 4. Set the data mode" in entry
    assert done.stderr == b""
    reached = json.loads(planewalk(*words, "--json", cwd=mapped).stdout)["reached"]
    (cell,) = [cell for cell in reached if cell["place"] == [x, y]]
    assert cell["origin"] == {"line": 2, "column": 4, "text": "."}


def test_pictures_say_what_the_cell_of_a_walker_was_made_from(mapped: Path) -> None:
    rows = json.loads((mapped / "p.ref.map").read_text())["cells"]
    text = library.picture(mapped / "p.ref", at=11, input=b"a").text()
    (x, y) = map(int, text.partition("walker    (")[2].partition(")")[0].split(", "))
    assert [x, y, 2, 2, ","] in rows
    assert "from      , of p.bf line 2 column 2" in text
    done = planewalk("picture", "p.ref", "--at", "11", "-o", "p.txt", cwd=mapped)
    assert "from      , of p.bf line 2 column 2" in (mapped / "p.txt").read_text(), done.stderr


@pytest.mark.parametrize("broken", [b"", b"{}", b"[" * 100_000, b'{"kind": "planewalk map 1"}'])
def test_a_map_that_is_none_is_told_and_not_used(mapped: Path, broken: bytes) -> None:
    (mapped / "p.ref.map").write_bytes(broken)
    done = planewalk("explain", "p.ref", cwd=mapped)
    assert done.returncode == 0 and b"; from " not in done.stdout
    assert b"p.ref.map: this is no map that planewalk convert --map wrote" in done.stderr


def test_the_map_of_an_older_version_is_told_and_not_used(mapped: Path) -> None:
    (mapped / "p.bf").write_text("++,.")
    assert planewalk("convert", "p.bf", "-o", "p.ref", cwd=mapped).returncode == 0
    done = planewalk("explain", "p.ref", cwd=mapped)
    assert done.returncode == 0 and b"p.bf" not in done.stdout
    assert b"p.ref.map: this map was made for another version of the program" in done.stderr


def test_a_map_needs_a_file_and_origins(mapped: Path) -> None:
    done = planewalk("convert", "p.bf", "--to", "ref", "--map", cwd=mapped)
    assert_one_clear_line(done, "--map: it stands beside the file that is written")
    (mapped / "b.txt").write_text("..")
    done = planewalk("convert", "b.txt", "-o", "b.png", "--map", cwd=mapped)
    assert_one_clear_line(done, "--map: this conversion knows no origins")
