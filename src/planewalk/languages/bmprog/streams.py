"""Streams of BMProg: symbols enter the board from above, and leave it at the bottom.

While a board has streams, its registers say what they have come to: `pending` are the bits of the
symbol that is about to be written, `due` is the cycle in which the next one arrives (0 while none
is asked for, `OVER` once the end of the input has arrived), and `arrived` counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any

from ...core.geometry import DOWN, Stance
from ...core.language import Arrivals
from ...core.numbers.numerals import from_numeral
from ...core.option import Option, choice
from ...core.state import State
from ...core.text import visible
from ...core.vocabulary import Vocabulary
from .instructions import MOVING

OFF, ASK, BYTES, NUMBERS = "off", "ask", "bytes", "numbers"
END = OVER = -1
"""What is read at the end of the input, and what `due` holds once that has arrived."""
RIGHT, BOTTOM, TOP, COMING, BAD = "right", "bottom", "top", "coming", "bad"
"""What wishes are about: signals that leave by an edge, a symbol, and a numeral that is none."""
BYTE = 8
"""Bits of a byte."""
LONGEST = 20
"""Bytes of a bad numeral that are shown."""
WORD = re.compile(rb"[ \t\n\v\f\r]*([^ \t\n\v\f\r]*)")

Wish = tuple[Any, ...]


def read_stream(value: Any) -> str | int:
    """Off, or ask, or a number of cycles."""
    if value in (OFF, ASK):
        return str(value)
    number = from_numeral(value.strip()) if isinstance(value, str) else value
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        return number
    raise ValueError(f"expected {OFF}, {ASK} or a number of cycles, 1 or more, not {value!r}")


OPTIONS = (
    Option(
        "stream",
        OFF,
        read_stream,
        "input enters from above and output leaves at the bottom: "
        "ask (a symbol whenever a signal leaves by the top of column 0), or one every N cycles",
    ),
    choice(
        "stream-as", (BYTES, NUMBERS), "what symbols of a stream are: bytes, or numbers as text"
    ),
)


def is_streaming(options: Mapping[str, Any]) -> bool:
    """Whether input enters from above, and output leaves at the bottom."""
    return bool(options.get("stream", OFF) != OFF)


def registers(options: Mapping[str, Any]) -> dict[str, int]:
    """What streams hold at the start: the first symbol arrives in cycle 1."""
    return {"pending": 0, "due": 1, "arrived": 0} if is_streaming(options) else {}


def warnings(options: Mapping[str, Any], width: int) -> tuple[str, ...]:
    """What is lost on a board that is too narrow."""
    if not is_streaming(options) or options["stream-as"] != BYTES or width > BYTE:
        return ()
    bits = "1 bit" if width == 2 else f"{width - 1} bits"
    return (
        f"a board of width {width} has room for {bits} of each byte of a stream; all eight "
        f"take a width of {BYTE + 1}",
    )


def show(state: State) -> dict[str, Any]:
    """What streams have come to, as far as there are any."""
    if not is_streaming(state.options):
        return {}
    held = state.registers
    return {
        "pending": places(held["pending"]),
        "due": held["due"] if held["due"] > 0 else None,
        "arrived": held["arrived"],
        "ended": held["due"] == OVER,
    }


def places(bits: int) -> Iterator[int]:
    """The rows or columns, from 1, whose bits are set. By text: shifting a long number takes
    long."""
    return (place for place, bit in enumerate(reversed(f"{bits:b}"), 1) if bit == "1")


def bits_of(exits: Iterable[int]) -> int:
    """The bits that signals toggle which leave by these rows or columns; 0 has none."""
    exits = list(exits)
    toggles = bytearray(max(exits, default=0) // 8 + 1)  # long numbers are slow to change
    for place in exits:
        toggles[place // 8] ^= 1 << place % 8
    return int.from_bytes(toggles, "little") >> 1


def arrivals(options: Mapping[str, Any]) -> Arrivals | None:
    """How symbols enter, if they do."""
    return Arrivals(arrive, awaited) if is_streaming(options) else None


def awaited(state: State) -> bool:
    """Whether something will still arrive."""
    return bool(state.registers["due"] > 0)


def arrive(m: Vocabulary, state: State) -> list[Stance]:
    """The signals of a symbol that is due in this cycle; they have come from row -1 by its end."""
    due = m.register("due")
    if due <= 0 or m.tick + 1 != due:
        return []
    try:
        symbol = m.read_byte() if m.option("stream-as") == BYTES else _read_number(m)
    except ValueError as error:
        (word,) = error.args
        m.wish((BAD, _told(word, m.register("arrived"), state.input.position - len(word))))
        return []
    m.wish((COMING, symbol))
    width = state.plane.width  # type: ignore[attr-defined]
    if symbol == END:
        columns = [width - 1] if width > 1 else []
    else:
        columns = [0, *(column for column in places(symbol) if column < width)]
    return [Stance(column, 0, *DOWN, MOVING) for column in columns]


def _read_number(m: Vocabulary) -> int:
    """The next numeral; a ValueError with what stands there if it is none."""
    word = m.scan(WORD)[1]
    if not word:
        return END
    if not word.isdigit():
        raise ValueError(word)
    number: int = m.numeral(word)
    return number


def _told(word: bytes, before: int, place: int) -> str:
    """What is said of a numeral that is none: after so many others, and bytes, of the input."""
    text = visible(word[:LONGEST].decode(errors="replace")) + "…" * (len(word) > LONGEST)
    return f"number {before + 1} of the input, at byte {place + 1}, is no decimal number: '{text}'"


def settle(m: Vocabulary, wishes: list[Wish]) -> None:
    """Write the symbol that was finished, and note what arrives and is asked for."""
    exits: dict[str, list[Any]] = {}
    for edge, place in wishes:
        exits.setdefault(edge, []).append(place)
    if BOTTOM in exits:
        _settle_bottom(m, exits[BOTTOM])
    if COMING in exits:
        _note_arrival(m, exits[COMING][0] == END)
    if 0 in exits.get(TOP, ()) and m.option("stream") == ASK and m.register("due") == 0:
        m.set_register("due", m.tick + 2)


def _settle_bottom(m: Vocabulary, columns: list[int]) -> None:
    """The next symbol begins from 0 before it is looked at who left: of that it is no effect."""
    pending = m.register("pending")
    finished = 0 in map(index, columns)
    if finished:
        m.set_register("pending", 0)
    pending ^= bits_of(map(m.known, columns))
    if finished:
        _write(m, pending)
    else:
        m.set_register("pending", pending)


def _write(m: Vocabulary, symbol: int) -> None:
    if m.option("stream-as") == BYTES:
        m.write_byte(symbol % 256)
    else:
        m.write_number(symbol)
        m.write(b"\n")


def _note_arrival(m: Vocabulary, end: bool) -> None:
    every = m.option("stream")
    if end:
        m.set_register("due", OVER)
        return
    m.set_register("arrived", m.register("arrived") + 1)
    m.set_register("due", 0 if every == ASK else m.register("due") + every)


def fail(m: Vocabulary, wishes: list[Wish]) -> None:
    """End the run if a numeral was none."""
    for about, reason in wishes:
        if about == BAD:
            m.stance = Stance(0, -1, *DOWN, MOVING)
            m.fault(reason)
