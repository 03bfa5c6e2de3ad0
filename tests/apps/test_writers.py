"""Every file that pictures and films become, read back by others."""

import errno
import os
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageSequence

from planewalk.apps.draft import WholeFile
from planewalk.apps.writers import SUFFIXES, Bands, open_writer
from planewalk.apps.writers.base import FilmWriter, delay
from planewalk.core.errors import OptionError, PlanewalkError

SIZE = (8, 6)
MOVING = (".gif", ".apng", ".webp")
VIDEO = (".mp4", ".webm")


def frame(number: int, size: tuple[int, int] = SIZE) -> bytes:
    """A picture with few colours, another one for each number."""
    width, height = size
    return bytes(
        value
        for y in range(height)
        for x in range(width)
        for value in (x * 30 % 256, y * 40 % 256, number * 25 % 256)
    )


def write(path: Path, count: int, fps: Fraction, size: tuple[int, int] = SIZE) -> None:
    writer = open_writer(str(path), size, fps)
    for number in range(count):
        writer.add(frame(number, size))
    assert writer.frames == count
    writer.close()


def read(path: Path) -> tuple[list[bytes], list[float]]:
    """All frames of a file, and how long each is shown, in milliseconds."""
    with Image.open(path) as image:
        pixels, shown = [], []
        for each in ImageSequence.Iterator(image):
            pixels.append(each.convert("RGB").tobytes())
            shown.append(float(each.info["duration"]))
    return pixels, shown


@pytest.mark.parametrize("suffix", MOVING)
def test_films_come_back_as_they_were(tmp_path: Path, suffix: str) -> None:
    write(tmp_path / f"film{suffix}", 5, Fraction(25))
    pixels, shown = read(tmp_path / f"film{suffix}")
    assert pixels == [frame(number) for number in range(5)]
    assert shown == [40.0] * 5
    assert os.listdir(tmp_path) == [f"film{suffix}"]


@pytest.mark.parametrize("suffix", MOVING)
def test_a_frame_can_come_in_pieces(tmp_path: Path, suffix: str) -> None:
    writer = open_writer(str(tmp_path / f"film{suffix}"), SIZE, Fraction(10))
    whole, row = frame(3), 3 * SIZE[0]
    writer.add(iter([whole[:row], whole[row : 3 * row], whole[3 * row :]]))
    writer.add(frame(4))
    writer.close()
    assert read(tmp_path / f"film{suffix}")[0] == [frame(3), frame(4)]


@pytest.mark.parametrize(("suffix", "unit"), [(".gif", 10), (".webp", 1)])
def test_rounded_delays_do_not_add_up(tmp_path: Path, suffix: str, unit: int) -> None:
    """At 30 frames a second no frame can be shown long enough exactly, but one second is one."""
    write(tmp_path / f"film{suffix}", 30, Fraction(30))
    _, shown = read(tmp_path / f"film{suffix}")
    assert sum(shown) == 1000 and len(set(shown)) == 2
    assert all(delay(number, Fraction(30), 100) in (3, 4) for number in range(100))


def spot(number: int, size: tuple[int, int] = (80, 60)) -> bytes:
    """Noise that stays as it is, but for a spot that moves down and right over it."""
    chance = random.Random(1)
    picture = Image.frombytes("RGB", size, bytes(chance.choices(range(0, 256, 51), k=3 * 80 * 60)))
    picture.paste((255, 255, 255), (number, 2 * number, number + 5, 2 * number + 3))
    return picture.tobytes()


def write_steady(path: Path, frames: list[bytes], **more: Any) -> None:
    writer = open_writer(str(path), (80, 60), Fraction(10), **more)
    for each in frames:
        writer.add(each)
    writer.close()


