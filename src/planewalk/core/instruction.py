"""Instructions and their tables: what each cell does, said once, with the words about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from types import FunctionType, MappingProxyType
from typing import Any

from .base.findable import way_to_row
from .base.named import NamedTuple

Act = Callable[[Any], None]
"""What an instruction does: a function of the vocabulary `m` (see `vocabulary.py`)."""


class Group(Enum):
    """What an instruction is about; decides its colour and its place in the manual."""

    LITERAL = "Literals"
    ARITHMETIC = "Arithmetic"
    LOGIC = "Logic"
    STACK = "Stack"
    MEMORY = "Memory"
    MOTION = "Motion"
    BRANCH = "Branches"
    MODE = "Modes"
    WALKERS = "Walkers"
    INPUT_OUTPUT = "Input and output"
    VECTOR = "Vectors"
    MATRIX = "Matrices"
    END = "End"
    NOTHING = "Nothing"


class Instruction(NamedTuple):
    """One row of a table.

    `effect` is the stack effect as `before -- after`, top to the right, or empty. `examples` are
    `3 2 -- 1` (a stack before and after) or `program => what comes out`; the tests run them all.
    """

    code: int
    name: str
    effect: str
    group: Group
    act: Act
    doc: str
    examples: tuple[str, ...] = ()
    own: str = ""

    @property
    def words(self) -> str:
        """What this very sign does; `doc` may tell of several that are declared together."""
        return self.own or self.doc

    @property
    def symbol(self) -> str:
        """The character to show for this instruction."""
        return chr(self.code)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process has it as its own language does; see `findable.py`."""
        return way_to_row(self)

    def __copy__(self) -> Instruction:
        return self  # it cannot be changed

    def __deepcopy__(self, memo: object) -> Instruction:
        return self


class InstructionTable:
    """The instructions of a language, or of one set that a program can load."""

    def __init__(self, name: str, doc: str = "") -> None:
        self.name = name
        self.doc = doc
        self._rows: dict[int, Instruction] = {}

    def instruction(
        self,
        codes: str | Mapping[str, Any],
        effect: str = "",
        group: Group = Group.NOTHING,
        examples: Iterable[str] = (),
        own: Mapping[str, str] = MappingProxyType({}),
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Declare what `codes` do.

        With a mapping, each code comes with a value that the function takes after `m`:
        `@instruction({"0": 0, "1": 1}, "-- n", Group.LITERAL)` over `def number(m, n)`. The
        docstring tells what they do together, `own` what one of them does.
        """

        def declare(function: Callable[..., None]) -> Callable[..., None]:
            name = function.__name__.strip("_").replace("_", " ")
            doc = " ".join((function.__doc__ or "").split())
            for symbol in codes:
                act = function if isinstance(codes, str) else with_value(function, codes[symbol])
                texts = doc, tuple(examples), own.get(symbol, "")
                row = Instruction(ord(symbol), name, effect, group, act, *texts)
                if row.code in self._rows:
                    raise ValueError(f"{self.name}: {symbol!r} is declared twice")
                self._rows[row.code] = row
            return function

        return declare

    def get(self, code: int) -> Instruction | None:
        return self._rows.get(code)

    def __getitem__(self, code: int) -> Instruction:
        return self._rows[code]

    def __contains__(self, code: int) -> bool:
        return code in self._rows

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)


def with_value(function: Callable[..., None], value: Any) -> Act:
    """A copy of `function` that has `value` as its last argument already.

    A copy with a default argument, because a closure or a partial costs one more call per tick.
    """
    assert isinstance(function, FunctionType)
    return FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        (value,),
        function.__closure__,
    )
