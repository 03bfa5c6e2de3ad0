"""One rule for all that is written: what the user names is replaced as a whole, unless it is read
as well; what planewalk names replaces nothing without --force."""

import os
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

import planewalk as library
from planewalk.apps import draft
from planewalk.apps.cli.main import COMMANDS, build_parser
from planewalk.apps.draft import Draft
from planewalk.core.errors import PlanewalkError
from planewalk.examples import find_example
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import COMMAND, planewalk
from tests.patience import PATIENCE

WRITERS = {
    "convert": ["board.txt", "-o", "out.png"], "disasm": ["hello.mf", "-o", "out.py"],
    "film": ["hello.mf", "--steps", "0:2", "-o", "out.svg"], "graph": ["hello.mf", "-o", "out.svg"],
    "picture": ["hello.mf", "-o", "out.png"], "render": ["ok.wf", "--size", "2x2", "-o", "out.png"],
    "shader": ["ok.wf", "-o", "out.wgsl"],
}  # fmt: skip
"""How each command that has -o is told to write a file."""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "hello.mf").write_bytes(find_example("hello.mf").read())
    (tmp_path / "ok.wf").write_text("@")
    (tmp_path / "board.txt").write_text("..>\n")
    return tmp_path


def test_every_command_that_writes_is_tested() -> None:
    commands = build_parser().commands
    assert set(commands) == set(COMMANDS)
    writers = {name for name, each in commands.items() if "-o" in each._option_string_actions}
    assert writers == set(WRITERS)


@pytest.mark.parametrize("command", WRITERS)
def test_what_is_named_is_replaced_as_a_whole(here: Path, command: str) -> None:
    out = here / WRITERS[command][-1]
    out.write_text("old")
    (here / "kept").hardlink_to(out)
    done = planewalk(command, *WRITERS[command], cwd=here)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() != b"old"
    assert (here / "kept").read_text() == "old", "it was written into, not replaced"
    assert not list(here.glob(".planewalk-*"))


@pytest.mark.parametrize("command", WRITERS)
def test_what_is_read_is_never_replaced(here: Path, command: str) -> None:
    source = here / WRITERS[command][0]
    before = source.read_bytes()
    done = planewalk(command, *WRITERS[command][:-1], f"./{source.name}", cwd=here)
    assert_one_clear_line(done, "is the program itself; choose another name")
    assert source.read_bytes() == before


def test_a_state_replaces_neither_program_nor_input(here: Path) -> None:
    before = (here / "hello.mf").read_bytes()
    (here / "in").write_text("1")
    for name, what in (("./hello.mf", "program"), ("in", "input")):
        done = planewalk("run", "hello.mf", "--input", "in", "--save-state", name, cwd=here)
        assert_one_clear_line(done, f"--save-state: '{name}' is the {what} itself")
    assert (here / "hello.mf").read_bytes() == before and (here / "in").read_text() == "1"


def test_neither_input_nor_textures_are_replaced(here: Path) -> None:
    (here / "in.svg").write_text("1")
    done = planewalk("graph", "hello.mf", "--input", "in.svg", "-o", "in.svg", cwd=here)
    assert_one_clear_line(done, "'in.svg' is the input itself")
    Image.new("RGB", (1, 1)).save(here / "t.png")
    words = ["--texture", "t.png", "--texture", "t.png", "-o", "t.png"]
    done = planewalk("render", "ok.wf", *words, cwd=here)
    assert_one_clear_line(done, "'t.png' is the texture itself")


def test_the_library_replaces_what_it_is_told_to_save(here: Path) -> None:
    out = here / "out.svg"
    for thing in (library.picture(here / "hello.mf"), library.film(here / "hello.mf")):
        out.write_text("old")
        thing.save(out)
        assert out.read_text().startswith("<svg")


def test_a_link_stays_a_link(here: Path) -> None:
    (here / "far").mkdir()
    (here / "out.svg").symlink_to("far/real.svg")
    for _ in range(2):
        assert planewalk("graph", "hello.mf", "-o", "out.svg", cwd=here).returncode == 0
        assert (here / "out.svg").is_symlink()
        assert (here / "far" / "real.svg").read_text().startswith("<svg")


def test_a_pipe_stays_a_pipe(here: Path) -> None:
    os.mkfifo(here / "out.svg")
    with subprocess.Popen(
        [*COMMAND, "graph", "hello.mf", "-o", "out.svg"], cwd=here, stderr=subprocess.PIPE
    ) as writer:
        assert (here / "out.svg").read_text().startswith("<svg")
        assert writer.wait(PATIENCE) == 0
    assert stat.S_ISFIFO((here / "out.svg").stat().st_mode)


def test_copies_replace_nothing_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "hello.mf").write_text("mine")
    for words in (["hello.ref", "hello.mf"], ["hello.mf"], ["hello.mf", "."]):
        done = planewalk("examples", "copy", *words, cwd=tmp_path)
        assert_one_clear_line(done, "hello.mf' exists already; use --force to replace it")
    assert (tmp_path / "hello.mf").read_text() == "mine"
    assert not (tmp_path / "hello.ref").exists(), "none is copied if one cannot be"
    done = planewalk("examples", "copy", "hello.ref", "hello.mf", "--force", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "hello.mf").read_bytes() == find_example("hello.mf").read()


