"""How Refunge programs start, how the wishes of a step come true, and what a state looks like."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ...core.errors import SourceError
from ...core.geometry import CARDINALS, RIGHT, Stance, cylinder
from ...core.instruction import Instruction
from ...core.language import Language, Option, Pace, read_bool
from ...core.limits import DEFAULT_MEMORY, show_size
from ...core.plane import BytePlane
from ...core.state import State, Walker
from ...core.vocabulary import Vocabulary
from .instructions import ADD, CLEAR, INPUT, NONE, OUTPUT, REACH, TABLE

NOTHING = TABLE[ord(" ")]
BY_CODE = [TABLE.get(code) or NOTHING for code in range(256)]


def read_nul(value: Any) -> int | None:
    """One character or byte value that the source uses for 0."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        value = value.encode()
    if len(value) != 1:
        raise ValueError(f"expected one character (of one byte), not {value.decode()!r}")
    return int(value[0])


OPTIONS = (
    Option("nul", None, read_nul, "this character in the source is loaded as the byte 0"),
    Option("clear-mode", False, read_bool, "true makes * a sixth data mode, which stores 0"),
    Option("input-adds", False, read_bool, "true adds to the byte read in the same step"),
)


def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
    lines = source.split(b"\n")
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    width = max(1, *map(len, lines))
    if width * len(lines) > DEFAULT_MEMORY:
        raise SourceError(
            f"a field {width:,} wide and {len(lines):,} high would take "
            f"{show_size(width * len(lines))}; every row is as wide as the longest line"
        )
    field = bytearray().join(line.ljust(width, b"\0") for line in lines)
    if options["nul"] is not None:
        field = field.replace(bytes([options["nul"]]), b"\0")
    cursor = Walker(Stance(0, 0, *RIGHT, NONE), (0, 0))
    return State(BytePlane(width, field), [cursor], options=options, seed=seed)


def decode(plane: BytePlane, stance: Stance) -> Instruction:
    x, y, _, _, _ = stance
    code: int = plane.data[y * plane.width + x]
    return BY_CODE[code]  # a cursor that runs is in the field


def settle(m: Vocabulary, wishes: list[Any]) -> None:
    """Make the wishes of a step come true."""
    if len(wishes) == 1 and wishes[0][0] == ADD:
        _, x, y, amount = wishes[0]
        m.put(x, y, (m.cell(x, y) + amount) % 256)
        return
    byte = -1
    for wish in wishes:
        if wish[0] == INPUT:
            byte = m.read_byte()  # first of all: the step must be untouched if input is awaited
            break
    lowest = max((wish[1] for wish in wishes if wish[0] == REACH), default=-1)
    if lowest >= m.plane.height:
        m.grow(lowest + 1)

    sums: dict[tuple[int, int], int] = {}
    for wish in wishes:
        if wish[0] == ADD:
            _, x, y, amount = wish
            sums[x, y] = sums.get((x, y), 0) + amount
    if byte >= 0:
        for wish in wishes:
            if wish[0] == INPUT:
                _, x, y = wish
                m.put(x, y, byte)
                if not m.option("input-adds"):
                    sums.pop((x, y), None)
    for (x, y), amount in sums.items():
        m.put(x, y, (m.cell(x, y) + amount) % 256)
    for wish in wishes:
        if wish[0] == CLEAR:
            m.put(wish[1], wish[2], 0)

    written = {wish[1] for wish in wishes if wish[0] == OUTPUT}
    if len(written) == 1:
        m.write_byte(written.pop())


def stays(plane: BytePlane, stance: Stance) -> bool:
    """Whether a cursor is still in the field, judged when all rows of the step are there."""
    return bool(0 <= stance[1] < plane.height)


def show(state: State) -> dict[str, Any]:
    plane = state.plane
    assert isinstance(plane, BytePlane)
    rows = (plane.data[at : at + plane.width] for at in range(0, len(plane.data), plane.width))
    return {
        "field": [base64.b64encode(row).decode() for row in rows],
        "width": plane.width,
        "cursors": sorted(_show_cursor(cursor) for cursor in state.walkers),
    }


def _show_cursor(cursor: Walker) -> list[Any]:
    (x, y, dx, dy, mode), hand = cursor
    assert hand is not None
    return [y, x, CARDINALS[dx, dy], hand[1], hand[0], mode]


LANGUAGE = Language(
    name="refunge",
    title="Refunge",
    summary="many cursors in a self-modifying byte field that grows downwards",
    suffixes=(".ref", ".refunge"),
    table=TABLE,
    start=start,
    decode=decode,
    move=cylinder,
    show=show,
    pace=Pace.TOGETHER,
    settle=settle,
    stays=stays,
    options=OPTIONS,
)
