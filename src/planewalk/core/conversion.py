"""Conversions: ways from one kind of file to another, and where each cell comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .base.named import NamedTuple
from .option import Option, read_options


class Origin(NamedTuple):
    """Where a cell comes from: line and column, both from 1, and what stands there."""

    line: int
    column: int
    text: str

    def shortened(self) -> Origin:
        """The same, with a long row of signs cut short."""
        if len(self.text) <= LONGEST:
            return self
        return self._replace(text=self.text[: LONGEST - 1] + "…")


LONGEST = 12


class Converted(NamedTuple):
    """What a conversion gives."""

    data: bytes
    notes: tuple[str, ...] = ()
    """What the user should know."""
    origins: Mapping[tuple[int, int], Origin] = {}
    """Where cells come from, for those that come from somewhere."""


class Conversion(NamedTuple):
    """A way from one kind of file to another that a language offers."""

    name: str
    sources: tuple[str, ...]
    """Suffixes it reads, such as `.bf`."""
    targets: tuple[str, ...]
    """Suffixes it writes."""
    convert: Callable[[bytes, str, Mapping[str, Any]], Converted]
    """From the source, the wished-for suffix and the options to the contents of the target."""
    help: str
    options: tuple[Option, ...] = ()

    def perform(self, source: bytes, suffix: str, given: Mapping[str, Any] = {}) -> Converted:
        """Convert with these options, and the defaults of all others."""
        return self.convert(source, suffix, read_options(self.name, self.options, given))
