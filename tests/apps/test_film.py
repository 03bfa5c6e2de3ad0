"""`planewalk film` and `planewalk picture` over real files, signals and terminals."""

import json
import os
import pty
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

import planewalk as library
from planewalk.apps.cli.main import main
from planewalk.apps.cli.progress import FilmProgress
from planewalk.examples import shipped
from tests import warm
from tests.apps.complaints import assert_one_clear_line
from tests.apps.terminals import all_of
from tests.apps.test_run import planewalk

RING = ">1$v\n^  <\n"
"""Mirrorfunge that walks in a ring for ever."""


def frames_in(path: Path) -> int:
    """How many frames a moving picture has; the last of them can be read."""
    with Image.open(path) as image:
        image.seek(image.n_frames - 1)
        image.load()
        return int(image.n_frames)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "hi.mf").write_text('"iH",,@')
    (tmp_path / "ring.mf").write_text(RING)
    (tmp_path / "read.mf").write_text("~.@")
    for file in ("adder.png", "hello.ref", "walk.gemooy", "plasma.wf", "hello.mf"):
        (tmp_path / file).write_bytes(shipped(file) or b"")
    return tmp_path


@pytest.mark.parametrize("file", [
    "hello.ref",
    "plasma.wf",
    *(
        pytest.param(file, marks=pytest.mark.exhaustive)
        for file in ("adder.png", "walk.gemooy", "hello.mf")
    ),
])  # fmt: skip
def test_every_language_has_films_and_pictures(here: Path, file: str) -> None:
    done = planewalk("film", file, "--steps", "2:11", "-o", "out.gif", cwd=here)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")
    assert frames_in(here / "out.gif") == 10
    done = planewalk("picture", file, "--at", 5, "--theme", "dark", "-o", "out.svg", cwd=here)
    assert (done.returncode, done.stderr) == (0, b"")
    ElementTree.parse(here / "out.svg")


@pytest.mark.parametrize("suffix", ["svg", "apng", "webp", "cast", "gif", "html"])
def test_suffixes_choose_formats(here: Path, suffix: str) -> None:
    name = f"out.{suffix.upper()}"
    assert planewalk("film", "hi.mf", "-o", name, "--fps", 5, cwd=here).returncode == 0
    data = (here / name).read_bytes()
    if suffix == "svg":
        ElementTree.fromstring(data)
    elif suffix == "cast":
        assert json.loads(data.splitlines()[0])["version"] == 2
    elif suffix == "html":
        assert data.startswith(b"<!doctype html>")
    else:
        assert frames_in(here / name) == 8
    assert not list(here.glob(".planewalk-*"))


@pytest.mark.parametrize("suffix", ["mp4", "webm"])
def test_video_can_be_played(here: Path, suffix: str) -> None:
    av = pytest.importorskip("av")
    assert planewalk("film", "hi.mf", "-o", f"out.{suffix}", cwd=here).returncode == 0
    with av.open(str(here / f"out.{suffix}")) as container:
        assert sum(1 for _ in container.decode(video=0)) == 8 + 15


def test_video_without_pyav_names_the_way_to_get_it(here: Path) -> None:
    (here / "av.py").write_text("raise ImportError")
    environment = {**os.environ, "PYTHONPATH": f"{here}:{os.environ.get('PYTHONPATH', '')}"}
    done = planewalk("film", "hi.mf", "-o", "out.mp4", cwd=here, env=environment)
    assert done.returncode == 2 and not (here / "out.mp4").exists()
    assert done.stderr == (b"planewalk: .mp4 files need PyAV: pip install 'planewalk[video]'\n")


def test_pictures_as_text(here: Path) -> None:
    assert planewalk("picture", "hi.mf", "--at", 6, "-o", "out.txt", cwd=here).returncode == 0
    text = (here / "out.txt").read_text()
    assert '"iH",,@' in text and "output    Hi" in text and "step 6" in text
    assert planewalk("picture", "hi.mf", "--no-panels", "-o", "o.ansi", cwd=here).returncode == 0
    assert "output" not in (here / "o.ansi").read_text()


