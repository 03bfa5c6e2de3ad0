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
message stands, upwards. Whoever finds a zero is turned back by the second bar: `>~!<~` writes a
letter of the message, `#` skips the `^`, the first bar turns the cursor forward again, `^` goes
to the next letter, which has a zero beside it too, and so on until the data pointer leaves the
field at the top. That ends the program.

At the end of input Refunge leaves a cell as it is; so what is to be there is put there before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...core.conversion import Converted, Origin
from ...core.errors import SourceError

HALF = 36  # cells of code in a row before it folds
PREPARED = 100  # at most so many ones are made before the program starts
UNARY = 5  # beyond this, doubling makes an amount in fewer steps than counting

ADD, MOVE, READ, WRITE, OPEN, CLOSE, CLEAR, CARRY = (
    "add", "move", "read", "write", "open", "close", "clear", "carry",
)  # fmt: skip

MESSAGE = "\nmoved left of the first cell\n"
LINE_FEED = "*"  # stands for what no source can hold: less the blank beside it, it is one
TRAP = "#|^#~<!~>@#|"
KEEP, SAY = "keep", "say"
DEFAULTS = {"eof": "0", "left": SAY}

Deed = tuple[str, int]
"""What to do, and how much of it (ADD, MOVE, CARRY)."""


class Operation(NamedTuple):
    """Something to do, and the characters that say so."""

    kind: str
    amount: int
    origin: Origin


Atom = tuple[str, Origin | None]
"""Code that must stay in one row, and what it comes from."""

_SINGLE = {b"+": (ADD, 1), b"-": (ADD, -1), b">": (MOVE, 1), b"<": (MOVE, -1)}
_SINGLE |= {b",": (READ, 0), b".": (WRITE, 0), b"[": (OPEN, 0), b"]": (CLOSE, 0)}

STROKES: dict[tuple[Deed, ...], Deed] = {
    ((OPEN, 0), (ADD, 1)): (CLEAR, 0),
    ((OPEN, 0), (ADD, -1)): (CLEAR, 0),
}
for _sign in (1, -1):
    _there_and_back = ((MOVE, 1), (ADD, _sign), (MOVE, -1))
    STROKES[((OPEN, 0), (ADD, -1), *_there_and_back)] = (CARRY, _sign)
    STROKES[((OPEN, 0), *_there_and_back, (ADD, -1))] = (CARRY, _sign)


def brainfuck_to_refunge(
    source: bytes, suffix: str = ".ref", options: Mapping[str, Any] = DEFAULTS
) -> Converted:
    """Translate; unmatched brackets are a `SourceError`, all other characters comments."""
    writer = PieceWriter(simplify(parse(source)), options)
    pieces = list(writer.pieces())
    layout = PlaneLayout()
    layout.straight(writer.prologue())
    for piece in pieces:
        if isinstance(piece, list):
            layout.straight(piece)
        elif piece.kind == OPEN:
            layout.open(piece.origin)
        else:
            layout.close(piece.origin)
    text = layout.text(MESSAGE.replace("\n", LINE_FEED) if writer.trapped else "")
    return Converted(text, tuple(writer.notes), layout.origins)


# Reading ------------------------------------------------------------------------------------


def parse(source: bytes) -> list[Operation]:
    """The instructions, with runs of `+ -` made one amount; checks the brackets."""
    operations: list[Operation] = []
    pending: list[tuple[int, int]] = []
    for y, line in enumerate(source.split(b"\n")):
        for x in range(len(line)):
            sign = line[x : x + 1]
            if sign not in _SINGLE:
                continue
            operation = Operation(*_SINGLE[sign], Origin(y + 1, x + 1, sign.decode()))
            if operation.kind == OPEN:
                pending.append((x, y))
            elif operation.kind == CLOSE:
                if not pending:
                    raise SourceError("this ] has no [", (x, y))
                pending.pop()
            operations.append(_joined(operations, operation))
    if pending:
        raise SourceError("this [ has no ]", pending[-1])
    return operations


