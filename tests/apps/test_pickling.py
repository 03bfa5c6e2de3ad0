"""What leaves a process: all that the library gives comes back the same, wherever it is read."""

import copy
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import planewalk as pw
from planewalk.apps.sessions import writer_below
from planewalk.core import errors
from planewalk.core.instruction import Group, InstructionTable
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.step import Spent
from planewalk.debug.conditions import quantities
from planewalk.debug.conditions.grammar import COMPARISONS, EXAMPLES, ConditionError, parse
from planewalk.debug.walkfile import to_bytes
from planewalk.examples import Example, gallery
from planewalk.languages import outside, registry
from planewalk.view.flow.flow import flow_json
from planewalk.view.walk.follow import Follower
from tests.marks import plainly
from tests.patience import PATIENCE
from tests.test_new_language import guide_code

Again = Callable[[Any], Any]
SNAILS = guide_code()
SOME = 300
"""Steps, in which most of the gallery ends or shows what it does."""


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS = [pickled, copy.deepcopy, copy.copy]
FIRST = [gallery(language)[0] for language in registry.SUFFIXES]
AGAIN = pytest.mark.parametrize("again", WAYS, ids=lambda way: way.__name__)
EXAMPLES_AGAIN = pytest.mark.parametrize(
    ("example", "again"),
    plainly([*product(gallery(), WAYS[:1]), *product(FIRST, WAYS[1:])], product(gallery(), WAYS)),
    ids=lambda value: getattr(value, "file", None) or value.__name__,
)


def load(example: Example) -> pw.Program:
    return pw.load(source=example.read(), language=example.language)


def told(run: pw.Run) -> dict[str, Any]:
    """All that a run says of itself."""
    return {**run.to_dict(), "compiled": run.compiled, "stop": run.stop, "log": repr(run.log)}


# The gallery -------------------------------------------------------------------------------------


@EXAMPLES_AGAIN
def test_runs_programs_and_states(example: Example, again: Again) -> None:
    program = load(example)
    run = pw.run(program, seed=5, max_steps=SOME, input=b"12 7\n3")
    other = again(run)
    assert told(other) == told(run) and other.state == run.state
    assert other.language is registry.get(example.language)
    assert other.output == run.output and other.value == run.value and other.colour == run.colour
    same = again(program)
    assert same.language is program.language and same.source == program.source
    assert same.options == program.options and same.given == program.given
    further = [pw.run(state=state, max_steps=SOME) for state in (run.state, other.state)]
    assert told(further[0]) | {"seconds": 0} == told(further[1]) | {"seconds": 0}
    assert again(run.state) == run.state, "it was not run on by another"


@EXAMPLES_AGAIN
def test_what_explains_a_run(example: Example, again: Again) -> None:
    program = load(example)
    explanation = pw.explain(program, seed=5, max_steps=SOME)
    assert again(explanation) == explanation and str(again(explanation)) == str(explanation)
    rows = {id(row) for table in program.language.tables for row in table}
    for visit in again(explanation).visits:
        assert id(visit.instruction) in rows or visit.instruction not in program.language.table
    graph = pw.graph(program, seed=5, max_steps=SOME)
    other = again(graph)
    assert (other.title, flow_json(other.flow)) == (graph.title, flow_json(graph.flow))
    walk = pw.session(program, seed=5, input=b"12 7\n3")
    steps = list(walk.steps(0, 40))
    assert again(steps) == steps


@AGAIN
@pytest.mark.parametrize("language", registry.SUFFIXES)
def test_films_and_moments(language: str, again: Again) -> None:
    program = load(gallery(language)[0])
    film = pw.film(program, seed=5, steps=(0, 12), input="3", heat=True)
    other = again(film)
    assert (other.svg(), other.frames, other.stop) == (film.svg(), film.frames, film.stop)
    assert (repr(other), other.html()) == (repr(film), film.html())
    moment = pw.picture(program, seed=5, at=3, input="3", trail=5)
    same = again(moment)
    assert (same.svg(), same.text(), same.steps, same.stop) == (
        moment.svg(), moment.text(), moment.steps, moment.stop
    )  # fmt: skip


