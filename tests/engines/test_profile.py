"""What a profile learns of a run is what an observer sees of it, and it leaves no trace in it."""

import pytest

from planewalk.core.errors import LanguageError
from planewalk.core.geometry import Stance
from planewalk.core.instruction import Instruction
from planewalk.core.language import Language
from planewalk.core.state import State
from planewalk.core.step import Halted, Hungry
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.profile import Profile
from planewalk.languages import registry

PROGRAMS = {
    "mirrorfunge": b'"!"v\n@ .,<',
    "gemooy": b"$ %\n #\n  @",
    "webfunge": b"92.2&,@",
    "refunge": b"+X!^",
}


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
