"""How the functions of single ticks call each other."""

from __future__ import annotations

from collections.abc import Mapping

from ..native.abi import Slot
from ..native.state import cell_number
from ..native.state_values import StateValues
from ..tracing.ir import Key
from .abi import PLACE_X, PLACE_Y

CONVENTION = "preserve_nonecc"  # A way of calling that leaves all registers to what is called
HANDED_ON = {
    "width": Slot.WIDTH, "px": PLACE_X, "py": PLACE_Y, "hx": Slot.HAND_X, "hy": Slot.HAND_Y,
    "fuel": Slot.FUEL, "depth": Slot.DEPTH,
}  # fmt: skip


class TickCalls:
    """Writes calls of what stands in the table of a posture, under what a cell holds."""

    def __init__(self, ir: StateValues, numbers: Mapping[Key, int]) -> None:
        self.ir = ir
        self.numbers = numbers  # those of postures

    def begin_function(self, name: str) -> None:
        """Begin a function that can be called so."""
        parameters = ["ptr noalias %w", "ptr %data", *(f"i64 %{it}.0" for it in HANDED_ON)]
        self.ir.emit(f"define internal {CONVENTION} i64 @{name}({', '.join(parameters)}) {{")
        self.ir.emit("start:")

    def as_they_came(self) -> dict[str, str]:
        """The parameters of the function that is written."""
        return {name: f"%{name}.0" for name in HANDED_ON}

    def next(self, number: int, values: Mapping[str, str]) -> str:
        """What to call in a posture for the cell at a place."""
        ir = self.ir
        index = cell_number(ir, values["px"], values["py"], values["width"])
        place = ir.define(f"getelementptr i8, ptr %data, i64 {index}")
        byte = ir.define(f"load i8, ptr {place}")
        code = ir.define(f"zext i8 {byte} to i64")
        entry = ir.define(f"getelementptr ptr, ptr @table{number}, i64 {code}")
        return ir.define(f"load ptr, ptr {entry}")

    def call(self, number: int, values: Mapping[str, str]) -> str:
        """Call it, and come back with the posture that it ended in."""
        target = self.next(number, values)
        return self.ir.define(f"call {CONVENTION} i64 {target}({self._arguments(values)})")

    def hand_over(self, target: str, values: Mapping[str, str]) -> None:
        """Go on in another function, and not come back."""
        given = self._arguments(values)
        result = self.ir.define(f"musttail call {CONVENTION} i64 {target}({given})")
        self.ir.emit(f"  ret i64 {result}")

    def _arguments(self, values: Mapping[str, str]) -> str:
        return ", ".join(["ptr %w", "ptr %data", *(f"i64 {values[name]}" for name in HANDED_ON)])