@AGAIN
def test_pictures_and_frames(again: Again) -> None:
    program = pw.load(source="0y1y4y@", language="webfunge")
    picture = pw.render(program, size=(4, 3))
    assert again(picture) == picture and again(picture).tally == picture.tally
    frames = pw.render(program, size=(4, 3), frames=3, heat="steps", max_time=PATIENCE)
    other = again(frames)
    assert list(other) == list(frames) and other.times == frames.times
    assert (other.fps, other.size, other.tally) == (frames.fps, frames.size, frames.tally)


@pytest.mark.parametrize("again", [pickled, copy.deepcopy], ids=lambda f: f.__name__)
def test_walkers_that_are_followed_keep_their_numbers(again: Again) -> None:
    (example,) = (one for one in gallery("refunge") if one.file == "meet.ref")
    program = load(example)
    follower = Follower(program.language, Limits(), 3).follow(program.start(5))
    follower.advance(11)
    assert follower.numbers == [0, 2, 1, 3], "they met, and went on in another order"
    other = again(follower)
    for one in (follower, other):
        one.advance(1)
    assert (other.numbers, other.walkers) == (follower.numbers, follower.walkers)
    assert other.trail() == follower.trail()


def test_walkers_that_nobody_has_looked_at() -> None:
    run = pw.run(source=">" * 40 + "\n" + "*" * 40, language="refunge", max_steps=30_000)
    assert pickled(run.state) == run.state == copy.deepcopy(run.state)


def test_a_state_that_is_copied_is_independent() -> None:
    state = pw.run(source='"iH",,@', language="mirrorfunge", max_steps=4).state
    other = copy.copy(state)
    other.stack.append(1)
    other.walkers.clear()
    other.output += b"!"
    assert other != state and state.stack == [105, 72] and state.walkers and not state.output


def test_a_run_is_small() -> None:
    """What was compiled for it, and where that is kept, is not carried."""
    run = pw.run(source="1>1+:2*$v\n ^     <", language="mirrorfunge", max_steps=9_000, eager=True)
    assert run.compiled.python + run.compiled.native > 0
    assert len(pickle.dumps(run)) < 4_000


# Sessions ----------------------------------------------------------------------------------------


def check_session(walk: pw.Session, other: pw.Session) -> None:
    assert to_bytes(other) == to_bytes(walk)
    assert (other.tick, other.reached, other.stop) == (walk.tick, walk.reached, walk.stop)
    assert (other.output, other.branch.name) == (walk.output, walk.branch.name)
    assert list(other.branches) == list(walk.branches) and other.limits == walk.limits
    for branch in walk.branches.values():
        same = other.branches[branch.name]
        assert (same.parent, same.change, same.edits) == (
            branch.parent, branch.change, branch.edits,
        )  # fmt: skip
        assert (same.reached, same.ending, same.heard) == (
            branch.reached, branch.ending, branch.heard
        )  # fmt: skip
    assert other.state == walk.state and other.language is walk.language


@EXAMPLES_AGAIN
def test_sessions_walk_on(example: Example, again: Again) -> None:
    walk = pw.session(load(example), seed=5, input=b"12 7\n3", max_steps=SOME)
    walk.goto(40)
    walk.back(3)
    other = again(walk)
    check_session(walk, other)
    assert (other.forward(9), other.state) == (walk.forward(9), walk.state)
    assert (other.end(), other.state, other.output) == (walk.end(), walk.state, walk.output)
    assert (other.back(2), other.state) == (walk.back(2), walk.state)


@AGAIN
def test_a_session_keeps_its_branches(again: Again, tmp_path: Path) -> None:
    walk = pw.session(
        source="&&+.@", language="mirrorfunge", max_output=100, history_memory=1 << 20
    )
    walk.write = writer_below(str(tmp_path))
    walk.feed("3 4 ")
    walk.end()
    walk.goto(2)
    walk.edit(stack=0, value=40)
    walk.end()
    walk.back(2)
    walk.fork()
    walk.until("ended")
    other = again(walk)
    check_session(walk, other)
    assert other.budget == 1 << 20 and len(other.branches) == 3
    assert str(other.compare("main")) == str(walk.compare("main"))
    for name in walk.branches:
        assert (walk.switch(name), walk.end(), walk.output) == (
            other.switch(name), other.end(), other.output
        )  # fmt: skip
    other.save("a.walk")
    assert pw.session(tmp_path / "a.walk").output == walk.output


