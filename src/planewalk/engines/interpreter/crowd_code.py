"""The interpreter of a language for several walkers that take turns.

The same functions of one tick as for one walker: each walker has fuel for a single tick, and what
is called next leaves at once, with all that has become of the walker in the words.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..native.abi import Slot
from .abi import CROWD, CROWD_SIZE, PLACE_X, PLACE_Y, TURN_OF
from .code import InterpreterParts
from .tick_calls import TickCalls

POSTURE = "posture"
WALKER = {POSTURE: None, "px": PLACE_X, "py": PLACE_Y, "hx": Slot.HAND_X, "hy": Slot.HAND_Y}
"""What is kept of each walker, in this order, and the words that machine code leaves it in."""
DONE, LEFT = 0, 1
"""All ticks have been made; or the reference engine must move the walker whose turn it is."""


class CrowdLoop:
    """Writes the loop over ticks and walkers around the functions of one tick."""

    def __init__(self, calls: TickCalls) -> None:
        self.calls, self.ir = calls, calls.ir

    def write(self) -> None:
        """Write `unit` for all walkers."""
        ir = self.ir
        ir.emit("define i64 @unit(ptr noalias %w, i64 %head) {")
        ir.emit("start:")
        for name, word in (("data", Slot.DATA), ("crowd", CROWD)):
            ir.emit(f"  %{name}.i = {ir.load(word)}")
            ir.emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        ir.emit(f"  %width.0 = {ir.load(Slot.WIDTH)}")
        ir.emit(f"  %size = {ir.load(CROWD_SIZE)}")
        ir.emit(f"  %ticks = {ir.load(Slot.FUEL)}")
        ir.emit(f"  %end = {ir.load(Slot.CLOCK)}")
        ir.emit("  br label %again")
        self._ticks()
        self._walker()
        ir.emit("}")

    def _ticks(self) -> None:
        self.ir.emit("again:")
        self.ir.emit("  %left = phi i64 [ %ticks, %start ], [ %fewer, %round ]")
        self.ir.emit("  %over = icmp eq i64 %left, 0")
        self.ir.emit("  br i1 %over, label %done, label %tick")
        self.ir.emit("done:")
        self._finish(DONE, "0")
        self.ir.emit("tick:")
        now = self.ir.define("sub i64 %end, %left")
        after = self.ir.define(f"add i64 {now}, 1")  # when a walker has used up its fuel
        self.ir.emit(f"  store i64 {after}, ptr {self.ir.at(Slot.CLOCK)}")
        self.ir.emit("  br label %turn")
        self.ir.emit("round:")
        self.ir.emit("  %fewer = sub i64 %left, 1")
        self.ir.emit("  br label %again")

    def _walker(self) -> None:
        self.ir.emit("turn:")
        self.ir.emit("  %index = phi i64 [ 0, %tick ], [ %next, %moved ]")
        first = self.ir.define(f"mul i64 %index, {len(WALKER)}")
        walker = self.ir.define(f"getelementptr i64, ptr %crowd, i64 {first}")
        places = {
            name: self.ir.define(f"getelementptr i64, ptr {walker}, i64 {at}")
            for at, name in enumerate(WALKER)
        }
        values = {name: self.ir.define(f"load i64, ptr {place}") for name, place in places.items()}
        posture = values.pop(POSTURE)
        values |= {"width": "%width.0", "fuel": "1"}
        values["depth"] = self.ir.define(self.ir.load(Slot.DEPTH))
        became = self._act(posture, values)
        unused = self.ir.define(self.ir.load(Slot.FUEL))
        acted = self.ir.define(f"icmp eq i64 {unused}, 0")
        self.ir.emit(f"  br i1 {acted}, label %moved, label %stays")
        self.ir.emit("stays:")
        self._finish(LEFT, "%index")
        self.ir.emit("moved:")
        for name, word in WALKER.items():
            value = became if word is None else self.ir.define(self.ir.load(word))
            self.ir.emit(f"  store i64 {value}, ptr {places[name]}")
        self.ir.emit("  %next = add i64 %index, 1")
        self.ir.emit("  %more = icmp slt i64 %next, %size")
        self.ir.emit("  br i1 %more, label %turn, label %round")

    def _act(self, posture: str, values: dict[str, str]) -> str:
        """Have a walker make its tick; gives the posture that it ends in."""
        labels = " ".join(f"i64 {n}, label %enter{n}" for n in self.calls.numbers.values())
        self.ir.emit(f"  switch i64 {posture}, label %elsewhere [ {labels} ]")
        ends = []
        for number in self.calls.numbers.values():
            self.ir.emit(f"enter{number}:")
            ends.append(f"[ {self.calls.call(number, values)}, %enter{number} ]")
            self.ir.emit("  br label %acted")
        self.ir.emit("elsewhere:")
        self.ir.emit("  unreachable")
        self.ir.emit("acted:")
        return self.ir.define(f"phi i64 {', '.join(ends)}")

    def _finish(self, how: int, whose: str) -> None:
        """Leave, and say how many ticks are left and whose turn it is."""
        self.ir.emit(f"  store i64 %left, ptr {self.ir.at(Slot.FUEL)}")
        self.ir.emit(f"  store i64 {whose}, ptr {self.ir.at(TURN_OF)}")
        self.ir.emit(f"  ret i64 {how}")


def write_loop(calls: TickCalls, questions: Mapping[int, str]) -> None:
    """Write `unit`; questions are for the interpreter of one walker."""
    CrowdLoop(calls).write()


TAKING_TURNS = InterpreterParts(words_handed=TURN_OF + 1 - Slot.SLOTS, write_entry=write_loop)
