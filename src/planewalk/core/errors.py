"""Everything planewalk raises on purpose.

    PlanewalkError              shown to people as one line, never as a traceback
    ├── SourceError             the program text or picture cannot be loaded
    ├── OptionError             an option is unknown or has a value that makes no sense
    │   └── WrongType           an argument of the library has the wrong type; also a TypeError
    ├── UnknownLanguage         no language of that name, or none could be told from the file
    ├── LanguageError           there is a mistake in a language, not in the program
    ├── EngineRefused           that engine cannot run this language here
    └── LimitReached            a limit was reached before there was a run to stop

Messages name arguments as Python has them, `crop=...`; the command line respells them,
and where no limits can be set, those are left out.

A program that misbehaves while it runs raises nothing: that is a `Stop` (see `step.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

_ALIKE = 0.7
"""How similar two names are, and two suffixes, where one is the other mistyped: `.gemoy` is, but
not `.bf` for `.wf`."""


class PlanewalkError(Exception):
    """Base of all errors that are the user's to mend."""


class SourceError(PlanewalkError):
    """The source is not a program; `place` is (x, y) where that is known."""

    def __init__(self, message: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(message if place is None else f"{message} at ({place[0]}, {place[1]})")
        self.place = place


class OptionError(PlanewalkError):
    """An option is unknown, or its value is not one of those it takes."""


class WrongType(OptionError, TypeError):
    """An argument of the library is of a type that it cannot be."""


class UnknownLanguage(PlanewalkError):
    """No such language; `closest` is the name that was probably meant."""

    def __init__(self, message: str, closest: str | None = None) -> None:
        super().__init__(message)
        self.closest = closest


class LanguageError(PlanewalkError):
    """There is a mistake in the code of a language; `__cause__` is what it raised, if anything.

    `mistakes` are all that were found, a line for each.
    """

    def __init__(self, message: str, mistakes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.mistakes = mistakes or (message,)


class LimitReached(PlanewalkError):
    """What is asked for would take more than it may; `reason` is that of `step.Spent`."""

    def __init__(self, message: str, reason: str = "memory") -> None:
        super().__init__(message)
        self.reason = reason


class EngineRefused(PlanewalkError):
    """The chosen engine cannot run this language, for the reason given."""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that looks most like `word`, if any does."""
    from difflib import get_close_matches  # heavy, and only errors need it

    found = get_close_matches(word.lower(), sorted(known), n=1, cutoff=0.5)
    return found[0] if found else None


def closest_file(name: str, known: Iterable[str]) -> str | None:
    """The one of these file names that was probably meant: one of the same kind, by its suffix, or
    of any kind if the name has none."""
    from difflib import SequenceMatcher, get_close_matches

    stem, suffix = os.path.splitext(name.lower())
    alike = SequenceMatcher(b=suffix)
    stems: dict[str, str] = {}
    for file in sorted(known):
        other, kind = os.path.splitext(file.lower())
        alike.set_seq1(kind)
        if not suffix or alike.ratio() > _ALIKE:
            stems.setdefault(other, file)
    found = get_close_matches(stem, stems, n=1, cutoff=_ALIKE)
    return stems[found[0]] if found else None
