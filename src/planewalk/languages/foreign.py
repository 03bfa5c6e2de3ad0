"""Languages of other packages: found through entry points, loaded and checked one by one.

The entry's name is the language's name, and it points at a `Language`. One that is broken is told
in a line for each mistake, which names its package; it never hides the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..core.errors import LanguageError

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    from ..core.language import Language

GROUP = "planewalk.languages"

Suffixes = Mapping[str, tuple[str, ...]]
"""The suffixes of planewalk's own languages, by name."""


@cache
def entries() -> dict[str, tuple[EntryPoint, ...]]:
    """All entry points by name. Of several packages with one name, the first counts."""
    found: dict[str, list[EntryPoint]] = {}
    for name, installed in sorted(_packages().items()):
        try:
            points = installed.entry_points.select(group=GROUP)
        except Exception as error:
            _unreadable[name] = f"the entry points of {name} cannot be read: {error}"
            continue
        for entry in points:
            found.setdefault(entry.name, []).append(entry)
    return {name: tuple(found[name]) for name in sorted(found)}


_unreadable: dict[str, str] = {}
"""What is wrong with packages of which we cannot even tell whether they have languages."""


def _packages() -> dict[str, Distribution]:
    """Those that may have languages, of what is installed: a relative path is in whatever folder we
    happen to be.

    Of a package that is there twice, the first is the one that is imported.
    """
    from importlib.metadata import distributions  # heavy, and rarely needed

    found: dict[str, Distribution] = {}
    others: list[Distribution] = []
    for installed in distributions(path=[path for path in sys.path if os.path.isabs(path)]):
        if not _may_have_languages(installed):
            others.append(installed)
        elif str(installed.name) not in {str(other.name) for other in others}:
            found.setdefault(str(installed.name), installed)
    return found


def _may_have_languages(installed: Distribution) -> bool:
    """Without asking for its name, for which all that is said about a package would be read."""
    try:
        return GROUP in (installed.read_text("entry_points.txt") or "")
    except Exception:
        return True  # reading them tells why they cannot be read


def package(entry: EntryPoint) -> str:
    """The package that an entry point belongs to, with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unnamed package"


def load(name: str, own: Suffixes) -> Language:
    """The language of that name; raises `LanguageError` if there is a mistake in it."""
    found = _outcome(entries()[name][0], own)
    if isinstance(found, LanguageError):
        raise LanguageError(str(found), found.mistakes) from found.__cause__
    return found


_outcomes: dict[str, Language | LanguageError] = {}


def loaded() -> list[Language]:
    """The languages that were loaded so far."""
    return [found for found in _outcomes.values() if not isinstance(found, LanguageError)]


def _outcome(entry: EntryPoint, own: Suffixes) -> Language | LanguageError:
    if entry.name not in _outcomes:
        _outcomes[entry.name] = _load(entry, own)
    return _outcomes[entry.name]


def _load(entry: EntryPoint, own: Suffixes) -> Language | LanguageError:
    from ..core.meta.blame import in_words
    from .mistakes import mistakes

    try:
        language: Language = entry.load()
    except (Exception, SystemExit) as error:
        failed = _broken(entry, [f"it cannot be loaded: {in_words(error)}"])
        failed.__cause__ = error
        return failed
    wrong = list(mistakes(language)) or list(_clashes(entry, language, own))
    return _broken(entry, wrong) if wrong else language


def _clashes(entry: EntryPoint, language: Language, own: Suffixes) -> Iterator[str]:
    if language.name != entry.name:
        yield f"its name is {language.name!r}, but its entry point is called {entry.name!r}"
    if entry.name in own:
        yield f"the name {entry.name!r} belongs to one of planewalk's own languages"
    for name, suffixes in own.items():
        for suffix in set(suffixes) & set(language.suffixes):
            yield f"the suffix {suffix!r} belongs to {name!r}"


def _broken(entry: EntryPoint, wrong: list[str]) -> LanguageError:
    lines = tuple(f"{_about(entry)}: {each}" for each in wrong)
    more = f" (and {len(lines) - 1} more: planewalk list)" if len(lines) > 1 else ""
    return LanguageError(lines[0] + more, lines)


def _about(entry: EntryPoint) -> str:
    return f"the language {entry.name!r} of {package(entry)} ({entry.value})"


def complaints(own: Suffixes) -> Iterator[str]:
    """A line for each mistake in languages of other packages, and for where they clash."""
    claimed: dict[str, list[EntryPoint]] = {}
    known = entries()
    yield from _unreadable.values()
    for name, points in known.items():
        found = _outcome(points[0], own)
        if isinstance(found, LanguageError):
            yield from found.mistakes
        else:
            for suffix in found.suffixes:
                claimed.setdefault(suffix, []).append(points[0])
        for other in points[1:]:
            yield f"{_about(other)}: the name {name!r} is taken by {package(points[0])}"
    for suffix, claimants in claimed.items():
        if len(claimants) > 1:
            claims = " and ".join(f"{entry.name!r} of {package(entry)}" for entry in claimants)
            yield f"files {suffix!r} are claimed by {claims}; name the language of each"
