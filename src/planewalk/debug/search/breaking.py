"""An engine that stops where a condition is true, for runs without a session."""

from __future__ import annotations

from ...core.barriers import Barriers
from ...core.engine import Engine
from ...core.language import Language
from ...core.limits import Limits
from ...core.observation import Step
from ...core.state import State
from ...core.step import Hit, Stop
from ...engines.stepping.observe import Observer
from ..conditions.condition import Past, Situation
from ..conditions.grammar import Wanted
from .forwards import as_hit

TAIL = 4096
"""Bytes of output that conditions can look back at."""


class BreakingEngine:
    """Runs another engine up to the next match of a condition. See `core.engine.Engine`."""

    def __init__(self, engine: Engine, language: Language, wanted: Wanted, limits: Limits) -> None:
        self.language, self.wanted = language, wanted
        self.state: State = engine.state
        self.past = Past(self.state.tick)
        self._tail = b""
        self._written = self.state.written
        self._hits = 0
        self._was_true = True
        slow = wanted.condition.barriers is None
        self._observer = Observer(language, self.state, limits) if slow else None
        self._engine: Engine = self._observer or engine
        self._test((), None)

    @property
    def name(self) -> str:
        return self._engine.name

    def memory(self) -> int:
        return self._engine.memory()

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        target = self.state.tick + ticks
        stop = self._engine.advance(0)
        while stop is None and self.state.tick < target:
            stop = self._go_on(target)
            if isinstance(stop, Hit):
                self._hits += 1
                stop = stop if self._hits % self.wanted.every == 0 else None
        return stop

    def _go_on(self, target: int) -> Stop | None:
        """To the next tick at which the condition is true, or to the target."""
        if self._observer is not None:
            step = self._observer.step()
            if step is None:
                return self._observer.pause
            return self._answer(as_hit(step), step) or self._observer.pause
        before = self.state.tick
        last = before + 1 if self._was_true else target
        stop = self._engine.advance(last - before, self.wanted.condition.watched)
        if self.state.tick == before:
            return stop
        return self._answer(stop, None) or (None if isinstance(stop, Hit) else stop)

    def _answer(self, stop: Stop | None, step: Step | None) -> Hit | None:
        events = stop.events if isinstance(stop, Hit) else ()
        self._was_true = self._test(events, step)
        return Hit(self.wanted.text) if self._was_true else None

    def _test(self, events: tuple[object, ...], step: Step | None) -> bool:
        fresh = self.state.written - self._written
        if fresh:  # it is kept here, since others take it from the state
            self._tail = (self._tail + bytes(self.state.output[-fresh:]))[-TAIL:]
            self._written = self.state.written

        def last(count: int) -> bytes:
            return self._tail[-count:] if count else b""

        moment = Situation(self.language, self.state, events, last, step, self.past)  # type: ignore[arg-type]
        return self.wanted.condition.sees(moment)
