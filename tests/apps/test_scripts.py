"""`scripts/attack` and `scripts/fuzz` in short: they find nothing, and find what is planted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def script(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / name, *map(str, words)],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


@pytest.mark.exhaustive
def test_attacks_break_no_rules() -> None:
    done = script("attack", "--count", 4, "--seed", 5, "--seconds", 120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("attacks, 0 broken rules\n")


def test_attacks_see_what_is_broken(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\ntouch .planewalk-draft\nprintf 'Traceback\\033' >&2\nexit 9\n")
    broken.chmod(0o755)
    done = script("attack", "--count", 9, "--seed", 5, "--python", broken)
    assert done.returncode == 1
    for rule in ("exit code 9", "a traceback", "control characters", "a draft was left behind"):
        assert rule in done.stdout, rule


@pytest.mark.exhaustive
def test_long_fuzzing_goes_on_where_it_ended(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    words = ["--hours", "0", "--state", state, "--seed", 3, "mirrorfunge"]
    assert script("fuzz", *words).returncode == 0
    assert not state.exists(), "there was no time"
    state.write_text(json.dumps({"seed": 4, "mirrorfunge python": [999_900, 0]}))
    done = script("fuzz", "--hours", 1, *words[2:])
    assert done.stdout == "mirrorfunge, python: 1,000,000 programs in all, 0 went wrong\n"
    assert json.loads(state.read_text()) == {"seed": 4, "mirrorfunge python": [1_000_000, 0]}
