"""Watched values: see `planewalk help conditions` for what there is."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.difference import cell
from ...core.errors import OptionError
from ...debug.conditions.grammar import parse_value
from ...debug.session import Session
from ..scene.frame import number

MOST_VALUES = 40
"""Of a list, that are told."""


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
        language, state = self.session.language, self.session.state
        value = parse_value(words, language)
        found = value.of(language, state)
        if found is None:
            return "none"
        if value.place is not None:
            return cell(found, language.looks)
        if isinstance(found, list):
            more = " ..." if len(found) > MOST_VALUES else ""
            return " ".join(map(number, found[:MOST_VALUES])) + more or "empty"
        return found if isinstance(found, str) else number(found)

    def lines(self) -> Iterator[tuple[str, bool]]:
        """A line for each, and whether its value is another than when this was asked last."""
        for words in self.all:
            value = self.value(words)
            changed = self._before.get(words, value) != value
            self._before[words] = value
            yield f"{words} = {value}", changed
