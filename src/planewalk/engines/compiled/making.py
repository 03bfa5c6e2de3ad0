"""What all back ends do to make a unit: find a good place to begin, and note where room ran out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.geometry import Stance
from ..base.policy import Policy
from ..tracing.footprint import blocks
from ..tracing.ir import Exit, Key, Leave, Undecided
from ..tracing.limits import MOST_BLOCKS
from ..tracing.refusal import Refusals
from ..tracing.tracer import Tracer
from ..tracing.trees import Tree
from .task import Task
from .unit import CompiledUnit, Made, NotCompilable

Find = Callable[[Task, Key], tuple[Tracer, list[Tree]]]
Write = Callable[[Task, Key, Tracer, list[Tree]], Any]
"""The unit of such trees; None if they are more than the back end can take."""


def make(task: Task, entries: list[Key], find: Find, write: Write, refusals: Refusals) -> Made:
    """A unit from one of these places; if something goes wrong, they are refused for good."""
    try:
        return _try(task, entries, find, write)
    except NotCompilable:
        return Made(None, [entry.stance for entry in entries], 0, unwritable=True)
    except (Exception, Leave, Undecided) as error:
        refusals.note(error)
        return Made(None, [entry.stance for entry in entries], 0, failed=True)


def _try(task: Task, entries: list[Key], find: Find, write: Write) -> Made:
    refused: list[Stance] = []
    work = 0
    for entry in entries:
        tracer, trees = find(task, entry)
        work += tracer.work
        if not trees:
            return Made(None, [*refused, entry.stance], work)
        if task.state.plane.writable or not leaves_at_once(trees[0]):
            break
        # Standing between a constant and its use, the use would have to leave every time.
        refused.append(entry.stance)
    unit = write(task, entry, tracer, trees)
    tracer.forget()
    return Made(unit, refused if unit is not None else [*refused, entry.stance], work)


def leaves_at_once(tree: Tree) -> bool:
    """Whether the first instruction may be one that compiled code cannot do."""
    ends = (block.end for block in blocks(tree))
    return any(isinstance(end, Exit) and end.ticks == 0 for end in ends)


def describe(unit: CompiledUnit, task: Task, tracer: Tracer, policy: Policy) -> None:
    """Note for what a unit was made, and where it ran out of room."""
    unit.touched, unit.armed, unit.allowed = tracer.touched, task.armed, task.may
    for key in tracer.frontier:
        unit.entries.pop(key, None)  # it would leave at once
    if tracer.acted > policy.most_instructions or tracer.blocks > MOST_BLOCKS:
        unit.frontier = tracer.frontier
    elif tracer.acted > tracer.room:
        unit.outgrown_at = 4 * task.ordered_at
