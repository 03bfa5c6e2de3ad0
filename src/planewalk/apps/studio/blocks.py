"""Blocks of a moment of a run: moved, turned, and pushed aside by new rows and columns.

What is on the plane now is known here alone: the browser sees a part of it, as signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ...core.base.deadline import Turnstile
from ...core.errors import OptionError
from ...core.plane import Box
from ...debug.session import Session
from ...view.language.turning import TURNS, blank_of, counterparts, turned_place
from .editing import value_of

Cells = dict[tuple[int, int], int]
Sides = Sequence[int]
"""Left, top, right and bottom, as in messages."""
MOST_CELLS = 1 << 20


def changed_cells(walk: Session, wanted: dict[str, Any]) -> Cells:
    """The cells that a change of a block changes: `carry` and `turn` a `box`, insert or delete
    `lines`."""
    if not walk.state.plane.writable:
        raise OptionError("this plane never changes while it runs; change the program instead")
    if "lines" in wanted:
        return _changed(walk, _lined(walk, *wanted["lines"]))
    if "box" not in wanted or not ("turn" in wanted or "carry" in wanted):
        raise OptionError("a block is a `box` to `turn` or `carry`, or `lines`")
    if "turn" in wanted:
        return _changed(walk, _turned(walk, wanted["box"], wanted["turn"]))
    dx, dy = wanted["carry"]
    return _changed(walk, _carried(walk, wanted["box"], dx, dy, wanted.get("copy", False)))


def turn_words(walk: Session, wanted: dict[str, Any]) -> str:
    """Words about signs of a turned block that have no exact counterpart; empty if nothing is
    turned."""
    if wanted.get("turn") not in TURNS or "box" not in wanted or "lines" in wanted:
        return ""
    found = counterparts(walk.language, wanted["turn"])
    signs = ((x, y, _sign(walk, x, y)) for x, y in _places(walk, wanted["box"]))
    lost = [f"{sign} at {x},{y}" for x, y, sign in signs if sign in found and not found[sign].exact]
    if not lost:
        return "turned"
    more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
    return f"turned; no sign does exactly the same as {', '.join(lost[:3])}{more} then"


def _check_size(box: Sides) -> None:
    left, top, right, bottom = box
    if (right + 1 - left) * (bottom + 1 - top) > MOST_CELLS or right < left or bottom < top:
        raise OptionError(f"a block has from 1 to {MOST_CELLS:,} cells")


def _places(walk: Session, box: Sides) -> Iterator[tuple[int, int]]:
    """All cells of a box, checking the deadline between them."""
    _check_size(box)
    left, top, right, bottom = box
    turnstile = Turnstile(walk.breathe)
    for y, x in product(range(top, bottom + 1), range(left, right + 1)):
        turnstile.passed()
        yield x, y


def _blank(walk: Session) -> int:
    return value_of(walk.language, blank_of(walk.language))


def _cell(walk: Session, x: int, y: int) -> int:
    """The value of a cell; blank outside the plane."""
    return _blank(walk) if _is_outside(walk, x, y) else int(walk.state.plane.cell(x, y))


def _sign(walk: Session, x: int, y: int) -> str:
    """The sign of a cell; blank outside the plane."""
    outside = _is_outside(walk, x, y)
    return blank_of(walk.language) if outside else walk.language.sign(walk.state.plane, x, y)


def _is_outside(walk: Session, x: int, y: int) -> bool:
    plane: Any = walk.state.plane
    return _is_bounded(walk) and not (0 <= x < plane.width and y >= 0)


def _changed(walk: Session, cells: Cells) -> Cells:
    """The cells whose value changes."""
    turnstile, found = Turnstile(walk.breathe), {}
    for at, value in cells.items():
        turnstile.passed()
        if _cell(walk, *at) != value:
            found[at] = value
    if not found:
        raise OptionError("nothing is changed by that")
    return found


def _carried(walk: Session, box: Sides, dx: int, dy: int, copy: bool) -> Cells:
    gone = {} if copy else dict.fromkeys(_places(walk, box), _blank(walk))
    return gone | {(x + dx, y + dy): _cell(walk, x, y) for x, y in _places(walk, box)}


def _turned(walk: Session, box: Sides, how: str) -> Cells:
    if how not in TURNS:
        raise OptionError(f"a block can be turned {', '.join(TURNS)}, not {how!r}")
    left, top, right, bottom = box
    found, size = counterparts(walk.language, how), (right + 1 - left, bottom + 1 - top)
    cells = dict.fromkeys(_places(walk, box), _blank(walk))
    for x, y in _places(walk, box):
        other = found.get(_sign(walk, x, y))
        to_x, to_y = turned_place(how, x - left, y - top, size)
        value = _cell(walk, x, y) if other is None else value_of(walk.language, other.sign)
        cells[left + to_x, top + to_y] = value
    return cells


def _lined(walk: Session, what: str, first: int, count: int) -> Cells:
    """All cells from a row or column on, moved by `count`, with blanks in the gap. A negative count
    deletes as many lines."""
    box = walk.state.plane.box()
    if what not in ("row", "column") or box is None or not 0 < abs(count) <= MOST_CELLS:
        raise OptionError("rows and columns can be inserted and deleted, where there are any")
    part = _part(walk, box, what, first, count)
    _check_size(part)
    dx, dy = (0, count) if what == "row" else (count, 0)
    _check_room(walk, part, dx)
    blank = _blank(walk)
    return {
        (x, y): blank if 0 <= (y if dy else x) - first < count else _cell(walk, x - dx, y - dy)
        for x, y in _places(walk, part)
    }


def _part(walk: Session, box: Box, what: str, first: int, count: int) -> Box:
    """The part of the plane that changes; planes can always grow downwards."""
    left, top, right, bottom = box
    if what == "row":
        return left, max(first, min(top, top + count)), right, max(bottom, bottom + count)
    grown = right if _is_bounded(walk) else max(right, right + count)
    return max(first, min(left, left + count)), top, grown, bottom


def _is_bounded(walk: Session) -> bool:
    return hasattr(walk.state.plane, "width")


def _check_room(walk: Session, part: Box, dx: int) -> None:
    """Refuse to move cells over the right edge of a bounded plane."""
    if dx <= 0 or not _is_bounded(walk):
        return
    last = (max(part[0], part[2] + 1 - dx), part[1], part[2], part[3])
    empty = (0, _blank(walk))
    lost = next((at for at in _places(walk, last) if _cell(walk, *at) not in empty), None)
    if lost is not None:
        raise OptionError(f"what stands at {lost[0]},{lost[1]} would fall off the plane")
