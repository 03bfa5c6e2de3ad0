"""How Refunge programs start, how the wishes of a step come true, and what a state looks like."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...core.engine import Crowd
from ...core.geometry import CARDINALS, RIGHT, Stance, cylinder
from ...core.instruction import Instruction
from ...core.language import Engines, Language, Looks, Pace, Rules, Sources
from ...core.language_groups import Conversion, Converted
from ...core.limits import Limits
from ...core.option import Option, choice, switch
from ...core.plane import BytePlane
from ...core.state import State, Walker
from ...core.text import lines_of
from ...core.vocabulary import Vocabulary
from .instructions import ADD, CLEAR, INPUT, NONE, OUTPUT, REACH, SUBTRACT, TABLE

NOTHING = TABLE[ord(" ")]
MODES: list[Any] = [NONE, ADD, SUBTRACT, INPUT, OUTPUT, CLEAR]
FAR = 1 << 40
"""More rows or columns than any field has."""
BY_CODE = [TABLE.get(code) or NOTHING for code in range(256)]


def read_nul(value: Any) -> int | None:
    """One character or byte value that the source uses for 0."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256:
        return value
    code = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    if isinstance(code, bytes) and len(code) == 1:
        return code[0]
    raise ValueError(f"expected one character (of one byte), not {value!r}")


OPTIONS = (
    Option("nul", None, read_nul, "this character in the source is loaded as the byte 0"),
    switch("clear-mode", "true makes * a sixth data mode, which stores 0"),
    switch("input-adds", "true adds to the byte read in the same step"),
)


def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
    width, height = _measures(source)
    field = bytearray(width * height)
    at = 0
    for lines in lines_of(source):
        for line in lines:
            if line:
                field[at : at + len(line)] = line
            at += width
    if options["nul"] is not None:
        field = field.replace(bytes([options["nul"]]), b"\0")
    cursor = Walker(Stance(0, 0, *RIGHT, NONE), (0, 0))
    return State(BytePlane(width, field), [cursor], options=options, seed=seed)


def weight(source: bytes, options: Mapping[str, Any]) -> int:
    """Every row is as wide as the longest line."""
    width, height = _measures(source)
    return width * height


def _measures(source: bytes) -> tuple[int, int]:
    """Width and height of the field; empty lines at the end are no rows."""
    ends = len(source) - len(source.rstrip(b"\n"))
    width = max(max(map(len, lines)) for lines in lines_of(source))
    return max(width, 1), source.count(b"\n") - ends + 1


def decode(plane: BytePlane, stance: Stance) -> Instruction:
    x, y, _, _, _ = stance
    code: int = plane.data[y * plane.width + x]
    return BY_CODE[code]  # a cursor that runs is in the field


def settle(m: Vocabulary, wishes: list[Any]) -> None:
    """Make the wishes of a step come true."""
    if len(wishes) == 1 and wishes[0][0] == ADD:  # by far the most frequent
        _change(m, wishes[0], -1)
        return
    byte = -1
    for wish in wishes:
        if wish[0] == INPUT:
            byte = m.read_byte()  # first of all: the step must be untouched if input is awaited
            break
    for wish in wishes:
        if wish[0] == REACH:
            m.grow(wish[1] + 1)
    changes = [wish for wish in wishes if wish[0] in (ADD, INPUT, CLEAR)]
    if len(changes) == 1:
        _change(m, changes[0], byte)
    elif changes:
        _change_together(m, changes, byte)
    written = [wish[1] for wish in wishes if wish[0] == OUTPUT]
    if len(written) == 1 or len(set(written)) == 1:
        m.write_byte(written[0])


def _change(m: Vocabulary, wish: tuple[Any, ...], byte: Any) -> None:
    """Carry out the only wish of a tick that changes cells."""
    kind, x, y, *amount = wish
    if kind == ADD:
        m.put(x, y, (m.cell(x, y) + amount[0]) % 256)
    elif kind == CLEAR:
        m.put(x, y, 0)
    elif byte >= 0:
        m.put(x, y, byte)


