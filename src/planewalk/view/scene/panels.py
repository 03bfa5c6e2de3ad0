"""The panels below the plane: walkers, stack, registers and output, broken into lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ...core.language import Language
from ...core.numbers.numerals import both_ends
from ...core.state import State
from ..walk.follow import Followed, Follower
from ..walk.origins import Origins
from ..walk.stances import heading_name
from .scene import Line, Panel

SIGN = 2
"""Width in letters of a walker's mark, or a colour, before a line."""
WALKERS = 4
"""Walkers that have a line each."""
MOST_ROWS = 8
MOST_OUTPUT = 24
"""Rows of a panel; of what has no room the newest is shown."""
VALUES = 240
"""Values of a stack that may have room."""
LONGEST = 30
"""Digits of a number that is shown in full."""


class PanelText(NamedTuple):
    """A panel before its lines are broken.

    `name` tells those with one label apart. An `exact` one is broken anywhere, others only between
    words. `hidden` is how many words, or lines if it is exact, came before. An `idle` one has
    nothing to tell now, and is left out if that is so throughout a film.
    """

    label: str
    lines: tuple[Line, ...]
    name: str = ""
    most: int = MOST_ROWS
    exact: bool = False
    hidden: int = 0
    idle: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.label, self.name


class OutputTail(NamedTuple):
    """The end of what a program has written, and how many lines came before it."""

    text: bytes = b""
    above: int = 0


Seen = Mapping[tuple[str, str], set[PanelText]]
"""All contents of each panel in a film."""


class Teller:
    """Makes the panels of moments, the same ones for all of them."""

    def __init__(self, language: Language, origins: Origins | None) -> None:
        self.language, self.origins = language, origins
        self.stacked = any("--" in row.effect for row in language.table)

    def told(
        self, state: State, follower: Follower, output: OutputTail, named: bool
    ) -> Iterator[PanelText]:
        """The panels of a moment; walkers have letters if they are `named`."""
        language = self.language
        walkers = follower.walkers
        yield PanelText("walker", tuple(self._walkers(follower, named)), idle=not walkers)
        if self.origins is not None:
            stances = [followed.walker.stance for followed in walkers[:WALKERS]]
            words = (self.origins.words(stance.x, stance.y) for stance in stances)
            yield PanelText("from", tuple(map(Line, words)), idle=not walkers)
        if self.stacked:
            values = " ".join(map(number, state.held_stack[-VALUES:]))
            yield PanelText("stack", (Line(values),), hidden=max(len(state.held_stack) - VALUES, 0))
        yield from self._registers(state)
        noted = " ".join(_entry(entry) for entry in state.log[-VALUES:])
        hidden = max(len(state.log) - VALUES, 0)
        yield PanelText("log", (Line(noted),), hidden=hidden, idle=not state.log)
        if language.results.value is not None:
            yield PanelText("value", (Line(number(language.results.value(state))),))
        if language.drawing.colour is not None:
            colour = language.drawing.colour(state)
            yield PanelText("colour", (Line(" ".join(map(str, colour)), colour=colour),))
        if follower.visits is not None:
            most = max(follower.visits.values(), default=0)
            yield PanelText("heat", (Line(f"up to {most:,} visit{'' if most == 1 else 's'}"),))
        lines = output.text.decode(errors="replace").split("\n")
        if not lines[-1]:
            lines.pop()
        yield PanelText(
            "output",
            tuple(Line(visible(line)) for line in lines),
            most=MOST_OUTPUT,
            exact=True,
            hidden=output.above,
            idle=not output.text,
        )

    def _walkers(self, follower: Follower, named: bool) -> Iterator[Line]:
        more = len(follower.walkers) - WALKERS
        for followed in follower.walkers[: WALKERS - (more > 0)]:
            yield self._walker(followed, named)
        if more > 0:
            yield Line(f"and {more + 1:,} more")

    def _walker(self, followed: Followed, named: bool) -> Line:
        walker, (stance, hand) = followed
        words = f"{letter(walker)}  " if named else ""
        words += f"({stance.x:g}, {stance.y:g}) {heading_name(self.language, stance.dx, stance.dy)}"
        manner = self.language.looks.manner(stance)
        words += f", {manner}" if manner else ""
        words += "" if hand is None else f"; hand ({hand[0]}, {hand[1]})"
        return Line(words, walker=walker)

    def _registers(self, state: State) -> Iterator[PanelText]:
        """Each register by itself, without the zeros behind its last value."""
        for name, values in self.language.looks.registers(state).items():
            used = [at for at, value in enumerate(values, 1) if value != 0]
            shown = " ".join(map(number, values[: max(used, default=1)]))
            yield PanelText("registers", (Line(f"{name}: {shown}"),), name, idle=not used)


class Fitter:
    """Gives every panel the same number of rows in all frames of a film."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.rows = lru_cache(maxsize=None)(self._rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fitter, (self.seen,)

    def panels(self, told: Iterable[PanelText], room: int) -> Iterator[Panel]:
        """The panels of a moment, in lines of so many letters."""
        label = ""
        for one in told:
            if one.key in self.seen:
                lines = broken(one, room)
                lines += [Line("")] * (self.rows(one.key, room) - len(lines))
                yield Panel("" if one.label == label else one.label, tuple(lines))
                label = one.label

    def _rows(self, key: tuple[str, str], room: int) -> int:
        return max(len(broken(told, room)) for told in self.seen[key])


def broken(told: PanelText, room: int) -> list[Line]:
    """The lines of a panel, none longer than the room."""
    if any(line.signed for line in told.lines):
        room -= SIGN
    rows = [row for line in told.lines for row in _pieces(line, room, told.exact)]
    if not told.hidden and len(rows) <= told.most:
        return rows
    kept = rows[1 - told.most :]
    left = rows[: len(rows) - len(kept)]
    more = len(left) if told.exact else sum(len(row.text.split()) for row in left)
    return [Line(f"… {told.hidden + more:,} more"), *kept]


def _pieces(line: Line, room: int, exact: bool) -> Iterator[Line]:
    text = line.text
    while len(text) > room:
        space = text.rfind(" ", 1, room + 1)
        end = room if exact or space < 0 else space
        yield line._replace(text=text[:end])
        line = Line("")
        text = text[end:] if exact else text[end:].lstrip(" ")
    yield line._replace(text=text)


def letter(walker: int) -> str:
    """The letter of a walker; after Z comes A again."""
    return chr(ord("A") + walker % 26)


def visible(text: str) -> str:
    """A line with a box for every character that cannot be printed."""
    return "".join(c if c.isprintable() else "▫" for c in text.expandtabs(4))


def number(value: Any) -> str:
    """A number, shortened if it is long."""
    if isinstance(value, float):
        return f"{value:.6g}"
    long = value.bit_length() > 4 * LONGEST
    text = "" if long else str(value)
    return both_ends(value, 12) if long or len(text) > LONGEST else text


def _entry(entry: Any) -> str:
    if isinstance(entry, (list, tuple)):
        return f"[{' '.join(map(_entry, entry))}]"
    return number(entry) if isinstance(entry, (int, float)) else str(entry)
