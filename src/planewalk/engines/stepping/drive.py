"""Driving an engine to the end of a run: limits, input and output in one loop for every app."""

from __future__ import annotations

from collections.abc import Callable

from ...core.base.deadline import Clock, OutOfTime
from ...core.engine import Engine
from ...core.limits import Limits
from ...core.step import Hungry, Spent, Stop
from ...core.stream import InputStream
from .loops import LoopDetector
from .scales import Scales
from .stretch import FIRST_STRETCH, StretchLength

Feed = Callable[[float | None], bytes | None]

_LONG_WORK = 1 << 31
"""Bits that adding goes over in about a tenth of a second: each tick may add the longest number."""
_MUCH_INPUT = 1 << 16
"""So much that is not enough is not looked at again before there is twice as much."""


def drive(
    engine: Engine,
    limits: Limits,
    clock: Clock,
    *,
    feed: Feed | None = None,
    drain: Callable[[], object] | None = None,
    loops: LoopDetector | None = None,
) -> Stop:
    """Run until the program ends, a limit is reached, or it waits for input that is missing.

    `feed` gives more input when the program asks for it, no bytes at its end, and None if none
    came in the seconds it was given; without it the run stops with `Hungry`. `drain` is called
    when there may be output to pass on. With `loops` a run that is proven never to end stops with
    `Stalled`. Unless it has begun already, the time of the run begins now.
    """
    limits = limits.begun(clock)
    state, deadline = engine.state, limits.deadline
    scales = Scales(engine, limits, clock)
    now = clock()
    stretch = StretchLength()
    while True:
        before = now
        ticks = min(stretch.ticks, max(_LONG_WORK // (scales.longest + 1), 1))
        ticks = min(ticks, max(scales.fit, FIRST_STRETCH))
        if limits.steps is not None:
            ticks = min(ticks, max(limits.steps - state.tick, 0))
        stop = engine.advance(ticks)
        if drain is not None:
            drain()
        now = clock()
        if isinstance(stop, Hungry) and feed is not None:
            if not _fed(state.input, feed, limits):
                return Spent("time")
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
        if deadline.left() <= 0:
            return Spent("time")
        try:
            if scales.too_heavy(now):
                return Spent("memory")
        except OutOfTime:
            return Spent("time")
        stretch.learn(now - before)


def _fed(stream: InputStream, feed: Feed, limits: Limits) -> bool:
    """Whether there is more input now, or its end; not if time was over first."""
    enough = 2 * stream.unread if stream.unread > _MUCH_INPUT else 0
    while True:
        left = None if limits.seconds is None else max(limits.deadline.left(), 0)
        arrived = feed(left)
        if arrived is None:
            return False
        stream.feed(arrived)
        if stream.closed or stream.unread >= enough:
            return True
