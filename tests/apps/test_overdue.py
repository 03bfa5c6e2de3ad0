"""Functions of a language that never come back: limits hold all the same, and name them."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import planewalk as pw
from planewalk.apps.checking import check
from planewalk.apps.checking.check import TABLE, Checker
from planewalk.apps.overdue import REAL
from planewalk.core.errors import LimitReached
from planewalk.core.language import Language
from planewalk.engines.base import jobs
from tests import installed
from tests.patience import PATIENCE
from tests.test_new_language import guide_code, language_of

pytestmark = pytest.mark.skipif(REAL is None, reason="this system has no timers of processes")

RING = "__import__('signal').raise_signal(14)"
WAIT = f"while True: {RING}"
"""It rings itself, as if the time were over: a busy machine may take longer to begin than any limit
that a test has time for."""
SIMPLY = "while True: pass"
COUNT = 'm.set_register("counter", m.register("counter") + 1)'
STUBBORN = f"while True:\n        try: {RING}\n        except Exception: pass"
MOVE = f"def stroll(plane, stance):\n    {WAIT}\n\n\nLANGUAGE ="

STUCK = {
    "instruction": [(COUNT, WAIT)],
    "stubborn instruction": [(COUNT, STUBBORN)],
    "word": [(COUNT, f'while True: {RING}, m.register("counter")')],
    "simple instruction": [(COUNT, SIMPLY)],
    "move": [("LANGUAGE =", MOVE), ("move=torus", "move=stroll")],
    "decode": [("return TABLE.get", f"{WAIT}\n    return TABLE.get")],
    "start": [("plane = TextPlane", f"{WAIT}\n    plane = TextPlane")],
}
SAID = {
    "instruction": "the instruction 'count' ('+') has not come back (",
    "stubborn instruction": "the instruction 'count' ('+') has not come back (",
    "word": "the instruction 'count' ('+') has not come back (",
    "simple instruction": "the instruction 'count' ('+') has not come back (",
    "move": "`move` has not come back (",
    "decode": "`decode` has not come back (",
    "start": "`start` has not come back (",
}
"""What each of them is called; the file and the line follow."""


def code_with(*changes: tuple[str, str]) -> str:
    code = guide_code()
    for was, becomes in changes:
        assert was in code
        code = code.replace(was, becomes, 1)
    return code


def stuck(what: str) -> Language:
    return language_of(code_with(*STUCK[what]))


@pytest.fixture(autouse=True)
def no_threads_left() -> Iterator[None]:
    """Those that trace what never comes back."""
    yield
    for job in list(jobs._AT_WORK):
        job.break_off()


@pytest.mark.parametrize("what", STUCK)
def test_a_call_of_the_library_ends(what: str) -> None:
    with pytest.raises(LimitReached) as late:
        pw.run(source="+.@", language=stuck(what), max_time=1 if SIMPLY in str(STUCK[what]) else 99)
    assert late.value.reason == "time" and SAID[what] in str(late.value)
    assert str(late.value).startswith("stopped: the limit of ")


@pytest.mark.parametrize("engine", ["reference", "python", "llvm", "interpreter"])
def test_on_every_engine(engine: str) -> None:
    try:
        ended = pw.run(
            source="+.@", language=stuck("simple instruction"), max_time=1, engine=engine,
            eager=True,
        )  # fmt: skip
    except LimitReached as late:
        assert SAID["instruction"] in str(late)
    else:  # while an interpreter is made, in a thread
        assert (ended.status, ended.reason) == ("limit", "time")


@pytest.mark.parametrize("look", [pw.explain, pw.graph, pw.film, pw.picture])
def test_whatever_looks_at_a_run_ends(look: Any) -> None:
    more = {"at": 1} if look is pw.picture else {}
    with pytest.raises(LimitReached, match=r"'count' .* has not come back"):
        look(source="+.@", language=stuck("instruction"), max_time=99, **more)


def test_whoever_calls_is_not_blamed() -> None:
    """The language may be in the same file as the call."""

    def stroll(plane: Any, stance: Any) -> Any:
        while True:
            signal.raise_signal(signal.SIGALRM)

    with pytest.raises(LimitReached, match=r"Snails: `move` has not come back .* in stroll"):
        pw.run(source="+", language=language_of(guide_code())._replace(move=stroll), max_time=99)


def test_what_comes_back_is_never_blamed() -> None:
    """An engine that is at work when the time is over ends by itself, on an exact state."""
    ended = pw.run(source=">+", language=language_of(guide_code()), max_time=0.3)
    assert (ended.status, ended.reason) == ("limit", "time")


def test_timers_of_others_are_left_alone() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 3600)
        pw.run(source="+.@", language=language_of(guide_code()), max_time=60)
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert left > 0 and not rung
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_are_not_disturbed() -> None:
    """No signal comes there: what holds is what engines see between ticks."""
    found: list[str] = []
    language = language_of(guide_code())

    def run() -> None:
        found.append(pw.run(source=">+", language=language, max_time=0.3).status)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=PATIENCE)
    assert found == ["limit"]


# Commands -----------------------------------------------------------------------------------------


@pytest.fixture
def snails(tmp_path: Path) -> Path:
    """A folder with an installed language whose `+` never comes back, and a program."""
    (tmp_path / "snails.py").write_text(code_with(*STUCK["instruction"]))
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "snails"\nversion = "1.0"\n'
        '[project.entry-points."planewalk.languages"]\nsnails = "snails:LANGUAGE"\n'
    )
    installed.install(tmp_path / "pyproject.toml", tmp_path)
    (tmp_path / "p.snail").write_text("+.@")
    return tmp_path


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "planewalk", *words], capture_output=True, cwd=folder,
        env=installed.environment(folder), stdin=subprocess.DEVNULL, timeout=PATIENCE,
    )  # fmt: skip


COMMANDS = [
    ["run"], ["run", "--json"], ["run", "--eager"], ["trace"], ["explain"],
    ["bench", "--engines", "reference,python"], ["graph", "-o", "o.svg"], ["film", "-o", "o.svg"],
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_ends(words: list[str], snails: Path) -> None:
    done = command(snails, *words, "p.snail", "--max-time", "99")
    assert done.returncode == 3
    (line,) = done.stderr.decode().splitlines()
    assert "the limit of 99 seconds is reached (--max-time); Snails: the instruction" in line
    assert "'count' ('+') has not come back" in line and "snails.py:" in line


EXIT = """
import planewalk as pw
from planewalk.engines.base import jobs
from planewalk.engines.base.jobs import CompileJob

