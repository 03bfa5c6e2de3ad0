"""Sessions as files: what cannot be opened is said in a line, and nothing else is ever replaced."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from itertools import count
from pathlib import Path

import pytest

import planewalk as pw
from planewalk.core.base.deadline import Cancellation, Deadline
from planewalk.core.errors import LimitReached
from planewalk.core.limits import Limits, allowing

DEEP = reduce(lambda inner, _: [inner], range(600), 1)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    walk = pw.session(source="12+.@", language="mirrorfunge", seed=3)
    walk.goto(3)
    walk.save(tmp_path / "a.walk")
    return tmp_path / "a.walk"


@pytest.mark.parametrize(("change", "said"), [
    ({"version": 2}, "saved in version 2 of the format, and this planewalk reads version 1"),
    ({"version": 0}, "saved in version 0 of the format, and this planewalk reads version 1"),
    ({"version": "1"}, "damaged: 'version' of the file"),
    ({"language": "nolang"}, "unknown language 'nolang'"),
    ({"seed": "9" * 5000}, "damaged: 'seed' is no whole number"),
    ({"seed": "x"}, "damaged: 'seed' is no whole number"),
    ({"format": "something else"}, "this is no session file"),
    ({"options": {"x": DEEP}}, "damaged: something is nested more than 100 deep"),
])  # fmt: skip
def test_what_cannot_be_opened(saved: Path, change: dict[str, object], said: str) -> None:
    saved.write_text(json.dumps({**json.loads(saved.read_text()), **change}))
    before = saved.read_bytes()
    with pytest.raises(pw.PlanewalkError) as error:
        pw.session(saved)
    words = str(error.value)
    assert words.startswith(f"{str(saved)!r} cannot be opened: ") and said in words
    assert "\n" not in words and "sys." not in words
    assert saved.read_bytes() == before


@pytest.mark.parametrize("length", [0, 1, 40, 200, -1])
def test_files_that_were_cut_off(saved: Path, length: int) -> None:
    saved.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(pw.PlanewalkError, match="it is not JSON, or was cut off"):
        pw.session(saved)


def test_a_session_is_saved_again_under_its_name(saved: Path) -> None:
    walk = pw.session(saved)
    assert walk.tick == 3 and walk.seed == 3
    walk.end()
    walk.save(saved)
    assert pw.session(saved).output == b"3"


@pytest.mark.parametrize("other", [b"12+.@", b"{}", b"[]", b"", b"\xff", b"[" * 100_000])
def test_what_is_no_session_is_not_replaced(saved: Path, other: bytes) -> None:
    walk = pw.session(saved)
    program = saved.with_name("hello.mf")
    program.write_bytes(other)
    with pytest.raises(
        pw.PlanewalkError, match="not a session of this program, and is not replaced"
    ):
        walk.save(program)
    assert program.read_bytes() == other


def test_sessions_of_other_programs_are_not_replaced(saved: Path) -> None:
    before = saved.read_bytes()
    walk = pw.session(source="15+.@", language="mirrorfunge")
    with pytest.raises(pw.PlanewalkError, match="choose another name"):
        walk.save(saved)
    assert saved.read_bytes() == before


def far_session(folder: Path, tick: int) -> Path:
    """A session file at a tick that nobody has walked to."""
    far = folder / "far.walk"
    pw.session(source="1+", language="mirrorfunge").save(far)
    far.write_text(json.dumps({**json.loads(far.read_text()), "tick": tick}))
    return far


@contextmanager
def looking(most: int) -> Iterator[None]:
    """Whoever opens a file does not wait any longer after so many looks."""
    looks, cancellation = count(1), Cancellation()
    with (
        cancellation.by(lambda: next(looks) > most),
        allowing(Limits(seconds=9, deadline=cancellation)),
    ):
        yield


def test_a_moment_that_is_too_far_is_given_up(tmp_path: Path) -> None:
    far = far_session(tmp_path, 10**17)
    with pytest.raises(LimitReached) as error, looking(50):
        pw.session(far)
    said = str(error.value)
    assert error.value.reason == "time" and "\n" not in said
    assert said.startswith(f"{str(far)!r} cannot be opened: ")
    assert "tick 100,000,000,000,000,000 is too far: " in said
    assert said.endswith("(max_time=...); saved at an earlier tick, it opens sooner")


def changed(saved: Path, **change: object) -> Path:
    saved.write_text(json.dumps({**json.loads(saved.read_text()), **change}))
    return saved


class Patience(Deadline):
    """Is over after so many looks."""

    def __init__(self, looks: int) -> None:
        super().__init__(lambda: 0.0, 1.0)
        self.looks = looks

    def left(self) -> float:
        self.looks -= 1
        return float(self.looks > 0)


def test_opening_ends_with_the_time_there_is(tmp_path: Path) -> None:
    far = tmp_path / "far.walk"
    pw.session(source="12v\n^ <", language="mirrorfunge", engine="reference").save(far)
    changed(far, tick=10**17)
    with (
        allowing(Limits(seconds=1.0, deadline=Patience(30))),
        pytest.raises(LimitReached, match="100,000,000,000,000,000 is too far"),
    ):
        pw.session(far, engine="reference")
    assert pw.session(changed(far, tick=9), max_time=600.0).tick == 9


def test_input_in_no_order_is_refused(tmp_path: Path) -> None:
    walk = pw.session(source="&&@", language="mirrorfunge")
    for byte in (b"1 ", b"2 "):
        walk.end()
        walk.feed(byte)
    walk.save(tmp_path / "in.walk")
    (branch,) = json.loads((tmp_path / "in.walk").read_text())["branches"]
    assert len(branch["arrivals"]) == 2
    for arrivals in (branch["arrivals"][::-1], [[-1, 1, False]]):
        changed(tmp_path / "in.walk", branches=[branch | {"arrivals": arrivals}])
        with pytest.raises(pw.PlanewalkError, match="damaged: input comes in the order"):
            pw.session(tmp_path / "in.walk")


def test_a_branch_that_begins_where_no_run_comes_is_refused(saved: Path) -> None:
    walk = pw.session(saved)
    walk.fork()
    walk.save(saved)
    main, fork = json.loads(saved.read_text())["branches"]
    fork["state"]["tick"] = 10**17
    with pytest.raises(pw.PlanewalkError, match="where its run never comes"):
        pw.session(changed(saved, branches=[main, fork]))


def test_a_session_is_opened_in_the_time_there_is(tmp_path: Path) -> None:
    """Also where the moment is so near that it would be reached if nobody looked."""
    far = far_session(tmp_path, 100_000)
    assert pw.session(far).tick == 100_000
    with pytest.raises(LimitReached, match="tick 100,000 is too far: "), looking(6):
        pw.session(far)
