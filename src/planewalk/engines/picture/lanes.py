"""Trees as LLVM IR on vectors: one lane for each pixel of a small block.

Each tree has a mask: the lanes that are to go on there. Trees are visited in the order of
`schedule.py` and skipped while their mask is empty. A branch is two nested pieces of code, each
for the lanes that take it; where lanes go on to another tree, their values are selected into the
variables of the stack and the registers, which belong to each lane alone.

A lane that meets something that is not for lanes is only marked; its pixel is drawn again. So it is
with lanes that come to the step limit, unless code is careful: then trees are of one tick each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..native import maths
from ..native.values import Unwritable
from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Join, Node
from ..tracing.trees import Env
from .frame import FRAME, WIDE, colours, places, splat, stepping
from .lane_code import WIDTHS, LaneSlot
from .lane_tracer import LaneTracer
from .lane_values import LaneValues, variable_of
from .schedule import Item, LaneLoop, schedule

CHANNELS = ("red", "green", "blue")


class Station(NamedTuple):
    """Code that lanes come to: a tree, or a side of a branch that waits for the end of a loop."""

    block: Block
    mask: str


class Reach(NamedTuple):
    """Where a block leads: to which trees, whether to other ways that join it, or to the end."""

    targets: frozenset[int]
    joins: bool
    halts: bool


class LaneWriter(LaneValues):
    """Writes all trees of a program for so many lanes."""

    def __init__(self, tracer: LaneTracer, lanes: int, careful: bool) -> None:
        super().__init__(tracer, lanes)
        self.trees = dict(enumerate(tracer.trees(careful)))
        self.heads = {tree.key: number for number, tree in self.trees.items()}
        self.careful = careful
        self.size = 0
        """Characters of the trees alone, once they are written."""
        self.ends: dict[tuple[Any, ...], tuple[str, list[Any]]] = {}
        """Masks of lanes that end at the limit with the same channels, and these channels."""
        self.loops: list[LaneLoop] = []
        """Those around what is written now, the innermost last."""
        self.waiting: dict[int, list[Station]] = {}
        """Sides that wait for the end of a loop, by the first tree of it."""

    def source(self) -> str:
        lanes, across = self.lanes, WIDTHS[self.lanes]
        every = {
            "given.width": ("float", "%width.real"),
            "given.height": ("float", "%height.real"),
            "given.time": ("float", "%time.real"),
            "seed.all": ("i64", "%seed"),
            "right.all": ("i64", "%right"),
            "bottom.all": ("i64", "%bottom"),
            "limit.all": ("i32", "%limit.short"),
        }
        parts = self._parts() | {
            "words": [line for word in LaneSlot for line in _loaded(word)],
            "same_for_all": [
                line
                for name, (kind, value) in every.items()
                for line in splat(kind, value, f"%{name}", lanes)
            ],
            "places": places(lanes, across),
            "colours": colours(lanes, across),
            "stepping": stepping(lanes, across),
        }
        texts = {name: "\n".join(lines) for name, lines in parts.items()}
        frame = FRAME.substitute(texts, wide=WIDE, lanes=lanes, across=across, down=lanes // across)
        return "\n".join([*self._declarations(), frame])

    def _parts(self) -> dict[str, list[str]]:
        """All trees, and the variables that they need."""
        self.variables = {"ticks": self.counts, "marked": self.truth, "limited": self.truth}
        self.variables |= dict.fromkeys(CHANNELS, self.bytes)
        start = self.heads[self.tracer.entry]
        edges = {n: set(self._reach(tree.root).targets) for n, tree in self.trees.items()}
        self._goto(Goto(self.tracer.entry, self.tracer.start, 0), "%active", {})
        self._items(schedule(start, edges))
        for mask, channels in self.ends.values():
            block = Block()
            block.end = Exit(self.tracer.entry, Env(channels, 0, 0), 0, halted=True)
            self._station(Station(block, mask))
        trees, self.lines = self.lines, []
        self.size = sum(map(len, trees))
        if self.draws:
            trees[:0] = self._seeds()
        variables = self.variables.items()
        return {
            "trees": trees,
            "variables": [f"  %{name} = alloca {kind}" for name, kind in variables],
            "clearing": [
                f"  store {kind} zeroinitializer, ptr %{name}" for name, kind in variables
            ],
        }

    def _declarations(self) -> list[str]:
        own = self._own_maths()
        text = [self._text()] if self.looks else []
        return [self._written_maths(own), *text, *sorted(self.gathers), *self._declared_maths()]

    def _written_maths(self, names: list[str]) -> str:
        return maths.definitions(names, self.lanes, WIDE)

    # Which lanes go where --------------------------------------------------------------------

    def _items(self, items: list[Item]) -> None:
        for item in items:
            if isinstance(item, LaneLoop):
                self._loop(item)
            else:
                self._station(self._tree_station(item))

    def _tree_station(self, number: int) -> Station:
        tree = self.trees[number]
        mask = self._variable(f"mask{number}", self.truth)
        if self.careful:
            self._end_spent(self.tracer.known_at[tree.key], mask)
        return Station(tree.root, mask)

    def _loop(self, loop: LaneLoop) -> None:
        """Trees that are visited again as long as any lane is to."""
        label = self._new_label()
        self._begin_block(label)
        self.loops.append(loop)
        first = self._tree_station(loop.first)
        if not self.careful:  # lanes that have come to the step limit do not go round again
            self._add_lanes("limited", self._taken_out(first.mask, "sgt"))
        self._station(first)
        self._items(loop.rest)
        again = self._any(self._load(first.mask))
        after = self._new_label()
        self.emit(f"  br i1 {again}, label %{label}, label %{after}")
        self.emit(f"{after}:")
        self.loops.pop()
        for station in self.waiting.pop(loop.first, []):
            self._station(station)

    def _end_spent(self, head: Env, mask: str) -> None:
        """Lanes that stand at a head when their steps are spent have the colour of this moment.

        Nothing changes it any more, so it is computed when all lanes have come to their ends.
        """
        spent = self._taken_out(mask, "sge")
        self._add_lanes("limited", spent)
        channels = self.tracer.channels(head.stack)
        same = tuple(value.id if isinstance(value, Node) else repr(value) for value in channels)
        mask = self._variable(f"end{len(self.ends)}", self.truth)
        mask, _ = self.ends.setdefault(same, (mask, channels))
        self._add_lanes(mask, spent)

    def _taken_out(self, mask: str, compare: str) -> str:
        """The lanes of a mask whose ticks are beyond the limit; they are in it no more."""
        over = self.define(f"icmp {compare} {self.counts} {self._load('ticks')}, %limit.all")
        lanes = self._load(mask)
        self.emit(f"  store {self.truth} {self._both(lanes, self._not(over))}, ptr %{mask}")
        return self._both(lanes, over)

    def _station(self, station: Station) -> None:
        lanes = self._load(station.mask)
        self.emit(f"  store {self.truth} zeroinitializer, ptr %{station.mask}")
        self._guarded(station.block, lanes, {}, "")

    def _guarded(self, block: Block, lanes: str, there: dict[int, str], join: str) -> None:
        """A block for some lanes, skipped if there are none."""
        inside, after = self._new_label(), self._new_label()
        self.emit(f"  br i1 {self._any(lanes)}, label %{inside}, label %{after}")
        self.emit(f"{inside}:")
        self._run(block, lanes, there, join)
        self._begin_block(after)

    def _run(self, block: Block, lanes: str, there: dict[int, str], join: str) -> None:
        """A block and what follows it; ways that join add their lanes to the mask `join`."""
        while (
            isinstance(block.end, ConditionalBranch)
            and block.end.join is not None
            and _is_choice(block)
        ):
            self._keep(self._selected(block, there), lanes, there)
            block = block.end.join
        if block.ops:
            raise Unwritable("lanes only compute")
        end = block.end
        if isinstance(end, ConditionalBranch) and end.join is not None:
            joined = self._variable(f"join{self.count}", self.truth)
            self.emit(f"  store {self.truth} zeroinitializer, ptr %{joined}")
            self._sides(end, lanes, there, joined)
            self._guarded(end.join, self._load(joined), there, join)
        elif isinstance(end, ConditionalBranch):
            self._sides(end, lanes, there, join)
        elif isinstance(end, Join):
            values = {node.id: self._narrowed(value, there) for node, value in end.values}
            self._keep(values, lanes, {})
            self._add_lanes(join, lanes)
        elif isinstance(end, Goto):
            self._goto(end, lanes, there)
        else:
            assert end is not None
            self._leave(end, lanes, there)

    def _sides(
        self, branch: ConditionalBranch, lanes: str, there: dict[int, str], join: str
    ) -> None:
        condition = self.value(branch.condition, there)
        sides = ((branch.yes, condition), (branch.no, self._not(condition)))
        for side, taken in sides:
            some = self._both(lanes, taken)
            loop = self._left_behind(side)
            if loop is not None:
                mask = self._variable(f"side{self.count}", self.truth)
                self._add_lanes(mask, some)
                self.waiting.setdefault(loop.first, []).append(Station(side, mask))
            elif isinstance(side.end, Exit) and not side.end.halted:
                self._leave(side.end, some, there)
            else:
                self._guarded(side, some, dict(there), join)

    def _left_behind(self, side: Block) -> LaneLoop | None:
        """The outermost loop that a side leads out of, if it does."""
        reach, found = self._reach(side), None
        if reach.joins or not (reach.targets or reach.halts):
            return None
        for loop in reversed(self.loops):
            if reach.targets & loop.members:
                break
            found = loop
        return found

    def _reach(self, block: Block) -> Reach:
        targets: set[int] = set()
        halts = False
        while isinstance(block.end, ConditionalBranch):
            joins = False
            for side in (block.end.yes, block.end.no):
                reach = self._reach(side)
                targets |= reach.targets
                halts, joins = halts or reach.halts, joins or reach.joins
            if block.end.join is None:
                return Reach(frozenset(targets), joins, halts)
            block = block.end.join
        if isinstance(block.end, Goto):
            targets.add(self.heads[block.end.key])
        halts = halts or (isinstance(block.end, Exit) and block.end.halted)
        return Reach(frozenset(targets), isinstance(block.end, Join), halts)

    # Ways that join --------------------------------------------------------------------------

    def _selected(self, block: Block, there: dict[int, str]) -> dict[int, str]:
        """The values of all that joins, without parting: nothing of it has an effect."""
        end, kind = block.end, self.narrow
        if isinstance(end, Join):
            return {node.id: self._narrowed(value, there) for node, value in end.values}
        assert isinstance(end, ConditionalBranch)
        condition = self.value(end.condition, there)
        yes, no = (self._selected(side, there) for side in (end.yes, end.no))
        for number, name in yes.items():
            other = no[number]
            if name != other:
                text = f"select {self.truth} {condition}, {kind} {name}, {kind} {other}"
                yes[number] = self.define(text)
        return yes

    def _keep(self, values: dict[int, str], lanes: str, there: dict[int, str]) -> None:
        """Values that joined: at hand, and kept for lanes that come to use them later."""
        for number, name in values.items():
            there[number] = name
            self._put(self._variable(f"either{number}", self.narrow), self.narrow, name, lanes)

    # Ends ------------------------------------------------------------------------------------

    def _goto(self, end: Goto, lanes: str, there: dict[int, str]) -> None:
        """Bring the values of some lanes to where a tree expects them."""
        head, env = self.tracer.known_at[end.key], end.env
        pairs = [*zip(head.stack, env.stack, strict=True)]
        pairs += [(open_, env.registers.get(at, 0.0)) for at, open_ in head.registers.items()]
        changed = [
            (variable_of(expected), self._narrowed(value, there))
            for expected, value in pairs
            if value is not expected
            and isinstance(expected, Node)
            and expected.op in ("slot", "register")
        ]
        for name, value in changed:
            self._put(self._variable(name, self.narrow), self.narrow, value, lanes)
        self._spend_ticks(end.ticks, lanes)
        number = self.heads[end.key]
        self._add_lanes(self._variable(f"mask{number}", self.truth), lanes)

    def _leave(self, end: Exit, lanes: str, there: dict[int, str]) -> None:
        if not end.halted:
            self._add_lanes("marked", lanes)
            return
        for name, value in zip(CHANNELS, end.env.stack, strict=True):
            level = self.value(value, there, True)
            if isinstance(value, Node):
                level = self._widened(value, there)
            number = self.define(f"fcmp ord {self.real} {level}, zeroinitializer")
            safe = self.define(
                f"select {self.truth} {number}, {self.real} {level}, {self.real} zeroinitializer"
            )
            whole = self.define(f"fptosi {self.real} {safe} to {self.counts}")
            byte = self.define(f"trunc {self.counts} {whole} to {self.bytes}")
            self._put(name, self.bytes, byte, lanes)
        self._spend_ticks(end.ticks, lanes)

    def _spend_ticks(self, ticks: int, lanes: str) -> None:
        if ticks:
            spent = f"select {self.truth} {lanes}, {self.counts} {self._all('i32', str(ticks))}, "
            spent = self.define(f"{spent}{self.counts} zeroinitializer")
            now = self.define(f"add {self.counts} {self._load('ticks')}, {spent}")
            self.emit(f"  store {self.counts} {now}, ptr %ticks")

    # Labels ----------------------------------------------------------------------------------

    def _new_label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def _begin_block(self, label: str) -> None:
        self.emit(f"  br label %{label}")
        self.emit(f"{label}:")


def _loaded(word: LaneSlot) -> list[str]:
    name = word.name.lower()
    return [
        f"  %{name}.from = getelementptr i64, ptr %w, i64 {word.value}",
        f"  %{name} = load i64, ptr %{name}.from",
    ]


def _is_choice(block: Block) -> bool:
    """Whether all that happens from a branch to its join is choosing values."""
    assert isinstance(block.end, ConditionalBranch)
    for side in (block.end.yes, block.end.no):
        nested = (
            isinstance(side.end, ConditionalBranch) and side.end.join is None and _is_choice(side)
        )
        if side.ops or not (nested or isinstance(side.end, Join)):
            return False
    return not block.ops
