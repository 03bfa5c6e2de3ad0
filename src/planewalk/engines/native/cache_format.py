"""Kept units as bytes, and back.

They are plain data: None, numbers, text, bytes, collections, and named tuples of classes that are
there already; reading them can make nothing else. A store gives back what was put there, which for
files an authentication code sees to (`apps/store.py`), and damage is noticed by zlib.

As JSON, everything but numbers and text is a list that begins with what it is. Named tuples stand
in rows, each once, with their fields; a row may refer to those before it.
"""

from __future__ import annotations

import json
import sys
import zlib
from typing import Any

from ...core.base.named import NamedTuple
from .abi import UnitIR, WindowFacts

FORMAT = b"planewalk unit 6\n"
SCALARS = frozenset({type(None), bool, int, float, str})
COLLECTIONS = {kind.__name__: kind for kind in (tuple, list, set, frozenset)}


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


def dump(unit: Kept) -> bytes:
    """A unit as bytes. Raises `NotPlain` if the modes of its walkers are anything else."""
    rows: dict[str, Any] = {}
    try:
        _plain(unit, rows)
        facts = json.dumps([*rows.values()], separators=(",", ":")).encode()
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits; deep nests
        raise NotPlain from error
    return FORMAT + zlib.compress(facts, 1)


def _plain(value: Any, rows: dict[str, Any]) -> Any:
    """A value as JSON has it. Rows are told apart as text: 0 is not -0 there, neither is False."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind is dict:
        return ["dict", *(_plain(item, rows) for item in value.items())]
    if kind in COLLECTIONS.values():
        items = [_plain(item, rows) for item in value]
        ordered = items if kind in (tuple, list) else sorted(items, key=repr)
        return [kind.__name__, *ordered]
    if _named(kind.__module__, kind.__qualname__) is not kind:
        raise NotPlain(kind.__qualname__)
    row = [kind.__module__, kind.__qualname__, *(_plain(item, rows) for item in value)]
    number = len(rows)
    return ["row", rows.setdefault(repr(row), [number, *row])[0]]


def load(content: bytes | None) -> Kept:
    """What `dump` has made bytes of."""
    if content is None or not content.startswith(FORMAT):
        raise Damaged("another format")
    made: list[Any] = []
    try:
        for _, module, name, *fields in json.loads(zlib.decompress(content[len(FORMAT) :])):
            kind = _named(module, name)
            made.append(tuple.__new__(kind, [_made(field, made) for field in fields]))
        unit: Kept = made[-1]
    except (zlib.error, ValueError, TypeError, LookupError, RecursionError) as error:
        raise Damaged(str(error)) from None
    return unit


def _made(value: Any, rows: list[Any]) -> Any:
    if type(value) is not list:
        return value
    kind, *items = value
    if kind == "row":
        return rows[items[0]]
    if kind == "bytes":
        return bytes.fromhex(items[0])
    made = (_made(item, rows) for item in items)
    return dict(made) if kind == "dict" else COLLECTIONS[kind](made)


def _named(module: Any, name: Any) -> Any:
    """The class of named tuples that a module has under that name; it is not imported for it."""
    found = getattr(sys.modules.get(module), name, None)
    is_one = isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")
    return found if is_one else None