def test_a_picture_on_standard_output_and_in_the_terminal(here: Path) -> None:
    """PNG, as of `planewalk render`, unless `--as` says otherwise, also of names without suffix."""
    words = ["picture", "hi.mf", "--at", 6]
    assert planewalk(*words, "-o", "out.png", cwd=here).returncode == 0
    assert planewalk(*words, "-o", "-", cwd=here).stdout == (here / "out.png").read_bytes()
    assert planewalk(*words, "-o", "-", "--as", "svg", cwd=here).stdout.startswith(b"<svg")
    assert planewalk(*words, "-o", "noname", "--as", "txt", cwd=here).returncode == 0
    shown = planewalk(*words, "--show", cwd=here)
    assert shown.returncode == 0 and shown.stdout == (here / "noname").read_bytes()
    assert b"output    Hi" in shown.stdout
    both = planewalk(*words, "--show", "-o", "both.png", cwd=here)
    assert both.stdout == shown.stdout and (here / "both.png").exists()


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_coordinates_and_grid_on_request(here: Path, suffix: str) -> None:
    files = []
    for words in ((), ("--no-coordinates",), ("--no-grid",), ("--no-coordinates", "--no-grid")):
        name = f"{len(files)}.{suffix}"
        done = planewalk("picture", "hi.mf", "--at", 2, *words, "-o", name, cwd=here)
        assert (done.returncode, done.stderr) == (0, b"")
        files.append((here / name).read_bytes())
    assert len(set(files)) == 4
    planewalk("picture", "hi.mf", "--at", 2, "--coordinates", "--grid", "-o", name, "--force",
              cwd=here)  # fmt: skip
    assert (here / name).read_bytes() == files[0]


def test_a_film_ends_where_input_is_missing_and_says_so(here: Path) -> None:
    done = planewalk("film", "read.mf", "-o", "out.gif", cwd=here)
    assert done.returncode == 0
    assert (
        done.stderr == b"planewalk: read.mf: asks for input after 0 steps; --input gives it some\n"
    )
    done = planewalk("film", "read.mf", "--input", "-", "-o", "out.gif", cwd=here, data=b"A")
    assert (done.returncode, done.stderr) == (0, b"")
    assert frames_in(here / "out.gif") == 4


