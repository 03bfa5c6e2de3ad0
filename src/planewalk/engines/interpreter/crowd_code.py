"""The interpreter of a language for several walkers that take turns.

The same functions of one tick as for one walker: each walker has fuel for a single tick, and what
is called next leaves at once, with all that has become of the walker in the words.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..native.abi import Slot
from .abi import CROWD, CROWD_SIZE, PLACE_X, PLACE_Y, TURN_OF
from .code import InterpreterParts, TickCalls

WALKER = {"posture": None, "px": PLACE_X, "py": PLACE_Y, "hx": Slot.HAND_X, "hy": Slot.HAND_Y}
"""What is kept of each walker, in this order, and the words that machine code leaves it in."""
DONE, LEFT = 0, 1
"""All ticks have been made; or the reference engine must move the walker whose turn it is."""


READ = {
    "data.i": Slot.DATA, "crowd.i": CROWD, "width.0": Slot.WIDTH, "size": CROWD_SIZE,
    "ticks": Slot.FUEL, "end": Slot.CLOCK,
}  # fmt: skip
TICKS = """\
  %data = inttoptr i64 %data.i to ptr
  %crowd = inttoptr i64 %crowd.i to ptr
  br label %again
again:
  %left = phi i64 [ %ticks, %start ], [ %fewer, %round ]
  %over = icmp eq i64 %left, 0
  br i1 %over, label %done, label %tick
round:
  %fewer = sub i64 %left, 1
  br label %again
tick:
  %now = sub i64 %end, %left
  %after = add i64 %now, 1
  store i64 %after, ptr {clock}
  br label %turn
turn:
  %index = phi i64 [ 0, %tick ], [ %next, %moved ]
  %first = mul i64 %index, {length}
  %walker = getelementptr i64, ptr %crowd, i64 %first"""
"""Each walker acts with fuel for one tick, and the clock says when it has used that up."""


def write_loop(calls: TickCalls, questions: Mapping[int, str]) -> None:
    """Write `unit`, the loop over ticks and walkers around the functions of one tick; questions are
    for the interpreter of one walker."""
    ir, emit, define = calls.ir, calls.ir.emit, calls.ir.define
    emit("define i64 @unit(ptr noalias %w, i64 %head) {\nstart:")
    for name, word in READ.items():
        emit(f"  %{name} = {ir.load(word)}")
    emit(TICKS.format(clock=ir.at(Slot.CLOCK), length=len(WALKER)))
    places = [
        define(f"getelementptr i64, ptr %walker, i64 {number}") for number in range(len(WALKER))
    ]
    posture, *others = [define(f"load i64, ptr {place}") for place in places]
    values = dict(zip([*WALKER][1:], others, strict=True)) | {"width": "%width.0", "fuel": "1"}
    values["depth"] = define(ir.load(Slot.DEPTH))
    labels = " ".join(f"i64 {number}, label %enter{number}" for number in calls.numbers.values())
    emit(f"  switch i64 {posture}, label %elsewhere [ {labels} ]\nelsewhere:\n  unreachable")
    ends = []
    for number in calls.numbers.values():
        emit(f"enter{number}:")
        ends.append(f"[ {calls.call(number, values)}, %enter{number} ]")
        emit("  br label %acted")
    emit(f"acted:\n  %became = phi i64 {', '.join(ends)}")
    emit(f"  %unused = {ir.load(Slot.FUEL)}\n  %moves = icmp eq i64 %unused, 0")
    emit("  br i1 %moves, label %moved, label %stays\nmoved:")
    for left_in, place in zip(WALKER.values(), places, strict=True):
        value = "%became" if left_in is None else define(ir.load(left_in))
        emit(f"  store i64 {value}, ptr {place}")
    emit("  %next = add i64 %index, 1\n  %more = icmp slt i64 %next, %size")
    emit("  br i1 %more, label %turn, label %round")
    for label, how, whose in (("done", DONE, "0"), ("stays", LEFT, "%index")):
        emit(f"{label}:")
        emit(f"  store i64 %left, ptr {ir.at(Slot.FUEL)}")
        emit(f"  store i64 {whose}, ptr {ir.at(TURN_OF)}\n  ret i64 {how}")
    emit("}")


TAKING_TURNS = InterpreterParts(words_handed=TURN_OF + 1 - Slot.SLOTS, write_entry=write_loop)
