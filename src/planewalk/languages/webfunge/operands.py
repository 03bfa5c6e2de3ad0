"""Operands the Webfunge way: an empty stack pops 0, and no stack holds more than 256 values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.vocabulary import Vocabulary

STACK_LIMIT = 256


def take(m: Vocabulary) -> Any:
    """Pop a value; 0 from an empty stack."""
    return m.pop() if m.has(1) else 0.0


def give(m: Vocabulary, values: Sequence[Any]) -> None:
    """Push values, the last on top. Too many are a fault, and then none is pushed."""
    if m.has(STACK_LIMIT - len(values) + 1):
        overflow(m)
    for value in values:
        m.push(value)


def overflow(m: Vocabulary) -> None:
    m.fault(f"stack overflow: more than {STACK_LIMIT} values")


def truth(value: Any) -> bool:
    """0 and NaN are false."""
    return bool(value != 0 and value == value)


def take_length(m: Vocabulary) -> int:
    """Pop a length: cut off to a whole number, 0 for NaN and for what is below 1."""
    n = m.known(take(m))
    if n >= STACK_LIMIT + 1:
        overflow(m)
    return int(n) if n >= 1 else 0


def take_vector(m: Vocabulary, n: int) -> list[Any]:
    """Pop n values; the first is the deepest."""
    return [take(m) for _ in range(n)][::-1]


def rounded_up(m: Vocabulary, value: Any) -> float:
    """How often, for a count that may be a fraction: 0 for NaN and for what is not positive."""
    n: float = m.known(value)
    if not n > 0:
        return 0
    return math.ceil(n) if n != math.inf else n


def whole(value: float) -> int | None:
    """A whole number as an int; None for fractions, NaN and infinity."""
    return int(value) if abs(value) < 1 << 40 and value == int(value) else None


def index_of(m: Vocabulary, value: Any, size: int) -> float:
    """An index from the bottom; negative ones count from the top of `size` values."""
    index: float = m.known(value)
    return index + size if index < 0 else index


def within(index: float, size: int) -> int | None:
    """The index as an int if one of `size` values has it, else None."""
    number = whole(index)
    return number if number is not None and 0 <= number < size else None
