"""Real shells at a terminal of their own, and what stands on their line after keys were pressed."""

import os
import pty
import select
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests import signals, warm
from tests.patience import PATIENCE

SHOW = "\x18\x02"  # Ctrl-X Ctrl-B

BASH = """
PS1=; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'
bind -x '"\\C-x\\C-b": printf "%s" "$READLINE_LINE" > shown.new && mv shown.new shown'
eval "$(planewalk completion bash)"
echo rea""dy
"""
ZSH = """
PS1=; unsetopt beep
show() { printf "%s" "$BUFFER" > shown.new && mv shown.new shown }
zle -N show; bindkey '^X^B' show
eval "$(planewalk completion zsh)"
echo rea""dy
"""
SHELLS = {"bash": (["--norc", "-i"], BASH), "zsh": (["-f", "-i"], ZSH)}


def need(shell: str) -> str:
    """The path of a shell, or a reason to skip."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


def environment(home: Path) -> dict[str, str]:
    """With this planewalk in front, and a home where nothing is set up."""
    there = [*warm.commands(), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {
        "PATH": os.pathsep.join(there), "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
    }  # fmt: skip


class Shell:
    """A shell that waits for keys, in a folder of its own."""

    def __init__(self, name: str, folder: Path, before: str = "") -> None:
        path = need(name)
        words, setup = SHELLS[name]
        self.folder, self.seen = folder, b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            signals.restore()
            os.chdir(folder)
            os.execve(path, [name, *words], environment(folder))
        self.press(before + setup)
        self.wait_for(b"ready\n")

    def press(self, keys: str) -> None:
        rest = keys.replace("\n", "\r").encode()
        while rest:
            rest = rest[os.write(self.terminal, rest[:256]) :]
            self.listen(0)

    def listen(self, seconds: float) -> None:
        """Take what the terminal has been sent, so that it never waits for us."""
        while select.select([self.terminal], [], [], seconds)[0]:
            self.seen += os.read(self.terminal, 1 << 16)
            seconds = 0

    def wait_for(self, text: bytes) -> None:
        until = time.monotonic() + PATIENCE
        while text not in self.seen.replace(b"\r", b""):
            assert time.monotonic() < until, self.seen.decode(errors="replace")
            self.listen(0.1)

    def line_after(self, keys: str) -> str:
        """What stands on the line once these keys were pressed; the line is forgotten then."""
        shown = self.folder / "shown"
        shown.unlink(missing_ok=True)
        self.press(keys + SHOW)
        until = time.monotonic() + PATIENCE
        while not shown.exists():
            assert time.monotonic() < until, self.seen.decode(errors="replace")
            self.listen(0.1)
        self.press("\x05\x15")  # to the end of the line, and away with it
        return shown.read_text()

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)
