"""Values in lanes: a vector has one for each pixel of a small block.

They are kept as float32 where nothing is lost by that. What must outlast a tree stands in
variables, and a mask says which lanes something is about.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...core.numbers.float32 import f32
from ..native.values import Unwritable, ValueWriter, constant
from ..tracing.ir import Node
from ..tracing.ops import COMPARING, NARROW, ON_FLOATS, PURE_OPS
from .lane_tracer import LaneTracer


class LaneValues(ValueWriter):
    """Writes lines that compute the values of so many lanes."""

    to_samples = "ptr %to.samples"
    most_samples = 1 << 31
    """As many as an index can tell apart."""

    def __init__(self, tracer: LaneTracer, lanes: int) -> None:
        super().__init__()
        self.tracer = tracer
        self.lanes = lanes
        self.real, self.narrow = f"<{lanes} x double>", f"<{lanes} x float>"
        self.word, self.truth = f"<{lanes} x i64>", f"<{lanes} x i1>"
        self.bytes, self.counts = f"<{lanes} x i8>", f"<{lanes} x i32>"
        self.variables: dict[str, str] = {}
        """Their types, by name."""
        self.draws = self.looks = False
        """Whether anything is left to chance, or looked up in the text."""
        self.gathers: set[str] = set()
        """Declarations of what gathers values from places."""

    def _needs(self, node: Node) -> tuple[Any, ...]:
        return node.args[0].args if is_exact(node) else node.args

    by_lane: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("slot", "register", "either"), "_variable_of"),
        "given": "_given", "draw": "_draw", "text": "_looked_up", "sample": "_sampled",
        "chosen": "_chosen", "round": "_rounded",
    }  # fmt: skip
    """What lanes have in their own way, and the methods that write it."""

    def _compute(self, node: Node, there: dict[int, str]) -> str:
        """The name of a value as it is kept: narrow if nothing is lost by that."""
        op, args = node.op, node.args
        if op in self.by_lane:
            value: str = getattr(self, self.by_lane[op])(node, there)
            return value
        if op in COMPARING and all(map(_is_narrow, args)):
            return self._real(op, [self._narrowed(arg, there) for arg in args], self.narrow)
        if op in PURE_OPS and not PURE_OPS[op].idle:
            raise Unwritable(f"lanes have no {op!r}")  # idle lanes might divide by zero
        wide = {arg.id: self._widened(arg, there) for arg in args if isinstance(arg, Node)}
        return super()._compute(node, wide)

    def _given(self, node: Node, there: dict[int, str]) -> str:
        return f"%given.{node.args[0]}"

    def _variable_of(self, node: Node, there: dict[int, str]) -> str:
        return self._load(self._variable(variable_of(node), self.narrow))

    def _rounded(self, node: Node, there: dict[int, str]) -> str:
        inner = node.args[0]
        if is_exact(node):
            operands = [self._narrowed(arg, there) for arg in inner.args]
            return self._real(inner.op, operands, self.narrow)
        return self.define(f"fptrunc {self.real} {there[inner.id]} to {self.narrow}")

    def _chosen(self, node: Node, there: dict[int, str]) -> str:
        """See `Vocabulary.chosen`."""
        index, size, offset, *values = node.args
        at = self._widened(index, there)
        zero = self._constant(0.0, True)
        back = self._real("+", [at, self._constant(size, True)], self.real)
        negative = self._real("<", [at, zero], self.real)
        at = self.define(f"select {self.truth} {negative}, {self.real} {back}, {self.real} {at}")
        at = self._real("+", [at, self._constant(offset, True)], self.real)
        found = "zeroinitializer"
        for number, value in enumerate(values):
            here = self._real("==", [at, self._constant(number, True)], self.real)
            name = self._narrowed(value, there)
            text = f"select {self.truth} {here}, {self.narrow} {name}, {self.narrow} {found}"
            found = self.define(text)
        return found

    def _widened(self, node: Node, there: dict[int, str]) -> str:
        """A value that is there, as operations on float64 take it."""
        if node.op not in NARROW:
            return there[node.id]
        widened = ~node.id  # no node has such a number
        if widened not in there:
            text = f"fpext {self.narrow} {there[node.id]} to {self.real}"
            there[widened] = self.define(text)
        return there[widened]

    def _narrowed(self, value: Any, there: dict[int, str]) -> str:
        """A narrow value, computed if it is not there."""
        if isinstance(value, Node):
            return self.value(value, there)
        return self._all("float", constant(value, True))

    def _constant(self, value: Any, floats: bool) -> str:
        kind = "double" if floats or isinstance(value, float) else "i64"
        kind = "i1" if isinstance(value, bool) else kind
        return self._all(kind, constant(value, floats))

    def _all(self, kind: str, value: str) -> str:
        """The same plain number in all lanes."""
        return f"splat ({kind} {value})"

    # Chance ----------------------------------------------------------------------------------

    def _draw(self, node: Node, there: dict[int, str]) -> str:
        """`chance.mix` of each lane's seed and tick."""
        ticks = node.args[0]
        self.draws = True
        tick = self.define(f"zext {self.counts} {self._load('ticks')} to {self.word}")
        now = self.define(f"add {self.word} {tick}, {self._constant(ticks, False)}")
        return self.mixed("%seed.stirred", now)

    def _seeds(self) -> list[str]:
        """Lines that give each pixel a chance of its own."""
        before, self.lines = self.lines, []
        shading = self.tracer.shading
        assert shading is not None

        def mix(seed: str, counter: str) -> str:
            return self.mixed(self.stirred(seed), counter)

        seed = self.stirred(shading.seed(mix, "%seed.all", "%x.words", "%y.words"))
        self.emit(f"  %seed.stirred = add {self.word} {seed}, zeroinitializer")
        lines, self.lines = self.lines, before
        return lines

    # The text --------------------------------------------------------------------------------

    def _looked_up(self, node: Node, there: dict[int, str]) -> str:
        """The cell of the text at each lane's place."""
        x, y = (self._narrowed(arg, there) for arg in node.args)
        plane: Any = self.tracer.context.real_plane
        self.looks = True
        inside, index = self._all("i1", "true"), []
        for place, size in ((y, plane.height), (x, plane.width)):
            beyond = self._all("float", constant(size, True))
            checks = [
                self._real(">=", [place, "zeroinitializer"], self.narrow),
                self._real("<", [place, beyond], self.narrow),
                self._real("==", [place, self._real("floor", [place], self.narrow)], self.narrow),
            ]
            for check in checks:
                inside = self._both(inside, check)
            # Only places inside are whole numbers of that size; others are not looked at.
            safe = f"select {self.truth} {inside}, {self.narrow} {place}, "
            safe = self.define(f"{safe}{self.narrow} zeroinitializer")
            index.append(self.define(f"fptosi {self.narrow} {safe} to {self.counts}"))
        row = self.define(f"mul {self.counts} {index[0]}, {self._all('i32', str(plane.width))}")
        at = self.define(f"add {self.counts} {row}, {index[1]}")
        cells = self.define(f"getelementptr float, ptr @text, {self.counts} {at}")
        return self._cells_at(cells, inside, self._all("float", constant(plane.blank, True)))

    def _cells_at(self, cells: str, inside: str, blank: str) -> str:
        """What stands at places inside the text; blank for lanes that are not."""
        return self._gathered("f32", self.narrow, f"{cells}, i32 4", inside, blank)

    def _gathered(self, short: str, kind: str, places: str, inside: str, other: str) -> str:
        """What is found at the places of some lanes."""
        name = f"llvm.masked.gather.v{self.lanes}{short}.v{self.lanes}p0"
        pointers = f"<{self.lanes} x ptr>"
        self.gathers.add(f"declare {kind} @{name}({pointers}, i32, {self.truth}, {kind})")
        lanes = f"{self.truth} {inside}, {kind} {other}"
        return self.define(f"call {kind} @{name}({pointers} {places}, {lanes})")

    def _text(self) -> str:
        """The text as a table."""
        plane: Any = self.tracer.context.real_plane
        places = ((x, y) for y in range(plane.height) for x in range(plane.width))
        cells = ", ".join(f"float {constant(plane.cell(x, y), True)}" for x, y in places)
        return f"@text = internal constant [{plane.width * plane.height} x float] [{cells}]"

    # Samples ---------------------------------------------------------------------------------

    def _sampled(self, node: Node, there: dict[int, str]) -> str:
        """The byte at each lane's index of the samples; the first is read where there is none."""
        index, size = self._widened(node.args[0], there), node.args[1]
        if size > self.most_samples:
            raise Unwritable(f"its textures have more than {self.most_samples} bytes")
        inside = self._both(
            self._real(">=", [index, "zeroinitializer"], self.real),
            self._real("<", [index, self._constant(size, True)], self.real),
        )
        safe = f"select {self.truth} {inside}, {self.real} {index}, {self.real} zeroinitializer"
        whole = self.define(f"fptosi {self.real} {self.define(safe)} to {self.counts}")
        place = self.define(f"getelementptr i8, {self.to_samples}, {self.counts} {whole}")
        value = self.define(f"uitofp {self.bytes} {self._bytes_at(place)} to {self.narrow}")
        return self.define(
            f"select {self.truth} {inside}, {self.narrow} {value}, {self.narrow} zeroinitializer"
        )

    def _bytes_at(self, places: str) -> str:
        every = self._all("i1", "true")
        return self._gathered("i8", self.bytes, f"{places}, i32 1", every, "zeroinitializer")

    # Variables and masks ---------------------------------------------------------------------

    def _variable(self, name: str, kind: str) -> str:
        self.variables[name] = kind
        return name

    def _load(self, name: str) -> str:
        return self.define(f"load {self.variables[name]}, ptr %{name}")

    def _put(self, name: str, kind: str, value: str, lanes: str) -> None:
        """Change a variable for some lanes."""
        old = self._load(name)
        new = self.define(f"select {self.truth} {lanes}, {kind} {value}, {kind} {old}")
        self.emit(f"  store {kind} {new}, ptr %{name}")

    def _add_lanes(self, mask: str, lanes: str) -> None:
        more = self.define(f"or {self.truth} {self._load(mask)}, {lanes}")
        self.emit(f"  store {self.truth} {more}, ptr %{mask}")

    def _both(self, one: str, other: str) -> str:
        return self.define(f"and {self.truth} {one}, {other}")

    def _not(self, lanes: str) -> str:
        return self.define(f"xor {self.truth} {lanes}, {self._all('i1', 'true')}")

    def _any(self, lanes: str) -> str:
        bits = self.define(f"bitcast {self.truth} {lanes} to i{self.lanes}")
        return self.define(f"icmp ne i{self.lanes} {bits}, 0")


def variable_of(node: Node) -> str:
    """The variable in which a value stands."""
    if node.op == "either":
        return f"either{node.id}"
    return f"{node.op}{node.args[0]}"


NARROWED = {name for name, row in ON_FLOATS.items() if row.narrow}
"""Operations whose float32 is the rounded float64 of the same float32 operands."""


def _is_narrow(value: Any) -> bool:
    """Whether a float32 holds it without rounding."""
    if isinstance(value, Node):
        return value.op in NARROW
    return bool(value != value or f32(value) == value)


def is_exact(node: Node) -> bool:
    """Whether rounding the result is the same as computing in float32."""
    inner = node.args[0] if node.op == "round" else None
    return isinstance(inner, Node) and inner.op in NARROWED and all(map(_is_narrow, inner.args))
