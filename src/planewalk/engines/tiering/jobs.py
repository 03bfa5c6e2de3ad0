"""Code that is made while the run goes on."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Made = TypeVar("Made")
FOR_EVER = -1.0
"""Seconds to wait, as locks have it."""


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


class CompileJob(Generic[Made]):
    """Something that is being made, in a thread of its own or by whoever calls `work`.

    The thread is no daemon: LLVM must not be torn down while it works.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []
        self._error: BaseException | None = None
        self._making = threading.Lock()
        self._making.acquire()

    def start(self) -> CompileJob[Made]:
        """Have it made in a thread."""
        threading.Thread(target=self.work, name="planewalk-compiler").start()
        return self

    def work(self) -> None:
        """Make it here and now."""
        try:
            with _uncollected():
                self._made.append(self._make())
        except BaseException as error:  # whoever takes it must hear of it
            self._error = error
        finally:
            self._making.release()

    def wait(self, seconds: float) -> None:
        """Let it be made for a while. (Ctrl-C in `Thread.join` would make it forget the thread.)"""
        if self._making.acquire(timeout=seconds):
            self._making.release()

    @property
    def ready(self) -> bool:
        return not self._making.locked()

    def take(self) -> Made:
        """What was made; an error on the way is raised here."""
        if self._error is not None:
            raise self._error
        return self._made[0]


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
