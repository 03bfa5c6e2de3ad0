"""The intermediate representation: values that are not known yet, and the blocks they live in.

Instructions act on nodes as if they were numbers. A node is an operation on nodes and numbers;
what is known stays a plain Python number, so that constants fold by simply running.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.plane import ANY_NUMBER, Range
from ..base.leave import Leave as Leave
from ..base.leave import Overflow as Overflow
from .ops import CHANGING, COMPARING, INFINITE, RANGES, WORD, range_of_bits


class Undecided(BaseException):
    """Python asked a node for its truth: the trace has to fork here.

    It is no `Exception`, and neither is `Leave`: instructions that catch such must not catch it.
    """

    def __init__(self, node: Node) -> None:
        self.node = node


class Node:
    """A value that is known only when the program runs.

    `kind` is `int`, `float` or `bool`. Nodes are made by `Graph.make`, which gives the same node
    for the same operation on the same arguments; `graph.facts` holds truths already decided.
    """

    __slots__ = ("args", "graph", "high", "id", "kind", "low", "op")

    def __init__(
        self, graph: NodeGraph, id: int, op: str, args: tuple[Any, ...], kind: str
    ) -> None:
        self.graph = graph
        self.id = id
        self.op = op
        self.args = args
        self.kind = kind
        self.low, self.high = _range(op, args, graph)

    def __bool__(self) -> bool:
        if self.op == "not":
            return not self.args[0]
        if self.kind != "bool":
            return bool(self.graph.arithmetic("!=", self, 0))
        known = self.graph.facts.get(self.id)
        if known is None:
            raise Undecided(self)
        return known

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return self.graph.arithmetic("-", 0 if self.kind == "int" else -0.0, self)

    def __abs__(self) -> Any:
        return self.graph.make("abs", (self,), self.kind)

    @property
    def spread(self) -> float:
        """How far its greatest value is from its least."""
        return INFINITE if INFINITE in (-self.low, self.high) else self.high - self.low

    def __truediv__(self, other: Any) -> Any:
        """Whole numbers that are floats as well divide as floats."""
        exact = 1 << 53
        if self.low < -exact or self.high > exact or type(other) is not int or abs(other) > exact:
            raise Leave
        return self.graph.make(
            "divide", (self.graph.make("float", (self,), "float"), float(other)), "float"
        )

    def _unusable(self, *_: object) -> Any:
        raise Leave

    # Whatever is not recorded must not go unnoticed either: text would be that of the node.
    __hash__ = __repr__ = __str__ = __format__ = _unusable
    __int__ = __float__ = __complex__ = __index__ = __iter__ = __len__ = __getitem__ = _unusable
    __round__ = __trunc__ = __floor__ = __ceil__ = __invert__ = _unusable
    __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rlshift__ = _unusable
    __rtruediv__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = _unusable
    __getattr__ = _unusable


GROWING = {"+", "-", "*", "quotient", "remainder"}
"""Operations on whole numbers that are looked after where these have a number of bits."""


def is_loaded(value: Any) -> bool:
    """Whether a value depends on when it is computed."""
    work, done = [value], set()
    while work:
        node = work.pop()
        if isinstance(node, Node) and node.id not in done:
            if node.op in CHANGING:
                return True
            done.add(node.id)
            work += node.args
    return False


def kind_of(value: Any) -> str:
    """`int`, `float` or `bool`, also of plain numbers."""
    return value.kind if isinstance(value, Node) else type(value).__name__


def bounds_of(value: Any) -> Range:
    """Between which numbers a value lies."""
    return (value.low, value.high) if isinstance(value, Node) else (value, value)


def _range(op: str, args: tuple[Any, ...], graph: NodeGraph) -> Range:
    """What is known of the size of a whole number; infinite where nothing is.

    Where numbers are checked, those that something is computed from have so many bits.
    """
    if op == "cell":
        return graph.cells
    known = RANGES.get(op)
    if known is None or "float" in map(kind_of, args):
        return ANY_NUMBER
    ranges = [bounds_of(arg) for arg in args]
    if op == "*" and _is_share(args[0], args[1]):  # (y / x) * x is no larger than y
        ranges = [bounds_of(args[0].args[0]), (0, 1)]
    if graph.checked and op in GROWING:
        least, most = graph.numbers
        ranges = [(max(low, least), min(high, most)) for low, high in ranges]
    return known(*ranges)


def _compared(symbol: str, one: Range, other: Range) -> bool | None:
    """What comes of comparing numbers in these ranges, if that is the same for all of them."""
    (a_low, a_high), (b_low, b_high) = one, other
    if symbol in ("<", ">="):
        if a_high < b_low or a_low >= b_high:
            return (a_high < b_low) == (symbol == "<")
    elif a_high < b_low or b_high < a_low:
        return symbol == "!="
    elif a_low == a_high == b_low == b_high:
        return symbol == "=="
    return None


def _is_share(share: Any, divisor: Any) -> bool:
    """Whether the first is a quotient by the second."""
    if not isinstance(share, Node) or share.op != "quotient":
        return False
    x = share.args[1]
    return x is divisor or (type(x) is int and type(divisor) is int and x == divisor)


def _binary(symbol: str, swapped: bool = False) -> Callable[[Node, Any], Any]:
    def make(self: Node, other: Any) -> Any:
        pair = (other, self) if swapped else (self, other)
        return self.graph.arithmetic(symbol, *pair)

    return make


for _name, _symbol in {
    "add": "+", "sub": "-", "mul": "*", "mod": "%", "floordiv": "//", "and": "&", "rshift": ">>",
}.items():  # fmt: skip
    setattr(Node, f"__{_name}__", _binary(_symbol))
    setattr(Node, f"__r{_name}__", _binary(_symbol, swapped=True))
for _name, _symbol in {
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}.items():  # fmt: skip
    setattr(Node, f"__{_name}__", _binary(_symbol))


def identity(value: Any) -> Any:
    """Something to know a value by: nodes by their number, and 0.0 is neither 0 nor -0.0."""
    kind = type(value)
    if kind is Node:
        return value.id
    return (value,) if kind is int else (kind, repr(value))


class NodeGraph:
    """Where nodes are made: the same operation on the same arguments is the same node."""

    def __init__(self, checked: bool = False, cells: Range = ANY_NUMBER, bits: int = WORD) -> None:
        self.nodes: list[Node] = []
        self.facts: dict[int, bool] = {}
        self.checked = checked  # whether whole numbers must stay within so many bits
        self.numbers = range_of_bits(bits)  # the whole numbers that have so many
        self.cells = cells  # between which numbers the cells of the plane are
        self.wide = False  # whether some numbers may have more bits
        self._known: dict[Any, Node] = {}
        self._results: dict[Any, Any] = {}
        self._asked_before: dict[Any, tuple[Node, bool]] = {}
        """Questions that ranges do not answer, and whether they were turned round."""
        self._questions = 0

    def forget(self) -> None:
        """Let go of the nodes, which hold on to the graph as well."""
        self.nodes.clear()
        self._known.clear()
        self._results.clear()
        self._asked_before.clear()

    def make(self, op: str, args: tuple[Any, ...], kind: str) -> Node:
        key = (op, *map(identity, args))
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(self, len(self.nodes), op, args, kind)
            self.nodes.append(node)
        return node

    def arithmetic(self, symbol: str, a: Any, b: Any) -> Any:
        """The node for an operation, or something simpler that has the same value."""
        key = (symbol, identity(a), identity(b))
        found = self._results.get(key)
        if found is not None:
            return found
        question = self._asked_before.get(key)
        if question is not None:
            return self._answer(*question)
        if not (isinstance(a, (Node, int, float)) and isinstance(b, (Node, int, float))):
            raise Leave
        floats = "float" in (kind_of(a), kind_of(b))
        if symbol in COMPARING:
            if floats:
                return self.make(symbol, (a, b), "bool")
            return self._compare(symbol, a, b, key)
        questions = self._questions
        if symbol in ("%", "//"):
            self.stay_off_zero(b)
        result = self.make(symbol, (a, b), "float") if floats else self._whole(symbol, a, b)
        if questions == self._questions:  # else it is true on this path only
            self._results[key] = result
        return result

    def _whole(self, symbol: str, a: Any, b: Any) -> Any:
        """Arithmetic of whole numbers, and what is known about it."""
        # Nodes are never compared here: that would be a question to the running program.
        if type(b) is int and symbol in ("+", "-"):
            base, offset = apart(a)
            symbol, a, b = "+", base, offset + (b if symbol == "+" else -b)
            if b == 0:
                return a
            if not isinstance(a, Node):
                return a + b
        if symbol == "+" and type(a) is int and a == 0:
            return b
        if symbol == "%" and type(b) is int and b > 0:
            wrapped = self._wrapped(a, b)
            if wrapped is not None:
                return wrapped
        if symbol == "-":
            rest = self._remainder(a, b)
            if rest is not None:
                return rest
            rest = self._remainder(b, a)
            if rest is not None:
                return self.arithmetic("-", 0, rest)
        if symbol == ">>" and bounds_of(b)[0] < 0:
            self._questions += 1
            if b < 0:
                raise Leave
        result = self.make(symbol, (a, b), "int")
        grows = symbol in ("+", "-", "*")
        if grows and not self.holds(result):
            self.stay_within_bits(symbol, a, b)
        return result

    def _wrapped(self, value: Any, size: int) -> Any:
        """A remainder of a remainder is taken once; of a number in range, it is the number."""
        base, offset = apart(value)
        if isinstance(base, Node) and base.op == "%" and identity(base.args[1]) == (size,):
            return self.arithmetic("%", self.arithmetic("+", base.args[0], offset), size)
        low, high = bounds_of(value)
        return value if low >= 0 and high < size else None

    def _remainder(self, number: Any, product: Any) -> Any:
        """y - (y / x) * x is what languages without a remainder write for it."""
        if isinstance(number, Node) and isinstance(product, Node) and product.op == "*":
            share, divisor = product.args
            if _is_share(share, divisor) and share.args[0] is number:
                return self.make("remainder", (number, divisor), "int")
        return None

    def settled(self, value: Any) -> Any:
        """The number that a value must be after all that was asked about it; else the value."""
        if not isinstance(value, Node):
            return value
        base, offset = apart(value)
        others = set()
        for number, answer in self.facts.items():
            op, args = self.nodes[number].op, self.nodes[number].args
            if op == "==" and args[0] is base and isinstance(args[1], int):
                if answer:
                    return args[1] + offset
                others.add(args[1] + offset)
        if value.spread == len(others):
            (left,) = {*range(int(value.low), int(value.high) + 1)} - others
            return left
        return value

    def holds(self, value: Any) -> bool:
        """Whether a whole number surely has no more bits than there are."""
        (low, high), (least, most) = bounds_of(value), self.numbers
        return bool(low >= least and high <= most)

    def stay_within_bits(self, symbol: str, a: Any, b: Any) -> None:
        """Where numbers are checked, leave before the instruction has done anything if the result
        would not fit."""
        self.wide = True
        if not self.checked:
            return
        self._questions += 1
        if self.make(f"overflow {symbol}", (a, b), "bool"):
            raise Overflow

    def stay_off_zero(self, divisor: Any) -> None:
        """Leave before a division by zero: the reference engine raises the error."""
        low, high = bounds_of(divisor)
        if low > 0 or high < 0:
            return
        self._questions += 1
        if not divisor:
            raise Leave

    def _compare(self, symbol: str, a: Any, b: Any, key: Any) -> Any:
        """Whole numbers: decided by their ranges, or a question that may be answered already.

        Only `<` and `==` are asked; the others are these, turned round. So each question has one
        form, and its answer is found again.
        """
        if symbol in (">", "<="):
            symbol, a, b = {">": "<", "<=": ">="}[symbol], b, a
        if symbol in ("==", "!=") and type(b) is int:
            a, b = self._without_sum(a, b)
        plainly = _compared(symbol, bounds_of(a), bounds_of(b))
        if plainly is not None:
            self._results[key] = plainly
            return plainly
        plain = self.make({">=": "<", "!=": "=="}.get(symbol, symbol), (a, b), "bool")
        question = self._asked_before[key] = plain, symbol in (">=", "!=")
        return self._answer(*question)

    def _without_sum(self, a: Any, b: int) -> tuple[Any, Any]:
        """Two numbers that are equal if and only if these are, without a sum or a difference that
        may not be used elsewhere: x + 1 is 3 if x is 2, and x - y is 0 if x is y."""
        base, offset = apart(a)
        if offset and self.holds(b - offset):
            a, b = base, b - offset
        if isinstance(a, Node) and a.op == "-" and b == 0:
            y, x = a.args
            if not isinstance(y, Node):
                return x, y
            if not isinstance(x, Node) or x.op != "*":  # else it may be what a division leaves
                return y, x
        return a, b

    def _answer(self, plain: Node, turned: bool) -> Any:
        """The answer to a question, or what it was turned round, if it is known on this path."""
        known = self.truth_of(plain)
        if known is not None:
            return known != turned
        return self.make("not", (plain,), "bool") if turned else plain

    def truth_of(self, plain: Node) -> bool | None:
        """The answer to a question, if it is known on this path."""
        known = self.facts.get(plain.id)
        return self._follows(*plain.args) if known is None and plain.op == "<" else known

    def _follows(self, a: Any, b: Any) -> bool | None:
        """Whether a < b follows from what is known of a neighbour of a: y < h says y - 1 < h."""
        base, offset = apart(a)
        for known, truth in self.facts.items():
            fact = self.nodes[known]
            if fact.op == "<" and fact.args[1] is b:
                other, other_offset = apart(fact.args[0])
                if other is base and (offset <= other_offset if truth else offset >= other_offset):
                    return truth
        return None


def apart(value: Any) -> tuple[Any, ...]:
    """A value as another one and a plain number to be added."""
    if isinstance(value, Node) and value.op == "+" and type(value.args[1]) is int:
        return value.args
    return value, 0


def offset_of(value: Any) -> int:
    """The plain number in a value: what is added to another one, or all of it."""
    number: int = apart(value)[1] if isinstance(value, Node) else value
    return number


class Register(NamedTuple):
    """A register that holds a whole number: its name, and its place among all of them."""

    name: str
    number: int


DRAWS = Register("", -1)  # how many random numbers were drawn, which code keeps like a register


class Key(NamedTuple):
    """What compiled code is made for: a stance, how deep the stack is (None: any depth), and the
    stances that were called from."""

    stance: Stance
    depth: int | None
    calls: tuple[Stance, ...] = ()


class ConditionalBranch(NamedTuple):
    """Go on in one of two blocks; what joins again goes on in a third."""

    condition: Node
    yes: Block
    no: Block
    join: Block | None = None


class Join(NamedTuple):
    """Go on where the branches of an instruction join, with these values for what differs."""

    values: list[tuple[Node, Any]]


class Goto(NamedTuple):
    """Go on at a loop header."""

    key: Key
    env: Any
    ticks: int


class Exit(NamedTuple):
    """Leave compiled code; the state is that before the instruction that could not be compiled.

    Where code may end the program itself, `halted` says so; the state is that at the end then.
    `overflow` says that the instruction has numbers of too many bits.
    """

    key: Key
    env: Any
    ticks: int
    halted: bool = False
    overflow: bool = False


class Block:
    """Operations one after the other, and how they end."""

    __slots__ = ("end", "ops", "walked")

    def __init__(self) -> None:
        self.ops: list[tuple[Any, ...]] = []
        self.walked: list[tuple[Stance, Instruction]] = []
        """The instructions it performs, in their order, and where each stands."""
        self.end: ConditionalBranch | Join | Goto | Exit | None = None
