"""Whether an instruction can be compiled, and if not, where in its code that fails."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.language import Language
from ...core.state import State
from .branching import left
from .ir import Exit, Key, Leave
from .limits import TooComplex, TooManyDepths
from .refusal import Refusal, refusal_of
from .tracer import Parts, Tracer
from .trees import Env, Path, Tree
from .walk import Walk

DEPTH = 8  # values on the stack: more than instructions take
ANSWERS = (0, 1, 2)  # numbers that a run may have been seen to ask for


class _Ends(Leave):
    """The program ends, which needs no compiled code."""


class _AnyAnswer(dict[tuple[Stance, int], Collection[Any]]):
    """As if the run had asked for a few small numbers everywhere."""

    def get(self, question: tuple[Stance, int], default: Any = None) -> Collection[Any]:
        return ANSWERS


class _Endings:
    """The words that end a run."""

    def halt(self, *_: Any) -> NoReturn:
        raise _Ends

    fault = give_up = halt


class _Anywhere(Walk):
    """An instruction is tried wherever it stands."""

    def far_out(self, stance: Stance) -> bool:
        return False


class Probe(Tracer):
    """A tracer that notes why an instruction was left."""

    def __init__(self, language: Language, state: State, growing: bool) -> None:
        self.reasons: list[BaseException] = []
        parts = Parts(more_words=(_Endings(),), walk=_Anywhere, leaving=self._left)
        super().__init__(language, state, None, _AnyAnswer(), growing, parts=parts)

    def branches(self, key: Key) -> list[Path]:
        """The paths on from one instruction."""
        tree = Tree(key)
        return self.branching.perform(tree, Path(tree.root, key, self.headers.at(key), 0, {}, 0))

    def _left(self, key: Key, env: Env, ticks: int, why: BaseException) -> Exit:
        self.reasons.append(why)
        return left(key, env, ticks, why)


def refusal(language: Language, row: Instruction) -> Refusal | None:
    """Why an instruction is always left to the reference engine; None if it is not.

    It is tried in the middle of a small field of its like, whose cells are code.
    """
    decode = language.decode
    here = language._replace(decode=lambda plane, stance: (decode(plane, stance), row)[1])
    source = language.sources.spell("\n".join([3 * row.symbol] * 3))
    state = here.start(source, language.read_options({}), 0)
    if not state.walkers:
        return None
    stance = state.walkers[0].stance
    key = Key(stance._replace(x=stance.x + 1, y=stance.y + 1), DEPTH, ())
    found = [refusal_by(Probe(here, state, growing), key) for growing in (False, True)]
    return found[0] if all(found) else None


def refusal_by(probe: Probe, key: Key) -> Refusal | None:
    """Why a probe always leaves the instruction there; None if it does not."""
    try:
        paths = probe.branches(key)
    except (TooManyDepths, TooComplex):
        return None  # then it is compiled otherwise
    reasons = [reason for reason in probe.reasons if not isinstance(reason, _Ends)]
    return None if paths or not reasons else refusal_of(reasons[0])
