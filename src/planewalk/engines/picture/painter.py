"""The exact picture of a program: lanes where they can, single pixels for the rest."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from ...core.base.deadline import Deadline
from ...core.base.named import NamedTuple
from ...core.limits import Limits
from ...core.program import Program
from ..base.addresses import address_of_bytes
from ..base.policy import policy_in_force
from ..base.threads import Crew
from ..native.machine_code import LONG_TEXT, Store, why_not
from ..native.values import Unwritable
from .canvas import Box, Canvas
from .lane_code import MOST_STEPS, LaneCode, LaneSlot, best_lanes, compiled, keep, kept, name_of
from .single import Pixel, PixelTally, SinglePixels

if TYPE_CHECKING:
    from ..tracing.context import Seen

WORTH_LANES = 40_000
"""Steps of single pixels that take about as long as machine code for lanes does to make."""
WORTH_CARE = 400_000
"""The same for careful code, where many lanes come to the step limit."""
SAMPLES = 4
"""Pixels that tell how long a picture would take without."""
STRIP = 1 << 15
"""Pixels that are drawn at a time: the run can be interrupted in between."""
WATCHED, WATCHED_STEPS = 200, {False: 15_000, True: 2_000}
"""Pixels that are watched for plain numbers, and their steps: fewer to be quick."""
TRIAL = 1 << 12
"""Pixels after which it is seen whether lanes are any use."""
MOST_TEXT = 800_000
"""Characters of trees beyond which making code takes longer than most pictures."""
SKETCH = 0.2
"""Seconds that a sketch may take once there is code for it."""
COARSEST = 64
"""Pixels along the side of what may have one colour in a sketch."""

Place = tuple[int, int]


class Heat(NamedTuple):
    """How much work each pixel of a picture is."""

    steps: array[int]
    limited: bytes
    """1 for each pixel that ran into the step limit, else 0."""


class Painter:
    """Draws pictures of one program. Made once, and used for many frames."""

    lanes: int | None = None
    """How many pixels at a time; None for as many as suit the machine."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        seed: int | None = None,
        threads: int = 1,
        store: Store | None = None,
        quick: bool = False,
    ) -> None:
        """With `quick`, the first picture comes sooner, from code that is less optimised."""
        self.program = program
        self.quick = quick
        self.limits = limits
        self.policy = policy_in_force()
        self.seed = (program.language.rules.default_seed or 0) if seed is None else seed
        self.store = store
        self.samples = program.language.rules.samples(program.options)
        self.single = SinglePixels(program, limits, self.seed, store)
        self._seen: Seen | None = None
        self.code: LaneCode | None = None
        self.careful: LaneCode | None = None
        self.drawn = self.drawn_again = 0
        """Pixels that were drawn in lanes, and those of them that had to be done again."""
        self.limited = 0
        """Pixels that came to the step limit."""
        self.guessed = 0
        """Pixels of the last sketch that were not drawn."""
        self._sketch = False
        self._end = limits.deadline
        self._skipped: list[range] = []
        """Rows of blocks that came after the deadline."""
        self._tally = PixelTally()
        self._sought = self._tried = self._tried_care = False
        self._making = Lock()
        self.threads = threads
        self._crew = Crew(threads, "planewalk-painter") if threads > 1 else None

    def close(self) -> None:
        """Let the threads go."""
        if self._crew is not None:
            self._crew.close()

    def resize(self, program: Program) -> None:
        """Draw the same program in another size: what was made for one serves all."""
        self.program = self.single.program = program

    def paint(
        self, time: float | None = None, box: Box | None = None, sketch: bool = False
    ) -> bytes:
        """The rows of a picture or a part of it from the top, as bytes of red, green and blue. Of a
        sketch, pixels that would take long may have the colour of their neighbours."""
        self._sketch, self.guessed = sketch, 0
        canvas = self._draw(time, box, heat=False)
        self._sketch = False
        return canvas.cropped(canvas.pixels, 3)

    def heat(self, time: float | None = None, box: Box | None = None) -> Heat:
        """How many steps each pixel takes, and which ones run into the limit."""
        canvas = self._draw(time, box, heat=True)
        size = canvas.steps.itemsize
        steps = array("I", canvas.cropped(memoryview(canvas.steps).cast("B"), size))
        return Heat(array("L", steps), canvas.cropped(canvas.limited, 1))

    def take_tally(self) -> PixelTally:
        """How the pixels ended that were drawn since the last time."""
        taken, self._tally = self._tally, PixelTally()
        return taken

    def _draw(self, time: float | None, box: Box | None, heat: bool) -> Canvas:
        box = (0, 0, *self.program.size) if box is None else box
        code, end = self._code_for(box, time), self.limits.deadline
        self._end = Deadline(end.clock, SKETCH) if self._sketch else end
        if code is None:
            canvas = Canvas(box, 1, 1, heat)
            self._draw_singly(canvas, canvas.places(canvas.undone, range(canvas.rows)), time)
        else:
            canvas = Canvas(box, code.across, code.down, heat)
            self._draw_in_lanes(code, canvas, time)
        self._tally = self._tally.plus(canvas.tally)
        return canvas

    def _draw_in_lanes(self, code: LaneCode, canvas: Canvas, time: float | None) -> None:
        # Enough strips for all threads.
        rows = STRIP // max(canvas.stride * canvas.down, 1)
        rows = max(min(rows, canvas.rows // (4 * self.threads)), 1)
        begins = range(0, canvas.rows, rows)
        strips = [range(at, min(at + rows, canvas.rows)) for at in begins]
        draw = partial(self._draw_strip, code, canvas, time)
        drawn = self._crew.each(draw, strips) if self._crew else map(draw, strips)
        for strip, complete in zip(strips, drawn, strict=True):
            if not complete:  # done here, while other threads go on
                left = list(canvas.places(canvas.undone, strip))
                self._draw_singly(canvas, left, time)
                self.drawn_again += len(left)
        for skipped in self._skipped:
            self._guess(canvas, list(canvas.places(canvas.undone, skipped)))
        self._skipped.clear()
        self.drawn += canvas.width * canvas.height
        if self.drawn > TRIAL and 8 * self.drawn_again > 7 * self.drawn:
            self.code = None  # nearly all was in vain

    def _draw_singly(
        self, canvas: Canvas, places: Iterable[tuple[int, int]], time: float | None
    ) -> None:
        end = first = self._end
        if self._sketch:
            first = Deadline(end.clock, end.left() / 2)
        left = self._draw_in_flocks(canvas, list(places), time, first)
        if self._sketch:
            left.sort(key=_coarseness, reverse=True)
        for number, (x, y) in enumerate(left):
            if end.left() <= 0:
                self._guess(canvas, left[number:])
                return
            pixel = self.single.run(x, y, time)
            canvas.put(x, y, pixel)
            if pixel.limited or pixel.fault:
                canvas.alone = canvas.alone.plus(pixel.tally)

    def _draw_in_flocks(
        self, canvas: Canvas, places: list[Place], time: float | None, end: Deadline
    ) -> list[Place]:
        """Draw many pixels that do much the same; gives those that do not."""
        from . import flock  # rarely needed

        steps, left = self.limits.steps, list[Place]()
        fits = len(places) >= flock.LEAST and steps is not None and steps <= flock.MOST_STEPS
        if not fits or not self.policy.flocks:
            return places
        for begin in range(0, len(places), flock.LARGEST):
            some = places[begin : begin + flock.LARGEST]
            try:
                flocks = flock.Flocks(self.single, some, time, end)
            except flock.Unfit:
                return places
            for ended in flocks.ended():
                for at, colour in zip(ended.pixels, ended.colours, strict=True):
                    canvas.put(*some[at], Pixel(colour, ended.steps, ended.limited))
                canvas.alone = canvas.alone.plus(ended.tally)
            left += [some[at] for at in sorted(flocks.left)]
        return left

    def _guess(self, canvas: Canvas, rest: list[Place]) -> None:
        """Give the remaining pixels of a sketch the colour of the nearest coarser one."""
        if not self._sketch:
            return
        missing = set(rest)
        self.guessed += len(missing)
        for x, y in rest:
            size = 2
            while size <= COARSEST and (x - x % size, y - y % size) in missing:
                size *= 2
            known = max(x - x % size, canvas.left), max(y - y % size, canvas.top)
            canvas.put(x, y, canvas.get(*known))

    def _draw_strip(self, code: LaneCode, canvas: Canvas, time: float | None, rows: range) -> bool:
        """Draw some rows of blocks in lanes; says whether that was all."""
        if self._end.left() <= 0:
            self._skipped.append(rows)
            return True  # the deadline of the sketch is over
        if not code.paint({**canvas.words(rows), **self._words(time)}):
            return True
        limited = list(canvas.places(canvas.over, rows))
        careful = self._careful_code(len(limited)) if limited else None
        blocks = range(rows.start * canvas.columns, rows.stop * canvas.columns)
        if careful is not None:
            part = canvas.part(rows)
            careful.paint({**part.words(range(part.rows)), **self._words(time)})
            for x, y in limited:
                canvas.put(x, y, part.get(x, y))
            for at in blocks:  # who left behind the limit has not come so far
                canvas.undone[at] &= ~canvas.over[at]
            canvas.over[blocks.start : blocks.stop] = part.undone
            canvas.spent.append(len(limited) - sum(map(int.bit_count, part.undone)))
        for at in blocks:
            canvas.undone[at] |= canvas.over[at]
        return not any(canvas.undone[blocks.start : blocks.stop])

    def _words(self, time: float | None) -> dict[LaneSlot, int | float]:
        """What machine code has to know about the whole picture."""
        program, steps = self.program, self.limits.steps
        width, height = program.size
        return {
            LaneSlot.WIDTH: width,
            LaneSlot.HEIGHT: height,
            LaneSlot.TIME: program.time if time is None else float(time),
            LaneSlot.LIMIT: MOST_STEPS if steps is None else min(steps, MOST_STEPS),
            LaneSlot.SEED: self.seed & (1 << 64) - 1,
            LaneSlot.SAMPLES: address_of_bytes(self.samples),
        }

    # Making machine code -----------------------------------------------------------------------

    def _code_for(self, box: Box, time: float | None) -> LaneCode | None:
        """Code for lanes: what is kept if there are many pixels, new code once it is worth it."""
        left, top, right, bottom = box
        if not self._sought and (right - left) * (bottom - top) >= TRIAL:
            self._sought = True
            self.code = self._kept(careful=False)
            self._tried = self.code is not None
        if not self._tried and self._is_worth_lanes(box, time):
            self._tried = True
            self.code = self._made(careful=False)
        return self.code

    def _is_worth_lanes(self, box: Box, time: float | None) -> bool:
        """Whether there is enough to do: some pixels tell how much."""
        left, top, right, bottom = box
        pixels = (right - left) * (bottom - top)
        if self.quick or pixels >= WORTH_LANES:  # none takes less than a step
            return True
        before = self.single.ticks
        for i in range(SAMPLES):
            at = (2 * i + 1) * pixels // (2 * SAMPLES)
            if before + (self.single.ticks - before) * pixels // SAMPLES >= WORTH_LANES:
                return True
            if at < pixels:
                self.single.run(left + at % (right - left), top + at // (right - left), time)
        return before + (self.single.ticks - before) * pixels // SAMPLES >= WORTH_LANES

    def _careful_code(self, pixels: int) -> LaneCode | None:
        """Careful code for so many pixels more; made once it is worth it."""
        steps = self.limits.steps
        if steps is None or steps > MOST_STEPS or not self.policy.careful_lanes:
            return None
        with self._making:
            self.limited += pixels
            if not self._tried_care and self.limited * steps >= WORTH_CARE:
                self._tried_care = True
                self.careful = self._kept(careful=True) or self._made(careful=True)
            return self.careful

    def _kept(self, careful: bool) -> LaneCode | None:
        """Code of an earlier time, if there is any."""
        if self.store is None or not self._has_shading() or not self.policy.kept_pictures:
            return None
        name = self._name(careful)
        return None if name is None else kept(self.store, name, self._lanes())

    def keep(self, store: Store) -> None:
        """Have machine code of the program in a store, without loading it."""
        written, name = self._written(careful=False), self._name(careful=False)
        if written is not None:
            keep(*written, store, name)

    def _made(self, careful: bool) -> LaneCode | None:
        written = self._written(careful)
        return written and compiled(*written, self._lanes(), self.store, self._name(careful))

    def _written(self, careful: bool) -> tuple[str, bool] | None:
        """The IR of the program, and whether it is to become machine code quickly; None if there
        can be none."""
        if not self._has_shading() or why_not() is not None:
            return None
        from .lanes import LaneWriter  # which takes a while, and is not needed for kept code
        from .write import write

        start, lanes = self.single.start(0, 0), self._lanes()
        make = partial(LaneWriter, lanes=lanes, careful=careful)
        try:
            writer, text = write(self.program, start, self.watch, make)
        except Unwritable:
            return None
        if writer.size > MOST_TEXT:
            return None
        return text, self.quick or writer.size > LONG_TEXT

    def _has_shading(self) -> bool:
        return self.policy.lanes and self.program.language.drawing.shading is not None

    def _lanes(self) -> int:
        return self.lanes or best_lanes()

    def _name(self, careful: bool) -> str | None:
        """Under which it is kept."""
        return name_of(self.program, self._lanes(), careful)

    def watch(self) -> Seen:
        """What some pixels here and there ask for: plain code and careful code alike."""
        if self._seen is None:
            width, height = self.program.size
            # Multiples of these two, without their whole part, are spread evenly over a square.
            shares = ((i * 0.7548776662 % 1, i * 0.5698402910 % 1) for i in range(WATCHED))
            spread = dict.fromkeys((int(width * x), int(height * y)) for x, y in shares)
            self._seen = self.single.watch(spread, WATCHED_STEPS[self.quick])
        return self._seen


def _coarseness(place: Place) -> int:
    """The largest size of squares at whose corners this pixel stands."""
    both = place[0] | place[1] | COARSEST
    return both & -both


def render_rows(program: Program, limits: Limits) -> Iterator[bytes]:
    """The rows of a picture from the top, as bytes of red, green and blue."""
    painter = Painter(program, limits)
    width, height = program.size
    rows = max(8 * STRIP // width, 1)
    for top in range(0, height, rows):
        strip = painter.paint(box=(0, top, width, min(top + rows, height)))
        yield from (strip[at : at + 3 * width] for at in range(0, len(strip), 3 * width))
