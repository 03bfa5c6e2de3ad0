"""Commands that walk the run, and breakpoints, at which it stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..walk.telling import trace_lines
from .command import BRANCH, CONDITION, NONE, NUMBER, Answer, Command, number_or

if TYPE_CHECKING:
    from .console import Console

MOST_TOLD = 200
"""Limit on walkers for which each action is shown."""


def _step(console: Console, ticks: int | None) -> Answer:
    session, before = console.session, console.session.tick
    session.forward(1 if ticks is None else ticks, console.pause)
    single = ticks in (None, 0, 1) and session.tick != before
    return [*(_what_happened(console, before) if single else ()), console.where()]


def _what_happened(console: Console, tick: int) -> list[str]:
    session = console.session
    crowd = len(session.state.walkers)
    if crowd > MOST_TOLD:  # too much to read, and slow to find out
        return [f"{crowd:,} walkers have acted"]
    with session.asking(console.pause):
        steps = session.steps(tick, tick + 1)
        return [line for each in steps for line in trace_lines(session.language, each)]


def _goto(console: Console, tick: int | None) -> Any:
    session = console.session
    return session.end(console.pause) if tick is None else session.goto(tick, console.pause)


def _run(console: Console, _: None) -> Any:
    session, wanted = console.session, console.breakpoints.together
    return session.until(wanted, console.pause) if wanted else session.end(console.pause)


def _reverse(console: Console, _: None) -> Any:
    session, wanted = console.session, console.breakpoints.together
    return session.back_until(wanted, console.pause) if wanted else session.goto(0, console.pause)


def _break(console: Console, condition: str) -> Answer:
    if not condition:
        return _breaks(console, None)
    point = console.breakpoints.add(condition, console.session.language)
    console.session.count(point.wanted, console.pause)
    return f"breakpoint {point.id}: {point.wanted.text}"


def _breaks(console: Console, _: None) -> Answer:
    points = console.breakpoints.all.values()
    return [f"{point.id}: {point.wanted.text}" for point in points] or ["no breakpoints"]


def _delete(console: Console, number: int | None) -> Answer:
    if number is None:
        console.breakpoints.clear()
        return "no breakpoints"
    console.breakpoints.remove(number)
    return f"breakpoint {number} is gone"


COMMANDS = (
    Command("step", NUMBER.or_none(), "one tick on, or N", _step, ("s", "forward")),
    Command("back", NUMBER.or_none(), "one tick back, or N; `back until CONDITION` goes further",
            lambda on, ticks: on.session.back(1 if ticks is None else ticks, on.pause)),
    Command("goto", number_or("end"), "to tick N, forwards or backwards: goto 1e6; `goto end` to "
            "the end", _goto, ("g",)),
    Command("run", NONE, "on to the next breakpoint, or to the end", _run, ("c", "continue", "r")),
    Command("reverse", NONE, "back to the last breakpoint, or to the beginning", _reverse, ("rc",)),
    Command("end", NONE, "on to the end, whatever the breakpoints",
            lambda on, _: on.session.end(on.pause)),
    Command("reset", NONE, "back to the beginning", lambda on, _: on.session.goto(0, on.pause),
            ("restart",)),
    Command("until", CONDITION, "on to where it is true: until output contains x",
            lambda on, condition: on.session.until(condition, on.pause), ("u",)),
    Command("back-until", CONDITION, "back to where it was true: back until written 5,2",
            lambda on, condition: on.session.back_until(condition, on.pause)),
    Command("break", CONDITION, "stop there from now on: break 3,4 if heading = up", _break,
            ("b",)),
    Command("breaks", NONE, "all breakpoints with their numbers", _breaks, ("breakpoints",)),
    Command("delete", number_or("all"), "take breakpoint N away; `delete all` takes all", _delete,
            ("d",)),
    Command("switch", BRANCH, "go on with another branch",
            lambda on, name: on.session.switch(name, on.pause)),
)  # fmt: skip
