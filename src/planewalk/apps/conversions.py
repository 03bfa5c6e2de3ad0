"""Turning one kind of program file into another, for the library and `planewalk convert`."""

from __future__ import annotations

import os
import time
from typing import Any

from ..core.errors import OptionError, PlanewalkError
from ..core.language_groups import Conversion
from ..core.limits import DEFAULT_MEMORY, Limits, allowing
from ..languages import registry
from . import arguments
from .arguments import checked
from .library import PathLike, Source, warn_caller
from .sources import read_program


@checked(path=arguments.path)
def convert(
    path: PathLike | None = None,
    *,
    to: str,
    source: Source = None,
    kind: str | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    **options: Any,
) -> bytes:
    """Turn one kind of program file into another; gives the contents of the new one.

    `to` is the suffix of the new kind: `convert("hello.bf", to="ref")` makes Refunge of Brainfuck,
    `convert("adder.txt", to="png")` a BMProg picture of a board in letters. Instead of a file there
    may be a `source` and its `kind`, again a suffix. Further keywords are options of the
    conversion: `convert("cat.bf", to="ref", eof=-1)`. The file is read for at most `max_time`
    seconds, and it and what is made of it may take `max_memory` bytes each.

    >>> convert(source="..>", kind="txt", to="png")[1:4]
    b'PNG'
    """
    if (path is None) == (source is None):
        raise OptionError("give either a path or a source")
    name = "" if path is None else os.fspath(path)
    target = suffix(to, "", "to=...")
    conversion = find_conversion(suffix(kind, name, "kind=..."), target)
    given = {key.replace("_", "-"): value for key, value in options.items()}
    with allowing(Limits(None, None, max_time, max_memory).begun(time.monotonic)):
        data = read_program(name, warn_caller) if source is None else arguments.data(source)
        converted = conversion.perform(data, target, given)
    for note in converted.notes:
        warn_caller(note)
    return converted.data


def suffix(given: str | None, name: str, argument: str) -> str:
    """The kind of a file, as given or by its name."""
    found = f".{given.lower().lstrip('.')}" if given else registry.suffix_of(name)
    if not found:
        what = f"{name!r} has no suffix that tells its kind" if name else "there is no file name"
        raise PlanewalkError(f"{what}; name the kind with {argument}")
    return found


def find_conversion(source: str, target: str) -> Conversion:
    conversions = registry.conversions()
    for conversion in conversions:
        if source in conversion.sources and target in conversion.targets:
            return conversion
    known = "; ".join(f"{' '.join(c.sources)} to {' '.join(c.targets)}" for c in conversions)
    raise PlanewalkError(f"there is no way from {source} to {target}; there are {known}")
