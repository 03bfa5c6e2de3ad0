"""What a session can be asked, and how its past can be changed."""

import gc
import json
import weakref
from itertools import count, pairwise
from typing import Any

import pytest

from planewalk.core.errors import LimitReached, OptionError
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.core.step import Halted, Hit, Spent
from planewalk.debug.conditions.grammar import any_of, parse
from planewalk.debug.replay import course
from planewalk.debug.replay.branch import ProvenLoop
from planewalk.debug.replay.course import KEEPING_SHARE, Course
from planewalk.debug.session import Session
from planewalk.debug.walkfile import WalkFileError, from_bytes, to_bytes
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping import stretch
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.stepping.stretch import STRETCH_SECONDS
from planewalk.languages import registry


def session(name: str, source: bytes, input: bytes | None = b"") -> Session:
    return Session(Program(registry.get(name), source), input, 0)


def test_rounds_that_are_longer_than_a_stretch_are_skipped() -> None:
    walk = session("mirrorfunge", b"1$" + b" " * 4998)
    walk.branch.loop = ProvenLoop(1_000, 5_000)
    for tick in (123_456, 130_000, 7_000):
        walk.goto(tick)
        assert (walk.tick, walk.state.walkers[0].stance.x) == (tick, tick % 5_000)


def test_a_keyframe_that_took_long_is_paid_for_by_and_by(monkeypatch: pytest.MonkeyPatch) -> None:
    now, kept = [0.0], []

    def keep(course: Course, near: bool = False) -> None:
        now[0] += 0 if kept else 3 * KEEPING_SHARE
        kept.append(course.tick)

    def clock() -> float:
        now[0] += STRETCH_SECONDS
        return now[0]

    monkeypatch.setattr(Course, "keep", keep)
    monkeypatch.setattr(stretch, "FIRST_STRETCH", 8)
    walk = Session(Program(registry.get("mirrorfunge"), b"1"), b"", 0, clock=clock)
    walk.goto(3_000)
    first, *others = (after - before for before, after in pairwise(kept))
    assert first * STRETCH_SECONDS > 2 * 8, "most of three seconds"
    assert len(others) > 3 and others[-1] < first / 3


def test_stretches_of_many_walkers_become_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    stretches: list[int] = []
    advance = ReferenceEngine.advance

    def noted(engine: ReferenceEngine, ticks: int, barriers: Any = None) -> Any:
        stretches.append(ticks)
        return advance(engine, ticks, barriers)

    monkeypatch.setattr(course, "CROWD", 8)
    monkeypatch.setattr(ReferenceEngine, "advance", noted)
    program = Program(registry.get("refunge"), b"~~~~")
    walk = Session(program, b"", 0, engine=ReferenceEngine, clock=lambda: 0.0)
    two = walk.state.copy()
    two.walkers = [*two.walkers] * 2
    walk._fork("two", two)
    stretches.clear()
    walk.goto(200)
    assert [ticks for ticks in stretches if ticks][:4] == [4, 8, 16, 32]


def test_cells_that_no_program_can_write_are_edited_by_hand() -> None:
    walk = session("mirrorfunge", b"12+.@\n  1")
    walk.goto(1)
    walk.edit(cell=(2, 0), value="*")
    assert walk.end() == Halted() and walk.output == b"2"
    deed = walk.who_wrote(2, 0)
    assert deed is not None
    assert (deed.tick, deed.by_hand, deed.before, deed.value) == (1, True, ord("+"), ord("*"))
    again = from_bytes(Session, to_bytes(walk), registry.get)
    assert again.state == walk.state and repr(again) == repr(walk)
    assert repr(walk) == "<Session of Mirrorfunge: tick 5 of 5 on 'cell 2,0 = 42 at 1'>"
    walk.edit(cell=(4, 1), value="!")
    assert walk.state.plane.rows == ["12*.@", "  1 !"]  # type: ignore[attr-defined]
    with pytest.raises(OptionError, match="is not on the plane"):
        walk.edit(cell=(5, 1), value="!")
    walk.switch("main")
    assert walk.end() == Halted() and walk.output == b"3"
    assert repr(session("mirrorfunge", b"1")) == "<Session of Mirrorfunge: tick 0>"