def test_a_session_that_is_full_stays_so() -> None:
    walk = pw.session(source="1+", language="mirrorfunge")
    walk.goto(9)
    walk.branch.full = 9
    other = pickled(walk)
    assert (other.forward(1), other.tick) == (walk.forward(1), walk.tick) == (Spent("memory"), 9)


def test_breakpoints_keep_their_count() -> None:
    """Conditions are known by their identity, so they travel together with their session."""
    walk = pw.session(source="1.1.1.1.1.1.@", language="mirrorfunge")
    third = parse("output every 3", walk.language)
    walk.count(third)
    walk.until("output")
    other, same = pickled((walk, third))
    assert (other.until(same), other.tick) == (walk.until(third), walk.tick)
    assert walk.output == b"111"


@pytest.mark.parametrize("text", EXAMPLES.values())
def test_conditions(text: str) -> None:
    walk = pw.session(source='3>"ab",,:.1-:v\n ^          ?', language="mirrorfunge", max_steps=200)
    text = text.replace("counter", "0")
    wanted = parse(text, walk.language)
    ticks = []
    for one in (wanted, pickled(wanted), copy.deepcopy(wanted)):
        walk.goto(0)
        walk.until(one)
        ticks.append((walk.tick, one.text, one.every))
    assert ticks[0] == ticks[1] == ticks[2]


@pytest.mark.parametrize("sign", COMPARISONS)
def test_comparisons_mean_what_they_say(sign: str) -> None:
    compare, numbers = COMPARISONS[sign], (-1, 0, 1, 1.5, math.nan)
    for found in numbers:
        for than in numbers:
            assert pickled(quantities.test_of(compare, than))(found) == compare(found, than)


@pytest.mark.parametrize("again", [pickled, copy.deepcopy], ids=lambda f: f.__name__)
def test_causes_of_any_depth(again: Again) -> None:
    walk = pw.session(source="0>1+v\n ^  <", language="mirrorfunge")
    walk.goto(40_000)
    cause = walk.why(stack=0)
    assert cause is not None
    other = again(cause)
    assert list(other.lines(9_000)) == list(cause.lines(9_000))
    assert [leaf.told() for leaf in other.leaves()] == [leaf.told() for leaf in cause.leaves()]


# Errors ------------------------------------------------------------------------------------------

ERRORS = [
    errors.PlanewalkError("a"), errors.SourceError("a", (3, 4)), errors.SourceError("a"),
    errors.OptionError("a"), errors.WrongType("a"), errors.UnknownLanguage("a", "b"),
    errors.LanguageError("a", ("a", "b")), errors.LimitReached("a", "time"),
    errors.EngineRefused("a"), ConditionError("a", "text", 2, "at 1,2"),
]  # fmt: skip


@AGAIN
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_keep_what_they_say(error: Exception, again: Again) -> None:
    other = again(error)
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))


def test_every_error_of_ours_is_among_them() -> None:
    def below(kind: type) -> set[type]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    for kind in below(errors.PlanewalkError):
        if kind.__module__.startswith("planewalk.") and kind not in {type(e) for e in ERRORS}:
            error = kind("a")
            assert (type(pickled(error)), str(pickled(error))) == (kind, "a")


def test_time_that_is_left_goes_on_elsewhere() -> None:
    now = [100.0]
    limits = Limits(seconds=9.0).begun(lambda: now[0])
    now[0] += 4.0
    assert copy.deepcopy(limits).deadline.left() == 5.0
    assert pickled(Limits()).deadline is Limits().deadline


# Other processes ---------------------------------------------------------------------------------

POOL = """
import json, sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
import planewalk as pw

if __name__ == "__main__":
    files = json.loads(sys.argv[2])
    with ProcessPoolExecutor(2, mp_context=get_context(sys.argv[1])) as pool:
        for run in pool.map(partial(pw.run, seed=5, max_steps=600), files):
            assert run.language is pw.languages()[run.language.name]
            print(run.language.name, run.steps, run.output.hex(), repr(run.value))
        explanation = pool.submit(pw.explain, files[0]).result()
        assert explanation == pw.explain(files[0])
        walk = pw.session(files[0])
        assert pool.submit(pw.Session.end, walk).result() == walk.end()
        refused = pool.submit(pw.run, source="a", language="mirorfunge").exception()
        assert type(refused) is pw.UnknownLanguage and refused.closest == "mirrorfunge"
"""


