"""Pictures are made by anybody: one rule for programs, textures and frames that are there."""

import io
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

import planewalk as library
from planewalk.core.images.reading import FORMATS, read_picture
from planewalk.core.limits import Limits, allowing
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_bad_input import png
from tests.apps.test_run import planewalk
from tests.patience import PATIENCE

EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 4 4
%%EndComments
4 4 scale (started) print showpage
%%EOF
"""


def white(width: int, height: int) -> bytes:
    """A small file of many pixels."""
    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * (3 * width)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    return png(width, height, data)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "ok.wf").write_text("000T@")
    (tmp_path / "eps.png").write_bytes(EPS)
    (tmp_path / "bomb.png").write_bytes(png(14_000, 14_000, zlib.compress(bytes(1000))))
    (tmp_path / "large.png").write_bytes(white(1000, 700))
    (tmp_path / "tall.png").write_bytes(png(1, 12_000_000, zlib.compress(bytes(1000))))
    return tmp_path


@pytest.mark.parametrize(
    "words", [["run", "eps.png"], ["run", "ok.wf", "--texture", "eps.png"]], ids=["run", "texture"]
)
def test_postscript_starts_nothing(here: Path, words: list[str]) -> None:
    for name in ("gs", "gswin32c", "gswin64c"):
        trap = here / "bin" / name
        trap.parent.mkdir(exist_ok=True)
        trap.write_text(f"#!/bin/sh\ntouch {here}/started\nexit 1\n")
        trap.chmod(0o755)
    path = f"{here}/bin{os.pathsep}{os.environ['PATH']}"
    done = planewalk(*words, cwd=here, env={**os.environ, "PATH": path})
    assert_one_clear_line(done, "(unknown image format)")
    assert not (here / "started").exists()


BOMBS = [
    (["run", "bomb.png"], "bomb.png: the picture has 14,000 x 14,000 pixels"),
    (["run", "ok.wf", "--texture", "bomb.png"], "the picture has 14,000 x 14,000 pixels"),
    (["render", "ok.wf", "--texture", "bomb.png", "-o", "x.png"], "14,000 x 14,000 pixels"),
    (["run", "tall.png"], "1 x 12,000,000 pixels; reading it takes up to 1.285 GiB"),
    (["run", "large.png", "--max-memory", "10M"],
     "up to 10.08 MiB, and 10 MiB is allowed (--max-memory)"),
    (["run", "ok.wf", "--texture", "large.png", "--max-memory", "10M"], "and 10 MiB is allowed"),
    (["run", "ok.wf", *["--texture", "large.png"] * 4, "--max-memory", "14M"],
     "and 9.995 MiB is allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), BOMBS, ids=[" ".join(words) for words, _ in BOMBS])
def test_the_size_is_looked_at_first(here: Path, words: list[str], said: str) -> None:
    assert_one_clear_line(planewalk(*words, cwd=here), said)


def test_the_library_has_the_same_limit() -> None:
    source = white(1000, 700)
    with pytest.raises(library.SourceError, match="and 10 MiB is allowed"):
        library.run(source=source, language="bmprog", max_memory=10 << 20)
    assert library.run(source=source, language="bmprog", max_memory=None).status == "halted"


def test_a_board_of_letters_has_it_too() -> None:
    with allowing(Limits(memory=1 << 20)), pytest.raises(library.SourceError, match="too large"):
        library.load(source="." * 90_000, language="bmprog").start(0)


@pytest.mark.parametrize("size", [(14_000, 14_000), (60_000, 60_000)])
def test_going_on_over_a_bomb_is_one_line(here: Path, size: tuple[int, int]) -> None:
    (here / "f-0.png").write_bytes(png(*size, zlib.compress(bytes(1000))))
    words = ["render", "ok.wf", "--size", "4x4", "--frames", "2", "--resume", "-o", "f-%d.png"]
    done = planewalk(*words, cwd=here)
    assert_one_clear_line(done, f"'f-0.png' has {size[0]} x {size[1]} pixels, not 4 x 4")


def test_damaged_frames_are_drawn_again(here: Path) -> None:
    words = ["render", "ok.wf", "--size", "4x4", "--frames", "5", "-o", "f-%d.png"]
    assert planewalk(*words, cwd=here).returncode == 0
    whole = (here / "f-0.png").read_bytes()
    (here / "f-1.png").write_bytes(whole[:-1])
    (here / "f-2.png").write_bytes(whole[:50] + bytes([whole[50] ^ 1]) + whole[51:])
    (here / "f-3.png").write_bytes(b"no picture")
    done = planewalk(*words, "--resume", cwd=here)
    assert done.stderr == b"planewalk: 2 of 5 frames are there already\n"
    assert all((here / f"f-{n}.png").read_bytes() == whole for n in range(5))


def webp(side: int) -> bytes:
    """A small WebP file that claims to be large."""
    file = io.BytesIO()
    Image.new("RGB", (9, 9)).save(file, "WEBP", lossless=True, xmp=b"<x/>")
    source = bytearray(file.getvalue())
    source[24:30] = (side - 1).to_bytes(3, "little") * 2
    return bytes(source)


def tiff(side: int) -> bytes:
    """A small TIFF file whose one tile is large."""
    tags = [
        (256, 9), (257, 9), (258, 8), (259, 5), (262, 1), (277, 1), (322, side), (323, side),
        (324, 8), (325, 4),
    ]  # fmt: skip
    fields = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) + fields + bytes(4)


@pytest.mark.parametrize("source", [webp(16_383), tiff(60_000)], ids=["WebP", "TIFF"])
def test_memory_is_not_taken_before_the_size_is_known(source: bytes) -> None:
    """WebP takes it when it is opened, TIFF for tiles that are larger than the picture."""
    with pytest.raises(library.SourceError, match="pixels; reading it takes"):
        read_picture(source)


def test_every_picture_is_opened_in_one_place() -> None:
    """Whoever calls Pillow's `open` anywhere else has another rule."""
    package = Path(library.__file__).parent
    found = [path for path in package.rglob("*.py") if "Image.open(" in path.read_text()]
    assert found == [package / "core" / "images" / "reading.py"]
    assert "formats=FORMATS" in found[0].read_text() and "EPS" not in FORMATS


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="needs ru_maxrss")
@pytest.mark.parametrize("size", [(2_000, 1_000), (1, 500_000)])
def test_reading_takes_no_more_than_was_said(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "board.png").write_bytes(white(*size))
    code = (
        "import resource, sys; from planewalk.core.images.reading import needed\n"
        "from planewalk.languages.bmprog.picture import read_picture as read\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "from tests.apps.test_untrusted_pictures import white\n"
        "read(white(9, 9)); source = open('board.png', 'rb').read(); before = peak()\n"
        f"read(source); grown = (peak() - before) * 1024; most = needed({size})\n"
        "sys.exit(f'{grown} of {most}' if grown > most else 0)"
    )
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True,
        timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
