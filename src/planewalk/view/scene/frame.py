"""What front ends show of a state, as plain data that survives JSON.

A frame covers one box of the plane, so its cost does not depend on the size of the plane. `delta`
gives what has changed since another frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ...core.language import Language
from ...core.numbers.numerals import both_ends
from ...core.plane import Box
from ...core.state import State
from ...core.step import STATUS, Stop
from ..drawing.theme import web
from ..walk.follow import cell_of
from ..walk.stances import heading_name
from .scene import CellReader, Look, changed_cells

MOST_WALKERS = 2_000
"""Limit on the walkers of a frame; it always has their number."""
MOST_VALUES = 64
TOO_LONG = 10**120
"""Of longer numbers only both ends are shown."""


class SeenWalker(NamedTuple):
    """A walker in or beside the box."""

    number: int
    x: int
    y: int
    dx: float
    dy: float
    heading: str
    mode: str
    hand: tuple[int, int] | None


class Frame(NamedTuple):
    """One moment of a run. `rows` are numbers of `looks`, those of the cells of `box`."""

    tick: int
    box: Box
    plane: Box | None
    """The bounds of the plane that is in use."""
    rows: tuple[tuple[int, ...], ...]
    looks: tuple[tuple[str, str, str | None], ...]
    """Text, group and colour of each kind of cell; frames of one `Lens` share their numbers."""
    walkers: tuple[SeenWalker, ...]
    crowd: int
    """The number of walkers in all."""
    panels: Mapping[str, Any]
    stop: str | None

    def to_json(self) -> dict[str, Any]:
        return {"rows": [list(row) for row in self.rows], **self._about()}

    def _about(self) -> dict[str, Any]:
        """All but the cells."""
        return {
            "tick": self.tick,
            "box": list(self.box),
            "plane": None if self.plane is None else list(self.plane),
            "looks": [list(look) for look in self.looks],
            "walkers": [
                [*walker[:-1], walker.hand and list(walker.hand)] for walker in self.walkers
            ],
            "crowd": self.crowd,
            "panels": dict(self.panels),
            "stop": self.stop,
        }

    def delta(self, before: Frame | None) -> dict[str, Any]:
        """Only what is new; the whole if another box was shown before."""
        if before is None or before.box != self.box:
            return self.to_json()
        whole = self._about()
        whole["looks"] = whole["looks"][len(before.looks) :]
        whole["cells"] = [[x, y, look] for x, y, _, look in changed_cells(before.rows, self.rows)]
        for name in ("walkers", "plane"):
            if getattr(before, name) == getattr(self, name):
                del whole[name]
        names = {**before.panels, **self.panels}
        whole["panels"] = {
            name: self.panels.get(name)  # None: there is no such panel any more
            for name in names
            if before.panels.get(name) != self.panels.get(name)
        }
        return whole


class Lens(CellReader[int]):
    """Makes the frames of one run."""

    def __init__(self, language: Language) -> None:
        self._numbers: dict[Look, int] = {}
        self._kinds: list[tuple[str, str, str | None]] = []
        super().__init__(language)
        self._stacked = any("--" in row.effect for row in language.table)

    def look(
        self,
        state: State,
        box: Box,
        *,
        numbers: Iterable[int] | None = None,
        stop: Stop | None = None,
        around: Box | None = None,
    ) -> Frame:
        """The frame of a state. `numbers` are those that walkers keep, in the state's order;
        `around` is the box of the walkers that are seen, if not that of the cells."""
        inner = state.plane.box()
        rows = self.rows(state.plane, inner, box)
        return Frame(
            state.tick,
            box,
            inner,
            rows,
            tuple(self._kinds),
            tuple(self._walkers(state, around or box, numbers)),
            len(state.walkers),
            self.panels(state),
            None if stop is None else told(stop),
        )

    def learn(self, look: Look) -> int:
        if look not in self._numbers:
            self._numbers[look] = len(self._kinds)
            fill = None if look.fill is None else web(look.fill)
            self._kinds.append((look.text, look.group.name.lower(), fill))
        return self._numbers[look]

    def _walkers(
        self, state: State, box: Box, numbers: Iterable[int] | None
    ) -> Iterable[SeenWalker]:
        known = range(len(state.walkers)) if numbers is None else numbers
        left, top, right, bottom = box
        few, shown = len(state.walkers) <= 50, 0
        for number, (stance, hand) in zip(known, state.walkers, strict=False):
            x, y, _, _, _ = stance
            near = left <= x < right + 1 and top <= y < bottom + 1
            place = cell_of(x, y) if near or few else None
            if shown == MOST_WALKERS:
                break
            if place is not None:
                shown += 1
                dx, dy = (d if math.isfinite(d) else 0 for d in (stance.dx, stance.dy))
                heading = heading_name(self.language, stance.dx, stance.dy)
                mode = self.language.looks.manner(stance)
                yield SeenWalker(number, *place, dx, dy, heading, mode, hand)

    def panels(self, state: State) -> dict[str, Any]:
        """What a state holds besides its plane and walkers, by name."""
        language = self.language
        panels: dict[str, Any] = {}
        if self._stacked:
            top = state.held_stack[-MOST_VALUES:]
            panels["depth"] = len(state.held_stack)
            panels["stack"] = [number(value) for value in reversed(top)]
        registers = registers_of(state)
        if registers:
            panels["registers"] = registers
        if state.calls:
            panels["calls"] = [
                f"{stance.x:g},{stance.y:g} {heading_name(language, stance.dx, stance.dy)}"
                for stance in state.calls[-16:]
            ]
        if language.results.value is not None:
            panels["value"] = number(language.results.value(state))
        if language.drawing.colour is not None:
            panels["colour"] = web(language.drawing.colour(state))
        if state.log:
            panels["log"] = [str(entry) for entry in state.log[-MOST_VALUES:]]
        panels["unread"] = state.input.unread
        return panels


def registers_of(state: State) -> dict[str, str]:
    """Registers by name; of many that are numbered, those that hold something. These are the names
    and numbers that conditions and changes take; `Looks.registers` may have several in one."""
    registers = state.registers
    if isinstance(registers, dict):
        return {str(name): number(value) for name, value in registers.items()}
    return {str(at): number(value) for at, value in enumerate(registers) if value}


def number(value: Any) -> str:
    """A number, shortened if it is very long."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if abs(value) < TOO_LONG else both_ends(value, 50)


def told(stop: Stop) -> str:
    """A stop in a few words."""
    reason = getattr(stop, "reason", "")
    return f"{STATUS[type(stop)]}: {reason}" if reason else STATUS[type(stop)]


def named_ends(language: Language, state: State, box: Box) -> dict[str, list[list[str]] | None]:
    """What the ends of the rows and columns of a box are called, for frames; None for those that
    have no names."""
    results = language.results
    columns = _ports(results.column_ports, state, box, 0)
    return {
        "ports": _ports(results.ports, state, box, 1),
        "columnPorts": columns if any(map(any, columns or ())) else None,
    }


def _ports(
    name: Callable[[State, int], tuple[str, str]] | None, state: State, box: Box, axis: int
) -> list[list[str]] | None:
    plane = state.plane.box()
    if name is None or plane is None:
        return None
    named = range(plane[axis], plane[axis + 2] + 1)
    seen = range(box[axis], box[axis + 2] + 1)
    return [list(name(state, at)) if at in named else ["", ""] for at in seen]
