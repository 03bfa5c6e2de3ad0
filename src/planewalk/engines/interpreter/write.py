"""Writes the interpreter of a language; a run that finds it on disk does not import this."""

from __future__ import annotations

from ...core.language import Language
from ...core.state import State
from ..base.keeping import keeping_of
from ..native import machine_code
from ..native.abi import UnitIR
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from .code import MARKED, READ_ONLY, InterpreterWriter
from .crowd_code import TAKING_TURNS
from .loop_code import LoopedTicks, write_entry
from .tick_tracer import TickTracer, trees_by_posture
from .unbounded import UNBOUNDED, UnboundedTickTracer


def write(
    language: Language, state: State, postures: list[Key], hands: bool, refusals: Refusals,
    crowd: bool = False,
) -> UnitIR:  # fmt: skip
    """The interpreter from these postures on, or one for several walkers that take turns; what goes
    wrong in an instruction is noted."""
    windowed = keeping_of(state.plane).windowed
    tracer = (UnboundedTickTracer if windowed else TickTracer)(language, state)
    by_posture = trees_by_posture(tracer, postures, refusals)
    one = UNBOUNDED if windowed else MARKED if state.plane.writable else READ_ONLY
    if not machine_code.hands_on():
        one = one._replace(calls=LoopedTicks, write_entry=write_entry)
    return InterpreterWriter(by_posture, hands, TAKING_TURNS if crowd else one).written()
