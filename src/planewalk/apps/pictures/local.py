"""Drawing in this process."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ...core.base.deadline import Deadline
from ...engines.base.threads import Crew, ThreadTask
from ...engines.picture import Painter
from ..store import DiskStore
from .devices import Device, find_artist
from .picture_scene import PIECE, Artist, PictureScene, Piece, Result, Work, in_order

WAIT = 0.1
"""Seconds between two calls of `check`."""


class LocalStudio:
    """One artist: on as many threads as it is given, by default all cores, or on a device.

    While a piece is being used, for instance compressed, the next is drawn.
    """

    piece_size = PIECE

    def __init__(
        self,
        threads: int | None = None,
        device: Device | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        self.threads = threads or cores()
        self.device = device
        self._check = check  # asked now and then whether to go on
        self._painter: Artist | None = None
        self._end = Deadline(time.monotonic, math.inf)
        self._easel = Crew(1, "planewalk-easel")

    def each(
        self, work: Work[Result], scene: PictureScene, pieces: Iterable[Piece]
    ) -> Iterator[Result]:
        if self._painter is None:
            limits = scene.limits._replace(deadline=self._end)
            self._painter = new_painter(scene._replace(limits=limits), self.threads, self.device)
        draw = partial(work, scene, self._painter)
        return in_order(
            pieces, 1, lambda piece: self._easel.begin(partial(draw, piece)), self._finished
        )

    def _finished(self, drawn: ThreadTask[Result]) -> Result:
        while True:
            if self._check is not None:
                self._check()
            drawn.wait(WAIT)
            if drawn.ready:
                return drawn.take()

    def close(self) -> None:
        """Close the painter, and abandon the current piece."""
        self._end.pass_now()
        if self._painter is not None:
            self._easel.begin(self._painter.close)


def new_painter(scene: PictureScene, threads: int, device: Device | None = None) -> Artist:
    """The artist for a scene, on a device if one is given."""

    def exact() -> Artist:
        return Painter(scene.program, scene.limits, scene.seed, threads, DiskStore())

    return exact() if device is None else find_artist(scene, device, exact)


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
