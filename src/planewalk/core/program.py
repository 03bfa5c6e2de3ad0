"""A program: a source, the language it is written in, and the options it starts with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import LanguageError, OptionError
from .language import Language
from .limits import allowed
from .meta.blame import blaming
from .plane import PLANES
from .state import State

_SECONDS_A_BYTE, _SECONDS_A_LINE = 5e-9, 15e-8  # what it takes to make a plane of a source, about


class Program:
    """What `load` gives: something that can be started any number of times."""

    def __init__(
        self, language: Language, source: bytes, options: Mapping[str, Any] | None = None
    ) -> None:
        self.language = language
        self.source = source
        self.given = dict(options or {})  # options that were chosen; all others have their defaults
        with blaming(language):
            self.options = language.read_options(self.given)

    def start(self, seed: int | None = None) -> State:
        """The state before the first tick. See `seed_for` for what happens without a seed.

        Raises `LimitReached` if there is not enough memory or time even for that.
        """
        with blaming(self.language):
            self._weigh()
            state = self.language.start(self.source, self.options, self.seed_for(seed))
        check_start(self.language, state)
        state.language = self.language.name
        return state

    def _weigh(self) -> None:
        limits = allowed()
        size = len(self.source) + self.language.sources.weight(self.source, self.options)
        limits.allow(size, "the program with its plane")
        limits.allow_time(_SECONDS_A_BYTE * size + _SECONDS_A_LINE * self.source.count(b"\n"))

    def seed_for(self, wanted: int | None) -> int:
        """The seed that is wanted; if there is none, the language's own, else a fresh one."""
        if wanted is not None:
            return wanted
        own = self.language.rules.default_seed
        return fresh_seed() if own is None else own

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture, for languages that draw."""
        return self.language.pictures.size_of(self.options)

    @property
    def time(self) -> float:
        """The time of the picture, in seconds since its film began."""
        return self.language.pictures.time_of(self.options)

    def drawing(self) -> Program:
        """The same program with the defaults of whole pictures."""
        others = {
            option.name: option.drawn
            for option in self.language.options
            if option.drawn is not None and option.name not in self.given
        }
        return Program(self.language, self.source, self.given | others) if others else self

    def __repr__(self) -> str:
        return f"<Program in {self.language.title}, {len(self.source)} bytes>"


def check_start(language: Language, state: object) -> None:
    """Whether a language begins with a state that every engine and tool can work with.

    They keep and compare cells, and write them down, by what they know of each kind of plane: a
    class that keeps them otherwise would be misread.
    """
    if not isinstance(state, State):
        raise LanguageError(f"{language.title}: `start` gives {state!r}, which is no State")
    known = [kind.__name__ for kind in PLANES.values()]
    if type(state.plane) not in PLANES.values():
        raise LanguageError(
            f"{language.title}: `start` gives a plane of the class {type(state.plane).__name__}; "
            f"it must be a {', '.join(known[:-1])} or {known[-1]} itself"
        )


def cell_of_sign(language: Language, sign: str) -> int:
    """What a cell holds that shows a sign: what a program of that sign alone begins with."""
    if len(sign) != 1 or "\ud800" <= sign <= "\udfff":
        raise OptionError(f"a cell holds one sign, not {sign!r}")
    if not language.looks.own_signs:
        return ord(sign)
    plane = Program(language, language.sources.spell(sign)).start(0).plane
    if language.sign(plane, 0, 0) != sign:
        raise OptionError(f"no cell of {language.title} shows {sign!r}")
    return int(plane.cell(0, 0))


def fresh_seed() -> int:
    """A seed that was never used before, short enough to be typed again."""
    import os

    return int.from_bytes(os.urandom(6), "little")
