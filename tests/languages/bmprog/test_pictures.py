"""Pictures as boards: every kind of picture, and everything that is none."""

import contextlib
import io
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import pytest
from PIL import Image

import planewalk
from planewalk.core.errors import SourceError
from planewalk.core.images.reading import needed
from planewalk.core.limits import Limits, allowing, show_size
from planewalk.languages.bmprog.picture import COLOURS, read_picture
from planewalk.languages.bmprog.text import text_to_picture

LETTERS = "^<>v*#:."
BOARD = ["^<>v*#:.", "..v*:#.?", "........"]
WIDTH, HEIGHT = 8, 3
CELLS = "".join(BOARD).encode()
PAINT = {**COLOURS, "?": (254, 1, 128)}


def rgb() -> Image.Image:
    return Image.frombytes(
        "RGB", (WIDTH, HEIGHT), bytes(v for cell in CELLS.decode() for v in PAINT[cell])
    )


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, depth: int, kind: int, pixels: bytes, *chunks: bytes) -> bytes:
    """A PNG file made by hand, of kinds that Pillow does not write."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + data


def bmp(depth: int, rows: list[bytes], palette: bytes = b"", *, width: int = WIDTH) -> bytes:
    """A BMP file made by hand; rows from the top."""
    body = b"".join(row + bytes(-len(row) % 4) for row in reversed(rows))
    start = 54 + len(palette)
    header = b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start)
    info = (40, width, len(rows), 1, depth, 0, len(body), 2835, 2835, len(palette) // 4, 0)
    return header + struct.pack("<IiiHHIIiiII", *info) + palette + body


def cells(source: bytes) -> bytes:
    """The cells, after making sure that nothing is warned of."""
    board, notes = read_picture(source)
    assert notes == ()
    assert len(board.data) == board.width * board.height
    return board.data


def message(source: bytes) -> str:
    """The one sentence that the picture cannot be read with."""
    with pytest.raises(SourceError) as caught:
        read_picture(source)
    with pytest.raises(SourceError):
        planewalk.run(source=source, language="bmprog")
    text = str(caught.value)
    assert len(text) > 20 and "\n" not in text and not text.endswith(".")
    return text


# Every kind of picture

SHADES = [0, 1, 255, 256, 0x7FFF, 0xFF00, 0xFFFE, 0xFFFF]
Made = tuple[str, Callable[[], bytes], bytes]
"""A name, how the picture is made, and its cells."""


def deep(letters: str, *alpha: int) -> bytes:
    """A row of PNG with 16 bits a channel."""
    return b"\0" + b"".join(
        struct.pack(f">{3 + len(alpha)}H", *(v * 257 for v in PAINT[letter]), *alpha)
        for letter in letters
    )


def bgr(letter: str) -> bytes:
    return bytes(PAINT[letter][::-1])


def by_pillow() -> Iterator[Made]:
    for kind in ("PNG", "BMP", "PPM", "TIFF", "TGA", "PCX", "SGI"):
        yield f"{kind} of RGB", partial(saved, rgb(), kind), CELLS
    for compression in ("tiff_lzw", "tiff_adobe_deflate", "packbits"):
        yield compression, partial(saved, rgb(), "TIFF", compression=compression), CELLS
    for kind, alpha in product(("PNG", "TIFF", "TGA"), (0, 1, 128, 255)):
        image = rgb()
        image.putalpha(alpha)
        yield f"{kind} with alpha {alpha}", partial(saved, image, kind), CELLS
    for colours in (9, 256):
        image = rgb().convert("P", palette=Image.Palette.ADAPTIVE, colors=colours)
        for kind in ("PNG", "BMP", "GIF", "TIFF", "PCX"):
            yield f"{kind} with {colours} colours", partial(saved, image, kind), CELLS
        if colours == 9:
            clear = image.getpixel((4, 0))
            yield "transparent GIF", partial(saved, image, "GIF", transparency=clear), CELLS
    two = Image.new("1", (9, 2), 1)
    for corner in ((8, 1), (0, 0)):
        two.putpixel(corner, 0)
    grey = Image.frombytes("L", (5, 1), bytes([0, 1, 128, 254, 255]))
    for kind in ("PNG", "BMP", "TIFF", "PPM", "GIF"):
        yield f"{kind} of one bit", partial(saved, two, kind), b"#........" + b"........#"
        yield f"{kind} of grey", partial(saved, grey, kind), b"#???."
    for mode, form in (("I;16", "<8H"), ("I;16B", ">8H"), ("I", "=8i")):
        image = Image.frombytes(mode, (8, 1), struct.pack(form, *SHADES))
        yield f"TIFF of {mode}", partial(saved, image, "TIFF"), b"#??????."
    shades = [0, 65535, -1, 0x1FFFF, 0x10000, 0x7FFFFFFF, 0x100]
    image = Image.frombytes("I", (7, 1), struct.pack("=7i", *shades))
    yield "white only at 65535 of 32 bits", partial(saved, image, "TIFF"), b"#.?????"
    image = Image.frombytes("F", (3, 1), struct.pack("=3f", 0, 128, 255))
    yield "grey of floats", partial(saved, image, "TIFF"), b"#?."
    frames = [Image.new("RGB", (WIDTH, HEIGHT), colour) for colour in ("black", "red")]
    for kind in ("GIF", "PNG", "TIFF", "WEBP"):
        more: dict[str, Any] = {"lossless": True} if kind == "WEBP" else {}
        make = partial(saved, rgb(), kind, save_all=True, append_images=frames, **more)
        yield f"the first of several frames of {kind}", make, CELLS
    for mode in ("RGB", "RGBA"):
        image = rgb().convert(mode)
        yield f"lossless WEBP of {mode}", partial(saved, image, "WEBP", lossless=True), CELLS
    off = [
        tuple(v + (1 if v == 0 else -1) * (i == changed) for i, v in enumerate(colour))
        for colour in COLOURS.values()
        for changed in range(3)
    ]
    image = Image.frombytes("RGB", (len(off), 1), bytes(v for colour in off for v in colour))
    yield "every colour, one off", partial(saved, image, "PNG"), b"?" * len(off)


def by_hand() -> Iterator[Made]:
    v, star, hash_, up = (bytes(COLOURS[letter]) for letter in "v*#^")
    for depth in (1, 2, 4, 8):
        numbers = "".join(f"{n:0{depth}b}" for n in (0, 1, 1, 0, 1, 0, 0, 0))
        row = b"\0" + int(numbers, 2).to_bytes(depth, "big")
        make = partial(png, 8, 1, depth, 3, row, chunk(b"PLTE", v + star))
        yield f"PNG with a palette of {depth} bits", make, b"v**v*vvv"
    for clear in (b"\0", b"\0\0", b"\x80\0\xff"):
        chunks = chunk(b"PLTE", v + hash_ + up), chunk(b"tRNS", clear)
        yield f"transparent {clear!r}", partial(png, 3, 1, 8, 3, b"\0\0\1\2", *chunks), b"v#^"
    key = chunk(b"tRNS", struct.pack(">HHH", 255, 0, 255))
    yield "transparent RGB", partial(png, 2, 1, 8, 2, b"\0" + v + hash_, key), b"v#"
    for depth, row, found in (
        (2, b"\x1b", b"#??."), (4, b"\xf0\x1e", b".#??"), (1, b"\xa0", b".#.#"),
    ):  # fmt: skip
        yield f"grey of {depth} bits", partial(png, 4, 1, depth, 0, b"\0" + row), found
    row = b"\0" + bytes([0, 0, 255, 0, 7, 255])
    yield "grey with alpha", partial(png, 3, 1, 8, 4, row), b"#.?"
    row = b"\0" + struct.pack(">8H", *SHADES)
    yield "grey of 16 bits", partial(png, 8, 1, 16, 0, row), b"#??????."
    yield "RGB of 16 bits", partial(png, 9, 1, 16, 2, deep("^<>v*#:.?")), b"^<>v*#:.?"
    yield "RGB of 16 bits with alpha", partial(png, 8, 1, 16, 6, deep(BOARD[0], 0)), CELLS[:8]
    # Adam7 of a picture of one pixel is that pixel.
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 1))
    data = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    yield "interlaced", lambda: b"\x89PNG\r\n\x1a\n" + header + data, b"^"
    rows = [b"".join(map(bgr, row)) for row in BOARD]
    yield "BMP of 24 bits", partial(bmp, 24, rows), CELLS
    for spare in (b"\0", b"\xff"):
        rows = [b"".join(bgr(letter) + spare for letter in row) for row in BOARD]
        yield f"BMP of 32 bits, {spare!r}", partial(bmp, 32, rows), CELLS
    known = LETTERS + "?"
    palette = b"".join(bgr(letter) + b"\0" for letter in known)
    for depth in (8, 4):
        bits = ["".join(f"{known.index(letter):0{depth}b}" for letter in row) for row in BOARD]
        rows = [int(row, 2).to_bytes(len(row) // 8, "big") for row in bits]
        yield f"BMP with a palette of {depth} bits", partial(bmp, depth, rows, palette), CELLS
    for off, on in ("#.", ".#", "v*"):
        palette = bgr(off) + b"\0" + bgr(on) + b"\0"
        found = "".join(on if bit == "1" else off for bit in "10110001").encode()
        yield f"BMP of one bit, {off}{on}", partial(bmp, 1, [b"\xb1"], palette), found
    # OS/2: twelve bytes of header, sizes of two bytes.
    body = bgr("v") + bgr("*") + b"\0\0"
    old = b"BM" + struct.pack("<IHHI", 26 + len(body), 0, 0, 26)
    old += struct.pack("<IHHHH", 12, 2, 1, 1, 24) + body
    yield "BMP with an old header", lambda: old, b"v*"


@pytest.mark.parametrize(
    ("make", "found"), [pytest.param(*rest, id=name) for name, *rest in (*by_pillow(), *by_hand())]
)
def test_every_kind_of_picture(make: Callable[[], bytes], found: bytes) -> None:
    assert cells(make()) == found


# Lossy formats


def notes(source: bytes) -> tuple[str, ...]:
    state = planewalk.run(source=source, language="bmprog", max_steps=0).state
    assert state.notes == read_picture(source)[1]
    return state.notes


def test_lossless_webp_with_metadata_is_exact() -> None:
    source = saved(rgb(), "WEBP", lossless=True, exact=True, xmp=b"<odd/>", icc_profile=b"abc")
    assert b"VP8X" in source
    assert cells(source) == CELLS


@pytest.mark.parametrize("kind", ["WEBP", "JPEG"])
def test_lossy_pictures_get_a_warning(kind: str) -> None:
    found = notes(saved(rgb(), kind))
    assert found == (f"{kind} is lossy, so colours are probably no longer exact; use PNG or BMP",)


def test_lossy_animation_gets_a_warning() -> None:
    frames = [Image.new("RGB", (WIDTH, HEIGHT), "red")]
    assert notes(saved(rgb(), "WEBP", save_all=True, append_images=frames, quality=30))


def test_jpeg_within_a_tiff_gets_a_warning() -> None:
    assert notes(saved(rgb(), "TIFF", compression="jpeg")) == (
        "TIFF with JPEG compression is lossy, so colours are probably no longer exact; "
        "use PNG or BMP",
    )


def test_a_lossy_picture_runs_all_the_same() -> None:
    white = Image.new("RGB", (16, 8), "white")
    run = planewalk.run(source=saved(white, "JPEG"), language="bmprog", arg=5)
    assert (run.status, run.steps, run.value) == ("halted", 17, 5)


# What is no picture


def test_empty_file() -> None:
    assert "empty" in message(b"")


@pytest.mark.parametrize("source", [
    b"\0",
    b"hello",
    b"v.\n>.\nno board at all",
    b"BM",
    b"BMProg is a language",
    b"BM" + b"\xff" * 100,
    b"GIF89a",
    b"\x89PNG",
    b"\x89PNG\r\n\x1a\n",
    b"RIFF\x10\0\0\0WEBPVP8L",
    b"RIFF\x10\0\0\0WEBPANMF",
    b"\xff\xd8\xff",
    b"II*\0\x08\0\0\0",
    b"P6 2 2",
    b"P6 -1 2 255\n",
    b"%!PS-Adobe-3.0 EPSF-3.0\n",
    bytes(1000),
    b"<svg xmlns='http://www.w3.org/2000/svg'/>",
], ids=lambda source: repr(source[:12]))  # fmt: skip
def test_no_picture(source: bytes) -> None:
    message(source)


def test_the_message_says_what_a_program_is() -> None:
    assert message(b"hello") == (
        "this is not a picture that can be read (unknown image format); "
        "BMProg programs are PNG, BMP, GIF or other image files"
    )


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF", "PPM", "TIFF", "JPEG", "WEBP", "TGA"])
def test_truncated_anywhere(kind: str) -> None:
    """Whatever is missing at the end: a board, or a `SourceError`, and nothing else."""
    image = Image.effect_noise((20, 20), 90).convert("RGB")
    source = saved(image, kind)
    whole = 0
    for length in range(0, len(source), max(len(source) // 60, 1)):
        try:
            read_picture(source[:length])
            whole += 1
        except SourceError as error:
            assert len(str(error)) > 20
    assert whole < 30


def test_truncated_png() -> None:
    source = saved(Image.effect_noise((50, 50), 90), "PNG")
    assert message(source[: len(source) // 2]).startswith("the picture is damaged (")


def test_damaged_anywhere() -> None:
    """Whatever is wrong: a board of that many cells, or a `SourceError`, and nothing else."""
    source = saved(rgb(), "PNG")
    whole = read_picture(source)
    refused = 0
    for place in range(len(source)):
        try:
            damaged = source[:place] + bytes([source[place] ^ 0x55]) + source[place + 1 :]
            found, _ = read_picture(damaged)
            assert len(found.data) == found.width * found.height, place
        except SourceError as error:
            assert len(str(error)) > 20 and "\n" not in str(error)
            refused += 1
    assert 0 < refused < len(source) and read_picture(source) == whole


@pytest.mark.parametrize("size", [(0, 0), (0, 5), (5, 0)])
def test_no_pixels(size: tuple[int, int]) -> None:
    text = "{} x {} pixels".format(*size)
    assert text in message(png(*size, 8, 2, b""))
    assert text in message(bmp(24, [b""] * size[1], width=size[0]))
    message(b"P6 %d %d 255\n" % size)


# Pictures that are too large


def giant(width: int, height: int) -> bytes:
    """A small file of so many white pixels."""
    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * ((width + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def peak() -> int:
    """The most memory this process has used, in bytes; 0 where nobody knows."""
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else 1024 * used


@pytest.mark.parametrize("size", [(8_500, 8_500), (20_000, 20_000)])
def test_too_large(size: tuple[int, int]) -> None:
    source = giant(*size)
    used = peak()
    text = message(source)
    assert peak() - used < 50_000_000
    assert text == (
        f"the picture has {size[0]:,} x {size[1]:,} pixels; "
        f"reading it takes up to {show_size(needed(size))}, and 1 GiB is allowed (max_memory=...)"
    )


def test_memory_alone_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow has a limit of its own, on pixels."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000)
    size = 64, 50
    for suffix in (".png", ".bmp", ".gif"):
        picture = text_to_picture((b"." * 64 + b"\n") * 50, suffix)
        with allowing(Limits(memory=needed(size))):
            assert read_picture(picture)[0].data == b"." * 64 * 50
        with allowing(Limits(memory=needed(size) - 1)), pytest.raises(SourceError, match="64 x 50"):
            read_picture(picture)


def test_what_takes_more_memory_needs_more() -> None:
    picture = saved(Image.new("RGB", (64, 50)), "WEBP", lossless=True)
    with allowing(Limits(memory=needed((64, 50)))), pytest.raises(SourceError, match="64 x 50"):
        read_picture(picture)


@pytest.mark.parametrize("size", [(2**31 - 1, 2**31 - 1), (2**31 - 1, 1), (1, 10**8)])
def test_a_header_that_lies(size: tuple[int, int]) -> None:
    assert f"{size[0]:,} x {size[1]:,} pixels" in message(png(*size, 8, 2, b"\0"))


def test_a_comment_that_unpacks_to_much() -> None:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(80)) + packer.flush()
    used = peak()
    with contextlib.suppress(SourceError):
        read_picture(png(1, 1, 8, 2, b"\0\0\0\0", chunk(b"zTXt", b"Comment\0\0" + packed)))
    assert peak() - used < 50_000_000


def test_other_formats_that_are_too_large() -> None:
    assert "65,535 x 65,535" in message(b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(20))
    header = struct.pack("<IiiHHIIiiII", 40, 30_000, -30_000, 1, 24, 0, 0, 0, 0, 0, 0)
    assert "30,000 x 30,000" in message(b"BM" + struct.pack("<IHHI", 0, 0, 0, 54) + header)
    assert "10,000 x 10,000" in message(b"P6 10000 10000 255\n")
    assert "far more pixels" in message(b"P6 50000 50000 255\n")


def test_a_large_picture_is_read() -> None:
    board, _ = read_picture(giant(2_000, 2_000))
    assert board.data == b"." * 4_000_000
