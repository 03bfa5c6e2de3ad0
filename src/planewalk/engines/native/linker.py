"""Machine code that goes on in other machine code, without coming back to Python in between."""

from __future__ import annotations

import ctypes
from typing import Any

from ..tracing.ir import Key
from .abi import OUTPUT_ROOM, Slot
from .llvm import Store, assemble
from .unit import NativeUnit

COLUMNS = 3
"""Of the table that the driver works with: code, links, and ticks."""
NOWHERE = -1

DRIVER = f"""
define i64 @unit(ptr %w, ptr %table, i64 %first, i64 %entry) {{
start:
  %fuel = getelementptr i64, ptr %w, i64 {Slot.FUEL:d}
  br label %loop
loop:
  %number = phi i64 [ %first, %start ], [ %next, %on ]
  %head = phi i64 [ %entry, %start ], [ %there, %on ]
  %row = mul i64 %number, {COLUMNS}
  %code.at = getelementptr i64, ptr %table, i64 %row
  %code = load ptr, ptr %code.at
  %before = load i64, ptr %fuel
  %end = call i64 %code(ptr %w, i64 %head)
  %after = load i64, ptr %fuel
  %used = sub i64 %before, %after
  %ticks.at = getelementptr i64, ptr %code.at, i64 2
  %ticks = load i64, ptr %ticks.at
  %more = add i64 %ticks, %used
  store i64 %more, ptr %ticks.at
  %links.at = getelementptr i64, ptr %code.at, i64 1
  %links = load ptr, ptr %links.at
  %link.at = getelementptr i64, ptr %links, i64 %end
  %link = load i64, ptr %link.at
  %linked = icmp ne i64 %link, {NOWHERE}
  %moved = icmp ne i64 %used, 0
  %goes.on = and i1 %linked, %moved
  br i1 %goes.on, label %on, label %leave
on:
  %next = lshr i64 %link, 32
  %there = and i64 %link, {(1 << 32) - 1}
  br label %loop
leave:
  %where = shl i64 %number, 32
  %result = or i64 %where, %end
  ret i64 %result
}}
"""
"""Runs one unit after the other, as long as they move and another begins where one has left."""

PROTOTYPE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
)


_DRIVER: list[tuple[Any, Any]] = []


def driver(store: Store | None) -> tuple[Any, Any]:
    """The driver's owner, and the driver: one for the whole process, kept between runs."""
    if not _DRIVER:
        _DRIVER.append(assemble(DRIVER, store, prototype=PROTOTYPE))
    return _DRIVER[0]


class Chain:
    """Units of one program that work on one block of words, and where each leads to."""

    def __init__(self, natives: dict[Key, NativeUnit], store: Store | None = None) -> None:
        units = [unit for unit in dict.fromkeys(natives.values()) if type(unit) is NativeUnit]
        self.units = [unit for unit in units if not unit.deep]
        self._numbers = {id(unit): number for number, unit in enumerate(self.units)}
        self._links = [self._links_of(unit, natives) for unit in self.units]
        self.registers = sorted({register for unit in units for register in unit.registers})
        self.stored = sorted({register for unit in units for register in unit.stored})
        self.linked = any(link != NOWHERE for links in self._links for link in links)
        if not self.linked:
            return
        words = (ctypes.c_int64 * max(len(unit.words) for unit in self.units))()
        output = ctypes.create_string_buffer(OUTPUT_ROOM)
        self._table = (ctypes.c_int64 * (COLUMNS * len(self.units)))()
        for number, unit in enumerate(self.units):
            unit.work_on(words, output)
            code = ctypes.cast(unit.call, ctypes.c_void_p).value or 0
            self._table[COLUMNS * number] = code
            self._table[COLUMNS * number + 1] = ctypes.addressof(self._links[number])
        _, self._drive = driver(store)

    def _links_of(self, unit: NativeUnit, natives: dict[Key, NativeUnit]) -> Any:
        links = (ctypes.c_int64 * len(unit.exits))()
        for end, (key, _) in enumerate(unit.exits):
            links[end] = NOWHERE
            other = natives.get(key)
            if other is None or other is unit or end in unit.spent:
                continue
            if id(other) in self._numbers and other.low == unit.low:
                links[end] = self._numbers[id(other)] << 32 | other.entries[key]
        return links

    def __contains__(self, unit: NativeUnit) -> bool:
        return id(unit) in self._numbers

    def run(self, unit: NativeUnit, head: int) -> tuple[NativeUnit, int]:
        """Run from one unit's head on; gives the unit that was left at last, and by which exit."""
        words, table = ctypes.addressof(unit.words), ctypes.addressof(self._table)
        result = self._drive(words, table, self._numbers[id(unit)], head)
        for number, other in enumerate(self.units):
            ticks = COLUMNS * number + 2
            other.all_ticks += self._table[ticks]
            self._table[ticks] = 0
        return self.units[result >> 32], result & (1 << 32) - 1
