"""Values that a test is tried with in every run, and those that are more of the same."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def plainly(some: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """These values, and the others of all values for exhaustive tests alone. Tuples are the values
    of several parameters."""
    others = [value for value in values if value not in some]
    return [*some, *(_exhaustive(*v) if isinstance(v, tuple) else _exhaustive(v) for v in others)]


def _exhaustive(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.exhaustive)
