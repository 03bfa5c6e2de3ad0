"""Drawing on a Dask cluster, the extra `cluster`: many processes, here or on other machines.

Pieces are drawn by the same code as anywhere else, so the bytes are the same. Dask gives the pieces
of a worker that dies to others. Only a few pieces for each core are on their way at any time.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ... import __version__
from ...core.errors import PlanewalkError
from ...core.limits import Limits
from ...core.program import Program
from ...engines.picture import Box
from ...languages import registry
from .local import cores, new_painter
from .scene import PIECE, Artist, Piece, Result, Scene, Work

RETRIES = 3
AHEAD = 2
"""Pieces on their way for each core: one in work, and the next."""
CONNECT = 10.0
LONELY = 60.0
"""Seconds to wait for a scheduler, and for a worker when there is none."""
LOOK = 2.0
"""Seconds between looks at whether the cluster is still there."""


class Order(NamedTuple):
    """A scene as plain data: what can be sent to a worker."""

    key: str
    version: str
    language: str
    source: bytes
    options: dict[str, Any]
    limits: Limits
    seed: int | None
    part: Box
    supersample: int
    heat: str | None
    hottest: int


def as_order(key: str, scene: Scene) -> Order:
    program = scene.program
    return Order(
        key, __version__, program.language.name, program.source, program.options, *scene[1:]
    )


def take_order(order: Order) -> Order:
    """What a worker does first. Being a task, it is done again if its result gets lost."""
    if order.version != __version__:
        raise PlanewalkError(
            f"a worker has planewalk {__version__}, not {order.version}; install the same there"
        )
    return order


def work_on(work: Work[Result], order: Order, piece: Piece) -> Result:
    """What a worker does with a piece."""
    scene, painter = _prepared(order)
    return work(scene, painter, piece)


_here = threading.local()
"""For each thread of a worker: the painter of the last order, ready for more of its pieces."""


def _prepared(order: Order) -> tuple[Scene, Artist]:
    language = registry.get(order.language)
    scene = Scene(Program(language, order.source, order.options), *order[5:])
    if getattr(_here, "key", None) != order.key:
        if hasattr(_here, "painter"):
            _here.painter.close()
        _here.painter, _here.key = new_painter(scene, 1), order.key
    return scene, _here.painter


def dask_setup(worker: Any) -> None:
    """What a process of the local cluster does first: Ctrl-C is for the one that started it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


class ClusterStudio:
    """Draws on the workers of a scheduler; without an address, on processes of its own."""

    piece_size = PIECE >> 2  # smaller than at home: one core draws each

    def __init__(self, address: str | None = None, processes: int | None = None) -> None:
        try:
            import distributed
        except ImportError:
            raise PlanewalkError("--cluster needs Dask: pip install 'planewalk[cluster]'") from None
        _quieten()
        self.name = f"the cluster at {address}" if address else "the local cluster"
        self.key = uuid.uuid4().hex
        self._cluster: Any = None
        try:
            if address is None:
                import logging

                self._cluster = distributed.LocalCluster(
                    n_workers=processes or cores(), threads_per_worker=1, processes=True,
                    dashboard_address=None, silence_logs=logging.CRITICAL, preload=__name__,
                )  # fmt: skip
            self.client: Any = distributed.Client(
                self._cluster or address, timeout=CONNECT, set_as_default=False
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise PlanewalkError(
                f"--cluster: there is no Dask scheduler at {address!r}: {_first_line(error)}"
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=LONELY if address is None else CONNECT)
        except TimeoutError:
            self.close()
            raise PlanewalkError(
                f"{self.name} has no workers; start one with: dask worker {address}"
            ) from None

    def each(self, work: Work[Result], scene: Scene, pieces: Iterable[Piece]) -> Iterator[Result]:
        with self._clear_errors():
            order = self.client.submit(
                take_order, as_order(self.key, scene), retries=RETRIES, pure=False
            )
            most = AHEAD * sum(self.client.nthreads().values()) + 1
            waiting: deque[Any] = deque()
            for piece in pieces:
                waiting.append(
                    self.client.submit(work_on, work, order, piece, retries=RETRIES, pure=False)
                )
                if len(waiting) > most:
                    yield self._result(waiting.popleft())
            while waiting:
                yield self._result(waiting.popleft())

    def _result(self, future: Any) -> Any:
        """What came of a piece; patient as long as there is somebody to work on it."""
        seen = time.monotonic()
        while True:
            try:
                return future.result(timeout=LOOK)
            except TimeoutError:
                if self.client.status != "running":
                    raise
            if self.client.nthreads():
                seen = time.monotonic()
            elif time.monotonic() - seen > LONELY:
                raise PlanewalkError(f"all workers of {self.name} are gone")

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Whatever Dask raises, as one line."""
        from concurrent.futures import CancelledError

        try:
            yield
        except PlanewalkError:
            raise
        except (CancelledError, OSError):  # a TimeoutError is one, too
            raise PlanewalkError(f"{self.name} went away") from None
        except Exception as error:
            raise PlanewalkError(f"{self.name} cannot draw this: {_first_line(error)}") from None

    def close(self) -> None:
        with contextlib.suppress(Exception):  # it may be gone already
            self.client.close(timeout=LOOK)
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close(timeout=CONNECT)


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _quieten() -> None:
    """Dask tells in many lines what is said here in one."""
    import logging

    for name in ("asyncio", "distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
