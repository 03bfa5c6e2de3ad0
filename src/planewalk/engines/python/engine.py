"""Running compiled units, and climbing to them: the reference engine does whatever is left.

A unit is all code reachable from a stance that proved hot. The engine enters it with the fuel it
has; the unit leaves on an exact state, and the reference engine performs at least one tick.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State, Walker
from ...core.step import Stop
from ...core.stream import InputStream
from ..keeping import HEIGHT, Keeping, keeping_of
from ..policy import Policy, policy_in_force
from ..reference import ReferenceEngine
from ..tiering.jobs import CompileJob, CompileQueue
from ..tracing.explore import MOST_BLOCKS, TooComplex
from ..tracing.ir import Exit, Key, Leave, Undecided
from ..tracing.layout import blocks
from ..tracing.profile import Profile
from ..tracing.refusal import Refusals
from ..tracing.trace import MOST_CALLS, Seen, TooManyDepths, Tracer
from ..tracing.trees import Tree
from .source import NAMES, Source, SourceWriter

if TYPE_CHECKING:
    from ...core.barriers import Barriers

DEEPEST = 48
TURN, REST = 0.004, 0.001
"""Seconds after which the reference engine lets the tracer go on, and for how long at least: both
are Python, of which one part runs at a time, and the code will be quicker by far."""
MOST_DOUBT = 1_000
"""Times the ticks of a profile until another try, at most, if all were in vain."""
GOOD_ENTRIES = 12
"""How many places are tried for one from which a unit does not leave at once."""
FORGET_BARRIERS = 2_000_000
"""Ticks without barriers after which code is made that does not leave for them."""
MOST_UNITS = 100
MOST_REFUSED = 20_000


ENOUGH_TICKS, ENOUGH_NUMBERS, ENOUGH_OUTPUT = 1 << 16, 1 << 16, 1 << 20
"""What generated code runs, and a stack or the output grows by, before somebody looks at the clock
and the memory: numbers may have become long, and other things many."""


class Unit:
    """Compiled code with the cells it was made from, and how well it does."""

    def __init__(
        self, entry: Key, source: Source, code: Any, touched: dict[Any, Any], may: Any
    ) -> None:
        self.entry = entry
        self.source = source
        self.may = may
        self.outgrown_at = 0
        """The tick from which on a unit that ran out of room is worth making again, larger."""
        self.frontier: set[Key] = set()
        """Where it ran out of all the room there is: other units go on there."""
        self.code = code
        self.touched = touched
        """The cells it was made from, and what they held then."""
        self.native: Any = None
        self.armed: Barriers | None = None
        """The barriers that it leaves at."""
        self.trees: list[Tree] | None = None
        """What it was written from, as long as something else may be."""
        self.entered = 0
        self.ticks = 0
        self.earned = 0
        """Ticks that count towards something faster."""


class Task(NamedTuple):
    """What is given to the tracer besides the place to begin."""

    state: State
    may: set[Stance] | None
    seen: Seen
    growing: bool
    room: int
    foreign: set[Key]
    """Where other code begins, which this one leaves for."""
    beginnings: list[Key]
    """Where other code ran out of room."""
    hints: list[Key]
    """Heads that were found before."""
    armed: Barriers | None
    """What the run stops at."""

    def at_depths(self, known: bool) -> Task:
        """What of it is for stacks of known depth, or for those of any."""
        beginnings = [key for key in self.beginnings if (key.depth is not None) == known]
        hints = [key for key in self.hints if (key.depth is not None) == known]
        return self._replace(beginnings=beginnings, hints=hints)


class Tried(NamedTuple):
    """What came of compiling: a unit, or none, and places that are not for compiling."""

    unit: Unit | None
    refused: list[Stance]
    work: int
    """How many instructions were performed to find it."""
    failed: bool = False


class Context:
    """What generated code works on, and the parts of the plane (see `keeping.py`)."""

    S: Any
    R: Any
    out: bytearray
    hx: int
    hy: int
    room: float
    source: InputStream
    seed: int
    draws: int
    clock: int
    """The tick at which the fuel would be used up."""
    most_written: float
    """How long the output may become."""

    def __init__(self, state: State, keeping: Keeping, limits: Limits) -> None:
        self.state = state
        self.S, self.R, self.out = state.stack, state.registers, state.output
        self.room = float("inf") if limits.memory is None else limits.memory
        keeping.begin(self)
        self._enter = keeping.enter

    def enter(self, hand: tuple[int, int] | None, fuel: int = 0) -> None:
        """Take over from the reference engine, under which the plane may have grown."""
        self.hx, self.hy = hand or (0, 0)
        self.source, self.seed = self.state.input, self.state.seed
        self.draws = self.state.draws
        self.clock = self.state.tick + fuel
        self._enter(self)


def _names(registers: Any) -> list[str]:
    return list(registers) if isinstance(registers, dict) else []


def has_known_depth(key: Key) -> bool:
    """Whether code from there is made for one depth of the stack."""
    return key.depth is not None and key.depth <= DEEPEST


def _leaves_at_once(tree: Tree) -> bool:
    """Whether the first instruction may be one that generated code cannot do."""
    ends = (block.end for block in blocks(tree))
    return any(isinstance(end, Exit) and end.ticks == 0 for end in ends)


class PythonEngine:
    """Generated Python: the traces of hot code, written out and executed."""

    name = "python"

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits | None = None,
        policy: Policy | None = None,
        queue: CompileQueue | None = None,
    ) -> None:
        self.language = language
        self.policy = policy or policy_in_force()
        self.queue = queue or CompileQueue(self.policy.background)
        self.limits = limits or Limits(memory=None)
        self.units: dict[Key, Unit] = {}
        self.full = False
        """Whether the program is too large for one unit."""
        self.order: CompileJob[Tried] | None = None
        self.profile = Profile()
        self.landings: set[Stance] = set()
        self.may: set[Stance] | None = None
        self.compiled_ticks = self.patience = 0
        self.python_ticks = 0  # all that ran in generated code
        self.doubt = 1
        """Doubles with every try in vain."""
        self.tries = 0
        self.tracing = False
        self.turn_ends = 0.0
        self.visits: dict[Stance, int] = {}
        self.refused: set[Stance] = set()
        self.refusals = Refusals()
        """What went wrong while code was made."""
        self.changes: dict[Any, int] = {}
        self.changed: set[Any] = set()
        self.coded: Any = None
        """Which cells are code: the marks of `keeping`."""
        self.earlier = 0  # ticks of the states before this one
        self.barriers: Barriers | None = None
        """What this stretch stops at."""
        self.armed: Barriers | None = None
        """What code was made to leave at."""
        self.armed_at = 0
        self.guarded: set[Any] = set()
        """Cells that are watched, marked as code is."""
        self.generated_ticks = 0
        """Ticks in generated code since somebody has looked at the run."""
        self.reference = ReferenceEngine(language, state, self.limits)
        self._begin(state)

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        return len(self.coded)

    def restart(self, state: State) -> None:
        """Go on with another state of the same program; what is compiled stays.

        Only on a plane nobody can write: another state of it would not be what was compiled.
        """
        if state.plane.writable and self.units:
            raise ValueError("code for a plane that changes belongs to one state")
        self.earlier += self.state.tick
        if _names(state.registers) != _names(self.state.registers):
            self._rearm(self.armed)  # code knows registers by their names and places
        self.reference.restart(state)
        self._begin(state)

    def _begin(self, state: State) -> None:
        self.state = state
        self._context: Context | None = None
        self._height = getattr(state.plane, "height", 0)
        self.hands = any(walker.hand is not None for walker in state.walkers)
        """Whether walkers have hands; asked now, since they may be gone when code is made."""
        self.keeping = keeping_of(state.plane, self.coded)
        self.coded, self.reach = self.keeping.marks, self.keeping.reach
        if state.plane.writable:  # have the reference engine tell when it writes what is compiled
            self.reference.machine.listen({"put": self.keeping.noticing(self.changed)})

    @property
    def context(self) -> Context:
        """What generated code works on, made when the first does."""
        if self._context is None:
            self._context = Context(self.state, self.keeping, self.limits)
        return self._context

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        state = self.state
        target = state.tick + ticks
        if self.language.rules.meet:
            return self.reference.advance(ticks, barriers)
        self._arm(barriers)
        stop = None
        machine, deadline = self.reference.machine, self.limits.deadline
        enough = len(state.stack) + ENOUGH_NUMBERS
        self.generated_ticks = 0
        while stop is None and state.stop is None and state.tick < target:
            roomy = self._has_room()
            if self.order is not None and self.order.ready and roomy:
                self._receive()
            if len(state.walkers) == 1 and not state.acted and len(state.calls) <= MOST_CALLS:
                short = min(self.policy.long_stretch, target - state.tick)
                stop = self._advance_one(target) if roomy else self._step(short)
            else:
                stop = self._advance_many(target)
            self._keep_true()
            if machine.efforts:
                target -= machine.efforts
                machine.efforts = 0
            if (
                self.generated_ticks > ENOUGH_TICKS
                or len(state.stack) > enough
                or len(state.output) > ENOUGH_OUTPUT
                or deadline.left() <= 0
            ):
                break  # for somebody to look at the clock and the memory
        if stop is None and not self._surely_alive():
            stop = self.reference.advance(0)
        return stop

    def _has_room(self) -> bool:
        """Whether cells may be marked as code."""
        memory = self.limits.memory
        return memory is None or self.keeping.fits(memory)

    def _step(self, ticks: int) -> Stop | None:
        """Let the reference engine go on, up to what the run stops at."""
        return self.reference.advance(ticks, self.barriers)

    # Barriers ---------------------------------------------------------------------------------

    def _arm(self, barriers: Barriers | None) -> None:
        """Have code leave at what the run stops at. Code that leaves more often is as right."""
        self.barriers = barriers or None
        now = self.earlier + self.state.tick
        if self.barriers is None:
            if now - self.armed_at > FORGET_BARRIERS and (self.guarded or self.armed is not None):
                self._guard(frozenset())
                self._rearm(None)
            return
        self.armed_at = now
        needed = self._needs_code(self.barriers)
        if needed and (self.armed is None or not needed.within(self.armed)):
            self._rearm(needed)
        self._guard(self.barriers.written | self.barriers.read)

    def _needs_code(self, barriers: Barriers) -> Barriers:
        """Those that code has to know of. Cells that are there need no more than a mark, and output
        no more than an end of the room for it."""
        beyond = frozenset(at for at in barriers.written if not self.keeping.indices([at]))
        return barriers._replace(written=beyond, output=False)

    def _rearm(self, barriers: Barriers | None) -> None:
        """Make all code anew."""
        self.armed = barriers
        self._guard(frozenset())
        self._forget(set(self.units.values()))
        self.refused.clear()
        self.visits.clear()
        self.may, self.patience, self.doubt = None, 0, 1

    def _guard(self, places: frozenset[tuple[Any, Any]]) -> None:
        """Watched cells are as if they were code: whoever writes one leaves."""
        if not self.state.plane.writable:
            return
        cells = self.keeping.indices(places)
        if cells != self.guarded:
            gone, self.guarded = self.guarded - cells, cells
            self._unmark(gone)
            self._mark(dict.fromkeys(cells))

    def _landed(self) -> Stop | None:
        """The stop if compiled code has come to where the run should stop."""
        stance = self.state.walkers[0].stance
        if self.barriers is None or not self.barriers.catch(stance):
            return None
        from ...core.barriers import Landed, hit

        return hit([Landed(stance)])

    # Going on ---------------------------------------------------------------------------------

    def _keep_true(self) -> None:
        """Drop code that is no longer true of the plane."""
        plane: Any = self.state.plane
        if self.keeping.grows and plane.height != self._height:
            self._height = plane.height
            self.changed.add(HEIGHT)
            if self.barriers is not None:  # a cell that is watched may be there now
                self._guard(self.barriers.written | self.barriers.read)
        if self.changed:
            self._drop_changed()

    def _advance_one(self, target: int) -> Stop | None:
        state = self.state
        if not self._hand_is_near():
            return self._step(min(self.policy.stretch, target - state.tick))
        key = Key(state.walkers[0].stance, len(state.stack), tuple(state.calls))
        unit = self.units.get(key)
        if unit is None:
            key = Key(key.stance, None, key.calls)
            unit = self.units.get(key)
        return self._climb(target) if unit is None else self._use(unit, key, target)

    def _hand_is_near(self) -> bool:
        """Whether the hand is where compiled code expects it."""
        hand = self.state.walkers[0].hand
        if hand is None:
            return True
        pairs = zip(hand, self.reach, strict=True)
        return all(type(at) is int and least <= at <= most for at, (least, most) in pairs)

    def _advance_many(self, target: int) -> Stop | None:
        """What is compiled is for one walker alone."""
        return self._step(min(self.policy.stretch, target - self.state.tick))

    def _surely_alive(self) -> bool:
        """Whether it is known that the program has not ended."""
        return False

    def _use(self, unit: Unit, key: Key, target: int) -> Stop | None:
        """Run a unit, then let the reference engine do what the unit could not."""
        state = self.state
        before = state.tick
        if not self._holds_whole_numbers(unit):
            return self._step(min(self.policy.stretch, target - before))
        if 0 < unit.outgrown_at < self.earlier + before:
            self._forget({unit})
            self.visits.clear()
            return self._climb(target)
        return self._go_on(self._run(unit, key, target - before), before, target)

    def _holds_whole_numbers(self, unit: Unit) -> bool:
        """Whether the named registers that a unit works on hold what it expects: languages may keep
        anything there."""
        held = self.state.registers
        return all(type(held.get(name)) is int for name, _ in unit.source.registers)

    def _go_on(self, spent: bool, before: int, target: int) -> Stop | None:
        """After compiled code: let the reference engine do what it could not."""
        state = self.state
        landed = self._landed() if state.tick > before else None
        if landed is not None:
            return landed
        if not spent:
            self.profile.walked.add(state.walkers[0].stance)
            left = min(1, target - state.tick)
            stop = self.reference.end() if left else None
            return self._step(left) if stop is None else stop
        if state.tick == before:  # fewer ticks are left than its shortest way round takes
            return self._step(min(self.policy.stretch, target - state.tick))
        return None

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        """Run a unit; says whether it stopped for want of fuel alone."""
        m = self.context
        hand = self.state.walkers[0].hand
        fuel = min(fuel, ENOUGH_TICKS)
        m.enter(hand, fuel)
        m.most_written = len(m.out) + self._output_left()
        number, left = unit.code(m, fuel, unit.source.entries[key])
        end = unit.source.exits[number]
        self.state.draws = m.draws
        self._leave(end, None if hand is None else (m.hx, m.hy), fuel - left)
        self.generated_ticks += fuel - left
        unit.entered += 1
        unit.ticks += fuel - left
        self.compiled_ticks += fuel - left
        self.python_ticks += fuel - left
        if (
            unit.entered >= self.policy.fair_trial
            and unit.ticks < self.policy.worth_entering * unit.entered
        ):
            self._retire(unit)
        elif unit.entered == self.policy.fair_trial:
            self.doubt = 1
        return number in unit.source.spent or (left < fuel and self._goes_on(end, unit))

    def _output_left(self) -> float:
        """Bytes that may still be written."""
        most = self.limits.output
        if self.barriers is not None and self.barriers.output:
            return 0
        return float("inf") if most is None else max(most - self.state.written, 0)

    def _goes_on(self, key: Key, unit: Unit) -> bool:
        """Whether other code begins where this one has left."""
        return self.units.get(key, unit) is not unit

    def _leave(self, key: Key, hand: tuple[int, int] | None, ticks: int) -> None:
        """Bring the state to where compiled code left."""
        state = self.state
        state.walkers[0] = Walker(key.stance, hand)
        if key.calls or state.calls:
            state.calls[:] = key.calls
        state.tick += ticks

    def _retire(self, unit: Unit) -> None:
        """Code that leaves too soon costs more than it brings."""
        self._forget({unit})
        self._refuse([key.stance for key in unit.source.entries])
        self._try_later()

    def _try_later(self) -> None:
        """Code was of no use, or none is to be had."""
        self.doubt = min(2 * self.doubt, MOST_DOUBT)
        self.patience = max(self.patience, self.policy.profile * self.doubt)
        self.compiled_ticks = self.earlier + self.state.tick  # from now on anew

    def _refuse(self, stances: list[Stance]) -> None:
        if len(self.refused) > MOST_REFUSED:
            self.refused.clear()
        self.refused.update(stances)

    def _forget(self, units: set[Unit]) -> None:
        """Drop units; cells that were code for them alone are free again."""
        self.units = {key: other for key, other in self.units.items() if other not in units}
        self.full = any(unit.frontier for unit in set(self.units.values()))
        self.landings = self._find_landings()
        if self.state.plane.writable:
            self._unmark(set().union(*(unit.touched for unit in units)))

    def _find_landings(self) -> set[Stance]:
        """Where there is code to go on with."""
        return {key.stance for key in self.units}

    def _climb(self, target: int) -> Stop | None:
        """Run on the reference engine up to where code begins, and compile what is met often."""
        state = self.state
        stretch = self.policy.stretch
        if self.order is not None:
            if self.tracing and perf_counter() > self.turn_ends:
                self.order.wait(REST)
                self.turn_ends = perf_counter() + TURN
        elif self._left_alone() < self.patience:
            stretch = self.policy.long_stretch
        elif self._is_hot(state.walkers[0].stance):
            self.visits.clear()
            return self._compile_here(target)
        # Always at the same ticks, however the run is cut into stretches.
        stretch = min(stretch - state.tick % stretch, target - state.tick)
        self.reference.landings = self.landings
        try:
            return self._step(stretch)
        finally:
            self.reference.landings = ()

    def _is_hot(self, stance: Stance) -> bool:
        """Count a visit; says whether there were enough of them."""
        visits = self.visits[stance] = self.visits.get(stance, 0) + 1
        if len(self.visits) > 20_000:
            self.visits.clear()
        enough = self.policy.again if self.units and not self.full else self.policy.hot
        return visits >= enough and stance not in self.refused

    def _left_alone(self) -> int:
        """Ticks that compiled code had no part in, since the last was made."""
        return self.earlier + self.state.tick - self.compiled_ticks

    def _compile_here(self, target: int) -> Stop | None:
        """Watch where the program walks for a while, then have it compiled."""
        if self.policy.eager:
            self._compile_at_once()
            return None
        state = self.state
        stop = self.profile.watch(
            self.reference, min(self.policy.profile, target - state.tick), self.barriers
        )
        self._keep_true()
        may = None
        entries = self.profile.path[:GOOD_ENTRIES]
        if state.plane.writable:
            if stop is not None or len(state.walkers) != 1:
                return stop
            may = self._walked()
            entries = self.profile.path[:1]  # where code is missing
            if not self.full:
                if self.units and may == self.may:  # the same code would come out
                    self._try_later()
                    return stop
                entries = self.profile.path[-1:]
            self.may = may
        self.compiled_ticks = self.earlier + state.tick  # from now on anew
        self.order = self.queue.begin(
            "generated Python", partial(self._make, self._task(may), entries)
        )
        self.turn_ends = perf_counter() + TURN
        if self.order.ready:
            self._receive()
        return stop

    def _compile_at_once(self) -> None:
        """Make code of all that can be reached from here, walked or not."""
        state = self.state
        self.tries += 1
        if self.tries > self.policy.most_tries:
            self._refuse([state.walkers[0].stance])
            return
        here = Key(state.walkers[0].stance, len(state.stack), tuple(state.calls))
        self.order = self.queue.begin(
            "generated Python", partial(self._make, self._task(None), [here])
        )
        if self.order.ready:
            self._receive()

    def _walked(self) -> set[Stance]:
        """Where the program was seen, but for cells that keep changing."""
        walked = self.reference.places_walked()
        walked |= self.profile.walked
        if not self.changes:
            return walked
        return {stance for stance in walked if not self._restless(stance)}

    def _task(self, may: set[Stance] | None, but: Unit | None = None) -> Task:
        """What the tracer is to know; code `but` of one unit is as if it were not there."""
        heads = [key for key, unit in self.units.items() if unit is not but]
        task = Task(
            self.state,
            may,
            self.profile.answers(),
            self.profile.growing,
            self._room(),
            set(),
            [],
            heads,
            self.armed,
        )
        if not self.full:
            return task
        frontiers = set().union(*(unit.frontier for unit in self.units.values()))
        open_ends = [key for key in frontiers - set(heads) if may is None or key.stance in may]
        return task._replace(foreign=set(heads), beginnings=sorted(open_ends, key=repr), hints=[])

    def _restless(self, stance: Any) -> bool:
        """Whether code made from this cell had to be dropped again and again."""
        return self.changes.get(self.keeping.index(stance.x, stance.y), 0) > 3

    # Beside the run: nothing here changes the engine --------------------------------------------

    def _make(self, task: Task, entries: list[Key]) -> Tried:
        """A unit from one of these places; if something goes wrong, they are refused for good."""
        try:
            return self._try(task, entries)
        except (Exception, Leave, Undecided) as error:
            self.refusals.note(error)
            return Tried(None, [entry.stance for entry in entries], 0, failed=True)

    def _try(self, task: Task, entries: list[Key]) -> Tried:
        refused: list[Stance] = []
        work = 0
        for entry in entries:
            tracer, trees = self._trace(task, entry)
            work += tracer.work
            if not trees:
                return Tried(None, [*refused, entry.stance], work)
            if task.state.plane.writable or not _leaves_at_once(trees[0]):
                break
            # Standing between a constant and its use, the use would have to leave every time.
            refused.append(entry.stance)
        unit = self._write(task, entry, tracer, trees)
        tracer.forget()
        return Tried(unit, refused if unit is not None else [*refused, entry.stance], work)

    def _trace(self, task: Task, entry: Key, native: bool = False) -> tuple[Tracer, list[Tree]]:
        """The trees reachable from a key; none if it is not for compiling."""
        known_depth = has_known_depth(entry)
        self.tracing = True
        try:
            while True:
                given = task.at_depths(known_depth)
                tracer = Tracer(self.language, *given[:-2], known_depth=known_depth, native=native)
                tracer.armed = task.armed
                tracer.refusals = self.refusals
                try:
                    return tracer, tracer.explore(entry, given.hints)
                except TooManyDepths:
                    known_depth = False
                except TooComplex:
                    return tracer, []
        finally:
            self.tracing = False

    def _write(self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> Unit | None:
        state = task.state
        writer = SourceWriter(trees, self.keeping, state.floats, self.hands)
        source = writer.source()
        names = {**NAMES, "samples": self.language.rules.samples(state.options)}
        try:
            exec(compile(source.text, "<unit>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError):  # more than Python's compiler takes
            return None
        return self._unit(task, entry, tracer, source, names["unit"])

    def _unit(self, task: Task, entry: Key, tracer: Tracer, source: Source, code: Any) -> Unit:
        unit = Unit(entry, source, code, tracer.touched, task.may)
        unit.armed = task.armed
        if tracer.acted > self.policy.most_instructions or tracer.blocks > MOST_BLOCKS:
            unit.frontier = tracer.frontier
            for key in unit.frontier:
                source.entries.pop(key, None)  # it would leave at once
        elif tracer.acted > tracer.room:
            unit.outgrown_at = 4 * (self.earlier + task.state.tick)
        return unit

    # In the run again ---------------------------------------------------------------------------

    def _receive(self) -> None:
        """Take over the unit that is ready, unless what it was made from has changed since."""
        assert self.order is not None
        order, self.order = self.order, None
        unit, refused, work, failed = order.take()
        self._refuse(refused)
        if failed:
            self._try_later()
        if unit is not None and unit.armed == self.armed and self._is_true(unit.touched):
            self._adopt(unit)
        patience = self.policy.large_patience if self.full else self.policy.patience
        self.patience = max(patience * work, self.policy.profile * self.doubt)

    def _adopt(self, unit: Unit) -> None:
        """From now on this unit runs."""
        if len(set(self.units.values())) >= MOST_UNITS:
            self._forget(set(self.units.values()))
        self.units.update(dict.fromkeys(unit.source.entries, unit))
        self.full = self.full or bool(unit.frontier)
        self.landings.update(key.stance for key in unit.source.entries)
        self._mark(unit.touched)

    def _is_true(self, touched: dict[Any, Any]) -> bool:
        """Whether cells still hold what they held."""
        return self.keeping.holds(touched)

    def _mark(self, touched: dict[Any, Any]) -> None:
        """From now on these cells are code: whoever writes one is noticed."""
        self.keeping.mark(touched)

    def _unmark(self, cells: set[Any]) -> None:
        cells -= self.guarded
        for touched in self._in_use():
            cells -= touched.keys()
        self.keeping.unmark(cells)

    def _in_use(self) -> list[dict[Any, Any]]:
        """The cells of all code there is."""
        return [unit.touched for unit in set(self.units.values())]

    def _room(self) -> int:
        """How much may be traced: no more than the run so far makes seem worth it."""
        return min(self.policy.most_instructions, 600 + (self.earlier + self.state.tick) // 20)

    def _drop_changed(self) -> None:
        """Code made from cells that have changed is no longer true."""
        for at in self.changed:
            self.changes[at] = self.changes.get(at, 0) + 1
        units = set(self.units.values())
        self._forget({unit for unit in units if not self.changed.isdisjoint(unit.touched)})
        self.changed.clear()
