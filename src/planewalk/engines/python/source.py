"""Trees written out as Python source: the readable meaning of a trace.

One function runs all trees of a unit. `head` says which tree is next, `fuel` how many ticks are
left; it returns the number of the exit it left by, and the fuel it did not use.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from typing import Any

from ...core.base.named import NamedTuple
from ...core.numbers import chance
from ...core.numbers.float32 import f32
from ...core.numbers.pure import PURE, sample
from ..base.keeping import Keeping
from ..tracing.footprint import UnitLayout, is_slot
from ..tracing.ir import (
    DRAWS,
    Block,
    ConditionalBranch,
    Exit,
    Goto,
    Join,
    Key,
    Node,
    Register,
)
from ..tracing.ops import LONG, ROWS, same
from ..tracing.trees import Env, Tree

STATE = {
    "height": "H",
    "count": "len(cells)",
    "least_x": "columns.least",
    "most_x": "columns.most",
    "least_y": "lines.least",
    "most_y": "lines.most",
    "fed": "source.position - source.dropped < len(source.data)",
    "closed": "source.closed",
    "input": "source.data[source.position - source.dropped]",
    "under": "S[-{0}]",
    "has": "len(S) >= {0}",
    "roomy": "{0} * W <= m.room",
    "draw": "mix(m.seed, m.clock - fuel + {0})",
    "tick": "m.clock - fuel + {0}",
    "below": "below({0}, m.seed, {1})",
    "drawn": "{0}[0]",
    "counted": "{0}[1]",
    "counter": "m.draws",
    "sample": "sample(samples, {0})",
}
"""What is read of the state of a run, as expressions."""
BY_HAND = {"slot", "hand", "either", "register", "cell", "coded"}
"""What has a name, or stands in a place of its own."""
EXPRESSIONS = {**STATE, **{row.name: row.python for row in ROWS if row.python is not None}}
NAMES: dict[str, Any] = {
    **PURE, "f32": f32, "array": array, "LONG": LONG, "same": same,
    "mix": chance.mix, "below": chance.below, "sample": sample,
}  # fmt: skip
"""What these expressions refer to."""
STATEMENTS = {
    "read": "source.position += 1",
    "grow": "H = m.grow({0})",
    "byte": "out.append({0})",
    "number": 'out += b"%d" % {0}',
}
OTHER_EFFECTS = {"let", "bytes", "put"}  # effects that are no such statements


POWERS_OF_TWO = {1 << bits for bits in range(64)}


LONGEST_NUMBER = 650  # more digits than the longest number has that generated code works on


class Source(NamedTuple):
    """The text, where it can be entered, and where each exit leaves to."""

    text: str
    entries: dict[Key, int]
    exits: list[Key]
    spent: set[int]  # the exits taken for want of fuel
    registers: list[Register] = []  # those that must hold whole numbers where it is entered


class SourceWriter:
    """Writes one unit."""

    def __init__(self, trees: list[Tree], keeping: Keeping, floats: bool, hands: bool) -> None:
        self.trees = trees
        self.keeping = keeping
        self.floats = floats
        self.hands = hands
        self.lines: list[str] = []
        self.exits: list[Key] = []
        self.spent: set[int] = set()
        self.layout = UnitLayout(trees)
        self.heads, self.deep, self.low = self.layout.heads, self.layout.deep, self.layout.low

    def source(self) -> Source:
        put = self._line
        put(0, "def unit(m, fuel, head):")
        names = ["S", "R", "out", "source", *self.keeping.names]
        put(1, f"{', '.join(names)} = {', '.join(f'm.{name}' for name in names)}")
        if self.hands:
            put(1, "hx, hy = m.hx, m.hy")
        if not self.deep:
            self._load_slots()
        put(1, "while True:")
        self._dispatch(list(enumerate(self.trees)), 2)
        text = "\n".join(self.lines) + "\n"
        return Source(text, self.heads, self.exits, self.spent, self.layout.registers)

    def _load_slots(self) -> None:
        for (_, depth, _), number in self.heads.items():
            assert depth is not None
            if depth > self.low:
                slots = "".join(f"s{i}, " for i in range(self.low, depth))
                self._line(1, f"if head == {number}: {slots}= S[{self.low}:]")

    def _dispatch(self, trees: list[tuple[int, Tree]], depth: int) -> None:
        """A decision tree over heads: a long chain of comparisons would be slow."""
        if len(trees) > 1:
            half = len(trees) // 2
            self._line(depth, f"if head < {trees[half][0]}:")
            self._dispatch(trees[:half], depth + 1)
            self._line(depth, "else:")
            self._dispatch(trees[half:], depth + 1)
            return
        number, tree = trees[0]
        self._line(depth, "while True:")
        enough = f"fuel < {tree.longest}"
        writes = self.layout.writes(tree, LONGEST_NUMBER)
        if writes:
            enough += f" or len(out) > m.most_written - {writes}"
        self._line(depth + 1, f"if {enough}:")
        self._line(depth + 2, "break")
        self._tree(tree, depth + 1)
        # Out of fuel, and not on the way to another head: leave on the state of this one.
        self._line(depth, f"if head == {number}:")
        self.spent.add(len(self.exits))
        nothing_done = self.layout.untouched(tree.key.depth or 0)
        self._exit(Exit(tree.key, nothing_done, 0), depth + 1, set())

    def _tree(self, tree: Tree, depth: int) -> None:
        work: list[tuple[Block, int, set[int]] | tuple[str, int]] = [(tree.root, depth, set())]
        while work:
            item = work.pop()
            if isinstance(item[0], str):
                self._line(item[1], item[0])
                continue
            block, level, there = item
            for op in block.ops:
                self._op(op, level, there)
            end = block.end
            if isinstance(end, ConditionalBranch):
                condition = self._condition(end.condition, level, there)
                if end.join is not None:  # whatever does not leave falls through to here
                    work.append((end.join, level, set(there)))
                if _leaves(end.yes) or _leaves(end.no):  # the other side is nested no deeper
                    side, on = (end.yes, end.no) if _leaves(end.yes) else (end.no, end.yes)
                    negated = side is end.no
                    self._line(level, f"if not ({condition}):" if negated else f"if {condition}:")
                    assert isinstance(side.end, Exit)
                    self._exit(side.end, level + 1, set(there))
                    work.append((on, level, set(there)))
                    continue
                self._line(level, f"if {condition}:")
                work.append((end.no, level + 1, set(there)))
                work.append(("else:", level))
                work.append((end.yes, level + 1, set(there)))
            elif isinstance(end, Join):
                self._join(end, level, there)
            elif isinstance(end, Goto):
                self._goto(tree, end, level, there)
            else:
                assert end is not None
                self._exit(end, level, there)

    # Values ----------------------------------------------------------------------------------

    def _value(self, value: Any, depth: int, there: set[int]) -> str:
        """The name of a value; whatever it needs is computed first, in the order of making."""
        if not isinstance(value, Node):
            return _constant(value)
        needed: list[Node] = []
        work = [value]
        while work:
            node = work.pop()
            if node.id not in there and node.op not in ("slot", "hand", "either"):
                there.add(node.id)
                needed.append(node)
                work += [arg for arg in node.args if isinstance(arg, Node)]
        for node in sorted(needed, key=lambda node: node.id):
            self._line(depth, f"t{node.id} = {self._expression(node)}")
        return _name(value)

    def _condition(self, node: Node, depth: int, there: set[int]) -> str:
        """The text of a condition, written into the `if` unless it has a name already."""
        if node.id in there:
            return _name(node)
        for arg in node.args:
            self._value(arg, depth, there)
        return self._expression(node)

    def _expression(self, node: Node) -> str:
        if node.op == "register":
            return _register(node.args[0])
        args = [_name(arg) if isinstance(arg, Node) else _constant(arg) for arg in node.args]
        shorter = SHORTER.get(node.op)
        text = shorter and shorter(node, *args)
        if text:
            return text
        if node.op == "cell":
            return self.keeping.read_text(args[0], args[1])
        if node.op == "coded":
            return self.keeping.marked_text(args[0], args[1])
        return EXPRESSIONS[node.op].format(*args)

    def _op(self, op: tuple[Any, ...], depth: int, there: set[int]) -> None:
        kind, *args = op
        if kind == "let":
            self._value(args[0], depth, there)
            return
        if kind == "bytes":
            self._line(depth, f"out += {args[0]!r}")
            return
        names = [self._value(arg, depth, there) for arg in args]
        if kind == "put":
            x, y, value = names
            self._line(depth, self.keeping.write_text(x, y, value))
        else:
            self._line(depth, STATEMENTS[kind].format(*names))

    # Ends ------------------------------------------------------------------------------------

    def _join(self, end: Join, depth: int, there: set[int]) -> None:
        values = [self._value(value, depth, there) for _, value in end.values]
        names = [_name(node) for node, _ in end.values]
        text = f"{', '.join(names)} = {', '.join(values)}" if names else "pass"
        self._line(depth, text)

    def _goto(self, tree: Tree, end: Goto, depth: int, there: set[int]) -> None:
        env: Env = end.env
        self._compute(env, depth, there)
        self._flush(env, depth, there)
        targets, values = [], []
        if not self.deep:
            for i in range(self.low, len(env.stack)):
                if not is_slot(env.stack[i], i):
                    targets.append(f"s{i}")
                    values.append(self._value(env.stack[i], depth, there))
        if self.hands:
            for name, axis, value in (("hx", "x", env.hand_x), ("hy", "y", env.hand_y)):
                if not (isinstance(value, Node) and value.op == "hand" and value.args[0] == axis):
                    targets.append(name)
                    values.append(self._value(value, depth, there))
        if targets:
            self._line(depth, f"{', '.join(targets)} = {', '.join(values)}")
        self._line(depth, f"fuel -= {end.ticks}")
        if end.key == tree.key:
            self._line(depth, "continue")
        else:
            self._line(depth, f"head = {self.heads[end.key]}")
            self._line(depth, "break")

    def _compute(self, env: Env, depth: int, there: set[int]) -> None:
        """Give every value a name before the first is stored: storing changes what others read."""
        for value in (*env.registers.values(), *env.stack, env.hand_x, env.hand_y):
            self._value(value, depth, there)

    def _flush(self, env: Env, depth: int, there: set[int]) -> None:
        """Bring registers, and a stack of any depth, back to where they live."""
        for slot, value in env.registers.items():
            if not (isinstance(value, Node) and value.op == "register" and value.args[0] == slot):
                self._line(depth, f"{_register(slot)} = {self._value(value, depth, there)}")
        if self.deep:
            keep = 0
            while (
                keep < len(env.stack)
                and keep < env.drop
                and _is_under(env.stack[keep], env.drop - keep)
            ):
                keep += 1
            values = [self._value(value, depth, there) for value in env.stack[keep:]]
            drop = env.drop - keep
            if drop == len(values) == 1:
                self._line(depth, f"S[-1] = {values[0]}")
            elif drop:
                self._line(depth, f"S[-{drop}:] = {self._list(values)}")
            elif len(values) == 1:
                self._line(depth, f"S.append({values[0]})")
            elif values:
                self._line(depth, f"S += {self._list(values)}")

    def _exit(self, end: Exit, depth: int, there: set[int]) -> None:
        env: Env = end.env
        self._compute(env, depth, there)
        self._flush(env, depth, there)
        if not self.deep:
            values = [self._value(v, depth, there) for v in env.stack[self.low :]]
            if values or self.layout.deepest > self.low:
                self._line(depth, f"S[{self.low}:] = {self._list(values)}")
        if self.hands:
            x, y = (self._value(v, depth, there) for v in (env.hand_x, env.hand_y))
            self._line(depth, f"m.hx, m.hy = {x}, {y}")
        left = f"fuel - {end.ticks}" if end.ticks else "fuel"
        self._line(depth, f"return {len(self.exits)}, {left}")
        self.exits.append(end.key)

    def _list(self, values: list[str]) -> str:
        return f"array('f', {_tuple(values)})" if self.floats else _tuple(values)

    def _line(self, depth: int, text: str) -> None:
        self.lines.append(" " * depth + text)


def _leaves(block: Block) -> bool:
    """Whether a block does nothing but leave."""
    return not block.ops and isinstance(block.end, Exit)


def _register(slot: Any) -> str:
    """Where a register is."""
    if slot == DRAWS:
        return "m.draws"
    return f"R[{slot.name!r}]" if isinstance(slot, Register) else f"R[{slot}]"


def _is_under(value: Any, depth: int) -> bool:
    return isinstance(value, Node) and value.op == "under" and value.args[0] == depth


def _name(node: Node) -> str:
    if node.op == "slot":
        return f"s{node.args[0]}"
    if node.op == "hand":
        return f"h{node.args[0]}"
    return f"t{node.id}"


DECIMAL = 1 << 64
"""Python reads and writes long numbers only so far in decimal, and any in hexadecimal."""


def _constant(value: Any) -> str:
    if isinstance(value, float):
        return f"float('{value!r}')" if value != value or value in (1e999, -1e999) else repr(value)
    text = repr(value) if -DECIMAL < value < DECIMAL else hex(value)
    return f"({text})" if value < 0 else text


def _by_mask(node: Node, y: str, x: str) -> str:
    """Remainders of powers of two."""
    divisor = node.args[1]
    known = node.kind == "int" and type(divisor) is int and divisor in POWERS_OF_TWO
    return f"{y} & {divisor - 1}" if known else ""


def _by_sign(symbol: str, node: Node, y: str, x: str) -> str:
    """Division by a number that is above 0, without a call."""
    divisor = node.args[1]
    known = type(divisor) is int and divisor > 0
    return f"{y} {symbol} {x} if {y} >= 0 else -(-{y} {symbol} {x})" if known else ""


SHORTER: dict[str, Callable[..., str]] = {
    "%": _by_mask, "quotient": partial(_by_sign, "//"), "remainder": partial(_by_sign, "%")
}  # fmt: skip
"""Better ways to say something, where there is one."""


def _tuple(values: list[str]) -> str:
    return f"({', '.join(values)}{',' if len(values) == 1 else ''})"
