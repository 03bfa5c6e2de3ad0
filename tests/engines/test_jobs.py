"""Code that comes late: what it was made from may have changed by then, and nobody may run it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Halted
from planewalk.engines.native import engine as native
from planewalk.engines.native.engine import LLVMEngine
from planewalk.engines.native.llvm import why_not
from planewalk.engines.policy import HASTY
from planewalk.engines.python import engine as python
from planewalk.engines.python.engine import PythonEngine
from planewalk.engines.python.jobs import CompileJob
from tests.engines import ledger

LATE = HASTY._replace(background=True)
NATIVE = ("_make_native", "_assemble_trees")


class LateJob(CompileJob[Any]):
    """Made when it is ordered, and ready when the test says so; no thread is at work."""

    held = ("_make", *NATIVE)

    def __init__(self, make: Any, background: bool) -> None:
        super().__init__(make, False)
        self.kind = make.func.__name__ if isinstance(make, partial) else ""

    @property
    def ready(self) -> bool:
        return self.kind not in type(self).held


@pytest.fixture(autouse=True)
def late(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[LateJob]]:
    for module in (python, native):
        monkeypatch.setattr(module, "CompileJob", LateJob)
    monkeypatch.setattr(LateJob, "held", LateJob.held)
    yield LateJob


def ring(plane: str) -> State:
    """A pointer that walks round and round."""
    return ledger.start(b">  v\n^  <", {"plane": plane, "hand": False}, 0)


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("plane", ["bytes", "sparse"])
def test_generated_python_of_cells_that_have_changed(
    plane: str, changes: bool, late: type[LateJob]
) -> None:
    engine = PythonEngine(ledger.LANGUAGE, ring(plane), Limits(memory=None), LATE)
    assert engine.advance(200) is None and engine.order is not None
    (x, y, *_), *_ = entry = engine.order.take().unit.entry
    while engine.state.walkers[0].stance != entry.stance:
        engine.advance(1)
    if changes:  # on the other side, so that the code is met first
        engine.reference.machine.put(3 - x, 1 - y, ord("@"))
    late.held = ()
    stop = engine.advance(100)
    assert isinstance(stop, Halted) if changes else engine.python_ticks > 50


@pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("plane", ["bytes", "sparse"])
def test_machine_code_of_cells_that_have_changed(
    plane: str, changes: bool, late: type[LateJob]
) -> None:
    late.held = NATIVE
    engine = LLVMEngine(ledger.LANGUAGE, ring(plane), Limits(memory=None), None, LATE)
    assert engine.advance(500) is None and engine.coming is not None
    if changes:
        engine.reference.machine.put(2, 0, ord("@"))
    late.held = ()
    stop = engine.advance(300)
    assert isinstance(stop, Halted) if changes else engine.native_ticks > 50
