"""Superinstructions and the interpreter as one, without coming back to Python in between.

What is no superinstruction the interpreter performs: one tick, or twice as many as the last time if
there was little between two such. It can be called wherever the interpreter can be.
"""

from __future__ import annotations

from typing import Any

from ...native.abi import Slot
from ...native.machine_code import Store, assemble, keep, recall, titled
from ..abi import *
from .layout import BEGINS

LEAST_GAIN, DEAR = 32, 4
"""Ticks that superinstructions must have gone on for, and times as many as were recorded."""
MOST_PATIENCE = 1 << 12


def _word(name: str, slot: int, kind: str = "i64") -> str:
    at = f"  %{name}.at = getelementptr i64, ptr %w, i64 {int(slot)}"
    return f"{at}\n  %{name} = load {kind}, ptr %{name}.at"


BUFFERS = {
    "data": Slot.DATA, "marks": MARKS, "rows": TICK_ROWS, "supers": SUPERS, "lookup": LOOKUP,
    "notebook": NOTEBOOK, "code": TEMPLATES, "output": Slot.OUTPUT, "attend": ATTEND_CODE,
    "interpreter": INTERPRETER_CODE,
}  # fmt: skip
_LOADS = "\n".join(_word(name, slot, "ptr") for name, slot in BUFFERS.items())


def _given(*names: str) -> str:
    return ", ".join(f"ptr %{name}" for name in names)


_ATTENDED = _given("w", "data", "marks", "rows", "supers", "lookup", "notebook", "code")
_PERFORMED = _given("w", "data", "marks", "supers", "output")

DRIVER = f"""
define i64 @unit(ptr %w, i64 %head) {{
start:
{_LOADS}
  %fuel.at = getelementptr i64, ptr %w, i64 {int(Slot.FUEL)}
  %clock.at = getelementptr i64, ptr %w, i64 {int(Slot.CLOCK)}
  %recorded.at = getelementptr i64, ptr %w, i64 {RECORDED}
  %wants.at = getelementptr i64, ptr %w, i64 {WANTS_FUEL}
  %patience.at = getelementptr i64, ptr %w, i64 {PATIENCE}
  br label %go
go:
  %posture = phi i64 [ %head, %start ], [ %end, %stays ]
  %fuel = load i64, ptr %fuel.at
  br label %look
look:
  %why = phi i64 [ {BEGINS}, %go ], [ %stopped.for, %act ]
  %there = call i64 %attend({_ATTENDED}, i64 %why, i64 %posture)
  %goes.on = icmp slt i64 %there, 0
  br i1 %goes.on, label %act, label %arrived
act:
{_word("perform", CALLED, "ptr")}
  %stopped.for = call i64 %perform({_PERFORMED})
  br label %look
arrived:
  %left = load i64, ptr %fuel.at
  %over = icmp eq i64 %left, 0
  br i1 %over, label %leave, label %interpret
interpret:
  %gone = sub i64 %fuel, %left
  %recorded = load i64, ptr %recorded.at
  %price = mul i64 %recorded, {DEAR}
  %due = add i64 %price, {LEAST_GAIN}
  %poor = icmp slt i64 %gone, %due
  %patience = load i64, ptr %patience.at
  %twice = shl i64 %patience, 1
  %longer = call i64 @llvm.smin.i64(i64 %twice, i64 {MOST_PATIENCE})
  %patience.now = select i1 %poor, i64 %longer, i64 1
  store i64 %patience.now, ptr %patience.at
  %wants = load i64, ptr %wants.at
  %short = icmp ne i64 %wants, 0
  %some = call i64 @llvm.smin.i64(i64 %left, i64 %patience.now)
  %limit = select i1 %short, i64 %left, i64 %some
  %kept = sub i64 %left, %limit
  %clock = load i64, ptr %clock.at
  %clock.then = sub i64 %clock, %kept
  store i64 %clock.then, ptr %clock.at
  store i64 %limit, ptr %fuel.at
  %end = call i64 %interpreter(ptr %w, i64 %there)
  %after = load i64, ptr %fuel.at
  %fuel.now = add i64 %after, %kept
  store i64 %fuel.now, ptr %fuel.at
  store i64 %clock, ptr %clock.at
  %stops = icmp ne i64 %after, 0
  br i1 %stops, label %leave, label %stays
stays:
  %spent = icmp eq i64 %fuel.now, 0
  br i1 %spent, label %leave, label %go
leave:
  %last = phi i64 [ %there, %arrived ], [ %end, %interpret ], [ %end, %stays ]
  ret i64 %last
}}
declare i64 @llvm.smin.i64(i64, i64)
"""
_DRIVER: list[tuple[Any, Any]] = []


def driver(store: Store | None, make: bool = True) -> Any:
    """One for the whole process, kept between runs; None if it is not there, and not to be made."""
    if not _DRIVER and make:
        _DRIVER.append(assemble(DRIVER, store and titled(store, "driver")))
    elif not _DRIVER and store is not None:
        _DRIVER.extend(filter(None, [recall(DRIVER, store)]))
    return _DRIVER[0][1] if _DRIVER else None


def keep_driver(store: Store) -> None:
    """Have it in a store."""
    keep(DRIVER, titled(store, "driver"), None)