@pytest.mark.parametrize("suffix", MOVING)
def test_a_steady_film_stores_only_changes(tmp_path: Path, suffix: str) -> None:
    """The third frame is that before it once more, the last is all new."""
    frames = [spot(n) for n in (0, 1, 1, 2, 3, 9)] + [spot(0)[::-1]]
    write_steady(tmp_path / f"whole{suffix}", frames)
    write_steady(tmp_path / f"steady{suffix}", frames, steady=True)
    pixels, shown = read(tmp_path / f"steady{suffix}")
    assert pixels == frames and shown == [100.0] * len(frames)
    whole, steady = ((tmp_path / f"{name}{suffix}").stat().st_size for name in ("whole", "steady"))
    assert steady < 3 * whole / len(frames)


@pytest.mark.parametrize("suffix", MOVING)
@pytest.mark.parametrize("steady", [False, True])
def test_the_last_frame_is_held_and_lost_ones_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, steady: bool
) -> None:
    """Frames are interrupted at the last moment, once all of their bytes are written."""
    path = tmp_path / f"film{suffix}"
    writer = open_writer(str(path), SIZE, Fraction(10), steady=steady, hold=Fraction(3, 2))
    write = FilmWriter.write

    def interrupted(self: FilmWriter, frame: Bands) -> None:
        write(self, frame)
        raise KeyboardInterrupt

    def lose(number: int) -> None:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(FilmWriter, "write", interrupted)
            writer.add(frame(number))

    writer.add(frame(0))
    lose(3)
    writer.add(frame(1))
    lose(2)
    writer.add(frame(3))
    lose(4)
    writer.close()
    pixels, shown = read(path)
    assert pixels == [frame(0), frame(1), frame(3)]
    assert shown == [100.0, 100.0, 1500.0]


