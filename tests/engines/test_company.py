"""Walkers that come, go and end a program together: one is treated as each of several."""

from collections.abc import Callable
from typing import Any

import pytest

from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language, Pace, Rules
from planewalk.core.plane import TextPlane
from planewalk.core.state import State, Walker
from planewalk.core.step import Halted
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine

TABLE = InstructionTable("company")
ROWS = ["s   f v ", "        ", "        "]


@TABLE.instruction("s")
def set_out_anew(m: Any) -> None:
    """A walker down, in place of this one."""
    m.twin(0, 1)
    m.vanish()


@TABLE.instruction("f")
def fork(m: Any) -> None:
    m.twin(0, 1)


@TABLE.instruction("v")
def vanish(m: Any) -> None:
    m.vanish()


@TABLE.instruction(" ")
def nothing(m: Any) -> None:
    """Do nothing."""


def language(over: Callable[[Any, Stance], bool] | None = None, **more: Any) -> Language:
    return Language(
        name="company", title="Company", summary="for tests", suffixes=(), table=TABLE,
        start=lambda *_: begin(), move=torus, show=lambda state: {},
        decode=lambda plane, stance: TABLE[plane.cell(stance.x, stance.y)],
        rules=Rules(over=over, **more),
    )  # fmt: skip


def begin(*places: tuple[int, int]) -> State:
    return State(TextPlane(ROWS), [Walker(Stance(x, y, *RIGHT)) for x, y in places])


def places(state: State) -> list[tuple[int, int]]:
    return [(walker.stance.x, walker.stance.y) for walker in state.walkers]


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("others", [[], [(2, 2)]])
def test_who_sets_out_goes_on_whether_alone_or_not(
    pace: Pace, others: list[tuple[int, int]]
) -> None:
    state = begin((0, 0), *others)
    ReferenceEngine(language(pace=pace), state).advance(1)
    assert places(state) == [(0, 1), *((x + 1, y) for x, y in others)]


MANNERS = {
    "in turns": {"pace": Pace.ALONE},
    "together": {"pace": Pace.TOGETHER},
    "where they meet": {"pace": Pace.TOGETHER, "meet": True},
}


@pytest.mark.parametrize("kind", [ReferenceEngine, PythonEngine, LLVMEngine])
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize(("first", "ends_after"), [
    ([(1, 1)], 3),  # alone
    ([(1, 1), (0, 2)], 3),  # the first of two
    ([(0, 2), (1, 1)], 3),  # the second
    ([(4, 1), (4, 2)], 0),  # at once
    ([(6, 1), (3, 0)], 1),  # before one forks
])  # fmt: skip
def test_one_walker_of_several_is_enough_for_an_end(
    kind: Any, manner: str, first: list[tuple[int, int]], ends_after: int
) -> None:
    def over(plane: Any, stance: Stance) -> bool:
        return bool(stance.x == 4)

    for pieces in ([9], [0] * 3 + [1] * 9, [ends_after]):
        state = begin(*first)
        engine = kind(language(over, **MANNERS[manner]), state)
        stops = [engine.advance(ticks) for ticks in pieces]
        assert state.tick == ends_after and 4 in [x for x, _ in places(state)]
        assert isinstance(state.stop, Halted) and isinstance(stops[-1], Halted)


def test_the_end_is_seen_after_the_tick_in_which_walkers_part() -> None:
    state = begin((4, 0))
    ReferenceEngine(language(lambda plane, stance: bool(stance.y == 1)), state).advance(1)
    assert places(state) == [(5, 0), (4, 1)] and isinstance(state.stop, Halted)
