"""Functions of the subset as LLVM IR; `subset.py` has what may be said in them."""

from __future__ import annotations

import ast
from typing import Any

from .expressions import NO_FLOATS, ExpressionWriter
from .subset import (
    BUFFERS,
    TYPES,
    Computed,
    Function,
    constant,
    is_docstring,
    parts_of,
    signature_of,
    tree_of,
)

DECLARATIONS = """\
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
attributes #0 = { alwaysinline "prefer-vector-width"="512" }
"""
"""What kernels need."""
PURE = "nounwind willreturn memory(none)"
RARE = "noinline optnone"
"""Machine code for it is made quickly, since it will hardly be used."""


def kernel_text(function: Function) -> str:
    """The text of `unit`, which is that kernel, and of all that it calls."""
    module = FunctionModule()
    module.kernel(function, "unit")
    return DECLARATIONS + "".join(module.parts.values())


class FunctionModule:
    """Functions and tables, as they are found to be needed."""

    def __init__(self, attributes: str = "", suffix: str = "") -> None:
        self.attributes = f"{PURE} {attributes}".strip()
        self.suffix = suffix
        self.parts: dict[str, str] = {}

    def kernel(self, function: Function, name: str) -> str:
        """What a kernel is called in the text, which has it from now on."""
        if name not in self.parts:
            self.parts[name] = ""  # it may call itself
            self.parts[name] = KernelWriter(self, function, 1).source(name)
        return f"@{name}"

    def floats(self, function: Function, lanes: int, more: str = "") -> str:
        """The same for a function of floats, for so many lanes."""
        name = f"@planewalk.{function.__name__.strip('_')}{self.suffix}"
        if name not in self.parts:
            self.parts[name] = FloatWriter(self, function, lanes).source(name, more)
        return name

    def table(self, table: str, items: list[Any]) -> tuple[str, str]:
        """The name of a table in the text, and the kind of its items."""
        name, kind = f"@planewalk.{table.lower()}", type(items[0]).__name__
        given = ", ".join(f"{TYPES[kind]} {constant(item, kind)}" for item in items)
        self.parts[name] = f"{name} = internal constant [{len(items)} x {TYPES[kind]}] [{given}]"
        return name, kind


class StraightWriter(ExpressionWriter):
    """Functions that only compute. What they call rarely stays by itself, and is called for one
    lane after the other."""

    def _straight(self, statements: list[ast.stmt]) -> Any:
        """Perform statements up to the `return`; gives what is returned."""
        assert self.scope is not None
        statement, *rest = statements
        if isinstance(statement, ast.Return) and statement.value:
            return self._value(statement.value)
        if isinstance(statement, ast.If):
            condition = self._truth(self._value(statement.test))
            scope, self.scope = self.scope, dict(self.scope)
            usual = self._straight(rest)
            self.scope = scope
            return self._rarely(condition, statement, usual)
        if isinstance(statement, ast.Assign):
            self._name_values(statement.targets[0], self._value(statement.value))
        return self._straight(rest)

    def _name_values(self, target: ast.expr, value: Any) -> None:
        assert self.scope is not None
        if isinstance(target, ast.Tuple):
            if len(parts_of(value)) != len(target.elts):
                self._refuse(target, "as many values as targets")
            self.scope |= {
                ast.unparse(name): one for name, one in zip(target.elts, value, strict=True)
            }
        elif isinstance(target, ast.Name):
            self.scope[target.id] = value
        else:
            self._refuse(target, "cannot assign to this")

    def _rarely(self, rare: Computed, statement: Any, usual: Computed) -> Computed:
        """The usual value, but if any lane needs it, the other for those lanes that do."""
        some = rare.text
        if self.lanes > 1:
            mask = self._define(f"bitcast {self._type('truth')} {rare.text} to i{self.lanes}", "")
            some = self._define(f"icmp ne i{self.lanes} {mask.text}, 0", "truth").text
        self.count += 1
        before, there, after = self.block, f"rare{self.count}", f"usual{self.count}"
        self._emit(f"br i1 {some}, label %{there}, label %{after}")
        self._begin(there)
        called = self._call_for_each(statement.body[0].value)
        chosen = self._select(statement, rare, called, usual)
        self._emit(f"br label %{after}")
        self._begin(after)
        ways = f"[ {usual.text}, %{before} ], [ {chosen.text}, %{there} ]"
        return self._define(f"phi {self._type('float')} {ways}", "float")

    def _call_for_each(self, call: ast.Call) -> Computed:
        function: Any = self.function.__globals__.get(ast.unparse(call.func))
        name = self.module.floats(function, 1, RARE)
        values = self._arguments(call, function)
        kinds = signature_of(function).parameters.values()

        def one(lane: int) -> Computed:
            given = [
                f"{TYPES[kind]} {self._extract(value, kind, lane)}"
                for value, kind in zip(values, kinds, strict=True)
            ]
            return self._define(f"call double {name}({', '.join(given)})", "float")

        return self._each_lane(one)


