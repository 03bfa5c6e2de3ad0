"""Several walkers of a language without machine code of its own for them, made from its table."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.barriers import Barriers
from planewalk.core.base.deadline import Deadline
from planewalk.core.geometry import DOWN, LEFT, RIGHT, UP, Stance
from planewalk.core.language import Language, Pace, Rules
from planewalk.core.limits import Limits
from planewalk.core.state import State, Walker
from planewalk.core.step import Hungry, Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import choose_engine, compiled_ticks
from planewalk.engines.interpreter import crowd as crowds
from planewalk.engines.interpreter import loader
from planewalk.engines.interpreter.crowd import InterpretedCrowd, crowd_of
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry
from tests.engines import abacus, ledger
from tests.engines.stores import MemoryStore
from tests.test_new_language import guide_code, language_of

SNAILS = language_of(guide_code())
LOOPS = b"Yv         v\n >+++v v+++<\n ^+++< >+++^\n"
"""Two snails that count, each on its own way round, for ever."""
HEADINGS = (RIGHT, DOWN, LEFT, UP)


def snails(source: bytes = LOOPS, given: bytes | None = b"") -> State:
    state = SNAILS.start(source, SNAILS.read_options({}), 0)
    state.input = InputStream(given or b"", closed=given is not None)
    return state


def crowd_for(language: Language, state: State, limits: Limits | None = None) -> InterpretedCrowd:
    crowd = crowd_of(language, state, limits or Limits())
    assert crowd is not None
    crowd.assemble(None)
    assert crowd.ready
    return crowd


def go(
    crowd: InterpretedCrowd, reference: ReferenceEngine, tick: int, ran: list[int] | None = None
) -> Stop | None:
    """Run on the crowd, and where it cannot, on the reference engine; `ran` hears how long the
    crowd did."""
    state, stop = crowd.state, None
    while stop is None and state.stop is None and state.tick < tick:
        before = state.tick
        going = crowd.advance(tick - before)
        if ran is not None:
            ran.append(state.tick - before)
        if not going:
            stop = reference.advance(min(1, tick - state.tick))
    return stop if state.stop is None else state.stop


def characters(language: Any) -> str:
    return "".join(chr(code) for code in range(32, 127) if language.TABLE.get(code))


@st.composite
def worlds(draw: Any, language: Any) -> State:
    """A program with several walkers anywhere, each with a hand of its own, or none with one."""
    some = st.text(characters(language) + 30 * " ", min_size=12, max_size=12)
    source = "\n".join(draw(st.lists(some, min_size=4, max_size=6))).encode()
    options = {"plane": "bytes", "hand": draw(st.booleans())}
    state: State = language.start(source, options, draw(st.integers(0, 9)))
    dice = random.Random(draw(st.integers(0, 2**32)))
    size = language.WIDTH, language.HEIGHT

    def place() -> tuple[int, int]:
        return dice.randrange(size[0]), dice.randrange(size[1])

    state.walkers = [
        Walker(Stance(*place(), *dice.choice(HEADINGS)), place() if options["hand"] else None)
        for _ in range(draw(st.integers(2, 9)))
    ]
    return state


@pytest.mark.parametrize("language", [abacus, ledger])
def test_all_that_walkers_do_is_done_in_turns(language: Any) -> None:
    """Cells, stack, registers, output, chance and the tick: each sees what those before it did."""
    ran: list[int] = []

    @settings(max_examples=settings.default.max_examples // 2)
    @given(state=worlds(language), pieces=st.lists(st.integers(1, 40), max_size=4))
    def check(state: State, pieces: list[int]) -> None:
        expected = state.copy()
        reference = ReferenceEngine(language.LANGUAGE, expected, Limits())
        crowd = crowd_for(language.LANGUAGE, state)
        beside = ReferenceEngine(language.LANGUAGE, state, Limits())
        for piece in [*pieces, 60]:
            stop = go(crowd, beside, state.tick + piece, ran)
            assert stop == reference.advance(piece)
            assert state == expected

    check()
    assert sum(ran) > 5 * settings.default.max_examples


def test_one_that_forks_or_leaves_is_left_to_the_reference_engine() -> None:
    """In the midst of a tick: those before it have acted, those behind it have not."""
    state = snails(b"+Yv  \n+ +Y \n+++ x\n")
    state.walkers = [Walker(Stance(0, y, *RIGHT)) for y in range(3)]
    expected = state.copy()
    crowd, beside = crowd_for(SNAILS, state), ReferenceEngine(SNAILS, state)
    reference = ReferenceEngine(SNAILS, expected)
    assert not crowd.advance(9)
    assert (state.tick, len(state.acted), len(state.walkers)) == (1, 0, 3)
    for tick in range(1, 12):
        assert go(crowd, beside, tick) == reference.advance(tick - expected.tick)
        assert state == expected
    state.walkers = [Walker(Stance(x, 0, *RIGHT)) for x in (3, 0, 1, 0)]
    assert not crowd.advance(1)
    assert (len(state.acted), len(state.walkers)) == (2, 2)


def test_input_that_is_not_there_yet_is_waited_for() -> None:
    state = snails(b"+++,\n++++\n", None)
    state.walkers = [Walker(Stance(x, y, *RIGHT)) for x, y in ((0, 1), (0, 0), (1, 1))]
    crowd, beside = crowd_for(SNAILS, state), ReferenceEngine(SNAILS, state)
    assert go(crowd, beside, 50) == Hungry()
    assert (state.tick, len(state.acted)) == (3, 1)
    state.input.feed(b"A")
    assert go(crowd, beside, 4) is None and state.tick == 4
    assert state.registers["counter"] == ord("A") + 1


def test_any_language_has_it_and_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` runs snails in machine code once there are several, from a store in later runs."""
    store = MemoryStore()
    expected = snails()
    ReferenceEngine(SNAILS, expected).advance(3_000)
    for kept in (False, True):
        monkeypatch.setattr(loader, "_MADE", {})
        state = snails()
        with following(HASTY):
            engine = choose_engine("auto", SNAILS, state, Limits(), store)
        if kept:
            monkeypatch.setattr(loader, "assemble", None)
        while state.tick < 3_000:
            assert engine.advance(3_000 - state.tick) is None
        assert state == expected
        assert compiled_ticks(engine).native > 2_500