def _joined(operations: list[Operation], operation: Operation) -> Operation:
    """The operation, made one with the last of `operations`, which it takes off, if it can be."""
    kind, amount, origin = operation
    if not operations or kind not in (ADD, MOVE) or operations[-1].kind != kind:
        return operation
    if kind == MOVE and operations[-1].amount * amount < 0:
        return operation  # `<>` is not nothing: it may leave the tape
    before = operations.pop()
    total = before.amount + amount
    total = (total + 127) % 256 - 127 if kind == ADD else total
    return Operation(kind, total, before.origin.with_more(origin))


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
        loop = [step for step in done[start : start + 6] if step]
        stroke = STROKES.get(tuple(step[:2] for step in loop))
        if stroke:
            origin = loop[0].origin.with_more(*(step.origin for step in loop[1:]), operation.origin)
            done[start:] = [Operation(*stroke, origin)]
        elif last_loop == (start + 1, len(done) - 1):
            done[start] = None
            last_loop = (start, len(done) - 1)
        else:
            last_loop = (start, len(done))
            done.append(operation)
    return [operation for operation in done if operation]


# From operations to Refunge, still in a line --------------------------------------------------


@dataclass
class Known:
    """What is known at a point of the program, whichever way it was reached."""

    mode: str = ""
    """The data mode; empty if it may be any."""
    place: int = 0
    """The row of the data pointer, counted from wherever that was last in doubt."""
    ones: int = 0
    """The lowest row that is sure to have its one, counted likewise."""
    top: int = 0
    """The highest row that is sure to be on the tape, counted likewise."""
    exact: bool = False
    """Whether rows are counted from the first cell."""


