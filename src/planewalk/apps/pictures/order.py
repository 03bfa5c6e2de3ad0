"""A scene as plain data: what is sent to other processes, and what they do with it."""

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
    """A scene without anything that only this process has."""

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
    """What a worker does first. Being a task, it is done again if its result gets lost."""
    if order.version != __version__:
        raise PlanewalkError(
            f"a worker has planewalk {__version__}, not {order.version}; install the same there"
        )
    return order


def work_on(work: Work[Result], order: PortableScene, piece: Piece) -> Result:
    """What a worker does with a piece."""
    scene, painter = _prepared(order)
    return work(scene, painter, piece)


_here = threading.local()
"""For each thread of a worker: the painter of the last order, ready for more of its pieces."""


def _prepared(order: PortableScene) -> tuple[PictureScene, Artist]:
    language = registry.get(order.language)
    scene = PictureScene(Program(language, order.source, order.options), *order[5:])
    if getattr(_here, "key", None) != order.key:
        if hasattr(_here, "painter"):
            _here.painter.close()
        _here.painter, _here.key = new_painter(scene, 1), order.key
    return scene, _here.painter
