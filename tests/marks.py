"""Values that a test is tried with in every run, and those that are more of the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def plainly(some: Collection[Any], values: Iterable[Any] = ()) -> list[Any]:
    """These values, and the others of all values for exhaustive tests alone."""
    others = [value for value in values if value not in some]
    return [*some, *(pytest.param(value, marks=pytest.mark.exhaustive) for value in others)]
