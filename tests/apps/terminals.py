"""The command at a terminal of a given width."""

import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests import warm
from tests.patience import PATIENCE


def at_terminal(
    words: list[str],
    width: int,
    folder: Path,
    settings: Mapping[str, Any] | None = None,
    **environment: str,
) -> str:
    """All that the command writes there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment = {"NO_COLOR": "1", "TERM": "xterm"} | environment
    environment = {name: value for name, value in (inherited | environment).items() if value}
    streams = [theirs, os.dup(theirs), os.dup(theirs)]
    child = warm.start(words, streams, folder, environment, settings)
    written = all_of(ours)
    child.wait()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def all_of(terminal: int) -> bytes:
    """What is written there until the other end is closed."""
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
