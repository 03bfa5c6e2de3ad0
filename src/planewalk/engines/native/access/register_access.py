"""RegisterAccess, time, chance and samples as LLVM IR reads and writes them."""

from __future__ import annotations

from ...tracing.ir import DRAWS, Node, Register
from ..abi import Slot
from .state_values import StateValues


class RegisterAccess:
    """Whole numbers in variables, floats where they always are; and what follows from the tick."""

    def __init__(self, ir: StateValues) -> None:
        self.ir = ir

    def read_register(self, node: Node, args: list[str]) -> str:
        """What a register holds."""
        if node.kind == "int":
            return self.ir.define(f"load i64, ptr %r{node.args[0].number}")
        place = self.ir.define(f"getelementptr float, ptr %registers, i64 {args[0]}")
        narrow = self.ir.define(f"load float, ptr {place}")
        return self.ir.define(f"fpext float {narrow} to double")

    def store(self, named: dict[Register | int, str]) -> None:
        """Store values with these names."""
        for slot, name in named.items():
            if isinstance(slot, Register):
                place = "%draws" if slot == DRAWS else f"%r{slot.number}"
                self.ir.emit(f"  store i64 {name}, ptr {place}")
                continue
            narrow = self.ir.define(f"fptrunc double {name} to float")
            place = self.ir.define(f"getelementptr float, ptr %registers, i64 {slot}")
            self.ir.emit(f"  store float {narrow}, ptr {place}")

    def at(self, number: int) -> str:
        """The address of a register that holds a whole number, outside."""
        return self.ir.define(f"getelementptr i64, ptr %registers, i64 {number}")

    def read_tick(self, node: Node, args: list[str]) -> str:
        """The tick that is so far behind the header."""
        fuel = self.ir.define("load i64, ptr %fuel")
        begun = self.ir.define(f"sub i64 %clock, {fuel}")
        return self.ir.define(f"add i64 {begun}, {node.args[0]}")

    def read_draw(self, node: Node, args: list[str]) -> str:
        """64 bits of chance at such a tick."""
        return self.ir.mixed(self.ir.stirred("%seed"), self.read_tick(node, args))

    def read_below(self, node: Node, args: list[str]) -> str:
        """A number below a bound, drawn by chance, and the counter after it."""
        self.ir.used.add("below")
        seed = self.ir.stirred("%seed")
        bound, counter = args
        given = f"i64 {seed}, i64 {bound}, i64 {counter}"
        return self.ir.define(f"call {{i64, i64}} @below({given})")

    def read_sample(self, node: Node, args: list[str]) -> str:
        """The byte at an index of the samples; the first is read where there is none."""
        ir, (index, size) = self.ir, args
        from_first = ir.define(f"fcmp oge double {index}, 0.0")
        to_last = ir.define(f"fcmp olt double {index}, {size}")
        inside = ir.define(f"and i1 {from_first}, {to_last}")
        safe = ir.define(f"select i1 {inside}, double {index}, double 0.0")
        whole = ir.define(f"fptosi double {safe} to i64")
        samples = ir.define(f"inttoptr i64 {ir.define(ir.load(Slot.SAMPLES))} to ptr")
        place = ir.define(f"getelementptr i8, ptr {samples}, i64 {whole}")
        byte = ir.define(f"load i8, ptr {place}")
        value = ir.define(f"uitofp i8 {byte} to double")
        return ir.define(f"select i1 {inside}, double {value}, double 0.0")
