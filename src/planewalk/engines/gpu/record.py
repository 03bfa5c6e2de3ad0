"""The trees of a program, complete: a shader cannot leave what is difficult to another engine.

Whatever the tracer would leave to the reference engine must be an ending that a shader knows, or
the program is refused, with the place and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import Any, NamedTuple, NoReturn

from ...core.base.deadline import Pause, no_pause
from ...core.errors import EngineRefused
from ...core.geometry import EndlessWalk, Stance
from ...core.language import Language
from ...core.program import Program
from ...core.state import State
from ..picture.lane_tracer import GIVEN, PixelLog, PixelRegisters
from ..tracing.choices import MOST_CHOICES
from ..tracing.footprint import blocks
from ..tracing.headers import LoopHeaders
from ..tracing.ir import Block, Exit, Key, Leave, Node, Undecided
from ..tracing.limits import TooComplex, TooManyDepths
from ..tracing.tracer import Parts, Tracer
from ..tracing.trees import Env, Tree, TreeVisit
from ..tracing.walk import Walk
from ..tracing.words.cells import FixedCells
from ..tracing.words.combined import TracedWords
from ..tracing.words.numbers import TracedNumbers
from ..tracing.words.registers import PixelChance
from .possible_values import NONE_YET, Choices, PossibleValues

Question = tuple[Stance, int]
Answers = dict[Question, Choices]

MOST_ROUNDS = 400
"""How often a program is traced anew, each time with more known of its jumps."""

MOST_INSTRUCTIONS = 8_000
"""What a shader may hold: drivers take minutes over large ones."""

SAMPLED = "shaders cannot look into textures"
DYNAMIC = "where it leads depends on a number that is only known when the program runs"
DEEP = "the stack grows at every visit, with no end in sight"
LONG = "the program is too long, or has too many ways, for a shader"
UNKNOWN = "it has no translation"


class Ends(Enum):
    """How a pixel ends."""

    DONE = "with the colour on top of the stack"
    SPENT = "as if at the step limit"
    BLACK = "after a fault"
    NEVER = "it does not: nothing leads here"


class Ending(NamedTuple):
    """How a pixel ends, and what stands where by then."""

    how: Ends
    env: Env


def record(program: Program, pause: Pause = no_pause) -> Recorder:
    """Trace a program until all its jumps are known, or refuse it."""
    if program.language.drawing.shading is None:
        raise EngineRefused(f"{program.language.title} programs do not colour pixels")
    state = program.start(0)
    answers: Answers = {}
    for _ in range(MOST_ROUNDS):
        pause()
        recorder = Recorder(program.language, state, answers)
        trees = recorder.trees = recorder.explore_all()
        values = PossibleValues(trees)
        kept = {id(tree) for tree in trees}
        found = dict(answers)
        for tree, question, value in recorder.notes.questions:
            if id(tree) in kept:
                known, more = found.get(question, NONE_YET), values.of(tree.key, value)
                found[question] = None if known is None or more is None else known | more
        if found == answers:
            recorder.refuse_unknown(trees)
            return recorder
        answers = found
    raise EngineRefused(LONG)


def _shaded(rule: Callable[..., Sequence[Any]], *given: Any) -> list[Any]:
    try:
        return list(rule(*given))
    except (Leave, Undecided):
        raise EngineRefused("how its pixels begin or end has no translation") from None


class ShaderNotes:
    """What is noted while a program is recorded for a shader."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.reasons: dict[Block, str] = {}
        """Why blocks leave for a reason that is no ending."""
        self.questions: list[tuple[Tree, Question, Node]] = []
        self.endings: dict[Block, Ending] = {}
        """How the blocks that end in an exit end the pixel."""
        self.moments: dict[Block, dict[int, Env]] = {}
        """What stands where before each tick that a block begins."""


class Noting:
    """A part of a tracer that notes something."""

    def __init__(self, notes: ShaderNotes, *given: Any) -> None:
        super().__init__(*given)
        self.notes = notes


class ShaderNumbers(Noting, TracedNumbers):
    """Plain numbers are those that can arrive; that it is one of them is certain."""

    def known(self, value: Any) -> Any:
        if not isinstance(value, Node):
            return super().known(value)
        question, notes, context = (self.here, self.asked), self.notes, self.context
        self.asked += 1
        if value.kind == "int" and value.spread < MOST_CHOICES:
            return self.one_of(value, range(int(value.low), int(value.high) + 1))
        notes.questions.append((context.tree, question, value))
        choices = notes.answers.get(question, NONE_YET)
        if choices is None:
            notes.reasons[context.block] = DYNAMIC
            raise Leave
        if not choices:
            notes.endings[context.block] = Ending(Ends.NEVER, context.env)
            raise Leave
        return self.one_of(value, sorted(map(float.fromhex, choices)))

    def chosen(self, values: Sequence[Any], index: Any, size: int, offset: int = 0) -> Any:
        if isinstance(index, Node):
            return self.context.graph.make("chosen", (index, size, offset, *values), "float")
        return super().chosen(values, index, size, offset)


