"""The time of a film that is played, paused and scrubbed."""

from __future__ import annotations

from collections.abc import Callable


class FilmClock:
    """Seconds since the film began. They never get below zero."""

    def __init__(self, clock: Callable[[], float], start: float = 0.0) -> None:
        self._clock = clock
        self._at = start
        self._since = clock()
        self.playing = True

    @property
    def now(self) -> float:
        gone = self._clock() - self._since if self.playing else 0.0
        return max(self._at + gone, 0.0)

    def toggle(self) -> None:
        """Pause, or play on from here."""
        self._set(self.now)
        self.playing = not self.playing

    def scrub(self, seconds: float) -> None:
        """Move on or back, whether it plays or not."""
        self._set(max(self.now + seconds, 0.0))

    def _set(self, seconds: float) -> None:
        self._at, self._since = seconds, self._clock()
