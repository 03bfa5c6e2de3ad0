"""Scenes as plain data for other processes, and drawing pieces of them there."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from ... import __version__
from ...core.errors import PlanewalkError
from ...core.limits import Limits
from ...core.program import Program
from ...engines.picture import Box
from ...languages import registry
from .local import new_painter
from .picture_scene import Artist, PictureScene, Piece, Result, Work


class PortableScene(NamedTuple):
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


def as_order(key: str, scene: PictureScene) -> PortableScene:
    program = scene.program
    return PortableScene(
        key, __version__, program.language.name, program.source, program.options, *scene[1:]
    )


def take_order(order: PortableScene) -> PortableScene:
    """Check the version on a worker. It is a task, so Dask repeats it if the result is lost."""
    if order.version != __version__:
        raise PlanewalkError(
            f"a worker has planewalk {__version__}, not {order.version}; install the same there"
        )
    return order


def work_on(work: Work[Result], order: PortableScene, piece: Piece) -> Result:
    scene, painter = _prepared(order)
    return work(scene, painter, piece)


_here = threading.local()
"""Caches the painter of the last order, for each thread of a worker."""


def _prepared(order: PortableScene) -> tuple[PictureScene, Artist]:
    language = registry.get(order.language)
    scene = PictureScene(Program(language, order.source, order.options), *order[5:])
    if getattr(_here, "key", None) != order.key:
        if hasattr(_here, "painter"):
            _here.painter.close()
        _here.painter, _here.key = new_painter(scene, 1), order.key
    return scene, _here.painter
