"""Trees as LLVM IR.

One function runs all trees of a unit, as in `pysource.py`. It works on a block of 64-bit words
(see `Words`): fuel, the hand, pointers into the plane and the registers, and the stack slots the
unit uses. Whole numbers are 64 bits wide here; whatever would overflow leaves before it happens.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple

from ..core import chance
from . import maths_ir
from .ir import (
    COMPARING,
    INFINITE,
    LEAST,
    MOST,
    Block,
    Branch,
    Exit,
    Goto,
    Join,
    Key,
    Node,
    bounds_of,
)
from .layout import Layout, blocks
from .trees import Env, Tree


class Words(IntEnum):
    """What stands where in the block that native code works on."""

    FUEL = 0
    HAND_X = 1
    HAND_Y = 2
    DATA = 3
    CODE = 4
    WIDTH = 5
    HEIGHT = 6
    REGISTERS = 7
    OUTPUT = 8
    WRITTEN = 9
    ROWS = 10
    """How many rows there is memory for; native code may grow the plane up to that."""
    INPUT = 11
    INPUT_LEFT = 12
    INPUT_CLOSED = 13
    CLOCK = 14
    """The tick at which fuel would be used up."""
    STIRRED_SEED = 15
    STACK = 16
    DEPTH = 17
    """How many values stand in the part of the stack that native code sees, ..."""
    BELOW = 18
    """... and how many below it."""
    LEFT = 19
    TOP = 20
    """Where the window begins that a plane without edges is seen through; ..."""
    COUNT = 21
    WRITTEN_BLOCKS = 22
    """... how many cells the plane has; and which blocks of the window were written to."""
    MOST_WRITTEN = 23
    """Bytes of output there is room for."""
    SLOTS = 24


POINTERS = {
    "data": Words.DATA, "code": Words.CODE, "registers": Words.REGISTERS, "output": Words.OUTPUT,
    "input_end": Words.INPUT, "stack": Words.STACK,
}  # fmt: skip
KEPT = {"fuel": Words.FUEL, "hx": Words.HAND_X, "hy": Words.HAND_Y}
"""What changes all the time, and goes back to its word at the end."""
COUNTERS = {
    "written": Words.WRITTEN, "height": Words.HEIGHT, "input_left": Words.INPUT_LEFT,
    "depth": Words.DEPTH,
}  # fmt: skip
"""What is changed where it stands."""
CONSTANTS = {
    "width": Words.WIDTH, "rows": Words.ROWS, "closed": Words.INPUT_CLOSED,
    "clock": Words.CLOCK, "seed": Words.STIRRED_SEED, "below": Words.BELOW,
    "most_written": Words.MOST_WRITTEN,
}  # fmt: skip
OUTPUT_ROOM = 1 << 14
STACK_SEEN, STACK_ROOM = 256, 1 << 16
"""Of a stack of any depth: values that native code begins with, and has at most."""

MATHS = {
    **{name: f"planewalk.{name}" for name in maths_ir.NAMES},
    "floor": "llvm.floor", "sqrt": "llvm.sqrt", "absolute": "llvm.fabs",
    "least": "llvm.minimum", "most": "llvm.maximum",
}  # fmt: skip
PURE_CALL = "nounwind willreturn memory(none)"
FLOATING = {"divide", "modulo", "round", *MATHS}
"""Operations on floats alone; the others are on whole numbers, or on either."""
INTEGER = {"+": "add", "-": "sub", "*": "mul", "&": "and"}
FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul"}
OVERFLOWING = {"+": "sadd", "-": "ssub", "*": "smul"}
INTEGER_COMPARE = {"<": "slt", "==": "eq"}
REALS = {*FLOAT, *COMPARING, *MATHS, "divide", "modulo", "abs"}
"""Operations on floats that give a float, or a truth."""
FLOAT_COMPARE = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}


DIGITS = """
define internal i64 @digits(ptr %out, i64 %value) noinline {
start:
  %negative = icmp slt i64 %value, 0
  %turned = sub i64 0, %value
  %size = select i1 %negative, i64 %turned, i64 %value
  %sign = zext i1 %negative to i64
  br i1 %negative, label %minus, label %measure
minus:
  store i8 45, ptr %out
  br label %measure
measure:
  %rest = phi i64 [ %size, %start ], [ %size, %minus ], [ %shorter, %measure ]
  %length = phi i64 [ %sign, %start ], [ %sign, %minus ], [ %longer, %measure ]
  %shorter = udiv i64 %rest, 10
  %longer = add i64 %length, 1
  %more = icmp ne i64 %shorter, 0
  br i1 %more, label %measure, label %write
write:
  %left = phi i64 [ %size, %measure ], [ %next, %write ]
  %behind = phi i64 [ %longer, %measure ], [ %at, %write ]
  %at = sub i64 %behind, 1
  %next = udiv i64 %left, 10
  %digit = urem i64 %left, 10
  %small = trunc i64 %digit to i8
  %character = add i8 %small, 48
  %place = getelementptr i8, ptr %out, i64 %at
  store i8 %character, ptr %place
  %again = icmp ne i64 %next, 0
  br i1 %again, label %write, label %done
done:
  ret i64 %longer
}"""
"""Writes a number in decimal; gives how many bytes it took."""


class Unwritable(Exception):
    """These trees need something that native code does not have; the words say what."""


class NativeWriter:
    """Writes one unit as text."""

    pointers: Mapping[str, Words] = POINTERS
    kept: Mapping[str, Words] = KEPT
    constants: Mapping[str, Words] = CONSTANTS
    attributes = ""
    real, word, truth = "double", "i64", "i1"
    """The types of values; other writers compute many values at once."""

    def __init__(self, trees: list[Tree], floats: bool, hands: bool) -> None:
        self.layout = Layout(trees)
        self.entries: dict[Key, int] = self.layout.heads
        self.trees = dict(enumerate(trees))
        self.floats = floats
        self.hands = hands
        self.lines: list[str] = []
        self.used: set[str] = set()
        self.blocks: dict[str, Block] = {}
        """Which block each label stands before."""
        self.exits: list[Exit] = []
        self.spent: set[int] = set()
        self.count = 0
        self.size = 0
        """Characters of what is worth good code."""
        self.kind = "double" if floats else "i64"

    def tree(self, number: int) -> Tree:
        """The tree of a head."""
        return self.trees[number]

    def source(self) -> str:
        self._function("unit")
        self.size = sum(map(len, self.lines))
        return self._module(self.lines)

    def _module(self, lines: list[str]) -> str:
        """Functions with all that they need."""
        own = [name for name in maths_ir.NAMES if MATHS[name] in self.used]
        return "\n".join([*self._declarations(), *lines, maths_ir.definitions(own, 1)])

    def written(self) -> Written:
        """The unit, and how to run it."""
        layout = self.layout
        text = self.source()
        exits = [(end.key, len(end.env.stack) - layout.low) for end in self.exits]
        slots = layout.deepest_ever - layout.low + 1
        return Written(
            text,
            self.entries,
            exits,
            self.spent,
            self.floats,
            layout.deep,
            layout.low,
            slots,
            self.size,
        )

    def _function(self, function: str) -> None:
        head = self.layout.heads
        self._emit(f"define i64 @{function}(ptr noalias %w, i64 %head) {self.attributes}{{")
        self._emit("start:")
        for name, kind in self._variables().items():
            self._emit(f"  %{name} = alloca {kind}")
        for name, word in self.constants.items():
            self._emit(f"  %{name} = {self._word(word)}")
        for name, word in self.pointers.items():
            self._emit(f"  %{name}.i = {self._word(word)}")
            self._emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        for name, word in COUNTERS.items():
            self._emit(f"  %{name} = getelementptr i64, ptr %w, i64 {word}")
        for name, word in self.kept.items():
            value = self._define(self._word(word))
            self._emit(f"  store i64 {value}, ptr %{name}")
        entries = " ".join(f"i64 {number}, label %enter{number}" for number in head.values())
        self._emit(f"  switch i64 %head, label %elsewhere [ {entries} ]")
        for number, tree in self.trees.items():
            self._enter(number, tree)
            self._head(number, tree)
        self._emit("elsewhere:")
        self._elsewhere()
        self._emit("}")

    def _elsewhere(self) -> None:
        """What to do from the start if there is no such head."""
        self._emit("  unreachable")

    def _variables(self) -> dict[str, str]:
        """What native code keeps beside the block of words, by name and type."""
        found = dict.fromkeys(self.kept, "i64")
        found |= {f"s{i}": self.kind for i in range(self.layout.low, self.layout.deepest)}
        for tree in self.trees.values():
            for block in blocks(tree):
                if isinstance(block.end, Join):
                    found |= {f"either{node.id}": self._type(node) for node, _ in block.end.values}
        return found

    def _type(self, node: Node) -> str:
        return "double" if node.kind == "float" else "i64"

    def _declarations(self) -> list[str]:
        lines = [
            f"declare {{i64, i1}} @llvm.{name}.with.overflow.i64(i64, i64)"
            for name in OVERFLOWING.values()
        ]
        if "digits" in self.used:
            lines.append(DIGITS)
        for name in sorted(self.used):
            if name.startswith("llvm."):
                given = ", ".join(["double"] * arity(name))
                lines.append(f"declare double @{name}({given}) {PURE_CALL}")
        return lines

    def _word(self, word: int) -> str:
        return f"load i64, ptr {self._at(word)}"

    def _at(self, word: int) -> str:
        return self._define(f"getelementptr i64, ptr %w, i64 {word}")

    def _enter(self, number: int, tree: Tree) -> None:
        self._emit(f"enter{number}:")
        for i in range(self.layout.low, tree.key.depth or 0):
            place = self._at(Words.SLOTS + i - self.layout.low)
            value = self._define(f"load {self.kind}, ptr {place}")
            self._emit(f"  store {self.kind} {value}, ptr %s{i}")
        self._emit(f"  br label %head{number}")

    def _head(self, number: int, tree: Tree) -> None:
        self._emit(f"head{number}:")
        fuel = self._define("load i64, ptr %fuel")
        enough = self._define(f"icmp sge i64 {fuel}, {tree.longest}")
        writes = self.layout.writes(tree)
        if writes > OUTPUT_ROOM:
            raise Unwritable("too much output at once")
        if writes:
            written = self._define("load i64, ptr %written")
            most = self._define(f"sub i64 %most_written, {writes}")
            room = self._define(f"icmp sle i64 {written}, {most}")
            enough = self._define(f"and i1 {enough}, {room}")
        if self.layout.deep:
            enough = self._define(f"and i1 {enough}, {self._stack_suffices(tree)}")
        self._emit(f"  br i1 {enough}, label %tree{number}, label %spent{number}")
        self._emit(f"spent{number}:")
        self._run_out(tree)
        # Each with what has a name already, and where ways that join go on.
        work: list[tuple[Block, dict[int, str], str]] = [(tree.root, {}, "")]
        labels = {id(tree.root): f"tree{number}"}
        while work:
            block, there, after = work.pop()
            label = labels[id(block)]
            self.blocks[label] = block
            self._emit(f"{label}:")
            if block is tree.root:
                self._begin(number, tree)
            for op in block.ops:
                self._op(op, there)
            end = block.end
            if isinstance(end, Branch):
                condition = self._value(end.condition, there)
                for side in (end.yes, end.no, end.join):
                    self.count += 1
                    labels[id(side)] = f"b{self.count}"
                yes, no = labels[id(end.yes)], labels[id(end.no)]
                self._emit(f"  br i1 {condition}, label %{yes}, label %{no}")
                if end.join is not None:
                    work.append((end.join, dict(there), after))
                    after = labels[id(end.join)]
                work += [(end.yes, dict(there), after), (end.no, dict(there), after)]
            elif isinstance(end, Join):
                values = [
                    (node, self._value(value, there, node.kind == "float"))
                    for node, value in end.values
                ]
                for node, name in values:
                    self._emit(f"  store {self._type(node)} {name}, ptr %either{node.id}")
                self._emit(f"  br label %{after}")
            elif isinstance(end, Goto):
                self._goto(end, there)
            else:
                assert end is not None
                self._exit(end, there)

    def _run_out(self, tree: Tree) -> None:
        """There is not enough fuel for a tree, or whatever else it needs: leave at its head."""
        self.spent.add(len(self.exits))
        self._exit(self._at_head(tree), {})

    def _at_head(self, tree: Tree) -> Exit:
        return Exit(tree.key, self.layout.untouched(tree.key.depth or 0), 0)

    def _begin(self, number: int, tree: Tree) -> None:
        """What comes before a tree that there is fuel for."""

    def _stack_suffices(self, tree: Tree) -> str:
        """Whether a tree finds all it takes, or all there is, and has room for what it pushes."""
        takes, pushes = self.layout.reach(tree)
        depth = self._define("load i64, ptr %depth")
        found = self._define(f"icmp sge i64 {depth}, {takes}")
        all_there = self._define("icmp eq i64 %below, 0")
        either = self._define(f"or i1 {found}, {all_there}")
        room = self._define(f"icmp sle i64 {depth}, {STACK_ROOM - pushes}")
        return self._define(f"and i1 {either}, {room}")

    # Values ----------------------------------------------------------------------------------

    def _value(self, value: Any, there: dict[int, str], floats: bool = False) -> str:
        """The name of a value; whatever it needs is computed first, in the order of making."""
        if not isinstance(value, Node):
            return self._constant(value, floats)
        if _is_unsigned(value):
            raise Unwritable("it uses all 64 bits of chance as a number")
        needed, work, seen = [], [value], {value.id}
        while work:
            node = work.pop()
            if node.id in there:
                continue
            needed.append(node)
            for arg in self._needs(node):
                if isinstance(arg, Node) and arg.id not in seen:
                    seen.add(arg.id)
                    work.append(arg)
        for node in sorted(needed, key=lambda node: node.id):
            there[node.id] = self._compute(node, there)
        return there[value.id]

    def _needs(self, node: Node) -> tuple[Any, ...]:
        """What has to be there before a node is computed."""
        return node.args

    def _compute(self, node: Node, there: dict[int, str]) -> str:
        op = node.op
        floats = any(
            (a.kind if isinstance(a, Node) else type(a).__name__) == "float" for a in node.args
        )
        whole = any(isinstance(a, Node) and a.kind == "int" for a in node.args)
        if whole and (floats or op in FLOATING):
            raise Unwritable("it mixes whole numbers and floats")
        if op not in ("&", ">>", "%") and any(map(_is_unsigned, node.args)):
            raise Unwritable("it uses all 64 bits of chance as a number")
        args = [there[a.id] if isinstance(a, Node) else a for a in node.args]
        args = [a if isinstance(a, str) else self._constant(a, floats) for a in args]
        if op == "slot":
            return self._define(f"load {'double' if self.floats else 'i64'}, ptr %s{node.args[0]}")
        if op == "under":
            return self._define(f"load {self.kind}, ptr {self._under(node.args[0])}")
        if op == "has":
            depth = self._define("load i64, ptr %depth")
            all_in_all = self._define(f"add i64 {depth}, %below")
            return self._define(f"icmp sge i64 {all_in_all}, {args[0]}")
        if op == "hand":
            return self._define(f"load i64, ptr %h{node.args[0]}")
        if op == "either":
            return self._define(f"load {self._type(node)}, ptr %either{node.id}")
        if op == "height":
            return self._define("load i64, ptr %height")
        if op == "roomy":
            return self._define(f"icmp sle i64 {args[0]}, %rows")
        if op == "fed":
            left = self._define("load i64, ptr %input_left")
            return self._define(f"icmp sgt i64 {left}, 0")
        if op == "closed":
            return self._define("icmp ne i64 %closed, 0")
        if op == "input":
            return self._input()
        if op == "draw":
            return self._draw(node.args[0])
        if op == "same":
            bits = [self._define(f"bitcast {self.real} {arg} to {self.word}") for arg in args]
            return self._define(f"icmp eq {self.word} {bits[0]}, {bits[1]}")
        if op == "float":
            return self._define(f"sitofp {self.word} {args[0]} to {self.real}")
        if floats and op in REALS:
            return self._real(op, args, self.real)
        if op in COMPARING:
            return self._define(f"icmp {INTEGER_COMPARE[op]} {self.word} {args[0]}, {args[1]}")
        if op == "not":
            return self._define(f"xor {self.truth} {args[0]}, {self._constant(True, False)}")
        if op == "number":
            return self._define(f"zext {self.truth} {args[0]} to {self.word}")
        if not floats and op in INTEGER:
            return self._define(f"{INTEGER[op]} {self.word} {args[0]}, {args[1]}")
        if op.startswith("overflow "):
            return self._overflow(op[-1], args)
        if op == ">>":
            return self._shift(node, args)
        if op in ("%", "quotient", "remainder"):
            return self._division(op, node, args)
        if op == "round":
            narrow = self._define(f"fptrunc double {args[0]} to float")
            return self._define(f"fpext float {narrow} to double")
        if op == "register":
            place = self._define(f"getelementptr float, ptr %registers, i64 {args[0]}")
            narrow = self._define(f"load float, ptr {place}")
            return self._define(f"fpext float {narrow} to double")
        if op in ("cell", "coded"):
            return self._cell(op, args)
        raise Unwritable(f"machine code has no {op!r}")

    def _real(self, op: str, args: list[str], real: str) -> str:
        """An operation on floats of that type."""
        if op in FLOAT:
            return self._define(f"{FLOAT[op]} {real} {args[0]}, {args[1]}")
        if op in COMPARING:
            return self._define(f"fcmp {FLOAT_COMPARE[op]} {real} {args[0]}, {args[1]}")
        if op == "divide":
            return self._define(f"fdiv {real} {args[0]}, {args[1]}")
        if op != "modulo":
            return self._call(MATHS["absolute" if op == "abs" else op], args, real)
        share = self._define(f"fdiv {real} {args[0]}, {args[1]}")
        floor = self._call(MATHS["floor"], [share], real)
        product = self._define(f"fmul {real} {args[1]}, {floor}")
        return self._define(f"fsub {real} {args[0]}, {product}")

    def _input(self) -> str:
        left = self._define("load i64, ptr %input_left")
        back = self._define(f"sub i64 0, {left}")
        place = self._define(f"getelementptr i8, ptr %input_end, i64 {back}")
        byte = self._define(f"load i8, ptr {place}")
        return self._define(f"zext i8 {byte} to i64")

    def _draw(self, ticks: int) -> str:
        """`chance.mix` of the seed and the tick."""
        fuel = self._define("load i64, ptr %fuel")
        begun = self._define(f"sub i64 %clock, {fuel}")
        return self._mixed("%seed", self._define(f"add i64 {begun}, {ticks}"))

    def _mixed(self, stirred_seed: str, counter: str) -> str:
        """`chance.mix` of a seed that has been stirred and a counter."""
        word, number = self.word, partial(self._constant, floats=False)
        steps = self._define(f"mul {word} {counter}, {number(signed(chance.STRIDE))}")
        return self._stirred(self._define(f"add {word} {stirred_seed}, {steps}"))

    def _stirred(self, bits: str) -> str:
        """`chance.stir`."""
        word, number = self.word, partial(self._constant, floats=False)
        for shift, factor in chance.STIRS:
            high = self._define(f"lshr {word} {bits}, {number(shift)}")
            folded = self._define(f"xor {word} {bits}, {high}")
            bits = self._define(f"mul {word} {folded}, {number(signed(factor))}")
        high = self._define(f"lshr {word} {bits}, {number(chance.LAST_SHIFT)}")
        return self._define(f"xor {word} {bits}, {high}")

    def _cell(self, op: str, args: list[str]) -> str:
        place = self._place("data" if op == "cell" else "code", args[0], args[1])
        byte = self._define(f"load i8, ptr {place}")
        if op == "cell":
            return self._define(f"zext i8 {byte} to i64")
        return self._define(f"icmp ne i8 {byte}, 0")

    def _under(self, back: int) -> str:
        """The address of a value, counted from the top of a stack of any depth."""
        depth = self._define("load i64, ptr %depth")
        index = self._define(f"sub i64 {depth}, {back}")
        return self._define(f"getelementptr {self.kind}, ptr %stack, i64 {index}")

    def _place(self, array: str, x: str, y: str) -> str:
        row = self._define(f"mul i64 {y}, %width")
        index = self._define(f"add i64 {row}, {x}")
        return self._define(f"getelementptr i8, ptr %{array}, i64 {index}")

    def _overflow(self, symbol: str, args: list[str]) -> str:
        if symbol == "/":
            least = self._define(f"icmp eq i64 {args[0]}, {LEAST}")
            minus = self._define(f"icmp eq i64 {args[1]}, -1")
            return self._define(f"and i1 {least}, {minus}")
        name = f"llvm.{OVERFLOWING[symbol]}.with.overflow.i64"
        both = self._define(f"call {{i64, i1}} @{name}(i64 {args[0]}, i64 {args[1]})")
        return self._define(f"extractvalue {{i64, i1}} {both}, 1")

    def _shift(self, node: Node, args: list[str]) -> str:
        by = node.args[1]
        if not isinstance(by, int) or not 0 <= by < 64:  # LLVM may make anything of it
            raise Unwritable("it shifts by more than 63 bits, or nobody knows how many")
        number = node.args[0]
        logical = isinstance(number, Node) and number.low >= 0  # all 64 bits may be in use
        shift = "lshr" if logical else "ashr"
        return self._define(f"{shift} {self.word} {args[0]}, {args[1]}")

    def _division(self, op: str, node: Node, args: list[str]) -> str:
        if op in ("quotient", "remainder"):
            divide = "sdiv" if op == "quotient" else "srem"
            return self._define(f"{divide} i64 {args[0]}, {args[1]}")
        dividend, divisor = node.args
        if not isinstance(divisor, int) or divisor <= 0:
            raise Unwritable(f"machine code has no {op!r}")
        if divisor & (divisor - 1) == 0:
            return self._define(f"and i64 {args[0]}, {divisor - 1}")
        low, high = bounds_of(dividend)
        if -divisor <= low and high < 2 * divisor:  # one round beyond at most
            return self._wrapped(args[0], low, high, divisor)
        if low >= 0:
            return self._define(f"urem i64 {args[0]}, {args[1]}")
        rest = self._define(f"srem i64 {args[0]}, {args[1]}")
        below = self._define(f"icmp slt i64 {rest}, 0")
        raised = self._define(f"add i64 {rest}, {args[1]}")
        return self._define(f"select i1 {below}, i64 {raised}, i64 {rest}")

    def _wrapped(self, value: str, low: float, high: float, size: int) -> str:
        if low < 0:
            below = self._define(f"icmp slt i64 {value}, 0")
            raised = self._define(f"add i64 {value}, {size}")
            value = self._define(f"select i1 {below}, i64 {raised}, i64 {value}")
        if high >= size:
            beyond = self._define(f"icmp sge i64 {value}, {size}")
            lowered = self._define(f"sub i64 {value}, {size}")
            value = self._define(f"select i1 {beyond}, i64 {lowered}, i64 {value}")
        return value

    def _call(self, name: str, args: list[str], real: str) -> str:
        if name.startswith("llvm."):
            name = f"{name}.{suffix(real)}"
        self.used.add(name)
        given = ", ".join(f"{real} {a}" for a in args)
        return self._define(f"call {real} @{name}({given})")

    def _constant(self, value: Any, floats: bool) -> str:
        return constant(value, floats)

    # Effects and ends ------------------------------------------------------------------------

    def _op(self, op: tuple[Any, ...], there: dict[int, str]) -> None:
        kind, *args = op
        if kind == "bytes":
            for byte in args[0]:
                self._write_byte(str(byte))
            return
        values = [self._value(arg, there) for arg in args]
        if kind == "let":
            return
        if kind == "read":
            left = self._define("load i64, ptr %input_left")
            less = self._define(f"sub i64 {left}, 1")
            self._emit(f"  store i64 {less}, ptr %input_left")
            return
        if kind == "put":
            x, y, value = values
            byte = self._define(f"trunc i64 {value} to i8")
            self._emit(f"  store i8 {byte}, ptr {self._place('data', x, y)}")
        elif kind == "grow":
            self._emit(f"  store i64 {values[0]}, ptr %height")
        elif kind == "byte":
            self._write_byte(self._define(f"trunc i64 {values[0]} to i8"))
        elif kind == "number":
            self.used.add("digits")
            written = self._define("load i64, ptr %written")
            place = self._define(f"getelementptr i8, ptr %output, i64 {written}")
            length = self._define(f"call i64 @digits(ptr {place}, i64 {values[0]})")
            more = self._define(f"add i64 {written}, {length}")
            self._emit(f"  store i64 {more}, ptr %written")
        else:
            raise Unwritable(f"machine code has no {kind!r}")

    def _write_byte(self, byte: str) -> None:
        written = self._define("load i64, ptr %written")
        place = self._define(f"getelementptr i8, ptr %output, i64 {written}")
        self._emit(f"  store i8 {byte}, ptr {place}")
        more = self._define(f"add i64 {written}, 1")
        self._emit(f"  store i64 {more}, ptr %written")

    def _settle(self, env: Env, there: dict[int, str]) -> tuple[list[str], str, str]:
        """All values by name, registers stored: whatever is read was read before."""
        registers = {slot: self._value(value, there, True) for slot, value in env.registers.items()}
        low = 0 if self.layout.deep else self.layout.low
        stack = [self._value(value, there, self.floats) for value in env.stack[low:]]
        x, y = self._value(env.hand_x, there), self._value(env.hand_y, there)
        for slot, name in registers.items():
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
            self._emit(f"  store {self.kind} {value}, ptr {self._under(env.drop - i)}")
        if len(values) != env.drop:
            depth = self._define("load i64, ptr %depth")
            now = self._define(f"add i64 {depth}, {len(values) - env.drop}")
            self._emit(f"  store i64 {now}, ptr %depth")

    def _spend(self, ticks: int) -> str:
        fuel = self._define("load i64, ptr %fuel")
        return self._define(f"sub i64 {fuel}, {ticks}")

    def _goto(self, end: Goto, there: dict[int, str]) -> None:
        stack, x, y = self._settle(end.env, there)
        for i, value in enumerate(stack, self.layout.low):
            self._emit(f"  store {self.kind} {value}, ptr %s{i}")
        if self.hands:
            self._emit(f"  store i64 {x}, ptr %hx")
            self._emit(f"  store i64 {y}, ptr %hy")
        self._emit(f"  store i64 {self._spend(end.ticks)}, ptr %fuel")
        self._emit(f"  br label %{self._label(end.key)}")

    def _label(self, key: Key) -> str:
        return f"head{self.layout.heads[key]}"

    def _exit(self, end: Exit, there: dict[int, str]) -> None:
        self._store(end, there)
        self._emit(f"  ret i64 {len(self.exits)}")
        self.exits.append(end)

    def _store(self, end: Exit, there: dict[int, str]) -> None:
        """Bring everything back to the block of words."""
        stack, x, y = self._settle(end.env, there)
        for i, value in enumerate(stack):
            self._emit(f"  store {self.kind} {value}, ptr {self._at(Words.SLOTS + i)}")
        if self.hands:
            self._emit(f"  store i64 {x}, ptr {self._at(Words.HAND_X)}")
            self._emit(f"  store i64 {y}, ptr {self._at(Words.HAND_Y)}")
        self._emit(f"  store i64 {self._spend(end.ticks)}, ptr {self._at(Words.FUEL)}")

    def _define(self, text: str) -> str:
        self.count += 1
        self._emit(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def _emit(self, line: str) -> None:
        self.lines.append(line)


def _is_unsigned(value: Any) -> bool:
    """Whether a number may need all 64 bits, where others have a sign."""
    return isinstance(value, Node) and value.op in ("draw", ">>") and MOST < value.high < INFINITE


def arity(function: str) -> int:
    """How many numbers a function takes."""
    return 2 if function.startswith(("pow", "llvm.minimum", "llvm.maximum")) else 1


def suffix(real: str) -> str:
    """How LLVM's own functions on floats of that type are called."""
    count, _, kind = real.strip("<>").rpartition(" x ")
    return (f"v{count}" if count else "") + {"double": "f64", "float": "f32"}[kind]


def signed(bits: int) -> int:
    """64 bits as a number with a sign."""
    return bits - (1 << 64) if bits > MOST else bits


def constant(value: Any, floats: bool) -> str:
    """A plain number as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if floats or isinstance(value, float):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if not LEAST <= value <= MOST:
        raise Unwritable("it holds a number of more than 64 bits")
    return str(value)


class Written(NamedTuple):
    """A unit as text, and all that is needed to run it: where it is entered and left, and which
    part of the stack it works on."""

    text: str
    entries: dict[Key, int]
    exits: list[tuple[Key, int]]
    spent: set[int]
    floats: bool
    deep: bool
    low: int
    slots: int
    size: int
    """Characters of the text that are about the program."""
