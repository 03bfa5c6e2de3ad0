"""Films and pictures of runs: made from a program, shown in notebooks, written to files."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import IO, Any, NamedTuple, TypeVar

from ..core.errors import LimitReached, OptionError
from ..core.language import Language
from ..core.limits import DEFAULT_MEMORY, USUAL, Limits
from ..core.plane import Box
from ..core.program import Program
from ..core.state import State
from ..core.step import Stop
from ..core.text import visible
from ..engines.choose import choose_engine
from ..view.drawing.theme import THEMES, Theme, theme_for
from ..view.film.reel import HOLD, FilmedState, FilmSurvey, Reel, Shot, Stage, no_watch, survey
from ..view.scene.film_layout import GRID_ROOM, LEAST_GRID, READABLE, FilmLayout, best_scale
from ..view.scene.panels import Teller
from ..view.scene.scene import Scene
from ..view.scene.text_painter import room_of
from ..view.walk.origins import Origins
from . import arguments
from .arguments import checked
from .draft import write_with
from .library import (
    LanguageName,
    PathLike,
    Source,
    engine_name,
    start,
)
from .store import DiskStore
from .writers import MOVING, check_name, open_writer, packing_memory, suffix_of, write_all
from .writers.base import Rate, read_rate

FILMS = (*MOVING, ".svg", ".cast", ".html")
PICTURES = (".svg", ".png", ".txt", ".ansi")
FRAMES = 300
"""Frames of a film whose end is not given."""
MOST_FRAMES = 2_000
MOST_WALKERS = 1 << 16
MOST_CELLS = 1 << 20
MOST_PIXELS = 1 << 23
WEIGHT = 40
"""Bytes of memory for each pixel that is drawn and compared with the one before, as measured."""

Watch = Callable[[State], None]
Shown = TypeVar("Shown")


class View(NamedTuple):
    """How things are drawn: pixels for each cell, colours, the part of the plane, panels below."""

    scale: int | None = None
    theme: str = "light"
    crop: Box | None = None
    """Left, top, width and height; else all that is in use."""
    panels: bool = True
    force: bool = False
    """Draw it even if it is very large."""
    origins: Origins | None = None
    """Where the cells of a converted program come from."""
    coordinates: bool | None = None
    grid: bool | None = None
    """Numbers of columns and rows, and lines between cells; else where there is room for them."""

    def colours(self, language: Language) -> Theme:
        if self.theme not in THEMES:
            raise OptionError(f"theme: there are {' and '.join(THEMES)}, not {self.theme!r}")
        return theme_for(self.theme, language.looks.swatch is not None)

    def box(self, seen: FilmSurvey) -> Box:
        """The part of the plane that is drawn."""
        box = seen.box or (0, 0, 0, 0)
        if self.crop is not None:
            left, top, width, height = self.crop
            if width < 1 or height < 1:
                raise OptionError(f"crop: a part of {width} x {height} cells has nothing to see")
            box = (left, top, left + width - 1, top + height - 1)
        width, height = box[2] - box[0] + 1, box[3] - box[1] + 1
        if width * height > MOST_CELLS and not self.force:
            raise OptionError(
                f"the plane in use has {width:,} x {height:,} cells, which is too much to draw; "
                "choose a part of it with crop=... (or insist with force=...)"
            )
        return box

    def plan(self, box: Box) -> FilmLayout:
        """The layout as far as it is known before the first scene."""
        scale = best_scale(box) if self.scale is None else self.scale
        if scale < 1:
            raise OptionError(f"scale: expected 1 pixel a cell or more, not {scale}")
        if self.grid and scale < LEAST_GRID:
            raise OptionError(
                f"grid: cells of {scale} pixel{'' if scale == 1 else 's'} have no room for lines; "
                f"choose a scale=... of {LEAST_GRID} or more"
            )
        coordinates = scale >= READABLE if self.coordinates is None else self.coordinates
        grid = scale >= GRID_ROOM if self.grid is None else self.grid
        return FilmLayout.of(box, scale, coordinates, grid)

    def text_coordinates(self) -> bool | None:
        """Whether pictures for terminals have numbers of columns and rows."""
        if self.grid:
            raise OptionError("grid: there are no lines between letters; leave grid=... out")
        return self.coordinates

    def layout(self, plan: FilmLayout, scene: Scene) -> FilmLayout:
        layout = plan.with_ports(scene.ports).with_panels(scene.panels)
        if layout.width * layout.height > MOST_PIXELS and not self.force:
            raise OptionError(
                f"a picture of {layout.width:,} x {layout.height:,} pixels is very large; choose "
                "a smaller scale=... or a part with crop=... (or insist with force=...)"
            )
        return layout


class Moment:
    """One moment of a run, drawn: shows itself in notebooks, and `save` writes it to a file.

    - `steps`: after how many steps it is
    - `stop`: why the run was over there, if its end was asked for
    """

    def __init__(
        self,
        make: Callable[[int], Scene],
        view: View,
        box: Box,
        theme: Theme,
        steps: int,
        stop: Stop | None = None,
        limits: Limits = USUAL,
    ) -> None:
        """`make` returns the scene for a number of letters in a line."""
        plan = view.plan(box)
        self.view, self.make, self.theme, self.scene = view, make, theme, make(plan.room)
        self.layout = view.layout(plan, self.scene)
        self.steps, self.stop, self.limits = steps, stop, limits

    def image(self) -> Any:
        """The picture for Pillow."""
        from ..view.scene.pixel_painter import PixelPainter

        return PixelPainter(self.layout, self.theme).picture(self.scene)

    def svg(self) -> str:
        """The picture as SVG."""
        from ..view.scene.svg_painter import SvgPainter

        return SvgPainter(self.layout, self.theme).picture(self.scene) + "\n"

    def text(self, *, colour: bool = False) -> str:
        """The picture for a terminal."""
        from ..view.scene.text_painter import TextPainter

        coordinates = self.view.text_coordinates()
        scene = self.make(room_of(self.scene.box, coordinates))
        painter = TextPainter(scene, self.theme if colour else None, coordinates)
        return "".join(f"{line}\n" for line in painter.lines(scene))

    def save(self, path: PathLike) -> None:
        """Write it to a file: .svg, .png, .txt, or .ansi for a terminal with colours."""
        name = arguments.file_name(path)
        data = self.to_bytes(suffix_of(name, PICTURES))
        write_with(name, lambda file: file.write(data))

    def to_bytes(self, suffix: str) -> bytes:
        """The contents of a file with that suffix."""
        if suffix == ".png":
            check_memory(f"picture{suffix}", self.layout, self.limits)
            return self._repr_png_()
        text = self.svg() if suffix == ".svg" else self.text(colour=suffix == ".ansi")
        return text.encode()

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_png_(self) -> bytes:
        import io

        file = io.BytesIO()
        self.image().save(file, "PNG")
        return file.getvalue()

    def __repr__(self) -> str:
        return f"<Moment of {self.scene.title} at {self.scene.caption}>"


class Film:
    """Moments of a run, drawn one after the other: shows itself in notebooks, `save` writes it.

    - `frames`: how many there are
    - `stop`: why the run was over before the last step asked for, else None; `steps` where
    """

    def __init__(self, reel: Reel, title: str, view: View, fps: Rate) -> None:
        self.reel, self.view, self.fps = reel, view, read_rate(fps)
        self.theme = view.colours(reel.language)
        teller = Teller(reel.language, view.origins)
        seen = survey(islice(reel.moments(), None if view.force else MOST_FRAMES + 1), teller)
        if seen.frames > MOST_FRAMES and not view.force:
            raise OptionError(
                f"the film has more than {MOST_FRAMES:,} frames; take fewer with steps=... or "
                "every=... (or insist with force=...)"
            )
        self.frames, self.stop, self.steps = seen.frames, reel.stop, reel.steps
        self.stage = Stage(teller, seen, reel.shot, title, view.box(seen), view.panels)
        self.plan = view.plan(self.stage.box)
        self.layout = view.layout(self.plan, next(self.scenes()))
        self.done = 0
        self.interrupted: BaseException | None = None

    def scenes(self) -> Iterator[Scene]:
        """What each frame shows, as plain data; the run is run again."""
        return self._scenes(self.plan.room)

    def _scenes(self, room: int) -> Iterator[Scene]:
        return (self.stage.scene(moment, room) for moment in self.reel.moments())

    def images(self) -> Iterator[Any]:
        """The frames as images of Pillow."""
        return self._images(self.scenes())

    def _images(self, scenes: Iterable[Scene]) -> Iterator[Any]:
        from ..view.scene.pixel_painter import PixelPainter

        return map(PixelPainter(self.layout, self.theme).picture, scenes)

    def svg(self) -> str:
        """The film as an animated SVG."""
        return self._svg(self.scenes())

    def _svg(self, scenes: Iterable[Scene]) -> str:
        from ..view.film.svg_film import SvgFilm
        from ..view.scene.svg_painter import SvgPainter

        film = SvgFilm(SvgPainter(self.layout, self.theme), float(self.fps))
        for scene in scenes:
            film.add(scene)
        return film.text() + "\n"

    def html(self) -> str:
        """The film as a page that plays it and needs no server."""
        return self._html(self.reel.moments())

    def _html(self, moments: Iterable[FilmedState]) -> str:
        from .studio.recording import FilmRecorder, page_of

        recorder = FilmRecorder(self.reel.language, self.stage.box)
        frames = (
            recorder.look(state, follower, output.text, stop)
            for state, follower, output, stop in moments
        )
        shot, fps = self.reel.shot, float(self.fps)
        return page_of(self.stage.title, self.reel.language, fps, shot.trail, frames)

    def save(self, path: PathLike, watch: Callable[[int], None] = lambda done: None) -> None:
        """Write it to a file, by suffix: .gif, .apng, .webp, .mp4, .webm, .svg, .cast or .html.

        `watch` is told how many frames are done. When a run is interrupted, the file has the
        frames up to there.
        """
        suffix, name = film_suffix(path, self.fps), arguments.file_name(path)
        room = self.plan.room
        if suffix == ".cast":
            room = room_of(self.stage.box, self.view.text_coordinates())
        scenes = self._until_interrupted(self._scenes(room), watch)
        if suffix == ".html":
            moments = self._until_interrupted(self.reel.moments(), watch)
            write_with(name, lambda file: file.write(self._html(moments).encode()))
        elif suffix == ".svg":
            write_with(name, lambda file: file.write(self._svg(scenes).encode()))
        elif suffix == ".cast":
            write_with(name, lambda file: self._cast(file, scenes))
        else:
            check_memory(name, self.layout, self.reel.limits)
            size = (self.layout.width, self.layout.height)
            writer = open_writer(name, size, self.fps, steady=True, hold=Fraction(HOLD))
            write_all(writer, (image.tobytes() for image in self._images(scenes)))
        if self.interrupted is not None:
            raise self.interrupted

    def _until_interrupted(
        self, scenes: Iterable[Shown], watch: Callable[[int], None]
    ) -> Iterator[Shown]:
        """The scenes, counted; an interruption ends them, so that the film is closed properly."""
        self.done, self.interrupted = 0, None
        try:
            for scene in scenes:
                yield scene
                self.done += 1
                watch(self.done)
        except (KeyboardInterrupt, LimitReached) as error:
            if not self.done:
                raise
            self.interrupted = error

    def _cast(self, file: IO[bytes], scenes: Iterator[Scene]) -> None:
        from ..view.film.cast import CastFilm

        film = None
        for scene in scenes:
            film = film or CastFilm(
                scene, self.theme, float(self.fps), self.view.text_coordinates()
            )
            file.writelines(f"{line}\n".encode() for line in film.add(scene))
        if film is not None:
            file.write(f"{film.end()}\n".encode())

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Film of {self.stage.title}, {self.frames:,} frames>"


def check_memory(path: str, layout: FilmLayout, limits: Limits) -> None:
    """Refuse pictures that exceed the memory left by the run."""
    size = (layout.width, layout.height)
    needed = WEIGHT * size[0] * size[1] + packing_memory(path, size)
    limits.allow(needed, f"drawing {size[0]:,} x {size[1]:,} pixels")


def film_suffix(path: PathLike, fps: Fraction) -> str:
    """The suffix of a film's file name, if such a film can be made."""
    name = arguments.file_name(path)
    suffix = suffix_of(name, FILMS)
    if suffix in MOVING:
        check_name(name, fps)
    return suffix


