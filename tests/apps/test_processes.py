"""Drawing in processes of our own, some of which die; nobody else gets in."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import planewalk as library
from planewalk.apps.pictures import processes
from planewalk.apps.pictures.frames import Count, draw_frames, film_times
from planewalk.apps.pictures.picture_scene import Artist, PictureScene, Piece, make_scene
from planewalk.apps.pictures.processes import ProcessStudio
from planewalk.core.errors import LimitReached, PlanewalkError
from planewalk.core.limits import Limits
from tests import signals
from tests.apps.test_run import COMMAND, planewalk
from tests.patience import PATIENCE

WAVES = "0y2y/4y+:1y3y/4y*@"


def test_a_local_cluster_needs_no_address(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    words = ["--size", "16x10", "--frames", "4"]
    done = planewalk(
        "render", "p.wf", *words, "--threads", "2", "-o", "a.apng", "--cluster", cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert planewalk("render", "p.wf", *words, "-o", "b.apng", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.apng").read_bytes() == (tmp_path / "b.apng").read_bytes()


@pytest.fixture
def film(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A long film that is being drawn."""
    (tmp_path / "p.wf").write_text(WAVES)
    process = signals.start(
        [*COMMAND, "render", "p.wf", "--size", "16x10", "--frames", "99999", "--threads", "2",
         "-o", "f-%05d.png", "--cluster"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + PATIENCE
    while not (tmp_path / "f-00005.png").exists():
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.02)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_a_local_cluster_quietly(film: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """At a terminal the signal goes to all processes at once."""
    os.killpg(film.pid, signal.SIGINT)
    out, err = film.communicate(timeout=PATIENCE)
    kept = len(list(tmp_path.glob("f-*.png")))
    assert (film.returncode, out) == (130, b"")
    assert err.decode() == f"planewalk: interrupted; {kept} frames are kept in f-%05d.png\n"


def family(process: subprocess.Popen[bytes]) -> list[int]:
    """The process and all that it has started, by its session."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.getsid(int(entry.name)) == process.pid:
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                found += [int(entry.name)] * (state != "Z")
        except OSError:
            continue  # it has just ended
    return found


linux = pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="looks into /proc")


def sockets(pid: int) -> set[str]:
    """The numbers of all sockets that a process holds."""
    links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return {link[8:-1] for link in links if link.startswith("socket:[")}


@linux
def test_there_is_no_port_to_knock_at_and_nobody_is_left(film: subprocess.Popen[bytes]) -> None:
    """Processes end with the one that started them, even if that is killed."""
    members = family(film)
    assert len(members) >= 3, "it draws in processes"
    tables = ("tcp", "tcp6", "udp", "udp6")
    lines = [line for name in tables for line in Path(f"/proc/net/{name}").read_text().splitlines()]
    numbers = {line.split()[9] for line in lines if line.split()[9].isdigit()}
    assert not numbers & set[str]().union(*map(sockets, members))
    film.kill()
    film.wait()
    end = time.monotonic() + PATIENCE
    while family(film):
        assert time.monotonic() < end, (members, family(film))
        time.sleep(0.02)


def dying(scene: PictureScene, painter: Artist, piece: Piece) -> int:
    """Work that kills its process at one piece, the first time it comes there."""
    mark = Path(os.environ["PLANEWALK_TEST_MARK"])
    if piece.top == 3 and (not mark.exists() or mark.read_text() == "always"):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece.top


def failing(scene: PictureScene, painter: Artist, piece: Piece) -> int:
    raise ValueError("no such thing")


def too_much(scene: PictureScene, painter: Artist, piece: Piece) -> int:
    raise LimitReached("too much")


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file that tells processes whether to die."""
    found = tmp_path_factory.mktemp("marks") / "mark"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PLANEWALK_TEST_MARK", str(found))
        yield found


@pytest.fixture(scope="module")
def shared_studio(mark: Path) -> Iterator[ProcessStudio]:
    made = ProcessStudio(2, lambda: None)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def studio(shared_studio: ProcessStudio, mark: Path) -> ProcessStudio:
    """One for all tests: it goes on after whatever happens to its processes."""
    mark.unlink(missing_ok=True)
    shared_studio.piece_size = ProcessStudio.piece_size
    return shared_studio


def scene() -> PictureScene:
    program = library.load(source=WAVES, language="webfunge", size=(16, 10))
    return make_scene(program, Limits(10_000), None)


def test_a_process_that_dies_changes_nothing(studio: ProcessStudio) -> None:
    pieces = [Piece(0.0, top, top + 1) for top in range(10)]
    assert list(studio.each(dying, scene(), pieces)) == list(range(10))


def test_a_process_that_was_stopped_ends_with_the_others(studio: ProcessStudio) -> None:
    drawn = studio.each(dying, scene(), [Piece(0.0, top, top + 1) for top in range(4, 10)])
    assert next(drawn) == 4 and studio.job is not None
    stopped, *_ = studio.job.pool._processes.values()
    os.kill(stopped.pid, signal.SIGSTOP)
    studio.close()
    assert stopped.exitcode == -signal.SIGKILL


def test_limits_are_told_as_limits(studio: ProcessStudio) -> None:
    with pytest.raises(LimitReached, match="too much"):
        list(studio.each(too_much, scene(), [Piece(0.0, 3, 4)]))


def test_work_that_fails_is_one_error(studio: ProcessStudio) -> None:
    with pytest.raises(PlanewalkError, match="cannot draw this: no such thing"):
        list(studio.each(failing, scene(), [Piece(0.0, 3, 4)]))


def test_what_nobody_wanted_is_not_mistaken_for_the_next(studio: ProcessStudio) -> None:
    pieces = [Piece(0.0, top, top + 1) for top in range(4, 10)]
    next(studio.each(dying, scene(), pieces))
    assert list(studio.each(dying, scene(), pieces)) == list(range(4, 10))


@pytest.mark.exhaustive
def test_dying_again_and_again_is_one_error(studio: ProcessStudio, mark: Path) -> None:
    mark.write_text("always")
    with pytest.raises(PlanewalkError, match="die again and again"):
        list(studio.each(dying, scene(), [Piece(0.0, 3, 4)]))


def test_only_a_few_pieces_are_on_their_way_here(studio: ProcessStudio) -> None:
    asked = 0

    def pieces() -> Iterator[Piece]:
        nonlocal asked
        for number in range(40):
            asked += 1
            yield Piece(float(number), 0, 1)

    for number, _ in enumerate(studio.each(dying, scene(), pieces())):
        assert asked <= number + 2 + processes.AHEAD * 2


def test_frames_are_the_same_as_at_home(studio: ProcessStudio) -> None:
    wanted = library.render(source=WAVES, language="webfunge", size=(16, 10), frames=3)
    studio.piece_size = 48  # several pieces for each frame
    count = Count()
    frames = draw_frames(scene(), studio, film_times(0.0, 3, wanted.fps), count, film=True)
    assert [b"".join(frame) for frame in frames] == [picture.pixels for picture in wanted]
    assert count.tally == wanted.tally and count.tally.pixels == 480
