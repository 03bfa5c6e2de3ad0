"""When code is made: policies are data, and one of them makes all of it at once."""

import os
import subprocess
import sys

import pytest

import planewalk
from planewalk.apps.cli.main import main
from planewalk.core.errors import EngineRefused
from planewalk.engines.base.policy import (
    EAGER,
    HASTY,
    PATIENT,
    SPEED_UPS,
    following,
    policy_in_force,
    without,
)
from planewalk.engines.choose import choose_engine
from planewalk.engines.native.machine_code import why_not
from planewalk.examples import find_example

RING = ">1$v\n^  <\n"
"""Mirrorfunge that walks in a ring."""


def compiled(**more: object) -> tuple[int, int]:
    run = planewalk.run(source=RING, language="mirrorfunge", max_steps=60, **more)  # type: ignore[arg-type]
    assert run.steps == 60
    return run.compiled


def test_a_policy_is_in_force_within_its_block() -> None:
    assert policy_in_force() is PATIENT
    with following(HASTY):
        with following(EAGER):
            assert policy_in_force() is EAGER
        assert policy_in_force() is HASTY
    assert policy_in_force() is PATIENT


@pytest.mark.parametrize(
    ("value", "policy"), [("1", EAGER), ("yes", EAGER), ("0", PATIENT), ("", PATIENT)]
)
def test_a_variable_asks_for_it(monkeypatch, value: str, policy: object) -> None:
    monkeypatch.setenv("PLANEWALK_EAGER", value)
    assert policy_in_force() is policy


def test_a_short_run_is_compiled_only_on_request() -> None:
    assert compiled(engine="python") == (0, 0)
    assert compiled(engine="python", eager=True)[0] > 50
    if why_not() is None:
        assert sum(compiled(engine="llvm", eager=True)) > 50
        assert sum(compiled(engine="auto", eager=True)) > 50
        assert compiled(engine="llvm", eager=True)[1] > 30


def test_the_command_asks_for_it(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen = []

    def look(*given: object) -> object:
        seen.append(policy_in_force())
        return choose_engine(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("planewalk.apps.cli.run.choose_engine", look)
    for words in ([], ["--eager"]):
        assert main(["run", "hello.mf", "--engine", "python", "--input", os.devnull, *words]) == 0
        assert capsys.readouterr().out == "Hello, world!"
    assert seen == [PATIENT, EAGER]


@pytest.mark.parametrize("name", SPEED_UPS)
def test_a_run_comes_to_the_same_without_a_speed_up(name: str) -> None:
    def run(engine: str) -> planewalk.Run:
        source = find_example("squares.ref").read()
        return planewalk.run(
            source=source, language="refunge", engine=engine, max_steps=2_000, seed=0
        )

    expected = run("reference")
    with following(HASTY._replace(**without(name))):
        found = run("auto")
    assert (found.state, found.output) == (expected.state, expected.output)


def test_speed_ups_are_left_out_by_name() -> None:
    assert without("") == {}
    assert without("kept-units,trials") == {"kept_units": False, "trials": False}
    with pytest.raises(EngineRefused, match="did you mean 'trials'"):
        without("trails")


def test_a_process_does_without_what_a_variable_names() -> None:
    script = (
        "from planewalk.engines.base.policy import HASTY, PATIENT\n"
        "print(PATIENT.trials, HASTY.trials, PATIENT.lanes)"
    )
    environment = {**os.environ, "PLANEWALK_WITHOUT": "trials"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True)
    assert done.stdout.split() == [b"False", b"False", b"True"]
