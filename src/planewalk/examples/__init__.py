"""Example programs that come with languages: a folder for each, with an `index.toml` of what each
program should do. The examples of planewalk's own languages stand beside this file.

`planewalk.examples()` gives all of them, `planewalk.examples("gemooy")` those of one language.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..core.base.package import make_callable
from ..core.base.resources import resource
from ..core.errors import PlanewalkError, WrongType, closest_file
from ..core.language import Language
from ..languages import registry

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

INDEX = "index.toml"


@dataclass(frozen=True, repr=False)
class Example:
    """A program of the gallery: `file` is its name, and `read()` gives its source.

    `runs` are dicts of how to run it and what must come out. `tour` is a word for those that
    `planewalk tour` shows, and how: `run`, `film`, `speed` or `table`.
    """

    language: str
    file: str
    title: str
    description: str
    runs: tuple[dict[str, Any], ...]
    path: Traversable
    tour: str = ""

    @property
    def name(self) -> str:
        return self.file.rpartition(".")[0]

    def read(self) -> bytes:
        return self.path.read_bytes()

    def __repr__(self) -> str:
        return f"<Example {self.file}: {self.title}>"


def gallery(language: str | None = None) -> list[Example]:
    """The examples of the language of that name, or of all, in the order of their index.

    Among all, languages whose examples cannot be read are left out; ask for one of them alone to
    hear why.
    """
    if language is not None:
        if not isinstance(language, str):
            raise WrongType(f"language: expected the name of a language, not {language!r}")
        return examples_of(registry.get(language.lower()))
    found = []
    for each in registry.names():
        try:
            found += gallery(each)
        except PlanewalkError:
            continue
    return found


def examples_of(language: Language) -> list[Example]:
    """The examples that come with a language."""
    if not language.examples:
        return []
    try:
        folder = resource(language.examples)
        entries = _entries((folder / INDEX).read_text("utf-8"))
        return [_read_entry(language, folder, entry) for entry in entries]
    except (ImportError, OSError, ValueError, TypeError) as error:
        where = f"the examples of {language.title} ({language.examples}/{INDEX})"
        raise PlanewalkError(f"{where} cannot be read: {error}") from None


@lru_cache(maxsize=32)
def _entries(index: str) -> list[dict[str, Any]]:
    """What stands in an index; each is read again and again, and parsed once."""
    found: list[dict[str, Any]] = tomllib.loads(index).get("example", [])
    return found


def _read_entry(language: Language, folder: Traversable, entry: dict[str, Any]) -> Example:
    for key in ("file", "title", "description", "run"):
        if not entry.get(key):
            raise ValueError(f"{entry.get('file', 'an example')!r} has no {key!r}")
    path = folder / entry["file"]
    if not path.is_file():
        raise ValueError(f"there is no file {entry['file']!r}")
    text = (entry["file"], entry["title"], entry["description"])
    return Example(language.name, *text, tuple(entry["run"]), path, entry.get("tour", ""))


def shipped(file: str) -> bytes | None:
    """The file of that name beside the examples: one of them, or what one was made from."""
    if file == INDEX or not re.fullmatch(r"[\w-]+\.[\w-]+", file):
        return None
    for name in registry.names():
        with suppress(PlanewalkError, ImportError):  # of broken packages there are no examples
            folder = registry.get(name).examples
            if folder and (found := resource(folder) / file).is_file():
                return found.read_bytes()
    return None


def find_example(name: str) -> Example:
    """The example with that file name, with or without its suffix or its language in front."""
    examples = gallery()
    files = [e for e in examples if name in (e.file, f"{e.language}/{e.file}")]
    found = files or [e for e in examples if name in (e.name, f"{e.language}/{e.name}")]
    if len(found) == 1:
        return found[0]
    if found:
        which = ", ".join(example.file for example in found)
        raise PlanewalkError(f"there are several examples {name!r}: name one of {which}")
    meant = closest_file(name, [example.file for example in examples])
    hint = f"did you mean {meant!r}?" if meant else "planewalk examples lists them"
    raise PlanewalkError(f"there is no example {name!r}; {hint}")


make_callable(__name__, gallery)
