"""Pictures and films from the library, and how little memory they need."""

import io
import tracemalloc
from array import array
from pathlib import Path

import pytest
from PIL import Image

import planewalk as pw
from planewalk.apps.cli.main import main
from planewalk.apps.live import player, window
from planewalk.apps.pictures import local
from planewalk.engines.picture import Heat, Painter

WAVES = "0y2y/4y+:1y3y/4y*@"


def waves(**options):
    return pw.render(source=WAVES, language="webfunge", **{"size": (6, 4), **options})


def test_a_picture_has_the_pixels_of_run() -> None:
    picture = waves(time=0.5)
    assert (picture.size, picture.width, picture.height) == ((6, 4), 6, 4)
    for x, y in ((0, 0), (5, 3), (2, 1)):
        run = pw.run(source=WAVES, language="webfunge", size=(6, 4), time=0.5, pixel=(x, y))
        assert picture.pixel(x, y) == run.colour
    with pytest.raises(IndexError):
        picture.pixel(6, 0)
    assert picture == waves(time=0.5) and picture != waves(time=0.25)
    assert len({picture, waves(time=0.5)}) == 1
    assert repr(picture) == "<Picture of 6 x 4>"


def test_paths_and_programs(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    program = pw.load(tmp_path / "p.wf", size=(6, 4))
    assert pw.render(tmp_path / "p.wf", size=(6, 4)) == pw.render(program) == waves()
    assert pw.render(program, size=(2, 2), time=1) == waves(size=(2, 2), time=1)
    with pytest.raises(pw.OptionError, match="source and language already"):
        pw.render(program, source="@")
    with pytest.raises(pw.OptionError, match="do not colour pixels"):
        pw.render(source="@", language="mirrorfunge")
    with pytest.raises(pw.OptionError, match="did you mean size="):
        waves(sise=(2, 2))


def test_pictures_have_one_size_if_nobody_says(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.wf").write_text("@")
    program = pw.load("p.wf")
    assert pw.render("p.wf").size == pw.render(program).size == (640, 360)
    assert pw.render(program, time=1).size == (640, 360)
    assert pw.render(pw.load("p.wf", size=(64, 36))).size == (64, 36)
    assert main(["render", "p.wf", "-o", "p.png"]) == 0
    with Image.open("p.png") as image:
        assert image.size == (640, 360)
    assert main(["render", "p.wf", "--set", "size=5x4", "-o", "p.png"]) == 0
    with Image.open("p.png") as image:
        assert image.size == (5, 4)


def test_live_has_the_same_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players = []

    class NoWindow:
        def __init__(self, player: player.Player, *more: object) -> None:
            players.append(player)

        def run(self) -> None:
            """There is nobody to look."""

    monkeypatch.setattr(window, "PlayerWindow", NoWindow)
    monkeypatch.setattr(window, "why_no_window", lambda: None)
    (tmp_path / "p.wf").write_text("@")
    for words in ([], ["--size", "5x4"]):
        assert main(["live", str(tmp_path / "p.wf"), "--device", "cpu", *words]) == 0
    assert [player.size for player in players] == [(640, 360), (5, 4)]


def test_help_says_the_sizes_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    (size,) = (option for option in pw.languages()["webfunge"].options if option.name == "size")
    alone, drawn = ("x".join(map(str, pair)) for pair in (size.default, size.drawn))
    for command, said in (("run", alone), ("render", drawn), ("live", drawn), ("bench", alone)):
        main([command, "--help"])
        assert f"size of the picture (default {said}" in " ".join(capsys.readouterr().out.split())


def test_pillow_notebooks_and_files_take_pictures(tmp_path: Path) -> None:
    picture = waves()
    assert picture.pil().tobytes() == picture.pixels
    with Image.open(io.BytesIO(picture._repr_png_())) as image:
        assert image.tobytes() == picture.pixels
    for suffix in (".png", ".apng", ".webp", ".gif"):
        picture.save(tmp_path / f"p{suffix}")
        with Image.open(tmp_path / f"p{suffix}") as image:
            assert image.convert("RGB").tobytes() == picture.pixels
    with pytest.raises(pw.PlanewalkError, match="cannot be written"):
        picture.save(tmp_path / "no" / "p.png")


def test_numpy_sees_the_pixels_without_a_copy() -> None:
    numpy = pytest.importorskip("numpy")
    picture = waves()
    seen = numpy.asarray(picture)
    assert seen.shape == (4, 6, 3) and seen.dtype == numpy.uint8
    assert tuple(seen[3, 2]) == picture.pixel(2, 3)
    assert (
        seen.__array_interface__["data"][0]
        == numpy.frombuffer(picture.pixels, numpy.uint8).__array_interface__["data"][0]
    )


def test_films_are_gone_through_frame_by_frame(tmp_path: Path) -> None:
    film = waves(frames=3, fps=4, time=0.25)
    assert (len(film), film.size, list(film.times)) == (3, (6, 4), [0.25, 0.5, 0.75])
    assert list(film) == list(film) == [waves(time=t) for t in film.times]
    assert repr(film) == "<3 frames of 6 x 4, 4 a second>"
    assert len(waves(duration=2)) == 50
    film.save(tmp_path / "f.apng")
    film.save(tmp_path / "f-%d.png")
    with Image.open(tmp_path / "f.apng") as image, Image.open(tmp_path / "f-2.png") as last:
        assert image.n_frames == 3
        image.seek(2)
        assert image.convert("RGB").tobytes() == last.tobytes()


@pytest.mark.parametrize(("options", "said"), [
    ({"frames": 2, "duration": 1.0}, "either frames or a duration"),
    ({"frames": 0}, "frames: expected a whole number, 1 or more"),
    ({"duration": -1.0}, "duration: expected seconds, 0 or more"),
    ({"frames": 2, "fps": "fast"}, "expected frames a second"),
    ({"crop": (0, 0, 7, 1)}, "reaches beyond the picture of 6 x 4"),
    ({"crop": (-1, 0, 2, 1)}, "has no pixels"),
    ({"supersample": 0}, "supersample: expected a whole number, 1 or more"),
    ({"heat": "warm"}, "heat: expected steps or limit"),
    ({"max_steps": -1}, "max_steps: expected a whole number, 0 or more"),
])  # fmt: skip
def test_bad_options(options: dict, said: str) -> None:
    with pytest.raises(pw.OptionError, match=said):
        waves(**options)


def test_crop_supersample_and_heat() -> None:
    whole = waves()
    part = waves(crop=(1, 2, 3, 2))
    assert part.size == (3, 2) and part.pixel(2, 1) == whole.pixel(3, 3)
    assert waves(supersample=2).size == (6, 4)
    assert waves(heat="limit", max_steps=3).pixel(0, 0) == (255, 176, 0)
    assert waves(heat="limit").pixel(0, 0) == (44, 50, 66)
    assert waves(heat="steps").size == (6, 34)


class QuickPainter(Painter):
    """Stands in for a painter where only the amount of data matters."""

    def paint(self, time=None, box=None) -> bytes:
        left, top, right, bottom = box
        return bytes([7, 77, 177]) * ((right - left) * (bottom - top))

    def heat(self, time=None, box=None) -> Heat:
        left, top, right, bottom = box
        count = (right - left) * (bottom - top)
        return Heat(array("L", [9]) * count, bytes(count))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("words", "most"), [
    (["--size", "3840x2160", "-o", "x.png"], 12_000_000),  # the picture has 24,883,200 bytes
    (["--size", "1920x1080", "--supersample", "4", "-o", "x.png"], 12_000_000),
    (["--size", "3840x2160", "--frames", "2", "-o", "x.apng"], 12_000_000),
    (["--size", "160x90", "--frames", "50", "-o", "x.gif"], 1_500_000),  # 2,160,000 bytes
    (["--size", "160x90", "--frames", "99", "-o", "x.webp"], 2_000_000),
    (["--size", "960x540", "--frames", "9", "--contact-sheet", "4x4", "-o", "x.png"], 2**24),
])  # fmt: skip
def test_memory_holds_pieces_not_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], most: int
) -> None:
    monkeypatch.setattr(local, "Painter", QuickPainter)
    monkeypatch.chdir(tmp_path)
    Path("p.wf").write_text("@")
    assert main(["render", "p.wf", "--size", "2x2", "-o", "warm-up.png"]) == 0
    tracemalloc.start()
    try:
        assert main(["render", "p.wf", *words]) == 0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most
