"""The command at a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from tests.apps.test_run import COMMAND

PATIENCE = 60


def at_terminal(words: list[str], width: int, folder: Path, **environment: str) -> str:
    """All that the command writes there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment = {"NO_COLOR": "1", "TERM": "xterm"} | environment
    process = subprocess.Popen(
        [*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
        env={name: value for name, value in (inherited | environment).items() if value},
    )  # fmt: skip
    os.close(theirs)
    written = _all_of(ours)
    process.wait(PATIENCE)
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def _all_of(terminal: int) -> bytes:
    written, until = b"", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if select.select([terminal], [], [], 1)[0]:
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:  # all of it was read, and the other end is closed
                break
            if not piece:
                break
            written += piece
    return written
