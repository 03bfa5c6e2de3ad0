"""Which words compiled code knows: the tracer performs each in an instruction that uses it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from scripts.words import Word

from planewalk.core.geometry import RIGHT, Stance
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language, Rules
from planewalk.core.numbers.pure import PURE
from planewalk.core.plane import BytePlane, SparsePlane, TextPlane
from planewalk.core.state import State, Walker
from planewalk.engines.tracing.ir import Key, Node
from planewalk.engines.tracing.probe import Probe, refusal_by

HERE = Stance(0, 0, *RIGHT)
HELD = 4
"""Values that the stack holds when a word is tried."""
ENDS = frozenset({"halt", "fault", "give_up"})
"""Words that end a run, which needs no compiled code."""
PLANES: Mapping[str, Callable[[], Any]] = {
    "text": lambda: TextPlane(["w", " "]),
    "bytes": lambda: BytePlane(1, bytearray(b"w ")),
    "sparse": lambda: SparsePlane({(0, 0): ord("w"), (0, 1): ord(" ")}),
}


def _register(m: Any) -> Any:
    return "number" if m.option("whole") else 0


def _open(m: Any) -> Any:
    """A number that only a run knows."""
    return m.register(_register(m))


ARGUMENTS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("value", "bound"), _open),
    **dict.fromkeys(("what", "values"), lambda m: (_open(m), _open(m))),
    **dict.fromkeys(("mode", "reason", "entry"), lambda m: "word"),
    **dict.fromkeys(("data", "digits", "before", "between", "behind"), lambda m: b"7"),
    **dict.fromkeys(("n", "index", "ticks", "dx"), lambda m: 1),
    **dict.fromkeys(("dy", "offset"), lambda m: 0),
    "size": lambda m: 2,
    "x": lambda m: m.hand_x,
    "y": lambda m: m.hand_y,
    "stance": lambda m: HERE,
    "stances": lambda m: [HERE],
    "height": lambda m: m.plane.height + 1,
    "pattern": lambda m: re.compile(b"7"),
    "name": _register,
}
"""What a word is given for each of its parameters; numbers are given to those of arithmetic."""
OTHERWISE: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("go", "x"): lambda m: m.known(m.hand_x),
    ("go", "y"): lambda m: m.known(m.hand_y),
    ("call", "stance"): lambda m: m.returned() or HERE,
    ("option", "name"): lambda m: "whole",
    ("number", "truth"): lambda m: _open(m) == 1,
}


def _argument(word: str, parameter: str) -> Callable[[Any], Any]:
    usual = _open if word in PURE or word == "times" else ARGUMENTS.get(parameter)
    argument = OTHERWISE.get((word, parameter), usual)
    assert argument is not None, f"no argument for {parameter} of {word}"
    return argument


def trial(word: Word, plane: str, whole: bool) -> tuple[Language, State]:
    """A language whose one instruction uses a word, and a program of it."""
    table = InstructionTable("words")
    given = [_argument(word.name, name) for name in word.parameters or ()]

    @table.instruction("w")
    def use(m: Any) -> None:
        if not m.has(HELD):
            m.push(_open(m))
        found = getattr(m, word.name)
        if word.parameters is not None:
            found = found(*[argument(m) for argument in given])
        if type(found) in (int, float, Node):
            m.poke(0, found)

    language = Language(
        name="words", title="Words", summary="one word", suffixes=(), table=table,
        start=lambda source, options, seed: _start(plane, whole),
        decode=lambda plane, stance: table[ord("w")],
        move=lambda plane, stance: HERE._replace(mode=stance.mode),
        show=lambda state: {},
        rules=Rules(samples=lambda options: b"abc", meet=word.name in ("met", "become")),
    )  # fmt: skip
    return language, _start(plane, whole)


def _start(plane: str, whole: bool) -> State:
    state = State(
        PLANES[plane](),
        [Walker(HERE, (0, 1))],
        stack=[1] * HELD if whole else array("f", [1.0] * HELD),
        registers={"number": 1} if whole else array("f", [1.0]),
        options={"whole": whole},
    )
    state.input.feed(b"7" * 1_000)
    return state


def trials(word: Word) -> Iterator[tuple[Language, State]]:
    """On every kind of plane, with whole numbers and with floats."""
    for plane, whole in product(PLANES, (True, False)):
        yield trial(word, plane, whole)


def compiles(word: Word) -> bool:
    """Whether compiled code performs a word, at least on some plane and some kind of numbers."""
    return word.name not in ENDS and any(
        refusal_by(Probe(language, state, growing), Key(HERE, HELD, ())) is None
        for language, state in trials(word)
        for growing in (False, True)
        if not language.rules.meet
    )
