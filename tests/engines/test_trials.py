"""Whether visits to machine code are worth it is measured, and tried again less and less often."""

from collections.abc import Iterator
from typing import Any

import pytest

from planewalk.engines.interpreter import engine, trials
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.trials import FIRST_REST, LONG_STAY, SHARE, VisitTrials
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.window.window import Window
from tests.engines import ledger


class Run:
    """A run on a clock of its own: how long visits and ticks take is said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, visit: float, ticks: int) -> None:
        self.seconds, self.tick, self.visit, self.ticks = 0.0, 0, visit, ticks
        self.trials = VisitTrials(8)
        monkeypatch.setattr(trials, "thread_time", lambda: self.seconds)

    def rests(self) -> Iterator[int]:
        """How long each rest is, again and again; none if it is time for another trial."""
        while True:
            for _ in range(8):
                assert self.trials.begin(self.tick)
                self.trials.stayed(self.ticks)
                self.tick, self.seconds = self.tick + self.ticks, self.seconds + self.visit
            if self.trials.begin(self.tick):
                yield 0
                self.trials._count = 0
                continue
            rest = self.trials.rest
            self.tick, self.seconds = self.tick + rest, self.seconds + rest * 1e-6
            self.trials.rested(rest, rest * 1e-6)
            yield rest


def test_who_is_slower_waits_longer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rests = Run(monkeypatch, 50e-6, 4).rests()
    assert [next(rests) for _ in range(7)] == [64 << at for at in range(7)]
    assert [next(rests) for _ in range(3)] == [pytest.approx(8 * 50 * SHARE, abs=1)] * 3


def test_who_is_slow_by_far_waits_by_far_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """All trials together take little of the time."""
    rests = Run(monkeypatch, 0.01, 4).rests()
    found = [next(rests) for _ in range(40)]
    assert found[-1] == pytest.approx(SHARE * 8 * 10_000, rel=0.01)


def test_who_is_quicker_is_seen_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    rests = Run(monkeypatch, 50e-6, 100).rests()
    assert [next(rests) for _ in range(5)] == [FIRST_REST, 0, 0, 0, 0]


def test_who_stays_for_long_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    rests = Run(monkeypatch, 1.0, LONG_STAY).rests()
    assert [next(rests) for _ in range(5)] == [0] * 5


def test_better_visits_end_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, 50e-6, 4)
    rests = run.rests()
    assert [next(rests) for _ in range(4)] == [64, 128, 256, 512]
    run.ticks = 1_000
    assert next(rests) == 0
    run.ticks = 4
    assert next(rests) == FIRST_REST


def test_where_machine_code_is_of_no_use_hardly_any_tick_looks_for_some(monkeypatch) -> None:
    """Cells of any number do not fit into a window; only a trial now and then finds that out, and
    hardly any write is told to the window meanwhile."""
    options = {"plane": "sparse", "hand": True}
    found, expected = (ledger.LANGUAGE.start(b"iwlinj+i", options, 1) for _ in range(2))
    for state in (found, expected):
        state.plane.put(500, 500, 300)  # type: ignore[attr-defined]
    looks = told = 0
    note = Window.note

    def tell(*given: Any) -> None:
        nonlocal told
        told += 1
        note(*given)

    monkeypatch.setattr(Window, "note", tell)
    run = InterpreterEngine(ledger.LANGUAGE, found)
    entry = run._entry

    def look() -> int | None:
        nonlocal looks
        looks += 1
        return entry()

    monkeypatch.setattr(run, "_entry", look)
    for module in (trials, engine):
        monkeypatch.setattr(module, "thread_time", lambda: found.tick * 1e-6 + looks * 30e-6)
    while found.tick < 60_000:
        run.advance(60_000 - found.tick)
    assert run.native_ticks == 0 and 0 < looks < 200 and told < 30
    ReferenceEngine(ledger.LANGUAGE, expected).advance(60_000)
    assert found == expected
