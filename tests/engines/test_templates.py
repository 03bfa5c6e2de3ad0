"""Superinstructions as machine code of their own: it does what the kernel for them does."""

from __future__ import annotations

import ctypes
import os
import random
from array import array
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.engines.base import executable
from planewalk.engines.base.addresses import address_of
from planewalk.engines.base.policy import PATIENT, following
from planewalk.engines.interpreter import abi
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.superinstructions import layout as w
from planewalk.engines.interpreter.superinstructions import table, templates
from planewalk.engines.interpreter.superinstructions.frame import FRAME, write_frame
from planewalk.engines.interpreter.superinstructions.perform import perform
from planewalk.engines.kernels.fenced import FencedBuffer
from planewalk.languages.refunge.brainfuck import brainfuck_to_refunge

from .supers import REFUNGE, begin, content

pytestmark = pytest.mark.skipif(not executable.KNOWN, reason="templates are for Linux on x86-64")

ROOM, CODE_ROOM, OUTPUT_ROOM = 1 << 10, 1 << 14, 4
AT, BASIC = w.FIRST, w.FIRST + 512
CALL = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 5)


@pytest.fixture(scope="module")
def machine_code() -> None:
    table.assemble(None)


def interpreter(state: State, templates: bool = True, hot: tuple[int, int] = (2, 5)) -> Any:
    policy = PATIENT._replace(
        templates=templates, hot_superinstruction=hot[0], hotter_superinstruction=hot[1]
    )
    with following(policy):
        return InterpreterEngine(REFUNGE, state, Limits())


# One by one --------------------------------------------------------------------------------------


