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
RARE = "noinline optnone"  # machine code for it is made quickly, since it will hardly be used


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
            condition = self.ir.truth(self._value(statement.test))
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
                self.ir.refuse(target, "as many values as targets")
            self.scope |= {
                ast.unparse(name): one for name, one in zip(target.elts, value, strict=True)
            }
        elif isinstance(target, ast.Name):
            self.scope[target.id] = value
        else:
            self.ir.refuse(target, "cannot assign to this")

    def _rarely(self, rare: Computed, statement: Any, usual: Computed) -> Computed:
        """The usual value, but if any lane needs it, the other for those lanes that do."""
        some = rare.text
        if self.ir.lanes > 1:
            mask = self.ir.define(
                f"bitcast {self.ir.type_of('truth')} {rare.text} to i{self.ir.lanes}", ""
            )
            some = self.ir.define(f"icmp ne i{self.ir.lanes} {mask.text}, 0", "truth").text
        self.ir.count += 1
        before, there, after = self.ir.block, f"rare{self.ir.count}", f"usual{self.ir.count}"
        self.ir.emit(f"br i1 {some}, label %{there}, label %{after}")
        self.ir.begin(there)
        called = self._call_for_each(statement.body[0].value)
        chosen = self.ir.select(statement, rare, called, usual)
        self.ir.emit(f"br label %{after}")
        self.ir.begin(after)
        ways = f"[ {usual.text}, %{before} ], [ {chosen.text}, %{there} ]"
        return self.ir.define(f"phi {self.ir.type_of('float')} {ways}", "float")

    def _call_for_each(self, call: ast.Call) -> Computed:
        function: Any = self.ir.function.__globals__.get(ast.unparse(call.func))
        name = self.module.floats(function, 1, RARE)
        values = self._arguments(call, function)
        kinds = signature_of(function).parameters.values()

        def one(lane: int) -> Computed:
            given = [
                f"{TYPES[kind]} {self.ir.extract(value, kind, lane)}"
                for value, kind in zip(values, kinds, strict=True)
            ]
            return self.ir.define(f"call double {name}({', '.join(given)})", "float")

        return self.ir.each_lane(one)


class FloatWriter(StraightWriter):
    """Writes a function of floats."""

    def source(self, name: str, more: str) -> str:
        if not signature_of(self.ir.function).straight:
            self.ir.refuse(tree_of(self.ir.function), "functions of floats only compute")
        given = [Computed(f"%{name}", kind) for name, kind in self.parameters.items()]
        result = self._perform(self.ir.function, given)
        parameters = ", ".join(f"{self.ir.type_of(value.kind)} {value.text}" for value in given)
        float_, attributes = self.ir.type_of("float"), self.module.attributes
        return "\n".join(
            [
                f"define internal {float_} {name}({parameters}) {attributes} {more} {{",
                "start:",
                *self.ir.lines,
                f"  ret {float_} {self.ir.text(result, 'float')}",
                "}",
            ]
        )