def reel_of(
    language: Language,
    state: State,
    shot: Shot,
    engine: str,
    watch: Watch,
    limits: Limits = USUAL,
) -> Reel:
    """The run of a program on the named engine, ready to be filmed."""
    ready = partial(_engine_for, engine, language, limits)
    return Reel(language, state, shot, ready, time.monotonic, watch, limits)


def _engine_for(engine: str, language: Language, limits: Limits, state: State) -> Any:
    return choose_engine(engine, language, state, limits, DiskStore())


def watch_few(watch: Watch, state: State) -> None:
    """Watch a run, and refuse to draw more walkers than a viewer can follow."""
    if len(state.walkers) > MOST_WALKERS:
        raise OptionError(
            f"after step {state.tick:,} there are {len(state.walkers):,} walkers, too many to "
            "follow; stop before that (or insist with force=...)"
        )
    watch(state)


def shot_of(first: int, last: int | None, every: int, trail: int, heat: bool) -> Shot:
    """The moments of a film; without a last step, enough for a short film."""
    if every < 1:
        raise OptionError(f"every: expected 1 step or more from frame to frame, not {every}")
    if last is None:
        last = first + (FRAMES - 1) * every
    if first < 0 or last < first:
        raise OptionError(f"steps: expected steps in order, not {first:,} to {last:,}")
    if trail < 0:
        raise OptionError(f"trail: expected 0 steps or more, not {trail}")
    return Shot(first, last, every, trail, heat)


