"""The door between languages and tools: one frozen value says all that a language is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .base.findable import Findable
from .base.record import Record
from .errors import LanguageError
from .geometry import Stance
from .instruction import Instruction, InstructionTable
from .language_groups import Arrivals as Arrivals
from .language_groups import Conversion as Conversion
from .language_groups import Drawing as Drawing
from .language_groups import Engines as Engines
from .language_groups import Looks as Looks
from .language_groups import Pace as Pace
from .language_groups import PictureOptions as PictureOptions
from .language_groups import Results as Results
from .language_groups import Rules as Rules
from .language_groups import Shading as Shading
from .language_groups import Sources as Sources
from .option import Option as Option
from .option import read_bool as read_bool
from .option import read_options
from .plane import Plane
from .state import State


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """The same with lists in place of iterators, which can be gone through only once."""
    lists = {key: list(value) for key, value in data.items() if isinstance(value, Iterator)}
    return {**data, **lists}


class Language(Record, Findable, home="{}=..."):
    """What planewalk knows of a language; everything else is derived from it.

    - `name` is for commands, `title` for people, `summary` says in one line what it is;
      `suffixes` tell its files, with their dots.
    - `table` are its instructions.
    - `start(source, options, seed)` gives the first state, or raises `SourceError`.
    - `decode(plane, stance)` is the instruction for a walker of that stance. It never raises,
      and one decode is one tick: unfinished work lives in the stance's mode.
    - `move(plane, stance)` is the geometry; None means that a walker has walked off. A way is
      remembered for its stance, unless cells that can change were looked at; that is right, and
      slower.
    - `show(state)` is the state as JSON for people and tools, in which long lists may be iterators
      (`shown(state)` has lists).
    - `options` are what a user may choose by name.
    - `examples` is a folder of example programs in an installed package, as `package/folder`; its
      `index.toml` says what each should do (see `planewalk.examples`). `guide` is a Markdown file
      there, as `package/file`, with the hole `<!-- instructions -->` for those of the table.

    That is all of a simple language. What is special about others stands in groups:

    - `rules=Rules(...)`: several walkers, ends, loaded tables, and what else happens in a tick.
    - `sources=Sources(...)`: programs that are not simply text.
    - `results=Results(...)`: what comes of a run beside its output.
    - `looks=Looks(...)`: what people see of a run.
    - `drawing=Drawing(...)`: programs that draw pictures.
    - `engines=Engines(...)`: engines of its own.
    """

    name: str
    title: str
    summary: str
    suffixes: tuple[str, ...]
    table: InstructionTable
    start: Callable[[bytes, Mapping[str, Any], int], State]
    decode: Callable[[Any, Stance], Instruction]
    move: Callable[[Any, Stance], Stance | None]
    show: Callable[[State], dict[str, Any]]
    options: tuple[Option, ...] = ()
    examples: str = ""
    guide: str = ""
    rules: Rules = Rules()
    sources: Sources = Sources()
    results: Results = Results()
    looks: Looks = Looks()
    drawing: Drawing = Drawing()
    engines: Engines = Engines()

    def __repr__(self) -> str:
        return f"<Language {self.title}: {self.summary}>"

    def sign(self, plane: Plane, x: int, y: int) -> str:
        """What `glyph` gives, which has to be exactly one character."""
        number = plane.cell(x, y)
        sign: object = self.looks.glyph(number)
        if isinstance(sign, str) and len(sign) == 1:
            return sign
        row = self.table.get(number)
        whose = "" if row is None else f", the instruction {row.name!r}"
        raise LanguageError(
            f"{self.title}: `glyph` gives {sign!r} for the cell at ({x}, {y}){whose}; it must be "
            "one character"
        )

    @property
    def tables(self) -> tuple[InstructionTable, ...]:
        """All tables: the one that is always there, then those that can be loaded."""
        return (self.table, *self.rules.loadable)

    @property
    def pictures(self) -> PictureOptions:
        """The names of the options that pictures are about."""
        shading = self.drawing.shading
        return PictureOptions() if shading is None else shading.options

    def meanings(self, glyph: str) -> Iterator[tuple[str, Instruction]]:
        """What a character can mean, with the name of the loadable table that says so, or none."""
        for table in self.tables:
            row = table.get(ord(glyph))
            if row is not None:
                yield "" if table is self.table else table.name, row

    def shown(self, state: State) -> dict[str, Any]:
        """What `show` gives, as plain data."""
        return plain(self.show(state))

    def read_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values; an unknown name or a bad value is an `OptionError`."""
        return read_options(self.title, self.options, given)
