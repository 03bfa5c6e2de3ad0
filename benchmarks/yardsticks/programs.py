"""The programs that engines are compared on, and that speed-ups have to be worth something on."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable, Iterator
from functools import partial
from shutil import rmtree
from typing import Any, NamedTuple

from planewalk.apps.conversions import convert
from planewalk.apps.statefile import state_bytes
from planewalk.core.program import Program as Loaded
from planewalk.examples import gallery
from planewalk.languages import registry

from . import HERE as YARDSTICKS
from . import made_up as made
from .cost import Cost, cost_of

HERE = os.path.dirname(YARDSTICKS)
MILLION = 1_000_000
# Installed packages have their bytecode beside them; so must we, to measure what users get.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
STEPS = (MILLION, 100 * MILLION, 1000 * MILLION)


class Program(NamedTuple):
    """What is run, and how far."""

    name: str
    suffix: str
    source: Callable[[], bytes]
    steps: int
    given: Callable[[], bytes] = bytes
    begun: Callable[[], bytes] | None = None
    """A state that it goes on from."""
    size: str = ""
    """That of a picture."""
    walked: bool = False
    """Whether a session goes to and fro through it."""

    @property
    def title(self) -> str:
        return f"{self.name[:44]:44} {self.steps:>14,}"


class Runs:
    """Runs programs as whole commands, in a folder of its own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.cache = os.path.join(folder, "cache")

    def cost(
        self,
        program: Program,
        words: tuple[str, ...] = (),
        without: str = "",
        kept: bool = False,
    ) -> Cost:
        """Of a first run, for which nothing is kept but what comes with planewalk; or of the second
        one."""
        rmtree(self.cache, ignore_errors=True)
        environment = {**ENVIRONMENT, "PLANEWALK_CACHE": self.cache, "PLANEWALK_WITHOUT": without}
        command = [sys.executable, *self._words(program), *words]
        if kept:
            cost_of(command, environment, program.given())
        return cost_of(command, environment, program.given())

    def _words(self, program: Program) -> list[str]:
        path = self._written("program" + program.suffix, program.source())
        if program.walked:
            return [os.path.join(YARDSTICKS, "to_and_fro.py"), path, str(program.steps)]
        words = ["-m", "planewalk"]
        if program.size:
            picture = os.path.join(self.folder, "picture.png")
            words += ["render", path, "-o", picture, "--size", program.size, "--threads", "1"]
        else:
            words += ["run", path, "--seed", "1"]
        if program.begun is not None:
            words += ["--from-state", self._written("begun", program.begun())]
        return [*words, "--max-steps", str(program.steps), "--max-memory", "4G"]

    def _written(self, name: str, content: bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path


def has_ended(cost: Cost) -> bool:
    """Whether a command was not stopped for taking too long."""
    return "--max-time" not in cost.said


LARGE = b"2000000000"
READING = dict.fromkeys(
    ("collatz.mf", "primes.mf", "gcd-sum.mf", "dice.mf", "truth-machine.mf"), LARGE
)
READING |= {"fibonacci.mf": b"20000", "factorial.mf": b"3000"}
"""Examples that run long if they are given a large number."""
BOARDS = {
    "signals that come round": (100, 0.02, b"<>^v", 300_000),
    "signals that hardly come round": (10_000, 0.02, b"<>^v", 20_000),
    "signals on long wires": (10_000, 0.005, b"<>^v", 20_000),
    "signals that never come round": (1_000, 0.02, b"<>^v<>^v<>^v<>^v*#", 20_000),
    "signals in a crowd": (50_000, 0.1, b"<>^v", 5_000),
}
"""How many there are on 512 x 512 cells, the share and the kinds of instructions, and cycles."""
SHADERS = {
    "all overflow": b"7",
    "none ends": b"$",
    "a side that overflows": b"0y`#@_7777777",
    "a side that never ends": b"0y`#@_$",
    "they part by many values": b"0y4%1+:2%w3#@4@\n        5\n        @",
    "random colours": b"RRR@",
}
"""Programs that are heavy for lanes."""
SMALL, USUAL, LARGER = "64x36", "640x360", "1920x1080"


def programs(quick: bool) -> Iterator[Program]:
    """All that `run` runs; a quick comparison leaves out the longest runs."""
    lengths = STEPS[:2] if quick else STEPS
    for example in gallery():
        suffix = os.path.splitext(example.file)[1]
        if suffix in (".wf", ".bf", ".txt"):
            continue
        given = READING.get(example.file, b"")
        ends = not given and all("max-steps" not in run for run in example.runs)
        for steps in lengths[:1] if ends else lengths:
            yield Program(example.file, suffix, example.read, steps, partial(bytes, given))
    yield from storms(lengths[:2])
    for work in _parts("commands")["WORKS"]:
        for share in (10, 1):
            steps = max(work.steps // share, 1)
            yield Program(work.name, work.suffix, work.source, steps, work.given)
    yield from _text_programs(lengths)
    for name, (signals, share, letters, cycles) in BOARDS.items():
        board = Board(signals, share, letters)
        yield Program(name, ".txt", board.source, cycles, begun=board.state)


def storms(lengths: tuple[int, ...]) -> Iterator[Program]:
    """Programs that keep rewriting their own code."""
    for number, source in enumerate(_parts("storms")["survivors"](6)):
        for steps in lengths:
            yield Program(f"storm {number}", ".ref", partial(bytes, source), steps)


def _text_programs(lengths: tuple[int, ...]) -> Iterator[Program]:
    for loops in (1, 60, 600, 12_000):
        for steps in lengths:
            source = partial(made.brainfuck, loops)
            yield Program(f"Brainfuck of {loops:,} loops", ".ref", source, steps)
    yield Program("Brainfuck squares", ".ref", _file("squares.bf"), 1000 * MILLION)
    yield Program("Brainfuck automaton", ".ref", _file("automaton.bf"), 1000 * MILLION)
    for direction in made.DIRECTIONS:
        source = partial(made.growing, direction)
        yield Program(f"a pattern that grows {direction}", ".gemooy", source, 100 * MILLION)
    yield Program("8 cursors on cells of all", ".ref", _file("shared-8.ref"), 20 * MILLION)
    yield Program("1,024 cursors on cells of all", ".ref", _file("shared-1024.ref"), 20_000)
    yield Program("8,192 cursors", ".ref", made.wide_crowd, 5_000)
    for name, given in (
        ("factorials.mf", b"2000"), ("wide-sum.mf", LARGE), ("wide-squares.mf", LARGE),
        ("wide-fibonacci.mf", LARGE),
    ):  # fmt: skip
        yield Program(name, ".mf", _file(name), 100 * MILLION, partial(bytes, given))
    yield Program("chance", ".mf", partial(bytes, b"16?$"), 100 * MILLION)
    yield Program("a stack that grows", ".mf", partial(bytes, b"1"), 30 * MILLION)


def pictures(quick: bool) -> Iterator[Program]:
    """Light, heavy, faulting and uneven pictures."""
    for size in (SMALL, USUAL) if quick else (SMALL, USUAL, LARGER):
        for example in gallery("webfunge"):
            yield Program(f"{example.file}, {size}", ".wf", example.read, 10_000, size=size)
    cut_off = next(example for example in gallery("webfunge") if example.file == "spheres.wf")
    yield Program(f"spheres.wf cut off, {USUAL}", ".wf", cut_off.read, 1_000, size=USUAL)
    for name, source in SHADERS.items():
        for size in (SMALL, USUAL):
            yield Program(f"{name}, {size}", ".wf", partial(bytes, source), 10_000, size=size)


def sessions() -> Iterator[Program]:
    """Runs that are walked to and fro."""
    for name, suffix, given in (
        ("counters.ref", ".ref", b""), ("squares.bf", ".ref", b""), ("ring.gemooy", ".gemooy", b""),
    ):  # fmt: skip
        yield Program(
            f"to and fro, {name}",
            suffix,
            _file(name),
            10 * MILLION,
            partial(bytes, given),
            walked=True,
        )
    for example in gallery():
        if example.file in ("collatz.mf", "primes.mf", "ant.gemooy", "sierpinski.ref"):
            suffix = os.path.splitext(example.file)[1]
            given = partial(bytes, READING.get(example.file, b""))
            yield Program(
                f"to and fro, {example.file}",
                suffix,
                example.read,
                10 * MILLION,
                given,
                walked=True,
            )


class Board(NamedTuple):
    """One of 512 x 512 cells with signals all over it. See `benchmarks/bmprog`."""

    signals: int
    share: float
    letters: bytes

    def source(self) -> bytes:
        """Its rows."""
        plane = self._begun().plane
        width, cells = plane.width, plane.data
        return b"\n".join(cells[at : at + width] for at in range(0, len(cells), width))

    def state(self) -> bytes:
        """The state that signals are in."""
        return state_bytes(Loaded(registry.get("bmprog"), self.source()), self._begun())

    def _begun(self) -> Any:
        return _parts("bmprog")["board"](*self)


def _parts(benchmark: str) -> dict[str, Any]:
    return runpy.run_path(os.path.join(HERE, benchmark))


def _file(name: str) -> Callable[[], bytes]:
    path = os.path.join(HERE, "programs", name)
    if name.endswith(".bf"):
        return partial(convert, path, to=".ref")

    def read() -> bytes:
        with open(path, "rb") as file:
            return file.read()

    return read
