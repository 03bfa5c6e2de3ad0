"""What standard output can show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import TextIO

from ...view.terminal.images import MANY, MILLIONS, NONE

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
"""ASCII replacements of characters, of which none can be mistaken for a cell."""
WIDEST = 100
"""The greatest width of prose, also used for pipes: longer lines are hard to read."""


def columns(stream: TextIO | None = None) -> int:
    """The width to which prose is wrapped."""
    try:
        there = os.environ.get("COLUMNS") or os.get_terminal_size((stream or sys.stdout).fileno())
        wide = int(there) if isinstance(there, str) else there.columns
    except (ValueError, OSError, AttributeError):
        return WIDEST
    return min(wide, WIDEST) if wide > 0 else WIDEST


def colour_wanted() -> bool:
    """Whether to use colours: at a terminal, unless NO_COLOR or TERM=dumb is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return os.environ.get("FORCE_COLOR", "") not in ("", "0") or sys.stdout.isatty()


def unicode_wanted() -> bool:
    """Whether standard output takes characters beyond ASCII."""
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        return False
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def plain(text: str) -> str:
    """A line with characters replaced that standard output cannot show."""
    if unicode_wanted() or text.isascii():
        return text
    return text.translate(LETTERS).encode("ascii", "replace").decode()


def tones() -> int:
    """The number of colours for pictures of blocks; without Unicode, shades of letters."""
    return colours() if unicode_wanted() else NONE


def bold(text: str) -> str:
    """Text in bold, if colours are used."""
    return f"\x1b[1m{text}\x1b[0m" if colour_wanted() else text


def accent(text: str) -> str:
    """A name that can be typed, highlighted if colours are used."""
    return f"\x1b[36m{text}\x1b[0m" if colour_wanted() else text


def print_entry(
    label: str, words: str, column: int, name: str, look: Callable[[str], str] = accent
) -> None:
    """Print an entry of a list: a label, in which a name is highlighted, and its description."""
    from ...view.terminal.wrap import labelled

    first, *rest = labelled(label, words, columns(), column)
    print(*map(plain, (first.replace(name, look(name), 1), *rest)), sep="\n")


def colours() -> int:
    """The number of colours of the terminal: millions, 256 or none."""
    if not colour_wanted():
        return NONE
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return MILLIONS
    named = os.environ.get("TERM", "")
    return MILLIONS if named in _TRUE_COLOUR or named.endswith("-direct") else MANY


def image_protocol() -> str | None:
    """The image protocol of this terminal: `kitty`, `iterm`, `sixel` or None."""
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
    """The image protocol in the terminal's answer to both questions."""
    if b"\x1b_Gi=31;OK" in answer:
        return "kitty"
    found = re.search(rb"\x1b\[\?([\d;]+)c", answer)
    return "sixel" if found and b"4" in found[1].split(b";")[1:] else None


def ask(question: bytes) -> bytes:
    """The terminal's answer to a query; empty if none comes within a moment."""
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
