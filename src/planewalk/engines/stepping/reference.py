"""The reference engine: plain Python, one tick at a time. It defines what programs mean."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any

from ...core.base.deadline import OutOfTime
from ...core.errors import PlanewalkError
from ...core.geometry import EndlessWalk, Stance
from ...core.instruction import Act
from ...core.language import Language, Pace
from ...core.limits import Limits
from ...core.numbers import chance, pure
from ...core.state import WALKER_MEMORY, State, Walker
from ...core.step import HALTED, Fault, Hungry, Spent, Stop
from ...core.stream import Starved
from ...core.vocabulary import Vocabulary
from .long_numbers import LongNumbers, Unfinished

if TYPE_CHECKING:
    from ...core.barriers import Barriers

_NEVER = -1
_MOST_SINGLE = 256  # ticks of a crowd with barriers between two looks at the clock
_SOME = 1 << 12  # walkers that act between two looks at the clock
MOVED_AT_ONCE = 1 << 11  # values that come down in a stack in the time of a tick
_CACHE = 1 << 16
_walker = tuple.__new__  # a named tuple's own way of making one is twice as slow


class _Ended(Exception):
    """An instruction ended the program; this tick counts."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop


def _no_put(x: Any, y: Any, value: Any) -> None:
    raise TypeError("this plane cannot be written")


def _no_reach(x: Any, y: Any) -> None:
    raise TypeError("this walker has no hand")


