"""Tracing single ticks: what an instruction does wherever it stands, for the interpreter.

Other code is made for one program, so a walker's place is a plain number there. Here it is a node,
and so is the size of the plane; only heading and mode are plain. Such a stance without a place is a
posture. For each posture and each thing that a cell may hold, one tree says what happens in the
tick, and the posture that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...core.geometry import Stance
from ...core.instruction import Act
from ...core.language import Language, Pace
from ...core.state import State
from ..keeping import CODES, FURTHEST, OTHER
from ..tracing.ir import Exit, Goto, Key, Leave, Node, NodeGraph, Undecided
from ..tracing.layout import blocks
from ..tracing.ops import COMPARING
from ..tracing.refusal import Refusals
from ..tracing.trace import Tracer
from ..tracing.trees import Env, Path, Tree
from .abi import LARGEST, MOST_POSTURES, NoInterpreter, posture_of, why_not
from .surroundings import SureLine


class PlacedEnv(Env):
    """What values stand where, and where the walker itself stands."""

    __slots__ = ("stirred", "x", "y")

    def __init__(self, stack: list[Any], hand_x: Any, hand_y: Any, x: Any, y: Any) -> None:
        super().__init__(stack, hand_x, hand_y)
        self.x, self.y = x, y
        self.stirred = False
        """Whether values deep in the stack have changed, or changed their places."""

    def copy(self) -> PlacedEnv:
        twin = PlacedEnv([], 0, 0, self.x, self.y)
        plain = super().copy()
        for name in Env.__slots__:
            setattr(twin, name, getattr(plain, name))
        twin.stirred = self.stirred
        return twin

    def values(self) -> list[Any]:
        return [self.x, self.y, *super().values()]

    def set_values(self, values: list[Any]) -> None:
        self.x, self.y, *others = values
        super().set_values(others)


class _TickGraph(NodeGraph):
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


class _Here:
    """The cells as `decode` sees them: that under the walker holds a plain number."""

    def __init__(self, tracer: TickTracer) -> None:
        self._tracer = tracer

    def __getitem__(self, index: Any) -> int:
        if index is not self._tracer.here_index:
            raise Leave
        return self._tracer.code


class _Ground:
    """The plane as geometry and instructions see it: its size is a node."""

    def __init__(self, tracer: TickTracer) -> None:
        self._tracer = tracer
        self.width = tracer.graph.width

    @property
    def height(self) -> Any:
        return self._tracer.graph.height(self._tracer.env.grown)

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class _Decoded(_Ground):
    """The plane as `decode` sees it."""

    def __init__(self, tracer: TickTracer) -> None:
        super().__init__(tracer)
        self.data = _Here(tracer)

    def cell(self, x: Any, y: Any) -> int:
        if x is not self._tracer.here_x or y is not self._tracer.here_y:
            raise Leave
        return self._tracer.code

    at = cell


class Ways(NamedTuple):
    """What the cells mean to whoever stands in one posture: a tree for each byte that a cell may
    hold, the same for all that do the same; None where the reference engine has to act."""

    posture: Key
    trees: list[Tree | None]


class TickTracer(Tracer):
    """The words, performed on nodes at a place that is a node."""

    graph: _TickGraph
    env: PlacedEnv
    most_decisions = 60

    def __init__(self, language: Language, state: State) -> None:
        why = why_not(language, state)
        if why is not None:
            raise NoInterpreter(why)
        super().__init__(language, state, None, {}, True, known_depth=False, native=True)
        self.graph = _TickGraph((0, OTHER))
        make = self.graph.make
        self.here_x: Any = make("place", ("x",), "int")
        self.here_y: Any = make("place", ("y",), "int")
        for node in (self.here_x, self.here_y):
            node.low, node.high = 0, LARGEST - 1
        width: Any = self.graph.width
        self.here_index = self.here_y * width + self.here_x
        self.hand_columns = make("hand", ("x",), "int")
        sizes = self.graph.width, self.graph.height(0)
        self.graph.inside = {(self.here_x.id, sizes[0].id), (self.here_y.id, sizes[1].id)}
        if self._keeping.confined:
            self.graph.inside.add((self.hand_columns.id, sizes[0].id))
        self.plane: Any = _Ground(self)
        self._decoded: Any = _Decoded(self)
        self.code = 0
        self.acting: Act | None = None

    def ways(self, posture: Key) -> Ways:
        """All that can happen in one posture."""
        acts = self._acts(posture)
        trees = {act: self._tick(posture, act) for act in dict.fromkeys(acts) if act is not None}
        found = [None if act is None else trees[act] for act in acts]
        return Ways(posture, found + [None] * (CODES - len(found)))

    def _acts(self, posture: Key) -> list[Act | None]:
        """What each number in a cell does."""
        self._begin(Tree(posture).root, posture, self._fresh(None), 0, {})
        return list(map(self._decode, range(self._keeping.codes)))

    def _decode(self, code: int) -> Act | None:
        """What a cell with that number does; None if that depends on more."""
        self.code = code
        try:
            return self.language.decode(self._decoded, self.stance).act
        except (Leave, Undecided, Exception):  # there may never be such a cell
            return None

    def _tick(self, posture: Key, act: Act) -> Tree | None:
        """What an instruction does; None if that is nothing for machine code at all."""
        self.acting = act
        tree = Tree(posture)
        self.work = tree.acted = 0
        first = Path(tree.root, posture, self._fresh(None), 0, self._are_there([self.here_y], 0), 0)
        for block, key, env, ticks, _, _ in self._perform(tree, first):
            block.end = Goto(key, env, ticks)
        ends = [block.end for block in blocks(tree)]
        return None if len(ends) == 1 and isinstance(ends[0], Exit) else tree

    def _begin(self, *args: Any) -> None:
        super()._begin(*args)
        _, _, dx, dy, mode = self.stance
        self.stance = Stance(self.env.x, self.env.y, dx, dy, mode)

    def _act(self, key: Key) -> Key:
        language, stance = self.language, self.stance
        assert self.acting is not None
        if language.rules.over is not None and language.rules.over(self.plane, stance):
            raise Leave
        self.acting(self)
        way = self._after(self._decoded, self.stance)
        if way is None:
            raise Leave
        if language.rules.pace is Pace.TOGETHER:
            if self.wishes:
                language.rules.settle(self, self.wishes)
            if language.rules.stays is not None and not language.rules.stays(self.plane, way):
                raise Leave
        self._land(way)
        if self._hands:
            self._keep_hand_near()
        self.env.hand_x, self.env.hand_y = self.hand_x, self.hand_y
        return posture_of(way)

    def _land(self, way: Stance) -> None:
        """Leave if the tick ends outside the plane."""
        for at, size in ((way.x, self.plane.width), (way.y, self.plane.height)):
            self._stay_within(at, (0, LARGEST))
            if not at < size:
                raise Leave
        hash(way[2:])  # heading and mode must be plain
        self.env.x, self.env.y = way.x, way.y

    def _keep_hand_near(self) -> None:
        if self._keeping.confined and not (0 <= self.hand_x < self.plane.width):
            raise Leave
        super()._keep_hand_near()

    def _reach_of_hand(self) -> Any:
        least = 0 if self._keeping.confined else -FURTHEST
        return (least, FURTHEST), (least, FURTHEST)

    def _fresh(self, depth: int | None) -> PlacedEnv:
        env = super()._fresh(None)
        return PlacedEnv(env.stack, env.hand_x, env.hand_y, self.here_x, self.here_y)

    def _joined(self, origin: Path, done: list[Path]) -> list[Path]:
        if any(isinstance(path.env, PlacedEnv) and path.env.stirred for path in done):
            return done  # on one way, values stand elsewhere than on another
        return super()._joined(origin, done)

    # Slot -----------------------------------------------------------------------------------

    def _cell(self, x: Any, y: Any) -> Any:
        if self.real_plane.writable:
            return super()._cell(x, y)
        if not (0 <= x < self.plane.width and 0 <= y < self.plane.height):
            raise Leave
        node: Any = self.graph.make("cell", (x, y, 0), "int")
        if x is self.here_x and y is self.here_y:
            node.high = self._keeping.codes - 1  # others are not decoded
        elif self._keeping.codes == OTHER and node == OTHER:
            raise Leave
        return node

    def _stay_inside(self, x: Any, y: Any) -> None:
        if not (0 <= x < self.plane.width and y >= 0):
            raise Leave
        if not self._is_new_row(y) and not y < self.plane.height:
            raise Leave

    def _put(self, x: Any, y: Any, value: Any) -> None:
        self._stay_inside(x, y)
        self._stay_within(value, self.graph.cells)
        self.effects.append(("put", x, y, value))
        self.env.version += 1
        self.env.last = (x, y, value)

    def look(self, x: Any, y: Any) -> Any:
        raise Leave

    def _pull(self, index: int) -> None:
        if self.env.stirred:
            raise Leave
        super()._pull(index)

    def _deep(self, index: Any) -> bool:
        """Whether an index is that of a value which no instruction has taken up yet; leaves if
        machine code does not see it."""
        if not isinstance(index, Node) or self._is_above(index):
            return False
        if self.env.stirred or not self.graph.make("near", (index, self._shift), "bool"):
            raise Leave
        return True

    def _is_above(self, index: Any) -> bool:
        """Whether an index is that of a value which this instruction has taken up or pushed."""
        return bool(index < len(self._stack))

    @property
    def _shift(self) -> int:
        """What is added to an index to count from the top of the stack as it was."""
        return self.env.drop - len(self._stack)

    def peek(self, index: Any) -> Any:
        if not self._deep(index):
            return super().peek(index)
        node = self.graph.make("deep", (index, self._shift), "int")
        self.block.ops.append(("let", node))
        return node

    def poke(self, index: Any, value: Any) -> None:
        if not self._deep(index):
            super().poke(index, value)
            return
        self._stir(("poke", index, self._shift, value))

    def pluck(self, index: Any) -> Any:
        if not self._deep(index):
            return super().pluck(index)
        value = self.peek(index)
        if not self.graph.make("brisk", (index,), "bool"):
            raise Leave  # so much has been moved that somebody should look at the clock
        self._stir(("pluck", index, self._shift, self.env.drop))
        return value

    def _stir(self, effect: tuple[Any, ...]) -> None:
        """Change values deep in the stack; those above are looked at before."""
        self.block.ops += [("let", value) for value in self._stack if isinstance(value, Node)]
        self.effects.append(effect)
        self.env.stirred = True

    sample = call = returned = Tracer._leave  # type: ignore[assignment]


def all_ways(tracer: TickTracer, postures: list[Key], refusals: Refusals) -> list[Ways]:
    """What can happen in these postures and all that follow from them; what goes wrong is noted."""
    tracer.refusals = refusals
    try:
        return _all_ways(tracer, postures)
    except (Exception, SystemExit, Leave, Undecided) as error:
        if isinstance(error, NoInterpreter):
            raise
        raise NoInterpreter(f"tracing it raises {type(error).__name__}") from error


def _all_ways(tracer: TickTracer, postures: list[Key]) -> list[Ways]:
    found: dict[Key, Ways] = {}
    waiting = list(postures)
    while waiting:
        posture = waiting.pop(0)
        if posture in found:
            continue
        if len(found) == MOST_POSTURES:
            raise NoInterpreter(f"a walker has more than {MOST_POSTURES} headings and modes")
        ways = found[posture] = tracer.ways(posture)
        waiting += following(ways)
    if not any(tree is not None for ways in found.values() for tree in ways.trees):
        raise NoInterpreter("none of its instructions can be traced by itself")
    return list(found.values())


def following(ways: Ways) -> Iterator[Key]:
    """The postures that others lead to."""
    for tree in dict.fromkeys(ways.trees):
        for block in blocks(tree) if tree is not None else ():
            if isinstance(block.end, Goto):
                yield block.end.key
