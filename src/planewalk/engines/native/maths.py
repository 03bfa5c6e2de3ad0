"""The functions of `core/maths.py` as LLVM IR, for single numbers or for lanes.

The text has no fast-math flags. Whoever makes machine code of it must not let it fuse
multiplications and additions; then all results have the bits that Python's have.
"""

from __future__ import annotations

import ast
import inspect
import operator
import struct
from collections.abc import Callable, Iterable
from functools import cache, reduce
from typing import Any, NamedTuple

from ...core import maths

NAMES = ("sin", "cos", "exp", "log", "power")


class MathsValue(NamedTuple):
    """Something that machine code computes: its name in the text, and its kind."""

    text: str
    kind: str
    """`double`, `i64` or `i1`. What is known already is a plain number of Python instead."""


_OPERATIONS: dict[type[ast.operator], tuple[Callable[[Any, Any], Any], str, str]] = {
    ast.Add: (operator.add, "fadd", "add"), ast.Sub: (operator.sub, "fsub", "sub"),
    ast.Mult: (operator.mul, "fmul", "mul"), ast.Div: (operator.truediv, "fdiv", ""),
    ast.Pow: (operator.pow, "", ""), ast.FloorDiv: (operator.floordiv, "", "sdiv"),
    ast.Mod: (operator.mod, "", "srem"), ast.BitAnd: (operator.and_, "", "and"),
    ast.BitOr: (operator.or_, "", "or"), ast.LShift: (operator.lshift, "", "shl"),
    ast.RShift: (operator.rshift, "", "ashr"),
}  # fmt: skip
"""For numbers that are known, for floats and for whole numbers."""
_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne"), ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"), ast.Gt: ("ogt", "sgt"), ast.GtE: ("oge", "sge"),
}  # fmt: skip
"""For floats and for whole numbers."""
_KINDS = {"float": "double", "int": "i64"}
_ALL_BUT_THE_SIGN = (1 << 63) - 1
_PURE = "nounwind willreturn memory(none)"
AT_ONCE = 8
"""Lanes that a function is written for; more of them only take longer to become machine code."""
_RARE = "noinline optnone"
"""Machine code for it is made quickly, since it will hardly be used."""


def definitions(names: Iterable[str], lanes: int, attributes: str = "") -> str:
    """LLVM IR that defines `@planewalk.sin` and the like, with what they need.

    They take and give `double`, or `<lanes x double>` for more lanes than one. The attributes are
    added to each function: those that decide how vectors are passed must be the caller's.
    """
    return _definitions(tuple(sorted(set(names))), lanes, attributes)


@cache
def _definitions(names: tuple[str, ...], lanes: int, attributes: str) -> str:
    module = _Module(attributes)
    if lanes <= AT_ONCE:
        for name in names:
            module.define(name, lanes)
        return "\n".join([*module.parts.values(), ""])
    module.suffix = ".part"
    wholes = [_in_parts(name, module.define(name, AT_ONCE), lanes, module) for name in names]
    return "\n".join([*module.parts.values(), *wholes, ""])


