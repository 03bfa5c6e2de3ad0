"""Drawing in processes of our own, each behind a pipe: there is no port for others to knock at.

The pieces of a process that dies go to others. When the one that started them is gone, the pipes
end, and the processes with them.
"""

from __future__ import annotations

import contextlib
import signal
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from typing import Any

from ...core.errors import LimitReached, PlanewalkError
from .local import WAIT, cores
from .order import PortableScene, as_order, work_on
from .scene import PIECE, PictureScene, Piece, Result, Work

AHEAD = 2
"""Pieces on their way for each process: one in work, and the next."""
RETRIES = 3
"""How many processes may die over one piece."""

Gone = (EOFError, OSError)
"""What a pipe raises when its other end is closed."""


def work_for(pipe: Connection) -> None:
    """What a process does: it draws pieces, of one order after the other."""
    work: Any = None
    with contextlib.suppress(*Gone):
        while True:
            message = pipe.recv()
            if not isinstance(message, Piece):
                work, order = message
                continue
            try:
                pipe.send((work_on(work, order, message), None))
            except Gone:
                raise
            except LimitReached as error:
                pipe.send((None, error))
            except Exception as error:
                why = str(error) or type(error).__name__
                pipe.send((None, PlanewalkError(f"the processes cannot draw this: {why}")))


class DrawingProcess:
    """A process that draws."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work_for, args=(theirs,), daemon=True)
        with untouched_by_ctrl_c():
            self.process.start()
        theirs.close()
        self.order = ""
        self.pieces: deque[int] = deque()
        """The numbers of the pieces that it has, the first of them in work."""

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()  # a stopped one would ignore anything milder


class ProcessStudio:
    """Draws in processes of its own, by default one for each core."""

    piece_size = PIECE >> 2  # smaller than at home: one core draws each

    def __init__(self, processes: int | None, check: Callable[[], None]) -> None:
        self._check = check  # asked now and then whether to go on
        self.hands = [DrawingProcess() for _ in range(processes or cores())]

    def each(
        self, work: Work[Result], scene: PictureScene, pieces: Iterable[Piece]
    ) -> Iterator[Result]:
        self._settle()
        job = DrawingJob(self, work, as_order(uuid.uuid4().hex, scene))
        most = AHEAD * len(self.hands)
        for piece in pieces:
            job.add(piece)
            if len(job.waiting) > most:
                yield job.next()
        while job.waiting:
            yield job.next()

    def ready(self) -> list[DrawingProcess]:
        """Those who have something to say, or are gone."""
        while True:
            self._check()
            found = connection.wait([hand.pipe for hand in self.hands if hand.pieces], WAIT)
            if found:
                return [hand for hand in self.hands if hand.pipe in found]

    def _settle(self) -> None:
        """Take what is left of an earlier job that was given up."""
        while any(hand.pieces for hand in self.hands):
            for hand in self.ready():
                try:
                    hand.pipe.recv()
                    hand.pieces.popleft()
                except Gone:
                    self.replace(hand)

    def replace(self, hand: DrawingProcess) -> None:
        hand.end()
        self.hands[self.hands.index(hand)] = DrawingProcess()

    def close(self) -> None:
        """Give up what is still in work."""
        for hand in self.hands:
            hand.end()


class DrawingJob:
    """One kind of work on many pieces of one scene."""

    def __init__(self, studio: ProcessStudio, work: Work[Any], order: PortableScene) -> None:
        self.studio, self.work, self.order = studio, work, order
        self.waiting: dict[int, Piece] = {}
        """The pieces that no process has yet, by number, in order."""
        self.done: dict[int, Any] = {}
        self.deaths: dict[int, int] = {}
        self.count = 0

    def add(self, piece: Piece) -> None:
        self.waiting[self.count] = piece
        self._send(self.count)
        self.count += 1

    def next(self) -> Any:
        """What came of the first piece that is waiting."""
        first = next(iter(self.waiting))
        while first not in self.done:
            for hand in self.studio.ready():
                self._hear(hand)
        del self.waiting[first]
        return self.done.pop(first)

    def _send(self, number: int) -> None:
        """Give a piece to the process that has the fewest."""
        hand = min(self.studio.hands, key=lambda hand: len(hand.pieces))
        hand.pieces.append(number)
        with contextlib.suppress(*Gone):  # it is gone, which is seen when it is heard
            if hand.order != self.order.key:
                hand.pipe.send((self.work, self.order))
                hand.order = self.order.key
            hand.pipe.send(self.waiting[number])

    def _hear(self, hand: DrawingProcess) -> None:
        try:
            result, error = hand.pipe.recv()
        except Gone:
            self._survive(hand)
            return
        number = hand.pieces.popleft()
        if error is not None:
            raise error
        self.done[number] = result

    def _survive(self, hand: DrawingProcess) -> None:
        """A process has died: others get its pieces."""
        first = hand.pieces[0]
        self.deaths[first] = self.deaths.get(first, 0) + 1
        if self.deaths[first] > RETRIES:
            raise PlanewalkError("the processes that draw die again and again; is memory short?")
        self.studio.replace(hand)
        for number in hand.pieces:
            self._send(number)


@contextlib.contextmanager
def untouched_by_ctrl_c() -> Iterator[None]:
    """Processes that are started here never see a Ctrl-C, which is for the one that starts them."""
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
