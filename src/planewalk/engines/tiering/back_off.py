"""What is worth compiling, and when: visits, places that are not, and longer and longer waits."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.geometry import Stance
from .run import LiveRun

MOST_DOUBT = 1_000
"""Times the ticks of a profile until another try, at most, if all were in vain."""
MOST_REFUSED = 20_000
MOST_VISITS = 20_000


class BackOff:
    """Counts visits; after every try in vain it waits twice as long."""

    def __init__(self, run: LiveRun) -> None:
        self.run, self.policy = run, run.policy
        self.visits: dict[Stance, int] = {}
        self.refused: set[Stance] = set()
        """Places that are not for compiling."""
        self.compiled_ticks = 0
        """Ticks in compiled code, and all those before somebody began anew."""
        self.patience = 0
        """Ticks without compiled code before something is made again."""
        self.doubt = 1
        """Doubles with every try in vain."""
        self.tries = 0

    def is_hot(self, stance: Stance, enough: int) -> bool:
        """Count a visit; says whether there were enough of them."""
        visits = self.visits[stance] = self.visits.get(stance, 0) + 1
        if len(self.visits) > MOST_VISITS:
            self.visits.clear()
        return visits >= enough and stance not in self.refused

    def is_waiting(self) -> bool:
        """Whether it is too early for another try: compiled code had a part in the run of late."""
        return self.run.now - self.compiled_ticks < self.patience

    def begin_anew(self) -> None:
        """Count from here on the ticks that compiled code has no part in."""
        self.compiled_ticks = self.run.now

    def one_more_try(self) -> bool:
        """Count a try; says whether there may be so many."""
        self.tries += 1
        return self.tries <= self.policy.most_tries

    def try_later(self) -> None:
        """Code was of no use, or none is to be had."""
        self.doubt = min(2 * self.doubt, MOST_DOUBT)
        self.patience = max(self.patience, self.policy.profile * self.doubt)
        self.begin_anew()

    def wait_after(self, work: int, full: bool) -> None:
        """Wait as long as that much work was worth."""
        patience = self.policy.large_patience if full else self.policy.patience
        self.patience = max(patience * work, self.policy.profile * self.doubt)

    def refuse(self, stances: Iterable[Stance]) -> None:
        """These places are not for compiling."""
        if len(self.refused) > MOST_REFUSED:
            self.refused.clear()
        self.refused.update(stances)

    def forget(self) -> None:
        """Code is made for something else now: nothing has been tried yet."""
        self.refused.clear()
        self.visits.clear()
        self.patience, self.doubt = 0, 1
