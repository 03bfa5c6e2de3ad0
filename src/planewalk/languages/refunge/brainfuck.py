"""From Brainfuck to Refunge: cells of 8 bits, a tape without a right end, input that may end.

The tape is the last column of the field and runs down from row 0, so that Brainfuck's `>` is
Refunge's `v`. The column before it, called the ones, holds a 1 beside every cell that was ever
visited: `~<+>` adds it to the cell. Nothing else is written to, so data never meets code.

Code lies to the left of the tape. A straight piece runs to the right and folds back to where it
began, its spine; a loop's body is indented by two columns:

    \\ there \\     right and back again; then jump over the mirror of the way back, turn down
    /\\# back/
    @             zero: jump over the mirror and go on down the spine
    \\ there \\     not zero: into the body ...
     \\ back /     ... and up the column between spine and body, to the test

Where a `<` cannot be proven to stay on the tape, it is made a trap, `#|^#~<!~>@#|`, entered with
the data pointer on the ones. Above the first cell the ones are zero, and beside those zeros a
message stands, upwards. A cursor that finds a zero is turned back by the second bar: `>~!<~`
writes a letter of the message, `#` skips the `^`, the first bar turns the cursor forward again,
`^` goes to the next letter, which has a zero beside it too, and so on until the data pointer
leaves the field at the top. That ends the program.

At the end of input Refunge leaves a cell as it is; so what is to be there is put there before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from ...core.errors import SourceError
from ...core.language_groups import Converted
from .brainfuck_plane import PlaneLayout, Run, Span, Straight, origin_of, place_of, whole

PREPARED = 100  # at most so many ones are made before the program starts
UNARY = 5  # beyond this, doubling makes an amount in fewer steps than counting

ADD, MOVE, READ, WRITE, OPEN, CLOSE, CLEAR, CARRY = (
    "add", "move", "read", "write", "open", "close", "clear", "carry",
)  # fmt: skip

MESSAGE = "\nmoved left of the first cell\n"
LINE_FEED = "*"  # stands for what no source can hold: less the blank beside it, it is one
TRAP = whole(b"#|^#~<!~>@#|")
ONE_BELOW = b"v" + whole(b"@#+") + b"^v~"
"""From one to one, down: if there is none yet, make it by adding the one above."""
KEEP, SAY = "keep", "say"
DEFAULTS = {"eof": "0", "left": SAY}

Deed = tuple[str, int]
"""What to do, and how much of it (ADD, MOVE, CARRY)."""


class Operation(NamedTuple):
    """Something to do, and the part of the source that says so."""

    kind: str
    amount: int
    span: Span


RUNS = re.compile(rb"[+-][^<>.,[\]]*|>[^<+.,[\]-]*|<[^>+.,[\]-]*|[.,[\]]")
"""What becomes one operation, with comments in it. `<>` is two: it may leave the tape."""
KINDS = dict(zip(b"+-><,.[]", [ADD, ADD, MOVE, MOVE, READ, WRITE, OPEN, CLOSE], strict=True))

STROKES: dict[tuple[Deed, ...], Deed] = {
    ((OPEN, 0), (ADD, 1)): (CLEAR, 0),
    ((OPEN, 0), (ADD, -1)): (CLEAR, 0),
}
for _sign in (1, -1):
    _there_and_back = ((MOVE, 1), (ADD, _sign), (MOVE, -1))
    STROKES[((OPEN, 0), (ADD, -1), *_there_and_back)] = (CARRY, _sign)
    STROKES[((OPEN, 0), *_there_and_back, (ADD, -1))] = (CARRY, _sign)
LONGEST = max(map(len, STROKES))


def brainfuck_to_refunge(
    source: bytes, suffix: str = ".ref", options: Mapping[str, Any] = DEFAULTS
) -> Converted:
    """Translate; unmatched brackets are a `SourceError`, all other characters comments."""
    writer = PieceWriter(source, simplify(parse(source)), options)
    pieces = list(writer.pieces())
    layout = PlaneLayout(source)
    layout.straight(writer.prologue())
    for piece in pieces:
        if isinstance(piece, Straight):
            layout.straight(piece)
        elif piece.kind == OPEN:
            layout.open(piece.span)
        else:
            layout.close(piece.span)
    text = layout.text(MESSAGE.replace("\n", LINE_FEED) if writer.trapped else "")
    return Converted(text, tuple(writer.notes), layout.origins)


# Reading ------------------------------------------------------------------------------------


def parse(source: bytes) -> list[Operation]:
    """The instructions, with runs of `+ -` made one amount; checks the brackets."""
    operations: list[Operation] = []
    pending: list[int] = []
    for found in RUNS.finditer(source):
        text, span = found[0], found.span()
        kind, amount = KINDS[text[0]], 0
        if kind == ADD:
            amount = (text.count(b"+") - text.count(b"-") + 127) % 256 - 127
        elif kind == MOVE:
            amount = text.count(b">") - text.count(b"<")
        elif kind == OPEN:
            pending.append(span[0])
        elif kind == CLOSE:
            if not pending:
                raise SourceError("this ] has no [", place_of(source, span[0]))
            pending.pop()
        operations.append(Operation(kind, amount, span))
    if pending:
        raise SourceError("this [ has no ]", place_of(source, pending[-1]))
    return operations


def simplify(operations: list[Operation]) -> list[Operation]:
    """Do small loops at a stroke, and drop loops that hold nothing but a loop.

    `[-]` clears; `[->+<]` carries a cell to the next one. `[[...]]` is `[...]`: the inner loop
    ends with the zero that ends the outer one.
    """
    done: list[Operation | None] = []
    starts: list[int] = []
    last_loop = (-1, -1)  # first and last index
    for operation in operations:
        if operation.kind == OPEN:
            starts.append(len(done))
        if operation.kind != CLOSE:
            done.append(operation)
            continue
        start = starts.pop()
        loop = [step for step in done[start : start + LONGEST + 1] if step]
        stroke = STROKES.get(tuple([step[:2] for step in loop])) if len(loop) <= LONGEST else None
        if stroke:
            span = loop[0].span[0], operation.span[1]
            done[start:] = [Operation(*stroke, span)]
        elif last_loop == (start + 1, len(done) - 1):
            done[start] = None
            last_loop = (start, len(done) - 1)
        else:
            last_loop = (start, len(done))
            done.append(operation)
    return [operation for operation in done if operation]


# From operations to Refunge, still in a line --------------------------------------------------


class Known:
    """What is known at a point of the program, whichever way it was reached."""

    __slots__ = ("exact", "mode", "ones", "place", "top")

    def __init__(
        self, mode: bytes = b"", place: int = 0, ones: int = 0, top: int = 0, exact: bool = False
    ) -> None:
        self.mode = mode
        """The data mode; empty if it may be any."""
        self.place = place
        """The row of the data pointer, counted from wherever that was last in doubt."""
        self.ones = ones
        """The lowest row that is sure to have its one, counted likewise."""
        self.top = top
        """The highest row that is sure to be on the tape, counted likewise."""
        self.exact = exact
        """Whether rows are counted from the first cell."""

    def in_any_mode(self) -> Known:
        """The same, but for the data mode."""
        return Known(b"", self.place, self.ones, self.top, self.exact)


class PieceWriter:
    """Writes straight pieces."""

    def __init__(
        self, source: bytes, operations: list[Operation], options: Mapping[str, Any]
    ) -> None:
        self.source, self.operations = source, operations
        self.at_end, self.says = options["eof"], options["left"] == SAY
        self.steady = steady_loops(operations)
        self.ones = self._known_reach()
        self.known = Known(b"~" if self.ones else b"-", 0, self.ones, exact=True)
        self.code = bytearray()
        self.runs: list[Run] = []
        self.trapped = False
        self.notes: list[str] = []

    def prologue(self) -> Straight:
        """Find the tape, turn the "10" that marks it into a one and a zero, prepare ones."""
        code = b"<-<~>-X"
        if self.trapped:
            letters = (b">~<-Xv" if letter == "\n" else b"Xv" for letter in reversed(MESSAGE))
            code = b"<<-" + b"".join(letters) + b"~>-<~>-X"
        if self.ones:
            code += b"~<+" + b"v" * self.ones + b"~" + b"^" * self.ones + b">"
        return Straight(code, [(len(code), None)])

    def _known_reach(self) -> int:
        """How far right the program goes while its place is known, within reason."""
        place = reach = 0
        for index, (kind, amount, _) in enumerate(self.operations):
            if kind == OPEN and index not in self.steady:
                break
            if kind == MOVE:
                place += amount
            below = kind == CARRY or (kind == ADD and abs(amount) > UNARY)
            reach = max(reach, place + below)
        return min(reach, PREPARED)

    def pieces(self) -> Iterator[Operation | Straight]:
        """OPEN, CLOSE, and the straight pieces between them."""
        outside: list[Known | None] = []
        for index, operation in enumerate(self.operations):
            kind, amount, span = operation
            if kind in (OPEN, CLOSE):
                if self.code:
                    yield self._taken()
                if kind == CLOSE:
                    self.known = outside.pop() or Known()
                elif index in self.steady:
                    outside.append(self.known.in_any_mode())
                    self.known = self.known.in_any_mode()
                else:
                    outside.append(None)
                    self.known = Known()
                yield operation
            else:
                self._do(kind, amount, span)
                self.runs.append((len(self.code), span))
        if self.code:
            yield self._taken()

    def _taken(self) -> Straight:
        taken = Straight(bytes(self.code), self.runs)
        self.code, self.runs = bytearray(), []
        return taken

    def _do(self, kind: str, amount: int, span: Span) -> None:
        if kind == ADD:
            self._add(amount)
        elif kind == MOVE and amount > 0:
            self._move_right(amount)
        elif kind == MOVE:
            self._move_left(-amount, span)
        elif kind == CARRY:
            self._prepare_below()
            self._carry(b"v~^-X", b"+" if amount > 0 else b"-")
            self.known.mode = b"-"
        elif kind == READ:
            self._read()
        else:
            self._carry(b"X", b"!" if kind == WRITE else b"-")

    def _read(self) -> None:
        if self.at_end != KEEP:
            self._carry(b"X", b"-")
            self._add(int(self.at_end))
        self._carry(b"X", b"?")

    def _carry(self, moves: bytes, mode: bytes = b"~") -> None:
        """Move the data pointer in that mode."""
        if self.known.mode != mode:
            self.code += mode
            self.known.mode = mode
        self.code += moves

    def _move_right(self, amount: int) -> None:
        known = self.known
        sure = min(amount, max(known.ones - known.place, 0))
        known.place += amount
        if sure:
            self._carry(b"v" * sure)
        if amount > sure:
            self._carry(b"<" + ONE_BELOW * (amount - sure) + b">")
            known.ones = known.place

    def _move_left(self, amount: int, span: Span) -> None:
        known = self.known
        known.place -= amount
        doubtful = max(known.top - known.place, 0) if self.says else 0
        if amount > doubtful:
            self._carry(b"^" * (amount - doubtful))
        if doubtful:
            self._carry(b"<" + TRAP * doubtful + b">")
            self.trapped = True
        known.top = min(known.top, known.place)
        if known.exact and known.top < 0:
            line, column, text = origin_of(self.source, span)
            self.notes.append(
                f"line {line}, column {column}: {text} moves left of the first cell whenever it "
                "is reached, which ends the program"
            )
            known.exact = False

    def _prepare_below(self) -> None:
        known = self.known
        if known.ones <= known.place:
            self._carry(b"<" + ONE_BELOW + b"^>")
            known.ones = known.place + 1

    def _add(self, amount: int) -> None:
        if not amount:
            return
        if abs(amount) <= UNARY:
            sign = b"+" if amount > 0 else b"-"
            once = b"<" + sign + b">"
            self._carry(once + (b"~" + once) * (abs(amount) - 1))
            self.known.mode = sign
        else:
            self._prepare_below()
            self._carry(_doubling(amount))


@cache
def _doubling(amount: int) -> bytes:
    """Double and count the one up to the amount with the help of the one below, add it to the cell,
    and make it a one again."""
    up = (b"X~v+^" if bit == "1" else b"X" for bit in f"{abs(amount):b}"[1:])
    return b"<+" + b"".join(up) + (b">" if amount > 0 else b"->") + b"~<-X~v+^~>"


def steady_loops(operations: list[Operation]) -> set[int]:
    """Where loops begin that always leave the data pointer where it was."""
    steady: set[int] = set()
    begun: list[tuple[int, int, bool]] = []  # index; moves and steadiness outside it so far
    moves, still = 0, True
    for index, (kind, amount, _) in enumerate(operations):
        if kind == MOVE:
            moves += amount
        elif kind == OPEN:
            begun.append((index, moves, still))
            moves, still = 0, True
        elif kind == CLOSE:
            start, outer_moves, outer_still = begun.pop()
            still = still and moves == 0
            if still:
                steady.add(start)
            moves, still = outer_moves, outer_still and still
    return steady
