"""SVG files look the same wherever they are shown, and as the PNG does."""

import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat

import planewalk
from planewalk.languages.bmprog.text import text_to_picture
from tests.marks import plainly
from tests.patience import PATIENCE

LETTERS = "\n".join("".join(map(chr, range(first, first + 32))) for first in (32, 64, 95))
PROGRAMS: dict[str, dict[str, Any]] = {
    "letters": {"source": f"v\n{LETTERS}\né\x01日", "language": "mirrorfunge", "at": 3},
    "dots": {"source": LETTERS, "language": "refunge", "at": 5, "theme": "dark", "scale": 10},
    "board": {
        "source": text_to_picture(b".v.*.\n.>.^.\n:*.<#", ".png"), "language": "bmprog", "at": 9,
        "heat": True,
    },
    "blocks": {"source": LETTERS, "language": "webfunge", "at": 3, "scale": 4},
}  # fmt: skip


def with_librsvg(svg: Path, png: Path, size: tuple[int, int]) -> None:
    subprocess.run(["rsvg-convert", svg, "-o", png], check=True, timeout=PATIENCE)


def with_chromium(svg: Path, png: Path, size: tuple[int, int]) -> None:
    # The window is larger than the picture: a part of it is the browser's own.
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += ["--hide-scrollbars", f"--user-data-dir={png.parent / 'browser'}"]
    command += [f"--screenshot={png}", f"--window-size={size[0] + 500},{size[1] + 200}", str(svg)]
    subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)


VIEWERS: dict[str, Callable[[Path, Path, tuple[int, int]], None]] = {
    "rsvg-convert": with_librsvg,
    "chromium": with_chromium,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("viewer", "name"),
    plainly(
        [*(("rsvg-convert", name) for name in PROGRAMS), ("chromium", "letters")],
        product(VIEWERS, PROGRAMS),
    ),
)
def test_every_viewer_shows_what_the_png_shows(viewer: str, name: str, tmp_path: Path) -> None:
    picture = planewalk.picture(**PROGRAMS[name])
    assert_alike(viewer, picture.svg(), picture.image(), tmp_path)


def test_who_knows_no_motion_shows_the_first_frame(tmp_path: Path) -> None:
    film = planewalk.film(source="v+\\.\n  Y.\n  v.", language="refunge", steps=(3, 9))
    assert_alike("rsvg-convert", film.svg(), next(film.images()), tmp_path)


@pytest.mark.exhaustive
def test_a_graph_looks_the_same_everywhere(tmp_path: Path) -> None:
    svg = planewalk.graph(source='12v  @\n /.+< <&>"q|!', language="mirrorfunge").svg()
    size = tuple(map(int, re.findall(r' (?:width|height)="(\d+)"', svg)[:2]))
    if shutil.which("rsvg-convert") is None:
        pytest.skip("needs rsvg-convert")
    (tmp_path / "graph.svg").write_text(svg)
    with_librsvg(tmp_path / "graph.svg", tmp_path / "graph.png", size)
    with Image.open(tmp_path / "graph.png") as image:
        assert_alike("chromium", svg, image.convert("RGB"), tmp_path)


def assert_alike(viewer: str, svg: str, wanted: Any, folder: Path) -> None:
    """A viewer shows those pixels, but for smooth edges, which are everybody's own."""
    if shutil.which(viewer) is None:
        pytest.skip(f"needs {viewer}")
    (folder / "picture.svg").write_text(svg)
    VIEWERS[viewer](folder / "picture.svg", folder / "picture.png", wanted.size)
    with Image.open(folder / "picture.png") as image:
        shown = image.convert("RGB").crop((0, 0, *wanted.size))
    different = ImageChops.difference(shown, wanted)
    assert max(ImageStat.Stat(different).mean) < 1.5
    # A dot that is missing is a dark spot.
    spots = [extreme for _, extreme in different.filter(ImageFilter.BoxBlur(1)).getextrema()]
    assert max(spots) < 80
