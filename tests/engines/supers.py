"""Superinstructions in plain Python, on buffers with fences, beside the reference engine: what
machine code would do unseen is an error here."""

from array import array
from typing import Any

from planewalk.core.language import Language
from planewalk.core.program import Program
from planewalk.core.state import State, Walker
from planewalk.engines.base.policy import PATIENT
from planewalk.engines.interpreter import abi
from planewalk.engines.interpreter.abi import posture_of
from planewalk.engines.interpreter.marks import RESTLESS, WALKED
from planewalk.engines.interpreter.superinstructions import layout as w
from planewalk.engines.interpreter.superinstructions.attend import attend
from planewalk.engines.interpreter.superinstructions.frame import FRAME
from planewalk.engines.interpreter.superinstructions.perform import perform
from planewalk.engines.interpreter.superinstructions.rows import rows_of
from planewalk.engines.interpreter.tick_tracer import TickTracer, trees_by_posture
from planewalk.engines.kernels.fenced import FencedBuffer
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.refusal import Refusals
from planewalk.languages import registry

REFUNGE = registry.get("refunge")
ROOM, CODE_ROOM, OUTPUT_ROOM = 1 << 14, 1 << 15, 64
MUCH, MOST_PATIENCE = 20, 32
"""Ticks that are worth it, else the reference engine goes on for twice as long, up to so many."""


def ways_of(language: Language, state: State) -> list[Any]:
    return trees_by_posture(
        TickTracer(language, state), [posture_of(state.walkers[0].stance)], Refusals()
    )


class PlainDriver:
    """One run: superinstructions for as long as they lead on, then a tick of the reference
    engine."""

    _rows: dict[str, tuple[list[Any], list[int]]] = {}

    def __init__(
        self,
        state: State,
        language: Language = REFUNGE,
        room: int = ROOM,
        hot: tuple[int, int] = (PATIENT.hot_superinstruction, PATIENT.hotter_superinstruction),
    ) -> None:
        self.state, self.reference = state, ReferenceEngine(language, state)
        key = repr(sorted(state.options.items(), key=repr))
        if key not in self._rows:
            ways = ways_of(language, state)
            self._rows[key] = ways, rows_of(ways)
        ways, rows = self._rows[key]
        self.postures = {it.posture: number for number, it in enumerate(ways)}
        self.stances = [it.posture.stance for it in ways]
        self.words = array("q", bytes(8 * abi.EXTRA))
        self.words[w.EPOCH], self.words[w.TAKEN], self.words[w.ROOM] = 1, w.FIRST, room
        self.words[w.LOOKUP_MASK] = 63
        self.words[w.HOT], self.words[w.HOTTER] = hot
        self.code = bytearray(CODE_ROOM)
        self.words[w.TEMPLATES_ROOM] = self.words[w.STUBS_BEGIN] = CODE_ROOM
        self.words[w.TEMPLATES_END] = FRAME
        self.rows = array("i", rows)
        self.supers = array("i", bytes(4 * room))
        self.supers[w.STAMP] = -1
        self.lookup, self.notebook = array("i", bytes(256)), array("i", bytes(4 * w.NOTEBOOK))
        self.marks = bytearray()
        self.performed = 0
        """Ticks in superinstructions."""

    def advance(self, ticks: int) -> None:
        state, target, patience = self.state, self.state.tick + ticks, 1
        while state.tick < target and state.stop is None and state.walkers:
            gone = self._go(target - state.tick)
            patience = 1 if gone > MUCH else min(2 * patience, MOST_PATIENCE)
            for _ in range(min(patience, target - state.tick)):
                self._tick()

    def _go(self, fuel: int) -> int:
        state, words = self.state, self.words
        plane: Any = state.plane
        (walker,) = state.walkers[:1]
        if len(state.walkers) > 1 or posture_of(walker.stance) not in self.postures:
            return 0
        self.marks += bytes(len(plane.data) - len(self.marks))
        assert walker.hand is not None
        words[w.FUEL], (words[w.HAND_X], words[w.HAND_Y]) = fuel, walker.hand
        words[w.PLACE_X], words[w.PLACE_Y] = walker.stance.x, walker.stance.y
        words[w.WIDTH], words[w.HEIGHT] = plane.width, plane.height
        words[w.WRITTEN], words[w.MOST_WRITTEN] = 0, OUTPUT_ROOM
        output = bytearray(OUTPUT_ROOM)
        fenced = [
            FencedBuffer(it)
            for it in (words, plane.data, self.marks, self.rows, self.supers, self.lookup,
                       self.notebook, self.code, output)
        ]  # fmt: skip
        posture = self._attended(fenced, self.postures[posture_of(walker.stance)])
        stance = self.stances[posture]._replace(x=words[w.PLACE_X], y=words[w.PLACE_Y])
        state.walkers[:] = [Walker(stance, (words[w.HAND_X], words[w.HAND_Y]))]
        gone = fuel - words[w.FUEL]
        state.tick += gone
        state.output += output[: words[w.WRITTEN]]
        self.performed += gone
        return gone

    def _attended(self, fenced: list[Any], posture: int) -> int:
        words, data, marks, _, supers, *_, output = fenced
        why = w.BEGINS
        while True:
            there = attend(*fenced[:-1], why, posture)
            if there != w.GOES_ON:
                return there
            why = perform(words, data, marks, supers, output)

    def _tick(self) -> None:
        """What the interpreter would do, marks and epochs included."""
        plane: Any = self.state.plane
        before = bytes(plane.data)
        self.reference.advance(1)
        for at, (old, new) in enumerate(zip(before, plane.data, strict=False)):
            if old != new and at < len(self.marks) and self.marks[at] & WALKED:
                self.marks[at] += RESTLESS - WALKED
                self.words[w.EPOCH] += 1


def begin(source: bytes, options: dict[str, str] | None = None) -> State:
    return Program(REFUNGE, source, options or {}).start()


def content(state: State) -> tuple[Any, ...]:
    """All that can differ."""
    plane: Any = state.plane
    walkers = [(*walker.stance, walker.hand) for walker in state.walkers]
    return state.tick, plane.height, bytes(plane.data), walkers, bytes(state.output)
