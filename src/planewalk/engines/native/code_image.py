"""Machine code as it lies in memory, with the few places that depend on where that is.

Such images are made from objects when code is kept (see `object_file.py`), so that to load one is
little more than to copy it. All of it is checked: what is not whole raises `NotWhole`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from struct import Struct, error

from ...core.base.named import NamedTuple
from ..base.executable import ExecutableMemory, address_of_function

HEADER = Struct("<QIIII")
"""Where the code is entered; how many runs, borrowed words, bytes of names and of code follow."""
RUN = Struct("<II")
BORROWED = Struct("<IIq")
NUMBER = Struct("<Q")
WORD = NUMBER.size
ONE = b"\1" + bytes(WORD - 1)
MASK = (1 << 8 * WORD) - 1


class NotWhole(Exception):
    """It is not an image, or none that can be loaded here."""


class WordRun(NamedTuple):
    """Words one after the other to which the address of the image is added."""

    offset: int
    words: int


class BorrowedWord(NamedTuple):
    """A word that holds the address of a function of the process, and something added to it."""

    offset: int
    name: str
    addend: int


class CodeImage(NamedTuple):
    """Machine code from an object, linked but for these words."""

    code: bytes
    entry: int
    runs: Sequence[tuple[int, int]]
    """See `WordRun`."""
    borrowed: list[BorrowedWord]

    def dump(self) -> bytes:
        """As bytes."""
        names = sorted({word.name for word in self.borrowed})
        text = "\n".join(names).encode()
        sizes = len(self.runs), len(self.borrowed), len(text), len(self.code)
        borrowed = [
            BORROWED.pack(offset, names.index(name), addend)
            for offset, name, addend in self.borrowed
        ]
        header = HEADER.pack(self.entry, *sizes)
        return b"".join(
            [header, *(RUN.pack(*run) for run in self.runs), *borrowed, text, self.code]
        )


def load(content: bytes) -> tuple[ExecutableMemory, int]:
    """The memory in which the code of such bytes is now, and where it is entered."""
    try:
        image = _image(content)
        memory = ExecutableMemory(len(image.code))
        memory.fill(_at(image, memory.address))
    except (error, ValueError, IndexError, OverflowError, OSError) as reason:
        raise NotWhole(str(reason)) from None
    return memory, memory.address + image.entry


def _image(content: bytes) -> CodeImage:
    entry, runs, borrowed, names, code = HEADER.unpack_from(content)
    ends = list(_ends(HEADER.size, runs * RUN.size, borrowed * BORROWED.size, names, code))
    if ends[-1] != len(content) or entry >= code:
        raise ValueError("it is cut off, or too long")
    parts = [content[begin:end] for begin, end in pairwise(ends)]
    known = parts[2].decode().split("\n")
    return CodeImage(
        parts[3],
        entry,
        list(RUN.iter_unpack(parts[0])),
        [
            BorrowedWord(offset, known[name], addend)
            for offset, name, addend in BORROWED.iter_unpack(parts[1])
        ],
    )


def _ends(begin: int, *sizes: int) -> Iterator[int]:
    """Where parts of these sizes begin and end."""
    yield begin
    for size in sizes:
        begin += size
        yield begin


def _at(image: CodeImage, address: int) -> bytearray:
    """The code as it is at an address."""
    code = bytearray(image.code)
    for offset, count in image.runs:
        if count == 1:  # of these there are thousands
            NUMBER.pack_into(code, offset, NUMBER.unpack_from(code, offset)[0] + address)
        else:
            _move(code, offset, count, address)
    for offset, name, addend in image.borrowed:
        found = address_of_function(name)
        if found is None:
            raise ValueError(f"there is no function {name!r} in this process")
        NUMBER.pack_into(code, offset, found + addend & MASK)
    return code


def _move(code: bytearray, offset: int, count: int, address: int) -> None:
    """Add an address to several words at once, as to one long number: none of them is so large as
    to run over."""
    end = offset + count * WORD
    if end > len(code):
        raise ValueError("a run is longer than the code")
    words = int.from_bytes(code[offset:end], "little")
    words += address * int.from_bytes(ONE * count, "little")
    code[offset:end] = words.to_bytes(count * WORD, "little")
