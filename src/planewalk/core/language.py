"""The door between languages and tools: one frozen value says all that a language is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from .conversion import Conversion as Conversion
from .engine import Crowd, Engine
from .errors import LanguageError
from .geometry import CARDINALS, Heading, Stance
from .instruction import Instruction, InstructionTable
from .limits import Limits
from .option import Option as Option
from .option import read_bool as read_bool
from .option import read_options
from .plane import Plane
from .state import State
from .step import Halted, Stop
from .text import size_of_text


class Pace(Enum):
    """How several walkers share a tick."""

    ALONE = "one after the other"
    TOGETHER = "all read the old plane, then their wishes come true at once"


class PictureOptions(NamedTuple):
    """The names of the options that say how large a picture is, at which time, and which pixel."""

    size: str = "size"
    time: str = "time"
    pixel: str = "pixel"

    def size_of(self, options: Mapping[str, Any]) -> tuple[int, int]:
        """Width and height."""
        width, height = options[self.size]
        return width, height

    def time_of(self, options: Mapping[str, Any]) -> float:
        """Seconds since the film began."""
        return float(options[self.time])

    def sized(self, options: Mapping[str, Any], size: tuple[int, int]) -> dict[str, Any]:
        """The same picture in another size."""
        return {**options, self.size: size}

    def of_pixel(
        self, options: Mapping[str, Any], x: int, y: int, time: float | None = None
    ) -> dict[str, Any]:
        """Those of one pixel, at another time if there is one."""
        moment = {} if time is None else {self.time: time}
        return {**options, **moment, self.pixel: (x, y)}


class Shading(NamedTuple):
    """How one program draws a whole picture, in words that numbers and symbols understand.

    - `stack(x, y, width, height, time)` is what a pixel finds on its stack at the start.
    - `seed(mix, seed, x, y)` is the seed of a pixel's own chance; `mix` is `chance.mix`.
    - `channels(m, stack)` are red, green and blue of a pixel that has ended so, from 0 to 255,
      cut off to whole numbers; NaN stands for 0.
    - `options` are the names of the options that pictures are about.
    """

    stack: Callable[[Any, Any, Any, Any, Any], Sequence[Any]]
    seed: Callable[[Callable[[Any, Any], Any], Any, Any, Any], Any]
    channels: Callable[[Any, Sequence[Any]], Sequence[Any]]
    options: PictureOptions = PictureOptions()


HALTED = Halted()


def _character(plane: Plane, x: int, y: int) -> str:
    """What stands in a cell; a cell can hold numbers that are no characters."""
    code = plane.cell(x, y)
    return chr(code) if 0 <= code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def _no_manner(stance: Stance) -> str:
    return ""


def _no_sets(stance: Stance) -> tuple[str, ...]:
    return ()


def _no_settling(m: Any, wishes: list[Any]) -> None:
    """There is nothing to wish for."""


def _no_samples(options: Mapping[str, Any]) -> bytes:
    return b""


def _registers(state: State) -> Mapping[str, Sequence[Any]]:
    """One value each, by name or by number."""
    held = state.registers
    named = held.items() if isinstance(held, dict) else enumerate(held)
    return {str(name): (value,) for name, value in named}


def _no_leaving(m: Any, stance: Stance) -> None:
    """A walker that walks off is simply gone."""


def _weight_of_text(source: bytes, options: Mapping[str, Any]) -> int:
    """For a plane of text, and while it is made, for the text of which it is made."""
    return 2 * size_of_text(source)


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """The same with lists in place of iterators, which can be gone through only once."""
    lists = {key: list(value) for key, value in data.items() if isinstance(value, Iterator)}
    return {**data, **lists}


class Language(NamedTuple):
    """What planewalk knows of a language; everything else is derived from it.

    - `start(source, options, seed)` gives the first state, or raises `SourceError`.
    - `weight(source, options)` is about how many bytes that state takes, found without making it.
    - `decode(plane, stance)` is the instruction for whoever stands there that way. It never
      raises, and one decode is one tick: unfinished work lives in the stance's mode.
    - `move(plane, stance)` is the geometry; `after(plane, stance)` is where a walker goes once its
      tick is done, usually the same. None means that it has walked off. A way is remembered for
      its stance, unless cells that can change were looked at; that is right, and slower.
    - `over(plane, stance)` says, before every tick and after the last, that the end has come; of
      several walkers all are asked, and one is enough.
    - With `Pace.TOGETHER`, instructions only wish (`m.wish`), and `settle(m, wishes)` makes it so;
      it may ask for input before it changes anything. `stays(plane, stance)` then says of each
      walker whether it is still there; who is, stays on a larger plane, too.
    - `meet`: walkers in one cell act as a group (`m.met`), and an instruction says what becomes
      of them (`m.become`).
    - `leave(m, stance)` is what a walker that walks off means; `deserted` is the stop when no
      walker is left.
    - `show(state)` is the state as JSON for people and tools, in which long lists may be iterators
      (`shown(state)` has lists); `value(state)` the result of
      languages that have one, `log(state)` what it noted; `colour(state)` the pixel of languages
      that draw, `shading` the same for all pixels at once; `epilogue(state)` what `run` prints
      after the program's own output.
    - `registers(state)` are the values of all registers, by name, for pictures.
    - `samples(options)` are bytes that instructions look into wherever they like (`m.sample`).
    - `special(name, state, limits, store)` is an engine of its own for the tier of that name, where
      one was measured to be worth it, or None; everything else is compiled from the table. The
      store keeps machine code between runs (see `engines.native.llvm.Store`), or is None.
    - `crowd(state, limits)` runs many walkers in machine code, where only one alone is compiled.
    - `glyph(plane, x, y)` is the character to show for a cell, `headings` the words for headings,
      `manner(stance)` a word for the mode, or nothing; `loaded(stance)` the names of the `loadable`
      tables that are in force, the last loaded last; `swatch(glyph)` is the colour that a cell
      with that glyph has in languages whose cells are colours.
    - `recognises(suffix, source)` says that a file is a program of this language which no suffix
      tells: some kinds of file are better known by what is in them.
    - `inputs(state)` is how many bits of its option `arg` a program can tell apart, for languages
      with a value; tables of all inputs and values go through them.
    - `ports(state, row)` are words for what comes in at the left of a row, and what goes out at the
      right.
    - `spell(text)` is the source of a program that is written as text, as it is in the table's
      examples; languages whose sources are no text say here how it becomes one.
    - `examples` is a folder of example programs in an installed package, as `package/folder`; its
      `index.toml` says what each should do (see `planewalk.examples`). `guide` is a Markdown file
      there, as `package/file`, with the hole `<!-- instructions -->` for those of the table.
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
    weight: Callable[[bytes, Mapping[str, Any]], int] = _weight_of_text
    after: Callable[[Any, Stance], Stance | None] | None = None
    over: Callable[[Any, Stance], bool] | None = None
    pace: Pace = Pace.ALONE
    meet: bool = False
    settle: Callable[[Any, list[Any]], None] = _no_settling
    stays: Callable[[Any, Stance], bool] | None = None
    leave: Callable[[Any, Stance], None] = _no_leaving
    deserted: Stop = HALTED
    options: tuple[Option, ...] = ()
    loadable: tuple[InstructionTable, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    special: Callable[[str, State, Limits, Any], Engine | None] | None = None
    crowd: Callable[[State, Limits], Crowd] | None = None
    samples: Callable[[Mapping[str, Any]], bytes] = _no_samples
    default_steps: int | None = None
    default_seed: int | None = None
    recognises: Callable[[str, bytes], bool] | None = None
    value: Callable[[State], int] | None = None
    inputs: Callable[[State], int] | None = None
    ports: Callable[[State, int], tuple[str, str]] | None = None
    colour: Callable[[State], tuple[int, int, int]] | None = None
    shading: Shading | None = None
    log: Callable[[State], Iterable[Any]] | None = None
    epilogue: Callable[[State], str] | None = None
    glyph: Callable[[Plane, int, int], str] = _character
    headings: Mapping[Heading, str] = CARDINALS
    manner: Callable[[Stance], str] = _no_manner
    loaded: Callable[[Stance], tuple[str, ...]] = _no_sets
    swatch: Callable[[str], tuple[int, int, int]] | None = None
    registers: Callable[[State], Mapping[str, Sequence[Any]]] = _registers
    spell: Callable[[str], bytes] = str.encode
    examples: str = ""
    guide: str = ""

    def __repr__(self) -> str:
        return f"<Language {self.title}: {self.summary}>"

    def sign(self, plane: Plane, x: int, y: int) -> str:
        """What `glyph` gives, which has to be exactly one character."""
        sign: object = self.glyph(plane, x, y)
        if isinstance(sign, str) and len(sign) == 1:
            return sign
        row = self.table.get(plane.cell(x, y))
        whose = "" if row is None else f", the instruction {row.name!r}"
        raise LanguageError(
            f"{self.title}: `glyph` gives {sign!r} for the cell at ({x}, {y}){whose}; it must be "
            "one character"
        )

    @property
    def pictures(self) -> PictureOptions:
        """The names of the options that pictures are about."""
        return PictureOptions() if self.shading is None else self.shading.options

    def meanings(self, glyph: str) -> Iterator[tuple[str, Instruction]]:
        """What a character can mean, with the name of the loadable table that says so, or none."""
        for table in (self.table, *self.loadable):
            row = table.get(ord(glyph))
            if row is not None:
                yield "" if table is self.table else table.name, row

    def shown(self, state: State) -> dict[str, Any]:
        """What `show` gives, as plain data."""
        return plain(self.show(state))

    def read_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values; an unknown name or a bad value is an `OptionError`."""
        return read_options(self.title, self.options, given)
