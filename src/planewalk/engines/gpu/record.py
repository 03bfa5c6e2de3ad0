"""The trees of a program, complete: a shader cannot leave what is difficult to another engine.

Whatever the tracer would leave to the reference engine must be an ending that a shader knows, or
the program is refused, with the place and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple, NoReturn

from ...core.deadline import Pause, no_pause
from ...core.errors import EngineRefused
from ...core.geometry import EndlessWalk, Stance
from ...core.language import Language
from ...core.program import Program
from ...core.state import State
from ..picture.trace import GIVEN, fresh_registers
from ..tracing.choices import MOST_CHOICES
from ..tracing.explore import TooComplex
from ..tracing.ir import Block, Exit, Key, Leave, Node, Undecided
from ..tracing.layout import blocks
from ..tracing.trace import TooManyDepths, Tracer
from ..tracing.trees import Env, Tree, TreeVisit
from .values import NONE_YET, Choices, PossibleValues

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


class Recording(NamedTuple):
    """A program as trees, with what the writer of a shader wants to know about them."""

    program: Program
    trees: list[Tree]
    endings: dict[Block, Ending]
    """How the blocks that end in an exit end the pixel."""
    moments: dict[Block, dict[int, Env]]
    """What stands where before each tick that a block begins."""
    start: list[Any]
    """The stack that a pixel begins with, made from what it is given."""
    channels: Callable[[list[Any]], list[Any]]
    """Red, green and blue of a pixel that ends with this stack."""


def record(program: Program, pause: Pause = no_pause) -> Recording:
    """Trace a program until all its jumps are known, or refuse it."""
    if program.language.drawing.shading is None:
        raise EngineRefused(f"{program.language.title} programs do not colour pixels")
    state = program.start(0)
    answers: Answers = {}
    for _ in range(MOST_ROUNDS):
        pause()
        recorder = Recorder(program.language, state, answers)
        trees = recorder.explore_all()
        values = PossibleValues(trees)
        kept = {id(tree) for tree in trees}
        found = dict(answers)
        for tree, question, value in recorder.questions:
            if id(tree) in kept:
                found[question] = _more(found.get(question, NONE_YET), values.of(tree.key, value))
        if found == answers:
            recorder.refuse_unknown(trees)
            return Recording(
                program, trees, recorder.endings, recorder.moments,
                recorder.first_stack(), recorder.channels,
            )  # fmt: skip
        answers = found
    raise EngineRefused(LONG)


def _more(first: Choices, second: Choices) -> Choices:
    return None if first is None or second is None else first | second


def _shaded(rule: Callable[..., Sequence[Any]], *given: Any) -> list[Any]:
    """What a rule for all pixels gives."""
    try:
        return list(rule(*given))
    except (Leave, Undecided):
        raise EngineRefused("how its pixels begin or end has no translation") from None


class Recorder(Tracer):
    """A tracer that remembers how exits end a pixel, and which numbers were asked for."""

    most_depths = 40
    of_one_run = False

    def __init__(self, language: Language, state: State, answers: Answers) -> None:
        super().__init__(language, state, None, {}, False, MOST_INSTRUCTIONS)
        self._answers = answers
        self._tree: Tree | None = None
        self._reasons: dict[Block, str] = {}
        self.questions: list[tuple[Tree, Question, Node]] = []
        self.endings: dict[Block, Ending] = {}
        self.moments: dict[Block, dict[int, Env]] = {}

    def explore_all(self) -> list[Tree]:
        state = self.state
        entry = Key(state.walkers[0].stance, len(state.stack))
        try:
            return self.explore(entry)
        except TooManyDepths:
            raise self._refusal(self._here, DEEP) from None
        except TooComplex:
            raise EngineRefused(LONG) from None

    def first_stack(self) -> list[Any]:
        assert self.language.drawing.shading is not None
        given = [self.graph.make("given", (name,), "float") for name in GIVEN]
        return _shaded(self.language.drawing.shading.stack, *given)

    def channels(self, stack: list[Any]) -> list[Any]:
        assert self.language.drawing.shading is not None
        return _shaded(self.language.drawing.shading.channels, self, stack)

    def refuse_unknown(self, trees: list[Tree]) -> None:
        """Refuse a program that leaves for a reason that is no ending."""
        for tree in trees:
            for block in blocks(tree):
                if isinstance(block.end, Exit) and block not in self.endings:
                    reason = self._reasons.get(block)
                    if reason is None and max(tree.acted, self.acted) > self.room:
                        raise EngineRefused(LONG)
                    raise self._refusal(block.end.key.stance, reason or UNKNOWN)

    def _refusal(self, stance: Stance, reason: str) -> EngineRefused:
        symbol = self.language.decode(self._decoded, stance).symbol
        shown = symbol if symbol.isprintable() and symbol != " " else "a blank"
        return EngineRefused(f"at ({stance.x:g}, {stance.y:g}) {shown}: {reason}")

    # What the tracer does, watched -----------------------------------------------------------

    def _grow(self, tree: Tree, heads: set[Key], owners: dict[Key, Tree]) -> list[Tree]:
        self._tree = tree
        return super()._grow(tree, heads, owners)

    def _end_at(self, tree: Tree, key: Key, owners: dict[Key, Tree]) -> TreeVisit:
        there = super()._end_at(tree, key, owners)
        block, ticks = there.path.block, there.path.ticks
        self.endings.pop(block, None)
        self._reasons.pop(block, None)
        moments = self.moments.get(block, {})
        self.moments[block] = {at: env for at, env in moments.items() if at < ticks}
        return there

    def _begin(self, block: Block, key: Key, env: Env, ticks: int, facts: dict[int, bool]) -> None:
        self.moments.setdefault(block, {})[ticks] = env
        super()._begin(block, key, env, ticks, facts)

    def _act(self, key: Key) -> Key:
        try:
            return super()._act(key)
        except EndlessWalk:  # as if at the limit
            self.endings[self.block] = Ending(Ends.SPENT, self.env)
            raise

    def _registers_of(self, registers: Any) -> dict[Any, Any]:
        return fresh_registers(registers)

    # Words -----------------------------------------------------------------------------------

    def _end(self, how: Ends) -> NoReturn:
        self.endings[self.block] = Ending(how, self.env)
        raise Leave

    def halt(self) -> None:  # type: ignore[override]
        self._end(Ends.DONE)

    def give_up(self) -> None:  # type: ignore[override]
        self._end(Ends.SPENT)

    def fault(self, reason: str) -> None:  # type: ignore[override]
        self._end(Ends.BLACK)

    def note(self, entry: Any) -> None:  # type: ignore[override]
        """A picture has no log."""

    def chosen(self, values: Sequence[Any], index: Any, size: int, offset: int = 0) -> Any:
        if isinstance(index, Node):
            return self.graph.make("chosen", (index, size, offset, *values), "float")
        return super().chosen(values, index, size, offset)

    def look(self, x: Any, y: Any) -> Any:
        if isinstance(x, Node) or isinstance(y, Node):
            return self.graph.make("text", (x, y), "float")
        return super().look(x, y)

    def sample(self, index: Any) -> Any:
        if isinstance(index, Node):
            self._reasons[self.block] = SAMPLED
            raise Leave
        return super().sample(index)

    def call(self, stance: Stance) -> None:
        self._reasons[self.block] = "calls are nested too deep"
        super().call(stance)

    def known(self, value: Any) -> Any:
        """One of the numbers that can arrive here; that it is one of them is certain."""
        if not isinstance(value, Node):
            return super().known(value)
        if value.kind == "int" and value.spread < MOST_CHOICES:
            self._asked += 1
            return self._one_of(value, range(int(value.low), int(value.high) + 1))
        question = (self._here, self._asked)
        self._asked += 1
        assert self._tree is not None
        self.questions.append((self._tree, question, value))
        choices = self._answers.get(question, NONE_YET)
        if choices is None:
            self._reasons[self.block] = DYNAMIC
            raise Leave
        if not choices:
            self._end(Ends.NEVER)
        return self._one_of(value, sorted(map(float.fromhex, choices)))

    def _one_of(self, value: Node, choices: Sequence[float]) -> float:
        """Which of these a value is; if it is none of the others it must be the last."""
        *others, last = choices
        return next((choice for choice in others if self._same(value, choice)), last)
