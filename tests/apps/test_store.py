"""The code cache: nobody gets in, and whatever is wrong there costs nothing but speed."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from planewalk.apps import private, store
from planewalk.apps.private import private_folder
from planewalk.apps.store import DiskStore, default_folder
from planewalk.examples import find_example
from tests import warm
from tests.patience import PATIENCE

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def key_of(name: str) -> str:
    return sha256(name.encode()).hexdigest()


ONE, OTHER = key_of("one"), key_of("other")
CODE = bytes(range(256))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store is that holds one thing."""
    path = tmp_path / "cache"
    DiskStore(str(path)).put(ONE, CODE)
    assert DiskStore(str(path)).get(ONE) == CODE
    return path


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that everybody may write to, as /tmp without its stickiness."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o777)
    yield path
    shutil.rmtree(path)


def entry(folder: Path, key: str = ONE) -> Path:
    return folder / f"{key}.code"


def as_nobody(script: str, cwd: Path) -> None:
    """What another user does."""
    subprocess.run(["sh", "-euc", script], cwd=cwd, user=NOBODY, group=NOBODY, check=True)


def told(folder: Path) -> list[str]:
    return DiskStore(str(folder)).survey().ignored


# What is written --------------------------------------------------------------------------------


def test_everything_is_for_us_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        DiskStore(str(tmp_path / "a" / "b" / "cache")).put(ONE, CODE)
    finally:
        os.umask(before)
    for folder in ("a", "a/b", "a/b/cache"):
        assert (tmp_path / folder).stat().st_mode & 0o7777 == 0o700
    files = list((tmp_path / "a" / "b" / "cache").iterdir())
    assert {file.name for file in files} == {f"{ONE}.code", "secret"}
    assert all(file.stat().st_mode & 0o7777 == 0o600 for file in files)


def test_a_key_is_a_digest_and_no_path(tmp_path: Path) -> None:
    for key in ("", "key", "../" + ONE, ONE[:-1], ONE + "0", ONE.upper(), ONE + "\n"):
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            DiskStore(str(tmp_path)).put(key, CODE)
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            DiskStore(str(tmp_path)).get(key)


def test_what_is_too_large_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_OF_ONE", 300)
    DiskStore(str(folder)).put(OTHER, bytes(300))
    assert not entry(folder, OTHER).exists()


def test_the_store_forgets_what_was_not_used_for_longest(folder: Path, monkeypatch) -> None:
    kept = DiskStore(str(folder))
    monkeypatch.setattr(store, "MOST_BYTES", 2 * entry(folder).stat().st_size)
    kept.put(OTHER, CODE)
    for at, key in enumerate((ONE, OTHER)):
        os.utime(entry(folder, key), (at, at))
    kept.get(ONE)
    kept.put(key_of("third"), CODE)
    assert kept.get(ONE) == CODE and kept.get(OTHER) is None


