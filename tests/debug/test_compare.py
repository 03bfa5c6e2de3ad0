"""Branches of a run are compared: where they fork, and where they begin to do something else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.errors import LimitReached, OptionError
from planewalk.core.program import Program
from planewalk.core.step import Halted
from planewalk.core.stream import InputStream
from planewalk.debug.asking.compare import Parting, parting
from planewalk.debug.session import Session
from planewalk.engines.stepping.observe import Observer
from planewalk.engines.stepping.scales import Scales
from planewalk.languages import registry
from planewalk.view.console.console import Console
from tests.debug.test_session import session
from tests.laws.programs import TEXT_LANGUAGES, sources
from tests.laws.test_sessions import session as lawful


def test_branches_part_where_the_changed_value_is_used() -> None:
    walk = session("mirrorfunge", b"12 +.@")
    walk.end()
    walk.goto(2)
    walk.edit(stack=0, value=5)
    walk.end()
    found = walk.compare("main")
    assert found.forked_at == 2 and [str(change) for change in found.changes] == [
        "stack, number 1 from the bottom: 2 -> 5"
    ]
    assert found.parting is not None and found.parting.tick == 3
    assert found.parting.differences == ("operands", "results")
    assert [change.part for change in found.parting.changes] == ["stack"]
    back = walk.compare(walk.branch.name, "main")
    assert back.parting is not None and back.parting.first == found.parting.second


def test_a_change_that_does_not_matter() -> None:
    walk = session("refunge", b"!X^A  ")
    walk.end()
    walk.goto(1)
    walk.edit(cell=(5, 0), value="q")
    found = walk.compare("main")
    assert found.parting is None and found.last == walk.branches["main"].reached
    assert len(found.changes) == 1
    assert Console(walk).execute("compare")[-1] == f"and do the same up to tick {found.last}"


def test_forks_of_forks() -> None:
    walk = session("mirrorfunge", b"12+3+4+.@")
    walk.end()
    walk.goto(2)
    walk.edit(stack=0, value=2)
    same = walk.branch.name
    walk.goto(5)
    walk.edit(stack=0, value=50)
    walk.end()
    found = walk.compare("main")
    assert found.forked_at == 2 and found.changes == ()
    assert found.parting is not None and found.parting.tick == 6
    assert [change.part for change in found.parting.changes] == ["stack"]
    assert walk.compare(same).forked_at == 5
    assert walk.compare(same, "main").parting is None


def test_one_run_may_be_over() -> None:
    walk = session("mirrorfunge", b"12+.@ @")
    walk.goto(2)
    walk.edit(walker=0, value=walk.state.walkers[0].stance._replace(x=4))
    walk.end()
    walk.switch("main")
    walk.end()
    found = walk.compare("walker 0 at 4,0 at 2", "main")
    assert found.parting is not None and found.parting.tick == 2
    lines = Console(walk).execute("compare walker 0 at 4,0 at 2")
    assert lines[0] == "they fork at tick 2" and lines[2].startswith("they part at tick 2: ")
    assert lines[3] == "  walker 0 at 4,0 at 2:" and lines[5] == "  main:"


def test_a_program_without_a_cell_stays_ended() -> None:
    walk = session("mirrorfunge", b"")
    walk.edit(input=b"x")
    assert walk.forward(3) == Halted() and walk.tick == 0
    walk = session("mirrorfunge", b"@")
    walk.end()
    walk.edit(walker=0, value=walk.state.walkers[0].stance)
    assert walk.forward(3) == Halted() and walk.tick == 2, "others go on from their end"


def test_what_was_seen_is_compared_where_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """When that is noticed depends on a clock: replays must not end where it is noticed now."""
    walk = Session(Program(registry.get("mirrorfunge"), b"1"), b"", 0, clock=lambda: 0.0)
    walk.goto(1_000)
    walk.edit(stack=0, value=7)
    walk.goto(1_010)
    found = walk.compare("main")
    assert [str(change) for change in found.changes] == [
        "stack, number 999 from the bottom: 1 -> 7"
    ]
    monkeypatch.setattr(Scales, "too_heavy", lambda scales, now: True)
    assert walk.compare("main") == found


def test_what_cannot_be_compared() -> None:
    walk = session("mirrorfunge", b"12+.@")
    with pytest.raises(OptionError, match="twice"):
        walk.compare("main")
    with pytest.raises(OptionError, match="no branch 'x'; there are main"):
        walk.compare("x")
    assert "name a branch" in Console(walk).execute("compare")[0]
    walk.edit(stack=0, value=1) if walk.state.stack else walk.edit(input=b"z")
    with pytest.raises(LimitReached, match="given up"):
        walk.compare("main", pause=lambda: True)


def test_names_of_branches_are_completed_word_by_word() -> None:
    walk = session("mirrorfunge", b"12+.@")
    walk.goto(2)
    walk.edit(stack=0, value=5)
    console = Console(walk)
    assert console.complete("compare m") == ["main"]
    assert console.complete("switch stack[0] = 5 a") == ["at 2"]


@pytest.mark.parametrize("name", TEXT_LANGUAGES)
@settings(max_examples=15)
@given(data=st.data())
def test_they_part_in_the_first_tick_that_is_different(name: str, data: st.DataObject) -> None:
    """As a plain search over the steps of both finds it."""
    walk = lawful(name, data.draw(sources(name)), b"4 b")
    walk.goto(60)
    walk.goto(data.draw(st.integers(0, walk.tick)))
    walk.edit(input=data.draw(st.binary(max_size=2)))
    forked, other = walk.tick, walk.branch.name
    walk.goto(60)
    mine = [(s.actions, s.writes, s.output, s.input) for s in walk.steps(forked, walk.tick)]
    walk.switch("main")
    walk.goto(60)
    yours = [(s.actions, s.writes, s.output, s.input) for s in walk.steps(forked, walk.tick)]
    found = walk.compare(other)
    assert found.forked_at == forked
    length = min(len(mine), len(yours))
    parts = [at for at in range(length) if repr(mine[at]) != repr(yours[at])]
    if parts:
        assert found.parting is not None and found.parting.tick == forked + parts[0]
    elif len(mine) != len(yours):
        assert found.parting is not None and found.parting.tick <= forked + length


def parted(first: bytes, second: bytes, ticks: int | None = None) -> Parting | None:
    """Two runs of a program that copies two bytes; input that ends with `...` may go on."""
    language = registry.get("mirrorfunge")
    observers = []
    for text in (first, second):
        state = language.start(b"~,~,@", {}, 0)
        state.input = InputStream(text.removesuffix(b"..."), closed=not text.endswith(b"..."))
        observers.append(Observer(language, state))
    return parting(*observers, ticks)


def test_runs_that_do_the_same_never_part() -> None:
    assert parted(b"ab", b"ab") is None


def test_the_first_tick_that_differs_is_told_with_both_states() -> None:
    found = parted(b"ab", b"ac")
    assert found is not None and found.tick == 2
    assert found.differences == ("results", "input") and found.changes
    assert parted(b"ab", b"ac", ticks=2) is None


def test_a_run_that_waits_is_over_before_the_other() -> None:
    found = parted(b"a...", b"ab")
    assert found is not None and found.tick == 2
    assert found.first is None and found.second is not None
    assert found.differences == ("one run is over",) and found.changes == ()