class PieceWriter:
    """Writes straight pieces as lists of atoms."""

    def __init__(self, operations: list[Operation], options: Mapping[str, Any]) -> None:
        self.operations = operations
        self.at_end, self.says = options["eof"], options["left"] == SAY
        self.steady = steady_loops(operations)
        self.ones = self._known_reach()
        self.known = Known("~" if self.ones else "-", 0, self.ones, exact=True)
        self.atoms: list[Atom] = []
        self.origin: Origin | None = None
        self.trapped = False
        self.notes: list[str] = []

    def prologue(self) -> list[Atom]:
        """Find the tape, turn the "10" that marks it into a one and a zero, prepare ones."""
        self.origin = None
        if self.trapped:
            self._write("<<-")
            for letter in reversed(MESSAGE):
                self._write(">~<-Xv" if letter == "\n" else "Xv")
            self._write("~>-<~>-X")
        else:
            self._write("<-<~>-X")
        if self.ones:
            self._write("~<+" + "v" * self.ones)
            self._write("~" + "^" * self.ones + ">")
        return self._taken()

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

    def pieces(self) -> Iterator[Operation | list[Atom]]:
        """OPEN, CLOSE, and the straight pieces between them."""
        outside: list[Known | None] = []
        for index, operation in enumerate(self.operations):
            kind, amount, self.origin = operation
            if kind == OPEN:
                if self.atoms:
                    yield self._taken()
                steady = index in self.steady
                outside.append(replace(self.known, mode="") if steady else None)
                self.known = replace(self.known, mode="") if steady else Known()
                yield operation
            elif kind == CLOSE:
                if self.atoms:
                    yield self._taken()
                self.known = outside.pop() or Known()
                yield operation
            else:
                self._do(kind, amount)
        if self.atoms:
            yield self._taken()

    def _taken(self) -> list[Atom]:
        taken, self.atoms = self.atoms, []
        return taken

    def _do(self, kind: str, amount: int) -> None:
        if kind == ADD:
            self._add(amount)
        elif kind == MOVE:
            self._move(amount)
        elif kind == CARRY:
            self._prepare_below()
            self._enter("+" if amount > 0 else "-")
            self._write("v~^-X")
            self.known.mode = "-"
        elif kind == READ:
            self._read()
        else:
            self._carry("X", {WRITE: "!", CLEAR: "-"}[kind])

    def _read(self) -> None:
        if self.at_end != KEEP:
            self._carry("X", "-")
            self._add(int(self.at_end))
        self._carry("X", "?")

    def _write(self, text: str) -> None:
        self.atoms += ((cell, self.origin) for cell in text)

    def _write_whole(self, text: str) -> None:
        self.atoms.append((text, self.origin))

    def _enter(self, mode: str) -> None:
        if self.known.mode != mode:
            self._write(mode)
            self.known.mode = mode

    def _carry(self, moves: str, mode: str = "~") -> None:
        """Move the data pointer in that mode."""
        self._enter(mode)
        self._write(moves)

    def _move(self, amount: int) -> None:
        known = self.known
        if amount < 0:
            self._move_left(-amount)
        else:
            sure = min(amount, max(known.ones - known.place, 0))
            if sure:
                self._carry("v" * sure)
            if amount > sure:
                self._carry("<")
                for _ in range(amount - sure):
                    self._one_below()
                self._carry(">")
                known.ones = known.place + amount
        known.place += amount

    def _move_left(self, amount: int) -> None:
        known = self.known
        doubtful = max(known.top - (known.place - amount), 0) if self.says else 0
        if amount > doubtful:
            self._carry("^" * (amount - doubtful))
        if doubtful:
            self._carry("<")
            for _ in range(doubtful):
                self._write_whole(TRAP)
            self._carry(">")
            self.trapped = True
        known.top = min(known.top, known.place - amount)
        if known.exact and known.top < 0:
            self._note_left_end()

    def _note_left_end(self) -> None:
        assert self.origin is not None
        line, column, text = self.origin
        self.notes.append(
            f"line {line}, column {column}: {text} moves left of the first cell whenever it is "
            "reached, which ends the program"
        )
        self.known.exact = False

    def _one_below(self) -> None:
        """From one to one, down: if there is none yet, make it by adding the one above."""
        self._write("v")
        self._write_whole("@#+")
        self._write("^v~")

    def _prepare_below(self) -> None:
        known = self.known
        if known.ones <= known.place:
            self._carry("<")
            self._one_below()
            self._write("^>")
            known.ones = known.place + 1

    def _add(self, amount: int) -> None:
        sign = "+" if amount > 0 else "-"
        if abs(amount) <= UNARY:
            for _ in range(abs(amount)):
                self._carry("<")
                self._carry(">", sign)
            return
        # Double and count the one up to the amount with the help of the one below, add it to the
        # cell, and make it a one again.
        self._prepare_below()
        self._carry("<")
        for bit in f"{abs(amount):b}"[1:]:
            self._carry("X", "+")
            if bit == "1":
                self._carry("v")
                self._carry("^", "+")
        self._carry(">", sign)
        self._carry("<")
        self._carry("X", "-")
        self._carry("v")
        self._carry("^", "+")
        self._carry(">")


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


# From a line to the plane ---------------------------------------------------------------------


