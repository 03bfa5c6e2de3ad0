"""Rows of the table: a kind of work, its yardstick, what is aimed at, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .facts import differences
from .runs import Measured


class Finding(NamedTuple):
    """What a row came to: how many times the yardstick, or how many milliseconds."""

    value: float | None
    ours: str
    theirs: str
    problem: str = ""


class Row(NamedTuple):
    """What is measured against what, and what is aimed at."""

    work: str
    yardstick: str
    measure: Callable[[], Finding]
    at_least: float | None = None
    at_most: float | None = None
    unit: str = "x"
    needs_c: bool = False

    def met(self, finding: Finding) -> bool | None:
        """Whether the target is met; None if there is no target, or nothing to judge."""
        value = finding.value
        if value is None or (self.at_least is None and self.at_most is None):
            return None
        return (self.at_least is None or value >= self.at_least) and (
            self.at_most is None or value <= self.at_most
        )

    def to_json(self, finding: Finding) -> dict[str, Any]:
        return {
            "work": self.work,
            "yardstick": self.yardstick,
            "planewalk_took": finding.ours,
            "yardstick_took": finding.theirs,
            "value": finding.value,
            "unit": self.unit,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "met": self.met(finding),
            "problem": finding.problem or None,
        }

    def to_line(self, finding: Finding) -> str:
        value = ""
        if finding.value is not None:
            value = f"{finding.value:{',.0f' if finding.value >= 100 else '.3g'}} {self.unit}"
        target = ""
        if self.at_least is not None:
            target = f">= {self.at_least:.3g} {self.unit}"
        elif self.at_most is not None:
            target = f"<= {self.at_most:.3g} {self.unit}"
        verdict = {True: "met", False: "MISSED", None: ""}[self.met(finding)]
        if finding.problem:
            verdict = f"ERROR: {finding.problem}"
        return line(self.work, self.yardstick, finding.ours, finding.theirs, value, target, verdict)


def line(*columns: str) -> str:
    return "{:42} {:18} {:>17} {:>17} {:>9} {:>10}  {}".format(*columns).rstrip()


TITLES = line("work", "yardstick", "planewalk", "yardstick", "ratio", "target", "")


def contest(
    rounds: int,
    ours: Callable[[], Measured],
    theirs: Callable[[int], Measured],
    unit: str = "steps",
) -> Finding:
    """Both in turns, the best of each; the results must agree every time.

    The yardstick is told the step at which it is to be compared. With `unit` "whole" each is one
    run to the end, and shown as the time it takes.
    """
    best: list[Measured] = []
    for _ in range(rounds):
        run = ours()
        runs = [run, theirs(run.facts.get("steps", 0))]
        wrong = differences(*(run.facts for run in runs))
        if wrong:
            told = [", ".join(f"{name} {run.facts[name]}" for name in wrong) for run in runs]
            return Finding(None, "", "", f"{told[0]} here, {told[1]} there")
        best = [
            max(pair, key=lambda run: run.rate) for pair in zip(runs, best or runs, strict=True)
        ]
    mine, other = best
    return Finding(mine.rate / other.rate, shown(mine, unit), shown(other, unit))


def shown(run: Measured, unit: str) -> str:
    if unit == "whole":
        return f"{run.seconds:.3f} s"
    for size, prefix in ((1e9, "G "), (1e6, "M "), (1e3, "k ")):
        if run.rate >= size:
            return f"{run.rate / size:.3g} {prefix}{unit}/s"
    return f"{run.rate:.3g} {unit}/s"
