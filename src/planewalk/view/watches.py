"""Values that somebody keeps an eye on: cells, stack values, registers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.difference import cell
from ..core.errors import OptionError
from ..debug.session import Session
from .frame import number

CELL = re.compile(r"(?:cell\s+)?(-?\d+)\s*,\s*(-?\d+)$")
STACK = re.compile(r"stack(?:\s+(\d+)|\[(\d+)\])?$")
REGISTER = re.compile(r"register\s+(\S+)$")


class Watches:
    """What is watched, by the words it was asked for with, and what each was last time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.all: list[str] = []
        self._before: dict[str, str] = {}

    def add(self, words: str) -> str:
        """Watch something; gives its value now."""
        value = self.value(words)
        if words not in self.all:
            self.all.append(words)
        return value

    def remove(self, words: str) -> None:
        if words not in self.all:
            raise OptionError(f"{words!r} is not watched; {', '.join(self.all) or 'nothing'} is")
        self.all.remove(words)

    def value(self, words: str) -> str:
        """What that is now."""
        state = self.session.state
        if match := CELL.match(words):
            x, y = int(match[1]), int(match[2])
            return cell(state.plane.cell(x, y), self.session.language.looks)
        if match := STACK.match(words):
            index = int(match[1] or match[2] or 0)
            return number(state.stack[-1 - index]) if index < len(state.stack) else "none"
        if match := REGISTER.match(words):
            held_by = self.session.language.looks.registers(state)
            if match[1] not in held_by:
                raise OptionError(f"there is no register {match[1]!r}")
            return " ".join(map(number, held_by[match[1]])) or "empty"
        if words in ("tick", "depth"):
            return str(state.tick if words == "tick" else len(state.stack))
        raise OptionError(
            f"{words!r} cannot be watched; try `watch 5,2`, `watch stack 0`, `watch register a`"
        )

    def lines(self) -> Iterator[tuple[str, bool]]:
        """A line for each, and whether its value is another than when this was asked last."""
        for words in self.all:
            value = self.value(words)
            changed = self._before.get(words, value) != value
            self._before[words] = value
            yield f"{words} = {value}", changed
