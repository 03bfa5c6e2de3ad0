"""What a language may say beyond what all of them say, in groups; see `language.py`.

Every field has a default, so a language says only what is special about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from .base.named import NamedTuple
from .base.record import Record
from .engine import Crowd, Engine
from .geometry import CARDINALS, Heading, Stance
from .instruction import InstructionTable
from .limits import Limits
from .option import Option, read_options
from .state import State
from .step import HALTED, Stop
from .text import size_of_text


class Pace(Enum):
    """How several walkers share a tick."""

    ALONE = "one after the other"
    TOGETHER = "all read the old plane, then their wishes come true at once"


class Arrivals(NamedTuple):
    """How walkers come from outside while a program runs, in languages where walkers `meet`.

    - `arrive(m, state)` is done in every tick, once all walkers have acted: it gives the stances of
      those that are there from the end of the tick on. It may read input, and looks at the state;
      it changes nothing, but wishes for what `settle` is to change.
    - `awaited(state)` says whether any may still come: then a run without walkers goes on.
    """

    arrive: Callable[[Any, State], list[Stance]]
    awaited: Callable[[State], bool]


class Rules(Record, home="rules=Rules({}=...)"):
    """What happens in a tick, beyond moving on and doing what stands there.

    - `after(plane, stance)` is where a walker goes once its tick is done, if that is not simply
      what `move` says. None means that it has walked off.
    - `over(plane, stance)` says, before every tick and after the last, that the end has come; of
      several walkers all are asked, and one is enough.
    - With `Pace.TOGETHER`, instructions only wish (`m.wish`), and `settle(m, wishes)` makes it so;
      it may ask for input before it changes anything. `stays(plane, stance)` then says of each
      walker whether it is still there; who is, stays on a larger plane, too.
    - `meet`: walkers in one cell act as a group (`m.met`), and an instruction says what becomes
      of them (`m.become`).
    - `leave(m, stance)` is what a walker that walks off means; `deserted` is the stop when no
      walker is left.
    - `arrivals(options)` is how walkers come from outside in a run with these options, if any do.
    - `loadable` are tables that a program can load beside the first; `loaded(stance)` the names of
      those that are in force, the last loaded last.
    - `samples(options)` are bytes that instructions look into wherever they like (`m.sample`).
    - `default_steps` and `default_seed` are for runs that say neither.
    """

    after: Callable[[Any, Stance], Stance | None] | None = None
    over: Callable[[Any, Stance], bool] | None = None
    pace: Pace = Pace.ALONE
    settle: Callable[[Any, list[Any]], None] = lambda m, wishes: None
    stays: Callable[[Any, Stance], bool] | None = None
    meet: bool = False
    leave: Callable[[Any, Stance], None] = lambda m, stance: None
    deserted: Stop = HALTED
    arrivals: Callable[[Mapping[str, Any]], Arrivals | None] = lambda options: None
    loadable: tuple[InstructionTable, ...] = ()
    loaded: Callable[[Stance], tuple[str, ...]] = lambda stance: ()
    samples: Callable[[Mapping[str, Any]], bytes] = lambda options: b""
    default_steps: int | None = None
    default_seed: int | None = None


def _weight_of_text(source: bytes, options: Mapping[str, Any]) -> int:
    """For a plane of text, and while it is made, for the text of which it is made."""
    return 2 * size_of_text(source)


LONGEST = 12
"""Signs of the text of an origin that are shown."""


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


class Sources(Record, home="sources=Sources({}=...)"):
    """What programs are written in, if that is not simply text.

    - `weight(source, options)` is about how many bytes the first state takes, found without making
      it.
    - `spell(text)` is the source of a program that is written as text, as it is in the table's
      examples.
    - `recognises(suffix, source)` says that a file is a program of this language which no suffix
      tells: some kinds of file are better known by what is in them. `recognised` are suffixes of
      such files, so that users hear of them.
    - `conversions` are ways from other kinds of file to this one, and back.
    """

    weight: Callable[[bytes, Mapping[str, Any]], int] = _weight_of_text
    spell: Callable[[str], bytes] = str.encode
    recognises: Callable[[str, bytes], bool] | None = None
    recognised: tuple[str, ...] = ()
    conversions: tuple[Conversion, ...] = ()


class Results(Record, home="results=Results({}=...)"):
    """What comes of a run beside its output.

    - `value(state)` is a number that is the result. `inputs(state)` is how many bits of the option
      `arg` a program can tell apart; tables of all inputs and values go through them.
    - `ports(state, row)` are words for what comes in at the left of a row, and what goes out at the
      right; `column_ports(state, column)` the same above and below a column, nothing where nothing
      comes or goes. `leaving(state, stance)` are words for what a walker does that walks off so;
      none if it is simply gone.
    - `log(state)` is what it noted; `epilogue(state)` what `run` prints after the output.
    """

    value: Callable[[State], int] | None = None
    inputs: Callable[[State], int] | None = None
    ports: Callable[[State, int], tuple[str, str]] | None = None
    column_ports: Callable[[State, int], tuple[str, str]] | None = None
    leaving: Callable[[State, Stance], str] | None = None
    log: Callable[[State], Iterable[Any]] | None = None
    epilogue: Callable[[State], str] | None = None


def _character(code: int) -> str:
    """What stands in a cell; a cell can hold numbers that are no characters."""
    return chr(code) if 0 <= code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def _registers(state: State) -> Mapping[str, Sequence[Any]]:
    """One value each, by name or by number."""
    held = state.registers
    named = held.items() if isinstance(held, dict) else enumerate(held)
    return {str(name): (value,) for name, value in named}


class Looks(Record, home="looks=Looks({}=...)"):
    """What people see of a run.

    - `glyph(number)` is the character to show for a cell that holds it; `swatch(glyph)` is the
      colour that a cell with that glyph has in languages whose cells are colours.
    - `headings` are the words for headings, `manner(stance)` is a word for the mode, or nothing.
    - `registers(state)` are the values of all registers, by name.
    """

    glyph: Callable[[int], str] = _character
    swatch: Callable[[str], tuple[int, int, int]] | None = None
    headings: Mapping[Heading, str] = CARDINALS
    manner: Callable[[Stance], str] = lambda stance: ""
    registers: Callable[[State], Mapping[str, Sequence[Any]]] = _registers

    @property
    def own_signs(self) -> bool:
        """Whether cells show other signs than the characters of their numbers."""
        return self.glyph is not _character


class PictureOptions(Record):
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


class Shading(Record):
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


class Drawing(Record, home="drawing=Drawing({}=...)"):
    """For languages whose programs draw a picture, each pixel by a run of its own.

    - `colour(state)` is the pixel that a run has drawn, `shading` the same for all pixels at once.
    """

    colour: Callable[[State], tuple[int, int, int]] | None = None
    shading: Shading | None = None


class Engines(Record, home="engines=Engines({}=...)"):
    """Engines of a language's own, where they were measured to be worth it; everything else is
    compiled from the table.

    - `special(name, state, limits, store)` is one for the tier of that name, or None. The store
      keeps machine code between runs (see `engines.native.machine_code.Store`), or is None. One
      with machine code that can come along has `keep(store)`, as crowds have.
    - `crowd(state, limits)` runs many walkers in machine code, where the table is not enough: that
      is compiled for walkers that take turns.
    """

    special: Callable[[str, State, Limits, Any], Engine | None] | None = None
    crowd: Callable[[State, Limits], Crowd] | None = None