class Machine(LongNumbers, Vocabulary):
    """The words, performed on numbers."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        self.state = state
        self.plane: Any = state.plane
        self.limits = limits
        self.ticks = state.tick
        self.until = state.tick
        self.pause: Stop | None = None
        self.wishes: list[Any] = []
        self.company = False  # whether this walker made twins or vanished in this tick
        self.twins: list[tuple[Any, Any]] = []
        self.present = True
        self.met: list[Stance] = []
        self.became: list[Stance] = []
        self.hand_x = self.hand_y = 0
        self.ground: Ground | None = None
        self._move = language.move
        self._samples = language.rules.samples(state.options)
        # The hottest words are the container's own methods.
        self.use_stack(state.stack)
        self.cell = state.plane.cell
        self.put = getattr(state.plane, "put", _no_put)
        self.wish = self.wishes.append
        self._pause = limits.deadline.check
        self.efforts = 0  # the efforts of late, for callers that have a target of their own
        self.asked_for_tick = False
        """Whether an instruction ever asked for the tick, which no state repeats."""
        if all(walker.hand is None for walker in (*state.walkers, *state.acted)):
            self.reach = _no_reach  # type: ignore[method-assign]

    def use_stack(self, numbers: Any) -> None:
        """Have the numbers of the stack there."""
        self.numbers = numbers
        self.pop, self.push = numbers.pop, numbers.append

    def listen(self, words: Mapping[str, Callable[..., Any]]) -> Callable[[], None]:
        """Have other functions perform words, which hear of each call; gives what ends that."""
        own = {word: vars(self)[word] for word in words if word in vars(self)}
        vars(self).update(words)

        def end() -> None:
            for word in words:
                del vars(self)[word]
            vars(self).update(own)

        return end

    def pause_for(self, stop: Stop) -> None:
        """Finish this tick, then stop."""
        self.pause = stop
        self.until = _NEVER

    def move(self) -> None:
        moved = self._move(self.plane, self.stance)
        if moved is not None:
            self.stance = moved

    def call(self, stance: Stance) -> None:
        self.state.calls.append(stance)

    def returned(self) -> Stance | None:
        return self.state.calls.pop() if self.state.calls else None

    def has(self, n: int) -> bool:
        return len(self.numbers) >= n

    @property
    def depth(self) -> int:
        return len(self.numbers)

    def peek(self, index: Any) -> Any:
        return self.numbers[-1 - index]

    def poke(self, index: Any, value: Any) -> None:
        self.numbers[-1 - index] = value

    def pluck(self, index: Any) -> Any:
        if index >= MOVED_AT_ONCE:  # all above it come down
            self.effort(int(index) // MOVED_AT_ONCE)
        return self.numbers.pop(-1 - index)

    def stack(self) -> Any:
        return self.state.stack

    def register(self, name: Any) -> Any:
        return self.state.registers[name]

    def set_register(self, name: Any, value: Any) -> None:
        self.state.registers[name] = value

    def look(self, x: Any, y: Any) -> Any:
        return float(self.plane.at(x, y))

    def grow(self, height: Any) -> None:
        self.plane.grow(height)
        if self.ground is not None:
            self.ground.notice_growth()
        memory = self.limits.memory
        if memory is not None and self.plane.memory() > memory:
            self.pause_for(Spent("memory"))

    def option(self, name: str) -> Any:
        return self.state.options[name]

    def sample(self, index: Any) -> Any:
        return pure.sample(self._samples, index)

    @property
    def tick(self) -> int:
        self.asked_for_tick = True
        return self.ticks

    def read_byte(self) -> Any:
        return self.state.input.read_byte()

    @property
    def input_ended(self) -> bool:
        return self.state.input.ended

    def write(self, data: bytes) -> None:
        state, limits = self.state, self.limits
        state.output += data
        if limits.output is not None and state.written > limits.output:
            self.pause_for(Spent("output"))
        elif limits.memory is not None and len(state.output) > limits.memory:
            self.pause_for(Spent("memory"))

    def write_byte(self, value: Any) -> None:
        self.write(value.to_bytes(1, "little"))

    def note(self, entry: Any) -> None:
        self.state.log.append(entry)

    def below(self, bound: Any) -> Any:
        state = self.state
        drawn, state.draws = chance.below(bound, state.seed, state.draws, self._pause)
        return drawn

    def draw(self) -> Any:
        return chance.mix(self.state.seed, self.tick)

    def halt(self) -> None:
        raise _Ended(HALTED)

    def fault(self, reason: str) -> None:
        raise _Ended(Fault(reason, (self.stance.x, self.stance.y)))

    def give_up(self) -> None:
        raise _Ended(Spent("steps"))

    def vanish(self) -> None:
        self.present = False
        self.company = True

    def twin(self, dx: Any, dy: Any) -> None:
        self.twins.append((dx, dy))
        self.company = True

    def become(self, stances: list[Stance]) -> None:
        self.became = stances

    def effort(self, ticks: Any) -> None:
        if index(ticks) < 0:
            raise ValueError("effort must not be negative")
        self.until -= ticks
        self.efforts += ticks

    def known(self, value: Any) -> Any:
        return value


class Ground:
    """A plane that can be written, as `move` and `after` see it.

    Moves that depend on its width alone are cached for good, those that depend on its height until
    it grows; moves that depend on anything else are not cached.
    """

    def __init__(self, plane: Any, ways: dict[Stance, Stance | None]) -> None:
        self._plane = plane
        self._ways = ways
        self.looked = False  # whether anything was looked at that may be different next time
        self.measured: int | None = None  # the height, if a way depends on it
        if hasattr(plane, "width"):
            self.width = plane.width

    @property
    def height(self) -> int:
        height: int = self._plane.height
        self.measured = height
        return height

    def __getattr__(self, name: str) -> Any:
        self.looked = True
        return getattr(self._plane, name)

    def notice_growth(self) -> None:
        """Forget ways that are no longer true if the plane has grown since they were found."""
        if self.measured is not None and self.measured != self._plane.height:
            self._ways.clear()
            self.measured = None


class ReferenceEngine:
    """Runs any language by performing its instruction functions. See `core.engine.Engine`."""

    name = "reference"

    def __init__(self, language: Language, state: State, limits: Limits | None = None) -> None:
        self.language = language
        self.state = state
        self._limits = limits or Limits(memory=None)
        self._after = language.rules.after or language.move
        self._arrivals = language.rules.arrivals(state.options)
        self._ways: dict[Stance, Stance | None] = {}
        self._ground = Ground(state.plane, self._ways) if state.plane.writable else None
        self.landings: Container[Stance] = ()
        """Where to stop early: a walker alone that arrives at one of these ends the stretch."""
        # On a plane that cannot be written: what stands there, and the way on if it does not turn.
        self._known: dict[Stance, tuple[Act, Stance | None]] = {}
        self._unwatched = _SOME

    def restart(self, state: State) -> None:
        """Go on with another state; what is known of a plane that cannot be written stays known."""
        if state.plane is not self.state.plane or state.plane.writable:
            self._ways.clear()
            self._known.clear()
            self._ground = Ground(state.plane, self._ways) if state.plane.writable else None
        self.state = state
        self._arrivals = self.language.rules.arrivals(state.options)
        self.__dict__.pop("machine", None)  # that of the last state

    @cached_property
    def machine(self) -> Machine:
        """The words, performed on this state; made when the first is."""
        return Machine(self.language, self.state, self._limits)

    def memory(self) -> int:
        """Nothing to speak of: what is known of a plane is forgotten when it becomes much."""
        return 0

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        if barriers:
            return self._advance_to(barriers, ticks)
        state, m = self.state, self.machine
        if m.numbers is not state.held_stack:
            m.use_stack(state.held_stack)
        m.ticks = state.tick
        m.ground = self._ground
        if m.ground is not None:
            m.ground.notice_growth()  # other engines let it grow as well
        target = state.tick + ticks
        stop: Stop | None = None
        try:
            while state.stop is None and m.pause is None:
                m.until = target
                self._loop()()
                # Else the number of walkers changed: another loop goes on.
                if m.ticks >= m.until or self.landings:
                    break
        except Starved:
            stop = Hungry()
        except Unfinished as cut:
            stop = cut.stop
        except OutOfTime:
            stop = Spent("time")
        except EndlessWalk:
            self._end(Spent("steps"))
            m.ticks += 1
        except _Ended as end:
            self._end(end.stop)
            m.ticks += 1
        except (PlanewalkError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            self._blame(error)
            raise
        finally:
            state.tick = m.ticks
        pause, m.pause = m.pause, None
        if state.stop is not None:
            return state.stop
        return pause if stop is None else stop

    def _blame(self, error: BaseException) -> None:
        """Raise a mistake of the language as such."""
        from ...core.meta.blame import Occasion, blame, places  # rarely needed

        # Loops have in `stance` who acts; the machine's own may have moved already.
        names = (frame.f_locals for frame, _ in places(error))
        acting = next((found["stance"] for found in names if "stance" in found), None)
        moment = Occasion(acting, self.state.plane, self.machine.ticks)
        if found := blame(self.language, error, None if acting is None else moment):
            raise found from error

    def _advance_to(self, barriers: Barriers, ticks: int) -> Stop | None:
        """Run up to the first tick in which something barred happens."""
        from .watch import Watch  # only debuggers have barriers

        state = self.state
        target = state.tick + ticks
        landings, stop = self.landings, None
        with Watch(self.machine, barriers, landings) as watch:
            self.landings = watch if barriers.landings or landings else ()
            try:
                for _ in range(_MOST_SINGLE):
                    if stop is not None or state.tick >= target or watch.reached:
                        break
                    before = state.tick
                    # These loops look at landings, but for the tick in which walkers part.
                    looks = self._loop() in (self._alone, self._together_alone)
                    crowd = barriers.landings and not looks
                    stop = self.advance(1 if crowd else target - before)
                    if state.tick == before:
                        watch.events.clear()  # nothing has happened yet
                    elif barriers.landings:
                        stop = watch.survey(state) or stop
            finally:
                self.landings = landings
        stop = self.advance(0) if ticks <= 0 else stop
        return watch.hit() or stop

    def _loop(self) -> Callable[[], None]:
        language, state = self.language, self.state
        if language.rules.pace is Pace.TOGETHER:
            if language.rules.meet:
                return self._meeting
            quick = len(state.walkers) == 1 and language.rules.over is None
            return self._together_alone if quick else self._together
        if len(state.walkers) == 1 and not state.acted:
            return self._alone
        return self._in_turns

    def _look_up(self, stance: Stance) -> tuple[Act, Stance | None]:
        if len(self._known) > _CACHE:
            self._known.clear()
        act = self.language.decode(self.state.plane, stance).act
        try:
            way = self._way(stance)
        except EndlessWalk:
            way = None  # it may yet turn; if not, the walk is tried again after the act
        found = self._known[stance] = (act, way)
        return found

    def _way(self, stance: Stance) -> Stance | None:
        if len(self._ways) > _CACHE:
            self._ways.clear()
        ground = self._ground
        if ground is None:  # nothing of it ever changes
            way = self._after(self.state.plane, stance)
        else:
            ground.looked = False
            way = self._after(ground, stance)
            if ground.looked:
                return way
        self._ways[stance] = way
        return way

    def places_walked(self) -> set[Stance]:
        """Where walkers were seen lately, as far as that is remembered."""
        found: set[Any] = set(self._ways.values())
        found.discard(None)  # left the plane
        return found

    def _end(self, stop: Stop) -> None:
        self.state.stop = stop
        self.machine.until = _NEVER

    def _alone(self) -> None:
        """One walker that acts, then goes on: the loop most programs live in."""
        m, known, ways, over = self.machine, self._known, self._ways, self.language.rules.over
        landings = self.landings
        state, plane = self.state, self.state.plane
        hand = state.walkers[0].hand
        stance = m.stance = state.walkers[0].stance
        m.hand_x, m.hand_y = hand or (0, 0)
        decode, writable = self.language.decode, plane.writable
        regrouped = False
        try:
            if over is not None and over(plane, stance):
                self._end(HALTED)
            while m.ticks < m.until:
                if writable:
                    decode(plane, stance).act(m)
                    way = ways.get(m.stance) or self._way(m.stance)
                else:
                    act, way = known.get(stance) or self._look_up(stance)
                    act(m)
                    if m.stance is not stance or way is None:
                        way = ways.get(m.stance) or self._way(m.stance)
                if way is None or m.company:
                    regrouped = True
                    self._regroup(hand, way)
                    m.ticks += 1
                    return
                stance = m.stance = way
                m.ticks += 1
                if over is not None and over(plane, stance):
                    self._end(HALTED)
                elif stance in landings:
                    m.until = m.ticks
        finally:
            if not regrouped:
                hand = None if hand is None else (m.hand_x, m.hand_y)
                state.walkers[0] = _walker(Walker, (m.stance, hand))

    def _regroup(self, hand: tuple[int, int] | None, way: Stance | None) -> None:
        """The walkers after a tick in which one left, or made others."""
        state = self.state
        state.walkers = []
        self._collect(state.walkers, hand, way)
        if not state.walkers:
            self._end(self.language.rules.deserted)
        else:
            self._look_for_end()

    def _collect(
        self, walkers: list[Walker], hand: tuple[int, int] | None, way: Stance | None
    ) -> None:
        """Add what has become of the walker that acted just now, its twins included."""
        m = self.machine
        if hand is not None:
            hand = (m.hand_x, m.hand_y)
        x, y, _, _, mode = stance = m.stance
        twins, present = m.twins, m.present
        if m.company:
            m.twins, m.present, m.company = [], True, False
        if present and way is None:
            self.language.rules.leave(m, stance)
        elif present and way is not None:
            walkers.append(Walker(way, hand))
        for dx, dy in twins:
            m.stance = Stance(x, y, dx, dy, mode)
            self._collect(walkers, hand, self._way(m.stance))

    def _look_for_end(self) -> None:
        """End here if the language says so of one of several walkers."""
        over, state = self.language.rules.over, self.state
        if over is not None and any(over(state.plane, stance) for stance, _ in state.walkers):
            self._end(HALTED)

    def _in_turns(self) -> None:
        """Several walkers, one after the other; each sees what those before it did."""
        m, state, ways = self.machine, self.state, self._ways
        if not state.acted:
            self._look_for_end()
        while m.ticks < m.until:
            if not state.walkers and not state.acted:
                self._end(self.language.rules.deserted)
                return
            for some in self._parts(state.walkers):
                done = 0
                try:
                    for stance, hand in some:
                        m.stance = stance
                        m.hand_x, m.hand_y = hand or (0, 0)
                        self.language.decode(state.plane, stance).act(m)
                        done += 1
                        self._collect(state.acted, hand, ways.get(m.stance) or self._way(m.stance))
                finally:
                    del state.walkers[:done]
            state.walkers, state.acted = state.acted, []
            m.ticks += 1
            self._weigh_walkers()
            self._look_for_end()
            if len(state.walkers) < 2:
                return

    def _parts(self, walkers: list[Any]) -> Iterable[list[Any]]:
        """Walkers, or groups of them, in parts, with a pause before each.

        Until they settle nothing has happened, and settling cannot be interrupted; about as long
        as it takes to act, it takes to settle, so the last pause asks for that time too.
        """
        self._unwatched -= len(walkers)
        if self._unwatched > 0:
            return (walkers,)
        self._unwatched = _SOME
        return self._long_parts(list(walkers))

    def _long_parts(self, walkers: list[Any]) -> Iterator[list[Any]]:
        deadline = self._limits.deadline
        began = deadline.left()
        for begin in range(0, len(walkers), _SOME):
            deadline.check()
            yield walkers[begin : begin + _SOME]
        left = deadline.left()
        if left < began - left:
            raise OutOfTime

    def _weigh_walkers(self) -> None:
        """Stop here if there are too many: their number may double with every tick."""
        memory = self.machine.limits.memory
        if memory is not None and len(self.state.walkers) * WALKER_MEMORY > memory:
            self.machine.pause_for(Spent("memory"))

    def _together(self) -> None:
        """Walkers that all see the plane as it was, and whose wishes come true at once."""
        m, state, ways, plane = self.machine, self.state, self._ways, self.state.plane
        decode = self.language.decode
        self._look_for_end()
        while m.ticks < m.until:
            m.wishes.clear()
            stayed: list[Walker] = []
            for some in self._parts(state.walkers):
                for stance, hand in some:
                    m.stance = stance
                    if hand is not None:
                        m.hand_x, m.hand_y = hand
                    decode(plane, stance).act(m)
                    way = ways.get(m.stance) or self._way(m.stance)
                    if way is None or hand is None or m.company:
                        self._collect(stayed, hand, way)
                    else:
                        stayed.append(_walker(Walker, (way, (m.hand_x, m.hand_y))))
            self._settle(stayed)
            m.ticks += 1
            self._weigh_walkers()
            self._look_for_end()
            if len(state.walkers) == 1:
                return

    def _together_alone(self) -> None:
        """The same for one walker, which has to be quick: no lists until it forks or leaves."""
        m, state, ways, plane = self.machine, self.state, self._ways, self.state.plane
        decode, rules = self.language.decode, self.language.rules
        settle, stays = rules.settle, rules.stays
        wishes, landings = m.wishes, self.landings
        wishes.clear()
        stance, hand = state.walkers[0]
        m.stance = stance
        m.hand_x, m.hand_y = x, y = hand or (0, 0)
        try:
            while m.ticks < m.until:
                decode(plane, stance).act(m)
                way = ways.get(m.stance) or self._way(m.stance)
                if way is None or m.company:
                    break
                if wishes:
                    settle(m, wishes)
                    wishes.clear()
                m.ticks += 1
                stance = m.stance = way
                x, y = m.hand_x, m.hand_y
                if stays is not None and not stays(plane, way):
                    self._end(self.language.rules.deserted)
                    return
                if way in landings:
                    m.until = m.ticks
            else:
                return
        finally:
            # Also when input ran out in the middle of a tick: then nothing of it has happened.
            here = Walker(stance, None if hand is None else (x, y))
            state.walkers = [here] if state.stop is None else []
        stayed: list[Walker] = []
        self._collect(stayed, hand, way)
        self._settle(stayed)
        m.ticks += 1

    def _meeting(self) -> None:
        """Walkers that act once per cell, as the group that met there."""
        m, state, ways, plane = self.machine, self.state, self._ways, self.state.plane
        decode, leave = self.language.decode, self.language.rules.leave
        settle = self._settle if self._arrivals is None else self._settle_with_arrivals
        self._look_for_end()
        while m.ticks < m.until:
            m.wishes.clear()
            places: dict[tuple[Any, Any], list[Stance]] = {}
            for some in self._parts(state.walkers):
                for walker, _ in some:
                    places.setdefault((walker.x, walker.y), []).append(walker)
            stayed: list[Walker] = []
            for groups in self._parts(list(places.values())):
                for met in groups:
                    m.met, m.became = met, met
                    stance = m.stance = met[0]
                    decode(plane, stance).act(m)
                    for moving in m.became:
                        way = ways.get(moving) or self._way(moving)
                        if way is None:
                            leave(m, moving)
                        else:
                            stayed.append(_walker(Walker, (way, None)))
            settle(stayed)
            m.ticks += 1
            self._weigh_walkers()
            self._look_for_end()

    def _settle_with_arrivals(self, stayed: list[Walker]) -> None:
        """The same where walkers arrive from outside."""
        m, stream, arrivals = self.machine, self.state.input, self._arrivals
        position = stream.position
        assert arrivals is not None
        try:
            stayed += [Walker(stance) for stance in arrivals.arrive(m, self.state)]
            self._settle(stayed)
        except (Unfinished, OutOfTime):
            stream.position = position  # nothing of this tick has happened
            raise

    def _settle(self, stayed: list[Walker]) -> None:
        """Make the wishes of a tick come true; then `stayed` are the walkers, less those gone."""
        m, state, stays = self.machine, self.state, self.language.rules.stays
        if m.wishes:
            try:
                self.language.rules.settle(m, m.wishes)
            except _Ended:
                state.walkers = stayed
                raise
        if stays is not None:
            stayed = [walker for walker in stayed if stays(state.plane, walker.stance)]
        state.walkers = stayed
        if not stayed and (self._arrivals is None or not self._arrivals.awaited(state)):
            self._end(self.language.rules.deserted)
