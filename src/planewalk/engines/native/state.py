"""The state of a run in LLVM IR: what reads it, what changes it, and what brings it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..tracing.footprint import UnitLayout
from ..tracing.ir import DRAWS, Exit, Node, Register
from ..tracing.ops import WORD
from ..tracing.trees import Env, Tree
from .abi import KEPT, Slot
from .values import Unwritable, ValueWriter


def digits_ir(word: str, tenth: str) -> str:
    """Writes a number of that type in decimal; gives how many bytes it took. What a tenth of a
    number from 0 on is, rounded down, is given."""
    return f"""
define internal i64 @digits(ptr %out, {word} %value) noinline {{
start:
  %negative = icmp slt {word} %value, 0
  %turned = sub {word} 0, %value
  %size = select i1 %negative, {word} %turned, {word} %value
  %sign = zext i1 %negative to i64
  br i1 %negative, label %minus, label %measure
minus:
  store i8 45, ptr %out
  br label %measure
measure:
  %rest = phi {word} [ %size, %start ], [ %size, %minus ], [ %shorter, %measure ]
  %length = phi i64 [ %sign, %start ], [ %sign, %minus ], [ %longer, %measure ]
  %shorter = {tenth.format("%rest")}
  %longer = add i64 %length, 1
  %more = icmp ne {word} %shorter, 0
  br i1 %more, label %measure, label %write
write:
  %left = phi {word} [ %size, %measure ], [ %next, %write ]
  %behind = phi i64 [ %longer, %measure ], [ %at, %write ]
  %at = sub i64 %behind, 1
  %next = {tenth.format("%left")}
  %tens = mul {word} %next, 10
  %digit = sub {word} %left, %tens
  %small = trunc {word} %digit to i8
  %character = add i8 %small, 48
  %place = getelementptr i8, ptr %out, i64 %at
  store i8 %character, ptr %place
  %again = icmp ne {word} %next, 0
  br i1 %again, label %write, label %done
done:
  ret i64 %longer
}}"""


DIGITS = digits_ir("i64", "udiv i64 {}, 10")

STATE: dict[str, str | tuple[str, ...]] = {
    "height": "load i64, ptr %height",
    "roomy": "icmp sle i64 {0}, %rows",
    "closed": "icmp ne i64 %closed, 0",
    "counter": "load i64, ptr %draws",
    "drawn": "extractvalue {{i64, i64}} {0}, 0",
    "counted": "extractvalue {{i64, i64}} {0}, 1",
    "fed": ("left = load i64, ptr %input_left", "icmp sgt i64 {left}, 0"),
    "has": ("depth = load i64, ptr %depth", "all = add i64 {depth}, %below",
            "icmp sge i64 {all}, {0}"),
    "input": ("left = load i64, ptr %input_left", "back = sub i64 0, {left}",
              "place = getelementptr i8, ptr %input_end, i64 {back}",
              "byte = load i8, ptr {place}", "zext i8 {byte} to {word}"),
}  # fmt: skip
"""What is read of the state of a run, as rows of the table say it."""


class StateWriter(ValueWriter):
    """Writes lines that work on the state of a run; see `Slot` for where it comes from."""

    kept: Mapping[str, Slot] = KEPT

    def __init__(self, trees: list[Tree], floats: bool, hands: bool) -> None:
        super().__init__()
        self.layout = UnitLayout(trees)
        self.floats = floats
        self.hands = hands
        self.kind = "double" if floats else "i64"
        self.width = 0
        """That of the plane, if it is known."""
        self.places: dict[tuple[str, str, str], str] = {}
        """Addresses of cells that are known on this way: in which array, column and row."""

    # Reading ---------------------------------------------------------------------------------

    by_hand: ClassVar[dict[str, str]] = {
        **ValueWriter.by_hand,
        "slot": "_read_slot", "under": "_read_under", "hand": "_read_hand",
        "either": "_read_either", "register": "_read_register", "tick": "_read_tick",
        "draw": "_draw", "below": "_draw_below", "sample": "_sample", "cell": "_read_cell",
        "coded": "_is_coded",
    }  # fmt: skip

    def _operation(self, node: Node, args: list[str], floats: bool) -> str:
        if node.op in STATE:
            return self._expand(STATE[node.op], args, self.real)
        return super()._operation(node, args, floats)

    def _read_slot(self, node: Node, args: list[str]) -> str:
        return self._define(f"load {self.kind}, ptr %s{node.args[0]}")

    def _read_under(self, node: Node, args: list[str]) -> str:
        return self._define(f"load {self.kind}, ptr {self._under(node.args[0])}, align 8")

    def _read_hand(self, node: Node, args: list[str]) -> str:
        return self._define(f"load i64, ptr %h{node.args[0]}")

    def _read_either(self, node: Node, args: list[str]) -> str:
        return self._define(f"load {self._type(node)}, ptr %either{node.id}")

    def _read_register(self, node: Node, args: list[str]) -> str:
        if node.kind == "int":
            return self._define(f"load i64, ptr %r{node.args[0].number}")
        place = self._define(f"getelementptr float, ptr %registers, i64 {args[0]}")
        narrow = self._define(f"load float, ptr {place}")
        return self._define(f"fpext float {narrow} to double")

    def _read_tick(self, node: Node, args: list[str]) -> str:
        return self._tick(node.args[0])

    def _draw(self, node: Node, args: list[str]) -> str:
        return self._mixed(self._stirred("%seed"), self._tick(node.args[0]))

    def _draw_below(self, node: Node, args: list[str]) -> str:
        self.used.add("below")
        seed = self._stirred("%seed")
        bound, counter = args
        given = f"i64 {seed}, i64 {bound}, i64 {counter}"
        return self._define(f"call {{i64, i64}} @below({given})")

    def _tick(self, ticks: int) -> str:
        """The tick that is so far behind the head."""
        fuel = self._define("load i64, ptr %fuel")
        begun = self._define(f"sub i64 %clock, {fuel}")
        return self._define(f"add i64 {begun}, {ticks}")

    def _register_at(self, number: int) -> str:
        """The address of a register that holds a whole number, outside."""
        return self._define(f"getelementptr i64, ptr %registers, i64 {number}")

    def _sample(self, node: Node, args: list[str]) -> str:
        """The byte at an index of the samples; the first is read where there is none."""
        index, size = args
        from_first = self._define(f"fcmp oge double {index}, 0.0")
        to_last = self._define(f"fcmp olt double {index}, {size}")
        inside = self._define(f"and i1 {from_first}, {to_last}")
        safe = self._define(f"select i1 {inside}, double {index}, double 0.0")
        whole = self._define(f"fptosi double {safe} to i64")
        samples = self._define(f"inttoptr i64 {self._define(self._word(Slot.SAMPLES))} to ptr")
        place = self._define(f"getelementptr i8, ptr {samples}, i64 {whole}")
        byte = self._define(f"load i8, ptr {place}")
        value = self._define(f"uitofp i8 {byte} to double")
        return self._define(f"select i1 {inside}, double {value}, double 0.0")

    def _read_cell(self, node: Node, args: list[str]) -> str:
        byte = self._define(f"load i8, ptr {self._place('data', args[0], args[1])}")
        return self._define(f"zext i8 {byte} to {self.word}")

    def _is_coded(self, node: Node, args: list[str]) -> str:
        byte = self._define(f"load i8, ptr {self._place('code', args[0], args[1])}")
        return self._define(f"icmp ne i8 {byte}, 0")

    def _place(self, array: str, x: str, y: str) -> str:
        """The address of a cell, counted from one in the same column that is known already."""
        base, rows = self.sums.get(y, (y, 0)) if self.width else (y, 0)
        known = self.places.get((array, x, base))
        if known is None:
            known = self._define(f"getelementptr i8, ptr %{array}, i64 {self._number(x, base)}")
            self.places[array, x, base] = known
        if not rows:
            return known
        return self._define(f"getelementptr i8, ptr {known}, i64 {rows * self.width}")

    def _number(self, x: str, y: str) -> str:
        """The number of a cell, row by row."""
        row = self.places.get(("", "", y))
        if row is None:
            row = self._define(f"mul i64 {self._index(y)}, {self.width or '%width'}")
            self.places["", "", y] = row
        found = self.places.get(("", x, y))
        if found is None:
            found = self.places["", x, y] = self._define(f"add i64 {row}, {self._index(x)}")
        return found

    def _index(self, value: str) -> str:
        """A whole number that surely has 64 bits, as such."""
        return value

    def _under(self, back: int) -> str:
        """The address of a value, counted from the top of a stack of any depth."""
        depth = self._define("load i64, ptr %depth")
        index = self._define(f"sub i64 {depth}, {back}")
        return self._define(f"getelementptr {self.kind}, ptr %stack, i64 {index}")

    def _type(self, node: Node) -> str:
        return "double" if node.kind == "float" else self.word

    # Changing --------------------------------------------------------------------------------

    effects: ClassVar[dict[str, str]] = {
        "let": "_nothing", "put": "_put_cell", "grow": "_grow", "read": "_take_input",
        "byte": "_put_byte", "bytes": "_put_bytes", "number": "_put_number",
    }  # fmt: skip
    """The methods that write them."""

    def _op(self, op: tuple[Any, ...], there: dict[int, str]) -> None:
        kind, *args = op
        if kind not in self.effects:
            raise Unwritable(f"machine code has no {kind!r}")
        values = [arg if isinstance(arg, bytes) else self._value(arg, there) for arg in args]
        getattr(self, self.effects[kind])(*values)

    def _nothing(self, value: str) -> None:
        """The value is computed now, and that is all."""

    def _put_cell(self, x: str, y: str, value: str) -> None:
        byte = self._define(f"trunc {self.word} {value} to i8")
        self._emit(f"  store i8 {byte}, ptr {self._place('data', x, y)}")

    def _grow(self, height: str) -> None:
        self._emit(f"  store i64 {self._index(height)}, ptr %height")

    def _take_input(self) -> None:
        left = self._define("load i64, ptr %input_left")
        less = self._define(f"sub i64 {left}, 1")
        self._emit(f"  store i64 {less}, ptr %input_left")

    def _put_byte(self, value: str) -> None:
        self._write_byte(self._define(f"trunc {self.word} {value} to i8"))

    def _put_bytes(self, data: bytes) -> None:
        for byte in data:
            self._write_byte(str(byte))

    def _put_number(self, value: str) -> None:
        self.used.add("digits")
        written = self._define("load i64, ptr %written")
        place = self._define(f"getelementptr i8, ptr %output, i64 {written}")
        length = self._define(f"call i64 @digits(ptr {place}, {self.word} {value})")
        more = self._define(f"add i64 {written}, {length}")
        self._emit(f"  store i64 {more}, ptr %written")

    def _write_byte(self, byte: str) -> None:
        written = self._define("load i64, ptr %written")
        place = self._define(f"getelementptr i8, ptr %output, i64 {written}")
        self._emit(f"  store i8 {byte}, ptr {place}")
        more = self._define(f"add i64 {written}, 1")
        self._emit(f"  store i64 {more}, ptr %written")

    def _settle(self, env: Env, there: dict[int, str]) -> tuple[list[str], str, str]:
        """All values by name, registers stored: whatever is read was read before."""
        registers = {
            slot: self._value(value, there, not isinstance(slot, Register))
            for slot, value in env.registers.items()
        }
        low = 0 if self.layout.deep else self.layout.low
        stack = [self._value(value, there, self.floats) for value in env.stack[low:]]
        hand = (env.hand_x, env.hand_y) if self.hands else (0, 0)
        x, y = (self._value(value, there) for value in hand)
        for slot, name in registers.items():
            if isinstance(slot, Register):
                place = "%draws" if slot == DRAWS else f"%r{slot.number}"
                self._emit(f"  store i64 {name}, ptr {place}")
                continue
            narrow = self._define(f"fptrunc double {name} to float")
            place = self._define(f"getelementptr float, ptr %registers, i64 {slot}")
            self._emit(f"  store float {narrow}, ptr {place}")
        if self.layout.deep:
            self._pile(env, stack)
            stack = []
        return stack, x, y

    def _pile(self, env: Env, values: list[str]) -> None:
        """Store what stands on a stack of any depth now."""
        for i, value in enumerate(values):
            self._emit(f"  store {self.kind} {value}, ptr {self._under(env.drop - i)}, align 8")
        if len(values) != env.drop:
            depth = self._define("load i64, ptr %depth")
            now = self._define(f"add i64 {depth}, {len(values) - env.drop}")
            self._emit(f"  store i64 {now}, ptr %depth")

    # To the block ----------------------------------------------------------------------------

    def _store(self, end: Exit, there: dict[int, str]) -> None:
        """Bring everything back to the block of words."""
        self._store_numbers(end, there)
        self._store_kept()

    def _store_numbers(self, end: Exit, there: dict[int, str]) -> None:
        """Bring the stack and registers back, and the hand and fuel to where they are kept."""
        stack, x, y = self._settle(end.env, there)
        for i, value in enumerate(stack):
            self._emit(f"  store {self.kind} {value}, ptr {self._at(self._slot_word(i))}, align 8")
        for _, number in self.layout.stored:
            value = self._define(f"load i64, ptr %r{number}")
            self._emit(f"  store i64 {value}, ptr {self._register_at(number)}")
        self._keep(x, y, end.ticks)

    def _keep(self, x: str, y: str, ticks: int) -> None:
        """Keep the hand and the fuel as they are now."""
        if self.hands:
            self._emit(f"  store i64 {x}, ptr %hx")
            self._emit(f"  store i64 {y}, ptr %hy")
        self._emit(f"  store i64 {self._spend(ticks)}, ptr %fuel")

    def _store_kept(self) -> None:
        """Bring back what is kept beside the block of words."""
        for name, word in self.kept.items():
            value = self._define(f"load i64, ptr %{name}")
            self._emit(f"  store i64 {value}, ptr {self._at(word)}")

    def _slot_word(self, number: int) -> int:
        """The word where a value of the stack begins, of those that code works on."""
        return Slot.SLOTS + number * self.bits // WORD

    def _spend(self, ticks: int) -> str:
        fuel = self._define("load i64, ptr %fuel")
        return self._define(f"sub i64 {fuel}, {ticks}")

    def _word(self, word: int) -> str:
        return f"load i64, ptr {self._at(word)}"

    def _at(self, word: int) -> str:
        return self._define(f"getelementptr i64, ptr %w, i64 {word}")
