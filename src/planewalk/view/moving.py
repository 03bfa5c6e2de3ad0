"""Moving pictures: GIF, animated PNG and WebP, written frame by frame as they come.

Each frame is encoded by Pillow as a picture of its own, of the part that has changed; what is
written here is only the frame around it. So no more than two frames are ever in memory.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

HOLD = 1.5
"""Seconds for which the last frame stays before a film begins anew."""
PNG_HEAD = b"\x89PNG\r\n\x1a\n"


class Frame(NamedTuple):
    """The part of a picture that has changed, and for how many ticks it is shown.

    `image` has alpha: pixels that are as before are transparent, and take hardly any room.
    """

    image: Any
    x: int
    y: int
    ticks: int


def frames_of(images: Iterable[Any], fps: float, rate: int) -> Iterator[Frame]:
    """Frames from pictures; `rate` is how many ticks a second has in a format."""
    waiting = before = None
    for number, image in enumerate(images):
        if waiting is not None:
            yield waiting
        # Rounded from the beginning of the film on, so that no error adds up.
        ticks = round((number + 1) * rate / fps) - round(number * rate / fps)
        waiting = Frame(*_change(before, image), max(ticks, 1))
        before = image
    if waiting is not None:
        yield waiting._replace(ticks=max(waiting.ticks, round(HOLD * rate)))


def _change(before: Any, image: Any) -> tuple[Any, int, int]:
    """What is new in a picture, and where that is."""
    from PIL import Image, ImageChops

    if before is None:
        return image.convert("RGBA"), 0, 0
    red, green, blue = ImageChops.difference(before, image).split()
    greatest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    changed = greatest.point([0] + [255] * 255)
    left, top, right, bottom = changed.getbbox() or (0, 0, 1, 1)
    left, top = left & ~1, top & ~1  # even, because WebP knows no other places
    fresh = Image.new("RGBA", image.size)
    fresh.paste(image, mask=changed)
    return fresh.crop((left, top, right, bottom)), left, top


def write_gif(file: IO[bytes], images: Iterable[Any], fps: float) -> None:
    """Every frame has colours of its own, so that 256 are enough."""
    for number, (image, x, y, ticks) in enumerate(frames_of(images, fps, 100)):
        if not number:
            file.write(b"GIF89a" + struct.pack("<HHBBB", *image.size, 0x70, 0, 0))
            file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")  # for ever
        table, data, nothing = _gif_parts(image)
        bits = (len(table) // 3 - 1).bit_length() - 1
        file.write(b"\x21\xf9\x04" + struct.pack("<BHBB", 1 << 2 | 1, ticks, nothing, 0))
        file.write(b"\x2c" + struct.pack("<HHHHB", x, y, *image.size, 0x80 | bits))
        file.write(table + data)
    file.write(b"\x3b")


def _gif_parts(image: Any) -> tuple[bytes, bytes, int]:
    """The colour table, the packed pixels, and the number of the colour that is transparent."""
    from PIL import Image

    draft = io.BytesIO()
    few = image.convert("RGB").quantize(255, dither=Image.Dither.NONE)
    nothing = len(few.getpalette()) // 3
    few.paste(nothing, mask=image.getchannel("A").point([255] + [0] * 255))
    few.putpalette([*few.getpalette(), 0, 0, 0])
    few.save(draft, "GIF", optimize=False, interlace=0)
    whole = draft.getvalue()
    at = 13 + 3 * (2 << (whole[10] & 7))
    table = whole[13:at]
    while whole[at] == 0x21:  # an extension: its parts up to an empty one
        at += 2
        while whole[at]:
            at += 1 + whole[at]
        at += 1
    return table, whole[at + 10 : -1], nothing


def write_apng(file: IO[bytes], images: Iterable[Any], fps: float) -> None:
    """How many frames there are stands at the beginning, so it is filled in at the end."""
    number = part = place = 0
    for number, (image, x, y, ticks) in enumerate(frames_of(images, fps, 1000), 1):
        draft = io.BytesIO()
        image.save(draft, "PNG")
        chunks = list(_png_chunks(draft.getvalue()))
        if number == 1:
            file.write(PNG_HEAD)
            _write_chunk(file, *chunks[0])
            place = file.tell()
            _write_chunk(file, b"acTL", struct.pack(">II", 0, 0))
        head = struct.pack(">IIIIIHHBB", part, *image.size, x, y, ticks, 1000, 0, 1)
        _write_chunk(file, b"fcTL", head)
        part += 1
        for kind, data in chunks:
            if kind != b"IDAT":
                continue
            if number == 1:
                _write_chunk(file, kind, data)
            else:
                _write_chunk(file, b"fdAT", struct.pack(">I", part) + data)
                part += 1
    _write_chunk(file, b"IEND", b"")
    file.seek(place)
    _write_chunk(file, b"acTL", struct.pack(">II", number, 0))


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(PNG_HEAD)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length


def _write_chunk(file: IO[bytes], kind: bytes, data: bytes) -> None:
    check = zlib.crc32(kind + data)
    file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check))


def write_webp(file: IO[bytes], images: Iterable[Any], fps: float) -> None:
    """Without losses. The length of the file stands at its beginning, and is filled in last."""
    for number, (image, x, y, ticks) in enumerate(frames_of(images, fps, 1000)):
        if not number:
            file.write(b"RIFF\0\0\0\0WEBP")
            size = _three(image.width - 1) + _three(image.height - 1)
            _write_riff(file, b"VP8X", b"\x12\0\0\0" + size)  # alpha, animation
            _write_riff(file, b"ANIM", bytes(6))
        draft = io.BytesIO()
        image.save(draft, "WEBP", lossless=True)
        places = (x // 2, y // 2, image.width - 1, image.height - 1, ticks)
        head = b"".join(map(_three, places)) + b"\0"  # laid over the frame before
        _write_riff(file, b"ANMF", head + draft.getvalue()[12:])
    length = file.tell() - 8
    file.seek(4)
    file.write(struct.pack("<I", length))


def _three(value: int) -> bytes:
    return value.to_bytes(3, "little")


def _write_riff(file: IO[bytes], kind: bytes, data: bytes) -> None:
    file.write(kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2))