class KernelWriter(StraightWriter):
    """Writes a kernel."""

    loops: list[tuple[str, str]]  # where `continue` and `break` go, the innermost loop last

    def source(self, name: str) -> str:
        """The whole text of the function, under that name."""
        taken, self.loops = [], []
        for parameter, kind in self.parameters.items():
            if kind == "float":
                self.ir.refuse(self.tree, NO_FLOATS)
            taken.append(f"{'ptr noalias' if kind in BUFFERS else 'i64'} %{parameter}")
            if kind == "int":
                self._set(parameter, Computed(f"%{parameter}", "int"))
        self._body(self.tree.body)
        self.ir.emit("ret i64 0")
        inner = "" if name == "unit" else "internal "
        head = [f"define {inner}i64 @{name}({', '.join(taken)}) #0 {{"]
        for variable, kind in self.variables.items():
            head.append(f"  %{variable}.v = alloca {TYPES[kind]}")
            head.append(f"  store {TYPES[kind]} zeroinitializer, ptr %{variable}.v")
        return "\n".join([*head, *self.ir.lines, "}", ""])

    @property
    def tree(self) -> Any:
        return tree_of(self.ir.function)

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"_do_{type(statement).__name__}", None)
            if method is None:
                self.ir.refuse(statement, "no such statement")
            method(statement)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._value(node.value)
        elif not is_docstring(node):
            self.ir.refuse(node, "this has no effect")

    def _do_Return(self, node: ast.Return) -> None:
        self._leave(f"ret i64 {self._number(node.value) if node.value else 0}")

    def _do_Break(self, node: ast.Break) -> None:
        self._leave(f"br label %{self.loops[-1][1]}")

    def _do_Continue(self, node: ast.Continue) -> None:
        self._leave(f"br label %{self.loops[-1][0]}")

    def _leave(self, line: str) -> None:
        self.ir.emit(line)
        self.ir.begin(self.ir.label())  # whatever follows is never reached

    def _do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            self.ir.refuse(node, "one assignment at a time")
        targets, value = [node.targets[0]], self._value(node.value)
        if isinstance(node.targets[0], ast.Tuple):
            targets = node.targets[0].elts
        values = parts_of(value)
        if len(targets) != len(values):
            self.ir.refuse(node, "as many values as targets")
        for target, one in zip(targets, values, strict=True):
            self._store(target, one)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            place, kind = self._element(node.target.value, node.target.slice)
            self._save(node, place, kind, self._combine(node, self._load(place, kind), node.value))
        else:
            self._store(node.target, self._combine(node, self._value(node.target), node.value))

    def _do_If(self, node: ast.If) -> None:
        yes, no, end = self.ir.label(), self.ir.label(), self.ir.label()
        self._branch(node.test, yes, no)
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self.ir.begin(label)
            self._body(statements)
            self.ir.emit(f"br label %{end}")
        self.ir.begin(end)

    def _do_While(self, node: ast.While) -> None:
        test, body, end = self.ir.label(), self.ir.label(), self.ir.label()
        self.ir.emit(f"br label %{test}")
        self.ir.begin(test)
        self._branch(node.test, body, end)
        self.ir.begin(body)
        self._loop(node, test, end)
        self.ir.emit(f"br label %{test}")
        self.ir.begin(end)

    def _do_For(self, node: ast.For) -> None:
        call: Any = node.iter
        if getattr(getattr(call, "func", None), "id", "") != "range":
            self.ir.refuse(node, "a loop goes over a range")
        step = self._whole(call.args[2]) if len(call.args) > 2 else 1
        if step == 0:
            self.ir.refuse(node, "the step of a range is not 0")
        begin, end = ["0", *(self._number(bound) for bound in call.args[:2])][-2:]
        test, body, after, out = (self.ir.label() for _ in range(4))
        counter = f"count{test}"  # its own: what the body does to the variable is no matter
        self._set(counter, Computed(begin, "int"))
        self.ir.emit(f"br label %{test}")
        self.ir.begin(test)
        at = self._get(counter)
        going = self.ir.define(f"icmp {'slt' if step > 0 else 'sgt'} i64 {at.text}, {end}", "truth")
        self.ir.emit(f"br i1 {going.text}, label %{body}, label %{out}")
        self.ir.begin(body)
        self._store(node.target, at)
        self._loop(node, after, out)
        self.ir.emit(f"br label %{after}")
        self.ir.begin(after)
        self._set(counter, self.ir.define(f"add nsw i64 {at.text}, {step}", "int"))
        self.ir.emit(f"br label %{test}")
        self.ir.begin(out)

    def _loop(self, node: ast.For | ast.While, again: str, end: str) -> None:
        if node.orelse:
            self.ir.refuse(node, "loops have no else")
        self.loops.append((again, end))
        self._body(node.body)
        self.loops.pop()

    def _store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Subscript):
            self._save(target, *self._element(target.value, target.slice), value)
        elif isinstance(target, ast.Name) and self.parameters.get(target.id) not in BUFFERS:
            self.ir.common(target, value, Computed("", self.variables.get(target.id, "literal")))
            self._set(target.id, value)
        else:
            self.ir.refuse(target, "cannot assign to this")

    def _save(self, node: ast.AST, place: str, kind: str, value: Any) -> None:
        bits, text = BUFFERS[kind][1], self.ir.scalar(node, value)
        if bits < 64:
            text = self.ir.define(f"trunc i64 {text} to i{bits}", "").text
        self.ir.emit(f"store i{bits} {text}, ptr {place}")
