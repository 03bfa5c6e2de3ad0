"""When code is made of a run, and what is worth it: thresholds as data.

Engines are made with the policy that is in force around them, unless they are given one. With the
variable `PLANEWALK_EAGER` set to 1, that is to compile everything at once. `PLANEWALK_WITHOUT`
names speed-ups that a process does without: `benchmarks/worth` measures so what each is worth.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ...core.base import platform
from ...core.base.record import Record
from ...core.errors import EngineRefused, closest


class Policy(Record):
    """Thresholds in ticks, unless another unit is named; prices in seconds of CPU time."""

    background: bool = True
    """Whether the run goes on while code is made."""

    # The scheduler
    short: int = 10_000
    """Steps of walkers on the reference engine before another tier is looked for: about as long as
    importing and loading one takes."""
    tracing_price: float = 0.03
    cell_price: float = 0.00004
    loading_price: float = 0.07
    interpreter_price: float = 0.5
    """To trace and compile a small program, and each of its cells; to import LLVM; to make the
    interpreter of a language, which otherwise comes along."""
    most_turn: int = 1 << 26
    """Steps of a turn: 0.2 s on an interpreter, should a program that jumped over billions of steps
    begin to walk them."""

    # The interpreter
    worth_kernels: int = 300_000_000
    """On one before the kernels of superinstructions are compiled, if they do not come along."""
    trial_visits: int = 8
    """How often it is entered before it is seen whether the reference engine alone is quicker."""
    hot_superinstruction: int = 24
    hotter_superinstruction: int = 128
    """How often one is performed before a trace begins with it; and before that is tried anew, and
    it becomes machine code of its own."""

    # Units of compiled code
    stretch: int = 32
    long_stretch: int = 1_024
    """On the reference engine between two looks at what is hot; and while nothing is ordered."""
    hot: int = 4
    """Visits to a stance before it is compiled."""
    profile: int = 600
    """For how long a run is watched before code is made of it; without, the whole program counts as
    walked."""
    patience: int = 40
    """On the reference engine for each instruction traced last time, before code is made anew:
    about what tracing it took."""
    worth_a_visit: int = 12
    """That a unit must run on average before it leaves: about what entering it costs."""
    most_instructions: int = 12_000
    """In one unit."""

    # Speed-ups that a run can do without: a row of `benchmarks/worth` for each
    interpreter: bool = True
    superinstructions: bool = True
    templates: bool = True
    trials: bool = True
    machine_code: bool = True
    wide_numbers: bool = True
    deep_stacks: bool = True
    kept_units: bool = True
    shelf: bool = True
    code_images: bool = True
    crowds: bool = True
    lanes: bool = True
    kept_pictures: bool = True
    careful_lanes: bool = True
    flocks: bool = True

    @property
    def eager(self) -> bool:
        """Whether everything is compiled that can be."""
        return self.profile == 0


SPEED_UPS = tuple(
    name for name, value in Policy._defaults.items() if value is True and name != "background"
)
"""What a run can do without."""


def without(names: str) -> dict[str, bool]:
    """The fields that switch some speed-ups off, whose names have commas between them."""
    wanted = names.replace("-", "_").split(",") if names else []
    for name in wanted:
        if name not in SPEED_UPS:
            meant = closest(name, SPEED_UPS)
            hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(SPEED_UPS)}"
            raise EngineRefused(f"no speed-up is called {name!r}; {hint}")
    return dict.fromkeys(wanted, False)


IN_A_PAGE: dict[str, Any] = {"most_turn": 1 << 24} if platform.IN_A_PAGE else {}
"""Nothing interrupts a turn in a page: these steps take it 0.15 s at most on an interpreter."""
PATIENT = Policy(**without(os.environ.get("PLANEWALK_WITHOUT", "")), **IN_A_PAGE)
"""What pays for its price."""

HASTY = PATIENT._replace(
    background=False, short=0, tracing_price=0, cell_price=0, loading_price=0,
    interpreter_price=0, most_turn=300, stretch=3, hot=2, profile=60,
    worth_a_visit=0, hot_superinstruction=2, hotter_superinstruction=5,
    trial_visits=1 << 62,
)  # fmt: skip
"""For runs of some hundred ticks, each of which should go through all engines."""

EAGER = HASTY._replace(
    stretch=1, long_stretch=32, hot=1, profile=0, patience=0, hot_superinstruction=1,
    hotter_superinstruction=2,
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
