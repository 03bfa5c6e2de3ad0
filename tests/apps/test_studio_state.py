"""The client's pure state, in Node where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import planewalk

STATIC = Path(planewalk.__file__).parent / "apps" / "studio" / "static"

SCRIPT = Path(__file__).parent / "studio_state.mjs"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_state_changes_as_it_should(tmp_path: Path) -> None:
    shutil.copy(STATIC / "state.js", tmp_path / "state.mjs")
    script = shutil.copy(SCRIPT, tmp_path)
    done = subprocess.run(["node", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_client_is_small_and_needs_nobody_else() -> None:
    files = list(STATIC.iterdir())
    assert sum(file.stat().st_size for file in files) < 400_000
    for file in files:
        text = file.read_text()
        foreign = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in foreign and "https://" not in foreign
