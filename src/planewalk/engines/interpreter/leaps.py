"""Leaps: the interpreter does not walk twice over cells that do nothing but lead on.

After a tick that does something, quiet ticks often follow (see `quiet.py`). The first time, they
are recorded as they are performed: how many there are, where they lead, what is called there, and
how the hand moves. The next time all of them are one look into a table, and each leap is linked to
the one that came next the last time: then the processor need not wait for the walker's place to
know where to look. They stand there in the order in which they were met, so that it has the next
ones at hand. Cells that a leap has passed are marked; whoever writes one begins a new epoch,
in which no leap is known, and from then on leaps end before that cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..native.abi import Slot
from ..tracing.layout import blocks
from ..tracing.trees import Tree
from .abi import (
    ASK_ROWS,
    CODE_WRITTEN,
    EPOCH,
    FOUND,
    FOUND_MASK,
    FROM_ENTRY,
    FROM_FUEL,
    FROM_HAND_X,
    FROM_HAND_Y,
    FROM_TAG,
    LEAPS,
    LEAPT,
    LEAST_X,
    LEAST_Y,
    LOWEST,
    MOST_POSTURES,
    MOST_X,
    MOST_Y,
    PASSED,
    PASSED_MASK,
    RIGHTMOST,
    TAKEN,
    TAKEN_MASK,
)  # fmt: skip
from .code import HANDED_ON, InterpreterWriter
from .leap_table import (
    BOUNDS,
    CALLS,
    CODE,
    ENTRY_BYTES,
    HAND,
    MADE_IN,
    NEXT,
    PLACE,
    RESTLESS,
    TAG,
    TICKS,
    WALKED,
)  # fmt: skip
from .quiet import QuietTick, quiet_tick
from .superinstructions.rows import rows_of

LONGEST_LEAP = 1 << 12
"""In ticks."""
NO_BOUND = 1 << 14
"""More than a hand moves in a leap."""


class LeapingWriter(InterpreterWriter):
    """Writes an interpreter that leaps. Functions hand the leap on that was leapt last."""

    handed_on: ClassVar[Mapping[str, int]] = {**HANDED_ON, "leap": LEAPT}

    def source(self) -> str:
        self.quiet: dict[int, QuietTick] = {}
        for tree in self.trees.values():
            tick = quiet_tick(tree)
            if tick is not None:
                self.quiet[id(tree)] = tick
        self.writes = any(op[0] == "put" for tree in self.trees.values() for op in _ops(tree))
        return super().source()

    def _unit(self) -> None:
        for number, tree in self.trees.items():
            if id(tree) in self.quiet and id(tree) in self.functions:
                self._recorded_tick(number, tree, self.quiet[id(tree)])
        for number, ways in enumerate(self.ways):
            names = [self._recorder(number, tree) for tree in ways.trees]
            self._table(f"records{number}", names)
            if not self.writes:
                self._table(f"goes{number}", [self._goer(number, tree) for tree in ways.trees])
            self._leap(number)
            self._recording(number)
            self._note(number)
            self._again(number)
        super()._unit()

    def _recorder(self, number: int, tree: Tree | None) -> str:
        """What is called for a cell while a leap is recorded."""
        if tree is None or id(tree) not in self.quiet or id(tree) not in self.functions:
            return f"note{number}"
        return self.functions[id(tree)].replace("tick", "record")

    def _goer(self, number: int, tree: Tree | None) -> str:
        """What is called for a cell behind a tick that does something: a leap is not worth knowing
        where it would end at once."""
        name = self.functions.get(id(tree), f"leave{number}")
        return f"leap{number}" if id(tree) in self.quiet and id(tree) in self.functions else name

    def _more_entries(self) -> list[tuple[int, str]]:
        return [(number + MOST_POSTURES, f"@leap{number}") for number in self.numbers.values()]

    def _questions(self) -> dict[int, str]:
        """Where the rows of ticks are: superinstructions are made of those."""
        rows = rows_of(self.ways) if self.writes and self.hands else []
        if not rows:
            return {ASK_ROWS: "0"}
        given = ", ".join(f"i32 {number}" for number in rows)
        self.listings.append(f"@rows = internal constant [{len(rows)} x i32] [{given}]")
        return {ASK_ROWS: "ptrtoint (ptr @rows to i64)"}

    # Leaping ---------------------------------------------------------------------------------

    def _one_tick(self, number: int, tree: Tree) -> None:
        self.is_quiet = id(tree) in self.quiet
        super()._one_tick(number, tree)

    def _go_on(self, number: int, values: Mapping[str, str]) -> None:
        if self.is_quiet:
            super()._go_on(number, values)
        elif self.writes:
            self._hand_over(f"@leap{number}", values)
        else:
            self._hand_over(self._next(number, values, "goes"), values)

    def _leap(self, number: int) -> None:
        """What follows a tick that does something: the leap that came next the last time if it is
        one from here, another one that is known, or one to be recorded."""
        self._begin_function(f"leap{number}")
        came = self._as_they_came()
        index, last = self._index_of(came), self._define("inttoptr i64 %leap.0 to ptr")
        linked, tag = self._field(last, NEXT), self._tag(number, index)
        known = self._is_known(linked, tag)
        self._emit(f"  br i1 {known}, label %known, label %look")
        self._emit("look:")
        found = self._address_of(self._number_at(self._looked_up(number, index)))
        self._emit(f"  store i64 {found}, ptr {self._in(last, NEXT)}")
        known = self._is_known(found, tag)
        self._emit(f"  br i1 {known}, label %known, label %unknown")
        self._emit("known:")
        leap = self._define(f"phi i64 [ {linked}, %start ], [ {found}, %look ]")
        entry = self._define(f"inttoptr i64 {leap} to ptr")
        ticks = self._half(entry, TICKS, 0)
        suits = self._define(f"icmp sle i64 {ticks}, %fuel.0")
        for suitable in self._hand_suits(entry) if self.hands else ():
            suits = self._define(f"and i1 {suits}, {suitable}")
        self._emit(f"  br i1 {suits}, label %suits, label %plain")
        self._emit("suits:")
        self._jump(leap, entry, ticks)
        self._emit("plain:")
        self._hand_over(f"@again{number}", came)
        self._emit("unknown:")
        self._hand_over(f"@begin{number}", came)
        self._emit("}")

    def _recording(self, number: int) -> None:
        """Record a leap, if it can be noted which cells it passes."""
        self._begin_function(f"begin{number}")
        came = self._as_they_came()
        if self.writes:
            mask = self._define(self._word(PASSED_MASK))
            noting = self._define(f"icmp ne i64 {mask}, 0")
            self._emit(f"  br i1 {noting}, label %record, label %plain")
            self._emit("plain:")
            self._hand_over(f"@again{number}", came)
            self._emit("record:")
        index = self._index_of(came)
        tag, place = self._tag(number, index), self._looked_up(number, index)
        begun = {
            FROM_ENTRY: self._entry_for(tag, place), FROM_TAG: tag, FROM_FUEL: "%fuel.0",
            FROM_HAND_X: "%hx.0", FROM_HAND_Y: "%hy.0", LEAST_X: NO_BOUND, LEAST_Y: NO_BOUND,
            MOST_X: -NO_BOUND, MOST_Y: -NO_BOUND,
        }  # fmt: skip
        for word, value in begun.items():
            self._emit(f"  store i64 {value}, ptr {self._at(word)}")
        self._hand_over(self._next(number, came, "records"), came)
        self._emit("}")

    def _tag(self, number: int, index: str) -> str:
        """What tells leaps apart: from where they begin."""
        shifted = self._define(f"mul i64 {index}, {MOST_POSTURES}")
        return self._define(f"add i64 {shifted}, {number + 1}")

    def _looked_up(self, number: int, index: str) -> str:
        """Where the number of a leap is found that begins in a posture at a cell."""
        moved = self._define(f"add i64 {index}, {number * 1021}")
        place = self._define(f"and i64 {moved}, {self._define(self._word(FOUND_MASK))}")
        found = self._define(f"inttoptr i64 {self._define(self._word(FOUND))} to ptr")
        return self._define(f"getelementptr i32, ptr {found}, i64 {place}")

    def _number_at(self, place: str) -> str:
        return self._define(f"zext i32 {self._define(f'load i32, ptr {place}')} to i64")

    def _address_of(self, number: str) -> str:
        """Where in the table a leap of that number is."""
        offset = self._define(f"mul i64 {number}, {ENTRY_BYTES}")
        return self._define(f"add i64 {self._define(self._word(LEAPS))}, {offset}")

    def _entry_for(self, tag: str, place: str) -> str:
        """Where a leap is to be noted: where it was before, or behind all others."""
        before = self._number_at(place)
        entry = self._define(f"inttoptr i64 {self._address_of(before)} to ptr")
        other = self._define(f"icmp ne i64 {self._field(entry, TAG)}, {tag}")
        taken = self._define(self._word(TAKEN))
        following = self._define(f"and i64 {taken}, {self._define(self._word(TAKEN_MASK))}")
        number = self._define(f"select i1 {other}, i64 {following}, i64 {before}")
        self._emit(f"  store i32 {self._define(f'trunc i64 {number} to i32')}, ptr {place}")
        more = self._define(f"zext i1 {other} to i64")
        self._emit(f"  store i64 {self._define(f'add i64 {taken}, {more}')}, ptr {self._at(TAKEN)}")
        return self._address_of(number)

    def _is_known(self, address: str, tag: str) -> str:
        """Whether there is the leap that is looked for, and still true."""
        entry = self._define(f"inttoptr i64 {address} to ptr")
        same = self._define(f"icmp eq i64 {self._field(entry, TAG)}, {tag}")
        epoch = self._define(self._word(EPOCH))
        current = self._define(f"icmp eq i64 {self._field(entry, MADE_IN)}, {epoch}")
        return self._define(f"and i1 {same}, {current}")

    def _hand_suits(self, entry: str) -> list[str]:
        """Whether the hand stays on the plane all the way."""
        height = self._define(self._word(Slot.HEIGHT))
        found = []
        for axis, (at, size) in enumerate((("%hx.0", "%width.0"), ("%hy.0", height))):
            least = self._define(f"add i64 {at}, {self._short(entry, BOUNDS, 2 * axis)}")
            most = self._define(f"add i64 {at}, {self._short(entry, BOUNDS, 2 * axis + 1)}")
            found.append(self._define(f"icmp sge i64 {least}, 0"))
            found.append(self._define(f"icmp slt i64 {most}, {size}"))
        return found

    def _jump(self, leap: str, entry: str, ticks: str) -> None:
        values = self._as_they_came() | {"leap": leap}
        values["fuel"] = self._define(f"sub i64 %fuel.0, {ticks}")
        values["px"], values["py"] = (self._half(entry, PLACE, half) for half in (0, 1))
        if self.hands:
            for half, name in enumerate(("hx", "hy")):
                values[name] = self._define(f"add i64 %{name}.0, {self._short(entry, HAND, half)}")
        target = self._define(f"inttoptr i64 {self._field(entry, CALLS)} to ptr")
        self._hand_over(target, values)

    # Recording -------------------------------------------------------------------------------

    def _recorded_tick(self, number: int, tree: Tree, tick: QuietTick) -> None:
        """A quiet tick that is performed while a leap is recorded."""
        self.posture = self.numbers[tree.key]
        before, self.lines = self.lines, []
        came = self._as_they_came()
        self._emit("  %fuelled = icmp ne i64 %fuel.0, 0")
        self._emit("  br i1 %fuelled, label %go, label %leave")
        self._emit("leave:")
        self._hand_over(f"@leave{self.posture}", came)
        self._emit("note:")
        self._hand_over(f"@note{self.posture}", came)
        self._emit("go:")
        ticks = self._define(f"sub i64 {self._define(self._word(FROM_FUEL))}, %fuel.0")
        self._go_on_if(self._define(f"icmp slt i64 {ticks}, {LONGEST_LEAP}"), True)
        if self.writes:
            place = self._passed(self._index_of(came))
            noted = self._define(f"load i8, ptr {place}")
            self._go_on_if(self._is_one(noted, RESTLESS), False)
            self._emit(f"  store i8 {self._define(f'or i8 {noted}, {WALKED}')}, ptr {place}")
            self._note_extent()
        there: dict[int, str] = {}
        for condition, answer in tick.turns:
            self._go_on_if(self._value(condition, there), answer)
        self._heed_bounds(tick)
        values = came | {"fuel": self._define("sub i64 %fuel.0, 1")}
        env = tick.goto.env
        values |= {"px": self._value(env.x, there), "py": self._value(env.y, there)}
        if self.hands:
            for name, move in zip(("hx", "hy"), tick.moves, strict=True):
                values[name] = self._define(f"add i64 %{name}.0, {move}")
        self._hand_over(self._next(self.numbers[tick.goto.key], values, "records"), values)
        body, self.lines = self.lines, before
        self._function_of(tree, f"record{number}", body)

    def _go_on_if(self, condition: str, answer: bool) -> None:
        """Else the leap ends before this tick."""
        self.count += 1
        go_on = f"on{self.count}"
        ways = (go_on, "note") if answer else ("note", go_on)
        self._emit(f"  br i1 {condition}, label %{ways[0]}, label %{ways[1]}")
        self._emit(f"{go_on}:")

    def _heed_bounds(self, tick: QuietTick) -> None:
        """Where the hand would come round an end the leap is over; how far it goes is noted."""
        height = self._define(self._word(Slot.HEIGHT)) if tick.bounds else ""
        for axis, offset, end in tick.bounds:
            at = self._define(f"add i64 %h{axis}.0, {offset}")
            limit = ("%width.0" if axis == "x" else height) if end else "0"
            inside = self._define(f"icmp {'slt' if end else 'sge'} i64 {at}, {limit}")
            self._go_on_if(inside, True)
        for axis, offset, end in tick.bounds:
            begun = FROM_HAND_X if axis == "x" else FROM_HAND_Y
            gone = self._define(f"sub i64 %h{axis}.0, {self._define(self._word(begun))}")
            here = self._define(f"add i64 {gone}, {offset}")
            least, most = (LEAST_X, MOST_X) if axis == "x" else (LEAST_Y, MOST_Y)
            word, further = (most, "sgt") if end else (least, "slt")
            before = self._define(self._word(word))
            is_further = self._define(f"icmp {further} i64 {here}, {before}")
            now = self._define(f"select i1 {is_further}, i64 {here}, i64 {before}")
            self._emit(f"  store i64 {now}, ptr {self._at(word)}")

    def _note(self, number: int) -> None:
        """The end of a leap: note it, and go on with the tick that does something."""
        self._begin_function(f"note{number}")
        came = self._as_they_came()
        target = self._next(number, came)
        called = self._define(f"ptrtoint ptr {target} to i64")
        if self.writes:
            place = self._passed(self._index_of(came))
            noted = self._define(f"load i8, ptr {place}")
            restless = self._is_one(noted, RESTLESS)
            again = self._define(f"ptrtoint ptr @again{number} to i64")
            called = self._define(f"select i1 {restless}, i64 {again}, i64 {called}")
            walked = self._define(f"or i8 {noted}, {WALKED}")
            now = self._define(f"select i1 {restless}, i8 {noted}, i8 {walked}")
            self._emit(f"  store i8 {now}, ptr {place}")
            self._note_extent()
        leap = self._define(self._word(FROM_ENTRY))
        entry = self._define(f"inttoptr i64 {leap} to ptr")
        tag = self._define(self._word(FROM_TAG))
        ticks = self._define(f"sub i64 {self._define(self._word(FROM_FUEL))}, %fuel.0")
        fields = {
            TAG: tag,
            MADE_IN: self._define(self._word(EPOCH)),
            CALLS: called,
            PLACE: self._packed(["%px.0", "%py.0"]),
            TICKS: ticks,
            HAND: self._packed(
                [self._gone("%hx.0", FROM_HAND_X), self._gone("%hy.0", FROM_HAND_Y)], 16
            ),
            BOUNDS: self._packed(
                [self._define(self._word(it)) for it in (LEAST_X, MOST_X, LEAST_Y, MOST_Y)], 16
            ),
            NEXT: leap,
        }
        for field, value in fields.items():
            self._emit(f"  store i64 {value}, ptr {self._in(entry, field)}")
        self._hand_over(target, came | {"leap": leap})
        self._emit("}")

    def _again(self, number: int) -> None:
        """Look what a cell holds now, and walk on."""
        self._begin_function(f"again{number}")
        came = self._as_they_came()
        self._hand_over(self._next(number, came), came)
        self._emit("}")

    def _note_extent(self) -> None:
        """Note how far right and down cells are marked."""
        for word, at in ((RIGHTMOST, "%px.0"), (LOWEST, "%py.0")):
            before = self._define(self._word(word))
            further = self._define(f"icmp sgt i64 {at}, {before}")
            now = self._define(f"select i1 {further}, i64 {at}, i64 {before}")
            self._emit(f"  store i64 {now}, ptr {self._at(word)}")

    def _is_one(self, noted: str, kinds: int) -> str:
        """Whether a cell is one of these kinds."""
        return self._define(f"icmp ne i8 {self._define(f'and i8 {noted}, {kinds}')}, 0")

    def _gone(self, at: str, begun: int) -> str:
        return self._define(f"sub i64 {at}, {self._define(self._word(begun))}")

    # New epochs ------------------------------------------------------------------------------

    def _put_cell(self, x: str, y: str, value: str) -> None:
        super()._put_cell(x, y, value)
        place = self._passed(self._index_of({"px": x, "py": y, "width": "%width.0"}))
        noted = self._define(f"load i8, ptr {place}")
        heeded = self._define(f"and i8 {noted}, {WALKED | CODE}")
        matters = self._define(f"icmp ne i8 {heeded}, 0")
        self.count += 1
        here = self.count
        self._emit(f"  br i1 {matters}, label %matters{here}, label %written{here}")
        self._emit(f"matters{here}:")
        walked = self._define(f"and i8 {noted}, {WALKED}")
        self._emit(f"  store i8 {self._define(f'add i8 {noted}, {walked}')}, ptr {place}")
        self._begin_epoch(self._define(f"zext i8 {walked} to i64"))
        code = self._define(f"zext i8 {self._define(f'and i8 {noted}, {CODE}')} to i64")
        before = self._define(self._word(CODE_WRITTEN))
        either = self._define(f"or i64 {before}, {code}")
        self._emit(f"  store i64 {either}, ptr {self._at(CODE_WRITTEN)}")
        self._emit(f"  br label %written{here}")
        self._emit(f"written{here}:")

    def _grow(self, height: str) -> None:
        super()._grow(height)
        if not all(tick.in_any_height for tick in self.quiet.values()):
            self._begin_epoch()

    def _begin_epoch(self, by: str = "1") -> None:
        later = self._define(f"add i64 {self._define(self._word(EPOCH))}, {by}")
        self._emit(f"  store i64 {later}, ptr {self._at(EPOCH)}")

    # Words -----------------------------------------------------------------------------------

    def _passed(self, index: str) -> str:
        """Where it is noted whether leaps pass a cell."""
        masked = self._define(f"and i64 {index}, {self._define(self._word(PASSED_MASK))}")
        at = self._define(f"add i64 {masked}, {self._define(self._word(PASSED))}")
        return self._define(f"inttoptr i64 {at} to ptr")

    def _in(self, entry: str, field: int) -> str:
        return self._define(f"getelementptr i8, ptr {entry}, i64 {field}")

    def _field(self, entry: str, field: int) -> str:
        return self._define(f"load i64, ptr {self._in(entry, field)}")

    def _half(self, entry: str, field: int, half: int) -> str:
        """One of a pair of numbers of 32 bits."""
        narrow = self._define(f"load i32, ptr {self._in(entry, field + 4 * half)}")
        return self._define(f"sext i32 {narrow} to i64")

    def _short(self, entry: str, field: int, which: int) -> str:
        """One of several numbers of 16 bits."""
        narrow = self._define(f"load i16, ptr {self._in(entry, field + 2 * which)}")
        return self._define(f"sext i16 {narrow} to i64")

    def _packed(self, numbers: list[str], bits: int = 32) -> str:
        """Numbers of so many bits in one of 64, as this machine reads them."""
        packed = "0"
        for at, number in enumerate(numbers):
            low = self._define(f"and i64 {number}, {(1 << bits) - 1}")
            moved = self._define(f"shl i64 {low}, {at * bits}")
            packed = self._define(f"or i64 {packed}, {moved}")
        return packed


def _ops(tree: Tree) -> list[tuple[object, ...]]:
    return [op for block in blocks(tree) for op in block.ops]