class PlaneLayout:
    """Puts code on the plane, from the top down. See the top of this module for its shapes."""

    def __init__(self) -> None:
        self.rows: list[dict[int, str]] = []
        self.origins: dict[tuple[int, int], Origin] = {}
        self.y = 0
        self.spine = 0
        self.entering = True  # heading right on the spine, not down
        self.pending: list[Atom] = []  # a straight piece; what follows decides how it ends

    def straight(self, atoms: list[Atom]) -> None:
        self.pending += atoms

    def open(self, origin: Origin) -> None:
        """The beginning of a loop; its body comes next."""
        s = self.spine
        if self.pending:
            self._fold(s + 3)
            self._put(s + 2, self.y, "#", origin)
        else:
            if self.entering:
                self._put(s, self.y, "\\", origin)
                self.y += 1
            self._put(s, self.y, "#", origin)
            self.y += 1
        self._put(s, self.y, "/", origin)
        self._put(s + 1, self.y, "\\", origin)
        self._put(s, self.y + 1, "@", origin)
        self._put(s, self.y + 2, "\\", origin)
        self.y += 2
        self.spine = s + 2
        self.entering = True

    def close(self, origin: Origin) -> None:
        """The end of the loop's body: its way back goes up beside the outer spine."""
        s = self.spine
        if self.pending:
            self._fold(s)
        else:
            if self.entering:
                self._put(s, self.y, "\\", origin)
                self.y += 1
            self._put(s, self.y, "/", origin)
        self._put(s - 1, self.y, "\\", origin)
        self.y += 1
        self.spine = s - 2
        self.entering = False

    def text(self, message: str) -> bytes:
        """All of it, with the mark of the tape in the last columns, below the message."""
        if self.pending:
            self._fold(self.spine + 1)
            self._put(self.spine, self.y, "/")
        width = max(max(row, default=0) for row in self.rows) + 4
        for y, letter in enumerate(reversed(message)):
            self._put(width - 1, y, letter)
        self._put(width - 2, len(message), "1")
        self._put(width - 1, len(message), "0")
        return b"".join(map(_line, self.rows))

    def _put(self, x: int, y: int, cell: str, origin: Origin | None = None) -> None:
        while len(self.rows) <= y:
            self.rows.append({})
        self.rows[y][x] = cell
        if origin is not None:
            self.origins[x, y] = origin

    def _fold(self, end: int) -> None:
        """Write the pending piece to the right and back. It ends on row y, heading left, and
        leaves the cells before column `end` free there."""
        atoms, self.pending = self.pending[::-1], []
        left = sum(len(text) for text, _ in atoms)
        while left > 2 * HALF:
            left -= self._there_and_back(atoms, self.spine + 1 + HALF, self.spine + 1)
            self._put(self.spine, self.y, "/")
            self.y += 1
        first = self.spine if self.entering else self.spine + 1
        corner = max(end, (left + first + end + 1) // 2)
        while left - _fitting(atoms, corner - first) > corner - end:
            corner += 1  # an atom did not fit into the first row
        self._there_and_back(atoms, corner, end)

    def _there_and_back(self, atoms: list[Atom], corner: int, end: int) -> int:
        """Write as much as goes into two rows; atoms are taken from the end of the list."""
        first = self.spine
        if not self.entering:
            self._put(first, self.y, "\\")
            first += 1
        self.entering = False
        there = _take(atoms, corner - first)
        back = _take(atoms, corner - end)
        for x, (cell, origin) in enumerate(there, first):
            self._put(x, self.y, cell, origin)
        self._put(corner, self.y, "\\")
        self.y += 1
        self._put(corner, self.y, "/")
        for x, (cell, origin) in enumerate(back, 1):
            self._put(corner - x, self.y, cell, origin)
        return len(there) + len(back)


def _fitting(atoms: list[Atom], room: int) -> int:
    """How many cells of code go into that room, atoms being whole."""
    used = 0
    for text, _ in reversed(atoms):
        if used + len(text) > room:
            break
        used += len(text)
    return used


def _take(atoms: list[Atom], room: int) -> list[Atom]:
    """The cells of as many atoms as go into that room."""
    taken: list[Atom] = []
    while atoms and len(taken) + len(atoms[-1][0]) <= room:
        text, origin = atoms.pop()
        taken += ((cell, origin) for cell in text)
    return taken


def _line(row: dict[int, str]) -> bytes:
    line = bytearray(b" " * (max(row, default=-1) + 1))
    for x, cell in row.items():
        line[x] = ord(cell)
    return bytes(line) + b"\n"
