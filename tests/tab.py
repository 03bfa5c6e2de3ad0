"""How much memory a tab of the studio takes at its most, alone in a process, with small limits.

Its run goes on until it has filled them, then it is asked whatever holds states of the past. Its
clock stands still: nothing but the memory ends a question.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from planewalk.apps.studio.conversation import USUAL, Conversation
from planewalk.core.step import Spent
from tests.peak import MB

LIMIT = 16 * MB
HISTORY = 4 * MB
QUESTIONS: list[dict[str, Any]] = [
    {"do": "back"}, {"do": "step"}, {"do": "step", "ticks": 9}, {"do": "who", "cell": [0, 0]},
    {"do": "ask", "line": "life 0,0"}, {"do": "timing", "cells": [[0, 0]]},
    {"do": "until", "condition": "written 0,0", "back": True}, {"do": "step", "ticks": 1 << 40},
    {"do": "map"}, {"do": "heat"},
]  # fmt: skip


class Taken(NamedTuple):
    """Bytes that a tab took more than before it had a program, and then for its questions."""

    run: int
    asked: int


def taken_by(program: dict[str, Any]) -> Taken:
    """Open a program in a tab, run it and ask."""
    words = [sys.executable, "-m", "tests.tab", json.dumps(program)]
    folder = Path(__file__).resolve().parent.parent
    done = subprocess.run(words, cwd=folder, capture_output=True, check=True)
    return Taken(*json.loads(done.stdout))


def peak() -> int:
    """The most bytes that this process ever had in memory: those of its parent do not count."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    limits = USUAL.limits._replace(memory=LIMIT)
    means = USUAL._replace(limits=limits, history=HISTORY, branches=2 * LIMIT)
    tab = Conversation(lambda: 0.0, means=means)
    tab.receive(json.loads(sys.argv[1]))
    before = peak()
    tab.receive({"do": "run"})
    while tab.running:
        tab.work()
    assert tab.session is not None and tab.session.stop == Spent("memory"), tab.session
    ran, tick = peak(), tab.session.tick
    for question in QUESTIONS:
        tab.receive(question)
        assert tab.session.tick <= tick, "it does not go beyond its limit"
    json.dump([ran - before, peak() - ran], sys.stdout)


if __name__ == "__main__":
    main()
