"""Code that is made while the run goes on."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...core.base import platform
from ...core.base.platform import thread_time
from .threads import FOR_EVER as FOR_EVER
from .threads import ThreadTask

if TYPE_CHECKING:
    import threading

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

    The thread is no daemon: LLVM must not be torn down while it works. When the process ends, it
    waits a while for such threads, and then breaks off what they do in Python: an instruction of a
    language may never come back, there as in a run.
    """

    _thread: threading.Thread | None = None

    def start(self) -> CompileJob[Made]:
        """Have it made in a thread; here and now where there are none."""
        if not platform.HAS_THREADS:
            self.work()
            return self
        import threading

        _before_exit()
        self._thread = threading.Thread(target=self.work, name="planewalk-compiler")
        _AT_WORK.add(self)
        self._thread.start()
        return self

    def work(self) -> None:
        """See `ThreadTask`."""
        try:
            with _uncollected():
                super().work()
        finally:
            _AT_WORK.discard(self)

    def break_off(self) -> None:
        """Raise `Abandoned` in its thread, before the next instruction of Python."""
        import ctypes

        if self._thread is not None and self._thread.ident is not None:
            where = ctypes.c_ulong(self._thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(where, ctypes.py_object(Abandoned))


class Abandoned(BaseException):
    """The process ends; no `except Exception` of a language stops this."""


PATIENCE = 2.0
"""Seconds for which a process that ends waits for code that may be kept for the next one."""
_AT_WORK: set[CompileJob[Any]] = set()


def wait_for_all(seconds: float) -> None:
    """Let everything be made that is being made, for so long at most."""
    for job in list(_AT_WORK):
        job.wait(seconds)


def _end_jobs() -> None:
    for job in list(_AT_WORK):
        job.wait(PATIENCE)
        if not job.ready:
            job.break_off()


@cache
def _before_exit() -> None:
    """Have jobs ended before Python waits for all threads, as `concurrent.futures` does."""
    import threading

    threading._register_atexit(_end_jobs)  # type: ignore[attr-defined]


class CompileQueue:
    """Runs the compile jobs of a run, in threads beside it or at once.

    No other part of an engine knows of threads: tests use a queue whose jobs end when they say so.
    """

    def __init__(self, background: bool) -> None:
        self._background = background
        self._seconds = 0.0

    def take_seconds(self) -> float:
        """The CPU time of what was made since this was asked last."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def begin(self, what: str, make: Callable[[], Made]) -> CompileJob[Made]:
        """Have something of a kind made."""
        job = CompileJob(partial(self._timed, make))
        if self._background:
            return job.start()
        job.work()
        return job

    def _timed(self, make: Callable[[], Made]) -> Made:
        began = thread_time()
        try:
            return make()
        finally:
            self._seconds += thread_time() - began
