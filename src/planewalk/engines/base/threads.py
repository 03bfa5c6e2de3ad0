"""Threads for work that others wait for, as `concurrent.futures` has them: but that takes longer to
import than a short run lasts, and has threads that wait for work to come without end. A short run
begins no thread, so `threading` is imported by what does."""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar

from ...core.base import platform

Given = TypeVar("Given")
Made = TypeVar("Made")
FOR_EVER = -1.0  # seconds to wait, as locks have it
LINGER = 0.02
"""Seconds for which a thread waits for the next task: to begin another one takes a while."""


class ThreadTask(Generic[Made]):
    """A result that is computed in the thread that calls `work`."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []
        self._error: BaseException | None = None
        self._making = allocate_lock()
        self._making.acquire()

    def work(self) -> None:
        """Make it here and now."""
        try:
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


class Crew:
    """Some threads that work on tasks, the first first. They end soon if there are none."""

    def __init__(self, most: int, name: str) -> None:
        import threading

        self._most, self._name = most, name
        self._waiting: deque[ThreadTask[Any]] = deque()
        self._working: set[ThreadTask[Any]] = set()
        self._threads = self._idle = 0
        self._closed = False
        self._changing = threading.Condition()

    def begin(self, make: Callable[[], Made]) -> ThreadTask[Made]:
        """Have something made; here and now where there are no threads."""
        task = ThreadTask(make)
        if not platform.HAS_THREADS:
            task.work()
            return task
        with self._changing:
            self._waiting.append(task)
            more = self._idle < len(self._waiting) and self._threads < self._most
            self._threads += more
            self._changing.notify()
        if more:
            import threading

            threading.Thread(target=self._work, name=self._name).start()
        return task

    def each(self, make: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
        """Begin a task for each value and give the results in the same order. Closing the iterator
        cancels the tasks that have not begun."""
        tasks = [self.begin(partial(make, one)) for one in given]
        try:
            for task in tasks:
                task.wait(FOR_EVER)
                yield task.take()
        finally:
            with self._changing:
                self._waiting = deque(task for task in self._waiting if task not in tasks)

    def close(self) -> None:
        """Cancel the tasks that have not begun, and wait for the others."""
        with self._changing:
            self._waiting.clear()
            self._closed = True
            self._changing.notify_all()
            working = list(self._working)
        for task in working:
            task.wait(FOR_EVER)

    def _work(self) -> None:
        while task := self._next():
            task.work()
            with self._changing:
                self._working.remove(task)

    def _next(self) -> ThreadTask[Any] | None:
        """What to work on; None for a thread that is not needed any more."""
        with self._changing:
            if not self._waiting and not self._closed:
                self._idle += 1
                self._changing.wait(LINGER)
                self._idle -= 1
            if not self._waiting:
                self._threads -= 1
                return None
            task = self._waiting.popleft()
            self._working.add(task)
            return task
