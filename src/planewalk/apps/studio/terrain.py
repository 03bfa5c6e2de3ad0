"""Properties of a plane found by trying: edges, ways through a cell, a map, heat, walkers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from ...core.base.deadline import Pause, Turnstile, never, no_pause
from ...core.errors import LimitReached
from ...core.geometry import CARDINALS, EndlessWalk, Stance
from ...core.images.png import png_of
from ...core.instruction import Group
from ...core.language import Language
from ...core.limits import Limits
from ...core.plane import Box, Plane, SparsePlane
from ...core.sparse.tiles import SIDE_BITS, Tiles
from ...core.state import State, Walker
from ...debug.replay.branch import Branch
from ...debug.session import Session
from ...engines.stepping.observe import Observer
from ...view.drawing.theme import BOARD, WHITE, theme_for
from ...view.scene.scene import block, look_of
from ...view.walk.follow import cell_of
from .encoding import encoded

MOST_PIXELS = 1024
"""Pixels along each side of a map."""
MOST_TRIED = 4 << 20
"""Bytes of the largest state that is copied to try something."""
MOST_HOT = 20_000
"""Cells in one message about heat."""


# Edges --------------------------------------------------------------------------------------------


def edges(language: Language, state: State) -> dict[str, str]:
    """What is beyond each edge of the plane: `joined` to the other side, `out` of it, or `on`."""
    box = state.plane.box()
    if box is None:
        return {}
    return {name: _beyond(language, state, box, way) for way, name in CARDINALS.items()}


def _beyond(language: Language, state: State, box: Box, way: tuple[int, int]) -> str:
    left, top, right, bottom = box
    dx, dy = way
    x = {1: right, -1: left, 0: (left + right) // 2}[dx]
    y = {1: bottom, -1: top, 0: (top + bottom) // 2}[dy]
    mode = state.walkers[0].stance.mode if state.walkers else None
    try:
        there = language.move(state.plane, Stance(x, y, dx, dy, mode))
    except EndlessWalk:
        return "on"
    stays = language.rules.stays
    if there is None or (stays is not None and not stays(state.plane, there)):
        return "out"
    return "joined" if left <= there.x <= right and top <= there.y <= bottom else "on"


# Ways through a cell ------------------------------------------------------------------------------


def ways(session: Session, x: int, y: int) -> list[dict[str, Any]]:
    """Where a walker leaves a cell for each heading it enters by. The top of the stack may decide,
    so there are two answers if 0 and 1 differ. Large states are not tried."""
    if session.state.memory() > MOST_TRIED:
        return []
    found = []
    for (dx, dy), name in session.language.looks.headings.items():
        zero, one = (_tried(session, Stance(x, y, dx, dy), top) for top in (0, 1))
        found.append({"from": [dx, dy], "name": name, "to": [zero] if zero == one else [zero, one]})
    return found


def _tried(session: Session, stance: Stance, top: int) -> list[list[Any]] | str:
    """The headings after one tick, or a word for another outcome."""
    language, state = session.language, session.state.copy()
    begin = session.branch.keyframes.first.thaw()
    mode = begin.walkers[0].stance.mode if begin.walkers else None
    hands = [hand for _, hand in (*state.walkers, *begin.walkers)]
    state.walkers = [Walker(stance._replace(mode=mode), hands[0] if hands else None)]
    state.acted, state.stop = [], None
    if begin.stack or state.stack:
        state.stack.append(type((begin.stack or state.stack)[0])(top))
    else:
        state.stack.append(top)
    observer = Observer(language, state, Limits(memory=MOST_TRIED * 4))
    step = observer.step()
    if step is None or any(action.instruction.group is Group.END for action in step.actions):
        return "waits" if step is None else "ends"
    standing = [move.after for move in step.moves]
    standing += [birth.walker for birth in step.born]
    return [[walker.stance.dx, walker.stance.dy] for walker in standing[:4]] or "leaves"


# The map ------------------------------------------------------------------------------------------


def chart(
    language: Language, plane: Plane, dark: bool, pause: Pause = no_pause
) -> dict[str, Any] | None:
    """A map of the whole plane as PNG in base64, with a pixel for one cell or for a square of
    cells."""
    box = plane.box()
    if box is None:
        return None
    left, top, right, bottom = box
    every = max(1, -(-(right - left + 1) // MOST_PIXELS), -(-(bottom - top + 1) // MOST_PIXELS))
    columns, rows = range(left, right + 1, every), range(top, bottom + 1, every)
    colours, turnstile = _Colours(language, dark), Turnstile(pause)
    if every > 1 and isinstance(plane, SparsePlane):
        pixels = _gathered(plane, box, every, (len(columns), len(rows)), colours, turnstile)
    else:
        seen = _rows(plane, left, rows, right + 1 - left, every, turnstile)
        pixels = b"".join(map(colours.__getitem__, chain.from_iterable(seen)))
    picture = png_of((len(columns), len(rows)), pixels, level=1)
    return {"box": list(box), "every": every, "picture": encoded(picture)}


def _rows(
    plane: Plane, left: int, rows: range, width: int, every: int, turnstile: Turnstile
) -> Iterator[Sequence[Any]]:
    """Every `every`-th cell of some rows."""
    for y in rows:
        turnstile.passed(width)
        yield plane.row(left, y, width)[::every]


def _gathered(
    plane: SparsePlane,
    box: Box,
    every: int,
    size: tuple[int, int],
    colours: _Colours,
    turnstile: Turnstile,
) -> bytes:
    """The pixels of a sparse plane: each shows a cell within its square, if there is one, so that
    thin lines are visible; where cells are many, by squares of at most half a pixel."""
    left, top, (width, height) = box[0], box[1], size
    cells: Iterable[tuple[tuple[int, int], int]] = plane.cells.items()  # lent ones are given back
    half, tiles = 0, plane.remembered
    if isinstance(tiles, Tiles):
        bits = min((every // 2).bit_length() - 1, SIDE_BITS)
        half, cells = (1 << bits) // 2, tiles.squares(bits)
    pixels = bytearray(colours[0] * (width * height))
    for (x, y), number in cells:
        turnstile.passed()
        column, row = max(x + half - left, 0) // every, max(y + half - top, 0) // every
        at = 3 * (min(row, height - 1) * width + min(column, width - 1))
        pixels[at : at + 3] = colours[number]
    return bytes(pixels)


class _Colours(dict[int, bytes]):
    """The colour of each number in a cell, as three bytes."""

    def __init__(self, language: Language, dark: bool) -> None:
        self.language, self.dark = language, dark
        self.theme = theme_for("dark" if dark else "light", language.looks.swatch is not None)

    def __missing__(self, number: int) -> bytes:
        glyph = self.language.looks.glyph(number)
        colour = block(self.theme, look_of(self.language, glyph))
        self[number] = found = bytes(BOARD if self.dark and colour == WHITE else colour)
        return found


# Heat ---------------------------------------------------------------------------------------------


class CellHeat:
    """Counts how often each cell was executed and by which heading, as the run goes on."""

    def __init__(self) -> None:
        self.branch: Branch | None = None
        self.tick = 0
        self.counts: Counter[tuple[int, int, Any, Any]] = Counter()

    def count(
        self, session: Session, pause: Callable[[], bool], hurry: Callable[[], bool] = never
    ) -> bool:
        """Count up to the session's tick; returns whether that is reached. `hurry` is asked within
        ticks, too."""
        if session.branch is not self.branch or session.tick < self.tick:
            self.branch, self.tick, self.counts = session.branch, 0, Counter()
        with suppress(LimitReached), session.asking(hurry):
            for step in session.steps(self.tick, session.tick):
                for action in step.actions:
                    x, y, dx, dy, _ = action.stance
                    place = cell_of(x, y)
                    if place is not None:
                        self.counts[*place, dx, dy] += len(action.walkers)
                self.tick = step.tick + 1
                if self.tick % 256 == 0 and pause():
                    return False
            return True
        return False

    def told(self) -> list[list[Any]]:
        """The counts as column, row, heading and number."""
        return [[*place, times] for place, times in self.counts.most_common(MOST_HOT)]


# Who is who ---------------------------------------------------------------------------------------


class Roll:
    """Numbers that walkers keep while a run is followed closely, and with them their colours. A
    copy of the run is observed tick by tick; after a leap, walkers are numbered anew."""

    MOST_TICKS = 64
    MOST_WALKERS = 500
    MOST_KNOWN = 4096

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all numbers."""
        self._branch: Branch | None = None
        self._observer: Observer | None = None
        self._known: dict[int, list[int]] = {}

    def numbers(self, session: Session, pause: Callable[[], bool] = never) -> list[int]:
        """The numbers of a session's walkers in the order of its state; `pause` limits the time to
        find out."""
        state = session.state
        if session.branch is not self._branch:
            self.clear()
            self._branch = session.branch
        known = self._known.get(state.tick)
        if known is None or len(known) != len(state.walkers):
            with session.asking(pause):
                known = self._observed(session)
            if len(self._known) >= self.MOST_KNOWN:
                self._known.clear()
            self._known[state.tick] = known
        return known

    def _observed(self, session: Session) -> list[int]:
        state, observer = session.state, self._observer
        if observer is None or not 0 <= state.tick - observer.state.tick <= self.MOST_TICKS:
            observer = self._begun(session)
        while observer is not None and observer.state.tick < state.tick:
            crowded = max(len(observer.state.walkers), len(state.walkers)) > self.MOST_WALKERS
            if crowded or observer.step() is None:
                observer = None
            else:
                observer.state.take_output()
        self._observer = observer
        if observer is None or not _same(observer.state.walkers, state.walkers):
            self._observer = None
            return list(range(len(state.walkers)))
        numbered: dict[Walker, list[int]] = {}
        for walker, number in zip(observer.state.walkers, observer.numbers, strict=False):
            numbered.setdefault(walker, []).append(number)
        return [numbered[walker].pop(0) for walker in state.walkers]

    def _begun(self, session: Session) -> Observer | None:
        """An observer of a copy of this moment; None if there are too many walkers to follow."""
        state = session.state
        if state.acted or len(state.walkers) > self.MOST_WALKERS or state.memory() > MOST_TRIED:
            return None
        numbers = self._known.get(state.tick)
        return Observer(session.language, state.copy(), session.running, numbers)


def _same(some: Iterable[Walker], others: Iterable[Walker]) -> bool:
    return Counter(some) == Counter(others)
