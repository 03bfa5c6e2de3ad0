"""The courses of a run as plain data, short enough for a link: what came in and what was changed.

No state is in it: with the program, each fork is walked to again and changed the same. It comes
from strangers as well: `messages.py` has checked every part of it by itself, and what depends on
the run is checked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.errors import OptionError
from ...core.geometry import Stance
from ...core.language import Language
from ...core.state import freeze, thaw
from ...debug.replay.branch import Branch
from ...debug.replay.course import Pause
from ...debug.session import Session
from ...view.walk.stances import heading_name, stance_of
from .blocks import changed_cells
from .editing import change_moment
from .encoding import encoded

Course = dict[str, Any]


def courses_of(walk: Session) -> list[Course]:
    """All branches of a run as plain data, each after its parent."""
    numbers = {name: number for number, name in enumerate(walk.branches)}
    return [_course(branch, numbers, walk.language) for branch in walk.branches.values()]


def version_of(walk: Session) -> Any:
    """A value that changes whenever `courses_of` does, and is quicker to compute."""
    return [
        (branch.name, len(branch.edits), len(branch.arrivals)) for branch in walk.branches.values()
    ]


def _course(branch: Branch, numbers: dict[str, int], language: Language) -> Course:
    first, log = branch.keyframes.first, branch.arrived
    if branch.parent is None:
        course: Course = {"data": encoded(log[: first.length]), "ended": first.closed}
    else:
        changes = [_plain(edit, language) for edit in branch.edits]
        on = numbers[branch.parent]
        course = {"on": on, "tick": branch.begins, "heard": branch.heard, "edits": changes}
    begins = [first.length, *(arrival.end for arrival in branch.arrivals)]
    course["arrivals"] = [
        [tick, "" if closes else encoded(log[begin:end])]
        for begin, (tick, end, closes) in zip(begins, branch.arrivals, strict=False)
    ]
    return course


def _plain(edit: dict[str, Any], language: Language) -> dict[str, Any]:
    if "cells" in edit:
        return {"cells": [[*at, freeze(value)] for at, value in edit["cells"].items()]}
    if "block" in edit:
        return edit
    value = edit.get("value")
    if isinstance(value, Stance):  # in words, as people say it
        place = f"{value.x:.0f},{value.y:.0f}"
        return {**edit, "value": f"{place} {heading_name(language, value.dx, value.dy)}"}
    return {name: freeze(value) for name, value in edit.items()}


def retrace(walk: Session, courses: list[Course], pause: Pause) -> list[Branch]:
    """Rebuild all branches in a run that has only its first one."""
    made, coming = [walk.branch], [_arrivals(course) for course in courses[:1]]
    for course in courses[1:]:
        on = among(course["on"], "on", len(made))
        _hear(made[on], coming[on], among(course["heard"], "heard", len(coming[on]) + 1))
        _go(walk, made[on], course["tick"], pause)
        made.append(_change(walk, course["edits"]))
        coming.append(_arrivals(course))
    for branch, arrivals in zip(made, coming, strict=False):
        _hear(branch, arrivals, len(arrivals))
    return made


def return_to(walk: Session, branch: Branch, tick: int, pause: Pause) -> None:
    """Go to a tick of a branch; raises if that takes too long."""
    walk.switch(branch.name)
    walk.goto(tick, pause)
    if walk.tick < tick and walk.stop is None:
        raise OptionError(
            f"the way to tick {tick:,} takes too long: this is tick {walk.tick:,}; Run goes on"
        )


def _go(walk: Session, branch: Branch, tick: int, pause: Pause) -> None:
    """Go to where a branch was left."""
    return_to(walk, branch, tick, pause)
    if walk.tick != tick or walk.branch is not branch:
        raise OptionError(f"this run was changed at tick {tick:,}, where it never comes")


def _change(walk: Session, edits: list[Any]) -> Branch:
    """Fork a branch by changes, or just for other input."""
    if not edits:
        return walk.fork()
    first = _told(edits[0])
    walk.edit(**change_of(walk, first)).edits = (first,)
    for edit in map(_told, edits[1:]):
        change_moment(walk, change_of(walk, edit), edit)
    return walk.branch


def change_of(walk: Session, told: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `Session.edit`: of a block, all of its cells; of a walker, its stance."""
    if "block" in told:
        return {"cells": changed_cells(walk, told["block"])}
    if "walker" in told:
        number, value = told["walker"], str(told.get("value", ""))
        return {
            "walker": number,
            "value": stance_of(walk.language, walk.state, number, value),
        }
    return told


def _told(edit: dict[str, Any]) -> dict[str, Any]:
    """The change that plain data describes."""
    if "block" in edit:
        return {"block": edit["block"]}
    change = {str(name): thaw(value) for name, value in edit.items() if name != "cells"}
    if "cells" in edit:
        change["cells"] = {(x, y): thaw(value) for x, y, value in edit["cells"]}
    return change


def _arrivals(course: Course) -> list[tuple[int, bytes]]:
    found = [(tick, data) for tick, data in course.get("arrivals", [])]
    ticks = [tick for tick, _ in found]
    if ticks != sorted(ticks):
        raise OptionError("input comes in the order of its ticks")
    return found


def _hear(branch: Branch, arrivals: Iterable[tuple[int, bytes]], count: int) -> None:
    """Feed a branch its first `count` arrivals of input."""
    for tick, data in list(arrivals)[len(branch.arrivals) : count]:
        branch.receive(tick, data)


def among(number: int, name: str, count: int) -> int:
    """A number below `count`, or an error."""
    if number >= count:
        raise OptionError(f"{name!r} is {number}, but there are only {count}, counted from 0")
    return number
