"""The interpreter of a language for several walkers that take turns.

The same functions of one tick as for one walker: each walker has fuel for a single tick, and what
is called next leaves at once, with all that has become of the walker in the words.
"""

from __future__ import annotations

from typing import ClassVar

from ..native.abi import Slot
from .abi import CROWD, CROWD_SIZE, PLACE_X, PLACE_Y, TURN_OF
from .code import CALLED, InterpreterWriter

POSTURE = "posture"
WALKER = {POSTURE: None, "px": PLACE_X, "py": PLACE_Y, "hx": Slot.HAND_X, "hy": Slot.HAND_Y}
"""What is kept of each walker, in this order, and the words that machine code leaves it in."""
DONE, LEFT = 0, 1
"""All ticks have been made; or the walker whose turn it is must be moved by somebody else."""


class CrowdWriter(InterpreterWriter):
    """Writes the loop over ticks and walkers around the functions of one tick."""

    words_handed: ClassVar[int] = TURN_OF + 1 - Slot.SLOTS

    def _unit(self) -> None:
        self._emit("define i64 @unit(ptr noalias %w, i64 %head) {")
        self._emit("start:")
        for name, word in (("data", Slot.DATA), ("crowd", CROWD)):
            self._emit(f"  %{name}.i = {self._word(word)}")
            self._emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        self._emit(f"  %width.0 = {self._word(Slot.WIDTH)}")
        self._emit(f"  %size = {self._word(CROWD_SIZE)}")
        self._emit(f"  %ticks = {self._word(Slot.FUEL)}")
        self._emit(f"  %end = {self._word(Slot.CLOCK)}")
        self._emit("  br label %again")
        self._ticks()
        self._walker()
        self._emit("}")

    def _ticks(self) -> None:
        self._emit("again:")
        self._emit("  %left = phi i64 [ %ticks, %start ], [ %fewer, %round ]")
        self._emit("  %over = icmp eq i64 %left, 0")
        self._emit("  br i1 %over, label %done, label %tick")
        self._emit("done:")
        self._finish(DONE, "0")
        self._emit("tick:")
        now = self._define("sub i64 %end, %left")
        after = self._define(f"add i64 {now}, 1")  # when a walker has used up its fuel
        self._emit(f"  store i64 {after}, ptr {self._at(Slot.CLOCK)}")
        self._emit("  br label %turn")
        self._emit("round:")
        self._emit("  %fewer = sub i64 %left, 1")
        self._emit("  br label %again")

    def _walker(self) -> None:
        self._emit("turn:")
        self._emit("  %index = phi i64 [ 0, %tick ], [ %next, %moved ]")
        first = self._define(f"mul i64 %index, {len(WALKER)}")
        walker = self._define(f"getelementptr i64, ptr %crowd, i64 {first}")
        places = {
            name: self._define(f"getelementptr i64, ptr {walker}, i64 {at}")
            for at, name in enumerate(WALKER)
        }
        values = {name: self._define(f"load i64, ptr {place}") for name, place in places.items()}
        posture = values.pop(POSTURE)
        values |= {"width": "%width.0", "fuel": "1"}
        values["depth"] = self._define(self._word(Slot.DEPTH))
        became = self._act(posture, values)
        unused = self._define(self._word(Slot.FUEL))
        acted = self._define(f"icmp eq i64 {unused}, 0")
        self._emit(f"  br i1 {acted}, label %moved, label %stays")
        self._emit("stays:")
        self._finish(LEFT, "%index")
        self._emit("moved:")
        for name, word in WALKER.items():
            value = became if word is None else self._define(self._word(word))
            self._emit(f"  store i64 {value}, ptr {places[name]}")
        self._emit("  %next = add i64 %index, 1")
        self._emit("  %more = icmp slt i64 %next, %size")
        self._emit("  br i1 %more, label %turn, label %round")

    def _act(self, posture: str, values: dict[str, str]) -> str:
        """Have a walker make its tick; gives the posture that it ends in."""
        labels = " ".join(f"i64 {n}, label %enter{n}" for n in self.numbers.values())
        self._emit(f"  switch i64 {posture}, label %elsewhere [ {labels} ]")
        ends = []
        for number in self.numbers.values():
            self._emit(f"enter{number}:")
            target = self._next(number, values)
            end = self._define(f"call {CALLED} i64 {target}({self._arguments(values)})")
            ends.append(f"[ {end}, %enter{number} ]")
            self._emit("  br label %acted")
        self._emit("elsewhere:")
        self._emit("  unreachable")
        self._emit("acted:")
        return self._define(f"phi i64 {', '.join(ends)}")

    def _finish(self, how: int, whose: str) -> None:
        """Leave, and say how many ticks are left and whose turn it is."""
        self._emit(f"  store i64 %left, ptr {self._at(Slot.FUEL)}")
        self._emit(f"  store i64 {whose}, ptr {self._at(TURN_OF)}")
        self._emit(f"  ret i64 {how}")
