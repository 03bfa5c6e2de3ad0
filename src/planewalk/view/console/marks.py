"""The marks of timelines: output, input, hits of breakpoints, and forks of branches."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from ...core.limits import Limits
from ...debug.conditions.grammar import Wanted, parse
from ...debug.replay.branch import Branch
from ...debug.replay.course import Pause
from ...debug.search.forwards import Search
from ...debug.session import Session
from .breakpoints import Breakpoints

MOST_MARKS = 1_000
"""Limit on marks of one kind: more than a timeline has pixels."""
MOST_KEPT = 1 << 20
"""Bytes of a state that is kept to go on from."""
MOST_SOUGHT = 1_000_000
"""Ticks that are searched for marks."""


class Marks:
    """Searches for the marks of a run, a little at a time."""

    def __init__(self) -> None:
        self._branch: Branch | None = None
        self._sought: dict[str, _Sought] = {}

    def look(self, walk: Session, points: Breakpoints, pause: Pause) -> dict[str, Any]:
        """All marks that are known, and whether that is all of them up to the furthest tick."""
        if walk.branch is not self._branch:
            self._branch, self._sought = walk.branch, {}
        kinds = {"output": parse("output"), "input": parse("input")}
        if points.together is not None:
            kinds["break"] = points.together
        before, self._sought = self._sought, {}
        for name, wanted in kinds.items():
            known = before.get(name)
            if known is None or known.wanted.text != wanted.text:
                known = _Sought(wanted)
            self._sought[name] = known
        done = [kind.seek(walk, pause) for kind in self._sought.values()]
        found = {name: kind.ticks for name, kind in self._sought.items()} | {"fork": forks(walk)}
        return {"marks": found, "done": all(done), "reached": walk.reached}


class _Sought:
    """The marks of one kind."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.ticks: list[int] = []
        self._upto = 0
        self._search: Search | None = None
        """The search as it was left, of a small state: its engine has got to know the run."""
        self._hits: list[int] | None = None

    def seek(self, walk: Session, pause: Pause) -> bool:
        """Continue the search until `pause`; returns whether it is complete."""
        last = min(walk.reached, MOST_SOUGHT)
        while self._upto < last:
            if pause():
                return False
            search = self._here(walk)
            course = search.course
            if self._upto == 0 and search.true_at_start:
                self._note(0, last)
            for tick in search.matches(min(last, end_of(walk, course.branch)), pause):
                self._note(tick, last)
            small = course.state.memory() <= MOST_KEPT
            self._search, self._hits = search if small else None, search.hits
            if course.tick == self._upto:
                return not pause()  # it goes no further, unless there was no time to try
            self._upto = course.tick
        self._search = None
        return True

    def _here(self, walk: Session) -> Search:
        """A search from where the last one has ended: the same one, if it can go on."""
        search = self._search
        if search is not None and search.course.branch is walk.branch_at(self._upto):
            return search
        course, limits = walk.aside(self._upto), Limits(memory=walk.limits.memory)
        search = Search(walk.language, course, self.wanted, limits)
        search.hits = self._hits or search.hits
        return search

    def _note(self, tick: int, last: int) -> None:
        """Keep a tick, unless there is one so near that they would be drawn as one."""
        near = last // MOST_MARKS
        at = bisect_left(self.ticks, tick - near)
        if at == len(self.ticks) or self.ticks[at] > tick:
            self.ticks.append(tick)


def forks(walk: Session) -> list[int]:
    """The ticks at which other branches fork from the path to the session's current branch."""
    ends = {branch.name: end_of(walk, branch) for branch in walk.path(walk.branch)}
    others = [branch for branch in walk.branches.values() if branch.parent in ends]
    return sorted({each.begins for each in others if each.begins <= ends[str(each.parent)]})


def end_of(walk: Session, branch: Branch) -> int:
    """The tick up to which a branch is the past of where the session is."""
    child = walk.branch
    if branch is child:
        return branch.reached
    while child.parent is not None and child.parent != branch.name:
        child = walk.branches[child.parent]
    return child.begins
