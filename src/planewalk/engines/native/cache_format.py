"""The list of kept machine code as bytes, and back.

The format is plain: a line that names it, the length of what follows, facts as JSON, and behind
them the texts of the units. Reading it can make nothing but the data it is meant for, and all of it
is checked: whatever does not fit raises `Damaged`.

Facts are modes, stances, keys and units, each of which names those before by their numbers; stances
and keys come in columns, which are checked as a whole. Modes are plain data: None, numbers, text,
bytes, and tuples and sets of such; named tuples only of classes that are there already. Where a
mode is anything else, `NotPlain` is raised on the way out, and nothing is kept.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ..tracing.ir import Key, Register
from ..tracing.ops import WIDE, WORD
from .abi import UnitIR, WindowFacts

FORMAT = b"planewalk list 5\n"
LENGTH = 8
MOST_FACTS, MOST_BYTES = 4 << 20, 64 << 20
"""Bytes of facts, and of everything: no damage can make us read more."""
MOST_SLOTS = MOST_REGISTERS = 1 << 20
MOST = 1 << 62
MOST_FAR, MOST_SEEN = 1 << 16, 255
"""Cells between a hand and what code looks at through a window, and the numbers in them."""
SCALARS = frozenset({type(None), bool, int, float, str})


class NotPlain(Exception):
    """There is something in it that has no plain form."""


class Damaged(Exception):
    """It is not what was written."""


class Kept(NamedTuple):
    """One unit: how many rows it needs, the cells it was made from, by number or else by place if
    it sees them through a window, and whether it is true for that very number of rows."""

    written: UnitIR
    height: int
    touched: dict[Any, int]
    exact: bool = False
    window: WindowFacts | None = None


def dump(units: list[Kept]) -> bytes:
    """The list as bytes."""
    modes, stances, keys = _Table(1), _Table(5), _Table(3)

    def number_of_stance(stance: Stance) -> int:
        place = _all_plain(stance[:4])
        return stances.number([*place, modes.number([_to_plain(stance.mode)])])

    def number_of(key: Key) -> int:
        calls = [number_of_stance(call) for call in key.calls]
        return keys.number([number_of_stance(key.stance), key.depth, calls])

    try:
        rows = [[*_row(unit, number_of), _seen(unit.window, number_of_stance)] for unit in units]
        tables = [table.columns for table in (modes, stances, keys)]
        facts = json.dumps([*tables, rows], separators=(",", ":")).encode()
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits; deep nests
        raise NotPlain from error
    texts = [unit.written.text.encode() for unit in units]
    whole = b"".join([FORMAT, len(facts).to_bytes(LENGTH, "big"), facts, *texts])
    if len(facts) > MOST_FACTS or len(whole) > MOST_BYTES:
        raise NotPlain
    return zlib.compress(whole, 1)


class _Table:
    """Rows, each once, in columns. Told apart as text: 0 is not -0 there, and neither is False."""

    def __init__(self, width: int) -> None:
        self.columns: list[list[Any]] = [[] for _ in range(width)]
        self._numbers: dict[str, int] = {}

    def number(self, row: list[Any]) -> int:
        known = len(self._numbers)
        number = self._numbers.setdefault(repr(row), known)
        if number == known:
            for column, value in zip(self.columns, row, strict=True):
                column.append(value)
        return number


def _row(unit: Kept, number_of: Callable[[Key], int]) -> list[Any]:
    written, cells, values = unit.written, list(unit.touched), list(unit.touched.values())
    if unit.window is not None:
        cells = list(chain.from_iterable(cells))
    if not {*map(type, cells), *map(type, values)} <= {int}:
        raise NotPlain
    return [
        len(written.text.encode()),
        [number_of(key) for key in written.entries],
        list(written.entries.values()),
        [number_of(key) for key, _ in written.exits],
        [size for _, size in written.exits],
        sorted(written.spent),
        *written[4:-2],
        sorted(written.overflows),
        written.bits,
        unit.height,
        cells,
        values,
        unit.exact,
    ]


def _seen(window: WindowFacts | None, number_of: Callable[[Stance], int]) -> list[Any] | None:
    if window is None:
        return None
    may = None if window.may is None else sorted(map(number_of, window.may))
    edges, alive = window.edges, sorted(window.alive)
    return [list(edges), list(edges.values()), alive, window.furthest, window.highest, may]


def load(content: bytes) -> list[Kept]:
    """What `dump` has made bytes of."""
    try:
        whole = _inflate(content)
        facts, texts = _split(whole)
        table_of_modes, table_of_stances, table_of_keys, rows = _list(json.loads(facts), 4)
        modes = [_from_plain(mode) for mode in _list(_list(table_of_modes, 1)[0])]
        stances = _stances(table_of_stances, modes)
        keys = _keys(table_of_keys, stances)
        units = []
        for row in _list(rows):
            size = _whole(_list(row)[0], len(texts))
            text, texts = texts[:size].decode(), texts[size:]
            units.append(_unit(text, row, keys, stances))
    except (ValueError, IndexError, RecursionError, zlib.error) as error:
        raise Damaged(str(error)) from None
    if texts:
        raise Damaged("there is more than was written")
    return units


def _inflate(content: bytes) -> bytes:
    inflating = zlib.decompressobj()
    whole = inflating.decompress(content, MOST_BYTES)
    if not inflating.eof or inflating.unused_data:
        raise ValueError("it is cut off, or too long")
    return whole


def _split(whole: bytes) -> tuple[bytes, bytes]:
    """The facts, and the texts behind them."""
    begin = len(FORMAT) + LENGTH
    size = int.from_bytes(whole[len(FORMAT) : begin], "big")
    if not whole.startswith(FORMAT) or size > min(MOST_FACTS, len(whole) - begin):
        raise ValueError("another format")
    return whole[begin : begin + size], whole[begin + size :]


def _unit(text: str, row: list[Any], keys: list[Key], stances: list[Stance]) -> Kept:
    *facts, height, cells, values, exact, seen = _list(row, 20)
    _, entries, heads, exits, depths, spent, *numbers = facts
    floats, deep, low, slots, size, registers, stored, overflows, bits = numbers
    last = len(keys) - 1
    written = UnitIR(
        text,
        dict(zip([keys[key] for key in _wholes(entries, last)],
                 _wholes(heads, _last_head(text)), strict=True)),
        list(zip([keys[key] for key in _wholes(exits, last)], _wholes(depths), strict=True)),
        set(_wholes(spent, len(exits) - 1)),
        _bool(floats),
        _bool(deep),
        _whole(low),
        _whole(slots, MOST_SLOTS),
        _whole(size, len(text)),
        _registers(registers),
        _registers(stored),
        frozenset(_wholes(overflows, len(exits) - 1)),
        _bits(bits),
    )  # fmt: skip
    window = None if seen is None else _window(seen, written, stances)
    places: list[Any] = _wholes(cells) if window is None else _places(cells)
    touched = dict(zip(places, _wholes(values), strict=True))
    return Kept(written, _whole(height), touched, _bool(exact), window)


def _window(facts: Any, written: UnitIR, stances: list[Stance]) -> WindowFacts:
    exits, heads, alive, furthest, highest, may = _list(facts, 6)
    last = len(written.exits) - 1
    edges = zip(_wholes(exits, last), _wholes(heads, _last_head(written.text)), strict=True)
    let = None if may is None else {stances[at] for at in _wholes(may, len(stances) - 1)}
    return WindowFacts(
        dict(edges),
        set(_wholes(alive, last)),
        _whole(furthest, MOST_FAR),
        _whole(highest, 255),
        let,
    )


def _last_head(text: str) -> int:
    """The last place where code can be entered."""
    return text.count("\nenter") - 1


def _stances(table: Any, modes: list[Hashable]) -> list[Stance]:
    *places, numbers = _list(table, 5)
    if not {*map(type, chain.from_iterable(map(_list, places)))} <= {int, float}:
        raise ValueError("places are numbers")
    modes = [modes[number] for number in _wholes(numbers, len(modes) - 1)]
    return list(map(Stance, *_alike(*places, modes)))


def _keys(table: Any, stances: list[Stance]) -> list[Key]:
    numbers, depths, calls = _list(table, 3)
    last = len(stances) - 1
    _wholes([depth for depth in _list(depths) if depth is not None])
    standing = [stances[number] for number in _wholes(numbers, last)]
    called = [tuple(stances[call] for call in _wholes(row, last)) for row in _list(calls)]
    return list(map(Key, *_alike(standing, depths, called)))


# What each field must be -------------------------------------------------------------------------


def _list(value: Any, size: int | None = None) -> list[Any]:
    if type(value) is not list or (size is not None and len(value) != size):
        raise ValueError("a list was expected")
    return value


def _alike(*columns: list[Any]) -> tuple[list[Any], ...]:
    """Columns of one length."""
    if len(set(map(len, columns))) > 1:
        raise ValueError("columns of one length were expected")
    return columns


def _whole(value: Any, most: int = MOST) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("a whole number was expected")
    return value


def _bits(value: Any) -> int:
    if _whole(value) not in (WORD, WIDE):
        raise ValueError("a number of bits was expected")
    return int(value)


def _bool(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError("true or false was expected")
    return value


def _registers(value: Any) -> list[Register]:
    rows = [_list(row, 2) for row in _list(value)]
    if any(type(name) is not str for name, _ in rows):
        raise ValueError("names were expected")
    return [Register(name, _whole(number, MOST_REGISTERS)) for name, number in rows]


def _wholes(value: Any, most: int = MOST) -> list[int]:
    numbers = _list(value)
    if not set(map(type, numbers)) <= {int} or (numbers and not min(numbers) >= 0):
        raise ValueError("whole numbers were expected")
    if numbers and max(numbers) > most:
        raise ValueError("smaller numbers were expected")
    return numbers


def _places(value: Any) -> list[tuple[int, int]]:
    """Columns and rows by turns."""
    numbers = _list(value)
    if len(numbers) % 2 or not set(map(type, numbers)) <= {int}:
        raise ValueError("places were expected")
    if numbers and not -MOST <= min(numbers) <= max(numbers) <= MOST:
        raise ValueError("nearer places were expected")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


# Modes -------------------------------------------------------------------------------------------


def _to_plain(value: Any) -> Any:
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is tuple:
        return _all_plain(value)
    if kind is frozenset:
        return {"set": sorted(_all_plain(value), key=repr)}
    if kind is bytes:
        return {"bytes": value.hex()}
    if _named(kind.__module__, kind.__qualname__) is kind:
        return {"named": [kind.__module__, kind.__qualname__, _all_plain(value)]}
    raise NotPlain(kind.__qualname__)


def _all_plain(values: Iterable[Any]) -> list[Any]:
    return [_to_plain(value) for value in values]


def _from_plain(value: Any) -> Hashable:
    if type(value) in SCALARS:
        plain: Hashable = value
        return plain
    if type(value) is list:
        return tuple(map(_from_plain, value))
    if type(value) is not dict or len(value) != 1:
        raise ValueError("a mode was expected")
    ((form, content),) = value.items()
    if form == "set":
        return frozenset(map(_from_plain, _list(content)))
    if form == "bytes" and type(content) is str:
        return bytes.fromhex(content)
    if form == "named":
        module, name, values = _list(content, 3)
        kind = _named(module, name)
        if kind is not None and len(_list(values)) == len(kind._fields):
            named: Hashable = tuple.__new__(kind, map(_from_plain, values))
            return named
    raise ValueError("a mode was expected")


def _named(module: Any, name: Any) -> Any:
    """The class of named tuples that a module has under that name; it is not imported for it."""
    known = sys.modules.get(module) if type(module) is str else None
    found = None if known is None else vars(known).get(name)
    is_one = isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")
    return found if is_one else None
