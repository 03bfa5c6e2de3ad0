"""What lies in the current folder is data: none of it runs because planewalk is called there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planewalk.engines.picture.ptx import assemble_ptx
from tests.patience import PATIENCE

EVIL = """
import os
with open(os.path.join(os.path.dirname(__file__), "it-ran"), "a") as file:
    file.write(__name__)
raise RuntimeError("planted")
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with a language that says it is installed, and modules by the names of ours."""
    folder = tmp_path / "hostile"
    info = folder / "evil-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[planewalk.languages]\nevil = evil:LANGUAGE\n")
    for name in (
        "evil",
        "json",
        "PIL",
        "llvmlite",
        "numpy",
        "difflib",
        "readline",
        "sitecustomize",
    ):
        (folder / f"{name}.py").write_text(EVIL)
    (folder / "p.evil").write_text("+")
    (folder / "p.mf").write_text('"iH",,@')
    return folder


def called(folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
        env={**environment, **more},
    )  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(("words", "code", "said"), [
    (["list"], 0, "mirrorfunge"),
    (["run", "p.evil"], 2, "cannot be told by its suffix '.evil'"),
    (["run", "p.mf", "--json"], 0, '"status": "halted"'),
    (["run", "p.mf", "--engine", "llvm"], 0, "Hi"),
    (["run", "p.mf", "--lang", "evil"], 2, "unknown language 'evil'"),
    (["picture", "p.mf", "-o", "p.png", "--at", "2"], 0, ""),
])  # fmt: skip
def test_the_command_as_a_module(hostile: Path, words: list[str], code: int, said: str) -> None:
    done = called(hostile, "-m", "planewalk", *words)
    assert not (hostile / "it-ran").exists(), (hostile / "it-ran").read_text()
    assert done.returncode == code and said in done.stdout + done.stderr, done.stderr


def test_the_library_knows_only_languages_that_are_installed(hostile: Path) -> None:
    for name in ("json", "difflib"):  # Python itself finds these here
        (hostile / f"{name}.py").unlink()
    done = called(hostile, "-c", "import planewalk as pw; print(pw.languages())")
    assert done.returncode == 0 and "evil" not in done.stdout, done.stderr
    assert not (hostile / "it-ran").exists()


def test_a_folder_that_the_user_names_counts(hostile: Path) -> None:
    (hostile / "evil.py").write_text("raise RuntimeError('tried')")
    for where in (hostile, hostile.parent):
        done = called(where, "-m", "planewalk", "run", str(hostile / "p.evil"),
                      PYTHONPATH=str(hostile))  # fmt: skip
        assert done.returncode == 2 and "tried" in done.stderr


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" -m planewalk --version'
    done = subprocess.run(["sh", "-c", script, sys.executable], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0 and done.stdout.startswith(b"planewalk"), done.stderr


def test_code_for_cards_is_made_without_looking_around(hostile: Path, monkeypatch) -> None:
    """That is done in a process of its own, which is started in the same folder."""
    (hostile / "planewalk.py").write_text(EVIL)
    monkeypatch.chdir(hostile)
    made = assemble_ptx("define void @paint() {\n  ret void\n}", "sm_90")
    assert "paint" in made and not (hostile / "it-ran").exists()
