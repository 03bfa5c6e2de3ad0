"""`planewalk render` over real files, pipes and signals."""

import io
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageSequence

import planewalk as library
from planewalk.apps.cli.progress import FilmProgress, show_seconds
from planewalk.view.scene.captions import HEIGHT
from tests import warm
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import planewalk
from tests.patience import PATIENCE

WAVES = "0y2y/4y+:1y3y/4y*@"
"""Red and green go to the right and on with time, blue goes down."""
SIZE = ["--size", "12x8"]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "p.wf").write_text(WAVES)
    (tmp_path / "steps.wf").write_text("0yk1@")
    (tmp_path / "ok.mf").write_text("1.@")
    (tmp_path / "not.png").write_text("this is text")
    return tmp_path


def render(here: Path, *words: object, **more) -> subprocess.CompletedProcess[bytes]:
    return planewalk("render", "p.wf", *words, cwd=here, **more)


def pixels(path: Path) -> bytes:
    with Image.open(path) as image:
        return image.convert("RGB").tobytes()


def frames(path: Path) -> list[bytes]:
    with Image.open(path) as image:
        return [each.convert("RGB").tobytes() for each in ImageSequence.Iterator(image)]


def numbers_in_video(path: Path, fps: int) -> list[int]:
    """Which frames are shown, by their times; the container knows how long that takes."""
    import av

    with av.open(str(path)) as container:
        numbers = [round(each.time * fps) for each in container.decode(video=0)]
        assert round(container.duration / av.time_base * fps) == len(numbers)
    return numbers


def expected(**options) -> bytes:
    return library.render(source=WAVES, language="webfunge", **{"size": (12, 8), **options}).pixels


