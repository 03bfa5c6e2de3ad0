"""The plane as geometry sees it, which tells how long a move may be cached."""

from __future__ import annotations

from typing import Any

from ...core.geometry import Stance


class Ground:
    """A plane that can be written, as `move` and `after` see it.

    Moves that depend on its width alone are cached for good, those that depend on its height until
    it grows; moves that depend on anything else are not cached.
    """

    def __init__(self, plane: Any, ways: dict[Stance, Stance | None]) -> None:
        self._plane = plane
        self._ways = ways
        self.looked = False  # whether anything was looked at that may be different next time
        self.measured: int | None = None  # the height, if a way depends on it
        if hasattr(plane, "width"):
            self.width = plane.width

    @property
    def height(self) -> int:
        height: int = self._plane.height
        self.measured = height
        return height

    def __getattr__(self, name: str) -> Any:
        self.looked = True
        return getattr(self._plane, name)

    def notice_growth(self) -> None:
        """Forget ways that are no longer true if the plane has grown since they were found."""
        if self.measured is not None and self.measured != self._plane.height:
            self._ways.clear()
            self.measured = None
