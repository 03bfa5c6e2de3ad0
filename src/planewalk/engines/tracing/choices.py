"""Which plain numbers a value can be, where these are few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from .ops import PURE_OPS

MOST_CHOICES = 16  # values that one number may have for code to be made for each of them


def distinct(numbers: Iterable[Any]) -> list[Any] | None:
    """Each number once, zeros told apart; None if they are more than code is made for."""
    found = {repr(number): number for number in numbers}
    return list(found.values()) if len(found) <= MOST_CHOICES else None


def outcomes(op: str, operands: Sequence[Sequence[Any] | None]) -> list[Any] | None:
    """What an operation gives on operands that are among few numbers: it is simply done with all
    of them. None where they are too many or not known, or where it cannot be done."""
    known = [choices for choices in operands if choices is not None]
    if op not in PURE_OPS or len(known) < len(operands):
        return None
    try:
        return distinct(PURE_OPS[op].meaning(*numbers) for numbers in product(*known))
    except (ArithmeticError, ValueError, TypeError):
        return None
