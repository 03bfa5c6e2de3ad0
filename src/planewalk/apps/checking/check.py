"""All checks of a language, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from random import Random
from typing import NamedTuple, TypeVar

from ...core.errors import PlanewalkError, SourceError
from ...core.instruction import Instruction
from ...core.language import Language
from ...core.meta.blame import in_words
from ...engines.base.policy import HASTY, following
from ...engines.tracing.probe import refusal
from ...engines.tracing.refusal import Refusal
from ...examples import Example, examples_of
from ..overdue import BUSY, Overdue, Overseer
from .expectations import is_untrue, lacks_words, misbehaves, rows_of
from .laws import LAWS, Raised, any_source_runs
from .minimise import minimised
from .programs import Stock, some_bytes
from .trial import Trial, TrialTally

WORDS, TABLE, EXAMPLES, SOURCES = "words", "table", "example programs", "any source"
"""Checks besides the laws."""
EXAMPLE_MARKS = (1, 10, 99, 500)
"""The ticks at which the runs of example programs are looked at."""
SHARES = {
    "programs run": 2,
    "engines agree": 8,
    "input may come late": 4,
    "states survive JSON": 4,
    SOURCES: 0.1,
}
"""Relative shares of the time for random programs, where they are not 1: compiling takes longer."""

SECONDS, AGAIN, LOOKS = 2.0, 1.0, 10
"""Seconds of CPU time of a check and then of a single call, and the number of looks at which other
calls may be running before everything is aborted."""
HASTE = 0.1
"""The share of that time for a first try, once a function has not returned."""

Answer = TypeVar("Answer")


class NotDone(Exception):
    """A check was aborted; says which function has not returned, or that there was no end."""


def in_time(language: Language, ask: Callable[[], Answer], share: float = 1.0) -> Answer:
    """The result of a check; raises `NotDone` after that share of the time."""
    seconds, again = SECONDS * share, AGAIN * share
    try:
        with Overseer(lambda: [language], LOOKS, all_work=True).after(seconds, BUSY, again):
            return ask()
    except Overdue as late:
        words = f"no end to it within {seconds + again * LOOKS:g} seconds"
        raise NotDone(str(late) or words) from None


class Problem(NamedTuple):
    """A violation: what is wrong, where, and a program that shows it."""

    what: str
    where: str = ""
    trial: Trial | None = None


class Outcome(NamedTuple):
    """The result of one check: a problem, or None."""

    check: str
    problem: Problem | None


class Checker:
    """Checks a language. The caller decides how many outcomes it takes."""

    def __init__(self, language: Language, seed: int) -> None:
        self.language = language
        self.seed = seed
        self.tally = TrialTally()
        self.now: Trial | None = None
        """The program under test."""
        self.patient = True
        """Whether the last check finished."""
        self._late: set[str] = set()
        """Descriptions of functions that have not returned."""

    @cached_property
    def stock(self) -> Stock:
        return Stock(self.language)

    def table(self) -> Iterator[Outcome]:
        """Check the documentation and examples of every instruction."""
        for _, row in rows_of(self.language):
            where = f"{row.symbol!r} ({row.name})"
            yield Outcome(WORDS, _problem(lacks_words(row), where))
            for example in row.examples:
                said = self.spoken(partial(is_untrue, self.language, row, example))
                yield Outcome(TABLE, _problem(said, where))

    def examples(self) -> Iterator[Outcome]:
        """Check the example programs: what their index says, and all laws."""
        try:
            examples = examples_of(self.language)
        except PlanewalkError as error:
            yield Outcome(EXAMPLES, Problem(str(error)))
            return
        for example in examples:
            for run in example.runs:
                said = self.spoken(partial(misbehaves, self.language, example, run))
                yield Outcome(EXAMPLES, _problem(said, example.file))
            for law in LAWS:
                yield Outcome(law, self.judge_example(law, example))

    def program(self, trial: Trial) -> Iterator[Outcome]:
        for law in LAWS:
            yield Outcome(law, self._judge(law, trial))

    def random(self) -> Iterator[Outcome]:
        """Check all laws on random programs, without end; each gets its share of the time."""
        spent = dict.fromkeys((SOURCES, *LAWS), 0.0)
        tried = dict.fromkeys(spent, 0)
        while spent:
            law = min(spent, key=lambda law: spent[law] / SHARES.get(law, 1))
            began = time.perf_counter()
            problem = self.judge_random(law, tried[law])
            tried[law] += 1
            spent[law] += time.perf_counter() - began
            if problem is not None:
                del spent[law]  # once is enough
            yield Outcome(law, problem)

    def judge_example(self, law: str, example: Example) -> Problem | None:
        """Check one law on an example program, with the first run of its index."""
        run = example.runs[0]
        data, options = run.get("input", "").encode(), run.get("options", {})
        source = example.read()
        trial = Trial(self.language, source, "", data, 0, EXAMPLE_MARKS, options)
        return _problem(self._said(law, trial._replace(tally=self.tally)), example.file)

    def judge_random(self, law: str, number: int) -> Problem | None:
        """Check one law on a random program, which depends only on the seed and the number."""
        dice = Random(f"{self.seed} {law} {number}")
        if law == SOURCES:
            source = some_bytes(dice)
            said = self.spoken(partial(any_source_runs, self.language, source))
            return _problem(said and f"{said}, for the source {source!r}")
        try:
            trial = self.stock.trial(dice)
        except SourceError as error:
            return Problem(f"none of many random programs starts: {error}")
        return self._judge(law, trial)

    def refusals(self) -> Iterator[tuple[Instruction, Refusal]]:
        """The instructions that are never compiled, and why."""
        if self.language.rules.meet:
            return  # then none is
        share = HASTE if self._late else 1.0
        for _, row in rows_of(self.language):
            with suppress(SourceError, NotDone):  # it cannot stand alone, or was told already
                found = in_time(self.language, partial(refusal, self.language, row), share)
                if found is not None:
                    yield row, found

    def _judge(self, law: str, trial: Trial) -> Problem | None:
        said = self._said(law, trial._replace(tally=self.tally))
        if said is None:
            return None
        if trial.text and self.patient:
            trial = minimised(trial, lambda other: self._said(law, other) is not None)
        return Problem(self._said(law, trial) or said, trial=trial)

    def _said(self, law: str, trial: Trial) -> str | None:
        """How a program violates a law; None if it does not."""
        self.now = trial
        with following(HASTY):
            said = self.spoken(partial(_broken, law, trial))
        self.now = None
        return said

    def spoken(self, ask: Callable[[], str | None]) -> str | None:
        """The answer to a check, with exceptions turned into words; a function that does not return
        is reported once."""
        self.patient = True
        try:
            return self._answer(ask)
        except NotDone as late:
            self.patient = False
            said = str(late)
        except Exception as error:
            return in_words(error)
        if said in self._late:
            return None
        self._late.add(said)
        return said

    def _answer(self, ask: Callable[[], str | None]) -> str | None:
        """The answer to a check, with less time if a function is known that does not return."""
        if self._late:
            try:
                return in_time(self.language, ask, HASTE)
            except NotDone as late:
                if str(late) in self._late:
                    raise
        return in_time(self.language, ask)


def _broken(law: str, trial: Trial) -> str | None:
    try:
        return LAWS[law](trial)
    except Raised:
        return None  # another law is broken


def _problem(said: str | None, where: str = "") -> Problem | None:
    return Problem(said, where) if said else None
