"""Changing a moment of a run: a cell, a value of the stack, a register, a walker, unread input."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ..core.base.deadline import Pause, Turnstile, no_pause
from ..core.difference import cell as told_cell
from ..core.errors import OptionError
from ..core.geometry import Stance
from ..core.language import Language
from ..core.plane import range_of
from ..core.program import cell_of_sign
from ..core.state import State, Walker
from ..core.stream import InputStream
from ..core.text import bytes_of

MOST_GROWTH = 1 << 12
"""Rows that one cell may be below the last of a plane that grows."""
MOST_CODES = {"text": (0, sys.maxunicode), "board": (0, 255)}
"""Between which numbers cells of a plane are that only people write."""


def edited(
    language: Language,
    state: State,
    *,
    cell: tuple[int, int] | None = None,
    cells: Mapping[tuple[int, int], Any] | None = None,
    stack: int | None = None,
    register: Any = None,
    walker: int | None = None,
    input: bytes | str | None = None,
    value: Any = None,
    pause: Pause = no_pause,
) -> tuple[State, str]:
    """A copy of a state with one thing changed, and what that is in words.

    `cell`, `stack` (an index, 0 at the top) and `register` get `value`; `cells` has several, each
    with its own; `walker` gets the stance `value`, or is removed by None; `input` is what is unread
    from now on.
    """
    given = (cell, cells, stack, register, walker, input)
    if sum(one is not None for one in given) != 1:
        raise OptionError("change one thing at a time: cell, stack, register, walker or input")
    twin = state.copy()
    if state.tick:  # an edited moment may go on; what ended before it began has nowhere to go
        twin.stop = None
    if cell is not None:
        return twin, _put(language, twin, cell, value)
    if cells is not None:
        return twin, _put_all(language, twin, cells, pause)
    if stack is not None:
        return twin, _poke(twin, stack, value)
    if register is not None:
        return twin, _store(twin, register, value)
    if walker is not None:
        return twin, _place(twin, walker, value)
    data = bytes_of(input) if isinstance(input, str) else bytes(input or b"")
    twin.input = InputStream(data, state.input.closed)
    twin.input.dropped = twin.input.position = state.input.position
    return twin, "input"


def _put(language: Language, state: State, cell: tuple[int, int], value: Any) -> str:
    plane: Any = state.plane
    x, y = cell
    value = _code(language, value)
    box = plane.box()
    if hasattr(plane, "grow") and plane.height <= y < plane.height + MOST_GROWTH:
        plane.grow(y + 1)
    if hasattr(plane, "width") and not (0 <= x < plane.width and 0 <= y < plane.height):
        raise OptionError(f"({x}, {y}) is not on the plane, which goes from (0, 0) to {box[2:]}")
    least, most = range_of(plane) if plane.writable else MOST_CODES[plane.kind]
    if not least <= value <= most:
        raise OptionError(f"a cell holds a number from {least} to {most}, not {value}")
    if plane.writable:
        plane.put(x, y, value)
    else:  # no program can do that, so the others that have this plane keep it as it is
        state.plane = plane.with_cell(x, y, value)
    looks = language.looks
    return f"cell {x},{y} = {told_cell(value, looks) if looks.own_signs else value}"


def _put_all(
    language: Language, state: State, cells: Mapping[tuple[int, int], Any], pause: Pause
) -> str:
    turnstile, told = Turnstile(pause), ""
    for cell, value in cells.items():
        turnstile.passed()
        told = _put(language, state, cell, value)
    if not told:
        raise OptionError("name at least one cell")
    return told if len(cells) == 1 else f"{len(cells)} cells"


def _code(language: Language, value: Any) -> int:
    if isinstance(value, str) and len(value) == 1:
        return cell_of_sign(language, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise OptionError(f"expected a whole number or one character, not {value!r}")


def _poke(state: State, index: int, value: Any) -> str:
    value = _number_of(value)
    if not 0 <= index < len(state.stack):
        raise OptionError(f"the stack has {len(state.stack)} values, so none at {index}")
    state.stack[-1 - index] = _number(state.stack, value)
    return f"stack[{index}] = {value}"


def _store(state: State, name: Any, value: Any) -> str:
    registers, value = state.registers, _number_of(value)
    if isinstance(registers, dict):
        if name not in registers:
            raise OptionError(f"there is no register {name!r}; there are {', '.join(registers)}")
    elif not (isinstance(name, int) and 0 <= name < len(registers)):
        raise OptionError(f"registers have numbers from 0 to {len(registers) - 1}, not {name!r}")
    registers[name] = _number(registers, value)
    return f"register {name} = {value}"


def _number_of(value: Any) -> Any:
    """The code of a character: stacks and registers hold numbers alone."""
    return ord(value) if isinstance(value, str) and len(value) == 1 else value


def _number(kind: Any, value: Any) -> Any:
    floats = hasattr(kind, "typecode")
    if isinstance(value, bool) or not isinstance(value, (int, float) if floats else int):
        raise OptionError(f"expected a {'number' if floats else 'whole number'}, not {value!r}")
    try:
        return float(value) if floats else value
    except OverflowError:
        raise OptionError("a number with that many digits is more than a float can be") from None


def _place(state: State, number: int, stance: Any) -> str:
    if not 0 <= number < len(state.walkers):
        there = "is 1 walker" if len(state.walkers) == 1 else f"are {len(state.walkers)} walkers"
        raise OptionError(f"there {there}, counted from 0, so none with number {number}")
    walkers = list(state.walkers)
    if stance is None:
        del walkers[number]
        state.walkers = walkers
        return f"walker {number} removed"
    if not isinstance(stance, Stance):
        raise OptionError(f"expected a Stance, such as state.walkers[0].stance, not {stance!r}")
    walkers[number] = Walker(stance, walkers[number].hand)
    state.walkers = walkers
    return f"walker {number} at {stance.x:g},{stance.y:g}"
