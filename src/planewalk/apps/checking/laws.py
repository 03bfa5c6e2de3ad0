"""What must hold for every program, in any language, on every engine.

A law is a function of a `Trial`. It gives None if the program keeps it, else a sentence that says
what is wrong. Exceptions are wrong as well; the caller turns them into sentences. Where the
language itself raises one, that breaks the law `programs run`; for all others it is `Raised`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ...core.difference import state_changes, told
from ...core.errors import SourceError
from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.language import Language, Pace
from ...core.state import State
from ...core.step import STATUS, Hungry, Stop
from ...core.stream import InputStream
from .trial import COMPILED, PIECE, REFERENCE, Runner, Trial

ENGINES = (REFERENCE, *COMPILED)
MOST_CELLS = 400
"""Cells of a program that are decoded in every mode and heading."""

MOST_TOLD = 3
"""Differences of states that a message lists."""

Law = Callable[[Trial], str | None]


class Reached(NamedTuple):
    """The state of the reference engine at a tick, or at an earlier stop."""

    until: int
    state: State
    stop: Stop | None


class Raised(Exception):
    """The language raised an exception, which only the law `programs run` reports."""


def course(trial: Trial) -> list[Reached]:
    """The states of a run at its marks, until it ends or becomes large."""
    reached = []
    try:
        runner = trial.runner(REFERENCE)
        for mark in trial.marks:
            stop = runner.go_to(mark, PIECE)
            cut = stop is None and runner.state.tick < mark
            until = runner.state.tick if cut else mark
            reached.append(Reached(until, runner.state.copy(), stop))
            if stop is not None or cut:
                break
    except Exception as error:
        raise Raised from error
    return reached


def programs_run(trial: Trial) -> str | None:
    """No function of a language raises an exception in a run."""
    try:
        course(trial)
    except Raised as raised:
        assert raised.__cause__ is not None
        raise raised.__cause__ from None
    return None


def engines_agree(trial: Trial, engines: Sequence[str] = ENGINES) -> str | None:
    """All engines reach the same complete states, at once and step by step."""
    expected = course(trial)
    for engine in engines:
        for way, goals in (("in one go", expected[-1:]), ("bit by bit", expected)):
            runner = trial.runner(engine)
            said = _compare(runner, goals, way)
            if trial.tally is not None:
                trial.tally.count(runner)
            if said:
                return said
    return None


def states_survive_json(trial: Trial, engines: Sequence[str] = ENGINES) -> str | None:
    """A state survives JSON, and goes on alike on every engine."""
    first, *later = course(trial)
    for _, state, _ in (first, *later):
        twin = reread(state)
        if twin != state:
            return f"JSON changes the state of tick {state.tick}: {_parts(state, twin)}"
    for engine in engines:
        runner = trial.runner(engine, reread(first.state))
        said = _compare(runner, later, f"from the JSON of tick {first.state.tick}")
        if said:
            return said
    return None


def reread(state: State) -> State:
    return State.from_json(json.loads(json.dumps(state.to_json())))


def copies_are_independent(trial: Trial) -> str | None:
    """Running a copy of a state does not change the state."""
    for _, state, _ in course(trial):
        before, twin = json.dumps(state.to_json()), state.copy()
        if twin != state:
            return f"a copy of the state of tick {state.tick} differs: {_parts(state, twin)}"
        trial.runner(REFERENCE, twin).go_to(state.tick + PIECE, 1)
        if json.dumps(state.to_json()) != before:
            return f"running a copy of the state of tick {state.tick} changes the state"
    return None


def seeds_repeat(trial: Trial) -> str | None:
    """The same source, input and seed give the same run."""
    for one, other in zip(course(trial), course(trial), strict=False):
        if one != other:
            parts = _parts(one.state, other.state)
            return f"a second run differs by tick {one.state.tick}: {parts}"
    return None


def input_may_come_late(trial: Trial, engines: Sequence[str] = ENGINES) -> str | None:
    """A run that is fed byte by byte equals the run with all input at once. An instruction violates
    this if it changes anything before it asks for input."""
    goal = course(trial)[-1]
    for engine in engines:
        state = trial.start()
        state.input = InputStream(closed=False)
        said = _feed(trial.runner(engine, state), trial, goal)
        if said:
            return said
    return None


def _feed(runner: Runner, trial: Trial, goal: Reached) -> str | None:
    """Run up to the goal, with another byte whenever the program waits for input."""
    fed, state = trial.runner(REFERENCE), runner.state
    coming = iter([*(bytes([byte]) for byte in trial.data), b""])
    stop = runner.go_to(goal.until)
    while isinstance(stop, Hungry):
        fed.go_to(state.tick)
        # Of several walkers in turns, some have acted in this tick already, and rightly so.
        whole = trial.language.rules.pace is Pace.TOGETHER or len(fed.state.walkers) == 1
        if whole and _but_for_input(state) != _but_for_input(fed.state):
            parts = _parts(_but_for_input(fed.state), _but_for_input(state))
            return f"{runner.name} has changed something before it asks for input: {parts}"
        state.input.feed(next(coming))
        stop = runner.go_to(goal.until)
    if state.input.position != goal.state.input.position:
        read = f"{state.input.position} bytes, not {goal.state.input.position}"
        return f"{runner.name}, fed byte by byte, has read {read}, by tick {state.tick}"
    expected = goal._replace(state=_but_for_input(goal.state))
    return _difference(runner.name, "fed byte by byte", expected, _but_for_input(state), stop)


def _but_for_input(state: State) -> State:
    """A copy of a state without its input, which may not have arrived yet."""
    twin = state.copy()
    twin.input = InputStream()
    return twin


def decode_never_raises(trial: Trial) -> str | None:
    """Every cell decodes to an instruction for every heading and mode."""
    for _, state, _ in course(trial):
        for stance in stances(trial.language, state):
            try:
                found = trial.language.decode(state.plane, stance)
            except Exception as error:
                return f"decode raises {type(error).__name__} for {stance}: {error}"
            if not isinstance(found, Instruction):
                return f"decode gives {found!r} for {stance}, which is not an Instruction"
    return None


def stances(language: Language, state: State) -> Iterator[Stance]:
    """Every cell of a program, from every heading, in the modes that its walkers are in."""
    modes = {walker.stance.mode for walker in state.walkers}
    for x, y in _cells(state):
        for dx, dy in language.looks.headings:
            for mode in modes:
                yield Stance(x, y, dx, dy, mode)


def _cells(state: State) -> Iterator[tuple[int, int]]:
    """The first cells of a program."""
    left, top, right, bottom = state.plane.box() or (0, 0, -1, -1)
    cells = ((x, y) for y in range(top, bottom + 1) for x in range(left, right + 1))
    return islice(cells, MOST_CELLS)


def states_can_be_shown(trial: Trial) -> str | None:
    """What a language tells of a state has the types that tools expect."""
    language = trial.language
    for _, state, _ in course(trial):
        try:
            json.dumps(language.shown(state))
        except (TypeError, ValueError) as error:
            return f"show gives what is not JSON: {error}"
        for x, y in _cells(state):
            language.sign(state.plane, x, y)
        for stance, _ in state.walkers:
            manner = language.looks.manner(stance)
            if not isinstance(manner, str):
                return f"manner gives {manner!r} for {stance}, which is not text"
        epilogue, value = language.results.epilogue, language.results.value
        if epilogue is not None and not isinstance(epilogue(state), str):
            return f"epilogue gives {epilogue(state)!r}, which is not text"
        if value is not None and not isinstance(value(state), int):
            return f"value gives {value(state)!r}, which is not a whole number"
    return None


LAWS: dict[str, Law] = {
    "programs run": programs_run,
    "engines agree": engines_agree,
    "input may come late": input_may_come_late,
    "states survive JSON": states_survive_json,
    "copies are independent": copies_are_independent,
    "seeds repeat": seeds_repeat,
    "decode never raises": decode_never_raises,
    "states can be shown": states_can_be_shown,
}


def any_source_runs(language: Language, source: bytes) -> str | None:
    """Every source is a program, or refused with a message."""
    trial = Trial(language, source)
    try:
        state = trial.start()
    except SourceError as error:
        return None if str(error) else "start raises a SourceError that says nothing"
    trial.runner(REFERENCE, state).go_to(PIECE, 1)
    return None


def _compare(runner: Runner, goals: list[Reached], way: str) -> str | None:
    for goal in goals:
        stop = runner.go_to(goal.until)
        said = _difference(runner.name, way, goal, runner.state, stop)
        if said:
            return said
    return None


def _difference(
    engine: str, way: str, goal: Reached, state: State, stop: Stop | None
) -> str | None:
    if state != goal.state:
        parts = _parts(goal.state, state)
        return f"{engine}, {way}, differs from the reference engine by tick {goal.until}: {parts}"
    if stop != goal.stop:
        ends = f"{_word(stop)} instead of {_word(goal.stop)}"
        return f"{engine}, {way}, stops differently by tick {goal.until}: {ends}"
    return None


def _word(stop: Stop | None) -> str:
    return "going on" if stop is None else STATUS[type(stop)]


def _parts(one: State, other: State) -> str:
    return "; ".join(told(state_changes(one, other), MOST_TOLD)) or "different contents"
