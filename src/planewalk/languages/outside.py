"""Languages that are not installed yet: a file, or a name in a module that can be imported."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from ..core.base.findable import found_by
from ..core.errors import LanguageError, PlanewalkError, UnknownLanguage
from ..core.language import Language
from ..core.meta.blame import in_words
from . import registry
from .mistakes import mistakes

USUAL = "LANGUAGE"
"""What a language is called in its module."""


def load(what: str) -> Language:
    """The language of that name; or `FILE.py`, `MODULE:NAME`, of one that is not installed."""
    if what.lower() in registry.names():
        return registry.get(what.lower())
    place, colon, name = what.rpartition(":")
    if not colon or "/" in name or "\\" in name:
        place, name = what, USUAL
    if place.endswith(".py") or os.path.isdir(place):
        module = _module_of(place)
        place = os.path.abspath(place)
    elif colon:
        module = place
        sys.path.insert(0, os.getcwd())
    else:
        return _unknown(what)
    try:
        found = getattr(import_module(module), name, None)
    except (Exception, SystemExit) as error:
        raise LanguageError(f"the language {what!r} cannot be loaded: {in_words(error)}") from error
    if not isinstance(found, Language):
        raise PlanewalkError(f"{place!r} has no Language called {name}; write FILE.py:NAME")
    wrong = tuple(f"{what}: {mistake}" for mistake in mistakes(found))
    if wrong:
        raise LanguageError(wrong[0], wrong)
    return found_by(found, load, f"{place}:{name}")


def _unknown(what: str) -> Language:
    try:
        return registry.get(what.lower())
    except UnknownLanguage as error:
        hint = "a language that is not installed is FILE.py or MODULE:NAME"
        raise UnknownLanguage(f"{error}; {hint}", error.closest) from None


def _module_of(path: str) -> str:
    """The module in a file, or of a package's folder, which can be imported from now on."""
    if not os.path.exists(path):
        raise PlanewalkError(f"{path!r} does not exist; check the name")
    folder, name = os.path.split(os.path.abspath(path))
    names = [] if name == "__init__.py" else [name.removesuffix(".py")]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        names.insert(0, name)
    sys.path.insert(0, folder)
    return ".".join(names)
