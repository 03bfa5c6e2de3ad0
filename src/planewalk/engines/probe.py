"""Whether an instruction can be compiled, and if not, where in its code that fails."""

from __future__ import annotations

import os
import traceback
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, NoReturn

from ..core.geometry import EndlessWalk, Stance
from ..core.instruction import Instruction
from ..core.language import Language
from ..core.state import State
from .explore import TooComplex
from .ir import Exit, Key, Leave
from .trace import TooManyDepths, Tracer
from .trees import Env, Path, Tree

ENGINES = os.path.dirname(os.path.abspath(__file__))
DEPTH = 8
"""Values on the stack: more than instructions take."""
ANSWERS = (0, 1, 2)
"""Numbers that a run may have been seen to ask for."""


class Refusal(NamedTuple):
    """What the compiler does not do: a line of code, or what was raised there, and its place."""

    why: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"not compiled: {self.why}, {self.file}:{self.line}"


class _Ends(Leave):
    """The program ends, which needs no compiled code."""


class _AnyAnswer(dict[tuple[Stance, int], Collection[Any]]):
    """As if the run had asked for a few small numbers everywhere."""

    def get(self, question: tuple[Stance, int], default: Any = None) -> Collection[Any]:
        return ANSWERS


class _Probe(Tracer):
    """A tracer that notes why it left."""

    def __init__(self, language: Language, state: State, growing: bool) -> None:
        seen: Mapping[tuple[Stance, int], Collection[Any]] = _AnyAnswer()
        super().__init__(language, state, None, seen, growing)
        self.reasons: list[Exception] = []

    def ways(self, key: Key) -> list[Path]:
        """The ways on from one instruction."""
        tree = Tree(key)
        return self._perform(tree, Path(tree.root, key, self._at_head(key), 0, {}, 0))

    def _left(self, key: Key, env: Env, ticks: int, why: Exception) -> Exit:
        self.reasons.append(why)
        return super()._left(key, env, ticks, why)

    def _ends(self, *_: Any) -> NoReturn:
        raise _Ends

    halt = fault = give_up = _ends


def refusal(language: Language, row: Instruction) -> Refusal | None:
    """Why an instruction is always left to the reference engine; None if it is not.

    It is tried in the middle of a small field of its like.
    """
    here = language._replace(decode=lambda plane, stance: row)
    source = language.spell("\n".join([3 * row.symbol] * 3))
    state = here.start(source, language.read_options({}), 0)
    if not state.walkers:
        return None
    stance = state.walkers[0].stance
    key = Key(stance._replace(x=stance.x + 1, y=stance.y + 1), DEPTH, ())
    found = [_refusal_of(_Probe(here, state, growing), key) for growing in (False, True)]
    return found[0] if all(found) else None


def _refusal_of(probe: _Probe, key: Key) -> Refusal | None:
    try:
        ways = probe.ways(key)
    except (TooManyDepths, TooComplex):
        return None  # then it is compiled in another way
    except Exception as error:
        return _where(error)
    reasons = [reason for reason in probe.reasons if not isinstance(reason, _Ends)]
    return None if ways or not reasons else _where(reasons[0])


def _where(error: Exception) -> Refusal:
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith(ENGINES)]
    frame = (outside or frames)[-1]
    plain = isinstance(error, (Leave, EndlessWalk))
    why = frame.line if plain and frame.line else f"{type(error).__name__}: {error}"
    return Refusal(why, frame.filename, frame.lineno or 0)
