"""What the interpreter's machine code and Python share, and which languages have one."""

from __future__ import annotations

from ...core.geometry import Stance
from ...core.language import Language
from ...core.state import State
from ..base.keeping import keeping_of
from ..native.abi import Slot
from ..tracing.ir import Key

(
    PLACE_X, PLACE_Y, MOVED, SHIFTED,
    MARKS, MARKS_MASK, RIGHTMOST, LOWEST, EPOCH, CODE_WRITTEN,
    TICK_ROWS, SUPERS, SUPERS_ROOM, SUPERS_TAKEN, SUPER_AT, SUPER_ANSWER, LOOKUP, LOOKUP_MASK,
    NOTEBOOK, RECORDED, WANTS_FUEL, PATIENCE, PERFORM_CODE, ATTEND_CODE, INTERPRETER_CODE,
    HOT, HOTTER, TEMPLATES, TEMPLATES_RUN, TEMPLATES_ROOM, TEMPLATES_END, STUBS_BEGIN, CALLED,
    LAST_TEMPLATE, ENTERED, EXTRA,
) = range(Slot.SLOTS, Slot.SLOTS + 36)  # fmt: skip
"""Where the walker stands, how many values were moved in the stack so far, and by how many places
its lower end has come up; the marks of cells, what an index there is masked with, beyond which
column or row none is marked, the epoch, and whether cells were written that compiled code was made
from; for superinstructions the rows of ticks, where they are, how many words there are for
them and are taken, the one that is performed and how its question was answered, where they are
looked up, memory to work with, the ticks recorded of late, whether there was too little fuel for
one, how long the interpreter goes on without, the machine code of all, how often one is performed
before something is made of it, where machine code of their own is written and where it runs, how
much there may be, how far it has come from both sides, what is called next, which was written last,
and where what is called begins; then what is there on single kinds of planes. A stack of any depth
has no slots."""
SURE = {side: EXTRA + at for at, side in enumerate(("left", "top", "right", "bottom"))}
"""The words that say how far cells surely reach."""
CROWD, CROWD_SIZE, TURN_OF = range(EXTRA, EXTRA + 3)
"""The words for several walkers: where they are, how many there are, and whose turn it is when
machine code leaves."""
MOST_POSTURES = 64  # headings and modes that a walker may have
ASK_ROWS = MOST_POSTURES
"""Asks the machine code of an interpreter where the rows of its ticks are; 0 if there are none."""
LARGEST = 1 << 31  # more than the columns or rows of any plane that is interpreted


class NoInterpreter(Exception):
    """No interpreter can be made for a language; the words say why."""


def posture_of(stance: Stance) -> Key:
    """A stance without its place."""
    return Key(Stance(0, 0, *stance[2:]), None)


def why_not(language: Language, state: State) -> str | None:
    """Why a language has no interpreter, as far as that is seen at once."""
    plane = state.plane
    if language.rules.meet:
        return "walkers meet in it"
    if state.floats:
        return "its numbers are floats"
    keeping = keeping_of(plane)
    if not (keeping.flat or keeping.windowed):
        return f"its plane is {plane.kind}, which does not lie flat in memory"
    return None
