"""Code that comes late: what it was made from may have changed by then, and nobody may run it."""

from __future__ import annotations

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Halted
from planewalk.engines.native.engine import LLVMEngine
from planewalk.engines.native.llvm import why_not
from planewalk.engines.policy import HASTY
from planewalk.engines.python.engine import PythonEngine
from tests.engines import ledger
from tests.engines.held import NATIVE, PYTHON, HeldQueue

LATE = HASTY._replace(background=True)


def ring(plane: str) -> State:
    """A pointer that walks round and round."""
    return ledger.start(b">  v\n^  <", {"plane": plane, "hand": False}, 0)


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("plane", ["bytes", "sparse"])
def test_generated_python_of_cells_that_have_changed(plane: str, changes: bool) -> None:
    queue = HeldQueue(PYTHON)
    engine = PythonEngine(ledger.LANGUAGE, ring(plane), Limits(memory=None), LATE, queue)
    assert engine.advance(200) is None
    queue.only().work()
    (x, y, *_), *_ = entry = queue.only().take().unit.entry
    while engine.state.walkers[0].stance != entry.stance:
        engine.advance(1)
    if changes:  # on the other side, so that the code is met first
        engine.reference.machine.put(3 - x, 1 - y, ord("@"))
    queue.only().hand_over()
    stop = engine.advance(100)
    assert isinstance(stop, Halted) if changes else engine.python_ticks > 50


@pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("plane", ["bytes", "sparse"])
def test_machine_code_of_cells_that_have_changed(plane: str, changes: bool) -> None:
    queue = HeldQueue(NATIVE)
    engine = LLVMEngine(ledger.LANGUAGE, ring(plane), Limits(memory=None), None, LATE, queue)
    assert engine.advance(500) is None
    queue.only().work()
    if changes:
        engine.reference.machine.put(2, 0, ord("@"))
    queue.only().hand_over()
    stop = engine.advance(300)
    assert isinstance(stop, Halted) if changes else engine.native_ticks > 50
