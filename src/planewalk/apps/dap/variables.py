"""Scopes and variables of a state, with numbers that are valid until the run goes on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...core.difference import cell
from ...core.difference import number as told
from ...core.errors import OptionError
from ...core.state import State, Walker
from ...debug.session import Session
from ...view.console.reading import place_of, sign_or_number, value_of, whole
from ...view.scene.frame import registers_of
from ...view.walk.follow import cell_of, lies_in
from ...view.walk.stances import heading_name

MOST = 200
AROUND = 2
Variable = dict[str, Any]


class Variables:
    """The scopes of one moment; their numbers become invalid when the run goes on."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._lists: list[tuple[str, Callable[[], list[Variable]]]] = []

    def forget(self) -> None:
        self._lists.clear()

    def scopes(self, walker: int) -> list[dict[str, Any]]:
        state = self.session.state
        found = [("Walker", lambda: self._walker(walker))]
        if any("--" in row.effect for row in self.session.language.table):
            found.append(("Stack", lambda: self._stack(state)))
        if registers_of(state):
            found.append(("Registers", lambda: self._registers(state)))
        found.append(("Cells around", lambda: self._cells(walker)))
        found.append(("Run", self._run))
        return [
            {"name": name, "variablesReference": self._add(name, make), "expensive": False}
            for name, make in found
        ]

    def _add(self, name: str, make: Callable[[], list[Variable]]) -> int:
        self._lists.append((name, make))
        return len(self._lists)

    def at(self, reference: int) -> tuple[str, Callable[[], list[Variable]]]:
        """The name of the scope with that number, and what gives its variables."""
        if not 0 < reference <= len(self._lists):
            raise OptionError("these variables are of a moment that is over")
        return self._lists[reference - 1]

    def set(self, reference: int, name: str, text: str) -> str:
        """Change a variable, which forks the run; returns its new value."""
        scope, _ = self.at(reference)
        read = sign_or_number if scope == "Cells around" else value_of
        value = read(re.sub(r"^(\d+) \('.*'\)$", r"\1", text))  # as it is shown
        if scope == "Stack":
            self.session.edit(stack=whole(name), value=value)
        elif scope == "Registers":
            named = isinstance(self.session.state.registers, dict)
            self.session.edit(register=name if named else whole(name), value=value)
        elif scope == "Cells around":
            self.session.edit(cell=place_of(name), value=value)
        else:
            raise OptionError(f"{name} cannot be changed here")
        return str(value)

    def _stack(self, state: State) -> list[Variable]:
        top = list(reversed(state.held_stack[-MOST:]))
        return [_plain(str(at), told(value)) for at, value in enumerate(top)]

    def _registers(self, state: State) -> list[Variable]:
        return [_plain(name, value) for name, value in registers_of(state).items()]

    def _standing(self, walker: int) -> Walker | None:
        walkers = self.session.state.walkers
        return walkers[walker] if 0 <= walker < len(walkers) else None

    def _walker(self, walker: int) -> list[Variable]:
        found = self._standing(walker)
        if found is None:
            return []
        stance, hand = found
        language = self.session.language
        shown = [
            _plain("place", f"{stance.x:g},{stance.y:g}"),
            _plain("heading", heading_name(language, stance.dx, stance.dy)),
        ]
        manner = language.looks.manner(stance)
        shown += [_plain("mode", manner)] if manner else []
        shown += [_plain("hand", f"{hand[0]},{hand[1]}")] if hand is not None else []
        return shown

    def _cells(self, walker: int) -> list[Variable]:
        """The cells around the hand, or around the walker itself."""
        found = self._standing(walker)
        place = found and (found.hand or cell_of(found.stance.x, found.stance.y))
        if place is None:
            return []
        x, y = place
        plane = self.session.state.plane
        around, box = range(-AROUND, AROUND + 1), plane.box()
        places = [(x + dx, y + dy) for dy in around for dx in around]
        return [
            _plain(f"{px},{py}", cell(plane.cell(px, py), self.session.language.looks))
            for px, py in places
            if lies_in((px, py), box)
        ]

    def _run(self) -> list[Variable]:
        session, stream = self.session, self.session.state.input
        return [
            _plain("tick", f"{session.tick:,}"),
            _plain("written", f"{session.written:,} bytes"),
            _plain("unread input", f"{stream.unread:,} bytes{'' if stream.closed else ', open'}"),
            _plain("branch", session.branch.name),
        ]


def _plain(name: str, value: str) -> Variable:
    return {"name": name, "value": value, "variablesReference": 0}
