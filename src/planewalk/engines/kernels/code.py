"""Kernels as LLVM IR. What may be said in them stands in `kernel.py`."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from typing import Any, NamedTuple, NoReturn

from .kernel import Function

_BUFFERS = {
    "I8": ("sext", 8), "U8": ("zext", 8), "I32": ("sext", 32), "I64": ("", 64), "U64": ("", 64)
}  # fmt: skip
"""How an item becomes a number of 64 bits, and how many it has."""
_TYPES = {"int": "i64", "word": "i64", "lanes": "<8 x i64>"}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "add"), ast.Sub: ("sub", "sub"), ast.Mult: ("mul", "mul"),
    ast.BitAnd: ("and", "and"), ast.BitOr: ("or", "or"), ast.BitXor: ("xor", "xor"),
    ast.LShift: ("shl", "shl"), ast.RShift: ("ashr", "lshr"),
    ast.FloorDiv: ("sdiv", "udiv"), ast.Mod: ("srem", "urem"),
}  # fmt: skip
"""The operation on an `int`, and on a word."""
_COMPARE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "eq"), ast.NotEq: ("ne", "ne"), ast.Lt: ("slt", "ult"),
    ast.LtE: ("sle", "ule"), ast.Gt: ("sgt", "ugt"), ast.GtE: ("sge", "uge"),
}  # fmt: skip
_BUILTIN = {
    "ctz": ("llvm.cttz.i64(i64 {}, i1 false)",) * 2,
    "popcount": ("llvm.ctpop.i64(i64 {})",) * 2,
    "min": ("llvm.smin.i64(i64 {}, i64 {})", "llvm.umin.i64(i64 {}, i64 {})"),
    "max": ("llvm.smax.i64(i64 {}, i64 {})", "llvm.umax.i64(i64 {}, i64 {})"),
}
_DECLARATIONS = """\
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
attributes #0 = { alwaysinline "prefer-vector-width"="512" }
"""


class KernelError(Exception):
    """Something in a kernel that is not part of the subset."""


class KernelValue(NamedTuple):
    """Something computed: its name in the text, and its kind."""

    text: str
    kind: str
    """`int`, `word`, `lanes`, or `literal`, which fits the first two."""


def write(function: Function) -> str:
    """The text of `unit`, which is that function, and of all that it calls."""
    text = {"unit": ""}
    pending = [("unit", function)]
    while pending:
        name, function = pending.pop()
        writer = _KernelWriter(function)
        text[name] = writer.source(name)
        pending += [(other, called) for other, called in writer.called if other not in text]
    return _DECLARATIONS + "".join(text.values())


def widths(function: Function) -> list[int]:
    """For each parameter the bytes of an item, 0 for a number."""
    kinds = _KernelWriter(function).parameters.values()
    return [_BUFFERS[kind][1] // 8 if kind else 0 for kind in kinds]


@cache
def _parse(function: Function) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


class _KernelWriter:
    """Writes one function. Variables are memory here; LLVM turns them into registers."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.tree = _parse(function)
        self.parameters = {arg.arg: self._buffer_type(arg) for arg in self.tree.args.args}
        self.variables: dict[str, str] = {}
        """Each with its kind."""
        self.lines: list[str] = []
        self.loops: list[tuple[str, str]] = []
        """Where `continue` and `break` go, the innermost loop last."""
        self.called: list[tuple[str, Function]] = []
        self.count = 0

    def _buffer_type(self, arg: ast.arg) -> str:
        name = getattr(arg.annotation, "id", "")
        if name != "int" and name not in _BUFFERS:
            self._refuse(arg, "a parameter is an int or a buffer such as U8")
        return "" if name == "int" else name

    def source(self, name: str) -> str:
        """The whole text of the function, under that name."""
        taken = []
        for parameter, kind in self.parameters.items():
            taken.append(f"{'ptr noalias' if kind else 'i64'} %{parameter}")
            if not kind:
                self._set(parameter, KernelValue(f"%{parameter}", "int"))
        self._body(self.tree.body)
        self._emit("ret i64 0")
        inner = "" if name == "unit" else "internal "
        head = [f"define {inner}i64 @{name}({', '.join(taken)}) #0 {{"]
        for variable, kind in self.variables.items():
            head.append(f"  %{variable}.v = alloca {_TYPES[kind]}")
            head.append(f"  store {_TYPES[kind]} zeroinitializer, ptr %{variable}.v")
        return "\n".join([*head, *self.lines, "}", ""])

    # Statements ------------------------------------------------------------------------------

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"_do_{type(statement).__name__}", None)
            if method is None:
                self._refuse(statement, "no such statement in a kernel")
            method(statement)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._value(node.value)
        elif not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self._refuse(node, "this has no effect")

    def _do_Return(self, node: ast.Return) -> None:
        self._leave(f"ret i64 {self._number(node.value) if node.value else 0}")

    def _do_Break(self, node: ast.Break) -> None:
        self._leave(f"br label %{self.loops[-1][1]}")

    def _do_Continue(self, node: ast.Continue) -> None:
        self._leave(f"br label %{self.loops[-1][0]}")

    def _leave(self, line: str) -> None:
        self._emit(line)
        self._begin(self._label())  # whatever follows is never reached

    def _do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            self._refuse(node, "one assignment at a time")
        targets, values = [node.targets[0]], [node.value]
        if isinstance(node.targets[0], ast.Tuple):
            targets, values = node.targets[0].elts, getattr(node.value, "elts", [])
        if len(targets) != len(values):
            self._refuse(node, "as many values as targets")
        computed = [self._value(value) for value in values]
        for target, value in zip(targets, computed, strict=True):
            self._store(target, value)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            place, kind = self._element(node.target.value, node.target.slice)
            self._save(node, place, kind, self._combine(node, self._load(place, kind), node.value))
        else:
            self._store(node.target, self._combine(node, self._value(node.target), node.value))

    def _do_If(self, node: ast.If) -> None:
        yes, no, end = self._label(), self._label(), self._label()
        self._branch(node.test, yes, no)
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self._begin(label)
            self._body(statements)
            self._emit(f"br label %{end}")
        self._begin(end)

    def _do_While(self, node: ast.While) -> None:
        test, body, end = self._label(), self._label(), self._label()
        self._emit(f"br label %{test}")
        self._begin(test)
        self._branch(node.test, body, end)
        self._begin(body)
        self._loop(node, test, end)
        self._emit(f"br label %{test}")
        self._begin(end)

    def _do_For(self, node: ast.For) -> None:
        call: Any = node.iter
        if getattr(getattr(call, "func", None), "id", "") != "range":
            self._refuse(node, "a loop goes over a range")
        step = self._whole(call.args[2]) if len(call.args) > 2 else 1
        if step == 0:
            self._refuse(node, "the step of a range is not 0")
        begin, end = ["0", *(self._number(bound) for bound in call.args[:2])][-2:]
        test, body, after, out = (self._label() for _ in range(4))
        counter = f"count{test}"  # its own: what the body does to the variable is no matter
        self._set(counter, KernelValue(begin, "int"))
        self._emit(f"br label %{test}")
        self._begin(test)
        at = self._get(counter)
        going = self._define(f"icmp {'slt' if step > 0 else 'sgt'} i64 {at.text}, {end}")
        self._emit(f"br i1 {going}, label %{body}, label %{out}")
        self._begin(body)
        self._store(node.target, at)
        self._loop(node, after, out)
        self._emit(f"br label %{after}")
        self._begin(after)
        self._set(counter, KernelValue(self._define(f"add nsw i64 {at.text}, {step}"), "int"))
        self._emit(f"br label %{test}")
        self._begin(out)

    def _loop(self, node: ast.For | ast.While, again: str, end: str) -> None:
        if node.orelse:
            self._refuse(node, "loops have no else")
        self.loops.append((again, end))
        self._body(node.body)
        self.loops.pop()

    def _store(self, target: ast.expr, value: KernelValue) -> None:
        if isinstance(target, ast.Subscript):
            self._save(target, *self._element(target.value, target.slice), value)
        elif isinstance(target, ast.Name) and not self.parameters.get(target.id):
            self._common(target, value, KernelValue("", self.variables.get(target.id, "literal")))
            self._set(target.id, value)
        else:
            self._refuse(target, "cannot assign to this")

    def _save(self, node: ast.AST, place: str, kind: str, value: KernelValue) -> None:
        bits, text = _BUFFERS[kind][1], self._scalar(node, value)
        if bits < 64:
            text = self._define(f"trunc i64 {text} to i{bits}")
        self._emit(f"store i{bits} {text}, ptr {place}")

    def _set(self, name: str, value: KernelValue) -> None:
        kind = self.variables.setdefault(name, "int" if value.kind == "literal" else value.kind)
        self._emit(f"store {_TYPES[kind]} {value.text}, ptr %{name}.v")

    def _get(self, name: str) -> KernelValue:
        kind = self.variables[name]
        return KernelValue(self._define(f"load {_TYPES[kind]}, ptr %{name}.v"), kind)

    # Conditions ------------------------------------------------------------------------------

    def _branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one of two labels; what need not be looked at is not."""
        if isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                more = self._label()
                self._branch(part, *((more, no) if isinstance(node.op, ast.And) else (yes, more)))
                self._begin(more)
            self._branch(node.values[-1], yes, no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._branch(node.operand, no, yes)
        elif isinstance(node, ast.Compare):
            left = self._value(node.left)
            for i, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
                right = self._value(other)
                more = yes if i == len(node.ops) else self._label()
                holds = self._compare(node, op, left, right)
                self._emit(f"br i1 {holds}, label %{more}, label %{no}")
                if more != yes:
                    self._begin(more)
                left = right
        else:
            self._emit(f"br i1 {self._truth(self._value(node))}, label %{yes}, label %{no}")

    def _compare(self, node: ast.AST, op: ast.cmpop, left: KernelValue, right: KernelValue) -> str:
        if type(op) not in _COMPARE:
            self._refuse(node, "no such comparison in a kernel")
        kind = self._common(node, left, right)
        if kind == "lanes":
            self._refuse(node, "lanes are not compared")
        return self._define(
            f"icmp {_COMPARE[type(op)][kind == 'word']} i64 {left.text}, {right.text}"
        )

    def _truth(self, value: KernelValue) -> str:
        if value.kind != "lanes":
            return self._define(f"icmp ne i64 {value.text}, 0")
        each = self._define(f"icmp ne <8 x i64> {value.text}, zeroinitializer")
        return self._define(f"icmp ne i8 {self._define(f'bitcast <8 x i1> {each} to i8')}, 0")

    def _choice(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> KernelValue:
        """One of two values; the other is not computed."""
        first, second, end = self._label(), self._label(), self._label()
        self._branch(test, first, second)
        values = []
        for label, node in ((first, yes), (second, no)):
            self._begin(label)
            values.append(self._value(node))
            self._common(test, *values)
            self._set(f"choice{end}", values[-1])
            self._emit(f"br label %{end}")
        self._begin(end)
        return self._get(f"choice{end}")

    # Values ----------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> KernelValue:
        method = getattr(self, f"_get_{type(node).__name__}", None)
        if method is None:
            self._refuse(node, "no such expression in a kernel")
        value: KernelValue = method(node)
        return value

    def _number(self, node: ast.expr) -> str:
        value = self._value(node)
        if value.kind not in ("int", "literal"):
            self._refuse(node, f"expected an int, not {value.kind}")
        return value.text

    def _scalar(self, node: ast.AST, value: KernelValue) -> str:
        if value.kind == "lanes":
            self._refuse(node, "expected a number, not lanes")
        return value.text

    def _common(self, node: ast.AST, *values: KernelValue) -> str:
        """The kind that all these values have."""
        kinds = {value.kind for value in values} - {"literal"}
        if len(kinds) > 1:
            self._refuse(node, f"{' and '.join(sorted(kinds))} do not mix")
        return kinds.pop() if kinds else "literal"

    def _get_Constant(self, node: ast.Constant) -> KernelValue:
        return self._literal(node, node.value)

    def _literal(self, node: ast.AST, value: Any) -> KernelValue:
        if not isinstance(value, int) or not -(1 << 63) <= value < 1 << 64:
            self._refuse(node, f"expected a number of 64 bits, not {value!r:.60}")
        if value >= 1 << 63:
            return KernelValue(str(value - (1 << 64)), "word")
        return KernelValue(str(int(value)), "literal" if value >= 0 else "int")

    def _whole(self, node: ast.expr) -> int:
        """A number that is known now."""
        if isinstance(node, ast.Name) and node.id not in self.variables:
            return int(self._get_Name(node).text)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._whole(node.operand)
        if not isinstance(node, ast.Constant):
            self._refuse(node, "expected a number that never changes")
        return int(self._literal(node, node.value).text)

    def _get_Name(self, node: ast.Name) -> KernelValue:
        if node.id in self.variables:
            return self._get(node.id)
        if node.id not in self.function.__globals__:
            self._refuse(node, f"{node.id} has no value yet")
        return self._literal(node, self.function.__globals__[node.id])

    def _get_Subscript(self, node: ast.Subscript) -> KernelValue:
        return self._load(*self._element(node.value, node.slice))

    def _load(self, place: str, kind: str) -> KernelValue:
        widen, bits = _BUFFERS[kind]
        value = self._define(f"load i{bits}, ptr {place}")
        if widen:
            value = self._define(f"{widen} i{bits} {value} to i64")
        return KernelValue(value, "word" if kind == "U64" else "int")

    def _element(self, buffer: ast.expr, index: ast.expr) -> tuple[str, str]:
        """Where an item is, and the type of its buffer."""
        name = getattr(buffer, "id", "")
        kind = self.parameters.get(name)
        if not kind:
            self._refuse(buffer, "only buffers have elements")
        bits, at = _BUFFERS[kind][1], self._number(index)
        return self._define(f"getelementptr i{bits}, ptr %{name}, i64 {at}"), kind

    def _get_IfExp(self, node: ast.IfExp) -> KernelValue:
        return self._choice(node.test, node.body, node.orelse)

    def _get_Compare(self, node: ast.Compare) -> KernelValue:
        return self._choice(node, ast.Constant(1), ast.Constant(0))

    def _get_UnaryOp(self, node: ast.UnaryOp) -> KernelValue:
        if isinstance(node.op, ast.Not):
            return self._choice(node, ast.Constant(1), ast.Constant(0))
        value = self._value(node.operand)
        if isinstance(node.op, ast.Invert):
            ones = _eight("-1") if value.kind == "lanes" else "-1"
            kind = "int" if value.kind == "literal" else value.kind
            return KernelValue(self._define(f"xor {_TYPES[kind]} {value.text}, {ones}"), kind)
        if not isinstance(node.op, ast.USub) or value.kind not in ("int", "literal"):
            self._refuse(node, "only an int has a sign")
        return KernelValue(self._define(f"sub i64 0, {value.text}"), "int")

    def _get_BinOp(self, node: ast.BinOp) -> KernelValue:
        return self._combine(node, self._value(node.left), node.right)

    def _combine(
        self, node: ast.BinOp | ast.AugAssign, left: KernelValue, other: ast.expr
    ) -> KernelValue:
        right, op = self._value(other), type(node.op)
        if op not in _ARITHMETIC:
            self._refuse(node, "no such operation in a kernel")
        if op in (ast.LShift, ast.RShift):
            if left.kind == "lanes":
                return self._step(other, left.text, op is ast.LShift)
            kind = left.kind
            self._scalar(node, right)
        else:
            kind = self._common(node, left, right)
        name = _ARITHMETIC[op][kind == "word"]
        if name in ("sdiv", "srem"):
            return self._floor(name, left.text, right.text)
        if kind == "lanes" and name not in ("and", "or", "xor"):
            self._refuse(node, "no such operation on lanes")
        type_ = _TYPES.get(kind, "i64")
        return KernelValue(self._define(f"{name} {type_} {left.text}, {right.text}"), kind)

    def _floor(self, name: str, left: str, right: str) -> KernelValue:
        """Division that rounds down: one less, and a rest of the other sign, if need be."""
        rest = self._define(f"srem i64 {left}, {right}")
        some = self._define(f"icmp ne i64 {rest}, 0")
        signs = self._define(f"xor i64 {rest}, {right}")
        differ = self._define(f"icmp slt i64 {signs}, 0")
        down = self._define(f"and i1 {some}, {differ}")
        if name == "srem":
            more = self._define(f"select i1 {down}, i64 {right}, i64 0")
            return KernelValue(self._define(f"add i64 {rest}, {more}"), "int")
        quotient = self._define(f"sdiv i64 {left}, {right}")
        less = self._define(f"sext i1 {down} to i64")
        return KernelValue(self._define(f"add i64 {quotient}, {less}"), "int")

    def _step(self, steps: ast.expr, value: str, up: bool) -> KernelValue:
        """Lanes with every bit one place further, or back: whole words, but for one."""
        if self._whole(steps) != 1:
            self._refuse(steps, "lanes move by one place at a time")
        lanes = [(lane + (-1 if up else 1)) % 8 for lane in range(8)]
        order = ", ".join(f"i32 {lane}" for lane in lanes)
        text = f"shufflevector <8 x i64> {value}, <8 x i64> poison, <8 x i32> <{order}>"
        bits = ", ".join(f"i64 {int(lane == (7 if up else 0))}" for lane in lanes)
        moved = self._define(text)
        return KernelValue(
            self._define(f"{'shl' if up else 'lshr'} <8 x i64> {moved}, <{bits}>"), "lanes"
        )

    def _get_Call(self, node: ast.Call) -> KernelValue:
        name = getattr(node.func, "id", "")
        if node.keywords:
            self._refuse(node, "calls have no keywords")
        if name in _BUILTIN or name in ("word", "int"):
            return self._builtin(node, name)
        if name in ("lanes", "put_lanes"):
            return self._lanes(node, name)
        found: Any = self.function.__globals__.get(name)
        if not hasattr(found, "__code__"):
            self._refuse(node, f"{name or 'this'} is not a kernel function")
        return self._call(node, found)

    def _builtin(self, node: ast.Call, name: str) -> KernelValue:
        values = [self._value(argument) for argument in node.args]
        texts = [self._scalar(node, value) for value in values]
        if len(values) != (2 if name in ("min", "max") else 1):
            self._refuse(node, f"{name} takes another number of values")
        if name in ("word", "int"):
            return KernelValue(texts[0], name)
        kind = self._common(node, *values)
        text = self._define("call i64 @" + _BUILTIN[name][kind == "word"].format(*texts))
        return KernelValue(text, kind if name in ("min", "max") else "int")

    def _lanes(self, node: ast.Call, name: str) -> KernelValue:
        if len(node.args) != (2 if name == "lanes" else 3):
            self._refuse(node, f"{name} takes another number of values")
        place, kind = self._element(*node.args[:2])
        if kind != "U64":
            self._refuse(node, "lanes live in a buffer for U64")
        if name == "lanes":
            return KernelValue(self._define(f"load <8 x i64>, ptr {place}, align 8"), "lanes")
        value = self._value(node.args[2])
        if value.kind != "lanes":
            self._refuse(node, f"expected lanes, not {value.kind}")
        self._emit(f"store <8 x i64> {value.text}, ptr {place}, align 8")
        return KernelValue("0", "literal")

    def _call(self, node: ast.Call, function: Function) -> KernelValue:
        parameters = _KernelWriter(function).parameters
        if len(node.args) != len(parameters):
            self._refuse(node, f"{function.__name__} takes {len(parameters)} values")
        given = list[str]()
        for argument, kind in zip(node.args, parameters.values(), strict=True):
            name = getattr(argument, "id", "")
            if not kind:
                given.append(f"i64 {self._number(argument)}")
            elif self.parameters.get(name) == kind and f"ptr %{name}" not in given:
                given.append(f"ptr %{name}")
            else:
                self._refuse(argument, f"expected a buffer for {kind}, each only once")
        name = f"kernel.{function.__name__}"
        self.called.append((name, function))
        return KernelValue(self._define(f"call i64 @{name}({', '.join(given)})"), "int")

    # Text ------------------------------------------------------------------------------------

    def _define(self, text: str) -> str:
        self.count += 1
        self._emit(f"%.{self.count} = {text}")
        return f"%.{self.count}"

    def _label(self) -> str:
        self.count += 1
        return f".{self.count}"

    def _begin(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def _emit(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def _refuse(self, node: ast.AST, why: str) -> NoReturn:
        line = self.function.__code__.co_firstlineno + getattr(node, "lineno", 1) - 1
        raise KernelError(f"{self.function.__code__.co_filename}:{line}: {why}")


def _eight(value: str) -> str:
    return f"<{', '.join([f'i64 {value}'] * 8)}>"