def in_another_process(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=folder,
        stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_results_come_back_from_a_pool(method: str, tmp_path: Path) -> None:
    files, lines = [], []
    for language in registry.SUFFIXES:
        example = gallery(language)[0]
        (tmp_path / example.file).write_bytes(example.read())
        run = pw.run(tmp_path / example.file, seed=5, max_steps=600)
        files.append(example.file)
        lines.append(f"{language} {run.steps} {run.output.hex()} {run.value!r}")
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    said = in_another_process(str(script), method, json.dumps(files), folder=tmp_path)
    assert said.splitlines() == lines


READ = """
import pickle, sys
from pathlib import Path
run, explanation = pickle.loads(Path(sys.argv[1]).read_bytes())
print(run.language.name, run.output.decode(), run.language.start.__module__)
print(explanation.visits[0].instruction is run.language.table[ord("+")])
"""


def test_a_language_of_a_file_is_found_where_it_is(tmp_path: Path, monkeypatch) -> None:
    """Also by a process in another folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "languages"
    folder.mkdir()
    (folder / "snails_of_a_file.py").write_text(SNAILS)
    monkeypatch.setattr(sys, "path", [*sys.path])
    language = outside.load("languages/snails_of_a_file.py")
    run = pw.run(source="++.@", language=language)
    explanation = pw.explain(source="++.@", language=language)
    assert pickled(run).language is language
    kept = tmp_path / "kept"
    kept.write_bytes(pickle.dumps((run, explanation)))
    said = in_another_process("-c", READ, str(kept), folder=folder.parent.parent)
    assert said.splitlines() == [f"snails {run.output.decode()} snails_of_a_file", "True"]


def test_a_language_with_a_name_in_a_module_is_found_by_it(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "snails_of_a_module.py").write_text(SNAILS)
    monkeypatch.syspath_prepend(str(tmp_path))
    import snails_of_a_module  # type: ignore[import-not-found]

    explanation = pw.explain(source="++.@", language=snails_of_a_module.LANGUAGE)
    run = pw.run(source="++.@", language=snails_of_a_module.LANGUAGE)
    assert pickled(explanation) == explanation
    kept = tmp_path / "kept"
    kept.write_bytes(pickle.dumps((run, explanation)))
    said = in_another_process("-c", READ, str(kept), folder=tmp_path)
    assert said.splitlines() == [f"snails {run.output.decode()} snails_of_a_module", "True"]


def built_by_hand() -> Language:
    """A language that no module has a name for."""
    table = InstructionTable("by hand")

    @table.instruction("x", "", Group.END)
    def stop(m: Any) -> None:
        """End."""
        m.halt()

    return registry.get("mirrorfunge")._replace(
        name="byhand", table=table, decode=lambda plane, stance: table[ord("x")]
    )


def test_a_language_that_cannot_be_found_again_says_so() -> None:
    language = built_by_hand()
    run = pw.run(source="x", language=language)
    with pytest.raises(pickle.PicklingError) as refused:
        pickle.dumps(run)
    words = str(refused.value)
    assert "'byhand'" in words and "at the top of a module" in words and "\n" not in words
    for again in (copy.copy, copy.deepcopy):
        assert again(run).language is language and told(again(run)) == told(run)
        explanation = pw.explain(source="x", language=language)
        assert again(explanation) == explanation


def test_a_language_that_is_gone_says_so() -> None:
    """An installed language that is not installed where its pickle is read."""
    kept = pickle.dumps(registry.get("mirrorfunge")).replace(b"mirrorfunge", b"mirrorfun_e")
    with pytest.raises(pw.UnknownLanguage, match="did you mean 'mirrorfunge'"):
        pickle.loads(kept)


@pytest.mark.parametrize("name", registry.SUFFIXES)
def test_languages_are_those_of_the_registry(name: str) -> None:
    language = registry.get(name)
    for again in (pickled, copy.copy, copy.deepcopy):
        assert again(language) is language
    for table in language.tables:
        for row in table:
            assert pickled(row) is row
