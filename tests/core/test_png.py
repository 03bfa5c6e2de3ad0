"""PNG pictures without Pillow: the same cells, and the same words, as with it."""

import struct
import zlib
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from planewalk.core.errors import SourceError
from planewalk.core.images import reading
from planewalk.core.images.png import CHANNELS, DEPTHS, PALETTE, PASSES, SIGNATURE, chunk
from planewalk.languages.bmprog.picture import _cells, _cells_of_png

FORMS = [(kind, depth) for kind, depths in DEPTHS.items() for depth in depths]
PURE = [0, 0, 255, 255, 1, 254, 128]


def paeth(a: int, b: int, c: int) -> int:
    there = a + b - c
    return min((a, b, c), key=lambda one: abs(there - one))


def filtered(kind: int, row: bytes, before: bytes, step: int) -> bytes:
    """A row as a file has it, as the specification says."""
    made = bytearray([kind])
    for at, byte in enumerate(row):
        a = row[at - step] if at >= step else 0
        b, c = before[at], before[at - step] if at >= step else 0
        guess = (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]
        made.append(byte - guess & 255)
    return bytes(made)


def picture(draw: st.DrawFn, *, most: int = 20) -> bytes:
    """A PNG file of any form."""
    kind, depth = draw(st.sampled_from(FORMS))
    width, height = draw(st.integers(1, most)), draw(st.integers(1, most))
    interlaced = draw(st.booleans())
    bits, some = depth * CHANNELS[kind], draw(st.randoms(use_true_random=False))
    packed = bytearray()
    for left, right, top, down in PASSES if interlaced else ((0, 1, 0, 1),):
        length = (len(range(left, width, right)) * bits + 7) // 8
        before = bytes(length)
        for _ in range(top, height, down) if length else ():
            row = bytes(some.choice(PURE) if depth >= 8 else some.randrange(256)
                        for _ in range(length))  # fmt: skip
            if some.random() < 0.3:
                row = before
            packed += filtered(some.randrange(5), row, before, max(bits // 8, 1))
            before = row
    data, chunks = zlib.compress(bytes(packed)), [_header(width, height, depth, kind, interlaced)]
    if kind == PALETTE:
        colours = draw(st.integers(1, 1 << depth))
        chunks.append(chunk(b"PLTE", bytes(some.choice(PURE) for _ in range(3 * colours))))
        if some.random() < 0.5:
            chunks.append(chunk(b"tRNS", bytes(some.choice(PURE) for _ in range(colours))))
    if some.random() < 0.3:
        chunks.append(chunk(b"tEXt", b"Comment\0of no meaning"))
    cut = some.randrange(len(data) + 1)
    chunks += [chunk(b"IDAT", data[:cut]), chunk(b"IDAT", data[cut:]), chunk(b"IEND", b"")]
    return SIGNATURE + b"".join(chunks)


def _header(width: int, height: int, depth: int, kind: int, interlaced: int) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))


pngs = st.composite(picture)()


def ours(source: bytes) -> bytes:
    return _cells_of_png(reading.open_png(source))


def theirs(source: bytes) -> bytes:
    return _cells(reading.read_picture(source))


def told(read: Callable[[bytes], bytes], source: bytes) -> bytes | str:
    """The cells, or what is said against the picture."""
    try:
        return read(source)
    except SourceError as error:
        return str(error)


@given(pngs)
def test_every_form_is_read_as_pillow_reads_it(source: bytes) -> None:
    assert ours(source) == theirs(source)


@given(pngs, st.data())
def test_the_same_is_said_of_what_is_cut_off(source: bytes, data: st.DataObject) -> None:
    cut = source[: data.draw(st.integers(0, len(source)))]
    assert told(ours, cut) == told(theirs, cut)


@given(pngs, st.data())
def test_the_same_is_said_of_what_is_damaged(source: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(source) - 1))
    harmed = source[:at] + bytes([data.draw(st.integers(0, 255))]) + source[at + 1 :]
    assert told(ours, harmed) == told(theirs, harmed)