def _change_together(m: Vocabulary, changes: list[tuple[Any, ...]], byte: int) -> None:
    """Additions to a cell are summed up; a byte read replaces them; clearing comes last."""
    sums: dict[tuple[int, int], int] = {}
    for kind, x, y, *amount in changes:
        if kind == ADD:
            sums[x, y] = sums.get((x, y), 0) + amount[0]
    if byte >= 0:
        for kind, x, y, *_ in changes:
            if kind == INPUT:
                m.put(x, y, byte)
                if not m.option("input-adds"):
                    sums.pop((x, y), None)
    for (x, y), amount_in_all in sums.items():
        m.put(x, y, (m.cell(x, y) + amount_in_all) % 256)
    for kind, x, y, *_ in changes:
        if kind == CLEAR:
            m.put(x, y, 0)


def stays(plane: BytePlane, stance: Stance) -> bool:
    """Whether a cursor is still in the field, judged when all rows of the step are there."""
    return bool(0 <= stance[1] < plane.height)


def show(state: State) -> dict[str, Any]:
    plane = state.plane
    assert isinstance(plane, BytePlane)
    rows = (plane.data[at : at + plane.width] for at in range(0, len(plane.data), plane.width))
    return {
        "field": (b2a_base64(row, newline=False).decode() for row in rows),
        "width": plane.width,
        "cursors": _cursors(state.walkers),
    }


def _cursors(walkers: Iterable[Walker]) -> Iterator[list[Any]]:
    """Cursors as lists, in the order of those. They are sorted as numbers, which take less memory
    by far: row, column, way, row and column of the hand, and mode are the digits."""
    ways, modes = sorted(CARDINALS.values()), sorted(MODES)

    def number(cursor: Walker) -> int:
        (x, y, dx, dy, mode), hand = cursor
        assert hand is not None
        place = (y * FAR + x) * len(ways) + ways.index(CARDINALS[dx, dy])
        code: int = (place * FAR + hand[1]) * FAR + hand[0]
        return code * len(modes) + modes.index(mode)

    for code in sorted(map(number, walkers)):
        rest, mode = divmod(code, len(modes))
        rest, hand_x = divmod(rest, FAR)
        rest, hand_y = divmod(rest, FAR)
        rest, way = divmod(rest, len(ways))
        y, x = divmod(rest, FAR)
        yield [y, x, ways[way], hand_y, hand_x, modes[mode]]


def manner(stance: Stance) -> str:
    """What the next move of the data pointer does."""
    return "" if stance.mode == NONE else str(stance.mode)


def from_brainfuck(source: bytes, suffix: str, options: Mapping[str, Any]) -> Converted:
    from .brainfuck import brainfuck_to_refunge

    return brainfuck_to_refunge(source, suffix, options)


def crowd(state: State, limits: Limits) -> Crowd:
    from .native import CursorCrowd

    return CursorCrowd(state, limits)


BRAINFUCK_OPTIONS = (
    choice("eof", ("0", "-1", "keep"), "what , gives at the end of input; keep leaves the cell"),
    choice("left", ("say", "end"), "moving left of the first cell: say so and end, or just end"),
)
CONVERSIONS = (
    Conversion(
        "Brainfuck to Refunge",
        (".bf", ".b"),
        (".ref", ".refunge"),
        from_brainfuck,
        "a program with its tape in the last column, running down",
        BRAINFUCK_OPTIONS,
    ),
)

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
    options=OPTIONS,
    examples="planewalk.examples/refunge",
    guide="planewalk.languages.refunge/guide.md",
    rules=Rules(pace=Pace.TOGETHER, settle=settle, stays=stays),
    sources=Sources(weight=weight, conversions=CONVERSIONS),
    looks=Looks(manner=manner),
    engines=Engines(crowd=crowd),
)
