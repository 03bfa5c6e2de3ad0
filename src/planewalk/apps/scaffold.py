"""A package for a new language, small and complete."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..core.base.resources import resource
from ..core.errors import OptionError, PlanewalkError
from ..languages import registry
from ..languages.mistakes import NAME
from .draft import cannot_write

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

TEMPLATE, SUFFIX = "planewalk.apps/template", ".in"


def write_package(name: str, folder: str) -> list[str]:
    """Write the package of a language into a new or empty folder; returns its files."""
    module = check_name(name)
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise PlanewalkError(f"{folder!r} exists already; say where to with --into FOLDER")
    title = re.sub("[-_]", " ", name).capitalize()
    words = {"_NAME_": name, "_MODULE_": module, "_TITLE_": title}
    files = {_fill(path, words): _fill(text, words) for path, text in _template()}
    _write_all(files, os.path.abspath(folder))
    return list(files)


def _write_all(files: dict[str, str], folder: str) -> None:
    """Write a folder as a whole, or nothing of it."""
    staging = ""
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        staging = tempfile.mkdtemp(prefix=".planewalk-", dir=os.path.dirname(folder))
        inside = os.path.join(staging, "package")  # made here, it gets the usual permissions
        for path, text in files.items():
            target = os.path.join(inside, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
        os.rename(inside, folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def check_name(name: str) -> str:
    """The module name for a language; raises if the name cannot be used."""
    module = name.replace("-", "_")
    if not NAME.fullmatch(name):
        said = "expected small letters and digits, with - or _ between them, such as snails"
        raise OptionError(f"{name!r} cannot be the name of a language: {said}")
    if name in registry.names():
        raise OptionError(f"there is a language {name!r} already; choose another name")
    if f".{name}" in _suffixes():
        raise OptionError(f"files .{name} mean something already; choose another name")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names:
        raise OptionError(f"{name!r} means something in Python already; choose another name")
    found = find_spec(module)
    if found is not None and found.origin is not None:  # a mere folder has none
        raise OptionError(f"there is a Python module {module!r} already; choose another name")
    return module


def _suffixes() -> Iterator[str]:
    """The suffixes of all files that planewalk reads or writes."""
    for name in registry.names():
        with suppress(PlanewalkError):  # of a broken package nothing is known
            language = registry.get(name)
            yield from language.suffixes
            for conversion in language.sources.conversions:
                yield from (*conversion.sources, *conversion.targets)


def _template(folder: Traversable | None = None, inside: str = "") -> Iterator[tuple[str, str]]:
    """The files of the template: path and text."""
    for entry in sorted((folder or resource(TEMPLATE)).iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _template(entry, f"{inside}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield inside + entry.name.removesuffix(SUFFIX), entry.read_text("utf-8")


def _fill(text: str, words: dict[str, str]) -> str:
    for word, meant in words.items():
        text = text.replace(word, meant)
    return text
