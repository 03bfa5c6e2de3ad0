"""Questions about a run: each is a function of the run and a message, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...core.errors import OptionError, PlanewalkError
from ...core.limits import Limits
from ...debug.asking.causes import Cause
from ...debug.conditions.grammar import Wanted, any_of, parse
from ...debug.replay.course import Pause
from ...debug.session import Session
from ...view.console.asking import told_writer
from ...view.console.breakpoints import Breakpoints
from ...view.walk.follow import cell_of
from ..fields import Message, refusal
from .circuits import timing
from .editing import leads, turns
from .terrain import chart, ways

MOST_LINES = 40
MOST_PLACES = 2_000
"""Cells that are highlighted at most."""


def causes(walk: Session, asked: dict[str, Any], pause: Pause) -> dict[str, Any]:
    """The causes of an output byte, a cell or a stack value: as lines, and as places to highlight,
    each with its kind."""
    cause = walk.why(**asked, pause=pause)
    if cause is None:
        raise OptionError("there is no such value yet")
    return {"words": list(cause.lines(MOST_LINES)), "places": list(_places(cause))}


def _places(cause: Cause) -> Iterator[list[Any]]:
    """All places of a tree of causes without repeats, nearest to the effect first."""
    seen: set[Any] = set()
    told: set[tuple[int, int]] = set()
    work = [cause]
    for each in work:
        if id(each) in seen or len(told) == MOST_PLACES:
            continue
        seen.add(id(each))
        work += each.parents
        place = None if each.place is None else cell_of(*each.place)
        if place is not None and place not in told:
            told.add(place)
            yield [*place, "cell" if each.kind == "cell" else "computed"]


def joined(points: Breakpoints, until: str) -> Wanted:
    """The breakpoints and another condition, which applies to one run only."""
    parts = [point.wanted for point in points.all.values() if point.wanted.every == 1]
    return any_of([*parts, parse(until)])


# What each question is answered with, by the name of its message --------------------------------


def _map(walk: Session, asked: Message, pause: Pause) -> Message:
    """A map of the whole plane; with `dark`, for the dark theme."""
    with walk.asking(pause):
        dark = asked.get("dark", False)
        return {"map": chart(walk.language, walk.state.plane, dark, walk.breathe)}


def _cell(walk: Session, asked: Message, pause: Pause) -> Message:
    """Where each heading leads from a cell."""
    x, y = asked["at"]
    return {"cell": {"at": [x, y], "ways": ways(walk, x, y)}}


def _turns(walk: Session, asked: Message, pause: Pause) -> Message:
    """The counterparts of signs when a block is turned: `how`."""
    return {"turns": turns(walk.language, asked["how"])}


def _leads(walk: Session, asked: Message, pause: Pause) -> Message:
    """Where signs lead."""
    return {"leads": leads(walk.language)}


def _why(walk: Session, asked: Message, pause: Pause) -> Message:
    """The causes of `output` (the number of a byte), a `cell`, or a value of the `stack`."""
    if len(asked) != 1:
        raise OptionError("ask for one of 'output', 'cell' and 'stack'")
    if "cell" in asked:
        asked = {"cell": tuple(asked["cell"])}
    return {"causes": causes(walk, asked, pause)}


def _who(walk: Session, asked: Message, pause: Pause) -> Message:
    """The walker that wrote a `cell` last, its place, and the tick."""
    x, y = asked["cell"]
    deed = walk.who_wrote(x, y, pause)
    found: Message = {"words": [told_writer(walk, (x, y), deed)], "places": []}
    if deed is not None:
        place = None if deed.place is None else cell_of(*deed.place)
        found |= {"places": [] if place is None else [[*place, "computed"]], "tick": deed.tick}
    return {"causes": found}


def _timing(walk: Session, asked: Message, pause: Pause) -> Message:
    """The walkers in some `cells` over time, around this tick."""
    cells = [(x, y) for x, y in asked["cells"]]
    return {"timing": timing(walk, cells, walk.tick, pause)}


def _shader(walk: Session, asked: Message, pause: Pause) -> Message:
    """The program as a fragment shader for WebGL 2, or why there is none."""
    from ...engines.gpu.modules import glsl
    from ...engines.gpu.painter import make_shader

    limits = Limits(steps=walk.language.rules.default_steps)
    try:
        with walk.asking(pause):
            return {"shader": glsl(make_shader(walk.program, limits, walk.breathe))}
    except PlanewalkError as error:
        return {"shader": None, "why": refusal(error)}


QUESTIONS: dict[str, Callable[[Session, Message, Pause], Message]] = {
    "map": _map, "cell": _cell, "turns": _turns, "leads": _leads, "why": _why, "who": _who,
    "timing": _timing, "shader": _shader,
}  # fmt: skip
