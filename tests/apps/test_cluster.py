"""Drawing on a real Dask scheduler with real workers, some of which die."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image

import planewalk as library
from planewalk.apps.cli.main import main
from planewalk.apps.pictures.frames import Count, draw_frames, film_times
from planewalk.apps.pictures.picture_scene import PictureScene, make_scene
from planewalk.core.errors import PlanewalkError
from planewalk.core.limits import Limits
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import COMMAND, planewalk
from tests.apps.test_trouble import HALF
from tests.patience import PATIENCE

if find_spec("distributed") is None:  # importing it would take a second
    pytest.skip("distributed is not installed", allow_module_level=True)

if shutil.which("openssl") is None:  # whoever connects to a scheduler without keys may do anything
    pytest.skip("openssl is not installed, which makes the keys", allow_module_level=True)

WAVES = "0y2y/4y+:1y3y/4y*@"
KEYS = "DASK_DISTRIBUTED__COMM__TLS__"


def new_keys(folder: Path) -> dict[str, str]:
    """Keys that let nobody in but us, as the environment tells Dask of them."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem",
         "-out", "cert.pem", "-subj", "/CN=planewalk", "-days", "1"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    keys = {f"{KEYS}CA_FILE": str(folder / "cert.pem")}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        keys[f"{KEYS}{role}__CERT"] = str(folder / "cert.pem")
        keys[f"{KEYS}{role}__KEY"] = str(folder / "key.pem")
    return keys


class Cluster:
    """A scheduler and workers, a process each."""

    def __init__(self, folder: Path, size: int, *words: str, **keys: str) -> None:
        self.folder, self.keys, self.environment = folder, keys, {**os.environ, **keys}
        self.words = ("--host", "127.0.0.1", "--port", "0", "--protocol", "tls", *words)
        self.workers: list[subprocess.Popen[bytes]] = []
        self.begin(size)

    def begin(self, size: int) -> None:
        """Start the scheduler, and its workers."""
        self.scheduler = self.start("scheduler", *self.words)
        self.address = self.said("scheduler", "Scheduler at:").split("Scheduler at:")[1].strip()
        self.fill_up(size)

    def mend(self, size: int) -> None:
        """Start what a test has killed, and this one needs."""
        if self.scheduler.poll() is None:
            self.fill_up(size)
        else:
            self.close()
            self.begin(size)

    def fill_up(self, size: int) -> None:
        """Have so many workers, some of which may have been there before."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        before = len(list(self.folder.glob("worker-*.log")))
        names = [f"worker-{before + i}" for i in range(size - len(self.workers))]
        self.workers += [self.add_worker(name) for name in names]
        for name in names:
            self.said(name, "Registered to:")

    def add_worker(self, name: str) -> subprocess.Popen[bytes]:
        return self.start(
            "worker", self.address, "--nthreads", "1", "--no-nanny", "--name", name, log=name
        )

    def start(self, what: str, *words: str, log: str = "") -> subprocess.Popen[bytes]:
        with open(self.folder / f"{log or what}.log", "wb") as file:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *words],
                stdout=file, stderr=file, cwd=self.folder, env=self.environment,
            )  # fmt: skip

    def length(self, log: str) -> int:
        return len((self.folder / f"{log}.log").read_text())

    def said(self, log: str, words: str, after: int = 0) -> str:
        """The line of a log with these words, once it is there."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for line in (self.folder / f"{log}.log").read_text()[after:].splitlines():
                if words in line:
                    return line
            time.sleep(0.05)
        raise AssertionError((self.folder / f"{log}.log").read_text())

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("logs")
    made = Cluster(folder, 2, **new_keys(folder))
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def cluster(shared_cluster: Cluster, request, monkeypatch) -> Iterator[Cluster]:
    """One for all tests, in the order in which they kill parts of it; each has the workers that it
    asks for (one)."""
    import distributed  # noqa: F401  # brings settings of its own
    from dask import config

    shared_cluster.mend(getattr(request, "param", 1))
    here = {}
    for name, value in shared_cluster.keys.items():
        monkeypatch.setenv(name, value)
        here[name.removeprefix("DASK_").lower().replace("__", ".").replace("_", "-")] = value
    with config.set(here):
        yield shared_cluster


def workers(size: int) -> pytest.MarkDecorator:
    """How many of them a test needs."""
    return pytest.mark.parametrize("cluster", [size], indirect=True, ids=[f"{size} workers"])


