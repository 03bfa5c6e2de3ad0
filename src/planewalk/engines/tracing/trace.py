"""The tracer: performs instruction functions on nodes, and so records what they do.

An instruction is acted on a copy of the environment. If Python asks a node for its truth, the
instruction is rolled back, the block ends in a branch, and the same instruction is acted again on
both sides with the answer known. So every decision stands before its instruction, and whatever
cannot be compiled leaves on the exact state between two instructions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from operator import itemgetter
from re import Match, Pattern
from typing import TYPE_CHECKING, Any, NoReturn

from ...core.float32 import f32
from ...core.geometry import EndlessWalk, Stance
from ...core.instruction import Instruction
from ...core.language import Language, Pace
from ...core.plane import ANY_NUMBER, BYTE, Range, range_of
from ...core.pure import PURE, sample
from ...core.state import State
from ...core.vocabulary import Vocabulary
from ..keeping import FURTHEST, HEIGHT, Keeping, keeping_of
from .choices import MOST_CHOICES
from .explore import MOST_BLOCKS, MOST_INSTRUCTIONS, Explorer, TooComplex
from .guards import is_about_hand
from .ir import (  # fmt: skip
    DRAWS,
    Block,
    ConditionalBranch,
    Exit,
    Join,
    Key,
    Leave,
    Node,
    NodeGraph,
    Overflow,
    Register,
    Undecided,
    bounds_of,
    identity,
    is_loaded,
    kind_of,
)
from .ops import NARROW, PURE_OPS, WORD
from .refusal import Refusals
from .trees import Env, Path, Tree

if TYPE_CHECKING:
    from ...core.barriers import Barriers

MOST_WORK = 10
"""How often each of these may be performed, on average, until all heads are found."""
FEW_WATCHED = 8
"""Cells that may be watched for being read, of which code compares each with what it reads."""
MOST_DEPTHS = 3
"""Stack depths at one stance before code for any depth is made instead."""
STRIDE = 1 << 12
"""`FURTHEST` is further than any hand gets in steps of such a length."""
MOST_CALLS = 16
"""Calls that are not returned from; code is made for each way to be called."""

Seen = Mapping[tuple[Stance, int], Collection[Any]]
"""The plain numbers that a run was seen to ask for (`known`): by stance, and which question."""


def _with_stride(end: float, stride: int) -> float:
    return end + stride if abs(end) == FURTHEST else end


class TooManyDepths(Exception):
    """One stance is met at many stack depths; code for any depth is needed."""


def _noted(touched: dict[Any, Any], at: Any, value: Any) -> Any:
    if touched.setdefault(at, value) != value:
        raise TooComplex  # changed by the run that goes on beside the tracer
    return value


class _CodeView:
    """The plane as `decode` and geometry see it while tracing.

    Every cell they look at is code from then on, and so is the height.
    """

    def __init__(self, tracer: Tracer, keeping: Keeping) -> None:
        self._tracer, self._plane = tracer, keeping.plane
        view = keeping.view(partial(_noted, tracer.touched))
        vars(self).update(vars(view))
        self.cell = view.cell

    @property
    def height(self) -> Any:
        if self._tracer.growing:
            raise Leave  # this code may change the height itself
        return _noted(self._tracer.touched, HEIGHT, self._plane.height)

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class _TracedExtent:
    """How far cells reach along one axis: at least as far as those that surely stay."""

    def __init__(self, tracer: Tracer, axis: str, sure: tuple[int, int] | None) -> None:
        self._tracer, self._axis, self._sure = tracer, axis, sure

    @property
    def least(self) -> Any:
        node = self._tracer.load(f"least_{self._axis}")
        if self._sure is not None:
            node.high = self._sure[0]
        return node

    @property
    def most(self) -> Any:
        node = self._tracer.load(f"most_{self._axis}")
        if self._sure is not None:
            node.low = self._sure[1]
        return node


class _TracedCells:
    def __init__(self, tracer: Tracer, some_stay: bool) -> None:
        self._tracer, self._some_stay = tracer, some_stay

    def __bool__(self) -> bool:
        if self._some_stay:
            return True
        count: Any = self._tracer.load("count")
        return bool(count != 0)


class _PlaneView:
    """The plane as instructions see it while tracing: what can change is a node."""

    def __init__(self, tracer: Tracer, plane: Any) -> None:
        self._tracer = tracer
        if hasattr(plane, "width"):
            self.width = plane.width
        columns, lines = tracer.sure_box()
        self.columns, self.lines = (
            _TracedExtent(tracer, "x", columns),
            _TracedExtent(tracer, "y", lines),
        )
        self.cells = _TracedCells(tracer, columns is not None)

    @property
    def height(self) -> Any:
        return self._tracer.graph.make("height", (self._tracer.env.grown,), "int")

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class Tracer(Explorer, Vocabulary):
    """The words, performed on nodes."""

    most_depths = MOST_DEPTHS
    armed: Barriers | None = None
    """What the run stops at: code leaves before it."""
    parts_numbers = True
    """Whether ways with different plain numbers are kept apart: each is worth a way of its own."""
    of_one_run = True
    """Whether it is the code of one run, which has a tick, named registers and a count of draws,
    and not that of all pixels of a picture."""

    def __init__(
        self,
        language: Language,
        state: State,
        may: set[Stance] | None,
        seen: Seen,
        growing: bool,
        room: int = MOST_INSTRUCTIONS,
        foreign: Collection[Key] = (),
        beginnings: Collection[Key] = (),
        *,
        known_depth: bool = True,
        native: bool = False,
        bits: int = WORD,
    ) -> None:
        super().__init__(room, foreign, beginnings, known_depth)
        self.language = language
        self.state = state
        self.native = native
        self.seen = seen
        self.growing = growing
        """Whether the code may change the height of the plane; else it may count on it."""
        self.graph = NodeGraph(native, range_of(state.plane), bits)
        self.real_plane = state.plane
        self._keeping = keeping_of(state.plane)
        self._samples = language.rules.samples(state.options)
        self._may = may
        self.touched: dict[Any, Any] = {}
        """The cells that were looked at, and what they held."""
        self.plane: Any = _PlaneView(self, state.plane) if state.plane.writable else state.plane
        self._decoded = _CodeView(self, self._keeping) if state.plane.writable else state.plane
        self._after: Callable[[Any, Stance], Stance | None] = language.rules.after or language.move
        self._floats = state.floats
        self._registers = self._registers_of(state.registers)
        self._hands = any(walker.hand is not None for walker in state.walkers)
        self._reach = self._reach_of_hand()
        self._depths: dict[Stance, set[int | None]] = {}
        self._never_over: set[Stance] = set()
        self.work = 0
        self.refusals = Refusals()
        """What instructions raised; engines have their own for all tracers."""
        self.pop, self.push = self._pop, self._push
        self.cell, self.put, self.wish = self._cell, self._put, self._wish

    def _perform(self, tree: Tree, path: Path) -> list[Path]:
        """One instruction, in every way it can go; gives the ways on."""
        _, key, env, ticks, _, _ = path
        tree.longest = max(tree.longest, ticks + 1)
        work, done = [(path.block, path.facts, path.decisions)], []
        spared = 0  # guards that will be asked as one with others
        while work:
            block, facts, decisions = work.pop()
            if tree.acted > self.room or tree.blocks > MOST_BLOCKS:
                block.end = Exit(key, env, ticks)
                tree.full = True
                self.frontier.add(key)
                continue
            tree.acted += 1
            try:
                following = self._tick_at(key, env, ticks, block, facts)
            except Undecided as undecided:
                if decisions > 2 * self.most_decisions:  # one instruction that asks too much
                    block.end = Exit(key, env, ticks)
                    continue
                tree.blocks += 2
                spared += is_about_hand(undecided.node)
                yes, no = Block(), Block()
                block.end = ConditionalBranch(undecided.node, yes, no)
                for side, truth in ((yes, True), (no, False)):
                    work.append((side, {**facts, undecided.node.id: truth}, decisions + 1))
            except (Leave, EndlessWalk) as left:
                block.end = self._left(key, env, ticks, left)
            except (TooComplex, TooManyDepths):
                raise
            except Exception as error:  # the instruction expects what there is only in a run
                self.refusals.note(error)
                block.end = self._left(key, env, ticks, error)
            else:
                block.ops += self.effects
                if self._grown is not None:
                    facts = self._facts_after_growth(facts)
                done.append(Path(block, following, self.env, ticks + 1, facts, decisions))
        if len(done) > 1:
            return self._joined(path, done)
        return [way._replace(decisions=way.decisions - spared) for way in done]

    def _joined(self, origin: Path, done: list[Path]) -> list[Path]:
        """The ways on, of which those that come to the same place with like values are one."""
        groups: dict[Key, list[Path]] = {}
        for path in done:
            groups.setdefault(path.key, []).append(path)
        group = max(groups.values(), key=len)
        envs = self._even_out([path.env for path in group])
        env = self._common(envs) if len(group) > 1 else None
        if env is None:
            return done
        assert isinstance(origin.block.end, ConditionalBranch)
        join = Block()
        origin.block.end = origin.block.end._replace(join=join)
        for path, before in zip(group, envs, strict=True):
            pairs = zip(env.values(), before.values(), strict=True)
            path.block.end = Join([(a, b) for a, b in pairs if a is not b and isinstance(a, Node)])
        facts = {
            known: truth
            for known, truth in group[0].facts.items()
            if all(path.facts.get(known) == truth for path in group)
        }
        rows, *others = (self._rows_there(path.facts, path.env.grown) for path in group)
        everywhere = [row for known, row in rows.items() if all(known in it for it in others)]
        facts |= self._are_there(everywhere, env.grown)
        way = Path(join, group[0].key, env, origin.ticks + 1, facts, origin.decisions)
        return [way, *(path for path in done if path not in group)]

    def _rows_there(self, facts: dict[int, bool], grown: int) -> dict[Any, Any]:
        """The values that are known to be rows of the plane, by what they are known by."""
        height = self.graph.make("height", (grown,), "int")
        found = {}
        for known, truth in facts.items():
            fact = self.graph.nodes[known]
            if truth and fact.op == "<" and fact.args[1] is height:
                found[identity(fact.args[0])] = fact.args[0]
        return found

    def _are_there(self, rows: Iterable[Any], grown: int) -> dict[int, bool]:
        """Planes never shrink: what was a row before is one still."""
        height = self.graph.make("height", (grown,), "int")
        return {self.graph.make("<", (row, height), "bool").id: True for row in rows}

    def _facts_after_growth(self, facts: dict[int, bool]) -> dict[int, bool]:
        grown = self.env.grown
        rows = self._rows_there(facts, grown - 1)
        return {**facts, **self._are_there([*rows.values(), self._grown - 1], grown)}

    def _common(self, envs: list[Env]) -> Env | None:
        """One environment for all of these: what differs is open in it. None if none should be."""
        first = envs[0]
        shapes = {
            (len(env.stack), env.drop, tuple(env.registers), tuple(env.cells)) for env in envs
        }
        if len(shapes) > 1:
            return None
        common = first.copy()
        common.sure = min(env.sure for env in envs)
        common.last = None
        for name in ("version", "grown", "reads"):
            counts = {getattr(env, name) for env in envs}
            setattr(common, name, max(counts) + (len(counts) > 1))
        merged = []
        for values in zip(*(env.values() for env in envs), strict=True):
            plain = not any(isinstance(value, Node) for value in values)
            if plain and all(repr(value) == repr(values[0]) for value in values):
                merged.append(values[0])
            elif plain and self.parts_numbers:
                return None
            elif all(value is values[0] for value in values) and not is_loaded(values[0]):
                merged.append(values[0])
            else:
                merged.append(self._either(values))
        common.set_values(merged)
        return common

    def _even_out(self, envs: list[Env]) -> list[Env]:
        """With whole registers everywhere that were touched on one of several ways."""
        touched = {slot for env in envs for slot in env.registers if isinstance(slot, Register)}
        if not touched:
            return envs
        even = [env.copy() for env in envs]
        for env in even:
            known = env.registers
            env.registers = {slot: value for slot, value in known.items() if slot not in touched}
            for slot in sorted(touched):
                env.registers[slot] = known[slot] if slot in known else self._at_start(slot)
        return even

    def _either(self, values: tuple[Any, ...]) -> Node:
        """A value that is one of these, depending on the way that was taken."""
        kinds = (value.kind for value in values if isinstance(value, Node))
        kind = next(kinds, type(values[0]).__name__)
        node = self.graph.make("either", (len(self.graph.nodes),), kind)
        bounds = [bounds_of(value) for value in values]
        node.low, node.high = min(low for low, _ in bounds), max(high for _, high in bounds)
        return node

    def _left(self, key: Key, env: Env, ticks: int, why: BaseException) -> Exit:
        """How a block ends before an instruction that could not be performed."""
        return Exit(key, env, ticks, overflow=isinstance(why, Overflow))

    def _at_head(self, key: Key) -> Env:
        """What is known wherever a tree begins."""
        return self._fresh(key.depth)

    def _fresh(self, depth: int | None) -> Env:
        kind = "float" if self._floats else "int"
        make = self.graph.make
        stack = [make("slot", (i,), kind) for i in range(depth or 0)]
        hand: list[Any] = [0, 0]
        if self._hands:
            hand = [make("hand", (axis,), "int") for axis in "xy"]
            for node, reach in zip(hand, self._reach, strict=True):
                node.low, node.high = reach
        return Env(stack, *hand)

    def _reach_of_hand(self) -> tuple[Range, Range]:
        return self._keeping.reach

    def _keep_hand_near(self) -> None:
        """Leave if the hand goes further than trees count on where they begin."""
        for hand, (least, most) in zip((self.hand_x, self.hand_y), self._reach, strict=True):
            low, high = bounds_of(hand)
            near = low >= _with_stride(least, -STRIDE) and high <= _with_stride(most, STRIDE)
            if not near and not (least <= hand <= most):
                raise Leave

    def _begin(self, block: Block, key: Key, env: Env, ticks: int, facts: dict[int, bool]) -> None:
        self.block = block
        self.env = env.copy()
        self.graph.facts = facts
        self.effects: list[tuple[Any, ...]] = []
        self.wishes: list[Any] = []
        self._grown: Any = None
        self._ticks, self._asked = ticks, 0
        self._calls = list(key.calls)
        self._here = self.stance = key.stance
        self._stack = self.env.stack
        self.hand_x, self.hand_y = self.env.hand_x, self.env.hand_y

    def _tick_at(self, key: Key, env: Env, ticks: int, block: Block, facts: dict[int, bool]) -> Key:
        """Record one tick; gives the key that follows."""
        self._begin(block, key, env, ticks, facts)
        return self._act(key)

    def _act(self, key: Key) -> Key:
        """Perform one tick; gives the key that follows."""
        language, stance = self.language, key.stance
        instruction = self._instruction_at(stance)
        self._count_work()
        instruction.act(self)
        way = self._way_from(self.stance)
        if language.rules.pace is Pace.TOGETHER and self.wishes:
            language.rules.settle(self, self.wishes)
        self._stay(way)
        self._settle_hand()
        depth = len(self._stack) if self._known_depth else None
        self._note_depth(way, depth)
        self.block.walked.append((stance, instruction))
        return Key(way, depth, tuple(self._calls))

    def _count_work(self) -> None:
        self.work += 1
        if self.work > MOST_WORK * self.room:
            raise TooComplex

    def _instruction_at(self, stance: Stance) -> Instruction:
        """What there is to do at a stance, if code may do it."""
        if self._may is not None and stance not in self._may:
            raise Leave
        if self.armed and self.armed.catch(stance):
            raise Leave  # whoever arrives there has to stop
        if self._over(stance):
            raise Leave
        return self.language.decode(self._decoded, stance)

    def _way_from(self, stance: Stance) -> Stance:
        """Where a walker goes that has acted."""
        way = self._after(self._decoded, stance)
        if way is None:
            raise Leave
        return way

    def _stay(self, way: Stance) -> None:
        """Leave if whoever goes that way does not stay. Planes never shrink, so who stays now would
        always stay."""
        rules = self.language.rules
        stays = rules.stays if rules.pace is Pace.TOGETHER else None
        if stays is not None and not stays(self.real_plane, way):
            raise Leave

    def _settle_hand(self) -> None:
        """Keep where the hand is now."""
        if self.hand_x is not self.env.hand_x or self.hand_y is not self.env.hand_y:
            self._keep_hand_near()
        self.env.hand_x, self.env.hand_y = self.hand_x, self.hand_y

    def _note_depth(self, way: Stance, depth: int | None) -> None:
        depths = self._depths.setdefault(way, set())
        depths.add(depth)
        if len(depths) > self.most_depths:
            raise TooManyDepths

    def _over(self, stance: Stance) -> bool:
        """Whether the program has ended there; what that depends on is looked at when asked."""
        if self.language.rules.over is None or stance in self._never_over:
            return False
        before, facts = len(self.block.ops), self.graph.facts
        try:
            self.graph.facts = {}
            if self.language.rules.over(self.plane, stance):
                return True
            self._never_over.add(stance)  # whatever happens before
            return False
        except Undecided:
            self.graph.facts = facts
            return self._far_out(stance) or self.language.rules.over(self.plane, stance)
        finally:
            self.graph.facts = facts
            del self.block.ops[before:]

    def _far_out(self, stance: Stance) -> bool:
        """Whether nobody was seen there, and as things stand a walker would have ended one step
        before: whoever follows every way would make code of the void, without end."""
        over = self.language.rules.over
        before = stance._replace(x=stance.x - stance.dx, y=stance.y - stance.dy)
        return self._may is None and over is not None and over(self.real_plane, before)

    def sure_box(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """Columns and lines between which there will always be cells, as long as this code lives.

        Code is made from the cells on visited ways, and whoever changes one drops the code. So
        the outermost of them are code too, whether a tree comes by or not.
        """
        places = None if self._may is None else [(x, y) for x, y, *_ in self._may]
        standing = self._keeping.standing(places)
        if not standing:
            return None, None
        ends = min(standing), max(standing), *(f(standing, key=itemgetter(1)) for f in (min, max))
        self.touched.update({place: standing[place] for place in ends})
        (left, _), (right, _), (_, top), (_, bottom) = ends
        return (left, right), (top, bottom)

    def forget(self) -> None:
        """Let go of everything: nodes and words go round in circles, and would have to wait for the
        garbage collector, which stops the run for a while."""
        self.graph.forget()
        vars(self).clear()

    # Words -----------------------------------------------------------------------------------

    def _leave(self, *_: Any) -> NoReturn:
        raise Leave

    def turn(self, dx: Any, dy: Any) -> None:
        if isinstance(dx, Node) or isinstance(dy, Node):
            raise Leave
        Vocabulary.turn(self, dx, dy)

    def reach(self, x: Any, y: Any) -> None:
        if not self._hands:
            raise Leave
        Vocabulary.reach(self, x, y)

    def move(self) -> None:
        moved = self.language.move(self._decoded, self.stance)
        if moved is not None:
            self.stance = moved

    def has(self, n: Any) -> bool:
        if self._known_depth:
            return bool(n <= len(self._stack))
        need = n - len(self._stack) + self.env.drop
        if isinstance(need, Node):
            return bool(self.graph.make("has", (need,), "bool"))
        if n <= len(self._stack) or need <= self.env.sure:
            return True
        if self.graph.make("has", (need,), "bool"):
            self.env.sure = need
            return True
        return False

    def _pull(self, index: int) -> None:
        """Bring so many values of the real stack into the environment; who has not asked whether
        they are there leaves if they are not."""
        if not self.has(index + 1):
            raise Leave
        env = self.env
        while len(self._stack) <= index:
            env.drop += 1
            kind = "float" if self._floats else "int"
            self._stack.insert(0, self.graph.make("under", (env.drop,), kind))

    def _pop(self) -> Any:
        if not self._stack:
            if self._known_depth:
                raise Leave
            self._pull(0)
        return self._stack.pop()

    def _kept(self, value: Any) -> Any:
        """What the stack keeps of a value."""
        return self._rounded(value) if self._floats else self._whole(value)

    def _whole(self, value: Any) -> Any:
        """A whole number as it is; what is none is left to the reference engine."""
        self._stay_within(value, ANY_NUMBER)
        if not isinstance(value, Node) and not self.graph.holds(value):
            self.graph.wide = True
            if self.native:
                raise Overflow
        return value

    def _rounded(self, value: Any) -> Any:
        """What a float32 keeps of a value."""
        if isinstance(value, Node):
            if value.kind == "float" and value.op in NARROW:
                return value
            return self.graph.make("round", (value,), "float")
        return f32(value)

    def _push(self, value: Any) -> None:
        self._stack.append(self._kept(value))

    @property
    def depth(self) -> int:
        if not self._known_depth:
            raise Leave
        return len(self._stack)

    def stack(self) -> list[Any]:
        if not self._known_depth:
            raise Leave
        return list(self._stack)

    def _index(self, index: Any) -> int:
        """Where a value stands in the environment's stack; an open index is asked for."""
        place: int | None = index
        if isinstance(index, Node):
            here = range(min(len(self._stack), MOST_CHOICES))
            place = next((choice for choice in here if self._same(index, choice)), None)
        if place is None:
            raise Leave
        if len(self._stack) <= place:
            if self._known_depth or place > 64:
                raise Leave
            self._pull(place)
        return -1 - place

    def peek(self, index: Any) -> Any:
        return self._stack[self._index(index)]

    def poke(self, index: Any, value: Any) -> None:
        self._stack[self._index(index)] = self._kept(value)

    def pluck(self, index: Any) -> Any:
        return self._stack.pop(self._index(index))

    def register(self, name: Any) -> Any:
        slot = self._slot(name)
        if slot in self.env.registers:
            return self.env.registers[slot]
        if isinstance(slot, Register):
            return self._at_start(slot)
        self.env.registers[slot] = self.graph.make("register", (slot,), "float")
        return self.env.registers[slot]

    def set_register(self, name: Any, value: Any) -> None:
        slot = self._slot(name)
        whole = isinstance(slot, Register)
        self.env.registers[slot] = self._whole(value) if whole else self._rounded(value)

    def _registers_of(self, registers: Any) -> dict[Any, Any]:
        """The registers that code knows, by what instructions call them."""
        if not isinstance(registers, dict):
            return {slot: slot for slot in range(len(registers))}
        names = [*registers]  # at once: the run beside the tracer may add some
        return {name: Register(name, at) for at, name in enumerate(names) if type(name) is str}

    def _slot(self, name: Any) -> Any:
        """Which register that is; those that are not there are for the reference engine."""
        plain = self.known(name)
        if plain not in self._registers:
            raise Leave
        return self._registers[plain]

    def _at_start(self, register: Register) -> Node:
        """What a register of whole numbers holds where the tree begins."""
        if register is DRAWS:
            return self.graph.make("counter", (), "int")
        return self.graph.make("register", (register,), "int")

    def load(self, what: str) -> Node:
        """A value of the plane that may be different after every write."""
        node = self.graph.make(what, (self.env.version,), "int")
        self.block.ops.append(("let", node))
        return node

    def _cell(self, x: Any, y: Any) -> Any:
        if not self.real_plane.writable:
            place = (self.known(x), self.known(y))
            self._heed(*place)
            return self.real_plane.cell(*place)
        self._stay_inside(x, y)
        if self._is_new_row(y):
            return 0
        if any(effect[0] == "put" for effect in self.effects):
            raise Leave  # the plane has changed in this very instruction
        self._heed(x, y)
        if self.env.last is not None and self.env.last[0] is x and self.env.last[1] is y:
            return self._as_known(self.env.last[2])
        node = self.graph.make("cell", (x, y, self.env.version), "int")
        self.block.ops.append(("let", node))
        return self._as_known(node)

    def _stay_inside(self, x: Any, y: Any) -> None:
        """Leave if a field of bytes does not have this place: the reference engine knows what that
        means. Rows that are there already always will be."""
        plane: Any = self.real_plane
        if not self._keeping.grows:
            return
        rows = plane.height if type(y) is int and y < plane.height else self.plane.height
        if not (0 <= x < plane.width and y >= 0 and (self._is_new_row(y) or y < rows)):
            raise Leave

    def look(self, x: Any, y: Any) -> Any:
        plane: Any = self.real_plane
        place = (self.known(x), self.known(y))
        self._heed(*place)
        return float(plane.at(*place))

    def _heed(self, x: Any, y: Any) -> None:
        """Leave before a cell is read that somebody watches."""
        if not self.armed or not self.armed.read:
            return
        plane: Any = self.real_plane
        if not plane.writable:
            watched = (x, y) in self.armed.read
        elif self._keeping.grows and len(self.armed.read) <= FEW_WATCHED:
            at = y * plane.width + x
            watched = any(
                at == row * plane.width + column for column, row in sorted(self.armed.read)
            )
        else:  # marks are for code as well, which is read rarely
            watched = bool(self.graph.make("coded", (x, y), "bool"))
        if watched:
            raise Leave

    def _as_known(self, cell: Any) -> Any:
        """A cell as plain as it is known. On a field of bytes that would only part ways that join:
        there the numbers in cells are many."""
        return self.graph.settled(cell) if self._keeping.settles else cell

    def _put(self, x: Any, y: Any, value: Any) -> None:
        self._stay_inside(x, y)
        self._stay_within(value, self.graph.cells)
        self._spare_code(x, y)
        self.effects.append(("put", x, y, value))
        self.env.version += 1
        self.env.last = (x, y, value)

    def _spare_code(self, x: Any, y: Any) -> None:
        """Leave before a cell is written that code was made from, or is nowhere."""
        self._stay_within(x, ANY_NUMBER)
        self._stay_within(y, ANY_NUMBER)
        if type(x) is type(y) is int and self._keeping.index(x, y) in self.touched:
            raise Leave
        if not self._is_new_row(y) and self.graph.make("coded", (x, y), "bool"):
            raise Leave

    def grow(self, height: Any) -> None:
        if self.armed or not self.growing or not self.graph.make("roomy", (height,), "bool"):
            raise Leave  # new rows are rare, or there is no room for more
        self.effects.append(("grow", height))
        self.env.grown += 1
        self._grown = height

    def _is_new_row(self, y: Any) -> bool:
        """Whether this is the row that the plane grew by in this instruction."""
        return self._grown is not None and identity(y + 1) == identity(self._grown)

    def _stay_within(self, value: Any, numbers: Range) -> None:
        """Leave unless a value is a whole number in this range."""
        if kind_of(value) != "int":
            raise Leave
        (low, high), (least, most) = bounds_of(value), numbers
        if (low < least and value < least) or (high > most and value > most):
            raise Leave

    def _wish(self, wish: tuple[Any, ...]) -> None:
        self.wishes.append(wish)

    def option(self, name: str) -> Any:
        return self.state.options[name]

    def sample(self, index: Any) -> Any:
        if isinstance(index, Node):
            return self.graph.make("sample", (index, len(self._samples)), "float")
        return sample(self._samples, index)

    def write(self, data: bytes) -> None:
        if not isinstance(data, bytes):
            raise Leave
        self.effects.append(("bytes", data))

    def write_byte(self, value: Any) -> None:
        self._stay_within(value, BYTE)
        self.effects.append(("byte", value))

    def write_number(self, value: Any) -> None:
        self._stay_within(value, ANY_NUMBER)
        if not self.native and not self.graph.holds(value):
            self.graph.wide = True
            if isinstance(value, Node) and self.graph.make("long", (value,), "bool"):
                raise Leave
        self.effects.append(("number", value))

    def effort(self, ticks: Any) -> None:
        self._stay_within(ticks, (0, math.inf))

    def known(self, value: Any) -> Any:
        """A plain number: one of the few that the value can be, or was seen to be."""
        question = (self._here, self._asked)
        self._asked += 1
        if not isinstance(value, Node):
            return value
        choices: Collection[Any] = self.seen.get(question, ())
        if value.kind == "int" and value.spread < MOST_CHOICES:
            choices = range(int(value.low), int(value.high) + 1)
        if len(choices) <= MOST_CHOICES:
            for choice in choices:
                if self._same(value, choice):
                    return choice
        raise Leave

    def _same(self, value: Node, choice: Any) -> bool:
        """Whether a value is that very number; a float's zeros are two numbers."""
        if value.kind == "int":
            return bool(value == choice)
        return bool(self.graph.make("same", (value, choice), "bool"))

    def times(self, y: Any, x: Any) -> Any:
        product = y * x
        large = isinstance(product, Node) and not self.graph.holds(product)
        if large and not self.native and self.graph.make("wide", (y, x), "bool"):
            raise Leave
        return product

    def _keep_quotient_short(self, y: Any, x: Any) -> None:
        """Long division is left to the reference engine, which looks at the clock."""
        self.graph.stay_off_zero(x)
        if _may_overflow(y, x, self.graph.numbers[0]):
            self.graph.stay_within_bits("/", y, x)
        if not self.native and isinstance(x, Node) and not self.graph.holds(x):
            self.graph.wide = True
            if self.graph.make("long", (x,), "bool"):
                raise Leave

    def call(self, stance: Stance) -> None:
        if len(self._calls) == MOST_CALLS:
            raise Leave
        self._calls.append(stance)

    def returned(self) -> Stance | None:
        return self._calls.pop() if self._calls else None

    def draw(self) -> Any:
        return self.graph.make("draw", (self._ticks,), "int")

    def read_byte(self) -> Any:
        if self.armed and self.armed.input:
            raise Leave
        if ("read",) in self.effects:
            raise Leave  # one byte an instruction: the next is not at hand yet
        reads = (self.env.reads,)
        if self.graph.make("fed", reads, "bool"):
            byte = self.graph.make("input", reads, "int")
            self.block.ops.append(("let", byte))
            self.effects.append(("read",))
            self.env.reads += 1
            return byte
        if self.graph.make("closed", reads, "bool"):
            return -1
        raise Leave  # more may come

    @property
    def tick(self) -> Any:
        if not self.of_one_run:
            raise Leave
        return self.graph.make("tick", (self._ticks,), "int")

    def below(self, bound: Any) -> Any:
        if not self.of_one_run:
            raise Leave
        self._whole(bound)
        if bound < 1:
            raise Leave
        self.graph.wide = self.graph.wide or not self.graph.holds(bound)
        if DRAWS not in self.env.registers:
            self.env.registers[DRAWS] = self._at_start(DRAWS)
        counter = self.env.registers[DRAWS]
        pair = self.graph.make("below", (bound, counter), "pair")
        self.env.registers[DRAWS] = self.graph.make("counted", (pair,), "int")
        return self.graph.make("drawn", (pair,), "int")

    @property
    def input_ended(self) -> bool:
        raise Leave

    @property
    def met(self) -> list[Stance]:  # type: ignore[override]
        raise Leave

    def scan(self, pattern: Pattern[bytes]) -> Match[bytes]:
        raise Leave

    write_numbers = note = numeral = _leave  # type: ignore[assignment]
    halt = fault = give_up = vanish = twin = become = _leave  # type: ignore[assignment]


def _may_overflow(y: Any, x: Any, least: int) -> bool:
    """One quotient alone has more bits than others: that of the least number and -1."""
    return bool(bounds_of(y)[0] <= least and bounds_of(x)[0] <= -1 <= bounds_of(x)[1])


def _pure(name: str) -> Callable[..., Any]:
    function = PURE[name]
    kind = PURE_OPS[name].gives

    def word(self: Tracer, *args: Any) -> Any:
        if name == "quotient" and {*map(kind_of, args)} != {"int"}:
            raise Leave
        if any(isinstance(arg, Node) for arg in args):
            if name == "quotient":
                self._keep_quotient_short(*args)
            return self.graph.make(name, args, kind)
        return function(*args)

    return word


for _name in PURE:
    setattr(Tracer, _name, _pure(_name))
