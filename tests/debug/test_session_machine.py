"""Sessions walked about in at random, beside plain runs of each branch: nothing that is done before
makes a difference to what a session shows, finds and answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from random import Random
from typing import Any

import pytest
from hypothesis import seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from planewalk.core.deadline import no_pause
from planewalk.core.program import Program
from planewalk.core.step import Hit, Hungry
from planewalk.debug.causes import Cause
from planewalk.debug.grammar import parse
from planewalk.debug.sameness import name_of
from planewalk.debug.session import Session
from planewalk.debug.walkfile import from_bytes, to_bytes
from planewalk.engines.choose import choose_engine
from planewalk.languages import registry
from tests.debug.timeline import LIMITS, Fact, Timeline

LAST = 60
"""No run is looked at after this tick."""
PROGRAMS = [
    ("mirrorfunge", b"12341r.2g.:s,4@"),
    ("mirrorfunge", b"1:.)"),
    ("mirrorfunge", b"12~3r:.+,45;"),
    ("mirrorfunge", b'"iH",~.,&.3 1r;)'),
    ("mirrorfunge", b"   1.   :$"),
    ("mirrorfunge", b"1$    "),
    ("refunge", b"+XX!^"),
    ("refunge", b"!X?Xv+^X~<"),
    ("refunge", b"?X!X>+v^\\\n ^ Y  !<"),
]
NUMBERS, PLACES = st.integers(0, 4), st.tuples(st.integers(0, 9), st.integers(0, 1))

Test = Callable[[Timeline, int], bool]


def _wrote(line: Timeline, tick: int) -> bool:
    step = line.step_to(tick)
    return step is not None and bool(step.output)


def _written(x: int, y: int, line: Timeline, tick: int) -> bool:
    step = line.step_to(tick)
    return step is not None and any((write.x, write.y) == (x, y) for write in step.writes)


def _stands(x: int, y: int, line: Timeline, tick: int) -> bool:
    state = line.moment(tick).state
    return state.stop is None and (x, y) in _places(line, tick)


def _places(line: Timeline, tick: int) -> set[tuple[Any, Any]]:
    return {(one.stance.x, one.stance.y) for one in line.moment(tick).state.walkers}


def _is_new(line: Timeline, tick: int) -> bool:
    earlier = [_places(line.at(before), before) for before in range(tick)]
    return bool(_places(line, tick) - set().union(*earlier))


def _is_repeated(line: Timeline, tick: int) -> bool:
    name, *earlier = (name_of(line.at(at).moment(at).state, no_pause) for at in range(tick, -1, -1))
    return name in earlier


CONDITIONS: list[tuple[str, int, Test]] = [
    ("at 2,0", 1, partial(_stands, 2, 0)),
    ("at 3,0", 3, partial(_stands, 3, 0)),
    ("output", 2, _wrote),
    ("written 0,0", 2, partial(_written, 0, 0)),
    ("new cell", 1, _is_new),
    ("repeated", 1, _is_repeated),
    ("tick % 4 = 1", 3, lambda line, tick: tick % 4 == 1),
]
CHOSEN = st.integers(0, len(CONDITIONS) - 1)


class SessionMachine(RuleBasedStateMachine):
    """A session, and where it should be on which timeline."""

    @initialize(
        program=st.sampled_from(PROGRAMS),
        engine=st.sampled_from(["reference", "interpreter"]),
        seconds=st.sampled_from([0.0, 0.3]),
        text=st.none() | st.binary(max_size=3),
    )
    def start(
        self, program: tuple[str, bytes], engine: str, seconds: float, text: bytes | None
    ) -> None:
        """On a clock that stands still, or by which keyframes are kept and loops looked for."""
        self.language = registry.get(program[0])
        self.settings: dict[str, Any] = {
            "limits": LIMITS._replace(steps=LAST),
            "engine": lambda *given: choose_engine(engine, *given),
            "clock": partial(next, count(0.0, seconds)),
        }
        self.walk = Session(Program(self.language, program[1]), text, 1, **self.settings)
        self.line = Timeline(self.language, "main", self.walk.state.copy())
        self.lines = {"main": self.line}
        self.tick, self.stop = 0, self.line.moment(0).stop
        self.wanted = [
            parse(text if every == 1 else f"{text} every {every}", self.language)
            for text, every, _ in CONDITIONS
        ]
        self.met: list[dict[tuple[str, int], int]] = [{} for _ in CONDITIONS]
        """The hits of each condition that are known at some places."""

    def arrive(self, tick: int) -> None:
        """Be at a tick, or where the run ends before."""
        self.line = self.line.at(tick)
        state, _, stop = self.line.moment(tick)
        self.tick = state.tick
        self.stop = Hungry() if stop is None and tick > self.tick else stop
        self.line.reached = max(self.line.reached, self.tick)

    @invariant()
    def is_where_running_leads(self) -> None:
        walk = self.walk
        assert (walk.tick, walk.branch.name) == (self.tick, self.line.name)
        state, output, _ = self.line.moment(self.tick)
        assert walk.state == state and walk.written == len(output)
        assert walk.stop == self.stop

    def inside(self, place: tuple[int, int]) -> tuple[int, int]:
        """One of the cells there are."""
        plane: Any = self.walk.state.plane
        return place[0] % plane.width, place[1] % plane.height

    # Walking ---------------------------------------------------------------------------------

    @rule(tick=st.integers(0, LAST))
    def goto(self, tick: int) -> None:
        self.walk.goto(tick)
        self.arrive(tick)

    @rule(ticks=st.integers(0, 9))
    def forward(self, ticks: int) -> None:
        ticks = min(ticks, LAST - self.tick)
        self.walk.forward(ticks)
        self.arrive(self.tick + ticks)

    @rule(ticks=st.integers(0, 9))
    def back(self, ticks: int) -> None:
        self.walk.back(ticks)
        self.arrive(max(self.tick - ticks, 0))

    @rule()
    def end(self) -> None:
        self.walk.end()
        self.arrive(LAST)

    @rule()
    def look(self) -> None:
        assert self.walk.output == self.line.moment(self.tick).output

    @rule(chosen=st.randoms(use_true_random=False))
    def switch(self, chosen: Any) -> None:
        name = chosen.choice(list(self.lines))
        self.walk.switch(name)
        self.line = self.lines[name]
        self.arrive(max(min(self.tick, self.line.reached), self.line.begins))

    # Changing --------------------------------------------------------------------------------

    def on_a_branch_of_its_own(self) -> None:
        """What is here now is where another timeline begins."""
        name, output = self.walk.branch.name, self.line.moment(self.tick).output
        assert name not in self.lines
        self.line = Timeline(self.language, name, self.walk.state.copy(), output, self.line)
        self.lines[name] = self.line
        self.arrive(self.tick)

    @rule()
    def fork(self) -> None:
        self.walk.fork()
        self.on_a_branch_of_its_own()

    @rule(place=PLACES, sign=st.sampled_from(" 17.X+!"))
    def edit_cell(self, place: tuple[int, int], sign: str) -> None:
        place = self.inside(place)
        before = self.line.moment(self.tick).state.copy()
        self.walk.edit(cell=place, value=sign)
        self.on_a_branch_of_its_own()
        assert {change.part for change in before.diff(self.walk.state)} <= {"plane", "stop"}
        assert self.walk.state.plane.cell(*place) == ord(sign)

    @precondition(lambda self: self.walk.state.stack)
    @rule(value=st.integers(-3, 90))
    def edit_stack(self, value: int) -> None:
        self.walk.edit(stack=0, value=value)
        self.on_a_branch_of_its_own()
        assert self.walk.state.stack[-1] == value

    @rule(data=st.binary(max_size=2))
    def edit_input(self, data: bytes) -> None:
        self.walk.edit(input=data)
        self.on_a_branch_of_its_own()
        assert self.walk.state.input.unread == len(data)

    @precondition(lambda self: not self.walk.state.input.closed)
    @rule(data=st.binary(max_size=2))
    def feed(self, data: bytes) -> None:
        self.walk.feed(data)
        if self.tick < self.line.reached:
            name = self.walk.branch.name
            before = self.line.moment(self.tick)
            assert name not in self.lines, "in the past it forks"
            self.line = Timeline(self.language, name, before.state, before.output, self.line)
            self.lines[name] = self.line
        self.line.feed(self.tick, data)
        self.arrive(self.tick)

    @rule()
    def save_and_open(self) -> None:
        """Hits are not in a file; of how far branches were seen, it has what matters to others."""
        self.walk = from_bytes(to_bytes(self.walk), registry.get, **self.settings)
        self.met = [{} for _ in CONDITIONS]
        for line in self.lines.values():
            forks = [one.begins for one in self.lines.values() if one.parent is line]
            line.reached = max([line.begins, line.heard_last, *forks])
        assert [*self.walk.branches] == [*self.lines]
        self.arrive(self.tick)

    # Conditions ------------------------------------------------------------------------------

    def hits(self, chosen: int) -> int | None:
        """Those up to now, counted on from the last place at which they are known."""
        test = CONDITIONS[chosen][2]
        hits = 0
        for tick in range(self.tick, -1, -1):
            line: Timeline | None = self.line.at(tick)
            while line is not None and tick >= line.begins:
                known = self.met[chosen].get((line.name, tick))
                if known is not None:
                    return known + hits
                line = line.parent if tick == line.begins else None
            if tick:
                hits += test(self.line.at(tick - 1), tick)
        return None

    def note(self, chosen: int, hits: int) -> None:
        if CONDITIONS[chosen][1] > 1:
            self.met[chosen][self.line.name, self.tick] = hits

    @rule(chosen=CHOSEN)
    def count(self, chosen: int) -> None:
        self.walk.count(self.wanted[chosen])
        if self.hits(chosen) is None:
            self.note(chosen, 0)

    @rule(chosen=CHOSEN)
    def until(self, chosen: int) -> None:
        _, every, test = CONDITIONS[chosen]
        hits = self.hits(chosen) or 0
        found = self.walk.until(self.wanted[chosen])
        end = self.line.moment(LAST).state.tick
        for tick in range(self.tick + 1, end + 1):
            hits += test(self.line, tick)
            if test(self.line, tick) and hits % every == 0:
                self.arrive(tick)
                self.stop = Hit(self.wanted[chosen].text)
                break
        else:
            at_last = self.tick == LAST
            self.arrive(LAST)
            self.stop = None if at_last else self.stop
        assert found == self.stop
        self.note(chosen, hits)

    @rule(chosen=CHOSEN)
    def back_until(self, chosen: int) -> None:
        _, every, test = CONDITIONS[chosen]
        hits = self.hits(chosen) if every > 1 else None
        passed = every - 1
        if hits is not None:
            passed = (hits - test(self.line, self.tick)) % every
        self.walk.back_until(self.wanted[chosen])
        for tick in range(self.tick - 1, -1, -1):
            if test(self.line.at(tick), tick):
                if not passed:
                    self.arrive(tick)
                    self.note(chosen, 0)
                    self.stop = Hit(self.wanted[chosen].text)
                    return
                passed -= 1
        self.arrive(0)

    @rule(chosen=CHOSEN)
    def ask_whether_true(self, chosen: int) -> None:
        expected = CONDITIONS[chosen][2](self.line, self.tick)
        assert self.walk.is_true_now(self.wanted[chosen]) == expected

    # Questions -------------------------------------------------------------------------------

    @rule(place=PLACES)
    def ask_about_a_cell(self, place: tuple[int, int]) -> None:
        line, tick, place = self.line, self.tick, self.inside(place)
        assert _fact(self.walk.who_wrote(*place)) == next(
            iter(line.life(tick, *place, changes=False)[:0:-1]), None
        )
        assert _fact(self.walk.last_read(*place)) == line.last_read(tick, *place)
        found = [_fact(deed) for deed in self.walk.biography(*place)]
        assert found == line.life(tick, *place, changes=True)

    @rule(index=NUMBERS)
    def ask_about_the_output(self, index: int) -> None:
        deed = self.walk.when_written(index)
        ticks = range(self.tick)
        after = (len(self.line.at(tick).step(tick).output) for tick in ticks)
        written = 0
        for tick, some in zip(ticks, after, strict=True):
            written += some
            if written > index:
                assert deed is not None and deed.tick == tick
                assert self.walk.why(output=index) is not None
                return
        assert deed is None and self.walk.why(output=index) is None

    @rule(index=NUMBERS)
    def ask_why_of_the_stack(self, index: int) -> None:
        cause, stack = self.walk.why(stack=index), self.walk.state.stack
        assert (cause is None) == (index >= len(stack))
        if cause is not None:
            self.check_cause(cause, stack[-1 - index])

    @rule(place=PLACES)
    def ask_why_of_a_cell(self, place: tuple[int, int]) -> None:
        place = self.inside(place)
        cause = self.walk.why(cell=place)
        assert cause is not None
        self.check_cause(cause, self.walk.state.plane.cell(*place))

    def check_cause(self, cause: Cause, value: Any) -> None:
        """Whatever it names did make or hold that very value."""
        line = self.line.at(max(self.tick - 1, 0))
        if cause.kind == "earlier":
            assert cause.tick > 0 and cause.tick in (line.begins, self.line.begins)
        elif cause.kind == "cell" and cause.instruction is None:
            assert cause.place is not None
            assert value == line.at(0).moment(0).state.plane.cell(*cause.place)
        elif cause.kind in ("cell", "computed"):
            actions = [one for one in line.step(cause.tick).actions if self.is_at(one, cause.place)]
            made = [made for one in actions for made in one.pushed]
            made += [write.new for write in line.step(cause.tick).writes]
            assert value in made
        elif cause.kind == "input":
            step = line.step(cause.tick)
            assert value in step.input

    @staticmethod
    def is_at(action: Any, place: tuple[Any, Any] | None) -> bool:
        return (action.stance.x, action.stance.y) == place

    @rule()
    def ask_for_visits(self) -> None:
        expected: dict[tuple[Any, Any], int] = {}
        for step in self.line.at(max(self.tick - 1, 0)).steps_before(self.tick):
            for action in step.actions:
                place = action.stance.x, action.stance.y
                expected[place] = expected.get(place, 0) + len(action.walkers)
        assert {at: some.times for at, some in self.walk.visits().items()} == expected


def _fact(deed: Any) -> Fact | None:
    return None if deed is None else Fact(deed.tick, deed.value, deed.by_hand)


WALKS: dict[str, tuple[tuple[str, bytes], bytes | None, list[tuple[Any, ...]]]] = {
    "output is looked at before more is written": (
        ("mirrorfunge", b"1:.)"),
        b"",
        [("goto", 30), ("goto", 20), ("look",), ("end",), ("look",)],
    ),
    "hits are counted from the tick of a fork": (
        ("mirrorfunge", b"1:.)"),
        b"",
        [("forward", 1), ("count", 1), ("fork",), ("forward", 9), ("until", 1)],
    ),
    "hits are counted from a fork at the beginning": (
        ("mirrorfunge", b"1:.)"),
        b"",
        [("count", 1), ("fork",), ("forward", 9), ("until", 1)],
    ),
    "a value from the midst of a stack": (
        ("mirrorfunge", b"12341r"),
        b"",
        [("goto", 6), ("ask_why_of_the_stack", 0), ("ask_why_of_the_stack", 1)],
    ),
    "input of later is not there before": (
        ("mirrorfunge", b"123.@"),
        None,
        [("end",), ("feed", b"x"), ("ask_about_the_output", 0), ("back", 1)],
    ),
    "input that comes when all is over": (
        ("mirrorfunge", b"123.@"),
        None,
        [("end",), ("feed", b""), ("goto", 0), ("end",), ("save_and_open",)],
    ),
    "a search comes to input that came when all was over": (
        ("mirrorfunge", b"123.@"),
        None,
        [("end",), ("feed", b""), ("back", 1), ("until", 4)],
    ),
    "a search tick by tick ends where input comes": (
        ("mirrorfunge", b"12341r.2g.:s,4@"),
        None,
        [("forward", 1), ("feed", b""), ("goto", 0), ("until", 4)],
    ),
    "a branch of an opened session is known up to where input came": (
        ("mirrorfunge", b"123.@"),
        None,
        [
            *[("end",), ("feed", b""), ("back", 1), ("save_and_open",)],
            *[("edit_input", b""), ("end",), ("switch", Random(2))],
        ],
    ),
    "the rounds of a loop that were skipped were reached": (
        ("mirrorfunge", b"1$    "),
        b"",
        [("goto", 40), ("fork",), ("switch", Random(2))],
    ),
    "a search ahead in a loop is not where the run was": (
        ("mirrorfunge", b"1$    "),
        None,
        [("until", 0), ("feed", b"a")],
    ),
    "input ends a loop that was proven": (
        ("mirrorfunge", b"1$    "),
        None,
        [("goto", 40), ("feed", b"ab"), ("goto", 0), ("goto", 50)],
    ),
    "input makes a tick another one": (
        ("mirrorfunge", b"1$    "),
        None,
        [("until", 5), ("feed", b"ab"), ("until", 5)],
    ),
    "the last tick before a fork": (
        ("refunge", b"+XX!^"),
        b"",
        [("goto", 2), ("edit_cell", (4, 0), "1"), ("ask_about_a_cell", (0, 0))],
    ),
    "two edits at one tick": (
        ("refunge", b"+XX!^"),
        b"",
        [
            ("edit_cell", (0, 0), "1"),
            ("edit_cell", (1, 0), "1"),
            ("ask_about_a_cell", (0, 0)),
            ("ask_about_a_cell", (1, 0)),
        ],
    ),
    "what an edit has brought in has no cause": (
        ("mirrorfunge", b"12+.@"),
        b"",
        [
            ("forward", 1),
            ("edit_stack", 7),
            ("ask_why_of_the_stack", 0),
            ("edit_cell", (3, 0), "7"),
            ("ask_why_of_a_cell", (3, 0)),
        ],
    ),
    "input in the past of an opened session": (
        ("mirrorfunge", b"~,~,~,@"),
        None,
        [
            *[("feed", b"a"), ("end",), ("feed", b"b"), ("end",), ("goto", 1)],
            *[("save_and_open",), ("feed", b"z"), ("end",), ("look",)],
        ],
    ),
}


@pytest.mark.parametrize("name", WALKS)
def test_a_session_is_where_running_leads(name: str) -> None:
    program, text, steps = WALKS[name]
    machine = SessionMachine()
    seconds = 0.3 if "loop" in name else 0.0
    machine.start(program=program, engine="reference", seconds=seconds, text=text)
    for rule_name, *values in steps:
        getattr(machine, rule_name)(*values)
        machine.is_where_running_leads()


def test_whatever_is_done_a_session_is_where_running_leads() -> None:
    run_state_machine_as_test(
        SessionMachine, settings=settings(max_examples=200, stateful_step_count=20)
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(3))
def test_whatever_is_done_for_long_a_session_is_where_running_leads(number: int) -> None:
    run_state_machine_as_test(
        seed(number)(type("Machine", (SessionMachine,), {})),
        settings=settings(max_examples=600, stateful_step_count=30),
    )
