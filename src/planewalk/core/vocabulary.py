"""The words instructions are written in.

An instruction is a function of `m`, a `Vocabulary`. The reference engine performs the words on
numbers; an engine that compiles performs the same function on symbols. Arithmetic and comparing
are plain Python operators, and a plain `if` on a value is fine. Two rules keep every engine exact:
ask before you act (operands, room and input are looked at before anything is changed), and keep
what is unfinished in the stance's mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from re import Match, Pattern
from typing import Any, ClassVar, Protocol

from .geometry import Stance
from .numbers import pure


class NumberWords(Protocol):
    """The words that only compute. Those without a body are the functions of `numbers/pure.py`."""

    def known(self, value: Any) -> Any:
        """The plain number behind a value, for what only Python can do with it."""

    def times(self, y: Any, x: Any) -> Any:
        """y * x for whole numbers; stops the run if the product would not fit into memory."""

    def quotient(self, y: Any, x: Any) -> Any:
        """y / x for whole numbers, cut off towards zero. It may take long: ask before you act."""
        return pure.quotient(y, x)

    number: ClassVar[Callable[..., Any]] = staticmethod(pure.number)
    divide: ClassVar[Callable[..., Any]] = staticmethod(pure.divide)
    floor: ClassVar[Callable[..., Any]] = staticmethod(pure.floor)
    modulo: ClassVar[Callable[..., Any]] = staticmethod(pure.modulo)
    sqrt: ClassVar[Callable[..., Any]] = staticmethod(pure.sqrt)
    sin: ClassVar[Callable[..., Any]] = staticmethod(pure.sin)
    cos: ClassVar[Callable[..., Any]] = staticmethod(pure.cos)
    exp: ClassVar[Callable[..., Any]] = staticmethod(pure.exp)
    log: ClassVar[Callable[..., Any]] = staticmethod(pure.log)
    power: ClassVar[Callable[..., Any]] = staticmethod(pure.power)
    least: ClassVar[Callable[..., Any]] = staticmethod(pure.least)
    most: ClassVar[Callable[..., Any]] = staticmethod(pure.most)
    absolute: ClassVar[Callable[..., Any]] = staticmethod(pure.absolute)
    defined: ClassVar[Callable[..., Any]] = staticmethod(pure.defined)


class Vocabulary(NumberWords, Protocol):
    """All words, with their meaning. `V` below is a number, or what stands for one."""

    stance: Stance
    """Where this walker stands, and how."""
    hand_x: Any
    """The column of this walker's hand."""
    hand_y: Any
    """The row of this walker's hand."""
    plane: Any
    """The plane, to look at geometry. Cells are read with `cell`."""
    met: list[Stance]
    """The walkers in this cell, in languages where walkers meet."""

    # Where the walker goes -------------------------------------------------------------------

    def turn(self, dx: Any, dy: Any) -> None:
        """Head that way."""
        stance = self.stance
        self.stance = Stance(stance.x, stance.y, dx, dy, stance.mode)

    def enter(self, mode: Any) -> None:
        """Change the mode."""
        stance = self.stance
        self.stance = Stance(stance.x, stance.y, stance.dx, stance.dy, mode)

    def go(self, x: Any, y: Any) -> None:
        """Stand on another place."""
        stance = self.stance
        self.stance = Stance(x, y, stance.dx, stance.dy, stance.mode)

    def move(self) -> None:
        """Take one step more than the one that follows every tick."""

    def reach(self, x: Any, y: Any) -> None:
        """Put the hand there."""
        self.hand_x = x
        self.hand_y = y

    def call(self, stance: Stance) -> None:
        """Remember a stance to return to."""

    def returned(self) -> Stance | None:
        """The last stance remembered, forgotten now; None if there is none."""

    # The stack -------------------------------------------------------------------------------

    def has(self, n: int) -> bool:
        """Whether the stack holds at least n values."""

    pop: Callable[[], Any]
    """`pop()`: take the top value. Ask `has` first."""

    push: Callable[[Any], None]
    """`push(value)`: put a value on top."""

    @property
    def depth(self) -> int:
        """How many values the stack holds."""

    def peek(self, index: Any) -> Any:
        """The value at that index, 0 at the top."""

    def poke(self, index: Any, value: Any) -> None:
        """Replace the value at that index, 0 at the top."""

    def pluck(self, index: Any) -> Any:
        """Take the value at that index out, 0 at the top; those above it come down."""

    def stack(self) -> Sequence[Any]:
        """The whole stack, bottom first, to be looked at."""

    def chosen(self, values: Sequence[Any], index: Any, size: int, offset: int = 0) -> Any:
        """The value so far behind an index; a negative one counts back from `size`. 0 where there
        is none."""
        at = self.known(index)
        at = (at + size if at < 0 else at) + offset
        return values[int(at)] if 0 <= at < len(values) and at == int(at) else 0.0

    # Registers, plane, options ---------------------------------------------------------------

    def register(self, name: Any) -> Any:
        """What a register holds."""

    def set_register(self, name: Any, value: Any) -> None:
        """Store into a register."""

    cell: Callable[[Any, Any], Any]
    """`cell(x, y)`: the cell there."""

    def look(self, x: Any, y: Any) -> Any:
        """The cell of a text at a place that may lie anywhere, as a float."""

    put: Callable[[Any, Any, Any], None]
    """`put(x, y, value)`: write a cell."""

    def grow(self, height: Any) -> None:
        """Give the plane at least that many rows."""

    def option(self, name: str) -> Any:
        """The value of an option the program was started with."""

    def sample(self, index: Any) -> Any:
        """The byte at that index of the language's samples, as a float; 0 where there is none."""

    @property
    def tick(self) -> int:
        """How many ticks are over."""

    # Input, output, chance -------------------------------------------------------------------

    def read_byte(self) -> Any:
        """The next byte of input, or -1 at its end. Read before you change anything."""

    def scan(self, pattern: Pattern[bytes]) -> Match[bytes]:
        """Read what the pattern matches at this point of the input; it may match nothing."""

    def numeral(self, digits: bytes) -> Any:
        """The whole number that digits just scanned stand for, 0 if there is none; stops the run if
        it would not fit into memory."""

    @property
    def input_ended(self) -> bool:
        """Whether everything was read and nothing more will come. Ask before you change anything:
        it may wait for that to be known."""

    def write(self, data: bytes) -> None:
        """Write bytes."""

    def write_byte(self, value: Any) -> None:
        """Write one byte."""

    def write_number(self, value: Any) -> None:
        """Write a whole number as decimal digits."""

    def write_numbers(self, values: Any, before: bytes, between: bytes, behind: bytes) -> None:
        """Write whole numbers as decimal digits, with bytes around and between them."""

    def note(self, entry: Any) -> None:
        """Add to the log that is shown beside the output."""

    def below(self, bound: Any) -> Any:
        """A random whole number from 0 to bound - 1; the bound is 1 or more."""

    def draw(self) -> Any:
        """64 random bits that belong to this tick alone."""

    # Ends, wishes, company -------------------------------------------------------------------

    def halt(self) -> None:
        """End the program here; the walker stays where it is."""

    def fault(self, reason: str) -> None:
        """End the program because it did something forbidden."""

    def give_up(self) -> None:
        """Stop as if the step limit were reached: this instruction would go on for ever."""

    wish: Callable[[tuple[Any, ...]], None]
    """`wish(what)`: ask for something that comes true when all walkers have acted."""

    def vanish(self) -> None:
        """Remove this walker at the end of the tick."""

    def twin(self, dx: Any, dy: Any) -> None:
        """Make a second walker that is like this one but heads that way."""

    def become(self, stances: list[Stance]) -> None:
        """Replace the walkers that met in this cell."""

    def effort(self, ticks: Any) -> None:
        """Say that this instruction takes as long as that many ordinary ones."""
