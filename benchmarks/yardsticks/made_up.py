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
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.bf")
        with open(path, "w") as file:
            file.write("".join(parts))
        return convert(path, to=".ref")


def long_row() -> bytes:
    """One row that a cursor goes round and round, moving its hand and nothing else."""
    return b"~>~<~" * 20_000


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
