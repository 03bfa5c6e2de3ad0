"""`scripts/attack` and `scripts/fuzz` in short: they find nothing, and find what is planted."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.strangers import TOKEN, UPGRADE, House, Visit, message

NOBODY = 65534
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
    assert done.stdout.endswith("visits by strangers, 0 broken rules\n")


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


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "house", {**os.environ}) as made:
        yield made


def test_strangers_read_and_write_nothing(house: House) -> None:
    dice = random.Random(5)
    user = NOBODY if os.geteuid() == 0 else None
    for _ in range(30):
        stranger = house.visit(dice)
        assert house.broken(stranger, user) == [], stranger.words[:500]
    assert "Traceback" not in house.end()


def test_strangers_who_are_let_in_are_seen(house: House) -> None:
    launch = message("launch", token=TOKEN, program=str(house.program))
    assert house.broken(Visit("adapter", launch)) == ["a stranger was let in: launch"]
    host = b"Host: 127.0.0.1:%d\r\n" % house.ports["studio"]
    page = b"GET /?token=THE-TOKEN HTTP/1.1\r\n%sConnection: close\r\n\r\n" % host
    assert house.broken(Visit("studio", page)) == ["a stranger sees the studio"]
    tab = b"GET /talk?token=THE-TOKEN HTTP/1.1\r\n%s%s\r\n" % (host, UPGRADE)
    assert "a stranger has a tab" in house.broken(Visit("studio", tab))
    (house.folder / "stolen.walk").touch()
    assert house.broken(Visit("studio", b"\r\n")) == ["a stranger has written something"]
