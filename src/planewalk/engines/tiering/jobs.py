"""Code that is made while the run goes on."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..threads import FOR_EVER as FOR_EVER
from ..threads import ThreadTask

Made = TypeVar("Made")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: among so many new objects it would stop the run for a while."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class CompileJob(ThreadTask[Made]):
    """A task that a thread of its own may work on.

    The thread is no daemon: LLVM must not be torn down while it works.
    """

    def start(self) -> CompileJob[Made]:
        """Have it made in a thread."""
        threading.Thread(target=self.work, name="planewalk-compiler").start()
        return self

    def work(self) -> None:
        """See `ThreadTask`."""
        with _uncollected():
            super().work()


class CompileQueue:
    """Has code made for a run, beside it or at once; whoever asks takes it when it is ready.

    Nothing else of an engine knows of threads: with a queue whose jobs end when a test says so,
    code comes as late as it likes.
    """

    def __init__(self, background: bool) -> None:
        self._background = background

    def begin(self, what: str, make: Callable[[], Made]) -> CompileJob[Made]:
        """Have something of a kind made."""
        job = CompileJob(make)
        if self._background:
            return job.start()
        job.work()
        return job
