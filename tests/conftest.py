"""Settings for all tests: hypothesis is bounded, and prints how to repeat a failure; and nothing
may go wrong unseen while code is made."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from planewalk.core.difference import told
from planewalk.core.state import State
from planewalk.engines.tracing.refusal import Refusals

# Hundreds of processes are started: each would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "quick",
    max_examples=60,
    deadline=None,
    derandomize=True,  # the same programs every time; `long` draws others
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "long", settings.get_profile("quick"), max_examples=5_000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much of the conformance cases ran in compiled code when it was made at once."""
    found: dict[tuple[str, str], list[int]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "compiled":
                language, engine, *ticks = value
                sums = found.setdefault((engine, language), [0, 0, 0])
                sums[:] = map(sum, zip(sums, ticks, strict=True))
    for (engine, language), (ticks, python, native) in sorted(found.items()):
        shares = f"{python / ticks:4.0%} generated Python, {native / ticks:4.0%} machine code"
        terminalreporter.write_line(f"compiled at once: {engine:6} {language:11} {shares}")


@pytest.fixture
def refused() -> list[BaseException]:
    """What compilers could not do in a test that is about that."""
    return []


@pytest.fixture(autouse=True)
def nothing_goes_wrong_in_compilers(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
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
        return ["two states are equal", *told(left.diff(right))]
    return None