class Bench:
    """A superinstruction made up by chance, and a field on which it is performed: by the kernel in
    plain Python, or by machine code."""

    def __init__(self, chance: random.Random) -> None:
        self.width, self.height = chance.randint(3, 300), chance.randint(2, 9)
        cells = self.width * self.height
        numbers = chance.choice(([0, 1], [1, 1, 2, 255], [*range(256)]))
        self.data = bytearray(chance.choices(numbers, k=cells))
        marks = chance.choice(([0], [0, 0, 0, 1, 2, 4, 8]))
        right, low = chance.randrange(self.width), chance.randrange(self.height)
        self.marks = bytearray(
            chance.choice(marks) if at % self.width <= right and at // self.width <= low else 0
            for at in range(cells)
        )
        self.output = bytearray(OUTPUT_ROOM)
        self.words = array("q", bytes(8 * abi.EXTRA))
        for slot, number in (
            (w.WIDTH, self.width), (w.HEIGHT, self.height),
            (w.HAND_X, chance.randrange(self.width)), (w.HAND_Y, chance.randrange(self.height)),
            (w.FUEL, chance.choice((0, 1, 7, 40, 999, 1 << 40))), (w.EPOCH, 1), (w.AT, AT),
            (w.WRITTEN, chance.randint(0, OUTPUT_ROOM)), (w.MOST_WRITTEN, OUTPUT_ROOM),
            (w.HOT, 99), (w.HOTTER, 999),
        ):  # fmt: skip
            self.words[slot] = number
        marked = [at for at, mark in enumerate(self.marks) if mark & w.HEEDED]
        self.words[w.RIGHTMOST] = max((at % self.width for at in marked), default=-1)
        self.words[w.LOWEST] = max((at // self.width for at in marked), default=-1)
        self.supers = array("i", bytes(4 * ROOM))
        self.supers[w.STAMP] = -1
        self._make_up(chance, AT)
        self._make_up(chance, BASIC)
        if chance.random() < 0.5:
            self.supers[AT + w.BASIC] = BASIC
            self.supers[AT + w.FAILED] = chance.choice((0, w.MOST_FAILED - 1))

    def _make_up(self, chance: random.Random, at: int) -> None:
        supers, width = self.supers, self.width
        left, right = -chance.randint(0, min(3, width // 2)), chance.randint(0, min(3, width // 2))
        right = min(right, width - 1 + left)
        top, bottom = -chance.randint(0, 2), chance.randint(0, 2)

        def offset() -> int:
            return chance.randint(top, bottom) * width + chance.randint(left, right)

        supers[at + w.STAMP] = supers[at + w.FOUND_IN] = 1
        supers[at + w.TICKS] = chance.choice((1, 5, 127, 128, 300))
        supers[at + w.LEAST_X], supers[at + w.SPAN_X] = left, width - 1 - (right - left)
        supers[at + w.LEAST_Y], supers[at + w.MOST_Y] = top, bottom
        supers[at + w.ASKED], supers[at + w.ASKED_VALUE] = offset(), chance.choice((0, 0, 1, 200))
        shape = chance.choice((0, w.QUESTION, w.QUESTION, w.OUTPUT, w.QUESTION | w.LOOP))
        ones = 2 * chance.choice((0, 0, 0, 1, 2))
        guards = chance.choice((0, 0, 0, 1, 2))
        parts = [offset() for _ in range(ones)]
        for _ in range(guards):
            parts += [offset(), chance.choice((0, 1, 255)) + chance.choice((0, w.MUST))]
        sums = self._sums(chance, shape, offset, supers[at + w.ASKED])
        shape &= ~w.LOOP if not sums else ~0  # which changes the cell that it is ended by
        counted = sum(1 for to, _, _ in sums if to == supers[at + w.ASKED])
        if shape & w.LOOP:
            shape |= counted << w.ASKED_SUMS
        else:
            move_x, move_y = chance.randint(left, right), chance.randint(top, bottom)
            supers[at + w.MOVE_X], supers[at + w.MOVE_Y] = move_x, move_y
            supers[at + w.MOVE] = move_y * width + move_x
        supers[at + w.SHAPE] = shape | len(sums) | ones << w.ONES | guards << w.GUARDS
        parts += [number for it in sums for number in it]
        supers[at + w.PARTS : at + w.PARTS + len(parts)] = array("i", parts)

    def _sums(
        self, chance: random.Random, shape: int, offset: Any, asked: int
    ) -> list[tuple[int, int, int]]:
        times = (1, 255, -1, 0, 2, 7, 128, 200)
        if not shape & w.LOOP:
            return [
                (to, chance.choice((to, offset())), chance.choice(times))
                for to in (offset() for _ in range(chance.randint(0, 4)))
            ]
        changed = {asked, *(offset() for _ in range(chance.randint(0, 2)))}
        steady = [it for it in (offset() for _ in range(20)) if it not in changed]
        if not steady:
            return []
        counted = [
            (asked, chance.choice(steady), chance.choice((1, 255, 255, 3, 77, 128)))
            for _ in range(chance.choice((1, 1, 1, 2)))
        ]
        others = [(to, chance.choice(steady), chance.choice(times)) for to in changed - {asked}]
        return counted + others

    def copy(self) -> Bench:
        other: Bench = object.__new__(Bench)
        other.width, other.height = self.width, self.height
        for name in ("data", "marks", "output", "words", "supers"):
            setattr(other, name, getattr(self, name)[:])
        return other

    def interpret(self) -> int:
        return perform(self.words, self.data, self.marks, self.supers, self.output)

    def compile(self, *superinstructions: int) -> executable.PatchableMemory:
        """Have machine code of these, one after the other."""
        memory, words = executable.PatchableMemory(CODE_ROOM), self.words
        write_frame(memory.writable)
        words[w.TEMPLATES_END], words[w.STUBS_BEGIN] = FRAME, CODE_ROOM
        code: Any = memory.writable
        for at in superinstructions:
            templates.compile_one(words, self.supers, code, at)
        assert bytes(memory.writable[words[w.TEMPLATES_END] :][:8]) == bytes(8)
        return memory

    def execute(self) -> int:
        """The same by machine code, and by the kernel what that leaves to it."""
        memory = self.compile(AT)
        assert self.supers[AT + w.CODE] or self.rows() >= self.height
        return self.run(memory, AT) if self.supers[AT + w.CODE] else self.interpret()

    def run(self, memory: executable.PatchableMemory, at: int) -> int:
        """Enter machine code."""
        words = self.words
        words[w.ENTERED] = memory.address + self.supers[at + w.CODE]
        buffers: tuple[Any, ...] = words, self.data, self.marks, self.supers, self.output
        why = CALL(memory.address)(*map(address_of, buffers))
        if why == w.FALLS_BACK:
            words[w.AT] = self.supers[AT + w.BASIC]
        return self.interpret() if why in (w.FALLS_BACK, w.HANDS_OVER) else why

    def rows(self) -> int:
        return self.supers[AT + w.MOST_Y] - self.supers[AT + w.LEAST_Y]

    def result(self, why: int) -> tuple[Any, ...]:
        """What both must agree on. An answer means something only where there is a question; a
        loop that is gone round to its end by machine code has it without asking."""
        words, at = self.words, self.words[w.AT]
        asks = self.supers[at + w.SHAPE] & w.QUESTION and why == w.WANTS_NEXT
        return (
            why, at, words[w.ANSWER] if asks else None, words[w.FUEL], words[w.HAND_X],
            words[w.HAND_Y], words[w.WRITTEN], self.supers[AT + w.FAILED],
            bytes(self.data), bytes(self.output),
        )  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_machine_code_does_what_the_kernel_does(seed: int) -> None:
    """Superinstructions of all kinds that were made up: same cells, hand, fuel, output, and way."""
    seen = set()
    for number in range(100):
        one = Bench(random.Random(100 * seed + number))
        other = one.copy()
        expected = one.result(one.interpret())
        found = other.result(other.execute())
        assert found == expected, 100 * seed + number
        seen.add(expected[0])
    assert {w.STOPS, w.WANTS_NEXT} <= seen


@pytest.mark.parametrize("seed", range(20))
def test_what_follows_is_joined(seed: int) -> None:
    """By either answer, by none, or by both: the code of the second stands in a row with that of
    the first, or is jumped to."""
    joined, frame = 0, bytearray(FRAME)
    write_frame(frame)
    for number in range(50):
        chance = random.Random(1_000_000 + 50 * seed + number)
        one = Bench(chance)
        one.supers[AT + w.BASIC] = 0
        links = chance.choice(((BASIC, 0), (0, BASIC), (BASIC, BASIC), (0, 0)))
        if not one.supers[AT + w.SHAPE] & w.QUESTION:
            links = BASIC, BASIC
        one.supers[AT + w.LINK], one.supers[AT + w.LINK_EQUAL] = links
        other = one.copy()
        expected = one.result(one.interpret())
        memory = other.compile(AT, BASIC)
        first, second = other.supers[AT + w.CODE], other.supers[BASIC + w.CODE]
        joined += second and not other.supers[AT + w.JUMP + (links[0] == 0)]
        code: Any = memory.writable
        for answer in (0, 1):  # as it is done whenever one has led to the next
            templates.link(other.supers, code, AT, answer)
        own = range(first, second or other.words[w.TEMPLATES_END])
        assert all(at == 0 or at in own for at in other.supers[AT + w.JUMP :][:2])
        assert bytes(code[:FRAME]) == frame
        why = other.run(memory, AT) if first else other.interpret()
        at = other.words[w.AT]
        if why == w.WANTS_NEXT and at == AT and other.supers[AT + w.LINK + other.words[w.ANSWER]]:
            other.words[w.AT] = BASIC  # where the kernel had to help
            why = other.run(memory, BASIC) if second else other.interpret()
        assert other.result(why) == expected, 50 * seed + number
    assert joined > 5


@pytest.mark.parametrize("seed", range(200))
def test_there_is_room_for_what_is_written(seed: int) -> None:
    """No more is taken than was counted on, and nothing written where too little is left."""
    chance = random.Random(seed)
    bench = Bench(chance)
    words, supers = bench.words, bench.supers
    if seed % 2:  # as much as there may be, all of it far away
        ones, guards, sums = w.MOST_GUARDS - 2, 2, w.MOST_SUMS
        shape = chance.choice((w.QUESTION, w.OUTPUT, w.QUESTION | w.LOOP | 3 << w.ASKED_SUMS))
        supers[AT + w.SHAPE] = shape | sums | ones << w.ONES | guards << w.GUARDS
        parts = ones + w.GUARD * guards + w.SUM * sums
        supers[AT + w.PARTS : AT + w.PARTS + parts] = array("i", [3_000] * parts)
        for field in (w.TICKS, w.SPAN_X, w.MOVE, w.MOVE_X, w.MOVE_Y, w.ASKED):
            supers[AT + field] = 3_000
        supers[AT + w.LEAST_X], words[w.HEIGHT] = -3_000, 9
    most = templates.most_bytes(supers[AT + w.SHAPE])
    for room, written in ((most, True), (most - 1, False)):
        words[w.TEMPLATES_END], words[w.STUBS_BEGIN] = FRAME, FRAME + room
        code: Any = FencedBuffer(bytearray(FRAME + room))
        supers[AT + w.CODE] = 0
        templates.compile_one(words, supers, code, AT)
        assert words[w.TEMPLATES_END] <= words[w.STUBS_BEGIN]
        assert bool(supers[AT + w.CODE]) == (written and bench.rows() < words[w.HEIGHT])


def test_only_jumps_that_are_there_are_led_elsewhere() -> None:
    """A loop that is gone round to its end has one for the end alone, what asks nothing one for all
    answers. The kernel finds other answers, too."""
    for shape, led in ((w.QUESTION, 2), (w.QUESTION | w.LOOP | 1 << w.ASKED_SUMS, 1), (0, 1)):
        bench = Bench(random.Random(1))
        supers, code = bench.supers, bytearray(CODE_ROOM)
        bench.words[w.TEMPLATES_END], bench.words[w.STUBS_BEGIN] = FRAME, CODE_ROOM
        supers[AT + w.SHAPE], supers[BASIC + w.SHAPE] = shape, 0
        supers[AT + w.BASIC] = supers[AT + w.LEAST_Y] = supers[BASIC + w.LEAST_Y] = 0
        for at in (AT, BASIC):
            templates.compile_one(bench.words, supers, code, at)
        supers[AT + w.LINK] = supers[AT + w.LINK_EQUAL] = BASIC
        changed = 0
        for answer in (0, 1):
            before = bytes(code)
            templates.link(supers, code, AT, answer)
            places = [
                at for at, (old, new) in enumerate(zip(before, code, strict=True)) if old != new
            ]
            changed += bool(places)
            jumps = [supers[AT + w.JUMP], supers[AT + w.JUMP_EQUAL]]
            assert all(any(jump <= at < jump + 4 for jump in jumps) for at in places)
            assert all(before[jump - 1] in (0xE9, 0x84) for jump in jumps if jump in places)
        assert changed == led


# As they follow each other -----------------------------------------------------------------------


def compiled(engine: Any) -> list[int]:
    """Where superinstructions are that have machine code."""
    with memoryview(engine.supers._table).cast("i") as entries:
        return [at for at in starts(entries, engine.supers._taken) if entries[at + w.CODE]]


def starts(entries: Any, taken: int) -> list[int]:
    found, at = [], w.FIRST
    while at < taken:
        found.append(at)
        shape = entries[at + w.SHAPE]
        guards = (shape >> w.ONES & w.BITS) + w.GUARD * (shape >> w.GUARDS & w.BITS)
        at = -(-(at + w.PARTS + guards + w.SUM * (shape & w.BITS)) // w.LINE) * w.LINE
    return found


FLIPPING = brainfuck_to_refunge(
    b"+[>-[>-[>[>+>+<<-]>>[<<+>>-]<<<-]<-]>>>[-]+<[->-<]>[-<+>]<<<<]"
).data
"""Asks the same question sixty thousand times with one answer, and then with the other."""


@pytest.mark.usefixtures("machine_code")
def test_traces_that_are_dropped_lead_on_to_their_first_block() -> None:
    """What jumped to them still does."""
    one, other = interpreter(begin(FLIPPING), hot=(24, 128)), interpreter(begin(FLIPPING), False)
    for ticks in (1_000_000, 10_000_000, 10_000_001, 10_000_000):
        one.advance(ticks)
        other.advance(ticks)
        assert content(one.state) == content(other.state)
    with memoryview(one.supers._table).cast("i") as entries:
        dropped = [
            entries[at + w.CODE]
            for at in compiled(one)
            if entries[at + w.STAMP] == w.DROPPED and entries[at + w.BASIC]
        ]
    code = one.supers._templates.writable
    assert dropped and all(code[at] == 0xE9 for at in dropped)


@pytest.mark.usefixtures("machine_code")
def test_a_process_that_is_forked_off_has_code_of_its_own() -> None:
    """Both go on, and neither sees what the other writes down."""
    source = brainfuck_to_refunge(b"+[>++++++[>+++++++[>+++<-]<-]<+]").data
    engine, alone = interpreter(begin(source)), interpreter(begin(source), False)
    engine.advance(50_000)
    reader, writer = os.pipe()
    before, child = engine.supers._templates, os.fork()
    if child == 0:
        engine.advance(100_000)
        os.write(writer, repr(content(engine.state)).encode()[-4_000:])
        os._exit(0 if engine.supers._templates is not before and compiled(engine) else 1)
    engine.advance(100_000)
    alone.advance(150_000)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        assert told.read() == repr(content(alone.state)).encode()[-4_000:]
    assert os.waitpid(child, 0)[1] == 0
    assert content(engine.state) == content(alone.state)
    assert engine.supers._templates is before and compiled(engine)


@pytest.mark.usefixtures("machine_code")
def test_without_memory_for_code_the_kernel_performs_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(size: int) -> None:
        raise OSError("memory may not be executed")

    monkeypatch.setattr(executable, "PatchableMemory", forbidden)
    source = brainfuck_to_refunge(b"+[>++++++[>+++++++[>+++<-]<-]<+]").data
    engine, alone = interpreter(begin(source)), interpreter(begin(source), False)
    engine.advance(300_000)
    alone.advance(300_000)
    assert engine.supers is not None and not compiled(engine)
    assert content(engine.state) == content(alone.state)


def test_memory_is_written_in_one_place_and_executed_in_another() -> None:
    """No address is both."""
    memory = executable.PatchableMemory(1 << 14)
    memory.writable[:6] = b"\xb8\x2a\0\0\0\xc3"  # mov eax, 42; ret
    assert ctypes.CFUNCTYPE(ctypes.c_int)(memory.address)() == 42
    writable: Any = memory.writable
    with open("/proc/self/maps") as maps:
        modes = {
            line.split()[1]
            for line in maps
            for begin, end in [[int(it, 16) for it in line.split()[0].split("-")]]
            for at in (memory.address, address_of(writable))
            if begin <= at < end
        }
    assert modes == {"r-xs", "rw-s"}
