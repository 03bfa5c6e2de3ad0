"""Instructions that were performed before in the same circumstances, recalled instead.

Most cells of a large program do what others have done already: lead on, turn, move the hand. So an
instruction is performed as if nobody knew where it stands, nor anything else but its heading and
mode. If it asks for more, it is performed once more with the hand known, and then with all that
stands where (`Env`). What comes of it is noted, with the answers that it got on the way, and found
again wherever else the same comes to pass. What is left to do then is to look where the walker goes
from its own place.
"""

from __future__ import annotations

from contextlib import suppress
from enum import IntEnum
from typing import Any, NoReturn

from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.language import Pace
from .explore import MOST_BLOCKS, TooComplex
from .ir import Block, Key, Leave, Node, Undecided, identity
from .trace import TooManyDepths, Tracer
from .trees import Env, Path, Tree

FEW_VALUES = 8
"""Of which it is worth finding out whether they have stood together before."""


class PlaceAsked(BaseException):
    """What an instruction does depends on where it stands, or when."""


class _Nowhere:
    """A coordinate, or a tick, that nobody may ask for."""

    def _ask(self, *_: object) -> NoReturn:
        raise PlaceAsked

    __hash__ = __repr__ = __str__ = __format__ = __bool__ = __len__ = __iter__ = _ask
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __getitem__ = _ask
    __int__ = __float__ = __complex__ = __index__ = __round__ = __trunc__ = _ask
    __floor__ = __ceil__ = __neg__ = __pos__ = __abs__ = __invert__ = __getattr__ = _ask
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _ask
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = _ask
    __rdivmod__ = __pow__ = __rpow__ = __and__ = __rand__ = __or__ = __ror__ = _ask
    __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _ask


NOWHERE: Any = _Nowhere()


class Needs(IntEnum):
    """What an instruction has to know, beside heading and mode."""

    NOTHING = 0
    HAND = 1
    """Where the hand is, and how often the plane has grown."""
    ENV = 2
    """All that stands where, but not the place of the walker."""
    PLACE = 3
    """That as well, or what else there is: it has to be performed each time."""


class Question:
    """Something that was asked next, and what followed from each answer."""

    __slots__ = ("node", "ways")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.ways: dict[bool | None, Any] = {}


class ActOutcome:
    """What came of an instruction: it asked what nobody knows (`fork`), it was `left` to the
    reference engine, or it was performed."""

    __slots__ = ("effects", "env", "fork", "grown", "hand", "left", "lets", "quiet", "turns")

    def __init__(
        self,
        lets: list[Any],
        fork: Node | None = None,
        left: type[BaseException] | None = None,
    ) -> None:
        self.lets, self.fork, self.left = lets, fork, left
        self.effects: list[Any] = []
        self.hand: tuple[Any, ...] | None = None
        """Where the hand is now, and that as something to know it by, if nothing else changed."""
        self.env: Env | None = None
        """What stands where now, if more has changed."""
        self.grown: Any = None
        self.turns = -1
        """How the walker turned and moved, and how much deeper the stack is, as a number."""
        self.quiet = False
        """Whether nothing is to be done in that moment."""


class Spot:
    """A place in the code, and what was found out about it."""

    __slots__ = ("instruction", "key", "number", "walked", "ways")

    def __init__(self, key: Key, instruction: Instruction, number: int) -> None:
        self.key, self.instruction = key, instruction
        self.number = number
        """That of an instruction together with heading and mode."""
        self.walked = (key.stance, instruction)
        self.ways: dict[int, Key] = {}
        """What follows, by how the walker turned and moved."""


