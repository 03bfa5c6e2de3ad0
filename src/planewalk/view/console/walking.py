"""Commands that walk the run, and breakpoints, at which it stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...debug.grammar import Wanted
from ..walk.telling import trace_lines
from .command import BRANCH, CONDITION, NONE, NUMBER, Answer, command, number_or

if TYPE_CHECKING:
    from .console import Console

MOST_TOLD = 200
"""Walkers of which each is told what it did."""


@command(NUMBER.or_none(), "one tick on, or N", "s", "forward")
def step(console: Console, ticks: int | None) -> Answer:
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


@command(NUMBER.or_none(), "one tick back, or N; `back until CONDITION` goes further")
def back(console: Console, ticks: int | None) -> Answer:
    console.session.back(1 if ticks is None else ticks, console.pause)
    return console.where()


@command(number_or("end"), "to tick N, forwards or backwards: goto 1e6; `goto end` to the end", "g")
def goto(console: Console, tick: int | None) -> Answer:
    if tick is None:
        console.session.end(console.pause)
    else:
        console.session.goto(tick, console.pause)
    return console.where()


@command(NONE, "on to the next breakpoint, or to the end", "c", "continue", "r")
def run(console: Console, _: None) -> Answer:
    wanted = console.breakpoints.together
    return end.perform(console, _) if wanted is None else until.perform(console, wanted)


@command(NONE, "back to the last breakpoint, or to the beginning", "rc")
def reverse(console: Console, _: None) -> Answer:
    wanted = console.breakpoints.together
    return reset.perform(console, _) if wanted is None else back_until.perform(console, wanted)


@command(NONE, "on to the end, whatever the breakpoints")
def end(console: Console, _: None) -> Answer:
    console.session.end(console.pause)
    return console.where()


@command(NONE, "back to the beginning", "restart")
def reset(console: Console, _: None) -> Answer:
    console.session.goto(0, console.pause)
    return console.where()


@command(CONDITION, "on to where it is true: until output contains x", "u")
def until(console: Console, condition: str | Wanted) -> Answer:
    console.session.until(condition, console.pause)
    return console.where()


@command(CONDITION, "back to where it was true: back until written 5,2")
def back_until(console: Console, condition: str | Wanted) -> Answer:
    console.session.back_until(condition, console.pause)
    return console.where()


@command(BRANCH, "go on with another branch")
def switch(console: Console, name: str) -> Answer:
    console.session.switch(name, console.pause)
    return console.where()


@command(CONDITION, "stop there from now on: break 3,4 if heading = up", "b")
def break_(console: Console, condition: str) -> Answer:
    if not condition:
        return breaks.perform(console, None)
    point = console.breakpoints.add(condition, console.session.language)
    console.session.count(point.wanted, console.pause)
    return f"breakpoint {point.id}: {point.wanted.text}"


@command(NONE, "all breakpoints with their numbers", "breakpoints")
def breaks(console: Console, _: None) -> Answer:
    points = console.breakpoints.all.values()
    return [f"{point.id}: {point.wanted.text}" for point in points] or ["no breakpoints"]


@command(number_or("all"), "take breakpoint N away; `delete all` takes all", "d")
def delete(console: Console, number: int | None) -> Answer:
    if number is None:
        console.breakpoints.clear()
        return "no breakpoints"
    console.breakpoints.remove(number)
    return f"breakpoint {number} is gone"


COMMANDS = (
    step, back, goto, run, reverse, end, reset, until, back_until, break_, breaks, delete, switch
)  # fmt: skip
