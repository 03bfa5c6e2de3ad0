"""Recording one tick of the walker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.language import Pace
from .context import TraceContext
from .ir import Block, Key, Leave, Undecided
from .limits import MOST_WORK, TooComplex, TooManyDepths
from .trees import Env
from .words.combined import TracedWords


class Walk:
    """Performs the instruction where the walker stands, and takes the step after it."""

    def __init__(
        self, context: TraceContext, words: TracedWords, decoded: Any, most_depths: int, room: int
    ) -> None:
        self.context, self.words, self.decoded = context, words, decoded
        self.most_depths, self.most_work = most_depths, MOST_WORK * room
        rules = context.language.rules
        self.after: Callable[[Any, Stance], Stance | None] = rules.after or context.language.move
        self.work = 0
        self._depths: dict[Stance, set[int | None]] = {}
        self._never_over: set[Stance] = set()

    def tick(self, key: Key, env: Env, ticks: int, block: Block, facts: dict[int, bool]) -> Key:
        """Record one tick; gives the key that follows."""
        self.begin(key, env, ticks, block, facts)
        return self.act(key)

    def begin(self, key: Key, env: Env, ticks: int, block: Block, facts: dict[int, bool]) -> None:
        """Begin a tick with what is known by then."""
        self.context.begin(block, env, ticks, facts)
        self.words.begin(key)

    def act(self, key: Key) -> Key:
        """Perform what stands at a key; gives the key that follows."""
        words, rules, stance = self.words, self.context.language.rules, key.stance
        instruction = self.instruction_at(stance)
        self.work += 1
        if self.work > self.most_work:
            raise TooComplex
        instruction.act(words)
        following = self.stance_after(words.stance)
        if rules.pace is Pace.TOGETHER and words.wishes:
            rules.settle(words, words.wishes)
        self.stay(following)
        words.settle_hand()
        depth = words.values.height() if words.values.depth_known else None
        self.note_depth(following, depth)
        self.context.block.walked.append((stance, instruction))
        return Key(following, depth, tuple(words.calls))

    def instruction_at(self, stance: Stance) -> Instruction:
        """What there is to do at a stance, if code may do it."""
        context = self.context
        if context.allowed is not None and stance not in context.allowed:
            raise Leave
        if context.armed and context.armed.catch(stance):
            raise Leave  # the run stops there
        if self.over(stance):
            raise Leave
        return context.language.decode(self.decoded, stance)

    def stance_after(self, stance: Stance) -> Stance:
        """Where a walker goes that has acted."""
        following = self.after(self.decoded, stance)
        if following is None:
            raise Leave
        return following

    def stay(self, stance: Stance) -> None:
        """Leave if the walker does not stay on the plane. Planes never shrink, so a place that is
        on the plane now always will be."""
        rules = self.context.language.rules
        stays = rules.stays if rules.pace is Pace.TOGETHER else None
        if stays is not None and not stays(self.context.real_plane, stance):
            raise Leave

    def note_depth(self, stance: Stance, depth: int | None) -> None:
        """Note how deep the stack is at a stance."""
        depths = self._depths.setdefault(stance, set())
        depths.add(depth)
        if len(depths) > self.most_depths:
            raise TooManyDepths

    def over(self, stance: Stance) -> bool:
        """Whether the program has ended there; what that depends on is looked at when asked."""
        over, plane = self.context.language.rules.over, self.words.plane
        if over is None or stance in self._never_over:
            return False
        graph, ops = self.context.graph, self.context.block.ops
        before, facts = len(ops), graph.facts
        try:
            graph.facts = {}
            if over(plane, stance):
                return True
            self._never_over.add(stance)  # whatever happens before
            return False
        except Undecided:
            graph.facts = facts
            return self.far_out(stance) or over(plane, stance)
        finally:
            graph.facts = facts
            del ops[before:]

    def far_out(self, stance: Stance) -> bool:
        """Whether the run was not seen there, and as things stand a walker would have ended one
        step before: if every direction were followed, code would be made of the void, without
        end."""
        over = self.context.language.rules.over
        before = stance._replace(x=stance.x - stance.dx, y=stance.y - stance.dy)
        unseen = self.context.allowed is None
        return unseen and over is not None and over(self.context.real_plane, before)
