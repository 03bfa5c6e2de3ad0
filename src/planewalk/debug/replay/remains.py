"""What is left of large states: engines go round in circles, and Python looks for those rarely."""

from __future__ import annotations

import gc

from ...core.state import State

LARGE = 32 << 20
"""Bytes of a state from which on it is worth a look whether anything still needs it."""


class Remains:
    """Frees the large states that walks and questions have left, before others are made."""

    def __init__(self) -> None:
        self._large = False

    def see(self, state: State) -> None:
        """A state that will be left some time."""
        self._large = self._large or state.memory() > LARGE

    def sweep(self) -> None:
        """Free what nothing needs."""
        if self._large:
            self._large = False
            gc.collect()
