"""How BMProg boards start, what leaving them means, and what a state looks like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...core.engine import Engine
from ...core.errors import OptionError
from ...core.geometry import CARDINALS, RIGHT, Stance, board
from ...core.instruction import Instruction
from ...core.language import Engines, Language, Looks, Pace, Results, Rules, Sources
from ...core.language_groups import Conversion, Converted
from ...core.limits import Limits
from ...core.numbers.numerals import from_numeral, to_decimal
from ...core.option import Option
from ...core.plane import BoardPlane
from ...core.state import State, Walker
from ...core.step import Stalled
from ...core.vocabulary import Vocabulary
from . import streams
from .instructions import HELD, MOVING, TABLE, WAITING

EMPTY = ord(".")
FAR = 1 << 40
"""More rows than any board has."""
TEXT = ".txt"
MOST_DIGITS = 17
"""Rows whose bits are written in full."""
BY_CODE = [TABLE.get(code) or TABLE[EMPTY] for code in range(256)]


def read_argument(value: Any) -> int:
    """A whole number that is not negative, of any length."""
    if isinstance(value, str):
        number = from_numeral(value.strip().removeprefix("+"))
        if number is not None:
            return number
    elif isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError(f"expected a whole number, 0 or more, not {value!r}")


OPTIONS = (
    Option(
        "arg", 0, read_argument, "the integer input, as 5 or 0b101: its bits enter below the start"
    ),
    *streams.OPTIONS,
)


def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
    plane, notes = read_source(source)
    argument = options["arg"]
    rows = [0] + [row for row in streams.places(argument) if row < plane.height]
    signals = [Walker(Stance(-1, row, *RIGHT, MOVING)) for row in rows]
    registers = {"value": 0} | streams.registers(options)
    notes += streams.warnings(options, plane.width)
    return State(plane, signals, registers=registers, options=options, seed=seed, notes=notes)


def read_source(source: bytes) -> tuple[BoardPlane, tuple[str, ...]]:
    """The board, of a picture or of letters, and what the user should be warned of."""
    from .picture import is_picture, read_picture
    from .text import is_board, read_text

    if not is_picture(source) and is_board(source):
        return read_text(source), ()
    return read_picture(source)


def recognises(suffix: str, source: bytes) -> bool:
    """Images, whatever they are called, and boards of letters."""
    from .picture import is_picture
    from .text import is_board

    return is_picture(source) or (suffix == TEXT and is_board(source))


def inputs(state: State) -> int:
    """The rows that bits enter at."""
    if streams.is_streaming(state.options):
        raise OptionError("a table goes through arguments, not through streams; leave out stream")
    assert isinstance(state.plane, BoardPlane)
    return state.plane.height - 1


def ports(state: State, row: int) -> tuple[str, str]:
    """The start and the end, and below them the values of the bits."""
    return ("start", "end") if row == 0 else (_worth(row),) * 2


def column_ports(state: State, column: int) -> tuple[str, str]:
    """The strobe, and beside it the values of the bits, where there are streams."""
    if not streams.is_streaming(state.options):
        return "", ""
    return ("strobe" if column == 0 else _worth(column),) * 2


def leaving(state: State, stance: Stance) -> str:
    """What signals do that leave at the bottom, or by the top of column 0."""
    if not streams.is_streaming(state.options) or not stance.dy:
        return ""
    if stance.dy > 0:
        return f"toggles {_worth(stance.x)} of the symbol" if stance.x else "writes the symbol"
    asks = stance.x == 0 and state.options["stream"] == streams.ASK
    return "asks for a symbol" if asks else ""


def _worth(place: int) -> str:
    """The value of the bit of a row or column."""
    return f"{1 << place - 1}" if place <= MOST_DIGITS else f"2^{place - 1}"


def weight(source: bytes, options: Mapping[str, Any]) -> int:
    return 0  # reading a picture looks at its size itself


def decode(plane: BoardPlane, stance: Stance) -> Instruction:
    return BY_CODE[plane.cell(stance.x, stance.y)]


def after(plane: BoardPlane, stance: Stance) -> Stance | None:
    return stance._replace(mode=WAITING) if stance.mode == HELD else board(plane, stance)


def leave(m: Vocabulary, stance: Stance) -> None:
    if stance.dx > 0:
        m.wish((streams.RIGHT, stance.y))
    elif stance.dy and m.option("stream") != streams.OFF:
        m.wish((streams.BOTTOM if stance.dy > 0 else streams.TOP, stance.x))


def settle(m: Vocabulary, wishes: list[tuple[Any, ...]]) -> None:
    """Count the exits at the right: row 0 ends the program, any other toggles its bit. Then what
    streams have to do with is done, if there are any."""
    if m.option("stream") != streams.OFF:
        streams.settle(m, wishes)
    exits = [row for edge, row in wishes if edge == streams.RIGHT]
    m.set_register("value", m.register("value") ^ streams.bits_of(exits))
    streams.fail(m, wishes)
    if 0 in exits:
        m.halt()


def value(state: State) -> int:
    """The integer that the signals which left on the right make."""
    return int(state.registers["value"])


def show(state: State) -> dict[str, Any]:
    return {
        "signals": _signals(state.walkers),
        "bits": streams.places(value(state)),
        **streams.show(state),
    }


def _signals(walkers: Iterable[Walker]) -> Iterator[list[Any]]:
    """Signals as lists, in the order of those. They are sorted as numbers, which take less memory:
    column, row, direction, and whether it waits are the digits."""
    names = sorted(CARDINALS.values())
    codes = (
        (((x + 1) * FAR + y) * len(names) + names.index(CARDINALS[dx, dy])) * 2 + (mode == WAITING)
        for (x, y, dx, dy, mode), _ in walkers
    )
    for code in sorted(codes):
        place, direction = divmod(code >> 1, len(names))
        x, y = divmod(place, FAR)
        yield [x - 1, y, names[direction], bool(code & 1)]


def epilogue(state: State) -> str:
    """The value; where output is a stream, nothing is added to that."""
    return "" if streams.is_streaming(state.options) else to_decimal(value(state)) + "\n"


def registers(state: State) -> Mapping[str, Sequence[Any]]:
    """What streams have come to; the value is told elsewhere."""
    return {name: (held,) for name, held in state.registers.items() if name != "value"}


def manner(stance: Stance) -> str:
    return "" if stance.mode == MOVING else str(stance.mode)


def swatch(glyph: str) -> tuple[int, int, int]:
    from .picture import COLOURS, OTHER_COLOUR

    return COLOURS.get(glyph, OTHER_COLOUR)


def spell(text: str) -> bytes:
    """A board of letters as the bitmap that it stands for."""
    from .text import text_to_picture

    return text_to_picture(text.encode(), ".png")


def to_picture(source: bytes, suffix: str, options: Mapping[str, Any]) -> Converted:
    from .text import text_to_picture

    return Converted(text_to_picture(source, suffix))


def to_text(source: bytes, suffix: str, options: Mapping[str, Any]) -> Converted:
    from .text import picture_to_text

    return Converted(picture_to_text(source, suffix))


def special(name: str, state: State, limits: Limits, store: Any) -> Engine:
    from .engine import engine_of

    return engine_of(LANGUAGE, name, state, limits, store)


PICTURES = (".png", ".bmp", ".gif")
CONVERSIONS = (
    Conversion("text to picture", (TEXT,), PICTURES, to_picture, "a board of letters as a bitmap"),
    Conversion("picture to text", PICTURES, (TEXT,), to_text, "a bitmap as a board of letters"),
)

LANGUAGE = Language(
    name="bmprog",
    title="BMProg",
    summary="bitmaps as circuits; signals travel through coloured pixels",
    suffixes=(".bmp", ".png", ".gif"),
    table=TABLE,
    start=start,
    decode=decode,
    move=board,
    show=show,
    options=OPTIONS,
    examples="planewalk.examples/bmprog",
    guide="planewalk.languages.bmprog/guide.md",
    rules=Rules(
        after=after,
        pace=Pace.TOGETHER,
        settle=settle,
        meet=True,
        leave=leave,
        deserted=Stalled(),
        arrivals=streams.arrivals,
    ),
    sources=Sources(
        weight=weight,
        spell=spell,
        recognises=recognises,
        recognised=(TEXT,),
        conversions=CONVERSIONS,
    ),
    results=Results(
        value=value,
        inputs=inputs,
        ports=ports,
        column_ports=column_ports,
        leaving=leaving,
        epilogue=epilogue,
    ),
    looks=Looks(swatch=swatch, manner=manner, registers=registers),
    engines=Engines(special=special),
)