class RecallingTracer(Tracer):
    """The words, performed on nodes; what was performed before is recalled."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._recalls = self.language.rules.over is None
        """Whether nothing has to be asked before an instruction."""
        self._spots: dict[Key, Spot] = {}
        self._numbers: dict[Any, int] = {}
        self._needs: list[Needs] = []
        """Those of each instruction, as far as they are known."""
        self._sure: list[bool] = []
        """Whether something came of it by which they were seen to be enough."""
        self._acts: dict[int, Any] = {}
        self._acts_near: dict[Any, dict[int, Any]] = {}
        """What came of those that need nothing, and of those that need the hand."""
        self._turns: dict[Any, int] = {}
        self._all_turns: list[Any] = []
        self._heads: dict[int | None, Env] = {}
        self._envs: dict[Any, Env] = {}
        """What stands where, by all that it is."""
        self.turns_of: dict[Any, set[Any]] = {}
        """How instructions with heading and mode were seen to turn and move; also by others."""
        self._moves: list[Any] | None = None
        """Extra steps of a walker of which nobody knows where it is."""

    def _at_head(self, key: Key) -> Env:
        """The same wherever as much is known, so that all is recalled that begins like that."""
        found = self._heads.get(key.depth)
        if found is None:
            found = self._heads[key.depth] = super()._at_head(key)
            self._envs[found.content()] = found
        return found

    def _perform(self, tree: Tree, path: Path) -> list[Path]:
        """One instruction, in every way it can go; at once if there is nothing to be done but to go
        on."""
        block, key, env, ticks, facts, decisions = path
        found = following = None
        if self._recalls and tree.acted <= self.room and tree.blocks <= MOST_BLOCKS:
            self.graph.facts = facts
            try:
                spot = self._spots.get(key) or self._look_at(key)
                found = self._recalled(env, spot.number)
                if found is not None and found.quiet:
                    following = spot.ways.get(found.turns) or self._following(spot, found.turns)
            except (TooComplex, TooManyDepths):
                raise
            except (Leave, Exception):
                pass  # whoever performs it will hear of it again
        if found is None or following is None:
            return super()._perform(tree, path)
        self._count_work()
        tree.acted += 1
        tree.longest = max(tree.longest, ticks + 1)
        block.walked.append(spot.walked)
        env = self._env_after(found, env)
        return [Path(block, following, env, ticks + 1, facts, decisions)]

    def _tick_at(self, key: Key, env: Env, ticks: int, block: Block, facts: dict[int, bool]) -> Key:
        if not self._recalls:
            return super()._tick_at(key, env, ticks, block, facts)
        spot = self._spots.get(key) or self._look_at(key)
        self.graph.facts = facts
        found = self._recalled(env, spot.number)
        if found is None:
            found = self._perform_anywhere(spot, env, facts)
            if found is not None and found.left is not None:
                return self._leave_here_as_well(spot.number, found, (key, env, ticks, block, facts))
        if found is None:
            return super()._tick_at(key, env, ticks, block, facts)
        self._count_work()
        before = len(block.ops)
        block.ops += found.lets
        if found.fork is not None:
            raise Undecided(found.fork)
        if found.left is not None:
            raise found.left
        following = spot.ways.get(found.turns) or self._following(spot, found.turns)
        if following is None:
            del block.ops[before:]
            return super()._tick_at(key, env, ticks, block, facts)
        block.walked.append(spot.walked)
        self.env = self._env_after(found, env)
        self.effects, self._grown = found.effects, found.grown
        return following

    def _look_at(self, key: Key) -> Spot:
        """See what there is to do at a place that was not met before."""
        instruction = self._instruction_at(key.stance)
        _, _, dx, dy, mode = key.stance
        number = self._numbers.setdefault((instruction.act, dx, dy, mode), len(self._numbers))
        if number == len(self._needs):
            self._needs.append(Needs.NOTHING)
            self._sure.append(False)
        spot = self._spots[key] = Spot(key, instruction, number)
        return spot

    def _env_after(self, found: ActOutcome, env: Env) -> Env:
        """What stands where after an instruction."""
        if found.env is not None:
            return found.env
        if found.hand is None:
            return env
        x, y, known_by = found.hand
        if not env.kin:
            env.kin[identity(env.hand_x), identity(env.hand_y)] = env
        after = env.kin.get(known_by)
        if after is None:
            after = env.kin[known_by] = env.copy()
            after.hand_x, after.hand_y, after.kin = x, y, env.kin
        return after

    # Remembering -----------------------------------------------------------------------------

    def _acts_of(self, env: Env, needs: Needs) -> dict[int, Any]:
        """What came of instructions that need that."""
        if needs is Needs.NOTHING:
            return self._acts
        if needs is not Needs.HAND:
            return env.acts
        if env.acts_near is None:
            near = identity(env.hand_x), identity(env.hand_y), env.grown
            env.acts_near = self._acts_near.setdefault(near, {})
        return env.acts_near

    def _recalled(self, env: Env, number: int) -> ActOutcome | None:
        """What came of an instruction in these circumstances."""
        found = self._acts_of(env, self._needs[number]).get(number)
        while type(found) is Question:
            found = found.ways.get(self.graph.truth_of(found.node))
        return found

    def _note(self, env: Env, number: int, asked: list[Any], outcome: ActOutcome) -> None:
        ways: dict[Any, Any] = self._acts_of(env, self._needs[number])
        answer: int | bool | None = number
        for node, known in asked:
            found = ways.get(answer)
            if found is None:
                found = ways[answer] = Question(node)
            elif type(found) is not Question or found.node is not node:
                self._needs[number] = Needs.PLACE  # it asks now this, now that
                return
            ways, answer = found.ways, known
        ways[answer] = outcome

    # Performing ------------------------------------------------------------------------------

    def _perform_anywhere(self, spot: Spot, env: Env, facts: dict[int, bool]) -> ActOutcome | None:
        """Perform an instruction wherever it stands; none if it asks for its place."""
        number = spot.number
        while self._needs[number] is not Needs.PLACE:
            found = self._perform_on(spot, env, facts)
            if found is None or self.graph.asked_all:
                self._needs[number] = Needs(self._needs[number] + 1)
            elif found.left is None:
                self._sure[number] = True
                self._note(env, number, self.graph.asked, found)
                return found
            elif self._sure[number] or self._needs[number] is Needs.ENV:
                return found
            else:  # for want of something, perhaps
                self._needs[number] = Needs(self._needs[number] + 1)
        return None

    def _perform_on(self, spot: Spot, env: Env, facts: dict[int, bool]) -> ActOutcome | None:
        """Perform an instruction that knows no more than it is thought to need; none if it asks for
        something else."""
        block, needs = Block(), self._needs[spot.number]
        _, _, dx, dy, mode = spot.key.stance
        self._begin(block, Key(Stance(NOWHERE, NOWHERE, dx, dy, mode), None), env, NOWHERE, facts)
        self._calls, self._moves = NOWHERE, []
        if needs is not Needs.ENV:
            self.env = self._env_of_hand(env, needs)
            self._stack = NOWHERE
            self.hand_x, self.hand_y = self.env.hand_x, self.env.hand_y
        rules = self.language.rules
        try:
            spot.instruction.act(self)
            if rules.pace is Pace.TOGETHER and self.wishes:
                rules.settle(self, self.wishes)
            hand = self.env.hand_x, self.env.hand_y
            self._settle_hand()
        except Undecided as undecided:
            return ActOutcome(block.ops, fork=undecided.node)
        except Leave as left:
            return ActOutcome(block.ops, left=type(left))
        except (TooComplex, TooManyDepths):
            raise
        except (PlaceAsked, Exception):
            return None
        finally:
            moves, self._moves = self._moves, None
        if not all(isinstance(it, _Nowhere) for it in self.stance[:2]):
            return None
        outcome = ActOutcome(block.ops)
        outcome.effects, outcome.grown = self.effects, self._grown
        outcome.quiet = not block.ops and not self.effects
        deeper = 0
        if needs is Needs.ENV:
            outcome.env = self._known_env(env)
            if self._known_depth:
                deeper = len(self._stack) - len(env.stack)
        elif self.hand_x is not hand[0] or self.hand_y is not hand[1]:
            x, y = self.hand_x, self.hand_y
            outcome.hand = x, y, (identity(x), identity(y))
        turns = (*moves, self.stance[2:]), deeper
        self.turns_of.setdefault((spot.instruction.act, dx, dy, mode), set()).add(turns)
        outcome.turns = self._turns.setdefault(turns, len(self._turns))
        if outcome.turns == len(self._all_turns):
            self._all_turns.append(turns)
        return outcome

    def _env_of_hand(self, env: Env, needs: Needs) -> Env:
        """Where the hand is, at most, and nothing else."""
        bare = Env(NOWHERE, NOWHERE, NOWHERE)
        bare.drop = bare.sure = bare.registers = bare.version = bare.grown = bare.reads = NOWHERE
        bare.last = bare.cells = NOWHERE
        if needs is Needs.HAND:
            bare.hand_x, bare.hand_y, bare.grown = env.hand_x, env.hand_y, env.grown
        return bare

    def _known_env(self, before: Env) -> Env:
        """What stands where now; the same thing for what was the same before."""
        env = self.env
        if len(env.stack) + len(env.registers) + len(env.cells) > FEW_VALUES:
            return env
        content = env.content()
        return before if content == before.content() else self._envs.setdefault(content, env)

    def _leave_here_as_well(self, number: int, found: ActOutcome, here: tuple[Any, ...]) -> Key:
        """Perform an instruction where it stands that would be left anywhere: it may have been left
        for what it knows of its place, which is no number."""
        asked, confirmed = self.graph.asked, False
        try:
            return super()._tick_at(*here)
        except Leave as left:
            confirmed = type(left) is found.left
            raise
        finally:
            if confirmed:
                self._note(here[1], number, asked, found)
            else:
                self._needs[number] = Needs.PLACE

    def _following(self, spot: Spot, turns: int) -> Key | None:
        """Where a walker comes to; none if moves turn it, of which the outcome knows nothing."""
        (x, y, *_), depth, calls = spot.key
        (*moves, last), deeper = self._all_turns[turns]
        for posture in moves:
            moved = self.language.move(self._decoded, Stance(x, y, *posture))
            if moved is not None:
                if moved[2:] != posture:
                    self._needs[spot.number] = Needs.PLACE
                    return None
                x, y = moved[:2]
        way = self._way_from(Stance(x, y, *last))
        self._stay(way)
        depth = None if depth is None else depth + deeper
        self._note_depth(way, depth)
        following = spot.ways[turns] = Key(way, depth, calls)
        return following

    # Looking ahead ---------------------------------------------------------------------------

    def _meetings(self, starts: list[Key]) -> set[Key]:
        """Else each would be found only by coming to a place for the second time, and what was
        recorded behind it would have to be recorded once more."""
        met: set[Key] = set()
        seen, work = set(starts), [*starts]
        while work and len(seen) <= self.room:
            for following in self._ways_ahead(work.pop()):
                if following in seen:
                    met.add(following)
                elif following not in self._foreign:
                    seen.add(following)
                    work.append(following)
        return met

    def _ways_ahead(self, key: Key) -> set[Key]:
        """Where a walker may come to from there, by how others went that acted alike. No code
        depends on that, so it may be wrong, and the plane is not noted to be read."""
        stance, plane, language = key.stance, self.real_plane, self.language
        if self._may is not None and stance not in self._may:
            return set()
        ways = set()
        with suppress(Exception):  # as in places that nobody comes to
            act = language.decode(plane, stance).act
            for (*moves, last), deeper in self.turns_of.get((act, *stance[2:]), ()):
                x, y, *_ = stance
                for posture in moves:
                    x, y, *_ = language.move(plane, Stance(x, y, *posture)) or (x, y)
                way = self._after(plane, Stance(x, y, *last))
                if way is not None:
                    depth = None if key.depth is None else key.depth + deeper
                    ways.add(Key(way, depth, key.calls))
        return ways

    # Words that depend on more than that -----------------------------------------------------

    def move(self) -> None:
        if self._moves is None:
            super().move()
        else:
            posture = self.stance[2:]
            self._moves.append(posture)
            self.stance = Stance(_Nowhere(), _Nowhere(), *posture)  # not the place of before

    def grow(self, height: Any) -> None:
        if self._stack is NOWHERE:
            raise PlaceAsked  # that changes more than where the hand is
        super().grow(height)

    def _spare_code(self, x: Any, y: Any) -> None:
        if self._moves is not None and not isinstance(x, Node) and not isinstance(y, Node):
            raise PlaceAsked  # others may have been decoded by then
        super()._spare_code(x, y)
