"""Mixed mode: interpreter and compiled code as one, without coming back to Python in between.

Compiled code leaves for whatever it was not made for, and the interpreter goes on from there; where
compiled code begins, the interpreter leaves for it. Both work on one block of words, and look at
the same marks of cells: whoever writes one that matters to the other leaves that to the
interpreter, which takes leaps back, and tells of code that is no longer true.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any

from ..addresses import address_of_code
from ..keeping import HEIGHT, Keeping
from ..native.abi import Slot
from ..native.linker import NOWHERE
from ..native.llvm import Store, assemble
from ..native.unit import NativeUnit
from ..tracing.ir import Key
from ..tracing.ops import WORD
from .abi import CODE_WRITTEN, EPOCH, MOST_POSTURES, PASSED, PLACE_X, PLACE_Y, posture_of
from .leap_table import HEAD

INTERPRETER, TICKS, HEADS, HEADS_MASK, UNITS = range(5)
"""Of the table that the driver works with: the interpreter's code, the ticks it had, and where
heads of compiled code are looked up; then the units, each with ..."""
CODE, LINKS, PLACES, RAN, COLUMNS = range(5)
"""... its code, for each exit the unit that goes on there, and where the interpreter does; and the
ticks it had."""
SPREAD = 1021
"""How far apart postures at one cell are looked up."""


def _address(name: str, base: str, at: int | str) -> str:
    return f"  %{name}.at = getelementptr i64, ptr {base}, i64 {at}"


def _load(name: str, base: str, at: int | str, kind: str = "i64") -> str:
    return f"{_address(name, base, at)}\n  %{name} = load {kind}, ptr %{name}.at"


DRIVER = f"""
define i64 @unit(ptr %w, ptr %table, i64 %entry) {{
start:
{_address("fuel", "%w", Slot.FUEL)}
{_address("height", "%w", Slot.HEIGHT)}
{_address("depth", "%w", Slot.DEPTH)}
{_address("x", "%w", PLACE_X)}
{_address("y", "%w", PLACE_Y)}
{_address("written", "%w", CODE_WRITTEN)}
{_address("epoch", "%w", EPOCH)}
{_load("width", "%w", Slot.WIDTH)}
{_load("passed", "%w", PASSED, "ptr")}
{_load("interpreter", "%table", INTERPRETER, "ptr")}
{_address("ticks", "%table", TICKS)}
{_load("heads", "%table", HEADS, "ptr")}
{_load("mask", "%table", HEADS_MASK)}
  br label %arrive
interpret:
  %posture = phi i64 [ %stands, %no.code ], [ %begun, %elsewhere ], [ %end, %stays ]
  %before = load i64, ptr %fuel.at
  %end = call i64 %interpreter(ptr %w, i64 %posture)
  %after = load i64, ptr %fuel.at
  %used = sub i64 %before, %after
  %ticks = load i64, ptr %ticks.at
  %more = add i64 %ticks, %used
  store i64 %more, ptr %ticks.at
  %goes = icmp ne i64 %used, 0
  %fuelled = icmp ne i64 %after, 0
  %written = load i64, ptr %written.at
  %true = icmp eq i64 %written, 0
  %fine = and i1 %goes, %fuelled
  %goes.on = and i1 %fine, %true
  br i1 %goes.on, label %arrive, label %stays
stays:
  %leapt = icmp uge i64 %posture, {MOST_POSTURES}
  %at.once = icmp eq i64 %used, 0
  %walks = and i1 %leapt, %at.once
  br i1 %walks, label %interpret, label %leave
arrive:
  %stands = phi i64 [ %entry, %start ], [ %end, %interpret ]
  %first = phi i1 [ 1, %start ], [ 0, %interpret ]
  %x = load i64, ptr %x.at
  %y = load i64, ptr %y.at
  %row = mul i64 %y, %width
  %index = add i64 %row, %x
  %scaled = mul i64 %index, {MOST_POSTURES}
  %named = add i64 %scaled, %stands
  %tag = add i64 %named, 1
  %shift = mul i64 %stands, {SPREAD}
  %begin = add i64 %index, %shift
  br label %probe
probe:
  %slot = phi i64 [ %begin, %arrive ], [ %following, %next ]
  %room = and i64 %slot, %mask
  %pair = shl i64 %room, 1
{_load("known", "%heads", "%pair")}
  %same = icmp eq i64 %known, %tag
  br i1 %same, label %found, label %other
other:
  %none = icmp eq i64 %known, 0
  br i1 %none, label %no.code, label %next
next:
  %following = add i64 %slot, 1
  br label %probe
found:
{_load("value", "%known.at", 1)}
  %depth = load i64, ptr %depth.at
  %deep = icmp ne i64 %depth, 0
  br i1 %deep, label %no.code, label %compiled
no.code:
  %noted.at = getelementptr i8, ptr %passed, i64 %index
  %noted = load i8, ptr %noted.at
  %head = and i8 %noted, {HEAD}
  %in.vain = icmp ne i8 %head, 0
  %again = or i1 %first, %in.vain
  br i1 %again, label %interpret, label %leave
compiled:
  %link = phi i64 [ %value, %found ], [ %linked, %compiled ]
  %number = lshr i64 %link, 32
  %entered = and i64 %link, {(1 << 32) - 1}
  %column = mul i64 %number, {COLUMNS}
  %unit = getelementptr i64, ptr %table, i64 %column
{_load("code", "%unit", UNITS + CODE, "ptr")}
  %fuel.before = load i64, ptr %fuel.at
  %rows.before = load i64, ptr %height.at
  %exit = call i64 %code(ptr %w, i64 %entered)
  %fuel.after = load i64, ptr %fuel.at
  %spent = sub i64 %fuel.before, %fuel.after
{_load("ran", "%unit", UNITS + RAN)}
  %ran.longer = add i64 %ran, %spent
  store i64 %ran.longer, ptr %ran.at
  %rows.after = load i64, ptr %height.at
  %grew = icmp ne i64 %rows.before, %rows.after
  %growth = zext i1 %grew to i64
  %epoch = load i64, ptr %epoch.at
  %later = add i64 %epoch, %growth
  store i64 %later, ptr %epoch.at
{_load("links", "%unit", UNITS + LINKS, "ptr")}
{_load("linked", "%links", "%exit")}
  %is.linked = icmp ne i64 %linked, {NOWHERE}
  %went = icmp ne i64 %spent, 0
  %leads.on = and i1 %is.linked, %went
  br i1 %leads.on, label %compiled, label %elsewhere
elsewhere:
{_load("places", "%unit", UNITS + PLACES, "ptr")}
  %triple = mul i64 %exit, 3
{_load("to.x", "%places", "%triple")}
  store i64 %to.x, ptr %x.at
{_load("to.y", "%to.x.at", 1)}
  store i64 %to.y, ptr %y.at
{_load("there", "%to.x.at", 2)}
  %begun = add i64 %there, {MOST_POSTURES}
  br label %interpret
leave:
  %left = phi i64 [ %end, %stays ], [ %stands, %no.code ]
  ret i64 %left
}}
"""
"""Where a walker arrives, compiled code goes on if it begins there, and leads on to other code.
Elsewhere the interpreter goes on, which arrives at heads, also in other postures than theirs."""

PROTOTYPE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
)  # fmt: skip
_DRIVER: list[tuple[Any, Any]] = []


def driver(store: Store | None) -> Any:
    """One for the whole process, kept between runs."""
    if not _DRIVER:
        _DRIVER.append(assemble(DRIVER, store, prototype=PROTOTYPE))
    return _DRIVER[0][1]


class UnitExits:
    """The exits of a unit: where the interpreter goes on, and which lead to a place."""

    def __init__(self, unit: NativeUnit, postures: Mapping[Key, int]) -> None:
        stances = [key.stance for key, _ in unit.exits]
        places = [it for at in stances for it in (at.x, at.y, postures[posture_of(at)])]
        self.places = (ctypes.c_int64 * len(places))(*places)
        self.leading_to: dict[Key, list[int]] = {}
        for end, (key, _) in enumerate(unit.exits):
            if end not in unit.spent and key not in unit.entries:
                self.leading_to.setdefault(key, []).append(end)

    def links(self, entries: Mapping[Key, int], count: int) -> Any:
        """For each exit, where other compiled code begins."""
        links = (ctypes.c_int64 * count)(*[NOWHERE] * count)
        for key in entries.keys() & self.leading_to.keys():
            for end in self.leading_to[key]:
                links[end] = entries[key]
        return links


class MixedMode:
    """The compiled code of a run that an interpreter knows of."""

    def __init__(self, postures: Mapping[Key, int], keeping: Keeping, store: Store | None) -> None:
        """`postures` are those in which the interpreter can be entered."""
        self.postures, self.keeping = postures, keeping
        self._drive = driver(store)
        self._exits: dict[NativeUnit, UnitExits | None] = {}
        """Of units that were here before; none of those that cannot be."""
        self._units: list[NativeUnit] = []
        self._arrays: list[Any] = []  # held as long as machine code reads them
        self.heads: set[int] = set()
        """The cells where compiled code begins."""

    def know(self, natives: Mapping[Key, NativeUnit]) -> bool:
        """From now on there is this compiled code; says whether any of it can be mixed."""
        every = dict.fromkeys(natives.values())
        self._exits = {unit: self._exits_of(unit) for unit in every}
        units = {unit: exits for unit, exits in self._exits.items() if exits is not None}
        numbers = {unit: number for number, unit in enumerate(units)}
        entries = {
            key: numbers[unit] << 32 | unit.entries[key]
            for key, unit in natives.items()
            if unit in numbers and key.depth in (0, None) and not key.calls
        }
        self._units = [*units]
        self._table = (ctypes.c_int64 * (UNITS + COLUMNS * len(units)))()
        self._arrays = []
        for number, (unit, exits) in enumerate(units.items()):
            row = UNITS + COLUMNS * number
            self._table[row + CODE] = address_of_code(unit.call)
            self._table[row + LINKS] = self._hold(exits.links(entries, len(unit.exits)))
            self._table[row + PLACES] = self._hold(exits.places)
        self._look_up(entries)
        return bool(units)

    def _exits_of(self, unit: NativeUnit) -> UnitExits | None:
        known = self._exits.get(unit)
        if known is None and unit not in self._exits and _mixes(unit, self.postures):
            return UnitExits(unit, self.postures)
        return known

    def _hold(self, numbers: Any) -> int:
        self._arrays.append(numbers)
        return ctypes.addressof(numbers)

    def _look_up(self, entries: Mapping[Key, int]) -> None:
        """A table with twice as much room as there are heads, at least."""
        self.heads = set()
        size = 1 << (2 * len(entries)).bit_length()
        slots = (ctypes.c_int64 * (2 * size))()
        for key, value in entries.items():
            posture = self.postures.get(posture_of(key.stance))
            if posture is None:
                continue
            index = self.keeping.index(*key.stance[:2])
            slot = index + SPREAD * posture & size - 1
            while slots[2 * slot]:
                slot = slot + 1 & size - 1
            slots[2 * slot], slots[2 * slot + 1] = index * MOST_POSTURES + posture + 1, value
            self.heads.add(index)
        self._table[HEADS], self._table[HEADS_MASK] = self._hold(slots), size - 1

    def run(self, interpreter: Any, words: Any, entry: int) -> int:
        """Run from a posture on; gives the one in which it was left."""
        words[Slot.CODE] = words[PASSED]
        self._table[INTERPRETER] = address_of_code(interpreter)
        table = ctypes.addressof(self._table)
        posture: int = self._drive(ctypes.addressof(words), table, entry)
        return posture

    def count_ticks(self) -> Iterator[NativeUnit]:
        """The units that have run since this was asked last, by whose ticks they now know."""
        for number, unit in enumerate(self._units):
            ran = UNITS + COLUMNS * number + RAN
            if self._table[ran]:
                unit.all_ticks += self._table[ran]
                self._table[ran] = 0
                yield unit

    def take_interpreted(self) -> int:
        """The ticks that the interpreter had since this was asked last."""
        ticks: int = self._table[TICKS]
        self._table[TICKS] = 0
        return ticks


def _mixes(unit: NativeUnit, postures: Mapping[Key, int]) -> bool:
    """Whether a unit sees no more than the interpreter's block of words has."""
    return (
        type(unit) is NativeUnit
        and unit.bits == WORD
        and unit.armed is None
        and HEIGHT not in unit.touched  # which others may change
        and not (unit.floats or unit.deep or unit.registers or unit.low)
        and unit.written.slots <= 1
        and all(not key.calls and posture_of(key.stance) in postures for key, _ in unit.exits)
    )
