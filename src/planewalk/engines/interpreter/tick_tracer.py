"""Tracing single ticks: what an instruction does wherever it stands, for the interpreter.

Other code is made for one program, so a walker's place is a plain number there. Here it is a node,
and so is the size of the plane; only heading and mode are plain. Such a stance without a place is a
posture. For each posture and each thing that a cell may hold, one tree says what happens in the
tick, and the posture that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ...core.instruction import Act
from ...core.language import Language, Pace
from ...core.state import State
from ..base.keeping import CODES, FURTHEST, OTHER
from ..tracing.branching import Branching
from ..tracing.context import TraceContext
from ..tracing.footprint import blocks
from ..tracing.headers import LoopHeaders
from ..tracing.ir import Block, Exit, Goto, Key, Leave, Node, NodeGraph, Undecided
from ..tracing.joins import Joins
from ..tracing.limits import MOST_INSTRUCTIONS
from ..tracing.ops import COMPARING
from ..tracing.refusal import Refusals
from ..tracing.trees import Env, Path, Tree
from ..tracing.walk import Walk
from ..tracing.words.cells import WritableCells
from ..tracing.words.combined import TracedWords, leave
from ..tracing.words.hand import TracedHand
from ..tracing.words.numbers import TracedNumbers
from ..tracing.words.registers import RunChance, TracedRegisters
from ..tracing.words.stack import OpenStack
from ..tracing.words.streams import TracedStreams
from .abi import LARGEST, MOST_POSTURES, NoInterpreter, posture_of, why_not
from .surroundings import SureLine

MOST_DECISIONS = 60  # along one path: machine code does not mind how deep decisions are nested


class PlacedEnv(Env):
    """What values stand where, and where the walker itself stands."""

    __slots__ = ("x", "y")

    def __init__(self, stack: list[Any], hand_x: Any, hand_y: Any, x: Any, y: Any) -> None:
        super().__init__(stack, hand_x, hand_y)
        self.x, self.y = x, y

    def copy(self) -> PlacedEnv:
        twin = PlacedEnv([], 0, 0, self.x, self.y)
        plain = super().copy()
        for name in Env.__slots__:
            setattr(twin, name, getattr(plain, name))
        return twin

    def values(self) -> list[Any]:
        return [self.x, self.y, *super().values()]

    def set_values(self, values: list[Any]) -> None:
        self.x, self.y, *others = values
        super().set_values(others)


class TickGraph(NodeGraph):
    """Nodes, some of which are always less than others: columns than the width."""

    def __init__(self, cells: tuple[float, float]) -> None:
        super().__init__(True, cells)
        self.width = self._size("width", ())
        self.inside: set[tuple[int, int]] = set()
        """Pairs of nodes of which the first is always from 0 on, and less than the second."""

    def _size(self, op: str, args: tuple[Any, ...]) -> Node:
        node = self.make(op, args, "int")
        node.low, node.high = 1, LARGEST
        return node

    def arithmetic(self, symbol: str, a: Any, b: Any) -> Any:
        if isinstance(b, SureLine) and symbol in COMPARING:
            return NotImplemented  # it knows how
        return super().arithmetic(symbol, a, b)

    def height(self, grown: int) -> Node:
        """How many rows there are, after so many changes of that."""
        return self._size("height", (grown,))

    def make(self, op: str, args: tuple[Any, ...], kind: str) -> Node:
        node = super().make(op, args, kind)
        if op == "%" and isinstance(args[1], Node) and args[1].low > 0:
            node.low, node.high = 0, args[1].high - 1
        return node

    def fits(self, a: Any, b: Any) -> bool:
        """Whether a is surely from 0 on and less than b."""
        if not isinstance(a, Node) or not isinstance(b, Node):
            return False
        return (a.id, b.id) in self.inside or (a.op == "%" and a.args[1] is b and b.low > 0)

    def _compare(self, symbol: str, a: Any, b: Any, key: Any) -> Any:
        if symbol in ("<", ">=") and self.fits(a, b):
            return symbol == "<"
        if symbol in (">", "<=") and self.fits(b, a):
            return symbol == ">"
        return super()._compare(symbol, a, b, key)

    def _whole(self, symbol: str, a: Any, b: Any) -> Any:
        if symbol == "%" and self.fits(a, b):
            return a
        return super()._whole(symbol, a, b)


class Here:
    """Where the walker stands: a node for its column and for its line, and what the cell holds."""

    def __init__(self, context: TraceContext) -> None:
        self.x: Any = context.graph.make("place", ("x",), "int")
        self.y: Any = context.graph.make("place", ("y",), "int")
        for node in (self.x, self.y):
            node.low, node.high = 0, LARGEST - 1
        self.code = 0

    def cell(self, x: Any, y: Any) -> int:
        """The cell under the walker, which holds a plain number."""
        if x is not self.x or y is not self.y:
            raise Leave
        return self.code


class _CellsHere:
    """The cells as `decode` sees them."""

    def __init__(self, here: Here, index: Any) -> None:
        self._here, self._index = here, index

    def __getitem__(self, index: Any) -> int:
        if index is not self._index:
            raise Leave
        return self._here.code


class _Ground:
    """The plane as geometry and instructions see it: its size is a node."""

    def __init__(self, context: TraceContext) -> None:
        assert isinstance(context.graph, TickGraph)
        self._context, self._graph = context, context.graph
        self.width: Any = self._graph.width

    @property
    def height(self) -> Any:
        return self._graph.height(self._context.env.grown)

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class _Decoded(_Ground):
    """The plane as `decode` sees it."""

    def __init__(self, context: TraceContext, here: Here, index: Any) -> None:
        super().__init__(context)
        self.data = _CellsHere(here, index)
        self.cell = self.at = here.cell


class PostureTrees(NamedTuple):
    """What the cells mean in one posture: a tree for each byte that a cell may
    hold, the same for all that do the same; None where the reference engine has to act."""

    posture: Key
    trees: list[Tree | None]


class TickStack(OpenStack):
    """A stack of which values are also reached where they lie, however deep that is."""

    def need(self, index: int) -> None:
        if self.context.env.stirred:
            raise Leave
        super().need(index)

    def is_deep(self, index: Any) -> bool:
        """Whether an index is that of a value which no instruction has taken up yet; leaves if
        machine code does not see it."""
        if not isinstance(index, Node) or index < len(self.values):  # type: ignore[operator]
            return False
        if self.context.env.stirred or not self.context.asks("near", index, self.shift):
            raise Leave
        return True

    @property
    def shift(self) -> int:
        """What is added to an index to count from the top of the stack as it was."""
        return self.context.env.drop - len(self.values)

    def peek(self, index: Any) -> Any:
        if not self.is_deep(index):
            return super().peek(index)
        return self.context.load("deep", index, self.shift)

    def poke(self, index: Any, value: Any) -> None:
        if not self.is_deep(index):
            super().poke(index, value)
            return
        self.stir(("poke", index, self.shift, value))

    def pluck(self, index: Any) -> Any:
        if not self.is_deep(index):
            return super().pluck(index)
        value = self.peek(index)
        if not self.context.asks("brisk", index):
            raise Leave  # so much has been moved that the clock should be looked at
        self.stir(("pluck", index, self.shift, self.context.env.drop))
        return value

    def stir(self, effect: tuple[Any, ...]) -> None:
        """Change values deep in the stack; those above are looked at before."""
        ops = self.context.block.ops
        ops += [("let", value) for value in self.values if isinstance(value, Node)]
        self.context.effects.append(effect)
        self.context.env.stirred = True


class TickCells(WritableCells):
    """Cells of a field that has a width and a height."""

    def stay_inside(self, x: Any, y: Any) -> None:
        if not (0 <= x < self.ground.width and y >= 0):
            raise Leave
        if not self.is_new_row(y) and not y < self.ground.height:
            raise Leave

    def spare_code(self, x: Any, y: Any) -> None:
        """Nothing is code: a tick is the same wherever it is."""


class TickText:
    """Cells that never change, of which it is not known which program they are."""

    def __init__(self, context: TraceContext, ground: Any, here: Here) -> None:
        self.context, self.ground, self.here = context, ground, here

    def cell(self, x: Any, y: Any) -> Any:
        if not (0 <= x < self.ground.width and 0 <= y < self.ground.height):
            raise Leave
        keeping = self.context.keeping
        node: Any = self.context.graph.make("cell", (x, y, 0), "int")
        if x is self.here.x and y is self.here.y:
            node.high = keeping.codes - 1  # others are not decoded
        elif keeping.codes == OTHER and node == OTHER:
            raise Leave
        return node


class TickHand(TracedHand):
    """A hand on any plane."""

    def __init__(self, context: TraceContext, ground: Any) -> None:
        self.confined, self.ground = context.keeping.confined, ground
        least = 0 if self.confined else -FURTHEST
        super().__init__(context, ((least, FURTHEST), (least, FURTHEST)))

    def keep_near(self, x: Any, y: Any) -> None:
        if self.confined and not (0 <= x < self.ground.width):
            raise Leave
        super().keep_near(x, y)


class TickWords(TracedWords):
    """The words, but for those that no interpreter knows."""

    call = returned = leave  # type: ignore[assignment]


class TickChance(RunChance):
    """Samples are those of a program."""

    def sample(self, index: Any) -> Any:
        raise Leave


class TickJoins(Joins):
    """Branches in which values lie elsewhere than in others are not joined."""

    def joined(self, origin: Path, done: list[Path]) -> list[Path]:
        return done if any(path.env.stirred for path in done) else super().joined(origin, done)


class TickWalk(Walk):
    """One tick, wherever the walker stands."""

    acting: Act
    """The instruction that stands there."""

    def begin(self, key: Key, env: Env, ticks: int, block: Block, facts: dict[int, bool]) -> None:
        super().begin(key, env, ticks, block, facts)
        assert isinstance(self.context.env, PlacedEnv)
        _, _, dx, dy, mode = key.stance
        self.words.stance = Stance(self.context.env.x, self.context.env.y, dx, dy, mode)

    def act(self, key: Key) -> Key:
        words, rules = self.words, self.context.language.rules
        if rules.over is not None and rules.over(words.plane, words.stance):
            raise Leave
        self.acting(words)
        following = self.stance_after(words.stance)
        if rules.pace is Pace.TOGETHER:
            if words.wishes:
                rules.settle(words, words.wishes)
            if rules.stays is not None and not rules.stays(words.plane, following):
                raise Leave
        self.land(following)
        words.settle_hand()
        return posture_of(following)

    def land(self, stance: Stance) -> None:
        """Come to where the tick ends; leaves if that is outside the plane."""
        ground: Any = self.words.plane
        for at, size in ((stance.x, ground.width), (stance.y, ground.height)):
            self.context.stay_within(at, (0, LARGEST))
            if not at < size:
                raise Leave
        self.keep_place(stance)

    def keep_place(self, stance: Stance) -> None:
        """Keep where the walker is now."""
        hash(stance[2:])  # heading and mode must be plain
        assert isinstance(self.context.env, PlacedEnv)
        self.context.env.x, self.context.env.y = stance.x, stance.y


class TickTracer:
    """Records what single ticks do at a place that is a node."""

    def __init__(self, language: Language, state: State) -> None:
        why = why_not(language, state)
        if why is not None:
            raise NoInterpreter(why)
        self.graph = TickGraph((0, OTHER))
        self.context = context = TraceContext(language, state, self.graph)
        self.here = Here(context)
        index = self.here.y * self.graph.width + self.here.x
        self._note_what_is_inside(context.keeping.confined)
        self.ground, self.decoded = self._views(index)
        numbers = TracedNumbers(context)
        registers = TracedRegisters(context, numbers)
        self.cells = self._cells(numbers)
        hand = TickHand(context, self.ground)
        self.words = TickWords(
            context, self.ground, self.decoded, numbers, TickStack(context, numbers),
            TickChance(context, registers), hand, registers, self.cells, TracedStreams(context),
        )  # fmt: skip
        self.headers = LoopHeaders(context, hand)
        self.walk = self._walk()
        self.joins = TickJoins(context, registers)
        self.branching = Branching(self.walk, self.joins, MOST_INSTRUCTIONS, MOST_DECISIONS)

    # Parts that depend on the plane ----------------------------------------------------------

    def _note_what_is_inside(self, confined: bool) -> None:
        """The walker is between the edges, and so may be the hand."""
        hand, graph = self.graph.make("hand", ("x",), "int"), self.graph
        height = graph.height(0)
        graph.inside = {(self.here.x.id, graph.width.id), (self.here.y.id, height.id)}
        if confined:
            graph.inside.add((hand.id, graph.width.id))

    def _views(self, index: Any) -> tuple[Any, Any]:
        """The plane as instructions see it, and as `decode` sees it."""
        return _Ground(self.context), _Decoded(self.context, self.here, index)

    def _cells(self, numbers: TracedNumbers) -> Any:
        if self.context.real_plane.writable:
            return TickCells(self.context, numbers, self.ground)
        return TickText(self.context, self.ground, self.here)

    def _walk(self) -> TickWalk:
        return TickWalk(self.context, self.words, self.decoded, 1, MOST_INSTRUCTIONS)

    # Recording -------------------------------------------------------------------------------

    def posture_trees(self, posture: Key) -> PostureTrees:
        """All that can happen in one posture."""
        acts = self._acts(posture)
        trees = {act: self._tick(posture, act) for act in dict.fromkeys(acts) if act is not None}
        found = [None if act is None else trees[act] for act in acts]
        return PostureTrees(posture, found + [None] * (CODES - len(found)))

    def _acts(self, posture: Key) -> list[Act | None]:
        """What each number in a cell does."""
        self.walk.begin(posture, self._before(), 0, Tree(posture).root, {})
        return list(map(self._decode, range(self.context.keeping.codes)))

    def _decode(self, code: int) -> Act | None:
        """What a cell with that number does; None if that depends on more."""
        self.here.code = code
        try:
            return self.context.language.decode(self.decoded, self.words.stance).act
        except (Leave, Undecided, Exception):  # there may never be such a cell
            return None

    def _tick(self, posture: Key, act: Act) -> Tree | None:
        """What an instruction does; None if that is nothing for machine code at all."""
        self.walk.acting = act
        tree = Tree(posture)
        before, facts = self._before(), self.joins.are_there([self.here.y], 0)
        first = Path(tree.root, posture, before, 0, facts, 0)
        for block, key, env, ticks, _, _ in self.branching.perform(tree, first):
            block.end = Goto(key, env, ticks)
        ends = [block.end for block in blocks(tree)]
        return None if len(ends) == 1 and isinstance(ends[0], Exit) else tree

    def _before(self) -> PlacedEnv:
        """What stands where before any tick."""
        env = self.headers.open(None)
        return PlacedEnv(env.stack, env.hand_x, env.hand_y, self.here.x, self.here.y)


def trees_by_posture(
    tracer: TickTracer, postures: list[Key], refusals: Refusals
) -> list[PostureTrees]:
    """What can happen in these postures and all that follow from them; what goes wrong is noted."""
    tracer.context.refusals = refusals
    found: dict[Key, PostureTrees] = {}
    waiting = list(postures)
    while waiting:
        posture = waiting.pop(0)
        if posture in found:
            continue
        if len(found) == MOST_POSTURES:
            raise NoInterpreter(f"a walker has more than {MOST_POSTURES} headings and modes")
        try:
            there = found[posture] = tracer.posture_trees(posture)
        except (Exception, SystemExit, Leave, Undecided) as error:
            raise NoInterpreter(f"tracing it raises {type(error).__name__}") from error
        waiting += following(there)
    if not any(tree is not None for there in found.values() for tree in there.trees):
        raise NoInterpreter("none of its instructions can be traced by itself")
    return list(found.values())


def following(there: PostureTrees) -> Iterator[Key]:
    """The postures that others lead to."""
    for tree in dict.fromkeys(there.trees):
        for block in blocks(tree) if tree is not None else ():
            if isinstance(block.end, Goto):
                yield block.end.key
