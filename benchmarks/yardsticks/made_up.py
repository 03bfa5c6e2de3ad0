"""Large sources and inputs that are made on the spot, the same each time."""

from __future__ import annotations

import os
import random
import tempfile

from planewalk.apps.conversions import convert


def large_brainfuck() -> bytes:
    """Half a million cells."""
    return brainfuck(6_000)


def brainfuck(loops: int) -> bytes:
    """So many small loops, none like the other, in one large loop; as Refunge."""
    chance = random.Random(1)
    parts = ["+["]
    for _ in range(loops):
        times, amount, far = chance.randint(2, 9), chance.randint(1, 5), chance.randint(1, 6)
        there, back = ">" * far, "<" * far
        parts.append(f"{there}{'+' * times}[{there}{'+' * amount}{back}-]{there}[-]{back}{back}")
    parts.append(">.+<]")
    return _converted("".join(parts))


def long_row() -> bytes:
    """One row that a cursor goes round and round, moving its hand and nothing else."""
    return b"~>~<~" * 20_000


def rewriting_row() -> bytes:
    """A row of a million cells of which each seventh is changed whenever a cursor comes by."""
    units = 142_857
    return b"~v" + b"+^~v~>a" * units + b"~^\n\0\0" + b"\0\0\0\0\0\0\x80" * units


def growing_tape() -> bytes:
    """Brainfuck that walks along its tape for ever; as Refunge."""
    return _converted("+[>+++[<+>-]>+]")


def growing_crowd() -> bytes:
    """A ring that sends a cursor to another ring, in which they do a few deeds, in each round."""
    lead = b"~vvvvvvv\\"
    before = b" " * len(lead)
    rows = [
        lead + b" / +>v-^~<+>v-^~<          \\ ",
        before[1:] + b"  \\" + b" " * 22 + b"\\# / ",
        before[1:] + b"\\#/ ~>" + b" " * 19 + b"Y    ",
        before[1:] + b"  \\" + b" " * 22 + b"/    ",
    ]
    data = [bytes((7 * i * j + 13 * i + j) % 26 + 97 for i in range(38)) for j in range(8)]
    return b"\n".join([*rows, b"", *data])


def quiet_crowd() -> bytes:
    """The same crowd with nothing to do but walk and fork."""
    return growing_crowd().replace(b"+>v-^~<", b" " * 7)


def wide_crowd() -> bytes:
    """8,192 cursors, each with cells of its own: they fork 13 times, and one of both goes on."""
    rows = [b"vvvv\\", b"    \\", b"     "]
    for moves in [b">" * (1 << k) for k in range(1, 8)] + [b"v" * (1 << k) for k in range(1, 7)]:
        blank = b" " * len(moves)
        rows[0] += b"/" + moves + b"\\  "
        rows[1] += b"Y" + blank + b"\\#/"
        rows[2] += b"\\" + blank + b"  /"
    rows[1] += b"#/+>v-^~<  \\"
    rows[2] += b" \\ ~^<->+v~/"
    data = [bytes((7 * i * j + 13 * i + j) % 26 + 97 for i in range(256)) for j in range(128)]
    return b"\n".join([*rows, b"", *data])


def dying_crowd() -> bytes:
    """1,024 cursors, each of which forks in each round, and one of both leaves the field."""
    path = os.path.join(os.path.dirname(__file__), "..", "programs", "cursors-1024.ref")
    with open(path, "rb") as file:
        top, ring, rest = file.read().split(b"\n", 2)
    return b"\n".join([top, ring.rstrip()[:-1] + b"Y", rest])


def _converted(brainfuck: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.bf")
        with open(path, "w") as file:
            file.write(brainfuck)
        return convert(path, to=".ref")


DIRECTIONS = ("E", "SE", "S", "SW", "W", "NW", "N", "NE")


def growing(direction: str) -> bytes:
    """A Gemooy pattern that grows that way for ever. In each round of its ring a cell is written,
    and the hand goes on; in two directions, if another handle lies in a side."""
    turns, slanted = divmod(DIRECTIONS.index(direction), 2)
    down = 3 if slanted else 1
    ring = dict.fromkeys(((2, 2), (6, 6), (9, 6), (10, 7), (10, 7 + down), (1, 2)), "@")
    ring |= dict.fromkeys(((8, 9 + down), (1 + down, 9 + down), (-2, 6), (-2, 5)), "@")
    ring |= {(5, 5): "#", (7, 6): "#"} | ({(10, 8): "#"} if slanted else {})
    if turns < 2:
        ring[4, 4] = "#"  # what was taken away once is put in twice
    start = ((3, 3), (-1, 4), (down, 8 + down), (9, 8 + down))[turns]
    ring |= {start: "$", (14, 14 * slanted): "%"}
    for _ in range(turns):
        ring = {(-y, x): sign for (x, y), sign in ring.items()}
    left, top = (min(place[axis] for place in ring) for axis in (0, 1))
    width, height = (1 + max(place[axis] for place in ring) for axis in (0, 1))
    rows = ("".join(ring.get((x, y), " ") for x in range(left, width)) for y in range(top, height))
    return "\n".join(rows).encode()


def lines() -> bytes:
    """20 MB of text."""
    line = b"Two roads meet, and neither asks which way is up.\n"
    return line * (20_000_000 // len(line))


def numbers() -> bytes:
    """A thousand, in no order."""
    chance = random.Random(2)
    return b"\n".join(b"%d" % chance.randrange(1_000_000) for _ in range(1_000)) + b"\n"


def straight() -> bytes:
    """A row of ten million cells, with an end."""
    return b"1$" * 4_999_999 + b"1@"


def wide_loop() -> bytes:
    """A row of a million cells without an end."""
    return b"1$" * 500_000
