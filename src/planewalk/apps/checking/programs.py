"""Random programs of any language: made from its table, or by mutating its examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

from ...core.errors import PlanewalkError, SourceError
from ...core.instruction import Group
from ...core.language import Language, Sources
from ...examples import examples_of
from .trial import LIMITS, Trial

BLANK = " "
ODD = "\t\0é\U0001f40c"
"""Characters that hardly any language has an instruction for."""
MOST_CELLS = 600
"""Cells of the largest example that is mutated: in longer ones too little would change."""
TRIES = 100
"""Refused texts after which no random program is found."""
MARKS = ((0, 60), (61, 400), (401, 1200))
"""Ranges from which the ticks are drawn at which a run is compared."""


class Stock:
    """What random programs of a language are made from."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.models = list(_models(language))
        """Example programs that are text, to be mutated."""
        self.options = list(_options(language))
        """Those that example programs are run with, by what they are about."""
        rows = [row for table in language.tables for row in table]
        self.ends = {row.symbol for row in rows if row.group is Group.END}
        self.quiet = {row.symbol for row in rows if row.group is Group.NOTHING} | {BLANK}
        signs = [sign for text in self.models for sign in text if sign not in "\r\n"]
        self.symbols = list(dict.fromkeys([*(row.symbol for row in rows), BLANK, *signs]))
        """The symbols of the tables and of the examples."""

    def trial(self, dice: Random) -> Trial:
        """A random program with random input and marks. Not every text is a program: after many
        tries the `SourceError` of the last is raised."""
        limits = LIMITS._replace(output=dice.choice((None, None, None, dice.randint(0, 40))))
        more = {
            "data": some_input(dice),
            "seed": dice.choice((0, dice.randint(-5, 1 << 70))),
            "marks": tuple(dice.randint(*between) for between in MARKS),
            "limits": limits,
        }
        for left in reversed(range(TRIES)):
            try:
                trial = Trial.of(self.language, self.program(dice), **more)
                trial = trial._replace(options=dice.choice(dice.choice(self.options)))
                trial.start()
                return trial
            except SourceError:
                if not left:
                    raise
        raise AssertionError

    def program(self, dice: Random) -> str:
        """Random symbols, or a mutated example."""
        if self.models and dice.random() < 0.4:
            return self.changed(dice, dice.choice(self.models))
        return self.soup(dice)

    def soup(self, dice: Random) -> str:
        """A box of random symbols with very uneven frequencies."""
        symbols, weights = self.symbols, self._weights(dice)
        if dice.random() < 0.1:
            symbols, weights = [*symbols, *ODD], [*weights, *(1.0 for _ in ODD)]
        width, height = dice.randint(1, 16), dice.choice((1, 1, dice.randint(2, 9)))
        lengths = [dice.choice((width, width, dice.randint(0, width))) for _ in range(height)]
        return "\n".join("".join(dice.choices(symbols, weights, k=length)) for length in lengths)

    def _weights(self, dice: Random) -> list[float]:
        often, seldom = dice.choice((1.0, 4.0, 30.0)), dice.choice((0.01, 0.2))
        return [
            # Programs should live for a while.
            seldom if symbol in self.ends
            else often if symbol in self.quiet
            else dice.choice((0.0, 1.0, 1.0, 1.0, 5.0))
            for symbol in self.symbols
        ]  # fmt: skip

    def changed(self, dice: Random, text: str) -> str:
        """A program with some cells changed: it runs longer than random symbols do."""
        rows = [list(row) for row in text.split("\n")]
        for _ in range(dice.choice((0, 1, 2, 5))):
            row = dice.choice(rows)
            if row:
                row[dice.randrange(len(row))] = dice.choice(self.symbols)
        return "\n".join(map("".join, rows))


def some_input(dice: Random) -> bytes:
    """Numbers and letters, or any bytes; sometimes nothing."""
    kinds = dice.choice((b"12 -x\n\0\xff", b"0123456789 \n", bytes(range(256))))
    return bytes(dice.choice(kinds) for _ in range(dice.randint(0, 10)))


def some_bytes(dice: Random) -> bytes:
    """Random bytes, which are rarely a valid program."""
    kinds = dice.choice((b"\n", b"\n\r ", bytes(range(256))))
    return bytes(dice.choice(kinds) for _ in range(dice.choice((0, 1, 2, dice.randint(3, 100)))))


def _options(language: Language) -> Iterable[list[dict[str, Any]]]:
    """None, and all that can be written as words."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {(): [{}]}
    with suppress(PlanewalkError):  # the check of examples reports it
        for run in (run for each in examples_of(language) for run in each.runs):
            options = run.get("options", {})
            if all(isinstance(value, str | int) for value in options.values()):
                found.setdefault(tuple(options), []).append(options)
    return found.values()


def _models(language: Language) -> Iterator[str]:
    try:
        sources = [example.read() for example in examples_of(language)]
    except PlanewalkError:
        return  # the check of examples reports it
    for source in sources:
        try:
            text = source.decode()
        except UnicodeDecodeError:
            continue
        if len(text) <= MOST_CELLS and language.sources.spell is Sources().spell:
            yield text
