"""The results of checking a language, as text and as JSON."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from ...core.instruction import Instruction
from ...engines.tracing.refusal import Refusal
from .check import Checker, Outcome, Problem
from .trial import Trial


class Report:
    """The number of tries of each check, and the problems found."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.tried: dict[str, int] = {}
        self.problems: list[tuple[str, Problem]] = []
        """Each with the name of its check."""
        self.refusals: list[tuple[Instruction, Refusal]] = []
        """The instructions that are never compiled, and why."""
        self.interrupted = False
        """Whether checking was interrupted."""

    def note(self, outcome: Outcome) -> None:
        check, problem = outcome
        self.tried[check] = self.tried.get(check, 0) + 1
        if problem is not None:
            self.problems.append((check, problem))

    def lines(self) -> Iterator[str]:
        wrong = [check for check, _ in self.problems]
        for check, tried in self.tried.items():
            said = f", {wrong.count(check):,} WRONG" if check in wrong else ""
            yield f"  {check:24}{tried:>8,} tried{said}"

    def compiled_lines(self) -> Iterator[str]:
        """The share of compiled ticks, and the instructions that are never compiled."""
        tally = self.checker.tally
        for engine, share in tally.shares().items():
            yield f"  {engine + ' engine':24}{share:>8.0%} of ticks compiled"
        if tally.runs and self.checker.language.rules.meet:
            yield "  not compiled: walkers that meet"
        elif tally.crowded:
            yield f"  not compiled: several walkers, in {tally.crowded:,} of {tally.runs:,} runs"
        for row, why in self.refusals:
            yield f"  {row.symbol!r} ({row.name}) {why}"
        told = [why for _, why in self.refusals]
        for why, times in tally.refusals.items():
            if why not in told:
                yield f"  {why.told(times)}"

    def problem_lines(self) -> Iterator[str]:
        """All problems, numbered."""
        for number, (check, problem) in enumerate(self.problems, 1):
            yield f"{number}. {check}: {told(problem)}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "language": self.checker.language.name,
            "seed": self.checker.seed,
            "interrupted": self.interrupted,
            "tried": self.tried,
            "compiled": self.checker.tally.shares(),
            "not_compiled": [
                {"symbol": row.symbol, "instruction": row.name, **why._asdict()}
                for row, why in self.refusals
            ],
            "errors": [
                {**why._asdict(), "times": times}
                for why, times in self.checker.tally.refusals.items()
            ],
            "problems": [
                {"check": check, "what": it.what, "where": it.where, **_trial_data(it.trial)}
                for check, it in self.problems
            ],
        }


def told(problem: Problem) -> str:
    """A problem, with the program that shows it."""
    where = f"{problem.where}: " if problem.where else ""
    lines = [] if problem.trial is None else trial_lines(problem.trial)
    return "\n".join([where + problem.what, *lines])


def trial_lines(trial: Trial) -> Iterator[str]:
    """A program as text, with its input and conditions."""
    if trial.text:
        yield from (f"     | {row}" for row in trial.text.split("\n"))
    else:
        yield f"     source {trial.source!r}"
    if trial.data:
        yield f"     input {trial.data!r}"
    yield f"     {' '.join(conditions(trial))}"


def conditions(trial: Trial) -> list[str]:
    """The conditions of a trial as words of a command line."""
    words = ["--seed", str(trial.seed), "--marks", ",".join(map(str, trial.marks))]
    for name, value in trial.options.items():
        words += ["--set", f"{name}={value}"]
    if trial.limits.output is not None:
        words += ["--max-output", str(trial.limits.output)]
    return words


def _trial_data(trial: Trial | None) -> dict[str, Any]:
    if trial is None:
        return {}
    return {
        "source_b64": base64.b64encode(trial.source).decode(),
        "input_b64": base64.b64encode(trial.data).decode(),
        "options": dict(trial.options),
        "seed": trial.seed,
        "marks": list(trial.marks),
        "max_output": trial.limits.output,
    }
