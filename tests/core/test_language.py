"""What a language shows of itself: a cell is one character, or the mistake is named."""

from collections.abc import Callable
from typing import Any

import pytest

import planewalk
from planewalk.core.base.record import Record
from planewalk.core.errors import LanguageError
from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Drawing, Language, Looks, Results, Rules
from planewalk.core.plane import BytePlane
from planewalk.core.state import State, Walker
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry

HELLO = registry.get("mirrorfunge")


def shown_as(sign: object) -> Language:
    glyph: Any = lambda number: sign  # noqa: E731
    return HELLO._replace(looks=Looks(glyph=glyph))


SHOWING: dict[str, Callable[..., Any]] = {
    "explain": planewalk.explain,
    "film": lambda **program: planewalk.film(**program).svg(),
    "picture": lambda **program: planewalk.picture(**program).svg(),
}


@pytest.mark.parametrize("sign", ["", "ab", None, 43])
@pytest.mark.parametrize("way", SHOWING)
def test_a_glyph_that_is_not_one_character(way: str, sign: object) -> None:
    with pytest.raises(LanguageError) as raised:
        SHOWING[way](source="+@", language=shown_as(sign))
    assert str(raised.value) == (
        f"Mirrorfunge: `glyph` gives {sign!r} for the cell at (0, 0), the instruction 'add'; it "
        "must be one character"
    )


def test_a_glyph_of_a_cell_that_is_no_instruction() -> None:
    with pytest.raises(LanguageError, match=r"for the cell at \(0, 0\); it must be one character"):
        planewalk.explain(source="q@", language=shown_as(""))


MISPLACED: list[tuple[Callable[..., Any], str, str]] = [
    (HELLO._replace, "glyph",
     "Language has no field 'glyph'; it is said as looks=Looks(glyph=...)"),
    (Language, "pace", "Language has no field 'pace'; it is said as rules=Rules(pace=...)"),
    (Looks, "value", "Looks has no field 'value'; it is said as results=Results(value=...)"),
    (Results, "show", "Results has no field 'show'; it is said as show=..."),
    (HELLO.rules._replace, "spell", "Rules has no field 'spell'; it is said as sources=Sources(sp"),
    (Rules, "setle", "Rules has no field 'setle'; did you mean rules=Rules(settle=...)?"),
    (Drawing, "engine", "Drawing has no field 'engine'; did you mean engines=...?"),
    (Language, "qqq", "Language has no field 'qqq'; the docstring of Language has all"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "field", "told"), MISPLACED, ids=[m[2] for m in MISPLACED])
def test_a_field_in_the_wrong_place_is_told_where_it_belongs(
    make: Callable[..., Any], field: str, told: str
) -> None:
    with pytest.raises(TypeError) as raised:
        make(**{field: None})
    assert str(raised.value).startswith(told)


def test_every_field_has_one_place() -> None:
    groups = [group for group in vars(HELLO).values() if isinstance(group, Record)]
    fields = [field for record in (HELLO, *groups) for field in record._fields]
    assert len(groups) == 6 and len(fields) == len(set(fields))
    assert all(group == type(group)() for group in (HELLO.rules, HELLO.sources, HELLO.engines))


def test_an_error_names_the_instruction_that_was_there_when_it_was_acted() -> None:
    """Even if it has written its own cell before, and others share its function."""
    table = InstructionTable("ants")

    @table.instruction({"a": ord("b"), "b": ord("a")})
    def flip(m: Any, other: int) -> None:
        m.put(m.stance.x, m.stance.y, other)
        m.pop()

    language = Language(
        name="ants", title="Ants", summary="for tests", suffixes=(), table=table,
        start=lambda *_: State(BytePlane(1, bytearray(b"a")), [Walker(Stance(0, 0, *RIGHT))]),
        decode=lambda plane, stance: table[plane.cell(stance.x, stance.y)], move=torus,
        show=lambda state: {},
    )  # fmt: skip
    with pytest.raises(LanguageError, match=r"the instruction 'flip' \('a'\) failed at \(0, 0\)"):
        ReferenceEngine(language, language.start(b"", {}, 0)).advance(1)


def test_signs_that_share_a_function_have_words_of_their_own() -> None:
    """Where these are given; else the docstring is about each of them."""
    table = InstructionTable("ants")

    @table.instruction({"<": -1, ">": 1, "o": 0}, own={"<": "Turn left.", ">": "Turn right."})
    def turn(m: Any, by: int) -> None:
        """Turn left, right, or not at all."""

    assert [row.words for row in table] == ["Turn left.", "Turn right.", table[ord("o")].doc]
    assert len({row.doc for row in table}) == 1
    (down,) = [row for row in registry.get("refunge").table if row.symbol == "v"]
    assert down.words.startswith("Move the data pointer down; ") and "right" not in down.words