class ShaderCells(FixedCells):
    """A text that shaders look into wherever they like."""

    def look(self, x: Any, y: Any) -> Any:
        if isinstance(x, Node) or isinstance(y, Node):
            return self.context.graph.make("text", (x, y), "float")
        return super().look(x, y)


class ShaderWords(Noting, TracedWords):
    """The words, with the ends of a pixel, and notes of what shaders cannot do."""

    def _end(self, how: Ends) -> NoReturn:
        self.notes.endings[self._context.block] = Ending(how, self._context.env)
        raise Leave

    def halt(self) -> None:
        self._end(Ends.DONE)

    def give_up(self) -> None:
        self._end(Ends.SPENT)

    def fault(self, reason: str) -> None:
        self._end(Ends.BLACK)

    def call(self, stance: Stance) -> None:
        self.notes.reasons[self._context.block] = "calls are nested too deep"
        super().call(stance)


class ShaderChance(Noting, PixelChance):
    """Samples of which it must be known which ones are looked at."""

    def sample(self, index: Any) -> Any:
        if isinstance(index, Node):
            self.notes.reasons[self.context.block] = SAMPLED
            raise Leave
        return super().sample(index)


class ShaderHeaders(Noting, LoopHeaders):
    """Notes nothing of what a tree is cut back from."""

    def cut_back(self, visit: TreeVisit) -> None:
        block, ticks, notes = visit.path.block, visit.path.ticks, self.notes
        notes.endings.pop(block, None)
        notes.reasons.pop(block, None)
        moments = notes.moments.get(block, {})
        notes.moments[block] = {at: env for at, env in moments.items() if at < ticks}


class ShaderWalk(Noting, Walk):
    """Ticks that are noted."""

    def begin(self, key: Key, env: Env, ticks: int, block: Block, facts: dict[int, bool]) -> None:
        self.notes.moments.setdefault(block, {})[ticks] = env
        super().begin(key, env, ticks, block, facts)

    def act(self, key: Key) -> Key:
        try:
            return super().act(key)
        except EndlessWalk:  # as if at the limit
            self.notes.endings[self.context.block] = Ending(Ends.SPENT, self.context.env)
            raise


class Recorder(Tracer):
    """A tracer that notes how exits end a pixel, and which numbers were asked for."""

    def __init__(self, language: Language, state: State, answers: Answers) -> None:
        self.notes = notes = ShaderNotes(answers)
        parts = Parts(
            fixed_cells=ShaderCells,
            numbers=partial(ShaderNumbers, notes),
            registers=PixelRegisters,
            chance=partial(ShaderChance, notes),
            words=partial(ShaderWords, notes),
            more_words=(PixelLog(),),
            headers=partial(ShaderHeaders, notes),
            walk=partial(ShaderWalk, notes),
            most_depths=40,
        )
        super().__init__(language, state, None, {}, False, MOST_INSTRUCTIONS, parts=parts)
        assert language.drawing.shading is not None
        self.shading = language.drawing.shading
        self.trees: list[Tree] = []

    def explore_all(self) -> list[Tree]:
        state = self.context.state
        try:
            return self.explore(Key(state.walkers[0].stance, len(state.stack)))
        except TooManyDepths:
            raise self._refusal(self.numbers.here, DEEP) from None
        except TooComplex:
            raise EngineRefused(LONG) from None

    def first_stack(self) -> list[Any]:
        given = [self.graph.make("given", (name,), "float") for name in GIVEN]
        return _shaded(self.shading.stack, *given)

    def channels(self, stack: list[Any]) -> list[Any]:
        return _shaded(self.shading.channels, self.words, stack)

    def refuse_unknown(self, trees: list[Tree]) -> None:
        """Refuse a program that leaves for a reason that is no ending."""
        for tree in trees:
            for block in blocks(tree):
                if isinstance(block.end, Exit) and block not in self.notes.endings:
                    reason = self.notes.reasons.get(block)
                    if reason is None and max(tree.acted, self.acted) > self.room:
                        raise EngineRefused(LONG)
                    raise self._refusal(block.end.key.stance, reason or UNKNOWN)

    def _refusal(self, stance: Stance, reason: str) -> EngineRefused:
        symbol = self.context.language.decode(self.walk.decoded, stance).symbol
        shown = symbol if symbol.isprintable() and symbol != " " else "a blank"
        return EngineRefused(f"at ({stance.x:g}, {stance.y:g}) {shown}: {reason}")
