"""Units of generated Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.geometry import Stance
from ..tracing.ir import Key
from ..tracing.trees import Tree
from .source import Source

if TYPE_CHECKING:
    from ...core.barriers import Barriers


class Unit:
    """Compiled code with the cells it was made from, and how well it does."""

    def __init__(
        self,
        entry: Key,
        source: Source,
        code: Any,
        touched: dict[Any, Any],
        may: set[Stance] | None,
    ) -> None:
        self.entry = entry
        self.source = source
        self.entries, self.registers = source.entries, source.registers
        self.may = may
        self.outgrown_at = 0
        """The tick from which on a unit that ran out of room is worth making again, larger."""
        self.frontier: set[Key] = set()
        """Where it ran out of all the room there is: other units go on there."""
        self.code = code
        """The function; none if there is machine code alone."""
        self.touched = touched
        """The cells it was made from, and what they held then."""
        self.native: Any = None
        """Machine code that was made with it."""
        self.armed: Barriers | None = None
        """The barriers that it leaves at."""
        self.trees: list[Tree] | None = None
        """What it was written from, as long as something else may be."""
        self.entered = 0
        self.ticks = 0
        self.earned = 0
        """Ticks that count towards something faster."""

    def knows(self, registers: Any) -> bool:
        """Whether the named registers that it works on hold what it expects: languages may keep
        anything there."""
        return all(type(registers.get(name)) is int for name, _ in self.registers)
