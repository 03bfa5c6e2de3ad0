"""Types of command line values, with messages that say what is expected."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from ...core.errors import OptionError
from ...core.limits import parse_size
from ...core.numbers.numerals import from_numeral

if TYPE_CHECKING:
    from fractions import Fraction


def count(text: str) -> int:
    number = from_numeral(text.strip())
    if number is not None:
        return number
    raise ArgumentTypeError(f"expected a whole number, 0 or more, not {text!r}")


def whole(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    try:
        return sign * count(digits)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"expected a whole number, not {text!r}") from None


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0:
        raise ArgumentTypeError(f"expected seconds, 0 or more, not {text!r}")
    return value


def rate(text: str) -> Fraction:
    from ..writers.base import read_rate

    try:
        return read_rate(text)
    except OptionError as error:
        raise ArgumentTypeError(str(error)) from None


def size(text: str) -> int:
    try:
        return parse_size(text)
    except OptionError as error:
        raise ArgumentTypeError(str(error)) from None


def setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError(f"expected KEY=VALUE, not {text!r}")
    return key, value


def grid(text: str) -> tuple[int, int]:
    columns, cross, rows = text.lower().partition("x")
    if cross and columns.isascii() and columns.isdigit() and rows.isascii() and rows.isdigit():
        found = int(columns), int(rows)
        if min(found) > 0 and max(found) <= 1000:
            return found
    raise ArgumentTypeError(f"expected columns and rows such as 4x3, up to 1000, not {text!r}")


def box(text: str) -> tuple[int, int, int, int]:
    numbers = text.split(",")
    if len(numbers) == 4:
        try:
            left, top, width, height = map(whole, numbers)
            return left, top, width, height
        except ArgumentTypeError:
            pass
    raise ArgumentTypeError(f"expected left, top, width and height as X,Y,W,H, not {text!r}")


def positive(text: str) -> int:
    number = whole(text)
    if number < 1:
        raise ArgumentTypeError(f"expected a whole number, 1 or more, not {text!r}")
    return number