@pytest.fixture
def scene() -> PictureScene:
    program = library.load(source=WAVES, language="webfunge", size=(16, 10))
    return make_scene(program, Limits(10_000), None)


def too_late(client: object, timeout: float = 1.0) -> None:
    """What becomes of closing a client on a machine that is busy."""
    raise TimeoutError(f"timed out after {timeout} s.")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"])
def test_what_is_no_scheduler_is_refused(tmp_path: Path, monkeypatch, capfd, address: str) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("planewalk.apps.pictures.cluster.CONNECT", 0.5)
    monkeypatch.setattr("distributed.Client.close", too_late)
    assert main(["render", "p.wf", "-o", "x.png", "--cluster", address]) == 2
    gc.collect()  # what is left of the client does not complain
    out, err = capfd.readouterr()
    assert err.startswith(f"planewalk: --cluster: there is no Dask scheduler at {address!r}: ")
    assert (out, err.count("\n")) == ("", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["p.wf"]


@pytest.fixture
def silent() -> Iterator[str]:
    """Where a server accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"


def test_a_scheduler_that_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], silent: str
) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("planewalk.apps.pictures.cluster.CONNECT", 0.5)
    monkeypatch.setattr("planewalk.apps.pictures.cluster.LOOK", 0.1)
    assert main(["render", "p.wf", "-o", "x.png", "--cluster", silent]) == 2
    assert capfd.readouterr().err == (
        f"planewalk: --cluster: there is no Dask scheduler at {silent!r}: it says nothing; "
        "nothing was written\n"
    )


def test_a_scheduler_is_waited_for_as_long_as_there_is_time(tmp_path: Path, silent: str) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    words = ("--cluster", silent, "--max-time", "0.5")
    done = planewalk("render", "p.wf", "-o", "x.png", *words, cwd=tmp_path)
    assert done.returncode == 3 and b"0.5 seconds is reached" in done.stderr


def test_keys_are_asked_for_before_a_scheduler_is() -> None:
    from dask import config

    from planewalk.apps.pictures.cluster import ClusterStudio

    with pytest.raises(PlanewalkError, match=r"'tls://127\.0\.0\.1:1' needs keys"):
        ClusterStudio("tls://127.0.0.1:1")
    lost = {f"distributed.comm.tls.{name}": "no.pem" for name in ("ca-file", "client.cert")}
    with config.set(lost), pytest.raises(PlanewalkError, match="Dask's keys cannot be used: "):
        ClusterStudio("tls://127.0.0.1:1")


def test_another_version_is_refused() -> None:
    from planewalk.apps.pictures import order as module

    program = library.load(source="@", language="webfunge", size=(2, 2))
    order = module.as_order("key", make_scene(program, Limits(10), None))
    assert module.take_order(order) == order
    with pytest.raises(PlanewalkError, match="install the same there"):
        module.take_order(order._replace(version="0.0.1"))


def test_films_and_pictures_are_the_same_as_at_home(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.wf").write_text(WAVES)
    for name, words in {
        "film.apng": ["--frames", "6", "--supersample", "2", "--crop", "1,2,9,5"],
        "sheet.png": ["--frames", "6", "--heat", "steps", "--contact-sheet", "2x2"],
    }.items():
        for folder, more in {"home": [], "away": ["--cluster", cluster.address]}.items():
            (tmp_path / folder).mkdir(exist_ok=True)
            command = ["render", "p.wf", "--size", "16x10", *words, *more, "-o", f"{folder}/{name}"]
            assert (main(command), capfd.readouterr().err) == (0, ""), name
        assert (tmp_path / "home" / name).read_bytes() == (tmp_path / "away" / name).read_bytes()


@pytest.mark.exhaustive
def test_warnings_of_dask_are_not_for_users(cluster: Cluster, tmp_path: Path) -> None:
    """It warns of large orders, such as textures are."""
    (tmp_path / "p.wf").write_text("000T@")
    Image.new("RGB", (2000, 2000)).save(tmp_path / "t.png")
    words = ["p.wf", "--size", "2x1", "--texture", "t.png", "--cluster", cluster.address]
    done = planewalk("render", *words, "-o", "x.png", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.exhaustive
def test_workers_count_how_pixels_end(cluster: Cluster, scene: PictureScene) -> None:
    from planewalk.apps.pictures.cluster import ClusterStudio

    program = library.load(source=HALF, language="webfunge", size=(16, 10))
    studio, count = ClusterStudio(cluster.address), Count()
    studio.piece_size = 48
    try:
        failing = make_scene(program, Limits(2_000), None)
        for frame in draw_frames(failing, studio, [0.0, 1.0], count, film=True):
            list(frame)
    finally:
        studio.close()
    assert count.tally[:4] == (320, 160, 160, 0) and len(count.tally.faults) == 1


@pytest.mark.exhaustive
@workers(2)
def test_a_worker_that_dies_in_the_middle_changes_nothing(
    cluster: Cluster, scene: PictureScene
) -> None:
    from planewalk.apps.pictures.cluster import ClusterStudio

    frames = 40
    wanted = library.render(source=WAVES, language="webfunge", size=(16, 10), frames=frames)
    studio = ClusterStudio(cluster.address)
    studio.piece_size = 48  # several pieces for each frame
    try:
        seen = []
        times = film_times(0.0, frames, wanted.fps)
        for frame in draw_frames(scene, studio, times, Count(), film=True):
            seen.append(b"".join(frame))
            if len(seen) == 5:
                cluster.workers[0].kill()
                assert cluster.workers[0].wait() == -signal.SIGKILL
    finally:
        studio.close()
    assert seen == [picture.pixels for picture in wanted]


@pytest.mark.exhaustive
def test_workers_that_never_come_back_are_not_waited_for(
    cluster: Cluster, scene: PictureScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planewalk.apps.pictures import cluster as module

    monkeypatch.setattr(module, "LONELY", 1.0)
    monkeypatch.setattr(module, "LOOK", 0.5)
    studio = module.ClusterStudio(cluster.address)
    try:
        times = film_times(0.0, 1000, Fraction(25))
        frames = draw_frames(scene, studio, times, Count(), film=True)
        assert len(b"".join(next(frames))) == 3 * 16 * 10
        for worker in cluster.workers:
            worker.kill()
            worker.wait()
        with pytest.raises(PlanewalkError, match=r"all workers of .* are gone"):
            for frame in frames:
                b"".join(frame)
    finally:
        studio.close()


@workers(0)
def test_a_scheduler_without_workers_says_how_to_start_one(cluster: Cluster, monkeypatch) -> None:
    from planewalk.apps.pictures import cluster as module

    before = cluster.length("scheduler")
    for worker in cluster.workers:
        worker.kill()
        worker.wait()
    if cluster.workers:
        cluster.said("scheduler", "Lost all workers", before)
    monkeypatch.setattr(module, "CONNECT", 3.0)
    with pytest.raises(PlanewalkError, match=f"start one with: dask worker {cluster.address}"):
        module.ClusterStudio(cluster.address)


@pytest.mark.exhaustive
def test_a_scheduler_that_dies_is_one_error_and_what_is_done_stays(
    cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    words = ["p.wf", "--size", "16x10", "--frames", "99999", "-o", "f-%05d.png"]
    process = subprocess.Popen(
        [*COMMAND, "render", *words, "--cluster", cluster.address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    end = time.monotonic() + PATIENCE
    while not (tmp_path / "f-00005.png").exists():
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.02)
    cluster.scheduler.kill()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, err
    kept = len(list(tmp_path.glob("f-*.png")))
    said = f"planewalk: the cluster at {cluster.address} went away; {kept} frames are kept in "
    assert (out, err.decode()) == (b"", f"{said}f-%05d.png\n")
    assert not list(tmp_path.glob(".planewalk-*"))


@pytest.mark.exhaustive  # six processes that import Dask
def test_a_scheduler_behind_tls_is_reached_as_the_manual_says(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text(WAVES)
    cluster = Cluster(tmp_path, 1, **new_keys(tmp_path))
    try:
        assert cluster.address.startswith("tls://")
        words = ["render", "p.wf", "--size", "4x4", "-o", "x.png", "--cluster", cluster.address]
        assert_one_clear_line(planewalk(*words, cwd=tmp_path), f"'{cluster.address}' needs keys")
        lost = {**cluster.environment, f"{KEYS}CLIENT__KEY": str(tmp_path / "lost.pem")}
        done = planewalk(*words, cwd=tmp_path, env=lost)
        assert_one_clear_line(done, "Dask's keys cannot be used: ")
        assert not (tmp_path / "x.png").exists()
        done = planewalk(*words, cwd=tmp_path, env=cluster.environment)
        assert (done.returncode, done.stderr) == (0, b"")
    finally:
        cluster.close()
