"""What a run was seen to do: where it walked, and which plain numbers it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.geometry import Stance
from ...core.step import Stop
from ..stepping.observe import Glance, Onlooker, observe
from ..stepping.reference import ReferenceEngine
from .choices import MOST_CHOICES
from .context import Seen
from .ir import Key
from .limits import MOST_CALLS

if TYPE_CHECKING:
    from ...core.barriers import Barriers

MOST_KEPT = 20_000
ASKING = {"known": 1, "register": 1, "set_register": 1, "look": 2}
"""The words that ask for plain numbers, and how many each asks for, as the tracer counts them."""
ASKING_OF_TEXT = {**ASKING, "cell": 2}
"""The same on planes that cannot be written, where reading a cell asks for its place."""


class Profile:
    """Grows with every watch, so that code made later knows all that was seen before."""

    def __init__(self) -> None:
        self.walked: set[Stance] = set()
        self.seen: dict[tuple[Stance, int], set[Any]] = {}
        self.path: list[Key] = []  # where the program stood in the last watch, tick by tick
        self.growing = False  # whether the plane got more rows in the last watch
        self.ever_grew = False

    def answers(self) -> Seen:
        """The numbers asked for, as they are now."""
        return {question: tuple(choices) for question, choices in self.seen.items()}

    def watch(
        self, reference: ReferenceEngine, ticks: int, barriers: Barriers | None = None
    ) -> Stop | None:
        """Run some ticks and look on, as long as there is one walker that may be compiled."""
        if len(self.walked) > MOST_KEPT:
            self.walked.clear()
            self.seen.clear()
        state = reference.state
        height = getattr(state.plane, "height", 0)
        self.path = []
        asking = ASKING if state.plane.writable else ASKING_OF_TEXT
        with Onlooker(reference, asking, barriers) as onlooker:
            try:
                for glance in observe(onlooker, ticks):
                    self._learn(glance)
                    if len(state.walkers) != 1 or len(state.calls) > MOST_CALLS:
                        break
            finally:
                self.growing = getattr(state.plane, "height", 0) > height
                self.ever_grew = self.ever_grew or self.growing
        return onlooker.pause

    def _learn(self, glance: Glance) -> None:
        stance, depth, calls, asked = glance
        self.path.append(Key(stance, depth, calls))
        self.walked.add(stance)
        for question, answer in enumerate(asked):
            choices = self.seen.setdefault((stance, question), set())
            if answer == answer and len(choices) <= MOST_CHOICES:  # NaN is never the same
                choices.add(answer)
