"""Parsing of numbers, places and values that are typed."""

from __future__ import annotations

import re
from typing import Any

from ...core.errors import OptionError


def whole(words: str) -> int:
    """A whole number: 1000, 1e6, 1_000 or 1,000."""
    exact = words.strip().replace("_", "").replace(",", "")
    try:
        found = float(exact)
        if found != int(found):
            raise ValueError
        return int(exact) if exact.lstrip("-").isdigit() else int(found)
    except (ValueError, OverflowError):
        raise OptionError(f"expected a whole number such as 1000 or 1e6, not {words!r}") from None


def place_of(words: str) -> tuple[int, int]:
    """A place: 5,2."""
    found = re.fullmatch(r"\s*\(?(-?\d{1,18})\s*[, ]\s*(-?\d{1,18})\)?\s*", words)
    if not found:
        raise OptionError(f"expected a place such as 5,2, not {words!r}")
    return int(found[1]), int(found[2])


def sign_or_number(words: str) -> Any:
    """What a cell is to hold: one sign as it is, unless it is a digit, or what `value_of` reads."""
    sign = words.strip()
    return sign if len(sign) == 1 and not sign.isdecimal() else value_of(words)


def value_of(words: str) -> Any:
    """A number, or a character in quotes."""
    words = words.strip()
    if len(words) >= 2 and words[0] == words[-1] and words[0] in "'\"":
        return words[1:-1]
    try:
        return int(words, 0)
    except ValueError:
        pass
    try:
        return float(words)
    except ValueError:
        raise OptionError(f"expected a number, or a character in quotes, not {words!r}") from None
