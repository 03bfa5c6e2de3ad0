"""How much code is made at most."""

from __future__ import annotations

from ..base.policy import PATIENT

MOST_TICKS = 300  # ticks along one path before it is cut, so that fuel is looked at often enough
MOST_DECISIONS = 24  # decisions along one path: generated Python cannot be nested much deeper
MOST_BLOCKS = 2_500
MOST_INSTRUCTIONS = PATIENT.most_instructions
"""What one unit may hold; beyond it the reference engine goes on, or another unit."""
MOST_WORK = 10
"""How often each instruction may be performed, on average, until all headers are found."""
MOST_DEPTHS = 3  # stack depths at one stance before code for any depth is made instead
MOST_CALLS = 16  # calls that are not returned from; code is made for each list of callers


class TooComplex(Exception):
    """No end to the headers is in sight; this place is not for compiling."""


class TooManyDepths(Exception):
    """One stance is met at many stack depths; code for any depth is needed."""
