"""How Gemooy programs begin, and what `run` prints of them, which have no output."""

import pytest

import planewalk
from planewalk.core.plane import CELL_MEMORY, SparsePlane
from planewalk.core.sparse.tiles import Tiles
from planewalk.languages.gemooy.rules import HIGHEST, LANGUAGE, WIDEST, epilogue


def printed(source: str, max_steps: int | None = None) -> list[str]:
    run = planewalk.run(source=source, language="gemooy", max_steps=max_steps)
    text = epilogue(run.state)
    assert text.endswith("\n")
    return text.split("\n")[:-1]


def test_picture_and_line() -> None:
    assert printed("$\n @ %\n\n   #", max_steps=2) == [
        "@ %",
        "$",
        "  #",
        "ip (1, 2) heading south, dp (3, 1), 2 cells in (1, 1) to (3, 3)",
    ]


def test_before_the_first_step() -> None:
    assert printed("$\n @ %", max_steps=0) == [
        "$", " @ %", "ip (0, 0) heading southeast, dp (3, 1), 1 cell at (1, 1)",
    ]  # fmt: skip


def test_cells_hide_pointers() -> None:
    assert printed("#\n\n @", max_steps=0) == [
        "#",
        "",
        " @",
        "ip (0, 0) heading southeast, dp (0, 0), 2 cells in (0, 0) to (1, 2)",
    ]


def test_the_box_reaches_to_the_pointers() -> None:
    assert printed("#") == ["%", " $", "ip (1, 1) heading southeast, dp (0, 0), no cells"]


def test_no_cells_and_both_pointers_in_one_place() -> None:
    assert printed("") == ["$", "ip (0, 0) heading southeast, dp (0, 0), no cells"]


def test_a_wide_picture_is_cut_around_the_instruction_pointer() -> None:
    *rows, line = printed("@\n" + " " * 500 + "$@\n" + " " * 999 + "@", max_steps=0)
    assert rows[1] == " " * (WIDEST // 2) + "$@"
    assert len(rows) == 3
    assert line == (
        "ip (500, 1) heading southeast, dp (0, 0), 3 cells in (0, 0) to (999, 2); "
        "only (400, 0) to (599, 2) is drawn"
    )


def test_a_high_picture_is_cut_at_its_end() -> None:
    *rows, line = printed("@" + "\n" * 298 + "$\n @", max_steps=0)
    assert len(rows) == HIGHEST
    assert rows[-2:] == ["$", " @"]
    assert line.endswith("only (0, 200) to (1, 299) is drawn")


def test_a_picture_that_just_fits_is_whole() -> None:
    *rows, line = printed("$" + " " * (WIDEST - 2) + "@" + "\n" * (HIGHEST - 1) + "@", max_steps=0)
    assert len(rows) == HIGHEST and len(rows[0]) == WIDEST
    assert "drawn" not in line


SOURCES = [
    b"# @\r\n\n  $@\n@ %#\n", "é#\u2028@$%\x0b#\ufeff@\n\U0001f600#@".encode(),
    b"\xff#\xe2\x82@\n\xc0\x80#%\n$" + b" " * 300 + b"@\n\n#", b"$%\n$##%@\r#",
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_many_cells_are_loaded_like_few(source: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    few = LANGUAGE.start(source, {}, 0)
    monkeypatch.setattr(SparsePlane, "many", 2)
    many = LANGUAGE.start(source, {}, 0)
    assert isinstance(few.plane.cells, dict) and isinstance(many.plane.cells, Tiles)  # type: ignore[attr-defined]
    assert few == many and few.plane.box() == many.plane.box()


def test_a_large_source_weighs_little() -> None:
    source = b"#@#@#@# @\n" * 20_000
    cells = 8 * 20_000
    weight = LANGUAGE.sources.weight(source, {})
    state = LANGUAGE.start(source, {}, 0)
    assert len(state.plane.cells) == cells  # type: ignore[attr-defined]
    assert state.plane.memory() < 4 * cells < weight < CELL_MEMORY * cells // 10
