"""Which languages there are, and which one a file is in. Modules are imported when needed.

Those of other packages are found through entry points; see `foreign.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.base.findable import found_by
from ..core.errors import LanguageError, UnknownLanguage, closest
from ..core.meta.blame import blaming
from . import foreign

if TYPE_CHECKING:
    from ..core.language import Language
    from ..core.language_groups import Conversion

SUFFIXES: dict[str, tuple[str, ...]] = {
    "refunge": (".ref", ".refunge"),
    "mirrorfunge": (".mf", ".mirrorfunge"),
    "gemooy": (".gemooy",),
    "webfunge": (".wf", ".webfunge"),
    "bmprog": (".bmp", ".png", ".gif"),
}
"""The languages in this package; repeated from them so that a look-up imports nothing."""


def names() -> list[str]:
    """All languages: those of this package, then those of others, broken ones too."""
    return [*SUFFIXES, *sorted(set(foreign.entries()) - set(SUFFIXES))]


@cache
def get(name: str) -> Language:
    if name in SUFFIXES:
        own: Language = import_module(f"..{name}", __name__).LANGUAGE
        return found_by(own, get, name)
    if name in foreign.entries():
        return found_by(foreign.load(name, SUFFIXES), get, name)
    meant = closest(name, names())
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(names())}"
    raise UnknownLanguage(f"unknown language {name!r}; {hint}", meant)


def working(among: Iterable[str] | None = None) -> list[Language]:
    """The languages that can be used, of these or of all; others have `complaints`."""
    found = []
    for name in names() if among is None else among:
        with suppress(LanguageError):
            found.append(get(name))
    return found


def complaints() -> list[str]:
    """A line for each mistake in languages of other packages."""
    return list(foreign.complaints(SUFFIXES))


def find(name: str | None, filename: str, source: bytes) -> Language:
    """The language to run a file in: by name, else by suffix, else by content."""
    if name is not None:
        return get(name.lower())
    suffix = suffix_of(filename)
    for known, suffixes in SUFFIXES.items():
        if suffix in suffixes:
            return get(known)
    others = working(foreign.entries()) if suffix else []
    claims = [language for language in others if suffix in language.suffixes]
    if len(claims) > 1:
        which = " or ".join(language.name for language in claims)
        raise UnknownLanguage(f"{filename!r} may be in {which}; name it with language=...")
    if found := claims[0] if claims else recognise(suffix, source):
        return found
    said = f"by its suffix {suffix!r}" if suffix else "by its name"
    broken = "".join(f"; {complaint}" for complaint in complaints()[:1])
    raise UnknownLanguage(
        f"the language of {filename!r} cannot be told {said}; {_way_to_convert(filename, suffix)}"
        f"name it with language=... ({', '.join(names())}){broken}"
    )


def recognise(suffix: str, source: bytes) -> Language | None:
    """The language that knows a program by its content, if one does.

    One that fails to tell is heard only if no other does: it must not hide them.
    """
    failed: LanguageError | None = None
    for language in working():
        try:
            with blaming(language):
                if language.sources.recognises is not None and language.sources.recognises(
                    suffix, source
                ):
                    return language
        except LanguageError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return None


def _way_to_convert(filename: str, suffix: str) -> str:
    """How to make a program of a file that is none yet, if there is a way."""
    # Languages that look at contents run what can be converted, and have seen that this cannot.
    unseen = [language for language in working() if language.sources.recognises is None]
    for conversion in (each for language in unseen for each in language.sources.conversions):
        if suffix in conversion.sources:
            from shlex import quote

            made = filename[: -len(suffix)] + conversion.targets[0]
            return (
                f"planewalk convert {quote(filename)} -o {quote(made)} makes a program of it, or "
            )
    return ""


def conversions() -> list[Conversion]:
    """The ways from one kind of file to another that languages offer."""
    return [conversion for language in working() for conversion in language.sources.conversions]


def suffix_of(filename: str) -> str:
    """The last suffix in lower case, with its dot; empty if there is none."""
    stem, dot, suffix = filename.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if dot and stem else ""