def picture_of(
    language: Language,
    state: State,
    at: int | str,  # the end, if it is a word
    title: str,
    view: View,
    *,
    trail: int = 8,
    heat: bool = False,
    engine: str = "auto",
    watch: Watch = no_watch,
    limits: Limits = USUAL,
) -> Moment:
    """The picture of a state at a step, or at the end. Heat is counted from the beginning."""
    theme, stop = view.colours(language), None
    watch = watch if view.force else partial(watch_few, watch)
    if isinstance(at, str):
        over = reel_of(language, state.copy(), Shot(0, 0), engine, watch, limits)
        at = over.end()
        stop = over.stop
    first = 0 if heat else at
    shot = shot_of(first, at, max(at - first, 1), trail, heat)
    reel = reel_of(language, state, shot, engine, watch, limits)
    (moment,) = deque(reel.moments(), maxlen=1)
    reel.require(at)
    teller = Teller(language, view.origins)
    seen = survey([moment], teller)
    stage = Stage(teller, seen, shot, title, view.box(seen), view.panels)
    return Moment(partial(stage.scene, moment), view, stage.box, theme, at, stop, limits)


def title_of(name: str, language: Language) -> str:
    """The title of a picture: the file, without its folder, and the language."""
    file = name.replace("\\", "/").rpartition("/")[2]
    return f"{'program' if file == '-' else visible(file)}, {language.title}"


