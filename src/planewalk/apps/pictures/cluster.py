"""Drawing on a Dask cluster, the extra `cluster`: many processes, perhaps on other machines.

Pieces are drawn by the same code as anywhere else, so the bytes are the same. Dask gives the pieces
of a worker that dies to others. Only a few pieces for each core are queued at any time.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ...core.errors import PlanewalkError
from ...engines.base.threads import Made, ThreadTask
from .order import as_order, take_order, work_on
from .picture_scene import PIECE, PictureScene, Piece, Result, Work, in_order

RETRIES = 3
AHEAD = 2
"""Pieces queued for each core: the current one, and the next."""
CONNECT = 10.0
LONELY = 60.0
"""Seconds to wait for a scheduler, and for a worker when there is none."""
LOOK = 2.0
"""Seconds between looks at whether the cluster is still there."""


class ClusterStudio:
    """Draws on the workers of a Dask scheduler, which must be trusted."""

    piece_size = PIECE >> 2  # smaller than at home: one core draws each

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise PlanewalkError("--cluster needs Dask: pip install 'planewalk[cluster]'") from None

        class Client(distributed.Client):  # type: ignore[misc]
            def __del__(self) -> None:
                """Close a refused client without messages when it is collected."""
                with contextlib.suppress(Exception):
                    self.close(timeout=LOOK)

        _quieten()
        self.name = f"the cluster at {address}"
        self.key = uuid.uuid4().hex
        _check_keys(address)
        try:
            opened = partial(Client, address, timeout=CONNECT, set_as_default=False)
            self.client: Any = _within(CONNECT + LOOK, opened)
        except (OSError, ValueError, RuntimeError) as error:
            raise PlanewalkError(
                f"--cluster: there is no Dask scheduler at {address!r}: {_first_line(error)}"
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=CONNECT)
        except TimeoutError:
            self.close()
            raise PlanewalkError(
                f"{self.name} has no workers; start one with: dask worker {address}"
            ) from None

    def each(
        self, work: Work[Result], scene: PictureScene, pieces: Iterable[Piece]
    ) -> Iterator[Result]:
        with self._clear_errors():
            order = self.client.submit(
                take_order, as_order(self.key, scene), retries=RETRIES, pure=False
            )

            def begin(piece: Piece) -> Any:
                return self.client.submit(work_on, work, order, piece, retries=RETRIES, pure=False)

            ahead = AHEAD * sum(self.client.nthreads().values()) + 1
            yield from in_order(pieces, ahead, begin, self._result)

    def _result(self, future: Any) -> Any:
        """The result of a piece; waits as long as the cluster has a worker."""
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
        """Turn exceptions of Dask into errors of one line."""
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


def _within(seconds: float, make: Callable[[], Made]) -> Made:
    """What a function gives in time: Dask itself waits for ever for a silent server."""
    task = ThreadTask(make)
    threading.Thread(target=task.work, daemon=True).start()
    task.wait(seconds)
    if not task.ready:
        raise TimeoutError("it says nothing")
    return task.take()


def _check_keys(address: str) -> None:
    """Raise an error if a scheduler needs TLS keys and none are configured."""
    from distributed import Security

    try:
        keys = Security().get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise PlanewalkError(f"--cluster: Dask's keys cannot be used: {error}") from None
    if keys is None and address.startswith("tls://"):
        raise PlanewalkError(
            f"--cluster: {address!r} needs keys; name them in "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, and CLIENT__CERT and CLIENT__KEY in the same way"
        )


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _quieten() -> None:
    """Silence the warnings and logs of Dask; errors are reported in one line here."""
    import logging
    import warnings

    warnings.filterwarnings("ignore", module=r"(dask|distributed|tornado)\b")
    for name in ("asyncio", "distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