def test_without_descriptors_it_works_by_paths(folder: Path, monkeypatch) -> None:
    """As on systems that have none."""
    monkeypatch.setattr(private, "BY_DESCRIPTOR", False)
    kept = DiskStore(str(folder))
    kept.put(OTHER, b"code")
    assert (kept.get(ONE), kept.get(OTHER)) == (CODE, b"code")
    assert kept.survey()[::2] == (2, [])
    assert kept.clear() == 2 and kept.get(ONE) is None
    kept.put(ONE, CODE)
    assert kept.get(ONE) == CODE
    folder.chmod(0o777)
    assert kept.get(ONE) is None
    shutil.move(folder, folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")
    assert kept.get(ONE) is None


# Files that somebody else could have written ----------------------------------------------------


def planted_copy(path: Path) -> None:
    """Right to the last byte, but not a file of its own."""
    path.rename(path.with_name("copy"))
    path.symlink_to("copy")


def planted_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def planted_zeros(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def planted_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def planted_socket(path: Path) -> None:
    path.unlink()
    here = os.getcwd()
    os.chdir(path.parent)  # their names are short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name[:50])
    os.rename(path.name[:50], path.name)
    os.chdir(here)


def planted_flood(path: Path) -> None:
    os.truncate(path, 1 << 40)


Plant = Callable[[Path], object]
PLANTED: list[tuple[Plant, str]] = [
    (planted_copy, "in the form of links, pipes or folders"),
    (planted_pipe, "in the form of links, pipes or folders"),
    (planted_zeros, "in the form of links, pipes or folders"),
    (planted_folder, "in the form of links, pipes or folders"),
    (planted_socket, "in the form of links, pipes or folders"),
    (planted_flood, "of more than anything takes"),
    (lambda path: path.chmod(0o620), "that others could have written"),
    (lambda path: path.chmod(0o602), "that others could have written"),
    (lambda path: os.truncate(path, 0), "with damage, from elsewhere or of another version"),
    (lambda path: path.write_bytes(b"garbage"), "with damage, from elsewhere"),
    (lambda path: os.truncate(path, 100), "with damage, from elsewhere or of another version"),
]


@pytest.mark.parametrize(("plant", "words"), PLANTED)
def test_a_planted_file_is_ignored_and_told(folder: Path, plant: Plant, words: str) -> None:
    kept = DiskStore(str(folder))
    kept.put(OTHER, b"other")
    plant(entry(folder))
    assert kept.get(ONE) is None and kept.get(OTHER) == b"other"
    assert any(line.startswith(f"1 file {words}") for line in told(folder)), told(folder)
    kept.put(ONE, CODE)
    assert kept.get(ONE) == (None if plant is planted_folder else CODE), "it is made again"


@pytest.mark.parametrize(("plant", "_"), PLANTED)
def test_a_planted_secret_is_no_secret(folder: Path, plant: Plant, _: str) -> None:
    kept = DiskStore(str(folder))
    plant(folder / "secret")
    assert kept.get(ONE) is None
    assert any("with damage, from elsewhere" in line for line in told(folder))
    kept.put(ONE, CODE)
    assert kept.get(ONE) == (None if plant is planted_folder else CODE)


def test_a_secret_that_others_could_read_is_no_secret(folder: Path) -> None:
    (folder / "secret").chmod(0o640)
    before = (folder / "secret").read_bytes()
    kept = DiskStore(str(folder))
    assert kept.get(ONE) is None
    kept.put(ONE, CODE)
    assert kept.get(ONE) == CODE and (folder / "secret").read_bytes() != before


@needs_root
@pytest.mark.parametrize("name", [f"{ONE}.code", "secret"])
def test_a_file_of_another_user(folder: Path, name: str) -> None:
    os.chown(folder / name, NOBODY, NOBODY)
    kept = DiskStore(str(folder))
    assert kept.get(ONE) is None
    words = "of another user" if name != "secret" else "with damage, from elsewhere"
    assert told(folder)[0].startswith(f"1 file {words}")
    kept.put(ONE, CODE)
    assert kept.get(ONE) == CODE


def test_no_byte_can_be_changed(folder: Path) -> None:
    path = entry(folder)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert DiskStore(str(folder)).get(ONE) is None
    path.write_bytes(whole)
    assert DiskStore(str(folder)).get(ONE) == CODE


def test_a_copy_is_foreign(folder: Path, tmp_path: Path) -> None:
    """Under another name, in another store, and a whole store with its secret."""
    shutil.copy(entry(folder), entry(folder, OTHER))
    assert DiskStore(str(folder)).get(OTHER) is None
    theirs = DiskStore(str(tmp_path / "theirs"))
    theirs.put(OTHER, CODE)
    shutil.copy(entry(folder), entry(tmp_path / "theirs"))
    assert theirs.get(ONE) is None and theirs.get(OTHER) == CODE
    shutil.copytree(folder, tmp_path / "all")
    (tmp_path / "all").chmod(0o700)
    assert DiskStore(str(tmp_path / "all")).get(ONE) is None
    assert DiskStore(str(folder)).get(ONE) == CODE


# Folders that are not ours alone ----------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o720, 0o702, 0o755, 0o710, 0o701])
def test_a_folder_that_is_open_to_others(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    kept = DiskStore(str(folder))
    kept.put(OTHER, CODE)
    assert kept.get(ONE) is None and not entry(folder, OTHER).exists()
    (line,) = told(folder)
    assert (
        line == f"everything in the folder, since it is open to others (chmod 700 {str(folder)!r})"
    )
    assert kept.clear() == 0 and entry(folder).exists()
    folder.chmod(0o700)
    assert kept.get(ONE) == CODE


def test_a_link_instead_of_the_folder(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    for name in (str(link), f"{link}/"):
        kept = DiskStore(os.path.normpath(name))
        kept.put(OTHER, CODE)
        assert kept.get(ONE) is None and not entry(folder, OTHER).exists()
        assert kept.clear() == 0
    assert told(link)[0].startswith("everything in the folder, since it is a link")


def test_something_else_instead_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "pipe", "file/cache", "pipe/cache"):
        kept = DiskStore(str(tmp_path / name))
        kept.put(ONE, CODE)
        assert kept.get(ONE) is None and kept.clear() == 0
    assert told(tmp_path / "pipe") == ["everything in the folder, since it is not a folder"]
    assert told(tmp_path / "file" / "cache") == ["everything in the folder: Not a directory"]
    assert told(tmp_path / "none") == []


@needs_root
def test_a_folder_of_another_user(open_place: Path) -> None:
    as_nobody("mkdir -m 700 cache", open_place)
    kept = DiskStore(str(open_place / "cache"))
    kept.put(ONE, CODE)
    assert kept.get(ONE) is None and not list((open_place / "cache").iterdir())
    assert told(open_place / "cache") == [
        "everything in the folder, since it belongs to another user"
    ]


@needs_root
def test_nothing_is_made_between_the_files_of_another_user(open_place: Path) -> None:
    """As with the home of somebody who calls planewalk through sudo."""
    as_nobody("mkdir home", open_place)
    DiskStore(str(open_place / "home" / ".cache" / "planewalk")).put(ONE, CODE)
    assert not list((open_place / "home").iterdir())


@needs_root
def test_a_link_of_another_user_to_what_they_have_prepared(open_place: Path) -> None:
    home = open_place / "home"
    as_nobody("mkdir -p evil/planewalk home && ln -s ../evil home/.cache", open_place)
    kept = DiskStore(str(home / ".cache" / "planewalk"))
    kept.put(ONE, CODE)
    assert kept.get(ONE) is None and not list((open_place / "evil" / "planewalk").iterdir())


@pytest.mark.parametrize("use", [
    lambda kept: kept.get(ONE), lambda kept: kept.put(OTHER, CODE), lambda kept: kept.clear(),
])  # fmt: skip
def test_a_folder_that_is_swapped_while_it_is_used(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    use: Callable[[DiskStore], object],
) -> None:
    """Whoever can rename a folder on the way must not get one file of theirs between ours."""
    theirs = tmp_path / "theirs"
    DiskStore(str(theirs)).put(ONE, b"theirs")

    def opened(path: str, *rest: object, **more: object) -> int:
        descriptor: int = os.open(path, *rest, **more)  # type: ignore[arg-type]
        if path == str(folder):
            folder.rename(tmp_path / "ours")
            theirs.rename(folder)
        return descriptor

    monkeypatch.setattr(private, "os", SimpleNamespace(**{**vars(os), "open": opened}))
    assert use(DiskStore(str(folder))) in (CODE, None, 1)
    monkeypatch.undo()
    assert DiskStore(str(folder)).get(ONE) == b"theirs"
    assert not entry(folder, OTHER).exists()


@needs_root
def test_a_home_in_a_folder_that_everybody_can_write(open_place: Path) -> None:
    """Another user puts theirs in place of ours and back, as fast as they can."""
    (open_place / "home").mkdir(mode=0o700)
    kept = DiskStore(str(open_place / "home" / "cache"))
    kept.put(ONE, CODE)
    (open_place / "home").rename(open_place / "ours")
    as_nobody("mkdir -m 777 theirs theirs/cache", open_place)
    shutil.copytree(
        open_place / "ours" / "cache", open_place / "theirs" / "cache", dirs_exist_ok=True
    )
    for path in (open_place / "theirs").rglob("*"):
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o777)
    entry(open_place / "theirs" / "cache").write_bytes(b"evil")
    swap = "for who in ours theirs; do mv $who home; mv home $who; done"
    script = f"until [ -e enough ]; do {swap}; done"
    attacker = subprocess.Popen(["sh", "-c", script], cwd=open_place, user=NOBODY, group=NOBODY)
    try:
        found = {kept.get(ONE) for _ in range(3_000)}
    finally:
        (open_place / "enough").touch()
        attacker.wait(timeout=PATIENCE)
    assert found <= {CODE, None}


# Drafts, and what was never ours ----------------------------------------------------------------


def leave_a_draft(folder: Path, name: str) -> None:
    """Be killed between writing a file and giving it its name, a while ago."""
    script = (
        "import os, sys; from planewalk.apps import private, store\n"
        "def die(*_): os.kill(os.getpid(), 9)\n"
        "private.PrivateFolder._rename = private.PrivateFolder._link = die\n"
        "store.DiskStore(sys.argv[1]).put(sys.argv[2], b'code')"
    )
    done = subprocess.run([sys.executable, "-c", script, folder, OTHER], timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    (draft,) = (path for path in folder.iterdir() if path.name.rpartition(".")[0] == name)
    assert not told(folder), "it may still be written"
    os.utime(draft, (1, 1))


@pytest.mark.parametrize("use", [
    lambda kept: kept.put(ONE, CODE), lambda kept: kept.survey(), lambda kept: kept.clear(),
])  # fmt: skip
def test_drafts_of_killed_processes_are_swept(
    folder: Path, use: Callable[[DiskStore], object]
) -> None:
    leave_a_draft(folder, f"{OTHER}.code")
    use(DiskStore(str(folder)))
    assert {path.name for path in folder.iterdir()} <= {f"{ONE}.code", "secret"}


def test_being_killed_over_the_secret_does_not_matter(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    leave_a_draft(folder, "secret")
    kept = DiskStore(str(folder))
    kept.put(ONE, CODE)
    assert kept.get(ONE) == CODE
    assert {path.name for path in folder.iterdir()} == {f"{ONE}.code", "secret"}


def test_a_draft_that_is_being_written_is_left_alone(folder: Path) -> None:
    with private_folder(str(folder)) as opened, opened._draft(f"{OTHER}.code", b"code") as draft:
        DiskStore(str(folder)).put(key_of("third"), CODE)
        assert (folder / draft).read_bytes() == b"code"
        os.utime(folder / draft, (1, 1))
        DiskStore(str(folder)).put(key_of("third"), CODE)
        assert not (folder / draft).exists(), "no draft is written for that long"


def test_only_what_planewalk_wrote_is_removed(folder: Path) -> None:
    strange = [
        "project.code-workspace", "notes.code", f"{ONE}.code.txt", "secret.garden", "a.code.1",
    ]  # fmt: skip
    for name in strange:
        (folder / name).write_text("mine")
    (folder / "more").mkdir()
    (folder / "more" / f"{ONE}.code").write_text("mine")
    entry(folder, key_of("link")).symlink_to("project.code-workspace")
    kept = DiskStore(str(folder))
    assert "6 files that planewalk did not write" in told(folder)
    assert kept.clear() == 1
    left = {path.name for path in folder.iterdir()}
    assert left == {*strange, "more", f"{key_of('link')}.code"}
    assert (folder / "more" / f"{ONE}.code").exists()
    kept.put(ONE, CODE)
    assert kept.get(ONE) == CODE


# What a machine may deny ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    ["mkdir", "lstat", "fstat", "open", "link", "replace", "scandir", "utime", "unlink", "urandom"],
)
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_folder_that_refuses(tmp_path: Path, monkeypatch, word: str, reason: int) -> None:
    path = tmp_path / "cache"
    DiskStore(str(path)).put(ONE, CODE)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    refusing = SimpleNamespace(**{**vars(os), word: refuse})
    for where in (path, tmp_path / "new"):
        with monkeypatch.context() as patched:
            patched.setattr(private, "os", refusing)
            patched.setattr(store, "os", refusing)
            kept = DiskStore(str(where))
            kept.put(OTHER, b"more code")
            assert kept.get(ONE) in (CODE, None) and kept.get(OTHER) in (b"more code", None)
            kept.survey()
            kept.clear()
    DiskStore(str(path)).survey()
    left = {file.name for file in path.iterdir()}
    assert left <= {f"{ONE}.code", f"{OTHER}.code", "secret"}, "no drafts are left behind"


def test_a_store_that_can_only_be_read_still_helps(folder: Path, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    names = dict.fromkeys(("mkdir", "link", "replace", "utime", "unlink"), refuse)
    monkeypatch.setattr(private, "os", SimpleNamespace(**{**vars(os), **names}))
    assert DiskStore(str(folder)).get(ONE) == CODE


@pytest.mark.exhaustive
def test_processes_that_write_the_same_code_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each writes and reads the same few keys as fast as it can; what is found is always whole."""
    work = """
import sys
from hashlib import sha256
from planewalk.apps.store import DiskStore, default_folder
kept, found = DiskStore(sys.argv[1]), 0
for turn in range(90):
    key = sha256(b"%d" % (turn % 3)).hexdigest()
    code = key.encode() * 2_000
    kept.put(key, code)
    seen = kept.get(key)
    assert seen in (code, None), len(seen)
    found += seen is not None
print(found)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", work, tmp_path / "cache"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]  # fmt: skip
    for process in processes:
        out, said = process.communicate(timeout=PATIENCE)
        assert (process.returncode, said) == (0, b"") and int(out) == 90
    left = {path.name for path in (tmp_path / "cache").iterdir()}
    assert left == {*(f"{key_of(str(turn))}.code" for turn in range(3)), "secret"}


# The command ------------------------------------------------------------------------------------


def planewalk(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command, which waits for its compilers."""
    names = ("PLANEWALK_CACHE", "XDG_CACHE_HOME")
    bare = {name: value for name, value in os.environ.items() if name not in names}
    at_once = {"background": False}
    return warm.call([*words], b"3000", cwd, {**bare, **environment}, policy=at_once)


def run_collatz(cwd: Path, **environment: str) -> None:
    (cwd / "collatz.mf").write_bytes(find_example("collatz.mf").read())
    at_once = {"PLANEWALK_EAGER": "1", **environment}
    done = planewalk("run", "collatz.mf", "--engine", "llvm", cwd=cwd, **at_once)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"2919 217\n", b"")


@pytest.mark.parametrize("value", [".", "cache", "../hostile", "~/cache", "./", ""])
def test_only_a_full_path_counts(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("PLANEWALK_CACHE", value)
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert default_folder() == "/home/me/.cache/planewalk"
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches/")
    assert default_folder() == "/caches/planewalk"
    monkeypatch.setenv("PLANEWALK_CACHE", "/cache/")
    assert default_folder() == "/cache"


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "PLANEWALK_CACHE"])
def test_a_relative_path_is_ignored(tmp_path: Path, variable: str) -> None:
    """A hostile folder may hold whatever it likes: nobody looks into it, or writes there."""
    hostile, home = tmp_path / "hostile", tmp_path / "home"
    hostile.mkdir(mode=0o700)
    home.mkdir()
    run_collatz(hostile, HOME=str(home), **{variable: "."})
    assert {path.name for path in hostile.iterdir()} == {"collatz.mf"}
    assert list((home / ".cache" / "planewalk").glob("*.code"))
    shown = planewalk("cache", cwd=hostile, HOME=str(home), **{variable: "."}).stdout.decode()
    first, second = shown.splitlines()
    assert first.startswith(f"{home}/.cache/planewalk: 3 files, ")
    assert second.startswith(f"ignored: {variable}, since '") and "not an absolute path" in second


def test_a_home_that_is_nowhere(tmp_path: Path) -> None:
    run_collatz(tmp_path, HOME="here")
    assert {path.name for path in tmp_path.iterdir()} == {"collatz.mf"}
    lines = planewalk("cache", cwd=tmp_path, HOME="here").stdout.decode().splitlines()
    assert lines[0] == "nowhere: 0 files, 0 bytes of 64 MiB"
    assert lines[1].startswith("ignored: HOME, since 'here")


def test_damage_costs_nothing_but_speed(tmp_path: Path) -> None:
    """The whole way, with all that was kept replaced."""
    folder = tmp_path / "cache"
    run_collatz(tmp_path, PLANEWALK_CACHE=str(folder))
    keys = [path.stem for path in folder.glob("*.code")]
    assert len(keys) == 3
    for key, plant in zip(keys, (planted_pipe, planted_zeros, planted_pipe), strict=True):
        plant(entry(folder, key))
    run_collatz(tmp_path, PLANEWALK_CACHE=str(folder))
    kept = DiskStore(str(folder))
    whole = {path.stem: kept.get(path.stem) for path in folder.glob("*.code")}
    made = {key: content for key, content in whole.items() if content is not None}
    assert len(made) >= 3, "it was made again, perhaps from another place"
    for key, content in made.items():
        kept.put(key, content[: len(content) // 2])  # right in every way, but for what it says
    run_collatz(tmp_path, PLANEWALK_CACHE=str(folder))


def test_the_command_tells_what_it_ignores(folder: Path) -> None:
    kept = DiskStore(str(folder))
    for name in "abc":
        kept.put(key_of(name), CODE)
        entry(folder, key_of(name)).chmod(0o666)
    shown = planewalk("cache", cwd=folder, PLANEWALK_CACHE=str(folder))
    size = entry(folder).stat().st_size
    assert shown.stdout.decode().splitlines() == [
        f"{folder}: 1 file, {size} bytes of 64 MiB",
        "ignored: 3 files that others could have written",
    ]
    cleared = planewalk("cache", "clear", cwd=folder, PLANEWALK_CACHE=str(folder))
    assert cleared.stdout.decode() == f"removed 4 files from {folder}\n"


def test_a_folder_with_a_name_that_would_speak_to_the_terminal(tmp_path: Path) -> None:
    for name in ("\x1b[31mred", "\udcff"):
        shown = planewalk("cache", cwd=tmp_path, PLANEWALK_CACHE=f"{tmp_path}/{name}")
        assert shown.returncode == 0 and b"\x1b" not in shown.stdout + shown.stderr
        assert b"\\x1b" in shown.stdout or b"\\udcff" in shown.stdout