def _in_parts(function: str, part: str, lanes: int, module: _Module) -> str:
    """A function for many lanes that calls one for fewer of them, several times."""
    whole, piece = f"<{lanes} x double>", f"<{AT_ONCE} x double>"
    given = list(_parameters(function))
    lines, results = list[str](), list[str]()
    for number in range(lanes // AT_ONCE):
        places = _places(range(number * AT_ONCE, (number + 1) * AT_ONCE))
        for name in given:
            shuffle = f"shufflevector {whole} %{name}, {whole} poison, {places}"
            lines.append(f"  %{name}{number} = {shuffle}")
        arguments = ", ".join(f"{piece} %{name}{number}" for name in given)
        lines.append(f"  %part{number} = call {piece} {part}({arguments})")
        results.append(f"%part{number}")
    size = AT_ONCE
    while len(results) > 1:
        joined = []
        for one, other in zip(results[::2], results[1::2], strict=True):
            name, kind = f"{one}.and", f"<{size} x double>"
            both = f"{kind} {one}, {kind} {other}, {_places(range(2 * size))}"
            lines.append(f"  {name} = shufflevector {both}")
            joined.append(name)
        results, size = joined, 2 * size
    parameters = ", ".join(f"{whole} %{name}" for name in given)
    head = f"define internal {whole} @planewalk.{function}({parameters}) {module.attributes} {{"
    return "\n".join([head, *lines, f"  ret {whole} {results[0]}", "}"])


def _places(lanes: range) -> str:
    return f"<{len(lanes)} x i32> <" + ", ".join(f"i32 {lane}" for lane in lanes) + ">"


@cache
def _trees() -> dict[str, ast.FunctionDef]:
    """The functions of `core/maths.py` by name, as trees."""
    module = ast.parse(inspect.getsource(maths))
    return {tree.name: tree for tree in module.body if isinstance(tree, ast.FunctionDef)}


@cache
def _parameters(function: str) -> dict[str, str]:
    """The kind of each parameter."""
    arguments = _trees()[function].args.args
    return {arg.arg: _KINDS[arg.annotation.id] for arg in arguments}  # type: ignore[union-attr]


class _Module:
    """Functions and tables, as they are found to be needed."""

    def __init__(self, attributes: str) -> None:
        self.attributes = f"{_PURE} {attributes}".strip()
        self.suffix = ""
        self.parts: dict[str, str] = {}

    def define(self, function: str, lanes: int, more: str = "") -> str:
        """The name of a function of `core/maths.py` in the text, which has it from now on."""
        name = f"@planewalk.{function.strip('_')}{self.suffix}"
        if name not in self.parts:
            self.parts[name] = _MathsWriter(self, lanes).function(function, name, more)
        return name

    def table(self, table: str) -> tuple[str, str]:
        """The name of a table of `core/maths.py` in the text, and the kind of its items."""
        name, items = f"@planewalk.{table.lower()}", getattr(maths, table)
        kind = _KINDS[type(items[0]).__name__]
        given = ", ".join(f"{kind} {_constant(item, kind)}" for item in items)
        self.parts[name] = f"{name} = internal constant [{len(items)} x {kind}] [{given}]"
        return name, kind


class _MathsWriter:
    """Writes one function. The functions it calls become part of it, but for those called rarely:
    these stay by themselves, and are called for one lane after the other."""

    def __init__(self, module: _Module, lanes: int) -> None:
        self.module = module
        self.lanes = lanes
        self.lines: list[str] = []
        self.count = 0
        self.block = "start"

    def function(self, function: str, name: str, more: str) -> str:
        given = [MathsValue(f"%{name}", kind) for name, kind in _parameters(function).items()]
        result = self._perform(function, given)
        parameters = ", ".join(f"{self._type(value.kind)} {value.text}" for value in given)
        type_ = self._type("double")
        return "\n".join(
            [
                f"define internal {type_} {name}({parameters}) {self.module.attributes} {more} {{",
                "start:",
                *self.lines,
                f"  ret {type_} {self._text(result, 'double')}",
                "}",
            ]
        )

    # Statements ------------------------------------------------------------------------------

    def _perform(self, function: str, arguments: list[Any]) -> Any:
        scope = dict(zip(_parameters(function), arguments, strict=True))
        return self._body(_trees()[function].body, scope)

    def _body(self, statements: list[ast.stmt], scope: dict[str, Any]) -> Any:
        """Perform statements up to the `return`; gives what is returned."""
        statement, *rest = statements
        if isinstance(statement, ast.Return) and statement.value:
            return self._value(statement.value, scope)
        if isinstance(statement, ast.If):
            condition = self._truth(self._value(statement.test, scope))
            usual = self._body(rest, dict(scope))
            return self._rarely(condition, statement.body[0], scope, usual)
        if isinstance(statement, ast.Assign):
            value, target = self._value(statement.value, scope), statement.targets[0]
            if isinstance(target, ast.Tuple):
                names = [ast.unparse(name) for name in target.elts]
                scope |= dict(zip(names, value, strict=True))
            else:
                scope[ast.unparse(target)] = value
        elif not isinstance(statement, ast.Expr):  # a docstring
            raise _beyond(statement)
        return self._body(rest, scope)

    def _rarely(
        self, rare: MathsValue, statement: Any, scope: dict[str, Any], usual: MathsValue
    ) -> MathsValue:
        """The usual value, but if any lane needs it, the other for those lanes that do."""
        some = rare.text
        if self.lanes > 1:
            mask = self._define(f"bitcast {self._type('i1')} {rare.text} to i{self.lanes}", "")
            some = self._define(f"icmp ne i{self.lanes} {mask.text}, 0", "i1").text
        self.count += 1
        before, there, after = self.block, f"rare{self.count}", f"usual{self.count}"
        self._emit(f"br i1 {some}, label %{there}, label %{after}")
        self._begin(there)
        called = self._call_for_each(statement.value, scope)
        chosen = self._select(rare, called, usual)
        self._emit(f"br label %{after}")
        self._begin(after)
        ways = f"[ {usual.text}, %{before} ], [ {chosen.text}, %{there} ]"
        return self._define(f"phi {self._type('double')} {ways}", "double")

    def _call_for_each(self, call: ast.Call, scope: dict[str, Any]) -> MathsValue:
        name = self.module.define(ast.unparse(call.func), 1, _RARE)
        values = [self._value(argument, scope) for argument in call.args]
        kinds = _parameters(ast.unparse(call.func)).values()

        def one(lane: int) -> MathsValue:
            given = [
                f"{kind} {self._extract(value, kind, lane)}"
                for value, kind in zip(values, kinds, strict=True)
            ]
            return self._define(f"call double {name}({', '.join(given)})", "double")

        return self._each_lane(one)

    def _each_lane(self, compute: Callable[[int], MathsValue]) -> MathsValue:
        """What is computed for one lane after the other, put together."""
        if self.lanes == 1:
            return compute(0)
        result = "poison"
        for lane in range(self.lanes):
            text, kind = compute(lane)
            into = f"insertelement {self._type(kind)} {result}, {kind} {text}, i64 {lane}"
            result = self._define(into, kind).text
        return MathsValue(result, kind)

    def _extract(self, value: Any, kind: str, lane: int) -> str:
        if not isinstance(value, MathsValue):
            return _constant(value, kind)
        if self.lanes == 1:
            return value.text
        vector = f"{self._type(kind)} {value.text}"
        return self._define(f"extractelement {vector}, i64 {lane}", kind).text

    # Values ----------------------------------------------------------------------------------

    def _value(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        """A value, a number that is known, or a tuple of them."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return scope[node.id] if node.id in scope else getattr(maths, node.id)
            case ast.Tuple():
                return tuple(self._value(element, scope) for element in node.elts)
            case ast.BinOp():
                return self._binary(node, scope)
            case ast.UnaryOp():
                return self._unary(node.op, self._value(node.operand, scope))
            case ast.Compare():
                return self._compare(node, scope)
            case ast.BoolOp():
                name = "and" if isinstance(node.op, ast.And) else "or"
                values = [self._truth(self._value(value, scope)) for value in node.values]
                return reduce(lambda a, b: self._operate(name, a, b, "i1"), values)
            case ast.IfExp():
                condition = self._truth(self._value(node.test, scope))
                return self._select(
                    condition, self._value(node.body, scope), self._value(node.orelse, scope)
                )
            case ast.Subscript():
                return self._look_up(ast.unparse(node.value), self._value(node.slice, scope))
            case ast.Call():
                values = [self._value(argument, scope) for argument in node.args]
                return self._call(ast.unparse(node.func), values)
        raise _beyond(node)

    def _binary(self, node: ast.BinOp, scope: dict[str, Any]) -> Any:
        left, right = self._value(node.left, scope), self._value(node.right, scope)
        known, on_floats, on_whole = _OPERATIONS[type(node.op)]
        if not isinstance(left, MathsValue) and not isinstance(right, MathsValue):
            return known(left, right)
        kind = _kind(left, right)
        return self._operate(on_floats if kind == "double" else on_whole, left, right, kind)

    def _operate(self, name: str, left: Any, right: Any, kind: str) -> MathsValue:
        values = f"{self._text(left, kind)}, {self._text(right, kind)}"
        return self._define(f"{name} {self._type(kind)} {values}", kind)

    def _unary(self, op: ast.unaryop, value: Any) -> Any:
        if isinstance(op, ast.Not):
            return self._operate("xor", self._truth(value), True, "i1")
        if isinstance(value, MathsValue):
            return self._define(f"fneg {self._type('double')} {value.text}", "double")
        return -value

    def _compare(self, node: ast.Compare, scope: dict[str, Any]) -> MathsValue:
        left, right = self._value(node.left, scope), self._value(node.comparators[0], scope)
        kind = _kind(left, right)
        on_floats, on_whole = _COMPARISONS[type(node.ops[0])]
        name = f"fcmp {on_floats}" if kind == "double" else f"icmp {on_whole}"
        return self._operate(name, left, right, kind)._replace(kind="i1")

    def _truth(self, value: MathsValue) -> MathsValue:
        if value.kind == "i1":
            return value
        return self._operate("icmp ne", value, 0, "i64")._replace(kind="i1")

    def _select(self, condition: MathsValue, yes: Any, no: Any) -> MathsValue:
        kind = _kind(yes, no)
        sides = ", ".join(f"{self._type(kind)} {self._text(side, kind)}" for side in (yes, no))
        return self._define(f"select {self._type('i1')} {condition.text}, {sides}", kind)

    def _look_up(self, table: str, index: MathsValue) -> MathsValue:
        name, kind = self.module.table(table)

        def item(lane: int) -> MathsValue:
            at = self._extract(index, "i64", lane)
            place = self._define(f"getelementptr {kind}, ptr {name}, i64 {at}", "ptr")
            return self._define(f"load {kind}, ptr {place.text}", kind)

        return self._each_lane(item)

    def _call(self, function: str, values: list[Any]) -> Any:
        double, whole = self._type("double"), self._type("i64")
        if function == "abs":
            size = self._operate("and", self._call("bits", values), _ALL_BUT_THE_SIGN, "i64")
            return self._call("from_bits", [size])
        if function == "float":
            if values[0].kind == "double":
                return values[0]
            return self._define(f"sitofp {whole} {values[0].text} to {double}", "double")
        if function == "bits":
            return self._define(f"bitcast {double} {values[0].text} to {whole}", "i64")
        if function == "from_bits":
            return self._define(f"bitcast {whole} {values[0].text} to {double}", "double")
        return self._perform(function, values)

    # Text ------------------------------------------------------------------------------------

    def _type(self, kind: str) -> str:
        return kind if self.lanes == 1 else f"<{self.lanes} x {kind}>"

    def _text(self, value: Any, kind: str) -> str:
        if isinstance(value, MathsValue):
            return value.text
        constant = _constant(value, kind)
        return constant if self.lanes == 1 else f"splat ({kind} {constant})"

    def _define(self, text: str, kind: str) -> MathsValue:
        self.count += 1
        self._emit(f"%.{self.count} = {text}")
        return MathsValue(f"%.{self.count}", kind)

    def _begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def _emit(self, line: str) -> None:
        self.lines.append(f"  {line}")


def _beyond(node: ast.AST) -> SyntaxError:
    return SyntaxError(f"not in the subset of core/maths.py: {ast.unparse(node)}")


def _kind(*values: Any) -> str:
    """What two sides are, by those that are computed, else by what Python holds them for."""
    kinds = [value.kind for value in values if isinstance(value, MathsValue)]
    return kinds[0] if kinds else _KINDS[type(values[0]).__name__]


def _constant(value: float, kind: str) -> str:
    if kind == "double":
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return str(int(value)) if kind == "i64" else str(value).lower()
