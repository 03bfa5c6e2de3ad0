"""Which instructions are compiled, and where those that are not fail."""

from pathlib import Path

import pytest

from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.plane import BytePlane, TextPlane
from planewalk.core.state import State, Walker
from planewalk.core.vocabulary import Vocabulary
from planewalk.engines.tracing.probe import refusal
from planewalk.engines.tracing.refusal import Refusal
from planewalk.languages import registry

TABLE = InstructionTable("probed")


@TABLE.instruction("r")
def read_words(m: Vocabulary) -> None:
    m.note("a word that is left to the reference engine")


@TABLE.instruction("o")
def ask_python(m: Vocabulary) -> None:
    m.push(len(bytes(m.pop())))


@TABLE.instruction("s")
def sometimes(m: Vocabulary) -> None:
    if m.pop() == 0:
        m.note("only on one way")


@TABLE.instruction("e")
def end(m: Vocabulary) -> None:
    m.halt()


@TABLE.instruction("k")
def known(m: Vocabulary) -> None:
    m.push((5, 6, 7)[m.known(m.pop())])


@TABLE.instruction("+")
def add(m: Vocabulary) -> None:
    m.push(m.pop() + m.pop())


@TABLE.instruction("w")
def write_here(m: Vocabulary) -> None:
    m.put(m.stance.x, m.stance.y, 7)


@TABLE.instruction("g")
def grow(m: Vocabulary) -> None:
    m.grow(m.plane.height + 1)


def language(plane: type) -> Language:
    def start(source: bytes, options: object, seed: int) -> State:
        rows = source.decode().split("\n")
        there = (
            TextPlane(rows)
            if plane is TextPlane
            else BytePlane(3, bytearray("".join(rows), "ascii"))
        )
        return State(there, [Walker(Stance(0, 0, *RIGHT))], seed=seed)

    return Language(
        "probed", "Probed", "for tests", (".probed",), TABLE, start,
        lambda plane, stance: TABLE[plane.cell(stance.x, stance.y)], torus, lambda state: {},
    )  # fmt: skip


def line_of(code: str) -> int:
    return next(
        n for n, line in enumerate(Path(__file__).read_text().split("\n"), 1) if code in line
    )


def test_a_word_that_only_the_reference_engine_knows() -> None:
    code = 'm.note("a word that is left to the reference engine")'
    found = refusal(language(TextPlane), TABLE[ord("r")])
    assert found == Refusal(code, __file__, line_of(code))
    assert str(found) == f"not compiled: {code}, {__file__}:{line_of(code)}"


def test_python_that_needs_a_number() -> None:
    found = refusal(language(TextPlane), TABLE[ord("o")])
    assert found is not None and found.line == line_of("m.push(len(bytes(m.pop())))")


@pytest.mark.parametrize("plane", [TextPlane, BytePlane])
@pytest.mark.parametrize("symbol", "sek+")
def test_what_is_compiled_or_ends(symbol: str, plane: type) -> None:
    assert refusal(language(plane), TABLE[ord(symbol)]) is None


def test_a_cell_that_is_written_by_what_it_means() -> None:
    """As turmites do: code made from the cell would not outlive the instruction."""
    found = refusal(language(BytePlane), TABLE[ord("w")])
    assert found is not None and found.line == line_of("m.put(m.stance.x, m.stance.y")


def test_most_of_our_languages_is_compiled() -> None:
    never = {
        name: {row.symbol for row in registry.get(name).table if refusal(registry.get(name), row)}
        for name in ("refunge", "mirrorfunge", "gemooy", "webfunge")
    }
    assert never["gemooy"] == set() and never["refunge"] <= {"Y"}
    assert never["mirrorfunge"] <= set("&=") and never["webfunge"] <= set(",q")
