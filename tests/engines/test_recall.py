"""Instructions that are recalled: the same code comes out as if each had been performed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from planewalk.apps.checking.programs import Stock
from planewalk.core.geometry import DOWN, LEFT, RIGHT, UP, Stance, cylinder
from planewalk.core.instruction import Group, Instruction
from planewalk.core.language import Language
from planewalk.engines.compiled.task import MOST_TURNS, Task, TreeFinder
from planewalk.engines.native.code import NativeWriter
from planewalk.engines.tracing.explore import TooComplex
from planewalk.engines.tracing.guards import merge_guards
from planewalk.engines.tracing.ir import Key
from planewalk.engines.tracing.layout import blocks
from planewalk.engines.tracing.recall import RecallingTracer
from planewalk.engines.tracing.trace import TooManyDepths, Tracer
from planewalk.engines.tracing.trees import Tree
from planewalk.examples import find_example
from planewalk.languages import registry

EXAMPLES = [
    "hello.ref", "squares.ref", "reverse.ref", "sierpinski.ref", "cat.ref", "collatz.mf", "sort.mf",
    "primes.mf", "dice.mf", "plasma.wf", "julia.wf",
]  # fmt: skip
REFUNGE = registry.get("refunge")
MIRRORFUNGE = registry.get("mirrorfunge")


def begun(language: Language, source: bytes) -> Any:
    return language.start(source, language.read_options({}), 0)


def found(
    kind: type[Tracer], language: Language, source: bytes, known_depth: bool = True
) -> tuple[Tracer, list[Tree]] | None:
    """All trees from where a program begins, if there is an end to them."""
    state = begun(language, source)
    tracer = kind(language, state, None, {}, True, 2_000, known_depth=known_depth, native=True)
    key = Key(state.walkers[0].stance, len(state.stack), tuple(state.calls))
    try:
        trees = tracer.explore(key)
    except (TooComplex, TooManyDepths):
        return None
    merge_guards(trees, tracer.frontier)
    return tracer, trees


def told(kind: type[Tracer], *given: Any) -> Any:
    """Everything that came out."""
    made = found(kind, *given)
    if made is None:
        return None
    tracer, trees = made
    hands = any(walker.hand is not None for walker in tracer.state.walkers)
    width = getattr(tracer.real_plane, "width", 0)
    text = NativeWriter(trees, tracer.state.floats, hands, width).source()
    walked = [list(block.walked) for tree in trees for block in blocks(tree)]
    longest = [(tree.key, tree.longest) for tree in trees]
    return text, walked, longest, tracer.touched, tracer.frontier


def agree(language: Language, source: bytes, known_depth: bool = True) -> None:
    expected = told(Tracer, language, source, known_depth)
    assert told(RecallingTracer, language, source, known_depth) == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_code_comes_out(name: str) -> None:
    example = find_example(name)
    agree(registry.get(example.language), example.read())


@pytest.mark.parametrize("known_depth", [True, False])
@pytest.mark.parametrize("name", ["refunge", "mirrorfunge", "webfunge"])
def test_of_random_programs_as_well(name: str, known_depth: bool, refused: list[Any]) -> None:
    language, dice = registry.get(name), Random(name)
    stock = Stock(language)
    for _ in range(60):
        agree(language, language.sources.spell(stock.program(dice)), known_depth)


def with_sign(act: Callable[[Any], None], **changes: Any) -> Language:
    """Refunge with a `%` that does something else."""
    row = Instruction(ord("%"), "odd", "", Group.MOTION, act, "")

    def decode(plane: Any, stance: Stance) -> Instruction:
        found = REFUNGE.decode(plane, stance)
        here = plane.data[stance.y * plane.width + stance.x] == ord("%")
        return row if here else found

    return REFUNGE._replace(decode=decode, **changes)


def by_place(m: Any) -> None:
    m.turn(*(DOWN if m.stance.x % 3 else UP))


def by_row(m: Any) -> None:
    if m.stance.y in (1, 2):
        m.turn(*LEFT)


def to_the_start(m: Any) -> None:
    m.go(0, 1)


def by_tick(m: Any) -> None:
    if m.tick % 2:
        m.turn(*DOWN)


def by_number_of_place(m: Any) -> None:
    m.put(m.hand_x, m.hand_y, m.stance.x)


def over_code(m: Any) -> None:
    """Code may not be written, and the more has been decoded the more is."""
    m.put(3, 2, 7)


def by_hand(m: Any) -> None:
    m.reach(m.hand_x, m.hand_y + 1)
    if m.hand_y > 4:
        m.turn(*DOWN)


def by_height(m: Any) -> None:
    if m.hand_y + 1 < m.plane.height:
        m.turn(*LEFT)


def by_cell(m: Any) -> None:
    if m.cell(m.hand_x, m.hand_y) == 3:
        m.move()


def bounced(plane: Any, stance: Stance) -> Stance:
    """A ground that turns whoever comes to its right edge."""
    way = cylinder(plane, stance)
    return way if way.x < 7 else way._replace(dx=-1, x=6)


def moved_and_turned(m: Any) -> None:
    m.move()
    m.move()
    if m.stance.dx > 0:
        m.turn(*RIGHT)


def moved_indeed(m: Any) -> None:
    before = m.stance
    m.move()
    if m.stance != before:
        m.turn(*DOWN)


ACTS = [
    by_place, by_row, to_the_start, by_tick, by_number_of_place, over_code, by_hand, by_cell,
    by_height,    moved_and_turned, moved_indeed,
]  # fmt: skip


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("move", [cylinder, bounced])
def test_whatever_an_instruction_asks_for(act: Callable[[Any], None], move: Any) -> None:
    language, dice = with_sign(act, move=move), Random(7)
    for _ in range(40):
        rows = ["".join(dice.choices(r"%%%%   >v<^+@#/\|", k=8)) for _ in range(5)]
        agree(language, "\n".join(rows).encode())


def test_it_is_recalled_indeed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror and a blank are performed once for each heading, wherever they stand."""
    performed = []
    perform = RecallingTracer._perform_on

    def counted(tracer: RecallingTracer, spot: Any, *given: Any) -> Any:
        performed.append(spot.instruction.symbol)
        return perform(tracer, spot, *given)

    monkeypatch.setattr(RecallingTracer, "_perform_on", counted)
    found(RecallingTracer, REFUNGE, b"   /   \\\n\\  \\   /\n  >/   \\\n  \\    /")
    assert performed.count(" ") <= 4 and performed.count("\\") <= 4


