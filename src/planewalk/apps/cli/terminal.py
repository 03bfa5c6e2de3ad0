"""What standard output can show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import TextIO

from ...view.terminal.images import MANY, MILLIONS, NONE
from ...view.terminal.wrap import labelled

KITTY_QUESTION = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
ATTRIBUTES_QUESTION = b"\x1b[c"
"""Every terminal answers the second, which ends the wait for an answer to the first."""
MOMENT = 0.5
_KITTY = ("xterm-kitty", "xterm-ghostty")
_ITERM = ("iTerm.app", "WezTerm")
_TRUE_COLOUR = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm")


LETTERS = str.maketrans(
    {
        **dict(zip("→↘↓↙←↖↑↗·▫│─┼", ">\\v/<\\^/ _|-+", strict=True)),
        "…": "...",
        "⏎": "\\n",
        "±": "+-",
        "×": "x",
        "≤": "<=",
        "≥": ">=",
    }
)
"""What stands for signs where there are only letters: none looks like a cell that it is not, and
where nothing stands, nothing is shown."""
WIDEST = 100
"""Columns of text that are written into a pipe; at a terminal, longer lines are hard to read."""


def columns(stream: TextIO | None = None) -> int:
    """How long lines of words may be."""
    try:
        there = os.environ.get("COLUMNS") or os.get_terminal_size((stream or sys.stdout).fileno())
        wide = int(there) if isinstance(there, str) else there.columns
    except (ValueError, OSError, AttributeError):
        return WIDEST
    return min(wide, WIDEST) if wide > 0 else WIDEST


def colour_wanted() -> bool:
    """Colours at a terminal, unless NO_COLOR or a dumb terminal says otherwise."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return os.environ.get("FORCE_COLOR", "") not in ("", "0") or sys.stdout.isatty()


def unicode_wanted() -> bool:
    """Whether standard output can show more than letters."""
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        return False
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def plain(text: str) -> str:
    """A line as well as standard output can show it."""
    if unicode_wanted() or text.isascii():
        return text
    return text.translate(LETTERS).encode("ascii", "replace").decode()


def tones() -> int:
    """How many colours a picture of blocks can have; without blocks it has shades of letters."""
    return colours() if unicode_wanted() else NONE


def bold(text: str) -> str:
    """A title, where there are colours."""
    return f"\x1b[1m{text}\x1b[0m" if colour_wanted() else text


def accent(text: str) -> str:
    """A name that can be typed, in its colour where there are some."""
    return f"\x1b[36m{text}\x1b[0m" if colour_wanted() else text


def print_entry(
    label: str, words: str, column: int, name: str, look: Callable[[str], str] = accent
) -> None:
    """Print an entry of a list, in which a name of its label has a look of its own."""
    first, *rest = labelled(label, words, columns(), column)
    print(*map(plain, (first.replace(name, look(name), 1), *rest)), sep="\n")


def colours() -> int:
    """How many colours can be shown: millions, 256 or none."""
    if not colour_wanted():
        return NONE
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return MILLIONS
    named = os.environ.get("TERM", "")
    return MILLIONS if named in _TRUE_COLOUR or named.endswith("-direct") else MANY


def image_protocol() -> str | None:
    """`kitty`, `iterm` or `sixel` if this terminal shows images in that way, else None."""
    if not (sys.stdout.isatty() and colour_wanted()):
        return None
    environment = os.environ
    if environment.get("TMUX") or environment.get("TERM", "").startswith(("screen", "tmux")):
        return None  # it stands between us and the terminal that these variables speak of
    if environment.get("KITTY_WINDOW_ID") or environment.get("TERM") in _KITTY:
        return "kitty"
    if environment.get("TERM_PROGRAM") in _ITERM or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return protocol_said(ask(KITTY_QUESTION + ATTRIBUTES_QUESTION))


def protocol_said(answer: bytes) -> str | None:
    """What a terminal's answer to both questions says."""
    if b"\x1b_Gi=31;OK" in answer:
        return "kitty"
    found = re.search(rb"\x1b\[\?([\d;]+)c", answer)
    return "sixel" if found and b"4" in found[1].split(b";")[1:] else None


def ask(question: bytes) -> bytes:
    """What the terminal answers; nothing if it does not within a moment."""
    try:
        import select
        import termios
        import tty

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
    except (ImportError, OSError, ValueError, AttributeError, termios.error):
        return b""
    answer = b""
    try:
        tty.setcbreak(keyboard, termios.TCSANOW)
        os.write(sys.stdout.fileno(), question)
        while not answer.endswith(b"c") and select.select([keyboard], [], [], MOMENT)[0]:
            answer += os.read(keyboard, 1024)
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
    return answer