@pytest.mark.parametrize(("words", "copied"), [
    (["hello.mf", "hello.ref"], ["hello.mf", "hello.ref"]),
    (["hello.mf", "cube.wf", "cat.ref", "to"], ["to/hello.mf", "to/cube.wf", "to/cat.ref"]),
    (["hello.mf", "hello.ref", "new/to/"], ["new/to/hello.mf", "new/to/hello.ref"]),
    (["hello.mf", "new"], ["new/hello.mf"]),
    (["hello.mf", "mine.mf"], ["mine.mf"]),
    (["adder"], ["adder.png"]),
], ids=" ".join)  # fmt: skip
def test_copies_of_one_or_more_examples(tmp_path, words: list[str], copied: list[str]) -> None:
    (tmp_path / "to").mkdir()
    done = planewalk("examples", "copy", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.decode().splitlines() == [f"copied to {name}" for name in copied]
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(tmp_path)) for path in found) == sorted(copied)
    assert (tmp_path / copied[-1]).read_bytes() == find_example(words[len(copied) - 1]).read()


@pytest.mark.parametrize(("words", "said"), [
    (["copy", "hello.mf", "helo.ref"], "there is no example 'helo.ref'; did you mean"),
    (["copy", "hello.mf", "hello.ref", "mine.mf"], "there is no example 'mine.mf'"),
    (["copy"], "which example? planewalk examples copy NAME"),
    (["show", "hello.mf", "hello.ref"], "examples show takes one name, not 2"),
    (["list", "refunge", "gemooy"], "examples list takes one name, not 2"),
], ids=lambda words: " ".join(words) if isinstance(words, list) else None)  # fmt: skip
def test_examples_that_make_no_sense(tmp_path: Path, words: list[str], said: str) -> None:
    assert_one_clear_line(planewalk("examples", *words, cwd=tmp_path), said)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def pipe(here: Path) -> Iterator[tuple[Path, Callable[[], bytes]]]:
    """A named pipe, and a function that waits for what somebody reads from it."""
    path, read = here / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()

    def wait() -> bytes:
        reader.join(PATIENCE)
        assert read, "nobody has written into the pipe"
        return read[0]

    yield path, wait
    reader.join(PATIENCE)
    assert read and stat.S_ISFIFO(path.stat().st_mode), "the pipe was replaced, or not written to"
    assert not list(here.glob(".planewalk-*"))


def through(pipe: Path, name: str) -> Path:
    """A link of that name: the suffix says what is written, and the pipe is behind it."""
    link = pipe.parent / name
    link.symlink_to(pipe)
    return link


@pytest.mark.parametrize("command", WRITERS)
def test_a_pipe_is_written_into(
    here: Path, pipe: tuple[Path, Callable[[], bytes]], command: str
) -> None:
    *words, name = WRITERS[command]
    expected = planewalk(command, *words, f"plain-{name}", cwd=here)
    done = planewalk(command, *words, through(pipe[0], name), cwd=here)
    assert (done.returncode, done.stderr) == (0, expected.stderr)
    assert pipe[1]() == (here / f"plain-{name}").read_bytes()


FILMS = ["gif", "apng", "webp", "svg", "cast"]


@pytest.mark.parametrize("suffix", FILMS)
def test_films_go_into_pipes_as_well(
    here: Path, pipe: tuple[Path, Callable[[], bytes]], suffix: str
) -> None:
    words = ["film", "hello.mf", "--steps", "0:2", "-o"]
    assert planewalk(*words, f"plain.{suffix}", cwd=here).returncode == 0
    assert planewalk(*words, through(pipe[0], f"out.{suffix}"), cwd=here).returncode == 0
    assert pipe[1]() == (here / f"plain.{suffix}").read_bytes()


def test_a_pipe_that_nothing_reads_from_is_refused(here: Path, monkeypatch) -> None:
    """After a while: its reader may be about to start. Other pipes are waited for as well."""
    os.mkfifo(here / "out.svg")
    monkeypatch.setattr(draft, "PATIENCE", 0.0)
    with pytest.raises(PlanewalkError, match="nothing reads from this pipe"):
        Draft(str(here / "out.svg"))
    one = Draft(str(here / "other"))
    os.mkfifo(here / "other")
    with pytest.raises(PlanewalkError, match="nothing reads from this pipe"):
        one.publish()
    assert not list(here.glob(".planewalk-*"))


def test_the_reader_of_a_pipe_may_start_later(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(here / "out")
    readers: list[subprocess.Popen[bytes]] = []

    def wait(seconds: float) -> None:
        if not readers:
            readers.append(subprocess.Popen(["cat", here / "out"], stdout=subprocess.PIPE))

    monkeypatch.setattr(draft, "PATIENCE", PATIENCE)
    monkeypatch.setattr(draft.time, "sleep", wait)
    draft.write_with(str(here / "out"), lambda file: file.write(b"all"))
    assert readers[0].communicate(timeout=PATIENCE)[0] == b"all"


def test_what_became_a_pipe_in_the_meantime_is_not_replaced(here: Path) -> None:
    one = Draft(str(here / "out"))
    one.file.write(b"all")
    os.mkfifo(here / "out")
    reader = subprocess.Popen(["cat", here / "out"], stdout=subprocess.PIPE)
    one.publish()
    assert reader.communicate(timeout=PATIENCE)[0] == b"all"
    assert stat.S_ISFIFO((here / "out").stat().st_mode)


def test_standard_output_has_a_name_too(here: Path) -> None:
    done = planewalk("graph", "hello.mf", "-o", "-", cwd=here)
    (here / "out.svg").symlink_to("/dev/stdout")
    assert planewalk("graph", "hello.mf", "-o", "out.svg", cwd=here).stdout == done.stdout
