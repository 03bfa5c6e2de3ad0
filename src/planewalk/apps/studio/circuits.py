"""What one wants to know of a program with an argument and a value: a table of all its inputs, and
who was in which cell when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...core.base.deadline import Turnstile, never
from ...core.errors import OptionError
from ...core.numbers.numerals import to_decimal
from ...core.program import Program
from ...core.state import State
from ...debug.replay.course import Pause
from ...debug.session import Session
from ...view.console.marks import end_of
from ...view.walk.follow import cell_of
from ..library import run

MOST_BITS = 8
FEW_BITS = 6
"""The default number of input bits of a table."""
MOST_STEPS = 1_000_000
MOST_TIME = 1.0
MOST_MEMORY = 64 << 20
"""Limits in ticks, seconds and bytes of the run for one input."""
MOST_TICKS = 400
MOST_CELLS = 24


class Table:
    """The value of a program for every input, computed step by step."""

    def __init__(self, program: Program, seed: int, bits: int | None = None) -> None:
        inputs = program.language.results.inputs
        if inputs is None:
            raise OptionError(f"{program.language.title} programs have no bits of input")
        self.program, self.seed = program, seed
        self.there = inputs(program.start(seed))
        self.bits = min(self.there, FEW_BITS if bits is None else bits, MOST_BITS)
        self.rows: list[tuple[int, str]] = []

    def go_on(self, pause: Pause) -> None:
        """Compute rows until `pause` returns true, at least one."""
        while not self.is_done:
            self.rows.append((len(self.rows), self._result(len(self.rows))))
            if pause():
                return

    @property
    def is_done(self) -> bool:
        return len(self.rows) == 1 << self.bits

    def _result(self, argument: int) -> str:
        program = self.program
        answer = run(
            Program(program.language, program.source, {**program.given, "arg": argument}),
            seed=self.seed,
            max_steps=MOST_STEPS,
            max_time=MOST_TIME,
            max_memory=MOST_MEMORY,
        )
        done = answer.status == "halted" and answer.value is not None
        return to_decimal(answer.value) if done else answer.status  # type: ignore[arg-type]

    def told(self) -> dict[str, Any]:
        """The table so far, as plain data."""
        return {"bits": self.bits, "there": self.there, "rows": self.rows, "done": self.is_done}


def timing(
    walk: Session, cells: list[tuple[int, int]], around: int, pause: Pause = never
) -> dict[str, Any]:
    """The number of walkers in each of some cells, tick by tick, and what writable cells held; of a
    long run, the part around a tick. Given up when `pause` returns true."""
    if len(cells) > MOST_CELLS:
        raise OptionError(f"at most {MOST_CELLS} cells can be watched at a time")
    first = max(min(around - MOST_TICKS // 2, walk.reached - MOST_TICKS), 0)
    last = min(first + MOST_TICKS, walk.reached)
    crowds: list[list[int]] = [[] for _ in cells]
    values: list[list[int]] = [[] for _ in cells]
    with walk.asking(pause):
        for state in states(walk, first, last):
            crowd_of = _crowds(walk, state, cells)
            for at, cell in enumerate(cells):
                crowds[at].append(crowd_of[cell])
                values[at].append(int(state.plane.cell(*cell)))
    rows = [
        {
            "cell": cell,
            "port": _port_at(walk, *cell),
            "walkers": crowd,
            "values": held if walk.state.plane.writable else None,
        }
        for cell, crowd, held in zip(cells, crowds, values, strict=True)
    ]
    return {"first": first, "last": last, "rows": rows}


def _port_at(walk: Session, x: int, y: int) -> str:
    """What comes in or goes out at a cell on the upper or lower edge, in words."""
    words, plane = walk.language.results.column_ports, walk.state.plane.box()
    if words is None or plane is None or not plane[0] <= x <= plane[2]:
        return ""
    into, out = words(walk.state, x)
    told = [(into and f"{into} in", plane[1]), (out and f"{out} out", plane[3])]
    return ", ".join(word for word, edge in told if word and edge == y)


def _crowds(
    walk: Session, state: State, cells: list[tuple[int, int]]
) -> Counter[tuple[int, int] | None]:
    """The number of walkers in each of some cells."""
    turnstile = Turnstile(walk.running.deadline.check)
    wanted, found = set(cells), Counter[tuple[int, int] | None]()
    for stance, _ in state.walkers:
        turnstile.passed()
        if (place := cell_of(stance.x, stance.y)) in wanted:
            found[place] += 1
    return found


def states(walk: Session, first: int, last: int) -> Iterator[State]:
    """The states from one tick to another on the branches that led to the session's moment; each is
    valid only until the next."""
    course = walk.aside(first)
    for tick in range(first, last + 1):
        if tick >= end_of(walk, course.branch) and course.branch is not walk.branch:
            course = walk.aside(tick)
        course.go(tick)
        yield course.state
