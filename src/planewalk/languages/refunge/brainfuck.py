"""From Brainfuck to Refunge: cells of 8 bits, a tape without a right end, input that may end.

The tape is the last column of the field and runs down from row 0, so that Brainfuck's `>` is
Refunge's `v`. The column before it, called the ones, holds a 1 beside every cell that was ever
visited: `~<+>` adds it to the cell. Nothing else is written to, so data never meets code.

Code lies to the left of the tape. A straight piece runs to the right and folds back to where it
began, its spine; a loop's body is indented by two columns:

      code #\\/     the spine turns down; the loop's way back comes in from below
           @       zero: jump over the mirror, go on down the spine
           \\ code  not zero: into the body ...
             edoc  ... and back up the column between spine and body
            (way back)

Moving left of the first cell moves the data pointer off the top of the field, which ends the
program. At the end of input a cell keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...core.errors import SourceError

HALF = 36  # cells of code in a row before it folds
PREPARED = 100  # at most so many ones are made before the program starts
UNARY = 5  # beyond this, doubling makes an amount in fewer steps than counting

ADD, MOVE, READ, WRITE, OPEN, CLOSE, CLEAR, CARRY = (
    "add", "move", "read", "write", "open", "close", "clear", "carry",
)  # fmt: skip

Operation = tuple[str, int]
"""What to do, and how much: an amount for ADD and CARRY, a way for MOVE, the loop's partner."""

_SINGLE = {b"+": (ADD, 1), b"-": (ADD, -1), b">": (MOVE, 1), b"<": (MOVE, -1)}
_SINGLE |= {b",": (READ, 0), b".": (WRITE, 0), b"[": (OPEN, 0), b"]": (CLOSE, 0)}


def brainfuck_to_refunge(source: bytes, suffix: str = ".ref") -> bytes:
    """Translate; unmatched brackets are a `SourceError`, all other characters comments."""
    operations = simplify(parse(source))
    writer = Writer(operations)
    layout = Layout()
    layout.straight(writer.prologue())
    for piece in writer.pieces():
        if piece == OPEN:
            layout.open()
        elif piece == CLOSE:
            layout.close()
        else:
            assert isinstance(piece, list)
            layout.straight(piece)
    return layout.text()


# Reading ------------------------------------------------------------------------------------


def parse(source: bytes) -> list[Operation]:
    """The instructions, with runs of `+ -` made one amount; checks the brackets."""
    operations: list[Operation] = []
    pending: list[tuple[int, int]] = []
    for y, line in enumerate(source.split(b"\n")):
        for x in range(len(line)):
            operation = _SINGLE.get(line[x : x + 1])
            if operation is None:
                continue
            if operation[0] == OPEN:
                pending.append((x, y))
            elif operation[0] == CLOSE:
                if not pending:
                    raise SourceError("this ] has no [", (x, y))
                pending.pop()
            if operation[0] == ADD and operations and operations[-1][0] == ADD:
                amount = operations.pop()[1] + operation[1]
                operation = (ADD, (amount + 127) % 256 - 127)
            operations.append(operation)
    if pending:
        raise SourceError("this [ has no ]", pending[-1])
    return operations


def simplify(operations: list[Operation]) -> list[Operation]:
    """Small loops that Refunge does at a stroke, and loops that hold nothing but a loop.

    `[-]` clears; `[->+<]` carries a cell to the next one. `[[...]]` is `[...]`: the inner loop
    ends with the zero that ends the outer one.
    """
    done: list[Operation] = []
    starts: list[int] = []
    whole: list[bool] = []  # for each loop begun: whether it has held one loop and nothing else
    for operation in operations:
        if operation[0] == OPEN:
            starts.append(len(done))
        done.append(operation)
        if operation[0] != CLOSE:
            continue
        start = starts.pop()
        body = done[start + 1 : -1] if len(done) - start <= 6 else []
        stroke = _stroke(body)
        if stroke:
            done[start:] = stroke
        elif done[start + 1 : start + 2] == [(OPEN, 0)] and _partner(done, start + 1, whole):
            del done[start], done[-1]
    return done
