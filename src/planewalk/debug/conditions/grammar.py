"""Reading conditions and values: see `conditions.md` beside it for the language itself."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import isinf
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn

from ...core.errors import OptionError, closest
from ...core.language import Language
from ...core.observation import Read, Write
from ...core.program import cell_of_sign
from ...core.state import State
from ...core.text import bytes_of
from . import quantities
from .condition import (
    All,
    At,
    CellTouched,
    Condition,
    Crossed,
    Either,
    Ended,
    First,
    Happened,
    Heads,
    Input,
    Inside,
    Not,
    Number,
    OutputWritten,
    Region,
)
from .quantities import Value

DEEPEST = 50
"""Brackets and `not`s that may stand around one another. Reading and testing go as deep as they."""
MOST_DIGITS, PLACE_DIGITS = 4000, 18
"""Of a number in a condition, and of one that is part of a place or counts hits."""
BRACKETS = "(at 3,4 or at 5,6) and depth > 2"
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_WORDS = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<place>-?\d+\s*,\s*-?\d+)
    |(?P<number>-?(?:\d+(?:\.\d*)?(?:e\d+)?))
    |(?P<sign>==|!=|<=|>=|[=<>()%\[\]]|\.\.)
    |(?P<word>[A-Za-z_][\w-]*)
    |(?P<strange>\S))""",
    re.VERBOSE,
)


class ConditionError(OptionError):
    """A condition, or a value, that cannot be understood; `place` is the index of the character."""

    def __init__(self, message: str, text: str, place: int, example: str) -> None:
        pointer = f"{text}\n{' ' * place}^"
        super().__init__(f"{message}; for example: {example}\n{pointer}")
        self.place = place
        self._said = message, text, place, example

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._said


class Wanted(NamedTuple):
    """A condition, and which of its hits count: every so many."""

    condition: Condition
    every: int
    text: str
    among: tuple[Any, ...] = ()
    """Others of its kind, each of which counts its own hits: then it is true when one of them is,
    and a hit that counts for one of them counts."""

    @property
    def each(self) -> tuple[Wanted, ...]:
        """All whose hits are counted."""
        return self.among or (self,)


def any_of(several: Sequence[Wanted]) -> Wanted:
    """One of several, each with its own count."""
    if len(several) == 1:
        return several[0]
    text = " or ".join(f"({wanted.text})" for wanted in several)
    condition = Either([wanted.condition for wanted in several])
    counted = any(wanted.every > 1 for wanted in several)
    return Wanted(condition, 1, text, tuple(several) if counted else ())


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def parse(text: str, language: Language | None = None) -> Wanted:
    """The condition that a text describes; a `ConditionError` if it is none. With a language, its
    words for headings are the only ones."""
    return _Reader(text, language).whole()


def parse_value(text: str, language: Language | None = None) -> Value:
    """The value that a text names; a `ConditionError` if it is none."""
    return _Reader(text, language).whole_value()


