"""Units of generated Python."""

from __future__ import annotations

from typing import Any

from ..compiled.unit import CompiledUnit
from ..tracing.ir import Key
from .source import Source


class Unit(CompiledUnit):
    """A function, with its source."""

    def __init__(self, entry: Key, source: Source, code: Any, touched: dict[Any, Any]) -> None:
        super().__init__()
        self.entry, self.source, self.code = entry, source, code
        self.entries, self.registers = source.entries, source.registers
        self.touched = touched

    def knows(self, registers: Any) -> bool:
        """Whether the named registers that it works on hold what it expects: languages may keep
        anything there."""
        return all(type(registers.get(name)) is int for name, _ in self.registers)
