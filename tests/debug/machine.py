"""A machine that walks about in a session at random, beside plain runs of each branch: nothing that
is done before makes a difference to what a session shows, finds and answers. What it walks with is
handed in: the library itself, the console, an editor, or a page of the studio."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any, Self

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from planewalk.core.base.deadline import no_pause
from planewalk.core.difference import cell as told_cell
from planewalk.core.difference import state_changes
from planewalk.core.program import Program
from planewalk.core.step import Hit, Hungry
from planewalk.debug.asking.causes import Cause
from planewalk.debug.conditions.grammar import Wanted, any_of, parse, parse_value
from planewalk.debug.conditions.sameness import name_of
from planewalk.debug.session import Session
from planewalk.debug.walkfile import from_bytes, to_bytes
from planewalk.engines.choose import choose_engine
from planewalk.languages import registry
from tests.debug.timeline import LIMITS, Fact, Moment, Timeline

LAST = 60
"""No run is looked at after this tick."""
PROGRAMS = [
    ("mirrorfunge", b"12341r.2g.:s,4@"), ("mirrorfunge", b"1:.)"), ("mirrorfunge", b"12~3r:.+,45;"),
    ("mirrorfunge", b'"iH",~.,&.3 1r;)'), ("mirrorfunge", b"   1.   :$"),
    ("mirrorfunge", b"1$    "), ("refunge", b"+XX!^"), ("refunge", b"!X?Xv+^X~<"),
    ("refunge", b"?X!X>+v^\\\n ^ Y  !<"),
]  # fmt: skip
NUMBERS, PLACES = st.integers(0, 4), st.tuples(st.integers(0, 9), st.integers(0, 1))
WATCHED = ["tick", "depth", "top", "stack", "1,0"]

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
    ("at 2,0", 1, partial(_stands, 2, 0)), ("at 3,0", 3, partial(_stands, 3, 0)),
    ("output", 2, _wrote), ("written 0,0", 2, partial(_written, 0, 0)), ("new cell", 1, _is_new),
    ("repeated", 1, _is_repeated), ("tick % 4 = 1", 3, lambda line, tick: tick % 4 == 1),
]  # fmt: skip
"""Each with how many of its hits make one that counts, and what it means."""
CHOSEN = st.integers(0, len(CONDITIONS) - 1)


def words_of(chosen: int) -> str:
    """A condition as it is written."""
    text, every, _ = CONDITIONS[chosen]
    return text if every == 1 else f"{text} every {every}"


class Library:
    """Walks with the methods of a session themselves; the other ways to walk have these, too."""

    paces = 0.0, 0.3
    """Seconds that pass with each look at the clock: by it keyframes are kept and loops found."""
    forks = True
    joins_edits = False
    """Whether several edits in a row are one branch."""
    recounts = False
    """Whether a new breakpoint has all others begin to count, too, where that is not known."""

    def __init__(self, walk: Session) -> None:
        self.walk = walk
        self._points: dict[int, Wanted] = {}
        self.watches: Any = None

    @classmethod
    def open(cls, program: Program, text: bytes | None, settings: dict[str, Any]) -> Self:
        return cls(Session(program, text, 1, **settings))

    def reopened(self, settings: dict[str, Any]) -> Self:
        """Saved and opened again."""
        return type(self)(from_bytes(Session, to_bytes(self.walk), registry.get, **settings))

    def goto(self, tick: int) -> None:
        self.walk.goto(tick)

    def forward(self, ticks: int) -> None:
        self.walk.forward(ticks)

    def back(self, ticks: int) -> None:
        self.walk.back(ticks)

    def end(self) -> None:
        self.walk.end()

    def switch(self, name: str) -> None:
        self.walk.switch(name)

    def edit_cell(self, x: int, y: int, sign: str) -> None:
        self.walk.edit(cell=(x, y), value=sign)

    def edit_stack(self, value: int) -> None:
        self.walk.edit(stack=0, value=value)

    def edit_input(self, data: bytes) -> None:
        self.walk.edit(input=data)

    def feed(self, data: bytes) -> None:
        self.walk.feed(data)

    def set_break(self, chosen: int) -> None:
        wanted = self._points[chosen] = parse(words_of(chosen), self.walk.language)
        self.walk.count(wanted)

    def unset_break(self, chosen: int) -> None:
        del self._points[chosen]

    def run(self) -> None:
        points = [*self._points.values()]
        self.walk.until(any_of(points)) if points else self.walk.end()

    def reverse(self) -> None:
        points = [*self._points.values()]
        self.walk.back_until(any_of(points)) if points else self.walk.goto(0)

    def until(self, chosen: int) -> None:
        self.walk.until(words_of(chosen))

    def back_until(self, chosen: int) -> None:
        self.walk.back_until(words_of(chosen))

    def is_true_now(self, text: str) -> bool:
        return self.walk.is_true_now(parse(text, self.walk.language))

    def who(self, x: int, y: int) -> Fact | None:
        return self._fact(self.walk.who_wrote(x, y))

    def read(self, x: int, y: int) -> Fact | None:
        return self._fact(self.walk.last_read(x, y))

    def life(self, x: int, y: int) -> list[Fact | None]:
        return [self._fact(deed) for deed in self.walk.biography(x, y)]

    def _fact(self, deed: Any) -> Fact | None:
        if deed is None:
            return None
        return Fact(deed.tick, told_cell(deed.value, self.walk.language.looks), deed.by_hand)

    def written_at(self, index: int) -> int | None:
        """The tick in which a byte of the output was written."""
        deed = self.walk.when_written(index)
        return None if deed is None else deed.tick

    def why(self, kind: str, which: Any) -> list[str]:
        """The tree of causes in lines."""
        cause = self.walk.why(**{kind: which})
        return [] if cause is None else [*cause.lines(40)]

    def check(self, moment: Moment) -> None:
        """What is shown is what there is."""
        assert self.walk.written == len(moment.output)


class SessionMachine(RuleBasedStateMachine):
    """A session, and where it should be on which timeline."""

    ways: Sequence[Any] = (Library,)

    @initialize(
        program=st.sampled_from(PROGRAMS), engine=st.sampled_from(["reference", "interpreter"]),
        way=st.integers(0, 5), pace=st.integers(0, 1), text=st.none() | st.binary(max_size=3),
    )  # fmt: skip
    def start(
        self, program: tuple[str, bytes], engine: str, way: int, pace: int, text: bytes | None
    ) -> None:
        self.language = registry.get(program[0])
        kind = self.ways[way % len(self.ways)]
        self.settings: dict[str, Any] = {
            "limits": LIMITS._replace(steps=LAST),
            "engine": lambda *given: choose_engine(engine, *given),
            "clock": partial(next, count(0.0, kind.paces[pace])),
        }
        self.by = kind.open(Program(self.language, program[1]), text, self.settings)
        self.line = Timeline(self.language, "main", self.walk.state.copy())
        self.lines = {"main": self.line}
        self.tick, self.stop = 0, self.line.moment(0).stop
        self.points: list[int] = []
        self.met: list[dict[tuple[str, int], int]] = [{} for _ in CONDITIONS]
        """The hits of each breakpoint that are known at some places."""
        self.watched: dict[str, str | None] = {}
        """What is watched, with its value when that was looked at last."""

    @property
    def walk(self) -> Session:
        walk: Session = self.by.walk
        return walk

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
        moment = self.line.moment(self.tick)
        assert walk.state == moment.state
        assert walk.stop == self.stop
        self.by.check(moment._replace(stop=self.stop))

    def inside(self, place: tuple[int, int]) -> tuple[int, int]:
        """One of the cells there are."""
        plane: Any = self.walk.state.plane
        return place[0] % plane.width, place[1] % plane.height

    # Walking ---------------------------------------------------------------------------------

    @rule(tick=st.integers(0, LAST))
    def goto(self, tick: int) -> None:
        self.by.goto(tick)
        self.arrive(tick)

    @rule(ticks=st.integers(0, 9))
    def forward(self, ticks: int) -> None:
        ticks = min(ticks, LAST - self.tick)
        self.by.forward(ticks)
        self.arrive(self.tick + ticks)

    @rule(ticks=st.integers(0, 9))
    def back(self, ticks: int) -> None:
        self.by.back(ticks)
        self.arrive(max(self.tick - ticks, 0))

    @rule()
    def end(self) -> None:
        self.by.end()
        self.arrive(LAST)

    @rule()
    def look(self) -> None:
        assert self.walk.output == self.line.moment(self.tick).output

    @rule(chosen=st.integers(0, 9))
    def switch(self, chosen: int) -> None:
        name = [*self.lines][chosen % len(self.lines)]
        self.by.switch(name)
        self.line = self.lines[name]
        self.arrive(max(min(self.tick, self.line.reached), self.line.begins))

    # Changing --------------------------------------------------------------------------------

    def on_a_branch_of_its_own(self, edit: bool = True) -> None:
        """What is here now is where another timeline begins."""
        before, name = self.line, self.walk.branch.name
        assert name not in self.lines
        held = any(line.parent is before for line in self.lines.values())
        untouched = before.begins == before.reached == self.tick and not before.arrivals
        output, parent = before.moment(self.tick).output, before
        if edit and self.by.joins_edits and before.parent and untouched and not held:
            del self.lines[before.name]
            parent = before.parent
        self.line = Timeline(self.language, name, self.walk.state.copy(), output, parent)
        self.lines[name] = self.line
        self.arrive(self.tick)

    @precondition(lambda self: self.by.forks)
    @rule()
    def fork(self) -> None:
        self.walk.fork()
        self.on_a_branch_of_its_own(edit=False)

    @rule(place=PLACES, sign=st.sampled_from(" 17.X+!"))
    def edit_cell(self, place: tuple[int, int], sign: str) -> None:
        place = self.inside(place)
        before = self.line.moment(self.tick).state.copy()
        self.by.edit_cell(*place, sign)
        self.on_a_branch_of_its_own()
        assert {change.part for change in state_changes(before, self.walk.state)} <= {
            "plane",
            "stop",
        }
        assert self.walk.state.plane.cell(*place) == ord(sign)

    @precondition(lambda self: self.walk.state.stack)
    @rule(value=st.integers(-3, 90))
    def edit_stack(self, value: int) -> None:
        self.by.edit_stack(value)
        self.on_a_branch_of_its_own()
        assert self.walk.state.stack[-1] == value

    @rule(data=st.binary(max_size=2))
    def edit_input(self, data: bytes) -> None:
        self.by.edit_input(data)
        self.on_a_branch_of_its_own()
        assert self.walk.state.input.unread == len(data)

    @precondition(lambda self: not self.walk.state.input.closed)
    @rule(data=st.binary(max_size=2))
    def feed(self, data: bytes) -> None:
        self.by.feed(data)
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
        self.by = self.by.reopened(self.settings)
        self.met, self.points, self.watched = [{} for _ in CONDITIONS], [], {}
        lines = [*self.lines.values()]
        for line, name in zip(lines, self.walk.branches, strict=True):
            forks = [one.begins for one in lines if one.parent is line]
            line.reached = max([line.begins, line.heard_last, *forks])
            line.name = name
        self.lines = {line.name: line for line in lines}
        self.arrive(self.tick)

    # Breakpoints and conditions --------------------------------------------------------------

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
    def set_break(self, chosen: int) -> None:
        """Set one, or take it away."""
        if chosen in self.points:
            self.by.unset_break(chosen)
            self.points.remove(chosen)
            self.met[chosen].clear()
        else:
            self.by.set_break(chosen)
            self.points.append(chosen)
        for each in self.points:
            if (each == chosen or self.by.recounts) and self.hits(each) is None:
                self.note(each, 0)

    @rule()
    def run(self) -> None:
        self.by.run()
        self.go_to_one_of({one: self.hits(one) or 0 for one in self.points})

    @rule(chosen=CHOSEN)
    def until(self, chosen: int) -> None:
        self.by.until(chosen)
        self.go_to_one_of({chosen: 0}, known=False)

    def go_to_one_of(self, hits: dict[int, int], known: bool = True) -> None:
        """Be at the next tick at which one of some conditions has a hit that counts."""
        end = self.line.moment(LAST).state.tick
        for tick in range(self.tick + 1, end + 1):
            met = [one for one in hits if CONDITIONS[one][2](self.line, tick)]
            hits |= {one: hits[one] + 1 for one in met}
            if any(hits[one] % CONDITIONS[one][1] == 0 for one in met):
                self.arrive(tick)
                self.stop = self.hit_of([*hits])
                break
        else:
            at_last = self.tick == LAST
            self.arrive(LAST)
            self.stop = None if at_last and hits else self.stop
        for one, times in hits.items() if known else ():
            self.note(one, times)

    def hit_of(self, several: list[int]) -> Hit:
        return Hit(any_of([parse(words_of(one), self.language) for one in several]).text)

    @rule()
    def reverse(self) -> None:
        self.by.reverse()
        self.go_back_to_one_of({one: self.hits(one) for one in self.points})

    @rule(chosen=CHOSEN)
    def back_until(self, chosen: int) -> None:
        self.by.back_until(chosen)
        self.go_back_to_one_of({chosen: None}, known=False)

    def go_back_to_one_of(self, hits: dict[int, int | None], known: bool = True) -> None:
        """Be at the last tick before this at which one of some conditions had a hit that counts;
        of several there, the last one begins to count anew."""
        found = []
        for place, (one, met) in enumerate(hits.items()):
            _, every, test = CONDITIONS[one]
            passed = every - 1
            if met is not None and every > 1:
                passed = (met - test(self.line, self.tick)) % every
            ticks = (
                tick for tick in range(self.tick - 1, -1, -1) if test(self.line.at(tick), tick)
            )
            found += [(tick, place, one) for at, tick in enumerate(ticks) if at == passed]
        tick, _, one = max(found, default=(0, 0, None))
        self.arrive(tick)
        if one is not None:
            self.stop = self.hit_of([*hits])
            if known:
                self.note(one, 0)

    @rule(chosen=CHOSEN)
    def ask_whether_true(self, chosen: int) -> None:
        text, _, test = CONDITIONS[chosen]
        assert self.by.is_true_now(text) == test(self.line, self.tick)

    # Watches ---------------------------------------------------------------------------------

    @precondition(lambda self: self.by.watches is not None)
    @rule(words=st.sampled_from(WATCHED))
    def watch(self, words: str) -> None:
        self.by.watch(words)
        self.watched.setdefault(words, None)

    @precondition(lambda self: self.by.watches is not None)
    @rule()
    def look_at_watches(self) -> None:
        now = {words: self.value_of(words) for words in self.watched}
        changed = {words: was not in (None, now[words]) for words, was in self.watched.items()}
        lines = [(f"{words} = {now[words]}", changed[words]) for words in now]
        assert [*self.by.watches.lines()] == lines
        self.watched |= now

    def value_of(self, words: str) -> str:
        found = parse_value(words).of(self.language, self.line.moment(self.tick).state)
        if words == "1,0":
            return told_cell(found, self.language.looks)
        if isinstance(found, list):
            return " ".join(map(str, found)) or "empty"
        return "none" if found is None else str(found)

    # Questions -------------------------------------------------------------------------------

    def told(self, fact: Fact | None) -> Fact | None:
        """The same with its value in words."""
        looks = self.language.looks
        return None if fact is None else fact._replace(value=told_cell(fact.value, looks))

    @rule(place=PLACES)
    def ask_about_a_cell(self, place: tuple[int, int]) -> None:
        line, tick, place = self.line, self.tick, self.inside(place)
        writes = line.life(tick, *place, changes=False)[1:]
        assert self.by.who(*place) == self.told(writes[-1] if writes else None)
        assert self.by.read(*place) == self.told(line.last_read(tick, *place))
        life = line.life(tick, *place, changes=True)
        assert self.by.life(*place) == [self.told(each) for each in life]

    @rule(index=NUMBERS)
    def ask_about_the_output(self, index: int) -> None:
        written = 0
        for tick in range(self.tick):
            written += len(self.line.at(tick).step(tick).output)
            if written > index:
                assert self.by.written_at(index) == tick
                assert self.by.why("output", index)
                return
        assert self.by.written_at(index) is None and not self.by.why("output", index)

    @rule(index=NUMBERS)
    def ask_why_of_the_stack(self, index: int) -> None:
        cause, stack = self.walk.why(stack=index), self.walk.state.stack
        assert (cause is None) == (index >= len(stack))
        if cause is not None:
            self.check_cause(cause, stack[-1 - index])
        assert self.by.why("stack", index) == ([] if cause is None else [*cause.lines(40)])

    @rule(place=PLACES)
    def ask_why_of_a_cell(self, place: tuple[int, int]) -> None:
        place = self.inside(place)
        cause = self.walk.why(cell=place)
        assert cause is not None
        self.check_cause(cause, self.walk.state.plane.cell(*place))
        assert self.by.why("cell", place) == [*cause.lines(40)]

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
