"""Large states that nothing needs: engines are cycles, which Python collects rarely."""

from __future__ import annotations

import gc

from ...core.state import State

LARGE = 32 << 20
"""Bytes of a state that are worth a collection."""


class Garbage:
    """Frees the large states that walks and questions have left, before others are made."""

    def __init__(self) -> None:
        self._large = False

    def note(self, state: State) -> None:
        """A state that will be left some time."""
        self._large = self._large or state.memory() > LARGE

    def collect(self) -> None:
        if self._large:
            self._large = False
            gc.collect()
