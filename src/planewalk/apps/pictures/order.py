"""Scenes for other processes, and drawing pieces of them there."""

from __future__ import annotations

import pickle
import threading
from typing import NamedTuple

from ... import __version__
from ...core.errors import PlanewalkError
from .local import new_painter
from .picture_scene import PictureScene, Piece, Result, Work


class PortableScene(NamedTuple):
    """A pickled scene, which only the version that pickled it is sure to read."""

    key: str
    version: str
    scene: bytes


def as_order(key: str, scene: PictureScene) -> PortableScene:
    return PortableScene(key, __version__, pickle.dumps(scene))


def take_order(order: PortableScene) -> PortableScene:
    """Check the version on a worker. It is a task, so Dask repeats it if the result is lost."""
    if order.version != __version__:
        raise PlanewalkError(
            f"a worker has planewalk {__version__}, not {order.version}; install the same there"
        )
    return order


_here = threading.local()
"""Caches the scene and the painter of the last order, for each thread of a worker."""


def work_on(work: Work[Result], order: PortableScene, piece: Piece) -> Result:
    if getattr(_here, "key", None) != order.key:
        if hasattr(_here, "painter"):
            _here.painter.close()
        _here.scene = pickle.loads(order.scene)
        _here.painter, _here.key = new_painter(_here.scene, 1), order.key
    return work(_here.scene, _here.painter, piece)
