"""What is learnt of a run before code is made: by profiles, by exploring, and by tries in vain."""

from typing import Any

import pytest

from planewalk.core.errors import LanguageError
from planewalk.core.geometry import Stance
from planewalk.core.instruction import Instruction
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Halted, Hungry
from planewalk.engines.base.policy import PATIENT
from planewalk.engines.compiled.task import Task, TreeFinder
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.footprint import blocks
from planewalk.engines.tracing.ir import Key
from planewalk.engines.tracing.profile import Profile
from planewalk.examples import find_example
from planewalk.languages import registry

PROGRAMS = {
    "mirrorfunge": b'"!"v\n@ .,<', "gemooy": b"$ %\n #\n  @", "webfunge": b"92.2&,@",
    "refunge": b"+X!^",
}  # fmt: skip


def begun(name: str) -> tuple[Language, State]:
    language = registry.get(name)
    return language, language.start(PROGRAMS[name], language.read_options({}), 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_walks_where_an_observer_sees_it_walk(name: str) -> None:
    language, state = begun(name)
    steps = list(observe(Observer(language, state), 9))
    language, again = begun(name)
    profile = Profile()
    stop = profile.watch(ReferenceEngine(language, again), 9)
    assert [key.stance for key in profile.path] == [step.actions[0].stance for step in steps]
    assert profile.walked == {key.stance for key in profile.path}
    assert again == state and stop == state.stop


def test_numbers_that_words_are_given() -> None:
    """In the order in which they are asked for: Webfunge has to know which register, then."""
    language, state = begun("webfunge")
    profile = Profile()
    profile.watch(ReferenceEngine(language, state), 5)
    steps = list(observe(Observer(*begun("webfunge")), 5))
    stored, fetched = steps[2].actions[0], steps[4].actions[0]
    assert profile.seen[stored.stance, 0] == {2} == profile.seen[fetched.stance, 0]
    assert profile.seen[stored.stance, 1] == {stored.stored[0].name}
    assert profile.seen[fetched.stance, 1] == {fetched.fetched[0][0]}


def test_a_tick_that_waits_for_input_is_where_it_stands() -> None:
    language = registry.get("mirrorfunge")
    state = language.start(b"1&@", {}, 0)
    state.input.closed = False
    profile, engine = Profile(), ReferenceEngine(language, state)
    assert isinstance(profile.watch(engine, 9), Hungry)
    assert [key.stance.x for key in profile.path] == [0, 1] and state.tick == 1
    state.input.feed(b"")
    assert isinstance(profile.watch(engine, 9), Halted)
    assert profile.path[0].stance.x == 1


def test_nobody_listens_when_it_is_over() -> None:
    """Not even after an instruction that fails."""

    def decode(plane: object, stance: Stance) -> Instruction:
        if stance.x == 2:
            raise ValueError("this far")
        return language.decode(plane, stance)

    language, state = begun("mirrorfunge")
    engine = ReferenceEngine(language._replace(decode=decode), state)
    own = dict(vars(engine.machine))
    Profile().watch(engine, 1)
    assert vars(engine.machine)["cell"] == own["cell"]
    with pytest.raises(LanguageError, match="this far"):
        Profile().watch(engine, 9)
    for word in ("known", "register", "set_register", "look"):
        assert word not in vars(engine.machine)
    assert vars(engine.machine)["cell"] == own["cell"]


STORM = rb"""X-<|+-\>
+~-/~ -/
X| ^vv*
v#^*->#X
* v+ <*/
\>| \#\~
^ *>/X\
#< --<>*
@+^X<-*
X|@+/v>\
"""
"""Its units are left after a few ticks, wherever they begin."""


def test_tries_in_vain_become_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = []
    watch = Profile.watch

    def counted(profile: Profile, *given: Any) -> Any:
        watched.append(given)
        return watch(profile, *given)

    monkeypatch.setattr(Profile, "watch", counted)
    language = registry.get("refunge")
    state, expected = (language.start(STORM, language.read_options({}), 0) for _ in range(2))
    at_once = PATIENT._replace(background=False)
    engine = PythonEngine(language, state, Limits(memory=None), at_once)
    assert engine.advance(100_000) is None
    assert 2 <= len(watched) <= 10  # tried again and again it would be some fifty times
    ReferenceEngine(language, expected).advance(100_000)
    assert state == expected


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
