"""`planewalk new-language` writes a package that keeps all promises."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import planewalk
from tests.installed import environment, install


@pytest.mark.exhaustive
def test_the_package_works_once_it_is_installed(tmp_path: Path) -> None:
    written = planewalk("new-language", "slow-snails", "--into", "code/snails", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    package = tmp_path / "code" / "snails"
    for line in written.stdout.decode().partition("\n\n")[0].splitlines():
        assert (tmp_path / line).is_file()
    install(package / "pyproject.toml", tmp_path / "site")
    there = {"cwd": tmp_path, "env": environment(package / "src", tmp_path / "site")}
    done = planewalk("run", "hello.slow-snails", **there)
    assert (done.returncode, done.stdout) == (0, b"Hello")
    done = planewalk("check-language", "slow-snails", "--seconds", "0.2", **there)
    assert done.returncode == 0, done.stdout
    assert b"Slow snails: a stack language on a torus" in done.stdout
    assert b"example programs               3 tried\n" in done.stdout
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "not random", package],
        capture_output=True, **there,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize(("name", "said"), [
    ("Snails", "small letters and digits"), ("../snails", "small letters and digits"),
    ("", "small letters and digits"), ("2d", "small letters and digits"),
    ("refunge", "there is a language 'refunge' already"),
    ("ref", "files .ref mean something already"), ("bf", "files .bf mean something already"),
    ("class", "means something in Python already"), ("json", "means something in Python already"),
    ("planewalk", "there is a Python module 'planewalk' already"),
])  # fmt: skip
def test_names_that_cannot_be(name: str, said: str, tmp_path: Path) -> None:
    assert_one_clear_line(planewalk("new-language", name, "--into", "here", cwd=tmp_path), said)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "snails").mkdir()
    assert planewalk("new-language", "snails", cwd=tmp_path).returncode == 0  # into an empty one
    before = sorted(tmp_path.rglob("*"))
    done = planewalk("new-language", "snails", cwd=tmp_path)
    assert_one_clear_line(done, "'snails' exists already; say where to with --into FOLDER")
    (tmp_path / "file").write_text("mine")
    done = planewalk("new-language", "snails", "--into", "file", cwd=tmp_path)
    assert_one_clear_line(done, "'file' exists already")
    done = planewalk("new-language", "snails", "--into", "file/snails", cwd=tmp_path)
    assert_one_clear_line(done, "cannot be written: ")
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "file"])
