"""Expressions of the subset as LLVM IR."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from functools import reduce
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .instructions import ONES, InstructionWriter
from .subset import (
    BUFFERS,
    BUILTIN,
    OPERATIONS,
    TYPES,
    Computed,
    Function,
    constant,
    kind_of,
    signature_of,
    tree_of,
)

if TYPE_CHECKING:
    from .module import FunctionModule

ALL_BUT_THE_SIGN = (1 << 63) - 1
NO_FLOATS = "kernels have no floats"


class ExpressionWriter(ABC):
    """Writes what one function computes. What functions of floats call becomes part of them."""

    def __init__(self, module: FunctionModule, function: Function, lanes: int) -> None:
        self.module = module
        self.ir = InstructionWriter(function, lanes)
        self.parameters = signature_of(function).parameters
        self.both = signature_of(function).of_floats  # whether both sides of a choice are computed
        self.scope: dict[str, Any] | None = None
        """The values of variables; None where they stand in memory."""
        self.variables: dict[str, str] = {}
        """Those in memory, each with its kind; LLVM turns them into registers."""

    # Variables -------------------------------------------------------------------------------

    def _set(self, name: str, value: Any) -> None:
        """Store into a variable in memory."""
        kind = kind_of(value)
        kind = self.variables.setdefault(name, "int" if kind == "literal" else kind)
        self.ir.emit(f"store {TYPES[kind]} {self.ir.text(value, kind)}, ptr %{name}.v")

    def _get(self, name: str) -> Computed:
        kind = self.variables[name]
        return self.ir.define(f"load {TYPES[kind]}, ptr %{name}.v", kind)

    def _get_Name(self, node: ast.Name) -> Any:
        if self.scope is not None and node.id in self.scope:
            return self.scope[node.id]
        if self.scope is None and node.id in self.variables:
            return self._get(node.id)
        found = self.ir.function.__globals__.get(node.id)
        if not isinstance(found, (int, float)):
            self.ir.refuse(node, f"{node.id} has no value yet")
        return self._known(node, found)

    def _get_Attribute(self, node: ast.Attribute) -> Any:
        module = self.ir.function.__globals__.get(getattr(node.value, "id", ""))
        found = getattr(module, node.attr, None)
        if not (isinstance(module, ModuleType) and isinstance(found, (int, float))):
            self.ir.refuse(node, f"{ast.unparse(node)} is no number of a module")
        return self._known(node, found)

    # Conditions ------------------------------------------------------------------------------

    def _branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one of two labels; what need not be looked at is not."""
        if isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                more = self.ir.label()
                self._branch(part, *((more, no) if isinstance(node.op, ast.And) else (yes, more)))
                self.ir.begin(more)
            self._branch(node.values[-1], yes, no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._branch(node.operand, no, yes)
        elif isinstance(node, ast.Compare):
            left = self._value(node.left)
            for i, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
                right = self._value(other)
                more = yes if i == len(node.ops) else self.ir.label()
                holds = self.ir.compare(node, op, left, right).text
                self.ir.emit(f"br i1 {holds}, label %{more}, label %{no}")
                if more != yes:
                    self.ir.begin(more)
                left = right
        else:
            holds = self.ir.truth(self._value(node)).text
            self.ir.emit(f"br i1 {holds}, label %{yes}, label %{no}")

    def _choice(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> Any:
        """One of two values; in kernels, the other is not computed."""
        if self.both:
            condition = self.ir.truth(self._value(test))
            return self.ir.select(test, condition, self._value(yes), self._value(no))
        first, second, end = self.ir.label(), self.ir.label(), self.ir.label()
        self._branch(test, first, second)
        values: list[Any] = []
        for label, node in ((first, yes), (second, no)):
            self.ir.begin(label)
            values.append(self._value(node))
            self.ir.common(test, *values)
            self._set(f"choice{end}", values[-1])
            self.ir.emit(f"br label %{end}")
        self.ir.begin(end)
        return self._get(f"choice{end}")

    def _get_IfExp(self, node: ast.IfExp) -> Any:
        return self._choice(node.test, node.body, node.orelse)

    def _get_Compare(self, node: ast.Compare) -> Any:
        if not self.both:
            return self._choice(node, ast.Constant(1), ast.Constant(0))
        if len(node.ops) > 1:
            self.ir.refuse(node, "one comparison at a time, of floats")
        left, right = self._value(node.left), self._value(node.comparators[0])
        return self.ir.compare(node, node.ops[0], left, right)

    def _get_BoolOp(self, node: ast.BoolOp) -> Any:
        if not self.both:
            self.ir.refuse(node, "no such expression")
        name = "and" if isinstance(node.op, ast.And) else "or"
        values = [self.ir.truth(self._value(value)) for value in node.values]
        return reduce(lambda a, b: self.ir.operate(name, "truth", a, b), values)

    # Numbers ---------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Any:
        """Something that is computed, a number that is known, or a tuple of such."""
        method = getattr(self, f"_get_{type(node).__name__}", None)
        if method is None:
            self.ir.refuse(node, "no such expression")
        return method(node)

    def _number(self, node: ast.expr) -> str:
        """The name of an `int`."""
        value = self._value(node)
        if kind_of(value) not in ("int", "literal"):
            self.ir.refuse(node, f"expected an int, not {kind_of(value)}")
        return self.ir.text(value, "int")

    def _get_Constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, (int, float)):
            self.ir.refuse(node, f"expected a number, not {node.value!r:.60}")
        return self._known(node, node.value)

    def _known(self, node: ast.AST, value: float) -> float:
        if isinstance(value, float) and not self.both:
            self.ir.refuse(node, NO_FLOATS)
        if constant(value, kind_of(value)) is None:
            self.ir.refuse(node, f"expected a number of 64 bits, not {value!r:.60}")
        return value

    def _get_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._value(element) for element in node.elts)

    def _whole(self, node: ast.expr) -> int:
        """A number that is known now."""
        value = self._value(node)
        if not isinstance(value, int):
            self.ir.refuse(node, "expected a number that never changes")
        return value

    def _get_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            if not self.both:
                return self._choice(node, ast.Constant(1), ast.Constant(0))
            return self.ir.operate("xor", "truth", self.ir.truth(self._value(node.operand)), True)
        value = self._value(node.operand)
        kind = kind_of(value)
        if isinstance(node.op, ast.Invert) and kind in ("int", "word", "literal", "lanes"):
            if not isinstance(value, Computed):
                return ~value
            ones = Computed(ONES, kind) if kind == "lanes" else -1
            kind = "int" if kind == "literal" else kind
            return self.ir.operate("xor", kind, value, ones)
        if not isinstance(node.op, ast.USub) or kind not in ("int", "literal", "float"):
            self.ir.refuse(node, "only an int or a float has a sign")
        if not isinstance(value, Computed):
            return -value
        if kind == "float":
            return self.ir.define(f"fneg {self.ir.type_of(kind)} {value.text}", kind)
        return self.ir.operate("sub", "int", 0, value)

    def _get_BinOp(self, node: ast.BinOp) -> Any:
        return self._combine(node, self._value(node.left), node.right)

    def _combine(self, node: ast.BinOp | ast.AugAssign, left: Any, other: ast.expr) -> Any:
        right, op = self._value(other), type(node.op)
        if op not in OPERATIONS:
            self.ir.refuse(node, "no such operation")
        if not isinstance(left, Computed) and not isinstance(right, Computed):
            return OPERATIONS[op].known(left, right)
        if op in (ast.LShift, ast.RShift):
            if kind_of(left) == "lanes":
                if self._whole(other) != 1:
                    self.ir.refuse(other, "lanes move by one place at a time")
                return self.ir.shift_lanes(left.text, op is ast.LShift)
            kind = kind_of(left)
            self.ir.scalar(node, right)
        else:
            kind = self.ir.common(node, left, right)
        if kind == "lanes" and op in (ast.BitAnd, ast.BitOr, ast.BitXor):
            name = OPERATIONS[op].word
        else:
            name = getattr(OPERATIONS[op], "int" if kind == "literal" else kind, "")
        if not name:
            self.ir.refuse(node, f"no such operation on {kind}")
        if name in ("sdiv", "srem"):
            return self.ir.floor_division(node, name, left, right)
        return self.ir.operate(name, kind, left, right)

    # Buffers and tables ----------------------------------------------------------------------

    def _get_Subscript(self, node: ast.Subscript) -> Any:
        name = getattr(node.value, "id", "")
        table = self.ir.function.__globals__.get(name)
        if isinstance(table, list) and name not in self.parameters:
            return self._look_up(name, table, self._value(node.slice))
        return self._load(*self._element(node.value, node.slice))

    def _look_up(self, name: str, table: list[Any], index: Any) -> Computed:
        symbol, kind = self.module.table(name, table)

        def item(lane: int) -> Computed:
            at = self.ir.extract(index, "int", lane)
            place = self.ir.define(f"getelementptr {TYPES[kind]}, ptr {symbol}, i64 {at}", "").text
            return self.ir.define(f"load {TYPES[kind]}, ptr {place}", kind)

        return self.ir.each_lane(item)

    def _load(self, place: str, kind: str) -> Computed:
        widen, bits = BUFFERS[kind]
        value = self.ir.define(f"load i{bits}, ptr {place}", "word" if kind == "U64" else "int")
        return self.ir.define(f"{widen} i{bits} {value.text} to i64", "int") if widen else value

    def _element(self, buffer: ast.expr, index: ast.expr) -> tuple[str, str]:
        """Where an item is, and the type of its buffer."""
        name = getattr(buffer, "id", "")
        kind = self.parameters.get(name, "")
        if kind not in BUFFERS:
            self.ir.refuse(buffer, "only buffers have elements")
        bits, at = BUFFERS[kind][1], self._number(index)
        return self.ir.define(f"getelementptr i{bits}, ptr %{name}, i64 {at}", "").text, kind

    # Calls -----------------------------------------------------------------------------------

    def _get_Call(self, node: ast.Call) -> Any:
        name = getattr(node.func, "id", "")
        if node.keywords:
            self.ir.refuse(node, "calls have no keywords")
        if name in BUILTIN or name in ("word", "int"):
            return self._builtin(node, name)
        if name in ("float", "abs", "bits", "from_bits"):
            return self._of_float(node, name)
        if name in ("lanes", "put_lanes"):
            return self._lanes(node, name)
        found: Any = self.ir.function.__globals__.get(name)
        if not hasattr(found, "__code__"):
            self.ir.refuse(node, f"{name or 'this'} is no function of the subset")
        if len(node.args) != len(signature_of(found).parameters):
            self.ir.refuse(node, f"{name} takes {len(signature_of(found).parameters)} values")
        if not self.both:
            return self._call(node, found)
        if not signature_of(found).straight:
            self.ir.refuse(node, f"{name} does more than to compute")
        return self._perform(found, self._arguments(node, found))

    def _arguments(self, node: ast.Call, function: Function) -> list[Any]:
        values = [self._value(argument) for argument in node.args]
        kinds = signature_of(function).parameters.values()
        for argument, value, kind in zip(node.args, values, kinds, strict=True):
            if kind_of(value) not in (kind, "literal"):
                self.ir.refuse(argument, f"expected {kind}, not {kind_of(value)}")
        return values

    def _perform(self, function: Function, arguments: list[Any]) -> Any:
        """A function that only computes, as a part of this one."""
        outer = self.ir.function, self.parameters, self.scope
        self.ir.function, self.parameters = function, signature_of(function).parameters
        self.scope = dict(zip(self.parameters, arguments, strict=True))
        result = self._straight(tree_of(function).body)
        self.ir.function, self.parameters, self.scope = outer
        return result

    @abstractmethod
    def _straight(self, statements: list[ast.stmt]) -> Any:
        """What statements give that only compute; how they branch is for writers to say."""

    def _builtin(self, node: ast.Call, name: str) -> Any:
        values = [self._value(argument) for argument in node.args]
        texts = [self.ir.scalar(node, value) for value in values]
        if len(values) != (2 if name in ("min", "max") else 1):
            self.ir.refuse(node, f"{name} takes another number of values")
        if name in ("word", "int"):
            return Computed(texts[0], name)
        kind = self.ir.common(node, *values)
        text = "call i64 @" + BUILTIN[name][kind == "word"].format(*texts)
        return self.ir.define(text, kind if name in ("min", "max") else "int")

    def _of_float(self, node: ast.Call, name: str) -> Any:
        value = self._value(node.args[0])
        if not self.both:
            self.ir.refuse(node, NO_FLOATS)
        float_, whole = self.ir.type_of("float"), self.ir.type_of("int")
        wanted = {"float": (kind_of(value),), "from_bits": ("int", "literal")}.get(name, ("float",))
        if kind_of(value) not in wanted:
            self.ir.refuse(node, f"{name} takes a {wanted[0]}, not {kind_of(value)}")
        if not isinstance(value, Computed):
            return float(value) if name == "float" else self.ir.function.__globals__[name](value)
        if name == "float" and value.kind == "float":
            return value
        if name == "float":
            return self.ir.define(f"sitofp {whole} {value.text} to {float_}", "float")
        if name == "from_bits":
            return self.ir.define(f"bitcast {whole} {value.text} to {float_}", "float")
        bits = self.ir.define(f"bitcast {float_} {value.text} to {whole}", "int")
        if name == "bits":
            return bits
        size = self.ir.operate("and", "int", bits, ALL_BUT_THE_SIGN)
        return self.ir.define(f"bitcast {whole} {size.text} to {float_}", "float")

    def _lanes(self, node: ast.Call, name: str) -> Any:
        if len(node.args) != (2 if name == "lanes" else 3):
            self.ir.refuse(node, f"{name} takes another number of values")
        place, kind = self._element(*node.args[:2])
        if kind != "U64":
            self.ir.refuse(node, "lanes live in a buffer for U64")
        if name == "lanes":
            return self.ir.define(f"load <8 x i64>, ptr {place}, align 8", "lanes")
        value = self._value(node.args[2])
        if kind_of(value) != "lanes":
            self.ir.refuse(node, f"expected lanes, not {kind_of(value)}")
        self.ir.emit(f"store <8 x i64> {value.text}, ptr {place}, align 8")
        return 0

    def _call(self, node: ast.Call, function: Function) -> Computed:
        given = list[str]()
        for argument, kind in zip(
            node.args, signature_of(function).parameters.values(), strict=True
        ):
            name = getattr(argument, "id", "")
            if kind == "float":
                self.ir.refuse(argument, NO_FLOATS)
            elif kind == "int":
                given.append(f"i64 {self._number(argument)}")
            elif self.parameters.get(name) == kind and f"ptr %{name}" not in given:
                given.append(f"ptr %{name}")
            else:
                self.ir.refuse(argument, f"expected a buffer for {kind}, each only once")
        name = self.module.kernel(function, f"kernel.{function.__name__}")
        return self.ir.define(f"call i64 {name}({', '.join(given)})", "int")
