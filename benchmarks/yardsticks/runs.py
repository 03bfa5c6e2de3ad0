"""Runs of planewalk, measured: CPU time of all threads, machine code made anew each time."""

from __future__ import annotations

import gc
import tempfile
import threading
import time
from typing import Any, NamedTuple
from zlib import crc32

from planewalk.apps.store import DiskStore
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.core.stream import InputStream
from planewalk.engines.choose import choose_engine
from planewalk.engines.picture.single import SinglePixels
from planewalk.engines.stepping.drive import drive
from planewalk.engines.stepping.reference import ReferenceEngine

from .facts import Facts, of_state

SLICE = 2_000
"""Ticks after which whoever waits wants to have a look."""


class Measured(NamedTuple):
    """How much was done in how many seconds, and what came of it."""

    amount: float
    seconds: float
    facts: Facts

    @property
    def rate(self) -> float:
        return self.amount / self.seconds


class Stopwatch:
    """CPU seconds of all threads since it was made, less those between pausing and going on."""

    def __init__(self) -> None:
        wait_for_threads()
        gc.collect()
        self.began = time.process_time()

    def read(self) -> float:
        return time.process_time() - self.began

    def back_to(self, seconds: float) -> None:
        """What was done since does not count."""
        self.began = time.process_time() - seconds


def wait_for_threads() -> None:
    """Machine code may still be in the making when a run is over."""
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()


def begin(program: Program, given: bytes) -> State:
    state = program.start(0)
    state.input = InputStream(given, closed=True)
    return state


def walk(
    start: Program | State,
    engine: str,
    given: bytes = b"",
    *,
    steps: int | None = None,
    seconds: float | None = None,
    language: Any = None,
) -> Measured:
    """Run for so many steps, where facts are taken, then on until so much time is used.

    Slow engines are stopped by the time before. Without both, to the end of the program.
    `language` is that of a bare state.
    """
    if isinstance(start, Program):
        language, state = start.language, begin(start, given)
    else:
        state = start.copy()
    output = 0

    def drain() -> None:
        nonlocal output
        if state.output:
            output = crc32(state.take_output(), output)

    with tempfile.TemporaryDirectory() as folder:
        watch = Stopwatch()
        chosen = choose_engine(engine, language, state, Limits(), DiskStore(folder))
        limits = Limits(steps=steps, seconds=seconds)
        drive(chosen, limits, time.process_time, drain=drain)
        reached = watch.read()
        facts = of_state(language.name, state, output)
        watch.back_to(reached)
        if seconds is not None and reached < seconds and state.stop is None:
            limits = Limits(seconds=seconds - reached)
            drive(chosen, limits, time.process_time, drain=drain)
        wait_for_threads()
        return Measured(state.tick, watch.read(), facts)


def short_runs(program: Program, engine: str, times: int) -> Measured:
    """A program from its start to its end, again and again."""
    watch = Stopwatch()
    for _ in range(times):
        state = begin(program, b"")
        chosen = choose_engine(engine, program.language, state, Limits())
        drive(chosen, Limits(), time.process_time)
    return Measured(times, watch.read(), of_state(program.language.name, state, 0))


def picture(program: Program) -> Measured:
    """All pixels one after the other, as `run --pixel` runs them."""
    width, height = program.options["size"]
    watch = Stopwatch()
    single = SinglePixels(program, Limits(steps=program.language.rules.default_steps), 0, None)
    places = ((x, y) for y in range(height) for x in range(width))
    pixels = b"".join(single.run(x, y).colour for x, y in places)
    return Measured(width * height, watch.read(), {"picture": crc32(pixels)})


def reference_picture(program: Program) -> Measured:
    """The same on the reference engine."""
    language, options = program.language, program.options
    assert language.drawing.colour is not None and language.rules.default_steps is not None
    width, height = options["size"]
    pixels = bytearray()
    watch = Stopwatch()
    for y in range(height):
        for x in range(width):
            state = language.start(program.source, {**options, "pixel": (x, y)}, 0)
            ReferenceEngine(language, state).advance(language.rules.default_steps)
            pixels += bytes(language.drawing.colour(state))
    return Measured(width * height, watch.read(), {"picture": crc32(pixels)})


def longest_pause(program: Program, given: bytes, seconds: float) -> tuple[float, float]:
    """The longest that one slice kept its caller waiting: on the clock, and in CPU time of its own.

    The clock also shows what other programs and background threads took away.
    """
    wait_for_threads()
    state = begin(program, given)
    on_the_clock = working = 0.0
    with tempfile.TemporaryDirectory() as folder:
        engine = choose_engine("auto", program.language, state, Limits(), DiskStore(folder))
        until = time.process_time() + seconds
        while time.process_time() < until and state.stop is None:
            began, began_working = time.perf_counter(), time.thread_time()
            engine.advance(SLICE)
            working = max(working, time.thread_time() - began_working)
            on_the_clock = max(on_the_clock, time.perf_counter() - began)
            state.take_output()
        wait_for_threads()
    return on_the_clock, working
