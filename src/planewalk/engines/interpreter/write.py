"""Writes the interpreter of a language; a run that finds it on disk does not import this."""

from __future__ import annotations

from ...core.language import Language
from ...core.state import State
from ..base.keeping import keeping_of
from ..native.abi import UnitIR
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from .code import READ_ONLY, InterpreterWriter
from .crowd_code import TAKING_TURNS
from .marking import MARKED
from .tick_tracer import TickTracer, trees_by_posture
from .unbounded import UNBOUNDED, UnboundedTickTracer


def write(
    language: Language, state: State, postures: list[Key], hands: bool, refusals: Refusals
) -> UnitIR:
    """The interpreter from these postures on; what goes wrong in an instruction is noted."""
    windowed = keeping_of(state.plane).windowed
    tracer = (UnboundedTickTracer if windowed else TickTracer)(language, state)
    by_posture = trees_by_posture(tracer, postures, refusals)
    flat = MARKED if state.plane.writable else READ_ONLY
    return InterpreterWriter(by_posture, hands, UNBOUNDED if windowed else flat).written()


def write_crowd(
    language: Language, state: State, postures: list[Key], hands: bool, refusals: Refusals
) -> UnitIR:
    """The same for several walkers that take turns."""
    by_posture = trees_by_posture(TickTracer(language, state), postures, refusals)
    return InterpreterWriter(by_posture, hands, TAKING_TURNS).written()