jobs.PATIENCE = 0.01

def never():
    while True:
        try:
            pass
        except Exception:
            pass

CompileJob(never).start()
print("the end")
"""


def test_a_process_ends_while_an_instruction_is_traced_for_ever() -> None:
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"the end\n", b"")


# check-language -----------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "SECONDS", 0.1)
    monkeypatch.setattr(check, "AGAIN", 0.1)
    monkeypatch.setattr(check, "LOOKS", 3)


def test_a_check_of_what_never_comes_back_ends(impatient: None) -> None:
    checker = Checker(stuck("simple instruction"), 0)
    problems = [found for name, found in checker.table() if found is not None and name == TABLE]
    assert len(problems) == 1, "it is told once, however many examples meet it"
    assert SAID["instruction"] in problems[0].what


def test_what_has_not_come_back_is_not_waited_for_again(impatient: None, monkeypatch) -> None:
    shares: list[float] = []
    given = check.in_time

    def noted(language: Language, ask: Callable[[], Any], share: float = 1.0) -> Any:
        shares.append(share)
        return given(language, ask, share)

    monkeypatch.setattr(check, "in_time", noted)
    checker = Checker(stuck("simple instruction"), 0)
    problems = [found for name, found in checker.table() if found is not None and name == TABLE]
    late = shares.index(check.HASTE)
    assert len(problems) == 1 and late >= 1 and set(shares[:late]) == {1.0}
    assert checker.spoken(lambda: "an answer") == "an answer" and shares[-1] == check.HASTE


def test_an_example_that_never_ends_is_told(impatient: None, monkeypatch) -> None:
    checker = Checker(language_of(guide_code()), 0)
    said = checker.spoken(lambda: pw.run(source=">+", language=checker.language) and None)
    assert said is not None and "no end to it within" in said
