"""When code is made of a run, and what is worth it: thresholds as data.

Engines are made with the policy that is in force around them, unless they are given one. With the
variable `PLANEWALK_EAGER` set to 1, that is to compile everything at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..core.record import Record

PROVEN = 1_000
"""Ticks in generated Python, by which it is seen to be used at all."""


class Policy(Record):
    """Counts are in ticks, unless something else is said."""

    background: bool = True
    """Whether the run goes on while code is made."""
    short: int = 10_000
    """Steps of walkers after which a run counts as long: a short one never pays for a compiler."""
    modest: int = 3_000
    """The same where machine code only has to be loaded: that of several walkers."""

    # The interpreter
    worth_tracing: int = 1 << 22
    tracing_seconds: float = 0.03
    seconds_a_cell: float = 0.00004
    loading_seconds: float = 0.07
    """On the interpreter before a program is worth code of its own; and as many seconds there as it
    takes to trace and compile it, which is more for each cell that it walks over, and if LLVM has
    to be loaded."""
    worth_care: int = 300_000_000
    """On one that was made quickly before a good one is made; by then, that would have paid."""
    trial_visits: int = 8
    """How often it is entered before it is seen whether the reference engine alone is quicker."""
    superinstructions: bool = True
    """Whether it makes superinstructions of what a program does again and again."""
    hot_superinstruction: int = 24
    hotter_superinstruction: int = 128
    """How often one is performed before a trace begins with it; and before that is tried anew, and
    it becomes machine code of its own."""
    templates: bool = True
    """Whether it does."""
    least_turn: int = 1 << 12
    most_turn: int = 1 << 26
    """That it, or compiled code, runs by turns."""

    # Generated Python
    stretch: int = 32
    long_stretch: int = 1_024
    """After which the run is looked at, also while nothing would come of it."""
    hot: int = 4
    again: int = 40
    """Visits to a place before it is compiled: the first one, and others beside compiled code."""
    profile: int = 600
    """For how long a run is watched before code is made of it; without, the whole program counts as
    walked."""
    patience: int = 40
    large_patience: int = 10
    """On the reference engine for each instruction traced last time, before code is made anew:
    about what tracing it took. Less where code is still missing, since there will be more."""
    fair_trial: int = 200
    worth_entering: int = 12
    """How often a unit is entered before it is judged, and the ticks it must run each time."""
    most_instructions: int = 12_000
    """In one unit."""

    most_tries: int = 20
    """How often code is made without a profile."""

    # Machine code
    most_orders: int = 200
    """How often machine code is made in one run."""
    worth_it: int = 100_000
    """In generated Python before a unit is worth machine code; a quarter of it on floats, on which
    they take longer by far."""
    line_price: int = 400
    """More for each line of it."""
    worth_more: int = 50_000_000
    more_a_character: int = 2_000
    """In quick machine code before good code is made of it, and for each character of it: that
    takes about as long."""
    slice: int = 20_000
    short_slice: int = 400
    large: int = 1_000
    """Instructions in one unit of which machine code is made at once."""
    worth_a_visit: int = 400
    """That machine code must run on average before it leaves; a tenth of it on floats, on which
    generated Python is slow, and where there is none."""
    most_strays: int = 8
    """How often machine code may leave for new ways before it is made anew; then twice as often."""
    worth_a_crowd: int = 20_000
    """Steps of single walkers, where there are several, before those are worth machine code."""
    worth_gathering: int = 256
    """The same for which it pays to hand walkers over, and back."""

    def after_proof(self) -> Policy:
        """For a run that has proven to be worth machine code: that is made at once."""
        return self._replace(worth_it=min(self.worth_it, PROVEN), line_price=0)

    @property
    def eager(self) -> bool:
        """Whether everything is compiled that can be."""
        return self.profile == 0


PATIENT = Policy()
"""What pays for its price."""

HASTY = PATIENT._replace(
    background=False, short=0, modest=0, stretch=3, hot=2, again=2, profile=60, worth_it=20,
    line_price=0, slice=30, short_slice=30, worth_a_visit=0, worth_a_crowd=-1, worth_gathering=-1,
    worth_tracing=60, tracing_seconds=0, seconds_a_cell=0, loading_seconds=0, least_turn=60,
    most_turn=300, hot_superinstruction=2, hotter_superinstruction=5,
    trial_visits=1 << 62,
)  # fmt: skip
"""For runs of some hundred ticks, each of which should go through all engines."""

EAGER = HASTY._replace(
    stretch=1, long_stretch=32, hot=1, again=1, profile=0, patience=0, large_patience=0,
    fair_trial=1 << 62, worth_it=-1, most_orders=5, slice=400, short_slice=400,
    hot_superinstruction=1, hotter_superinstruction=2,
)  # fmt: skip
"""Everything at once, whatever it costs."""

_in_force: ContextVar[Policy | None] = ContextVar("policy", default=None)


def policy_in_force() -> Policy:
    """That of engines that are made now."""
    wanted = os.environ.get("PLANEWALK_EAGER", "") not in ("", "0")
    return _in_force.get() or (EAGER if wanted else PATIENT)


@contextmanager
def following(policy: Policy) -> Iterator[None]:
    """Engines that are made meanwhile follow this policy."""
    token = _in_force.set(policy)
    try:
        yield
    finally:
        _in_force.reset(token)
