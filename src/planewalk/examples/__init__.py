"""The example programs: a folder for each language, with an `index.toml` of what each should do."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ..core.errors import PlanewalkError, closest


@dataclass(frozen=True)
class Example:
    """A program of the gallery. `runs` are dicts of how to run it and what must come out."""

    language: str
    file: str
    title: str
    description: str
    runs: tuple[dict[str, Any], ...]

    @property
    def name(self) -> str:
        return self.file.rpartition(".")[0]

    def read(self) -> bytes:
        return (files("planewalk.examples") / self.language / self.file).read_bytes()


def gallery(language: str | None = None) -> list[Example]:
    """All examples, or those of one language, in the order of their index."""
    found = []
    for folder in sorted(files("planewalk.examples").iterdir(), key=lambda folder: folder.name):
        index = folder / "index.toml"
        if index.is_file() and language in (None, folder.name):
            for entry in tomllib.loads(index.read_text("utf-8"))["example"]:
                runs = tuple(entry.get("run", ()))
                text = (entry["file"], entry["title"], entry["description"])
                found.append(Example(folder.name, *text, runs))
    return found


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
    meant = closest(name, [example.file for example in examples])
    hint = f"did you mean {meant!r}?" if meant else "planewalk examples lists them"
    raise PlanewalkError(f"there is no example {name!r}; {hint}")
