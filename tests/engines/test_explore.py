"""Exploring: which keys become loop headers, and how often the same is recorded."""

from planewalk.engines.compiled.task import Task, TreeFinder
from planewalk.engines.tracing.footprint import blocks
from planewalk.engines.tracing.ir import Key
from planewalk.examples import find_example
from planewalk.languages import registry

REFUNGE = registry.get("refunge")


def test_trees_that_stay_as_they_are_are_not_recorded_again() -> None:
    """From the middle of a loop, the way in is one more tree, and changes few of the others."""
    source = find_example("squares.ref").read()
    state = REFUNGE.start(source, REFUNGE.read_options({}), 0)
    task = Task(state, None, {}, True, 9_000, set(), [], [], None, True, 0)
    finder = TreeFinder(REFUNGE)
    _, trees = finder.find(task, Key(state.walkers[0].stance, 0), native=True)
    walked = [it.walked for tree in trees for it in blocks(tree) if len(it.walked) > 4]
    for some in (walked[6], walked[16], walked[26]):
        tracer, trees = finder.find(task, Key(some[len(some) // 2][0], 0), native=True)
        assert len(trees) > 5 and tracer.work < 2.5 * tracer.acted
