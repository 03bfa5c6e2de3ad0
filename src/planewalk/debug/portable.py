"""Sessions that leave a process: what a walk file holds, and what only our own processes are told.

Engines, keyframes and threads stay behind: the run is walked again where it arrives. A walk file is
for strangers, so it says nothing that would have to be believed, such as how far a run was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..core.base.named import NamedTuple
from ..core.language import Language
from ..core.step import Stop
from .replay.branch import Branch
from .search.finder import Finder
from .search.hits import Counted
from .walkfile import from_bytes, to_bytes

R = TypeVar("R", bound=Finder)


SEEN = ("reached", "ending", "full", "edits", "heard")
"""What is known of a branch, beside what its walk file says."""


class Departed(NamedTuple):
    """A session without anything that only this process has."""

    language: Language
    walk: bytes
    settings: dict[str, Any]
    seen: dict[str, dict[str, Any]]
    stop: Stop | None
    hits: list[Counted]


def depart(replay: Finder, settings: dict[str, Any]) -> Departed:
    """What another process needs to go on with a session."""
    branches = replay.branches.items()
    seen = {name: {key: getattr(branch, key) for key in SEEN} for name, branch in branches}
    return Departed(
        replay.language, to_bytes(replay), settings, seen, replay.stop, replay.hit_log.counted()
    )


def arrive(make: Callable[..., R], departed: Departed) -> R:
    """The session again, where it stood."""

    def tell(branch: Branch) -> None:
        known = departed.seen[branch.name]
        vars(branch).update(known, reached=max(branch.reached, known["reached"]))

    replay = from_bytes(
        make, departed.walk, lambda name: departed.language, tell, **departed.settings
    )
    replay.stand(departed.stop)
    replay.hit_log.recount(departed.hits)
    return replay
