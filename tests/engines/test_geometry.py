"""Geometry may look at the plane, also while that changes: ways are remembered only while true."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from planewalk.core.geometry import DOWN, LEFT, RIGHT, UP, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.plane import BytePlane, SparsePlane
from planewalk.core.state import State, Walker
from planewalk.engines.base.policy import HASTY, following, policy_in_force
from planewalk.engines.machine.code_cache import recall
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native.abi import Slot
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from tests.engines.stores import MemoryStore

WALL = ord("#")
TABLE = InstructionTable("maze")


@TABLE.instruction({">": RIGHT, "v": DOWN, "<": LEFT, "^": UP})
def turn(m: Any, heading: tuple[int, int]) -> None:
    m.turn(*heading)


@TABLE.instruction("o")
def toggle(m: Any) -> None:
    """The hand builds a wall where it is, or takes it away, and goes on."""
    m.put(m.hand_x, m.hand_y, 1 if m.cell(m.hand_x, m.hand_y) == WALL else WALL)
    m.reach((m.hand_x + 3) % 8, m.hand_y)


@TABLE.instruction({"+": 1, "g": 7, "G": 150, "c": 1 << 40})
def grow(m: Any, often: int) -> None:
    """One row more, each time that so many rounds are over."""
    rounds = m.pop() if m.has(1) else 0
    if (rounds + 1) % often == 0:
        m.grow(m.plane.height + 1)
    m.push(rounds + 1)


@TABLE.instruction("j")
def jump(m: Any) -> None:
    m.move()


@TABLE.instruction(" ")
def nothing(m: Any) -> None:
    pass


def decode(plane: Any, stance: Stance) -> Any:
    return TABLE.get(plane.cell(stance.x, stance.y)) or TABLE[ord(" ")]


def around_walls(plane: Any, stance: Stance) -> Stance:
    """A torus of 8 x 4 in which walkers turn right before a wall."""
    x, y, dx, dy, mode = stance
    for _ in range(4):
        if plane.cell((x + dx) % 8, (y + dy) % 4) != WALL:
            break
        dx, dy = -dy, dx
    return Stance((x + dx) % 8, (y + dy) % 4, dx, dy, mode)


def torus_that_measures_late(plane: Any, stance: Stance) -> Stance:
    """Asks for the height only if it has to."""
    x, y, dx, dy, mode = stance
    return Stance((x + dx) % plane.width, (y + dy) % plane.height if dy else y, dx, dy, mode)


def within_the_box(plane: Any, stance: Stance) -> Stance:
    """Round the smallest box that holds all cells."""
    x, y, dx, dy, mode = stance
    left, top, right, bottom = plane.box() or (0, 0, 0, 0)
    x, y = x + dx, y + dy
    x = left if x > right else right if x < left else x
    y = top if y > bottom else bottom if y < top else y
    return Stance(x, y, dx, dy, mode)


def language_of(move: Callable[[Any, Stance], Stance]) -> Language:
    return Language(
        name="maze", title="Maze", summary="", suffixes=(), table=TABLE, decode=decode, move=move,
        start=lambda *_: begin(["o"], "sparse"), show=lambda state: {},
    )  # fmt: skip


def begin(rows: list[str], kind: str) -> State:
    plane: Any = BytePlane(8, bytearray("".join(row.ljust(8) for row in rows).encode()))
    if kind == "sparse":
        codes = {(x, y): ord(c) for y, row in enumerate(rows) for x, c in enumerate(row)}
        plane = SparsePlane({place: code for place, code in codes.items() if code != 32})
    return State(plane, [Walker(Stance(0, 0, *RIGHT), (0, 2))])


def walk_naively(language: Language, state: State, ticks: int) -> Stance:
    """What the rules say, with nothing remembered; one tick at a time on an engine made anew."""
    for _ in range(ticks):
        ReferenceEngine(language, state).advance(1)
    return state.walkers[0].stance


@pytest.fixture(autouse=True)
def compile_at_once() -> Iterator[None]:
    with following(HASTY._replace(patience=0)):
        yield


GROUNDS = [
    (around_walls, "sparse", ">v<^oojj## "), (around_walls, "bytes", ">v<^oojj## "),
    (within_the_box, "sparse", ">v<^oj "), (torus, "bytes", ">v<^oj+"), (torus, "bytes", ">v<^oj"),
    (torus_that_measures_late, "bytes", ">v<^ojG"), (torus_that_measures_late, "bytes", ">v<^ojg"),
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(("move", "kind", "letters"), GROUNDS)
def test_every_engine_walks_as_if_nothing_were_remembered(
    move: Any, kind: str, letters: str
) -> None:
    dice = random.Random(f"{move.__name__} {letters}")
    for _ in range(8):
        rows = ["".join(dice.choices(letters + 6 * " ", k=8)) for _ in range(4)]
        assert_agree(language_of(move), rows, kind, (1, 7, 30, 100, 300))


def assert_agree(
    language: Language, rows: list[str], kind: str, stretches: tuple[int, ...]
) -> list[Any]:
    expected = begin(rows, kind)
    kinds = (ReferenceEngine, PythonEngine, LLVMEngine)
    engines: list[Any] = [engine(language, begin(rows, kind)) for engine in kinds]
    for ticks in stretches:
        walk_naively(language, expected, ticks)
        for engine in engines:
            while engine.state.tick < expected.tick:
                engine.advance(expected.tick - engine.state.tick)
            assert engine.state == expected, (engine.name, rows, expected.tick)
    return engines


def test_a_step_that_an_instruction_takes_looks_as_well() -> None:
    """A wall comes to stand where a walker jumps, after some rounds."""
    for kind in ("bytes", "sparse"):
        rows = [">    v", "     j", "", "     o"]
        with following(policy_in_force()._replace(profile=4)):
            engines = assert_agree(language_of(around_walls), rows, kind, (20, 200))
        assert engines[0].state.walkers[0].stance.y == 1


@pytest.mark.parametrize("letter", "gG")
@pytest.mark.parametrize("move", [torus, torus_that_measures_late])
def test_code_for_one_height_is_dropped_when_the_plane_grows(move: Any, letter: str) -> None:
    """Up a column and over the edge, again and again, with a turn in the row on the way."""
    for rows in (["^", letter, " "], ["^", f">{letter} ^", " "], [f"^   {letter}", ">   ^", " "]):
        engines = assert_agree(language_of(move), rows, "bytes", (500, 1_500))
        assert letter != "G" or engines[2].native_ticks > 200


def test_machine_code_cannot_grow_the_plane_beside_code_for_one_height() -> None:
    """One piece of machine code may lead to another without anybody looking."""
    engine = LLVMEngine(language_of(torus), begin(["> v", "^  ", "^c<"], "bytes"))
    engine.survey.profile.ever_grew = True
    plane: Any = engine.state.plane
    cells: Any = engine.backend.cells
    words: list[Any] = [0] * len(Slot)
    cells.make_room(words)
    assert words[Slot.ROWS] > plane.height
    while not engine.native_ticks:
        engine.advance(1_000)
    cells.make_room(words)
    assert words[Slot.ROWS] == plane.height


def test_code_for_one_height_is_kept_for_that_height() -> None:
    """A list of what was compiled is found again, and used where it is true."""
    store: Any = MemoryStore()
    rows = ["> v", "^  ", "^c<"]
    language = language_of(torus)
    for state in (begin(rows, "bytes"), begin(rows, "bytes")):
        engine = LLVMEngine(language, state, Limits(memory=None), store)
        known = set(engine.units.at)
        while engine.state.tick < 1_000:
            engine.advance(1_000)
    assert known and engine.backend.cells.counts_rows and engine.hot_spots.orders == 0
    name = engine.backend.maker.kept_as
    assert name is not None
    kept = recall(store, name)
    assert {rows for rows in (2, 3, 4) for unit in kept if unit.suits_rows(rows)} == {3}


@pytest.mark.parametrize(("move", "kind"), [(torus, "bytes"), (around_walls, "bytes")])
def test_geometry_that_looks_is_compiled(move: Any, kind: str) -> None:
    engine = LLVMEngine(language_of(move), begin(["> v", "^  ", "^c<"], kind))
    while engine.state.tick < 5_000:
        engine.advance(5_000)
    assert engine.native_ticks > 4_000


def test_ways_are_found_anew_when_another_engine_let_the_plane_grow() -> None:
    state = begin(["v", " "], "bytes")
    engine = ReferenceEngine(language_of(torus), state)
    engine.advance(4)
    plane: Any = state.plane
    plane.grow(5)
    engine.advance(4)
    assert state.walkers[0].stance[:2] == (0, 4)


def test_a_way_that_depends_on_the_height_is_found_anew_when_the_plane_grows() -> None:
    """Up over the edge, wherever the last row is by then."""
    state = begin(["^", " ", "+", " "], "bytes")
    ReferenceEngine(language_of(torus), state).advance(10)
    plane: Any = state.plane
    assert plane.height == 6 and state.walkers[0].stance[:2] == (0, 5)
