"""Compiling at the first occasion, for whoever compares engines: short programs never become hot.

The engines of languages that have their own are as patient as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .interpreter import engine as interpreter
from .native import engine as native
from .native.llvm import Care
from .python import engine as compiled

EAGER: list[tuple[Any, dict[str, Any]]] = [
    (compiled, {"HOT": 2, "AGAIN": 2, "STRETCH": 3, "PROFILE": 60}),
    (native, {"WORTH_IT": 20, "LINE_PRICE": 0, "WORTH_A_VISIT": 0, "WORTH_A_CROWD": -1}),
    (native, {"WORTH_GATHERING": -1, "SLICE": 30, "SHORT_SLICE": 30}),
    (compiled.PythonEngine, {"background": False}),
    (interpreter, {"CARE": Care.QUICK}),
]


@contextmanager
def compile_at_once() -> Iterator[None]:
    """Engines in this process compile whatever runs twice, and wait for the code, as long as this
    lasts."""
    before = [(where, {name: getattr(where, name) for name in names}) for where, names in EAGER]
    _set(EAGER)
    try:
        yield
    finally:
        _set(before)


def _set(settings: list[tuple[Any, dict[str, Any]]]) -> None:
    for where, values in settings:
        for name, value in values.items():
            setattr(where, name, value)
