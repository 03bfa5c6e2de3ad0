"""How many ticks an engine runs between two looks at the clock."""

from __future__ import annotations

FIRST_STRETCH = 256
LONGEST_STRETCH = 1 << 25
"""More ticks are never asked for at once: machine code hears nothing until they are done, and
may go on much slower than it began."""
STRETCH_SECONDS = 0.02
"""How long it runs, about, between two looks at the clock, the memory and the output."""


class StretchLength:
    """The ticks of the next stretch: doubled and halved so that each takes about as long."""

    def __init__(self, seconds: float = STRETCH_SECONDS, longest: int = LONGEST_STRETCH) -> None:
        self.seconds, self.longest = seconds, longest
        self.ticks = FIRST_STRETCH

    def learn(self, seconds: float) -> int:
        """One took so long; gives 1 if the next is to be longer, and -1 if shorter."""
        if seconds < self.seconds / 2:
            self.ticks = min(2 * self.ticks, self.longest)
            return 1
        if seconds > 2 * self.seconds:
            self.ticks = max(self.ticks // 2, 1)
            return -1
        return 0
