"""Which languages there are, and which one a file is in. Modules are imported when needed.

Third-party languages come through the entry point group `planewalk.languages`: the entry's name
is the language's name, and it points at a `Language`.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.errors import PlanewalkError, UnknownLanguage, closest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ..core.conversion import Conversion
    from ..core.language import Language

ENTRY_POINTS = "planewalk.languages"

SUFFIXES: dict[str, tuple[str, ...]] = {
    "refunge": (".ref", ".refunge"),
    "mirrorfunge": (".mf", ".mirrorfunge"),
    "gemooy": (".gemooy",),
    "webfunge": (".wf", ".webfunge"),
    "bmprog": (".bmp", ".png", ".gif"),
}
"""The languages in this package; repeated from them so that a look-up imports nothing."""


def names() -> list[str]:
    """All languages: those of this package, then those of others."""
    return [*SUFFIXES, *sorted(set(_entry_points()) - set(SUFFIXES))]


@cache
def get(name: str) -> Language:
    """The language of that name."""
    if name in SUFFIXES:
        language: Language = import_module(f"..{name}", __name__).LANGUAGE
        return language
    entry = _entry_points().get(name)
    if entry is None:
        meant = closest(name, names())
        hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(names())}"
        raise UnknownLanguage(f"unknown language {name!r}; {hint}", meant)
    try:
        language = entry.load()
    except Exception as error:
        raise PlanewalkError(f"the language {name!r} cannot be loaded: {error}") from error
    return language


def find(name: str | None, filename: str, source: bytes) -> Language:
    """The language to run a file in: by name, else by suffix, else by content."""
    if name is not None:
        return get(name.lower())
    suffix = suffix_of(filename)
    for known, suffixes in SUFFIXES.items():
        if suffix in suffixes:
            return get(known)
    if suffix:
        for other in _entry_points():
            if suffix in get(other).suffixes:
                return get(other)
    if found := recognise(suffix, source):
        return found
    said = f"by its suffix {suffix!r}" if suffix else "by its name"
    raise UnknownLanguage(
        f"the language of {filename!r} cannot be told {said}; {_way_to_convert(filename, suffix)}"
        f"name it with language=... ({', '.join(names())})"
    )


def recognise(suffix: str, source: bytes) -> Language | None:
    """The language that knows a program by its content, if one does."""
    for language in map(get, names()):
        if language.recognises is not None and language.recognises(suffix, source):
            return language
    return None


def _way_to_convert(filename: str, suffix: str) -> str:
    """How to make a program of a file that is none yet, if there is a way."""
    # Languages that look at contents run what can be converted, and have seen that this cannot.
    unseen = [language for language in map(get, names()) if language.recognises is None]
    for conversion in (each for language in unseen for each in language.conversions):
        if suffix in conversion.sources:
            from shlex import quote

            made = filename[: -len(suffix)] + conversion.targets[0]
            return (
                f"planewalk convert {quote(filename)} -o {quote(made)} makes a program of it, or "
            )
    return ""


def conversions() -> list[Conversion]:
    """The ways from one kind of file to another that languages offer."""
    return [conversion for name in names() for conversion in get(name).conversions]


def suffix_of(filename: str) -> str:
    """The last suffix in lower case, with its dot; empty if there is none."""
    stem, dot, suffix = filename.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if dot and stem else ""


@cache
def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import distributions  # heavy, and rarely needed

    # Only what is installed: a relative path is in whatever folder we happen to be.
    found: dict[str, EntryPoint] = {}
    for package in distributions(path=[path for path in sys.path if os.path.isabs(path)]):
        for entry in package.entry_points.select(group=ENTRY_POINTS):
            found.setdefault(entry.name, entry)
    return found
