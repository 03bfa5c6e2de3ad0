"""Types of command line values, with messages that say what is expected."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError

from ...core.errors import OptionError
from ...core.limits import parse_size
from ...core.numerals import from_decimal


def count(text: str) -> int:
    """A whole number, 0 or more."""
    digits = text.strip().replace("_", "")
    if digits.isascii() and digits.isdigit():
        return from_decimal(digits)
    raise ArgumentTypeError(f"expected a whole number, 0 or more, not {text!r}")


def whole(text: str) -> int:
    """A whole number."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    try:
        return sign * count(digits)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"expected a whole number, not {text!r}") from None


def seconds(text: str) -> float:
    """A time, 0 or more."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0:
        raise ArgumentTypeError(f"expected seconds, 0 or more, not {text!r}")
    return value


def size(text: str) -> int:
    """Bytes, perhaps with a unit."""
    try:
        return parse_size(text)
    except OptionError as error:
        raise ArgumentTypeError(str(error)) from None


def setting(text: str) -> tuple[str, str]:
    """KEY=VALUE."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError(f"expected KEY=VALUE, not {text!r}")
    return key, value