@checked()
def film(
    path: PathLike | Program | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    steps: tuple[int, int | None] = (0, None),
    every: int = 1,
    input: bytes | str | None = None,
    seed: int | None = None,
    trail: int = 8,
    heat: bool = False,
    scale: int | None = None,
    theme: str = "light",
    crop: Box | None = None,
    panels: bool = True,
    coordinates: bool | None = None,
    grid: bool | None = None,
    fps: Rate = 10,
    force: bool = False,
    engine: str | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    **options: Any,
) -> Film:
    """A film of a run: a state every so many steps, from the first of `steps` to the last.

    `trail` is for how many steps one sees where walkers were, `heat` shows how often they came by.
    `scale` is pixels a cell, `theme` light or dark, `crop` the part of the plane as (x, y, width,
    height). `coordinates` and `grid` are numbers and lines for its columns and rows; unless said,
    there are some where there is room. Without `input` the film ends where the program asks for it.
    Looking through the run may take `max_time` seconds, and `max_memory` bytes.

    >>> film(source='"iH",,@', language="mirrorfunge")
    <Film of program, Mirrorfunge, 8 frames>
    """
    limits = Limits(None, None, max_time, max_memory).begun(time.monotonic)
    begun = start(film, limits, path, source, language, input, seed, options)
    view = View(scale, theme, crop, panels, force, begun.origins, coordinates, grid)
    shot = shot_of(steps[0], steps[1], every, trail, heat)
    watch = no_watch if force else partial(watch_few, no_watch)
    reel = reel_of(begun.language, begun.state, shot, engine_name(engine), watch, limits)
    made = Film(reel, title_of(begun.name, begun.language), view, fps)
    limits.deadline.lift()  # it may be shown again, however long that takes
    return made


@checked()
def picture(
    path: PathLike | Program | None = None,
    *,
    at: int | str = 0,
    source: Source = None,
    language: LanguageName = None,
    input: bytes | str | None = None,
    seed: int | None = None,
    trail: int = 8,
    heat: bool = False,
    scale: int | None = None,
    theme: str = "light",
    crop: Box | None = None,
    panels: bool = True,
    coordinates: bool | None = None,
    grid: bool | None = None,
    force: bool = False,
    engine: str | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    **options: Any,
) -> Moment:
    """A picture of a run at a step, or at the `"end"`; the keywords are those of `film`.

    >>> picture(source='"iH",,@', language="mirrorfunge", at=3)
    <Moment of program, Mirrorfunge at step 3>
    """
    limits = Limits(None, None, max_time, max_memory).begun(time.monotonic)
    begun = start(picture, limits, path, source, language, input, seed, options)
    view = View(scale, theme, crop, panels, force, begun.origins, coordinates, grid)
    title = title_of(begun.name, begun.language)
    return picture_of(begun.language, begun.state, at, title, view, trail=trail, heat=heat,
                      engine=engine_name(engine), limits=limits)  # fmt: skip
