"""What standard output can show."""

from __future__ import annotations

import os
import sys


def colour_wanted() -> bool:
    """Colours at a terminal, unless NO_COLOR or a dumb terminal says otherwise."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def bold(text: str, colour: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if colour else text