class FloatWriter(StraightWriter):
    """Writes a function of floats."""

    def source(self, name: str, more: str) -> str:
        if not signature_of(self.function).straight:
            self._refuse(tree_of(self.function), "functions of floats only compute")
        given = [Computed(f"%{name}", kind) for name, kind in self.parameters.items()]
        result = self._perform(self.function, given)
        parameters = ", ".join(f"{self._type(value.kind)} {value.text}" for value in given)
        float_, attributes = self._type("float"), self.module.attributes
        return "\n".join(
            [
                f"define internal {float_} {name}({parameters}) {attributes} {more} {{",
                "start:",
                *self.lines,
                f"  ret {float_} {self._text(result, 'float')}",
                "}",
            ]
        )


class KernelWriter(StraightWriter):
    """Writes a kernel."""

    loops: list[tuple[str, str]]
    """Where `continue` and `break` go, the innermost loop last."""

    def source(self, name: str) -> str:
        """The whole text of the function, under that name."""
        taken, self.loops = [], []
        for parameter, kind in self.parameters.items():
            if kind == "float":
                self._refuse(self.tree, NO_FLOATS)
            taken.append(f"{'ptr noalias' if kind in BUFFERS else 'i64'} %{parameter}")
            if kind == "int":
                self._set(parameter, Computed(f"%{parameter}", "int"))
        self._body(self.tree.body)
        self._emit("ret i64 0")
        inner = "" if name == "unit" else "internal "
        head = [f"define {inner}i64 @{name}({', '.join(taken)}) #0 {{"]
        for variable, kind in self.variables.items():
            head.append(f"  %{variable}.v = alloca {TYPES[kind]}")
            head.append(f"  store {TYPES[kind]} zeroinitializer, ptr %{variable}.v")
        return "\n".join([*head, *self.lines, "}", ""])

    @property
    def tree(self) -> Any:
        return tree_of(self.function)

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"_do_{type(statement).__name__}", None)
            if method is None:
                self._refuse(statement, "no such statement")
            method(statement)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._value(node.value)
        elif not is_docstring(node):
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
        targets, value = [node.targets[0]], self._value(node.value)
        if isinstance(node.targets[0], ast.Tuple):
            targets = node.targets[0].elts
        values = parts_of(value)
        if len(targets) != len(values):
            self._refuse(node, "as many values as targets")
        for target, one in zip(targets, values, strict=True):
            self._store(target, one)

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
        self._set(counter, Computed(begin, "int"))
        self._emit(f"br label %{test}")
        self._begin(test)
        at = self._get(counter)
        going = self._define(f"icmp {'slt' if step > 0 else 'sgt'} i64 {at.text}, {end}", "truth")
        self._emit(f"br i1 {going.text}, label %{body}, label %{out}")
        self._begin(body)
        self._store(node.target, at)
        self._loop(node, after, out)
        self._emit(f"br label %{after}")
        self._begin(after)
        self._set(counter, self._define(f"add nsw i64 {at.text}, {step}", "int"))
        self._emit(f"br label %{test}")
        self._begin(out)

    def _loop(self, node: ast.For | ast.While, again: str, end: str) -> None:
        if node.orelse:
            self._refuse(node, "loops have no else")
        self.loops.append((again, end))
        self._body(node.body)
        self.loops.pop()

    def _store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Subscript):
            self._save(target, *self._element(target.value, target.slice), value)
        elif isinstance(target, ast.Name) and self.parameters.get(target.id) not in BUFFERS:
            self._common(target, value, Computed("", self.variables.get(target.id, "literal")))
            self._set(target.id, value)
        else:
            self._refuse(target, "cannot assign to this")

    def _save(self, node: ast.AST, place: str, kind: str, value: Any) -> None:
        bits, text = BUFFERS[kind][1], self._scalar(node, value)
        if bits < 64:
            text = self._define(f"trunc i64 {text} to i{bits}", "").text
        self._emit(f"store i{bits} {text}, ptr {place}")
