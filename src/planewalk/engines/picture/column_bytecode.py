"""Columns as bytecode: which operations are done, one after the other, and what is where."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from struct import pack
from typing import TYPE_CHECKING, Any

from ..addresses import address_of
from .column_slots import AT_ONCE, COLOUR, COLUMN, NUMBERS, STEP, WORDS, X, Y
from .columns import AnyColumn, Sheet

if TYPE_CHECKING:
    from .column_recorder import Colour

COSTS = {
    "divide": 2, "modulo": 2, "sqrt": 4, "exp": 12, "sin": 20, "cos": 20, "log": 20, "power": 50,
    "mix": 10, COLOUR: 4,
}  # fmt: skip
"""How many additions others take as long as; those that are not here, as one."""


class Bytecode:
    """Operations on columns, as machine code reads them: each column in a place that is free."""

    def __init__(self, sheet: Sheet, colour: Colour) -> None:
        self.words = array("q")
        self.cost = 0
        """Of each pixel, in additions."""
        self.plain: list[bytes] = []
        """Numbers that are the same for all pixels; they stand before the columns."""
        needed = _needed(sheet, colour)
        self._last_use = {id(arg): at for at, one in enumerate(needed) for arg in one.args}
        self._last_use |= {id(channel): len(needed) for channel in colour}
        self._places = {id(sheet.x): X, id(sheet.y): Y}
        self._free: list[int] = []
        self.columns = 2
        for at, one in enumerate(needed):
            operands = self._operands(one.args)
            self._free += {self._places[id(a)] for a in one.args if self._ends(a, at)}
            self._note(one.op, self._place(one), operands)
        self._note(COLOUR, 0, self._operands(colour))

    def _ends(self, value: Any, at: int) -> bool:
        """Whether nobody needs a column after that operation."""
        return isinstance(value, AnyColumn) and self._last_use[id(value)] == at

    def _note(self, op: str, place: int, operands: list[int]) -> None:
        self.cost += COSTS.get(op, 1)
        words = [NUMBERS[op], place * COLUMN, *operands]
        self.words.extend(words + [0] * (WORDS - len(words)))

    def _place(self, one: AnyColumn) -> int:
        if not self._free:
            self._free.append(self.columns)
            self.columns += 1
        place = self._places[id(one)] = self._free.pop()
        return place

    def _operands(self, values: Iterable[Any]) -> list[int]:
        """Where each of them is, and how far its next numbers are."""
        return [word for value in values for word in self._operand(value)]

    def _operand(self, value: Any) -> tuple[int, int]:
        if isinstance(value, AnyColumn):
            return self._places[id(value)] * COLUMN, STEP
        bits = pack("<Q" if type(value) is int else "<d", value)
        if bits not in self.plain:
            self.plain.append(bits)
        return -STEP * (1 + self.plain.index(bits)), 0

    def room(self) -> tuple[Any, int]:
        """A place to compute in, and the address of its columns."""
        plain = b"".join(AT_ONCE * bits for bits in reversed(self.plain))
        buffer = bytearray(STEP + len(plain) + self.columns * COLUMN)
        begin = -address_of(buffer) % STEP
        buffer[begin : begin + len(plain)] = plain
        return buffer, address_of(buffer) + begin + len(plain)


def _needed(sheet: Sheet, colour: Colour) -> list[AnyColumn]:
    """The columns that have to be computed, each behind those that it is made from."""
    wanted = {id(channel) for channel in colour}
    needed = []
    for one in reversed(sheet.columns):
        if id(one) in wanted and one.args:
            needed.append(one)
            wanted.update(map(id, one.args))
    return needed[::-1]
