"""Drawing in child processes, each connected by a pipe, without any open port.

The pieces of a process that dies are drawn again by new ones.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from typing import Any

from ...core.errors import LimitReached, PlanewalkError
from .local import WAIT, cores
from .order import PortableScene, as_order, work_on
from .picture_scene import PIECE, PictureScene, Piece, Result, Work, in_order

AHEAD = 2
"""Pieces queued for each process: the current one, and the next."""
RETRIES = 3
"""How often processes may die over one piece."""

_orders: list[PortableScene] = []
"""In a child process: the scene that it draws."""


def prepare(order: PortableScene) -> None:
    _orders.append(order)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """End as soon as the process that started this one is gone, even if it was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def draw(work: Work[Any], piece: Piece) -> Any:
    return work_on(work, _orders[0], piece)


class ProcessStudio:
    """Draws in processes of its own, by default one for each core."""

    piece_size = PIECE >> 2  # smaller than at home: one core draws each

    def __init__(self, processes: int | None, check: Callable[[], None]) -> None:
        self.check, self.size = check, processes or cores()
        self.job: DrawingJob | None = None

    def each(
        self, work: Work[Result], scene: PictureScene, pieces: Iterable[Piece]
    ) -> Iterator[Result]:
        self.close()
        order = as_order(uuid.uuid4().hex, scene)
        self.job = job = DrawingJob(work, order, self.size, self.check)
        return in_order(pieces, AHEAD * self.size, job.begin, job.end)

    def close(self) -> None:
        """Give up what is still in work."""
        if self.job is not None:
            self.job.give_up()


class DrawingJob:
    """One kind of work on many pieces of one scene."""

    def __init__(
        self, work: Work[Any], order: PortableScene, size: int, check: Callable[[], None]
    ) -> None:
        self.work, self.check = work, check
        self.new_pool = partial(ProcessPoolExecutor, size, get_context("spawn"), prepare, (order,))
        self.pool = self.new_pool()

    def begin(self, piece: Piece) -> tuple[Piece, Future[Any]]:
        """Have a piece drawn, by new processes if one has died."""
        with untouched_by_ctrl_c():
            try:
                return piece, self.pool.submit(draw, self.work, piece)
            except BrokenProcessPool:
                self.pool = self.new_pool()
                return piece, self.pool.submit(draw, self.work, piece)

    def end(self, begun: tuple[Piece, Future[Any]]) -> Any:
        piece, future = begun
        for _ in range(RETRIES):
            if not isinstance(self._error(future), BrokenProcessPool):
                break
            piece, future = self.begin(piece)
        error = self._error(future)
        if error is None:
            return future.result()
        if isinstance(error, LimitReached):
            raise error
        if isinstance(error, BrokenProcessPool):
            raise PlanewalkError("the processes that draw die again and again; is memory short?")
        why = str(error) or type(error).__name__
        raise PlanewalkError(f"the processes cannot draw this: {why}")

    def _error(self, future: Future[Any]) -> BaseException | None:
        """What went wrong with a piece, once it is drawn or cannot be."""
        while not future.done():
            self.check()
            wait([future], WAIT)
        return future.exception()

    def give_up(self) -> None:
        for process in list((self.pool._processes or {}).values()):
            process.kill()  # a stopped one would ignore anything milder
        self.pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def untouched_by_ctrl_c() -> Iterator[None]:
    """Block SIGINT for processes that are started here; Ctrl-C is handled by their parent."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # starting it would let signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
