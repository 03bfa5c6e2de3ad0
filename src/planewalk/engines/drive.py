"""Driving an engine to the end of a run: limits, input and output in one loop for every app."""

from __future__ import annotations

from collections.abc import Callable

from ..core.engine import Engine
from ..core.limits import Limits
from ..core.step import Hungry, Spent, Stop
from .loops import LoopDetector

Clock = Callable[[], float]

_FIRST_STRETCH = 256
_LONGEST_STRETCH = 1 << 22
_STRETCH_SECONDS = 0.02
"""How long the engine runs before somebody looks at the clock, the memory and the output."""


def drive(
    engine: Engine,
    limits: Limits,
    clock: Clock,
    *,
    feed: Callable[[float | None], bytes | None] | None = None,
    drain: Callable[[], None] | None = None,
    loops: LoopDetector | None = None,
) -> Stop:
    """Run until the program ends, a limit is reached, or it waits for input nobody has.

    `feed` gives more input when the program asks for it, no bytes at its end, and None if none
    came in the seconds it was given; without it the run stops with `Hungry`. `drain` is called
    when there may be output to pass on. With `loops` a run that is proven never to end stops with
    `Stalled`.
    """
    state = engine.state
    began = now = clock()
    weighed = weighing = 0.0
    stretch = _FIRST_STRETCH
    while True:
        before = now
        ticks = stretch if limits.steps is None else min(stretch, limits.steps - state.tick)
        stop = engine.advance(max(ticks, 0))
        if drain is not None:
            drain()
        now = clock()
        if isinstance(stop, Hungry) and feed is not None:
            left = None if limits.seconds is None else max(began + limits.seconds - now, 0)
            arrived = feed(left)
            if arrived is None:
                return Spent("time")
            state.input.feed(arrived)
            now = before = clock()
        elif stop is not None:
            return stop
        if limits.steps is not None and state.tick >= limits.steps:
            return Spent("steps")
        if loops is not None:
            stop = loops.look()
            if stop is not None:
                return stop
            before += clock() - now  # looking says nothing about how long a stretch should be
            now = clock()
        if limits.seconds is not None and now - began >= limits.seconds:
            return Spent("time")
        if limits.memory is not None:
            memory = state.memory()
            if now - weighed > 20 * weighing:  # it looks at every number, so it must stay rare
                memory += state.memory_of_long_numbers()
                weighed = clock()
                weighing = weighed - now
            if memory > limits.memory:
                return Spent("memory")
        if now - before < _STRETCH_SECONDS / 2:
            stretch = min(2 * stretch, _LONGEST_STRETCH)
        elif now - before > 2 * _STRETCH_SECONDS:
            stretch = max(stretch // 2, 1)