def test_a_board_is_edited_by_hand() -> None:
    walk = session("bmprog", b">.\n..")
    walk.edit(cell=(1, 0), value=walk.state.plane.cell(0, 0))
    assert walk.state.plane.data[:2] == bytes([walk.state.plane.cell(0, 0)] * 2)  # type: ignore[attr-defined]
    with pytest.raises(OptionError, match="from 0 to 255, not 256"):
        walk.edit(cell=(1, 0), value=256)
    walk.switch("main")
    assert walk.state.plane.cell(1, 0) != walk.state.plane.cell(0, 0)


def test_input_that_has_ended_takes_no_more() -> None:
    with pytest.raises(OptionError, match="has ended"):
        session("mirrorfunge", b"~,@").feed(b"x")


def test_visits_by_heading() -> None:
    walk = session("mirrorfunge", b"1.@")
    walk.end()
    assert walk.visits()[1, 0].headings == {(1, 0): 1}


@pytest.mark.parametrize(("change", "said"), [
    ({"cell": (9, 9), "value": 1}, "not on the plane"), ({"stack": 9, "value": 1}, "has 0 values"),
    ({"stack": 0, "register": 1}, "one thing at a time"),
    ({"walker": 4, "value": None}, "none with number 4"), ({}, "one thing at a time"),
])  # fmt: skip
def test_edits_that_make_no_sense(change: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        session("mirrorfunge", b"12+.@").edit(**change)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("refunge", 256, "from 0 to 255, not 256"), ("gemooy", "x", "no cell of Gemooy shows 'x'")],
)
def test_cells_are_given_what_they_hold(name: str, value: object, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        session(name, b"$ #").edit(cell=(0, 0), value=value)


def test_a_cell_is_given_a_sign_of_its_language() -> None:
    walk = session("gemooy", b"$ #")
    assert walk.edit(cell=(0, 0), value="@").name == "cell 0,0 = '@' at 0"
    assert walk.state.plane.cell(0, 0) == 2
    walk.edit(cells={(0, 0): "#", (2, 0): " "})
    assert (walk.state.plane.cell(0, 0), walk.state.plane.cell(2, 0)) == (1, 0)


def test_reload_shows_the_same_moment_of_the_edited_program() -> None:
    walk = session("mirrorfunge", b"12+.@")
    walk.goto(3)
    walk.reload(b"15+.@")
    assert walk.tick == 3 and walk.state.stack == [6]


@pytest.mark.parametrize(("content", "said"), [
    (b"", "not JSON"),
    (b"[]", "not an object"),
    (b'{"format": "else"}', "no session file"),
    (b'{"format": "planewalk session", "version": 99}', "version 99"),
    (b'{"format": "planewalk session", "version": 1}', "damaged"),
])  # fmt: skip
def test_a_file_that_is_no_session_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(WalkFileError, match=said):
        from_bytes(Session, content, registry.get)


def test_any_damaged_field_is_refused_in_one_line() -> None:
    walk = session("mirrorfunge", b"~,@", None)
    walk.feed(b"x")
    walk.end()
    whole = json.loads(to_bytes(walk))
    for name in whole:
        for nonsense in (None, 7.5, [], {}, "?"):
            if whole[name] == nonsense:
                continue
            with pytest.raises(WalkFileError):
                from_bytes(Session, json.dumps({**whole, name: nonsense}).encode(), _known)


def _known(name: str) -> object:
    if name != "mirrorfunge":
        raise WalkFileError("another language")
    return registry.get(name)


def test_questions_that_take_too_long_have_no_answer_rather_than_a_wrong_one() -> None:
    walk = session("refunge", b"+X!^")
    walk.end()
    late = lambda: True  # noqa: E731 - there is never any time
    for question in (
        lambda: walk.who_wrote(3, 0, late),
        lambda: walk.last_read(3, 0, late),
        lambda: walk.biography(0, 0, late),
        lambda: walk.when_written(0, late),
        lambda: walk.why(output=0, pause=late),
        lambda: walk.back_until("tick = 1", late),
    ):
        with pytest.raises(LimitReached, match="given up"):
            question()
    assert walk.stop == Halted(), "and one stays where one is"
    assert walk.who_wrote(3, 0) is None and walk.who_wrote(0, 0) is not None


def test_a_question_that_is_given_up_in_the_middle_is_never_answered_wrongly() -> None:
    walk = session("refunge", b"+X!^")
    walk.end()
    questions = [
        lambda pause: walk.who_wrote(0, 0, pause),
        lambda pause: walk.last_read(0, 0, pause),
        lambda pause: walk.when_written(0, pause),
        lambda pause: walk.find_back(parse("written 0,0"), pause),
    ]
    for question in questions:
        expected, answered = question(lambda: False), 0
        for looks in range(40):
            left = iter(range(looks))
            try:
                assert question(lambda left=left: next(left, None) is None) == expected, looks
                answered += 1
            except LimitReached:
                assert not answered, "with more time there is an answer, too"
        assert answered and expected is not None


def test_an_edited_program_goes_as_far_as_there_is_time() -> None:
    walk = session("mirrorfunge", b"1+")  # it counts, so no loop is found that would save the time
    walk.goto(100_000)
    assert walk.reload(b"2+", lambda: True) is None and walk.tick < 100_000


def test_large_states_that_nobody_needs_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines and their machines know each other, so they do not go by themselves."""
    monkeypatch.setattr("planewalk.debug.replay.course.LARGE", 0)
    program = Program(registry.get("refunge"), b"+v~^")
    walk = Session(program, b"", 0, engine=lambda *given: choose_engine("llvm", *given))
    walk.goto(30)
    held = []
    gc.disable()
    try:
        for tick in (20, 10, 5):
            held.append(weakref.ref(walk.course.engine))
            walk.goto(tick)
        assert [engine() is None for engine in held[:2]] == [True, True]
    finally:
        gc.enable()


@pytest.mark.parametrize("looped", [False, True])
def test_of_several_conditions_each_counts_its_own_hits(looped: bool) -> None:
    walk = session("mirrorfunge", b"      ")
    wanted = any_of([parse("at 2,0 every 3"), parse("at 4,0 every 2"), parse("tick = 21")])
    walk.goto(60)
    ticks = [6 * n + 2 for n in (2, 5, 8)] + [6 * n + 4 for n in (1, 3, 5, 7, 9)] + [21]
    expected = sorted(tick for tick in ticks if tick <= 58)
    walk.goto(0)
    if looped:
        walk.branch.loop = ProvenLoop(0, 6)
        assert walk.until(wanted) and walk.tick == expected[0]
        return
    found = []
    while walk.tick < 58:
        assert isinstance(walk.run(60, wanted, 58 - walk.tick), Hit)
        found.append(walk.tick)
    assert found == expected
    walk.goto(60)
    back = []
    while isinstance(walk.back_until(wanted), Hit):
        back.append(walk.tick)
    assert back == expected[::-1], "the same hits count on the way back"


def test_a_branch_may_have_left_any_number_of_others() -> None:
    walk = session("mirrorfunge", b"12+.@")
    for _ in range(1200):
        walk.fork()
    assert len(walk.path(walk.branch)) == 1201 and walk.path(walk.branches["main"])[1:] == []


@pytest.mark.parametrize("condition", [None, "walkers = 99999999", "at 77,77"])
@pytest.mark.parametrize(
    ("language", "source"),
    [("mirrorfunge", b"1"), ("refunge", b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n")],
)
def test_a_run_stays_at_its_limit_of_memory(
    language: str, source: bytes, condition: str | None
) -> None:
    """Whatever it is asked, and whoever looks tick by tick; a run that would go on is given up
    after so many looks."""
    program = Program(registry.get(language), source)
    walk = Session(program, b"", 1, limits=Limits(memory=4 << 20))
    looks = count()

    def pause() -> bool:
        return next(looks) > 20_000

    assert walk.end(pause) == Spent("memory")
    tick = walk.tick
    for _ in range(3):
        assert walk.forward(1, pause) == Spent("memory") and walk.tick == tick
    if condition is not None:
        assert walk.until(condition, pause) == Spent("memory") and walk.tick == tick
    if language == "refunge":
        refusal = pytest.raises(LimitReached, match=r"walkers do in a tick takes .* of memory")
        with refusal, walk.asking(pause):
            next(walk.steps(tick - 1, tick))
    walk.back(5, pause)
    assert walk.forward(9, pause) == Spent("memory") and walk.tick == tick
