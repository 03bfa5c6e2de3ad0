"""Large sources and inputs that are made on the spot, the same each time."""

from __future__ import annotations

import os
import random
import tempfile

from planewalk.apps.conversions import convert


def large_brainfuck() -> bytes:
    """Thousands of small loops, none like the other, in one large loop; as Refunge."""
    chance = random.Random(1)
    parts = ["+["]
    for _ in range(6_000):
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
