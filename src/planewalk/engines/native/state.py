"""The state of a run in LLVM IR: values, cells, stack, streams and registers, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.base.named import NamedTuple
from ..tracing.footprint import UnitLayout
from ..tracing.ir import DRAWS, Node, Register
from ..tracing.trees import Env, Tree
from .abi import OUTPUT_ROOM, STACK_ROOM, Slot
from .state_values import StateValues, methods_by_operation
from .values import Unwritable


class CellAccess:
    """Cells that lie in memory row by row."""

    def __init__(self, ir: StateValues, width: int) -> None:
        self.ir = ir
        self.columns = str(width or "%width")

    def read_cell(self, node: Node, args: list[str]) -> str:
        byte = self.ir.define(f"load i8, ptr {self.place('data', *args[:2])}")
        return self.ir.define(f"zext i8 {byte} to {self.ir.word}")

    def read_coded(self, node: Node, args: list[str]) -> str:
        byte = self.ir.define(f"load i8, ptr {self.place('code', args[0], args[1])}")
        return self.ir.define(f"icmp ne i8 {byte}, 0")

    def do_put(self, x: str, y: str, value: str) -> None:
        byte = self.ir.define(f"trunc {self.ir.word} {value} to i8")
        self.ir.emit(f"  store i8 {byte}, ptr {self.place('data', x, y)}")

    def do_grow(self, height: str) -> None:
        self.ir.emit(f"  store i64 {self.ir.index(height)}, ptr %height")

    def settle(self, env: Env, there: dict[int, str]) -> None:
        """Write the cells whose values wait for the end of a tree: none here."""

    def place(self, array: str, x: str, y: str) -> str:
        """The address of a cell; LLVM finds those that it has already."""
        number = cell_number(self.ir, x, y, self.columns)
        return self.ir.define(f"getelementptr i8, ptr %{array}, i64 {number}")


def cell_number(ir: StateValues, x: str, y: str, columns: str) -> str:
    """The number of a cell, row by row."""
    row = ir.define(f"mul i64 {ir.index(y)}, {columns}")
    return ir.define(f"add i64 {row}, {ir.index(x)}")


class StackAccess:
    """Slots of known depth in variables, or a stack of any depth in memory."""

    def __init__(self, ir: StateValues, layout: UnitLayout, kind: str) -> None:
        self.ir, self.layout = ir, layout
        self.kind = kind  # the type of its values

    def read_slot(self, node: Node, args: list[str]) -> str:
        return self.ir.define(f"load {self.kind}, ptr %s{node.args[0]}")

    def read_under(self, node: Node, args: list[str]) -> str:
        return self.ir.define(f"load {self.kind}, ptr {self._under(node.args[0])}, align 8")

    def pile(self, env: Env, values: list[str]) -> None:
        """Store what stands on a stack of any depth now."""
        ir = self.ir
        for i, value in enumerate(values):
            ir.emit(f"  store {self.kind} {value}, ptr {self._under(env.drop - i)}, align 8")
        if len(values) != env.drop:
            depth = ir.define("load i64, ptr %depth")
            now = ir.define(f"add i64 {depth}, {len(values) - env.drop}")
            ir.emit(f"  store i64 {now}, ptr %depth")

    def suffices(self, tree: Tree) -> str:
        """Whether a tree finds all it takes, or all there is, and has room for what it pushes."""
        takes, pushes = self.layout.reach(tree)
        ir, enough = self.ir, []
        depth = ir.define("load i64, ptr %depth")
        if takes > 0:
            found = ir.define(f"icmp sge i64 {depth}, {takes}")
            all_there = ir.define("icmp eq i64 %below, 0")
            enough.append(ir.define(f"or i1 {found}, {all_there}"))
        if pushes > 0:
            enough.append(ir.define(f"icmp sle i64 {depth}, {self._most_deep(pushes)}"))
        all_of = "true"
        for more in enough:
            all_of = ir.define(f"and i1 {all_of}, {more}")
        return all_of

    def _most_deep(self, pushes: int) -> int | str:
        """How many values there may be for so many more. This is a plain number, since LLVM would
        divide by others with 128 bits to tell how often a loop goes round."""
        return STACK_ROOM - pushes

    def _under(self, back: int) -> str:
        """The address of a value, counted from the top of a stack of any depth."""
        depth = self.ir.define("load i64, ptr %depth")
        index = self.ir.define(f"sub i64 {depth}, {back}")
        return self.ir.define(f"getelementptr {self.kind}, ptr %stack, i64 {index}")


class StreamAccess:
    """The input that is left, and the output that waits to be written."""

    def __init__(self, ir: StateValues) -> None:
        self.ir = ir

    def do_read(self) -> None:
        left = self.ir.define("load i64, ptr %input_left")
        less = self.ir.define(f"sub i64 {left}, 1")
        self.ir.emit(f"  store i64 {less}, ptr %input_left")

    def do_byte(self, value: str) -> None:
        self._write_byte(self.ir.define(f"trunc {self.ir.word} {value} to i8"))

    def do_bytes(self, data: bytes) -> None:
        for byte in data:
            self._write_byte(str(byte))

    def do_number(self, value: str) -> None:
        ir = self.ir
        ir.used.add("digits")
        written = ir.define("load i64, ptr %written")
        place = ir.define(f"getelementptr i8, ptr %output, i64 {written}")
        length = ir.define(f"call i64 @digits(ptr {place}, {ir.word} {value})")
        more = ir.define(f"add i64 {written}, {length}")
        ir.emit(f"  store i64 {more}, ptr %written")

    def _write_byte(self, byte: str) -> None:
        ir = self.ir
        written = ir.define("load i64, ptr %written")
        place = ir.define(f"getelementptr i8, ptr %output, i64 {written}")
        ir.emit(f"  store i8 {byte}, ptr {place}")
        more = ir.define(f"add i64 {written}, 1")
        ir.emit(f"  store i64 {more}, ptr %written")

    def have_room(self, bytes_written: int) -> str:
        """Whether there is room for so many bytes."""
        if bytes_written > OUTPUT_ROOM:
            raise Unwritable("too much output at once")
        written = self.ir.define("load i64, ptr %written")
        most = self.ir.define(f"sub i64 %most_written, {bytes_written}")
        return self.ir.define(f"icmp sle i64 {written}, {most}")


class RegisterAccess:
    """Whole numbers in variables, floats where they always are; and what follows from the tick."""

    def __init__(self, ir: StateValues) -> None:
        self.ir = ir

    def read_register(self, node: Node, args: list[str]) -> str:
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


class StateParts(NamedTuple):
    """What the state in IR is put together from."""

    values: Callable[[], StateValues] = StateValues
    cells: Callable[[StateValues, int], CellAccess] = CellAccess
    stack: Callable[[StateValues, UnitLayout, str], StackAccess] = StackAccess


FLAT = StateParts()


class StateWriter:
    """Writes lines that work on the state of a run; see `Slot` for where it comes from.

    What reads the state is a method `read_...` of a part, what changes it a method `do_...`, each
    named after its operation.
    """

    def __init__(
        self, layout: UnitLayout, floats: bool, hands: bool, width: int, parts: StateParts
    ) -> None:
        self.layout, self.floats, self.hands = layout, floats, hands
        self.ir = ir = parts.values()
        self.kind = "double" if floats else ir.word
        self.cells = parts.cells(ir, width)
        self.stack = parts.stack(ir, layout, self.kind)
        self.streams, self.registers = StreamAccess(ir), RegisterAccess(ir)
        every = ir, self, self.cells, self.stack, self.streams, self.registers
        ir.reads = methods_by_operation(every, "read_")
        self.effects = methods_by_operation(every, "do_")

    def read_hand(self, node: Node, args: list[str]) -> str:
        """Where the hand is."""
        return self.ir.define(f"load i64, ptr %h{node.args[0]}")

    def read_either(self, node: Node, args: list[str]) -> str:
        """A value that depends on the branch that was taken."""
        return self.ir.define(f"load {self.ir.type_of(node)}, ptr %either{node.id}")

    def do_let(self, value: str) -> None:
        """The value is computed now, and that is all."""

    def perform(self, op: tuple[Any, ...], there: dict[int, str]) -> None:
        """Write an effect."""
        kind, *args = op
        if kind not in self.effects:
            raise Unwritable(f"machine code has no {kind!r}")
        values = [arg if isinstance(arg, bytes) else self.ir.value(arg, there) for arg in args]
        self.effects[kind](*values)

    def settle(self, env: Env, there: dict[int, str]) -> tuple[list[str], str, str]:
        """All values by name, registers stored: whatever is read was read before."""
        registers = {
            slot: self.ir.value(value, there, not isinstance(slot, Register))
            for slot, value in env.registers.items()
        }
        low = 0 if self.layout.deep else self.layout.low
        stack = [self.ir.value(value, there, self.floats) for value in env.stack[low:]]
        hand = (env.hand_x, env.hand_y) if self.hands else (0, 0)
        x, y = (self.ir.value(value, there) for value in hand)
        self.registers.store(registers)
        if self.layout.deep:
            self.stack.pile(env, stack)
            stack = []
        self.cells.settle(env, there)
        return stack, x, y

    def suffices(self, tree: Tree) -> str:
        """Whether there is all that a tree needs, whichever branches it takes."""
        ir = self.ir
        fuel = ir.define("load i64, ptr %fuel")
        # Without a sign, which fuel never has: else LLVM looks at what it was before as well.
        enough = ir.define(f"icmp uge i64 {fuel}, {tree.longest}")
        writes = self.layout.writes(tree, ir.longest_number)
        if writes:
            enough = ir.define(f"and i1 {enough}, {self.streams.have_room(writes)}")
        if self.layout.deep:
            enough = ir.define(f"and i1 {enough}, {self.stack.suffices(tree)}")
        return enough

    def spend(self, ticks: int) -> str:
        """The fuel that is left after so many ticks."""
        fuel = self.ir.define("load i64, ptr %fuel")
        return self.ir.define(f"sub i64 {fuel}, {ticks}")