@pytest.mark.parametrize("name", ["squares.ref", "sierpinski.ref"])
def test_where_ways_meet_is_known_before(name: str) -> None:
    """By whoever knows how instructions turn: then little is recorded twice. Code depends on
    nothing that was only looked at."""
    example = find_example(name)
    language = registry.get(example.language)
    state = begun(language, example.read())
    key = Key(state.walkers[0].stance, len(state.stack), ())
    made = []
    for _ in range(2):
        tracer = RecallingTracer(language, state, None, {}, True, 9_000, native=True)
        tracer.turns_of = made[0][0].turns_of if made else {}
        made.append((tracer, tracer.explore(key)))
    (first, trees), (second, others) = made
    assert second.work < 0.75 * first.work and second.work < 1.7 * second.acted
    assert second.touched == first.touched
    walked = [
        {at for tree in some for it in blocks(tree) for at in it.walked} for some in (trees, others)
    ]
    assert walked[0] == walked[1]
    meetings = second._meetings([key])
    assert meetings and not first.__class__(language, state, None, {}, True)._meetings([key])
    assert len(meetings - {tree.key for tree in others}) <= len(meetings) / 4


def test_no_way_is_looked_for_where_nobody_was() -> None:
    """Here one way goes round the line."""
    state = begun(REFUNGE, b"     ")
    here = Key(state.walkers[0].stance, 0)
    first = RecallingTracer(REFUNGE, state, None, {}, True)
    first.explore(here)
    assert first._meetings([here]) == {here}
    others = {here.stance._replace(x=x) for x in range(2)}
    beside = {Key(here.stance._replace(x=1), 0)}
    for may, foreign in ((others, set()), (None, beside)):
        tracer = RecallingTracer(REFUNGE, state, may, {}, True, foreign=foreign)
        tracer.turns_of = first.turns_of
        assert not tracer._meetings([here])


def test_tracers_tell_each_other_where_ways_meet() -> None:
    """Also those that begin in the middle of a loop."""
    state = begun(REFUNGE, find_example("squares.ref").read())
    task = Task(state, None, {}, True, 9_000, set(), [], [], None, True, 0)
    finder, begin = TreeFinder(REFUNGE), Key(state.walkers[0].stance, 0)
    tracer, trees = finder.find(task, begin, native=True)
    works = [tracer.work]
    walked = [it.walked for tree in trees for it in blocks(tree) if len(it.walked) > 4]
    for stance in (begin.stance, *(some[len(some) // 2][0] for some in walked[6:21:7])):
        tracer, trees = finder.find(task, Key(stance, 0), native=True)
        assert len(trees) > 5 and tracer.work < 1.5 * tracer.acted
        works.append(tracer.work)
    assert works[1] < 0.75 * works[0]
    known = finder._turns_of
    known.update({number: set() for number in range(MOST_TURNS)})
    finder.find(task, begin, native=True)
    assert len(known) > MOST_TURNS > len(finder._turns_of) > 0, "not without end"