def test_it_stops_in_time() -> None:
    seconds = iter(range(9))
    state = snails()
    ReferenceEngine(SNAILS, state).advance(20)
    crowd = crowd_for(SNAILS, state, Limits(deadline=Deadline(lambda: next(seconds), 4)))
    assert crowd.advance(1 << 40)
    assert state.tick == 20 + 3 * (crowds.AT_ONCE // 2)


def test_who_is_no_such_crowd() -> None:
    """Ends that one walker brings about for all, walkers that act at once, planes without edges."""
    state = snails()
    for rules in (Rules(over=lambda *_: False), Rules(pace=Pace.TOGETHER)):
        assert crowd_of(SNAILS._replace(rules=rules), state, Limits()) is None
    gemooy = registry.get("gemooy")
    assert crowd_of(gemooy, gemooy.start(b"@#", {}, 0), Limits()) is None
    crowd = crowd_for(SNAILS, state)
    assert not crowd.advance(10), "one alone is no crowd"
    ReferenceEngine(SNAILS, state).advance(20)
    before = state.copy()
    assert not crowd.advance(10, Barriers(output=True)), "others tell what happens when"
    state.walkers[1] = state.walkers[1]._replace(hand=(0, 0))
    assert not crowd.advance(10), "one has a hand, and the other has none"
    assert state.tick == before.tick


def test_walkers_that_stand_as_nobody_did_before_have_code_made_anew(monkeypatch) -> None:
    """In a mode, say, that no walker of an earlier run could come to."""
    monkeypatch.setattr(loader, "_MADE", {})
    store = MemoryStore()
    for mode in (None, "slow", None):
        state = snails()
        state.walkers = [Walker(Stance(x, 1, *RIGHT, mode)) for x in (1, 2)]
        expected = state.copy()
        crowd = crowd_of(SNAILS, state, Limits())
        assert crowd is not None
        assert crowd.recall(store) == (state.walkers[0].stance.mode is None and bool(store))
        crowd.assemble(store)
        assert crowd.advance(50)
        ReferenceEngine(SNAILS, expected).advance(50)
        assert state == expected