class _Reader:
    def __init__(self, text: str, language: Language | None = None) -> None:
        self.text = text
        self.language = language
        self.tokens: list[_Token] = []
        for found in _WORDS.finditer(text.rstrip()):
            kind = found.lastgroup or "strange"
            self.tokens.append(_Token(kind, found[kind], found.start(kind)))
        self.tokens.append(_Token("end", "", len(text.rstrip())))
        self.at = 0
        self.depth = 0
        self.atom = "at"

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    def whole(self) -> Wanted:
        condition = self._either()
        every = 1
        if self.takes("every"):
            every = self.number(PLACE_DIGITS)
            if every < 1:
                self.complain("every so many hits is from 1 on")
        if self.now.kind != "end":
            self.complain(f"{self.now.text!r} is not expected here")
        return Wanted(condition, every, self.text)

    def whole_value(self) -> Value:
        if self.now.text.lower() not in VALUES and self.now.kind != "place":
            self.complain(f"{self.now.text!r} is no value", "5,2 or stack[0] or heading")
        value = self.valued()
        if self.now.kind != "end":
            self.complain(f"{self.now.text!r} is not expected here")
        return value

    def complain(self, message: str, example: str | None = None) -> NoReturn:
        shown = example or EXAMPLES.get(self.atom, "at 3,4")
        raise ConditionError(message, self.text, self.now.place, shown)

    def next(self) -> _Token:
        token = self.now
        self.at += token.kind != "end"
        return token

    def takes(self, *words: str) -> bool:
        if self.now.kind in ("word", "sign") and self.now.text.lower() in words:
            self.next()
            return True
        return False

    def _either(self) -> Condition:
        parts = [self._all()]
        while self.takes("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Either(parts)

    def _all(self) -> Condition:
        parts = [self._single()]
        while self.takes("and", "if"):
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else All(parts)

    def _single(self) -> Condition:
        if self.now.text.lower() in ("not", "("):
            return self._nested()
        if self.now.kind == "place":
            self.atom = "at"
            return _at(self)
        word = self.now.text.lower()
        if word not in EXAMPLES:
            self._complain_unknown()
        self.next()
        self.atom = word
        return _CONDITIONS[word][1](self)

    def _nested(self) -> Condition:
        """What stands behind `not`, or in brackets."""
        if self.depth == DEEPEST:
            self.complain(f"this is nested more than {DEEPEST} deep", BRACKETS)
        self.depth += 1
        if self.takes("not"):
            inner: Condition = Not(self._single())
        else:
            self.next()
            inner = self._either()
            if not self.takes(")"):
                self.complain("a bracket is not closed", BRACKETS)
        self.depth -= 1
        return inner

    def _complain_unknown(self) -> None:
        word = self.now.text
        if not word:
            self.complain("something is missing here")
        meant = closest(word, EXAMPLES)
        hint = (
            f"did you mean {meant!r}?" if meant else f"conditions begin with {', '.join(EXAMPLES)}"
        )
        self.complain(f"{word!r} is not known; {hint}", EXAMPLES[meant or "at"])

    # Parts -----------------------------------------------------------------------------------

    def place(self) -> tuple[int, int]:
        if self.now.kind != "place":
            self.complain("a place is needed here")
        x, y = self.now.text.split(",")
        place = self._whole(x, PLACE_DIGITS), self._whole(y, PLACE_DIGITS)
        self.next()
        return place

    def region(self) -> Region:
        x, y = self.place()
        if not self.takes("..", "to"):
            return x, y, x, y
        right, bottom = self.place()
        return min(x, right), min(y, bottom), max(x, right), max(y, bottom)

    def number(self, most: int = MOST_DIGITS) -> int:
        if self.now.kind != "number":
            self.complain("a whole number is needed here")
        whole = self._whole(self.now.text, most)
        self.next()
        return whole

    def _whole(self, text: str, most: int = MOST_DIGITS) -> int:
        """A whole number, which may be written as `1e6`."""
        digits, _, exponent = text.strip().partition("e")
        before, _, behind = digits.partition(".")
        size = max(len(digits.lstrip("-")), len(exponent))
        if size > most or size + int(exponent or 0) > most:
            self.complain(f"a number here has at most {most:,} digits")
        rest: int
        whole: int
        whole, rest = divmod(int(before + behind) * 10 ** int(exponent or 0), 10 ** len(behind))
        if rest or text.endswith("."):
            self.complain("a whole number is needed here")
        return whole

    def _value(self) -> Any:
        """A number, or one character in quotes."""
        if self.now.kind == "string":
            character = unescaped(self.now.text[1:-1]).decode(errors="replace")
            if len(character) != 1:
                self.complain("one character is needed here")
            self.next()
            return ord(character)
        if self.now.kind == "number" and "." in self.now.text:
            value = float(self.now.text)
            if isinf(value):
                self.complain("this number is too large")
            self.next()
            return value
        return self.number()

    # Values and what they are compared with ----------------------------------------------------

    def valued(self) -> Value:
        """What stands here, up to its end."""
        if self.now.kind == "place":
            return quantities.cell(*self.place())
        self.atom = self.next().text.lower()
        return VALUES[self.atom](self)

    def compared(self) -> Condition:
        """A value, and what it is compared with; its first word is read already."""
        value = VALUES[self.atom](self)
        if value.compared is None:
            self.complain("an index in brackets is needed here, 0 at the top")
        sign = self.now.text
        if sign not in COMPARISONS:
            self.complain("a comparison (= != < <= > >=) is needed here")
        self.next()
        return value.compared(COMPARISONS[sign], self._held() if value.place else self._value())

    def _held(self) -> Any:
        """What a cell may hold: a number, or a sign in quotes, which is one of the language's."""
        token, number = self.now, self._value()
        if token.kind == "string" and self.language is not None:
            return cell_of_sign(self.language, chr(number))
        return number

    def word_after_equals(self) -> str:
        """The word for a mode, or a heading."""
        self.takes("=", "==")
        if self.now.kind not in ("word", "place"):
            self.complain("a word is needed here")
        return self.next().text.lower().replace(" ", "")

    def heading(self) -> str:
        """A word for a heading, or how far it goes in both directions."""
        self.takes("=", "==")
        token = self.now
        known = () if self.language is None else tuple(self.language.looks.headings.values())
        if known and token.kind == "word" and token.text.lower() not in known:
            assert self.language is not None
            meant = closest(token.text, known) or known[0]
            words = f"{self.language.title} has the headings {', '.join(known)}"
            self.complain(f"{words}, and no {token.text!r}", f"heading = {meant}")
        return self.word_after_equals()


def _stack(reader: _Reader) -> Value:
    """One value of it, `stack[1]` or `stack 1`; or all."""
    if reader.now.kind == "number":
        return quantities.from_top(reader.number())
    if not reader.takes("["):
        return quantities.stack()
    index = reader.number()
    if not reader.takes("]"):
        reader.complain("the bracket is not closed")
    return quantities.from_top(index)


def _register(reader: _Reader) -> Value:
    name = reader.next().text
    if not name:
        reader.complain("the name of a register is needed here")
    return quantities.number_of(partial(register_of, name=name))


def _tick(reader: _Reader) -> Value:
    if not reader.takes("%"):
        return quantities.tick()
    every = reader.number()
    if every < 1:
        reader.complain("the divisor must be at least 1")
    return quantities.tick_modulo(every)


def _at(reader: _Reader) -> Condition:
    x, y = reader.place()
    heading = mode = None
    while reader.now.text.lower() in ("heading", "mode"):
        if reader.next().text.lower() == "heading":
            heading = reader.heading()
        else:
            mode = reader.word_after_equals()
    return At(x, y, heading, mode)


def _output(reader: _Reader) -> Condition:
    if not reader.takes("contains"):
        return OutputWritten()
    if reader.now.kind == "string":
        return OutputWritten(unescaped(reader.next().text[1:-1]))
    if reader.now.kind == "end":
        reader.complain("a text is needed here")
    return OutputWritten(bytes_of(reader.next().text))


def _then(word: str, condition: Callable[[], Condition]) -> Callable[[_Reader], Condition]:
    """A condition whose name may go on with that word."""

    def read(reader: _Reader) -> Condition:
        reader.takes(word)
        return condition()

    return read


VALUES: dict[str, Callable[[_Reader], Value]] = {
    "cell": lambda reader: quantities.cell(*reader.place()),
    "depth": lambda reader: quantities.number_of(partial(_size, "held_stack")),
    "top": lambda reader: quantities.from_top(0),
    "stack": _stack,
    "register": _register,
    "walkers": lambda reader: quantities.number_of(partial(_size, "walkers")),
    "heading": lambda reader: quantities.headings(),
    "mode": lambda reader: quantities.modes(),
    "tick": _tick,
}
"""What stands behind the first word of a value; of a cell, the place alone is enough."""
_CONDITIONS: dict[str, tuple[str, Callable[[_Reader], Condition]]] = {
    "at": ("at 3,4 heading up", _at),
    "written": ("written 5,2", lambda reader: CellTouched(Write, *reader.place())),
    "changed": ("changed 5,2", lambda reader: CellTouched(Write, *reader.place(), True)),
    "read": ("read 5,2", lambda reader: CellTouched(Read, *reader.place())),
    "cell": ("cell 5,2 = 'v'", _Reader.compared),
    "depth": ("depth > 10", _Reader.compared),
    "top": ("top = 0", _Reader.compared),
    "stack": ("stack[1] = 7", _Reader.compared),
    "register": ("register counter > 9", _Reader.compared),
    "output": ('output contains "no"', _output),
    "input": ("input", _then("read", Input)),
    "walkers": ("walkers > 1", _Reader.compared),
    "born": ("born", lambda reader: Happened(attrgetter("born"))),
    "gone": ("gone", lambda reader: Happened(attrgetter("gone"))),
    "meeting": ("meeting", lambda reader: Number(_most_in_one_cell, partial(operator.lt, 1))),
    "in": ("in 0,0..7,3", lambda reader: Inside(reader.region())),
    "enters": ("enters 0,0..7,3", lambda reader: Crossed(reader.region(), True)),
    "leaves": ("leaves 0,0..7,3", lambda reader: Crossed(reader.region(), False)),
    "new": ("new cell", _then("cell", partial(First, "visited", operator.eq))),
    "repeated": ("repeated state", _then("state", partial(First, "seen", operator.lt))),
    "heading": ("heading = up", lambda reader: Heads(reader.heading(), None)),
    "mode": ("mode = string", lambda reader: Heads(None, reader.word_after_equals())),
    "tick": ("tick % 100 = 0", _Reader.compared),
    "ended": ("ended", lambda reader: Ended()),
}
"""By its first word, an example of a condition, and how the rest is read."""
EXAMPLES = {word: example for word, (example, _) in _CONDITIONS.items()}

_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0"}


def unescaped(text: str) -> bytes:
    """The bytes that a text stands for, in which \\n is a new line and \\x41 a letter."""

    def sign(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code[1:], 16)]) if len(code) == 3 else _ESCAPES.get(code, code)

    return re.sub(rb"\\(x[0-9a-fA-F]{2}|.)", sign, bytes_of(text))


def register_of(state: State, name: str) -> Any:
    """What a register holds; None if there is none of that name."""
    registers = state.registers
    if isinstance(registers, dict):
        return registers.get(name)
    is_index = name.isdecimal() and len(name) <= PLACE_DIGITS and int(name) < len(registers)
    return registers[int(name)] if is_index else None


def _size(of: str, state: State) -> int:
    return len(getattr(state, of))


def _most_in_one_cell(state: State) -> int:
    counts = Counter(walker.stance[:2] for walker in state.walkers)
    return max(counts.values(), default=0)