BAD = [
    (["film", "hi.mf", "-o", "x.avi"], ".gif, .apng, .webp, .mp4, .webm, .svg, .cast or .html"),
    (["film", "hi.mf", "-o", "x"], "must end in .gif"),
    (["film", "hi.mf", "-o", "-"], "must end in .gif"),
    (["film", "hi.mf"], "required: -o/--output"),
    (["picture", "hi.mf"], "-o says which file to write; or --show"),
    (["picture", "hi.mf", "--as", "png"], "-o says which file to write; or --show"),
    (["picture", "hi.mf", "--show", "-o", "-"], "both want standard output"),
    (["picture", "hi.mf", "-o", "x.gif"], "must end in .svg, .png, .txt or .ansi"),
    (["film", "hi.mf", "-o", "x.gif", "--steps", "9:3"], "ends before it begins"),
    (["film", "hi.mf", "-o", "x.gif", "--steps", "5"], "expected FIRST:LAST"),
    (["film", "hi.mf", "-o", "x.gif", "--steps=-5:5"], "expected FIRST:LAST"),
    (["film", "hi.mf", "-o", "x.gif", "--steps", "a:b"], "expected FIRST:LAST"),
    (["film", "hi.mf", "-o", "x.gif", "--every", "0"], "every: expected 1 step or more"),
    (["film", "hi.mf", "-o", "x.gif", "--every", "-1"], "--every"),
    (["film", "hi.mf", "-o", "x.gif", "--steps", "8:9"], "no step 8: the program ended after 7"),
    (["film", "read.mf", "-o", "x.gif", "--steps", "8:9"], "asked for input after 0"),
    (["picture", "hi.mf", "-o", "x.gif.png", "--at", "99"], "no step 99: the program ended"),
    (["film", "hi.mf", "-o", "x.gif", "--fps", "60"], "GIF files show at most 50 frames a second"),
    (["film", "hi.mf", "-o", "x.gif", "--fps", "0"], "--fps: expected frames a second"),
    (["film", "hi.mf", "-o", "x.gif", "--fps", "soon"], "--fps: expected frames"),
    (["film", "hi.mf", "-o", "x.gif", "--scale", "0"], "scale: expected 1 pixel"),
    (["film", "hi.mf", "-o", "x.gif", "--scale", "9999"], "is very large; choose a smaller"),
    (["film", "hi.mf", "-o", "x.gif", "--crop", "1,2,3"], "expected left, top, width"),
    (["film", "hi.mf", "-o", "x.gif", "--crop", "0,0,0,1"], "nothing to see"),
    (["film", "hi.mf", "-o", "x.gif", "--crop", "0,0,99999,99999"], "too much to draw"),
    (["film", "hi.mf", "-o", "x.gif", "--theme", "pink"], "--theme"),
    (["film", "hi.mf", "-o", "x.gif", "--scale", "2", "--grid"], "choose a --scale of 4 or more"),
    (["film", "hi.mf", "-o", "x.cast", "--grid"], "no lines between letters; leave --grid out"),
    (["picture", "hi.mf", "-o", "x.txt", "--grid"], "no lines between letters; leave --grid out"),
    (["film", "ring.mf", "-o", "x.gif", "--steps", "0:2000"], "more than 2,000 frames"),
    (["film", "hi.mf", "-o", "no/folder/x.gif"], "cannot be written"),
    (["film", "hi.mf", "-o", "."], "must end in .gif"),
    (["picture", "adder.png", "-o", "./adder.png"], "is the program itself"),
    (["film", "missing.mf", "-o", "x.gif"], "does not exist"),
    (["film", "hi.mf", "-o", "x.gif", "--arg", "1"], "Mirrorfunge has no option 'arg'"),
    (["film", "hi.mf", "-o", "x.gif", "--engine", "lvm"], "did you mean 'llvm'?"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_gets_one_clear_line(here: Path, words: list[str], said: str) -> None:
    before = sorted(here.iterdir())
    done = planewalk(*words, cwd=here)
    assert_one_clear_line(done, said)
    assert sorted(here.iterdir()) == before


def test_a_picture_of_the_end(here: Path) -> None:
    done = planewalk("picture", "hi.mf", "--at", "end", "-o", "out.txt", cwd=here)
    assert (done.returncode, done.stderr) == (0, b"")
    text = (here / "out.txt").read_text()
    assert "step 7, ended" in text and "output    Hi" in text
    assert library.picture(here / "hi.mf", at="end").text() == text
    assert "heat" in library.picture(here / "hi.mf", at="end", heat=True).text()


def test_a_picture_of_the_end_of_input(here: Path) -> None:
    (here / "ask.mf").write_text("1&.@")
    done = planewalk("picture", "ask.mf", "--at", "end", "-o", "out.txt", cwd=here)
    assert done.returncode == 0 and "step 1" in (here / "out.txt").read_text()
    assert (
        done.stderr == b"planewalk: ask.mf: asks for input after 1 steps; --input gives it some\n"
    )


def test_what_is_too_large_can_be_forced(here: Path) -> None:
    words = ["film", "ring.mf", "--steps", "0:200", "--scale", "1", "--no-panels"]
    words += ["--force", "-o", "x.cast"]
    few = {"planewalk.apps.films.MOST_FRAMES": 100}
    assert planewalk(*words, cwd=here, settings=few).returncode == 0
    assert len((here / "x.cast").read_text().splitlines()) == 203


@pytest.mark.parametrize("suffix", [
    "gif",
    "svg",
    "cast",
    *(
        pytest.param(suffix, marks=pytest.mark.exhaustive)  # as in test_writers.py
        for suffix in ("apng", "webp", "mp4", "webm")
    ),
])  # fmt: skip
def test_a_full_disk_leaves_the_old_file_alone(here: Path, suffix: str) -> None:
    if suffix in ("mp4", "webm"):
        pytest.importorskip("av")

    target = here / f"x.{suffix}"
    target.write_text("old")
    done = planewalk("film", "hello.mf", "-o", target.name, cwd=here, room=2000)
    assert done.returncode == 2
    assert b"cannot be written: File too large" in done.stderr and done.stderr.count(b"\n") == 1
    assert target.read_text() == "old" and not list(here.glob(".planewalk-*"))


def assert_kept(here: Path, suffix: str, message: str) -> int:
    """A film that was broken off has as many frames as the user is told."""
    assert f"interrupted; x.{suffix} has " in message and message.count("\n") == 1
    frames = int(message.split(" has ")[1].split()[0].replace(",", ""))
    if suffix == "cast":
        events = [json.loads(line) for line in (here / "x.cast").read_text().splitlines()]
        assert len(events) == frames + 2
    else:
        assert frames_in(here / f"x.{suffix}") == frames
    assert not list(here.glob(".planewalk-*"))
    return frames


@pytest.mark.usefixtures("signals_end_this")
@pytest.mark.parametrize("suffix", ["gif", "apng", "webp", "cast"])
def test_ctrl_c_keeps_what_is_done(here: Path, monkeypatch, capsys, suffix: str) -> None:
    def count(self: FilmProgress, frames: int) -> None:
        counted.append(frames)
        if len(counted) == 3:
            signal.raise_signal(signal.SIGINT)

    counted: list[int] = []
    monkeypatch.chdir(here)
    monkeypatch.setattr(FilmProgress, "count", count)
    assert main(["film", "ring.mf", "--steps", "0:500", "-o", f"x.{suffix}"]) == 130
    assert 3 <= assert_kept(here, suffix, capsys.readouterr().err) < 500


@pytest.mark.usefixtures("signals_end_this")
def test_ctrl_c_before_the_first_frame_leaves_nothing(here: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(here)
    on_the_way = "planewalk.view.film.reel._Run._drain"
    monkeypatch.setattr(on_the_way, lambda self: signal.raise_signal(signal.SIGINT))
    assert main(["film", "ring.mf", "--steps", "99999999999999:", "-o", "x.gif"]) == 130
    assert capsys.readouterr().err == "planewalk: interrupted\n"
    assert not (here / "x.gif").exists() and not list(here.glob(".planewalk-*"))


def test_a_terminal_sees_how_far_it_is(here: Path) -> None:
    reader, writer = pty.openpty()
    nothing = os.open(os.devnull, os.O_RDWR)
    words = ["film", "ring.mf", "--steps", "0:20", "-o", "x.gif"]
    at_once = {f"planewalk.apps.cli.progress.{name}": 0 for name in ("PATIENCE", "EVERY")}
    child = warm.start(words, [nothing, os.dup(nothing), writer], here, settings=at_once)
    said = all_of(reader)
    assert child.wait() == 0
    os.close(reader)
    assert b" of 21 frames, " in said and b" s left" in said
    assert said.endswith(b"\r\x1b[K")


def test_a_program_from_standard_input(here: Path) -> None:
    done = planewalk("picture", "-", "--lang", "mirrorfunge", "-o", "x.txt", cwd=here, data=b"1.@")
    assert done.returncode == 0
    assert "program, Mirrorfunge" in (here / "x.txt").read_text()
