"""What the interpreter sees of a plane without edges: a window around the walker and its hand.

How far cells reach is not tracked meanwhile, but the four outermost are sure to stay: machine code
leaves before it writes one of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.base.deadline import Pause
from ...core.geometry import Stance
from ...core.plane import Place, SparsePlane, range_of
from ...core.state import Walker
from ..base.keeping import FURTHEST
from ..base.lending import called_back, is_lent
from ..native.abi import Slot
from ..tracing.ir import Leave
from ..window.pane import Bounds
from ..window.window import HIGHEST, Window
from .abi import SURE

if TYPE_CHECKING:
    from ..native.machine_code import Store

MOST_CELLS = 1 << 17
"""With more of them it takes long to close a window for another engine, and to open it again."""
FAR = 2  # cells on every side of the walker and its hand that are in the window when it is entered


def ceiling(plane: Any) -> int:
    """The greatest number that a cell can ever hold, in a window."""
    return int(min(range_of(plane)[1], HIGHEST))


class SureLine:
    """How far cells reach to one side: up to this line, or further. Only what follows from that can
    be asked."""

    def __init__(self, line: Any, least: bool) -> None:
        self.line, self.least = line, least

    def __gt__(self, at: Any) -> bool:
        return not _surely(at >= self.line) if self.least else _surely(at < self.line)

    def __lt__(self, at: Any) -> bool:
        return _surely(at > self.line) if self.least else not _surely(at <= self.line)

    def __ge__(self, at: Any) -> bool:
        return not self < at

    def __le__(self, at: Any) -> bool:
        return not self > at

    def _unusable(self, *_: object) -> Any:
        raise Leave

    __eq__ = __ne__ = __hash__ = __bool__ = __int__ = __index__ = __float__ = _unusable
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = _unusable
    __repr__ = __str__ = __format__ = __getattr__ = _unusable


def _surely(fact: Any) -> bool:
    """True; leaves if that is not so."""
    if not fact:
        raise Leave
    return True


class _SureExtent:
    """How far cells reach along one axis."""

    def __init__(self, least: Any, most: Any) -> None:
        self.least, self.most = SureLine(least, True), SureLine(most, False)


class _SomeCells:
    """All that is known of the cells is that there are some."""

    def __bool__(self) -> bool:
        return True

    def _unusable(self, *_: object) -> Any:
        raise Leave

    __getattr__ = __getitem__ = __contains__ = __len__ = __iter__ = __eq__ = _unusable


class UnboundedView:
    """The plane as geometry and instructions see it."""

    cells = _SomeCells()

    def __init__(self, left: Any, top: Any, right: Any, bottom: Any) -> None:
        self.columns, self.lines = _SureExtent(left, right), _SureExtent(top, bottom)

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class Surroundings:
    """The window on a plane for a run, and the cells that surely stay."""

    def __init__(self, plane: SparsePlane, store: Store | None = None) -> None:
        self.plane, self.store = plane, store
        self.sure: set[Place] = set()
        self.reach = Bounds(0, 0, 0, 0)  # how far they reach; the last column and row are in it
        self.window: Window | None = None

    def is_handy(self) -> bool:
        """Whether cells are handed on to another engine, and back, in a short time."""
        return len(self.plane.cells) <= MOST_CELLS

    def cover(self, walker: Walker, pause: Pause) -> bool:
        """Have a walker and its hand in the window; says whether it can be entered."""
        needed, plane = _around(walker), self.plane
        if needed.is_too_large() or max(map(abs, needed)) >= FURTHEST:
            return False
        if self.window is None:
            self.window = Window(plane, self.sure, self.store)
        window = self.window
        window.open()
        if window.highest > ceiling(plane) or not self._is_sure(walker.stance):
            return False
        try:
            window.have(needed, pause)
        except OSError:  # there is not so much memory
            return False
        window.highest = ceiling(plane)
        return True

    def let_go(self) -> None:
        """Do without the window while the reference engine has a rest for itself."""
        if self.window is not None:
            self.window.let_go()

    def is_left(self, walker: Walker) -> bool:
        """Whether a walker or its hand has come to the end of the window."""
        assert self.window is not None
        return not self.window.pane.frame.holds(_around(walker))

    def goes_on(self, over: Callable[[Any, Stance], bool] | None, stance: Stance) -> bool:
        """Whether a program has surely not ended; this is told without a look at the cells."""
        if not is_lent(self.plane):
            return False
        try:
            return over is None or not over(UnboundedView(*self.reach), stance)
        except (Leave, Exception):  # the reference engine will tell
            return False

    def _is_sure(self, stance: Stance) -> bool:
        """Whether a walker is among cells that surely stay."""
        left, top, right, bottom = self.reach
        standing = self.sure and all(self.plane.cell(x, y) for x, y in self.sure)
        if not standing or not (left <= stance.x <= right and top <= stance.y <= bottom):
            self._look()
        return bool(self.sure)

    def _look(self) -> None:
        """Find the outermost cells."""
        assert self.window is not None
        called_back(self.plane)
        self.window.mark(self.sure, False)
        self.sure.clear()
        box = self.plane.box()
        if box is not None:
            self.sure.update(self.plane.outermost())
            self.reach = Bounds(*box)
            self.window.mark(self.sure, True)

    def show(self, words: Any) -> None:
        """Tell machine code where everything is."""
        assert self.window is not None
        self.window.show(words)
        for word, line in zip(SURE.values(), self.reach, strict=True):
            words[word] = line

    def take(self, words: Any) -> None:
        """Know how many cells there are now."""
        assert self.window is not None
        self.window.count = words[Slot.COUNT]

    @staticmethod
    def is_too_wide(walker: Walker) -> bool:
        """Whether there can be no window that has both the walker and its hand."""
        return _around(walker).is_too_large()


def _around(walker: Walker) -> Bounds:
    (x, y, *_), hand = walker
    column, line = hand or (x, y)
    return Bounds(
        min(x, column) - FAR, min(y, line) - FAR, max(x, column) + FAR + 1, max(y, line) + FAR + 1
    )