@pytest.mark.parametrize("name", ["f.apng", "f.webp", "f.gif"])
def test_a_film_has_the_pictures_of_its_times(here: Path, name: str) -> None:
    done = render(here, *SIZE, "--time", "0.25", "--frames", 3, "--fps", 4, "-o", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    seen = frames(here / name)
    assert seen == [expected(time=t) for t in (0.25, 0.5, 0.75)]
    assert len(set(seen)) == 3
    assert render(here, *SIZE, "--time", "0.25", "-o", "one.png").returncode == 0
    assert pixels(here / "one.png") == seen[0]


@pytest.mark.parametrize("name", ["f.mp4", "f.webm"])
def test_a_video_has_as_many_frames_as_its_duration(here: Path, name: str) -> None:
    av = pytest.importorskip("av")
    done = render(here, *SIZE, "--duration", "0.5", "--fps", 12, "-o", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with av.open(str(here / name)) as container:
        stream = container.streams.video[0]
        assert stream.average_rate == 12
        assert [round(f.time * 12) for f in container.decode(stream)] == list(range(6))


def test_raw_frames_go_to_a_pipe(here: Path) -> None:
    done = render(here, *SIZE, "--frames", 3, "--fps", 2, "-o", "-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"".join(expected(time=t) for t in (0.0, 0.5, 1.0))


def test_a_single_picture_goes_to_a_pipe_as_png(here: Path) -> None:
    done = render(here, *SIZE, "-o", "-")
    assert Image.open(io.BytesIO(done.stdout)).tobytes() == expected()


def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    running = warm.Running(["render", "p.wf", *SIZE, "--frames", "50000", "-o", "-"], here)
    assert running.stdout.read(100) == expected()[:100]
    running.stdout.close()
    assert running.end() == (0, b"", b"")


def test_supersampling_is_the_mean_of_a_larger_picture(here: Path) -> None:
    assert render(here, "--size", "36x24", "-o", "large.png").returncode == 0
    assert render(here, *SIZE, "--supersample", 3, "-o", "fine.png").returncode == 0
    large, fine = Image.open(here / "large.png"), Image.open(here / "fine.png")
    assert fine.size == (12, 8)
    for x in range(12):
        for y in range(8):
            samples = [large.getpixel((3 * x + i, 3 * y + j)) for i in range(3) for j in range(3)]
            mean = tuple((sum(channel) + 4) // 9 for channel in zip(*samples, strict=True))
            assert fine.getpixel((x, y)) == mean
    large.close()
    fine.close()


@pytest.mark.parametrize("more", [[], ["--supersample", "2"]])
def test_a_crop_is_part_of_the_whole(here: Path, more: list[str]) -> None:
    assert render(here, *SIZE, *more, "-o", "whole.png").returncode == 0
    assert render(here, *SIZE, *more, "--crop", "3,2,5,4", "-o", "part.png").returncode == 0
    with Image.open(here / "whole.png") as whole, Image.open(here / "part.png") as part:
        assert part.size == (5, 4)
        assert part.tobytes() == whole.crop((3, 2, 8, 6)).tobytes()


def test_threads_do_not_change_the_picture(here: Path) -> None:
    seen = set()
    for threads in (1, 2, 5):
        assert render(here, *SIZE, "--threads", threads, "-o", "x.png").returncode == 0
        seen.add((here / "x.png").read_bytes())
    assert len(seen) == 1


def test_a_contact_sheet_shows_moments_from_the_first_to_the_last(here: Path) -> None:
    words = ["--frames", 11, "--fps", 10, "--contact-sheet", "3x2", "-o", "sheet.png"]
    assert render(here, *SIZE, *words).returncode == 0
    with Image.open(here / "sheet.png") as sheet:
        assert sheet.size == (3 * 16 + 4, 2 * (12 + HEIGHT) + 4)
        below = set()
        for number in range(6):
            left, top = 4 + 16 * (number % 3), 4 + (12 + HEIGHT) * (number // 3)
            part = sheet.crop((left, top, left + 12, top + 8)).tobytes()
            assert part == expected(time=number / 5)
            below.add(sheet.crop((left, top + 8, left + 12, top + 8 + HEIGHT)).tobytes())
        assert len(below) == 6, "each has its time"
        assert sheet.getpixel((0, 0)) == sheet.getpixel((17, 13)) == (21, 24, 29)


@pytest.mark.parametrize(("program", "told"), [
    ("10/:1@", b"pixel 3,2 would be inf, inf, 255 of 255"),
    ("00/::@", b"pixel 3,2 would be NaN, NaN, NaN of 255"),
    ("01-::@", b"pixel 3,2 would be -255, -255, -255 of 255"),
    ("111@", None),
    ("000@", None),
    ("0y1+11@", None),  # all are out of range but those of one column
])  # fmt: skip
def test_a_picture_of_which_no_pixel_is_in_range_is_told(
    here: Path, program: str, told: bytes | None
) -> None:
    (here / "p.wf").write_text(program)
    for words in (["-o", "x.png"], ["--frames", 2, "-o", "x.gif"]):
        done = render(here, "--size", "6x5", *words)
        assert done.returncode == 0
        assert (told or b"") in done.stderr and bool(done.stderr) == bool(told)
    assert render(here, "--size", "6x5", "--heat", "steps", "-o", "x.png").stderr == b""


def test_heat_is_drawn_with_a_legend(here: Path) -> None:
    """Each pixel of the program takes more steps than the one to its left."""
    done = planewalk(
        "render", "steps.wf", "--size", "60x3", "--heat", "steps", "-o", "heat.png", cwd=here
    )
    assert done.returncode == 0, done.stderr
    done = planewalk(
        "render", "steps.wf", "--size", "60x3", "--heat", "limit", "--max-steps", "20",
        "-o", "limit.png", cwd=here,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with Image.open(here / "heat.png") as image:
        assert image.size == (60, 33)
        lights = [sum(image.getpixel((x, 1))) for x in (1, 20, 40, 59)]
        assert lights == sorted(lights) and lights[0] < lights[-1]
        assert image.getpixel((59, 0)) == (253, 231, 37)
    with Image.open(here / "limit.png") as image:
        row = [image.getpixel((x, 0)) for x in range(60)]
        at = row.index((255, 176, 0))
        assert 1 < at < 59 and set(row[:at]) == {(44, 50, 66)} and set(row[at:]) == {(255, 176, 0)}


def test_the_heat_of_a_film_has_one_scale(here: Path) -> None:
    words = ["--size", "30x2", "--heat", "steps", "--frames", 2, "--fps", 1, "-o", "heat.apng"]
    assert planewalk("render", "steps.wf", *words, cwd=here).returncode == 0
    one, other = frames(here / "heat.apng")
    assert one == other and len(one) == 3 * 30 * 32


def test_a_sequence_goes_on_where_it_stopped(here: Path) -> None:
    words = [*SIZE, "--fps", "5", "-o", "f-%02d.png"]
    assert render(here, *words, "--frames", 3).returncode == 0
    whole = (here / "f-02.png").read_bytes()
    (here / "f-01.png").write_bytes((here / "f-01.png").read_bytes()[:-20])
    os.utime(here / "f-00.png", (1, 1))
    done = render(here, *words, "--frames", 5, "--resume")
    assert done.returncode == 0
    assert done.stderr == b"planewalk: 2 of 5 frames are there already\n"
    assert [pixels(here / f"f-0{n}.png") for n in range(5)] == [
        expected(time=n / 5) for n in range(5)
    ]
    assert (here / "f-00.png").stat().st_mtime == 1 and (here / "f-02.png").read_bytes() == whole


def test_a_frame_drawn_again_is_the_same_with_its_legend(here: Path) -> None:
    words = ["--size", "40x2", "--heat", "steps", "--frames", 3, "-o", "f-%d.png"]
    assert planewalk("render", "steps.wf", *words, cwd=here).returncode == 0
    before = (here / "f-1.png").read_bytes()
    (here / "f-1.png").unlink()
    assert planewalk("render", "steps.wf", *words, "--resume", cwd=here).returncode == 0
    assert (here / "f-1.png").read_bytes() == before


def test_a_sequence_of_another_size_is_left_alone(here: Path) -> None:
    assert render(here, *SIZE, "--frames", 2, "-o", "f-%d.png").returncode == 0
    before = {path.name: path.read_bytes() for path in here.glob("f-*")}
    done = render(here, "--size", "12x9", "--frames", 3, "--resume", "-o", "f-%d.png")
    assert done.returncode == 2
    assert b"--resume: 'f-0.png' has 12 x 8 pixels, not 12 x 9" in done.stderr
    assert {path.name: path.read_bytes() for path in here.glob("f-*")} == before


def exhaustive(*values: object) -> Any:
    """Formats that `test_writers.py` tries as well."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)


@pytest.mark.parametrize(
    "name", ["f-%05d.png", *map(exhaustive, ("f.mp4", "f.gif", "f.apng", "f.webp", "f.webm"))]
)
def test_ctrl_c_keeps_the_frames_that_are_done(here: Path, name: str) -> None:
    moving = name.endswith(("mp4", "webm"))
    if moving:
        pytest.importorskip("av")
    words = ["render", "p.wf", "--size", "16x16", "--frames", "99999", "-o", name]
    running = warm.Running(words, here)

    def some_are_done() -> bool:
        if "%" in name:
            return len(list(here.glob("f-*"))) > 3
        return any(path.stat().st_size > 5000 for path in here.glob(".planewalk-*"))

    _wait_for(some_are_done, running)
    running.send_signal(signal.SIGINT)
    code, out, err = running.end()
    found = re.fullmatch(
        rf"planewalk: interrupted; (\d+) frames are kept in {re.escape(name)}\n", err.decode()
    )
    assert code == 130 and out == b"" and found, err
    assert not list(here.glob(".planewalk-*"))
    kept = int(found[1])
    if moving:
        assert numbers_in_video(here / name, 25) == list(range(kept))
    elif "%" in name:
        assert len(list(here.glob("f-*.png"))) == kept
        assert all(len(pixels(path)) == 3 * 16 * 16 for path in here.glob("f-*.png"))
    else:
        with Image.open(here / name) as image:
            assert image.n_frames == kept
            image.seek(kept - 1)
            image.load()


def _wait_for(reached: Callable[[], object], running: warm.Running) -> None:
    end = time.monotonic() + PATIENCE
    while not reached():
        if running.child.has_ended() or time.monotonic() > end:
            pytest.fail(f"it did not come that far: {running.end(0)}")
        time.sleep(0.02)


def test_ctrl_c_during_a_picture_leaves_nothing(here: Path) -> None:
    running = warm.Running(["render", "p.wf", "--size", "8000x8000", "-o", "x.png"], here)
    _wait_for(lambda: list(here.glob(".planewalk-*")), running)
    running.send_signal(signal.SIGINT)
    said = b"planewalk: interrupted; nothing was written\n"
    assert running.end() == (130, b"", said)
    assert not list(here.glob(".planewalk-*")) and not (here / "x.png").exists()


@pytest.mark.parametrize(("name", "room", "count"), [
    ("f.gif", 2500, 50),
    exhaustive("f.apng", 2500, 50),
    exhaustive("f.webp", 2500, 50),
    ("f.mp4", 8000, 50),  # the encoder has them all when it ends
    exhaustive("f.mp4", 15_000, 500),
    exhaustive("f.webm", 8000, 50),
    exhaustive("f.webm", 15_000, 500),
])  # fmt: skip
def test_a_full_disk_leaves_what_was_written_valid(
    here: Path, name: str, room: int, count: int
) -> None:
    if name.endswith(("mp4", "webm")):
        pytest.importorskip("av")
    words = ["--size", "30x20", "--frames", count, "--time", "0.1", "-o", name]
    environment = {**os.environ, "PLANEWALK_CACHE": str(here / "cache")}
    done = render(here, *words, room=room, env=environment)
    assert done.returncode == 2
    found = re.search(
        rb"cannot be written: File too large; (\d+) frames? (is|are) kept", done.stderr
    )
    assert found and done.stderr.count(b"\n") == 1, done.stderr
    kept = int(found[1])
    assert 0 < kept < count and (here / name).stat().st_size <= room
    if name.endswith(("mp4", "webm")):
        assert numbers_in_video(here / name, 25) == list(range(kept))
    else:
        assert len(frames(here / name)) == kept
    assert not list(here.glob(".planewalk-*"))


def test_a_disk_too_full_for_a_picture_or_a_video_leaves_nothing(here: Path) -> None:
    names = ["x.png", "x-%d.png"]
    try:
        import av  # noqa: F401

        names += ["x.mp4", "x.webm"]
    except ImportError:
        pass
    for name in names:
        words = [] if name == "x.png" else ["--frames", "3"]
        done = render(here, "--size", "16x16", *words, "-o", name, room=64,
                      env={**os.environ, "PLANEWALK_CACHE": str(here / "cache")})  # fmt: skip
        assert done.returncode == 2 and b"cannot be written: File too large" in done.stderr, name
        assert b"Traceback" not in done.stderr and done.stderr.count(b"\n") == 1
    assert not list(here.glob("x*")) and not list(here.glob(".planewalk-*"))


BAD = [
    (["-o", "x.jpg"], "'x.jpg' must end in .png, .gif, .apng, .webp, .mp4 or .webm"),
    ([], "-o says which file to write; or --show"),
    (["-o", "x.png", "--frames", "3"], "numbered sequence such as frame-%04d.png"),
    (["-o", "x.gif", "--frames", "0"], "--frames: expected a whole number, 1 or more"),
    (["-o", "x.gif", "--frames", "3", "--duration", "1"], "either frames or a duration"),
    (["-o", "x.gif", "--duration", "0"], "cannot last 0.0 seconds"),
    (["-o", "x.gif", "--duration", "inf"], "cannot last inf seconds"),
    (["-o", "x.gif", "--duration", "long"], "--duration: expected seconds"),
    (["-o", "x.gif", "--frames", "3", "--fps", "0"], "--fps: expected frames a second"),
    (["-o", "x.gif", "--frames", "3", "--fps", "1/0"], "--fps: expected frames a second"),
    (["-o", "x.gif", "--frames", "3", "--fps", "60"], "GIF files show at most 50 frames a second"),
    (["-o", "x.png", "--fps", "10"], "--fps is about films"),
    (["-o", "x.png", "--size", "0x4"], "--size: a picture of 0 x 4 has no pixels"),
    (["-o", "x.png", "--size", "9000x9000"], "81,000,000 pixels to draw is more than 67,108,864"),
    (["-o", "x.png", "--size", "900x900", "--supersample", "10"], "--force draws them"),
    (["-o", "x.gif", "--frames", "100001"], "--frames: 100,001 is more than 100,000"),
    (["-o", "x.gif", "--frames", "9" * 30], "is more than 100,000"),
    (["-o", "x.gif", "--size", "70000x1"], "GIF files hold at most 65,535 pixels a side"),
    (["-o", "x.png", "--supersample", "0"], "--supersample: expected a whole number, 1 or more"),
    (["-o", "x.png", "--crop", "1,2,3"], "--crop: expected left, top, width and height"),
    (["-o", "x.png", "--crop", "636,0,5,5"], "--crop: 636,0,5,5 reaches beyond the picture of 640"),
    (["-o", "x.png", "--crop", "0,0,0,5"], "--crop: 0,0,0,5 has no pixels"),
    (["-o", "x.png", "--heat", "warm"], "--heat: expected steps or limit, not 'warm'"),
    (["-o", "x.png", "--heat", "steps", "--supersample", "2"], "--heat: it is about single pixels"),
    (["-o", "x.png", "--contact-sheet", "2x2"], "add --duration or --frames"),
    (["-o", "x.png", "--contact-sheet", "0x2", "--frames", "4"], "expected columns and rows"),
    (["-o", "x.gif", "--resume", "--frames", "3"], "--resume goes on with a numbered sequence"),
    (["-o", "x-%d.png", "--resume"], "--resume goes on with a numbered sequence"),
    (["--show", "--frames", "3"], "--show shows one picture"),
    (["--show", "-o", "-"], "both want standard output"),
    (["-o", "x.png", "--threads", "0"], "--threads: expected a whole number, 1 or more"),
    (["-o", "x.png", "--threads", "2", "--cluster", "tcp://h:1"], "--threads: the workers"),
    (["-o", "x.png", "--texture", "not.png"], "'not.png' is not a picture"),
    (["-o", "x.png", "--texture", "none.png"], "'none.png' does not exist"),
    (["-o", "no/x.gif", "--frames", "2"], "'no/x.gif' cannot be written"),
    (["-o", "no/x-%d.png", "--frames", "2"], "cannot be written"),
    (["-o", "x.png", "--time", "noon"], "--time: expected seconds as a number"),
    (["-o", "."], "must end in"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_usage_gets_one_clear_line(here: Path, words: list[str], said: str) -> None:
    before = sorted(os.listdir(here))
    done = render(here, *words)
    assert_one_clear_line(done, said)
    assert sorted(os.listdir(here)) == before


def test_other_languages_do_not_draw(here: Path) -> None:
    done = planewalk("render", "ok.mf", "--show", cwd=here)
    assert done.returncode == 2 and b"Mirrorfunge programs do not colour pixels" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(here: Path) -> None:
    (here / "locked").mkdir(mode=0o500)
    for words in (["-o", "locked/x.png"], ["-o", "locked/%d.png", "--frames", 2]):
        done = render(here, *SIZE, *words)
        assert done.returncode == 2 and b"cannot be written: Permission denied" in done.stderr


@pytest.mark.parametrize(("module", "words", "said"), [
    ("av", ["--frames", "2", "-o", "x.mp4"], "pip install 'planewalk[video]'"),
    ("distributed", ["--cluster", "tcp://there:1", "-o", "x.png"],
     "pip install 'planewalk[cluster]'"),
])  # fmt: skip
def test_a_missing_extra_is_named(here: Path, module: str, words: list[str], said: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; from planewalk.apps.cli.main import main; "
    code += f"sys.exit(main({['render', 'p.wf', *words]!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=here, text=True)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert not list(here.glob("x.*")) and not list(here.glob(".planewalk-*"))


def test_force_lifts_the_cap(here: Path) -> None:
    words = ["--size", "99999x99999", "--crop", "5,5,3,2", "-o", "x.png"]
    assert render(here, *words).returncode == 0  # few pixels of a gigantic picture
    many = ["--size", "2x1", "--frames", "100001", "--contact-sheet", "2x1", "-o", "x.png"]
    assert render(here, *many).returncode == 0


def test_show_prints_the_picture(here: Path) -> None:
    plain = render(here, "--size", "4x2", "--show")
    assert plain.returncode == 0 and len(plain.stdout.decode().rstrip("\n")) <= 4
    environment = {**os.environ, "FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm"}
    done = render(here, "--size", "4x2", "--show", "-o", "x.png", env=environment)
    rows = pixels(here / "x.png")
    seen = re.findall(r"(?:\x1b\[38;2;([\d;]+)m)?(?:\x1b\[48;2;([\d;]+)m)?▀", done.stdout.decode())
    assert len(seen) == 4
    above, below = seen[0]
    assert above == "{};{};{}".format(*rows[:3]) and below == "{};{};{}".format(*rows[12:15])


def at_terminal(here: Path, words: list[str], answer: bytes, **environment: str) -> bytes:
    """What render prints at a terminal that gives this answer to whatever it is asked."""
    keyboard, screen = pty.openpty()
    streams = [screen, os.dup(screen), os.dup(screen)]
    environment = {**os.environ, "TERM": "xterm-256color", **environment}
    child = warm.start(["render", "p.wf", *words], streams, here, environment)
    seen = b""
    while True:
        try:
            piece = os.read(keyboard, 65536)
        except OSError:
            break
        seen += piece
        if b"\x1b[c" in piece and answer:
            os.write(keyboard, answer)
    os.close(keyboard)
    assert child.wait() == 0, seen
    return seen


@pytest.mark.parametrize(("answer", "environment", "said"), [
    (b"\x1b[?62;22c", {}, "▀".encode()),
    (b"", {}, "▀".encode()),
    (b"\x1b[?62;4c", {}, b'\x1bPq"1;1;4;2'),
    (b"\x1b_Gi=31;OK\x1b\\\x1b[?62c", {}, b"\x1b_Gf=100,a=T,m=0;"),
    (b"", {"KITTY_WINDOW_ID": "1"}, b"\x1b_Gf=100,a=T,m=0;"),
    (b"", {"TERM_PROGRAM": "iTerm.app"}, b"\x1b]1337;File=inline=1;"),
    (b"", {"TERM_PROGRAM": "iTerm.app", "TMUX": "/tmp/x"}, "▀".encode()),
])  # fmt: skip
def test_show_uses_what_the_terminal_has(
    here: Path, answer: bytes, environment: dict[str, str], said: bytes
) -> None:
    assert said in at_terminal(here, ["--size", "4x2", "--show"], answer, **environment)


def test_progress_tells_frames_rate_and_time_left() -> None:
    now = [0.0]
    progress = FilmProgress(4, 10, True, lambda: now[0])
    for _ in range(2):
        now[0] += 3
        assert list(progress.watch([b"12345", b"12345"])) == [b"12345", b"12345"]
    assert progress.told(6.0) == "[##########..........] 2 of 4 frames, 3 s a frame, 6 s left"
    assert FilmProgress(1, 10, False).told(1.0).startswith("[....................] 0 %")
    assert [show_seconds(s) for s in (0.2, 61, 3661)] == ["1 s", "1:01", "1:01:01"]
