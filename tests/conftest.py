"""Settings for all tests: hypothesis is bounded, and prints how to repeat a failure; and nothing
may go wrong unseen while code is made."""

import gc
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from planewalk.core.difference import state_changes, told
from planewalk.core.state import State
from planewalk.engines.tracing.refusal import Refusals
from tests import signals

# Hundreds of processes are started: each would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "quick",
    max_examples=40,
    deadline=None,
    derandomize=True,  # the same programs every time; `long` draws others
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "long", settings.get_profile("quick"), max_examples=5_000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests are there until the end: nobody should look through them for garbage."""
    gc.disable()
    yield
    gc.enable()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser, and those on a graphics card, come first: so one process has them all,
    and the others need not start what these take."""
    items.sort(key=_starts_little)


def _starts_little(item: pytest.Item) -> tuple[bool, bool]:
    assert isinstance(item, pytest.Function)
    graphics = {"need_adapter", "lacking"} & vars(item.module).keys()
    return "chromium" not in item.fixturenames, not graphics


LEFT_OUT = pytest.StashKey[int]()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count what `-m "not exhaustive"` leaves out; processes beside us tell it when they end."""
    if not items:  # as --lf has it where nothing is left out
        return
    config = items[0].config
    if config.option.markexpr != "not exhaustive":
        return
    exhaustive = sum(item.get_closest_marker("exhaustive") is not None for item in items)
    config.stash[LEFT_OUT] = config.stash.get(LEFT_OUT, 0) + exhaustive
    if hasattr(config, "workeroutput"):
        config.workeroutput["left out"] = config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each of them has collected all tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was left out, and how much of the conformance cases ran in compiled code when it was
    made at once."""
    left_out = config.stash.get(LEFT_OUT, 0)
    if left_out:
        terminalreporter.write_line(
            f"{left_out} exhaustive tests were left out: make test-exhaustive runs them"
        )
    found: dict[tuple[str, str], list[int]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "compiled":
                language, engine, *ticks = value
                sums = found.setdefault((engine, language), [0, 0, 0])
                sums[:] = map(sum, zip(sums, ticks, strict=True))
    for (engine, language), (ticks, python, native) in sorted(found.items()):
        python, native = python / max(ticks, 1), native / max(ticks, 1)
        shares = f"{python:4.0%} generated Python, {native:4.0%} machine code"
        terminalreporter.write_line(f"compiled at once: {engine:6} {language:11} {shares}")


@pytest.fixture
def signals_end_this() -> Iterator[None]:
    """For tests that raise signals in this process, which may have been told to ignore them."""
    with signals.restored():
        yield


@pytest.fixture
def refused() -> list[BaseException]:
    """What compilers could not do in a test that is about that."""
    return []


@pytest.fixture(autouse=True)
def nothing_goes_wrong_in_compilers(request: pytest.FixtureRequest, monkeypatch) -> Iterator[None]:
    """An error there only costs speed, so that nobody would notice."""
    wanted = "refused" in request.fixturenames
    noted: list[BaseException] = request.getfixturevalue("refused") if wanted else []
    note = Refusals.note

    def remember(self: Refusals, error: BaseException) -> None:
        noted.append(error)
        note(self, error)

    monkeypatch.setattr(Refusals, "note", remember)
    yield
    for thread in threading.enumerate():  # what is still being made belongs to this test
        if thread.name == "planewalk-compiler":
            thread.join()
    assert wanted or not noted, noted


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """States that should be equal tell in what they differ."""
    if op == "==" and isinstance(left, State) and isinstance(right, State):
        return ["two states are equal", *told(state_changes(left, right))]
    return None