@pytest.mark.parametrize("suffix", VIDEO)
def test_a_video_can_hold_its_last_frame(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"
    write_steady(path, [spot(0), spot(1)], steady=True, hold=Fraction(1, 2))
    assert [round(each.time, 3) for each in video(path)[0]] == [n / 10 for n in range(2 + 5)]


def test_a_steady_gif_of_many_colours_is_close(tmp_path: Path) -> None:
    """A change of more than 255 colours; what did not change stays exact."""
    colours = [v for at in range(400) for v in (at // 2, 200 - at // 3, 7 * at % 256)]
    first = bytes([10, 20, 30]) * 4800
    write_steady(tmp_path / "film.gif", [first, first[:2400] + bytes(colours) + first[3600:]],
                 steady=True)  # fmt: skip
    _, second = read(tmp_path / "film.gif")[0]
    assert second[:2400] == first[:2400] and second[3600:] == first[3600:]
    assert max(abs(a - b) for a, b in zip(second[2400:3600], colours, strict=True)) < 64


def test_apng_says_rates_as_fractions(tmp_path: Path) -> None:
    write(tmp_path / "film.apng", 2, Fraction(30000, 1001))
    assert read(tmp_path / "film.apng")[1][0] == pytest.approx(1001 / 30)


def test_a_gif_of_many_colours_has_the_best_256(tmp_path: Path) -> None:
    size = (64, 64)
    many = bytes(v for y in range(64) for x in range(64) for v in (4 * x, 4 * y, 2 * (x ^ y)))
    writer = open_writer(str(tmp_path / "film.gif"), size, Fraction(10))
    writer.add(many)
    writer.close()
    with Image.open(tmp_path / "film.gif") as image:
        seen = image.convert("RGB").tobytes()
    assert len({seen[at : at + 3] for at in range(0, len(seen), 3)}) > 200
    assert max(abs(a - b) for a, b in zip(seen, many, strict=True)) < 64


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (257, 2), (2, 257)])
def test_pictures_of_odd_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    for suffix in (".png", *MOVING):
        path = tmp_path / f"picture{suffix}"
        writer = open_writer(str(path), size, Fraction(25), film=False)
        writer.add(frame(7, size))
        writer.close()
        with Image.open(path) as image:
            assert image.size == size
            assert image.convert("RGB").tobytes() == frame(7, size), suffix


def test_every_byte_survives_png_compression(tmp_path: Path) -> None:
    """Differences of bytes wrap around; each pair of neighbours is tried."""
    values = [
        v for a in range(0, 256, 5) for b in range(0, 256, 3) for v in (a, b, a ^ b, b, a, 255)
    ]
    size = (len(values) // 3 // 13, 13)
    pixels = bytes(values)[: 3 * size[0] * size[1]]
    writer = open_writer(str(tmp_path / "x.png"), size, Fraction(25), film=False)
    writer.add(pixels)
    writer.close()
    with Image.open(tmp_path / "x.png") as image:
        assert image.tobytes() == pixels


def video(path: Path) -> tuple[list[Any], Any]:
    av = pytest.importorskip("av")
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        facts = (stream.codec_context.name, stream.codec_context.pix_fmt, stream.average_rate)
    return frames, facts


def first_pixel(image: Any) -> tuple[float, float, float]:
    """Red, green and blue by the formulas of ITU-R BT.709: not every PyAV knows them."""
    bright, blue, red = (bytes(plane)[0] for plane in image.planes)
    light = (bright - 16) * 255 / 219
    r = light + 1.5748 * (red - 128) * 255 / 224
    b = light + 1.8556 * (blue - 128) * 255 / 224
    return r, (light - 0.2126 * r - 0.0722 * b) / 0.7152, b


@pytest.mark.parametrize(("suffix", "codec"), [(".mp4", "h264"), (".webm", "vp9")])
def test_videos_play(tmp_path: Path, suffix: str, codec: str) -> None:
    pytest.importorskip("av")
    size = (66, 40)  # not what encoders like best
    path = tmp_path / f"film{suffix}"
    writer = open_writer(str(path), size, Fraction(10))
    for number in range(12):
        writer.add(bytes([200, 20 * number, 90]) * (size[0] * size[1]))
    writer.close()
    frames, facts = video(path)
    assert facts == (codec, "yuv420p", 10)
    assert [round(each.time, 3) for each in frames] == [number / 10 for number in range(12)]
    for number, each in enumerate(frames):
        assert (each.width, each.height) == size
        assert (each.colorspace, each.color_range) == (1, 1)
        wanted = (200, 20 * number, 90)
        assert max(abs(a - b) for a, b in zip(first_pixel(each), wanted, strict=True)) <= 8
    assert os.listdir(tmp_path) == [path.name]


def test_videos_have_sides_that_encoders_take(tmp_path: Path) -> None:
    pytest.importorskip("av")
    for suffix, largest in ((".mp4", "16,384"), (".webm", "65,536")):
        with pytest.raises(OptionError, match=f"{suffix} files hold at most {largest} pixels"):
            open_writer(str(tmp_path / f"film{suffix}"), (65538, 2), Fraction(25))
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("suffix", VIDEO)
def test_videos_have_rates_that_containers_can_say(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"
    write(path, 3, Fraction("23.976023976023976"))
    frames, (_, _, rate) = video(path)
    assert len(frames) == 3 and rate == Fraction(24000, 1001)


def test_videos_have_even_sides(tmp_path: Path) -> None:
    pytest.importorskip("av")
    for suffix in VIDEO:
        with pytest.raises(OptionError, match="even sides, not 7 x 4; choose 8 x 4"):
            open_writer(str(tmp_path / f"film{suffix}"), (7, 4), Fraction(25))
    assert not os.listdir(tmp_path)


def test_a_sequence_is_numbered_from_0(tmp_path: Path) -> None:
    write(tmp_path / "f-%03d.png", 3, Fraction(25))
    assert sorted(os.listdir(tmp_path)) == ["f-000.png", "f-001.png", "f-002.png"]
    with Image.open(tmp_path / "f-002.png") as image:
        assert image.tobytes() == frame(2)


@pytest.mark.parametrize("suffix", [*MOVING, *VIDEO])
def test_a_film_that_ends_early_plays(tmp_path: Path, suffix: str) -> None:
    """The fourth frame fails in the middle; the three before it are a file."""
    if suffix in VIDEO:
        pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"

    def broken():
        yield frame(3)[: 3 * SIZE[0]]
        raise KeyboardInterrupt

    writer = open_writer(str(path), SIZE, Fraction(10))
    for number in range(3):
        writer.add(frame(number))
    with pytest.raises(KeyboardInterrupt):
        writer.add(broken())
    assert writer.frames == 3 and not path.exists()
    writer.close()
    assert os.listdir(tmp_path) == [path.name]
    if suffix in VIDEO:
        assert len(video(path)[0]) == 3
    else:
        assert read(path)[0] == [frame(number) for number in range(3)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("suffix", [*MOVING, *VIDEO])
def test_a_full_disk_leaves_a_film_wherever_it_is_full(tmp_path, suffix: str, monkeypatch) -> None:
    if suffix in VIDEO:
        pytest.importorskip("av")
    complete = WholeFile.write
    room = 0

    def write(file: WholeFile, data: Any) -> int:
        left = max(room - file.tell(), 0)
        if len(data) <= left:
            return complete(file, data)
        complete(file, memoryview(data)[:left])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WholeFile, "write", write)
    noise = random.Random(1).randbytes(3000)
    size, rooms = (
        ((32, 16), range(0, 30_000, 1234)) if suffix in VIDEO else ((2, 1), range(0, 700, 3))
    )
    path, kept = tmp_path / f"film{suffix}", set()
    for room in rooms:
        whole = [noise[n : n + 3 * size[0] * size[1]] for n in range(5)]
        kept.add(frames := until_full(path, size, whole))
        assert os.listdir(tmp_path) == ([path.name] if frames else [])
        if frames:
            assert path.stat().st_size <= room
            assert len(video(path)[0] if suffix in VIDEO else read(path)[0]) == frames
            path.unlink()
    assert kept == set(range(6)) if suffix in MOVING else kept > {0, 5}


def until_full(path: Path, size: tuple[int, int], frames: list[bytes]) -> int:
    """Write a film as far as there is room for it; how many frames that is."""
    try:
        writer = open_writer(str(path), size, Fraction(10))
    except PlanewalkError as error:
        assert "No space left" in str(error)
        return 0
    try:
        for each in frames:
            writer.add(each)
        writer.flush()
    except PlanewalkError as error:
        assert "No space left" in str(error) and writer.frames < len(frames)
    if writer.frames:
        writer.close()
    else:
        writer.abandon()
    return writer.frames


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_abandoned_file_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    if suffix in VIDEO:
        pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"
    path.write_bytes(b"what was there before")
    writer = open_writer(str(path), SIZE, Fraction(10), film=False)
    writer.add(frame(0))
    writer.abandon()
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_bytes() == b"what was there before"


@pytest.mark.parametrize(("name", "size", "fps", "said"), [
    ("x.gif", (70000, 2), 10, "GIF files hold at most 65,535 pixels a side"),
    ("x.webp", (16384, 2), 10, "WebP files hold at most 16,383 pixels a side"),
    ("x.gif", (2, 2), 60, "at most 50 frames a second"),
    ("x.gif", (2, 2), "1/999", "each for at most 655 seconds"),
    ("x.webp", (2, 2), 1001, "at most 1000 frames a second"),
    ("x.jpg", (2, 2), 10, "must end in .png, .gif, .apng, .webp, .mp4 or .webm"),
    ("x", (2, 2), 10, "must end in"),
    ("x.png", (2, 2), 10, "numbered sequence such as frame-%04d.png"),
    ("%d-%d.png", (2, 2), 10, "numbered sequence"),
    ("no/x.gif", (2, 2), 10, "cannot be written: No such file or directory"),
    ("no/%d.png", (2, 2), 10, "cannot be written: No such file or directory"),
])  # fmt: skip
def test_what_cannot_be_written_is_refused_at_once(
    tmp_path: Path, name: str, size: tuple[int, int], fps: int | str, said: str
) -> None:
    with pytest.raises(PlanewalkError) as raised:
        open_writer(str(tmp_path / name), size, Fraction(fps))
    assert said in str(raised.value) and not os.listdir(tmp_path)
