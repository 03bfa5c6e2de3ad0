"""Machine code that the engines of one program hand on to each other, within a process.

A run that is walked in both directions is run again and again from states it has been in. Code that
was made for one of them is as good for another where the cells it was made from hold the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...core.plane import Plane
    from ...core.state import State
    from .machine_code import Store
    from .unit import NativeUnit

MOST_UNITS = 64


class Shelf:
    """A store, of which one program's engines also take each other's units."""

    def __init__(self, store: Store | None) -> None:
        self.store = store
        # Each with its options, and with the plane that it was made for if that is read-only.
        self._units: list[tuple[NativeUnit, Plane | None, Any]] = []
        self._names: dict[Hashable, str | None] = {}

    def get(self, key: str) -> bytes | None:
        """See `Store`."""
        return None if self.store is None else self.store.get(key)

    def put(self, key: str, code: bytes) -> None:
        """See `Store`."""
        if self.store is not None:
            self.store.put(key, code)

    def name(self, about: Hashable, find: Callable[[], str | None]) -> str | None:
        """The name of something in the store, found once: it takes a look at a whole language."""
        if about not in self._names:
            self._names[about] = find()
        return self._names[about]

    @property
    def has_units(self) -> bool:
        """Whether there is any code: then a run has proven long already."""
        return bool(self._units)

    def lay(self, native: NativeUnit, state: State) -> None:
        """Leave a unit that was made for a state; of too many, those that were made first go."""
        ground = None if state.plane.writable else state.plane
        self._units = [*self._units, (native, ground, state.options)][-MOST_UNITS:]

    def fitting(self, armed: Any, state: State) -> list[NativeUnit]:
        """Twins of the units that leave at these barriers and may be good for a state, if the cells
        that they were made from are."""
        rows = getattr(state.plane, "height", 0)
        return [
            native.twin()
            for native, ground, options in self._units
            if native.armed == armed
            and (ground is None or ground == state.plane)
            and options == state.options
            and native.suits_rows(rows)
        ]
