"""`planewalk render`: pictures and films of programs that colour pixels."""

from __future__ import annotations

import contextlib
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from ...core.errors import LimitReached, OptionError, PlanewalkError
from ...core.limits import DEFAULT_MEMORY, Limits, allowed, show_size
from ...engines.choose import check_engine
from ...view.drawing.tally import out_of_range, trouble
from ..pictures import frames as film
from ..pictures.devices import CPU, DEVICES, Device, make_device
from ..pictures.picture_scene import HEATS, PIECE, PictureScene, Renderer, make_scene, with_scale
from ..writers import FrameWriter, check_name, open_writer, packing_memory
from ..writers.png import SequenceWriter, is_done, is_sequence, numbered
from ..writers.raw import PipedPng, RawWriter
from .alarm import Interrupts, ended_in_time
from .options import SHOW, add, add_engine, add_output, add_painting
from .outcome import INTERRUPTED, complain
from .program import as_written, limits_of, load_program, naming
from .progress import FilmProgress
from .values import grid, positive, rate

MOST_PIXELS = 1 << 26
MOST_FRAMES = 100_000
"""Pixels and frames that need --force: more are rarely intended."""

FRAME_MEMORY = 100
"""Bytes for each entry in the list of frames."""
SHOWN, BESIDE = 10, 8
"""Bytes for each pixel shown in the terminal, and for each in a row of a contact sheet."""

HEAT_HINT = "; see --heat limit"

EPILOG = """\
The suffix of -o says what is made: one picture (.png), a film (.gif .apng .webp, or .mp4 .webm with
the extra 'video'), or a numbered sequence (frame-%04d.png). -o - writes to standard output: one
picture as PNG, a film as raw rows of red, green and blue bytes, frame after frame.

examples:
  planewalk render plasma.wf -o plasma.png
  planewalk render plasma.wf --size 320x180 --time 1.5 -o plasma.png
  planewalk render plasma.wf --size 96x54 --show             in the terminal
  planewalk render plasma.wf --size 640x360 --duration 4 -o plasma.mp4
  planewalk render plasma.wf --frames 100 -o frame-%04d.png  go on with --resume
  planewalk render plasma.wf --duration 6 --contact-sheet 3x2 -o sheet.png
  planewalk render spheres.wf --size 320x180 --heat steps -o heat.png
  planewalk render plasma.wf --size 1920x1080 --device gpu -o plasma.png
  planewalk render plasma.wf --frames 99 --size 320x180 -o - |
    ffmpeg -f rawvideo -pix_fmt rgb24 -s 320x180 -r 25 -i - plasma.mkv"""


PICTURE = """
    --supersample N  draw N times larger in both directions and average
    --crop X,Y,W,H  only this part of the picture
    --heat KIND  draw the steps each pixel took, or which hit the limit
"""
FILM = """
    --frames N  a film of N frames
    --duration S  a film of S seconds
    --fps F  frames a second: 25 (default), 12.5, 30000/1001
    --contact-sheet COLSxROWS  one picture of moments spread over the film
    --resume  keep the frames of a sequence that are there
"""
WORK = f"""
    --threads N  default: all cores
    --max-time S  stop after S seconds; frames of a film that are done are kept
    --max-memory SIZE  stop when drawing takes that much: 64M, 2G (default
        {show_size(DEFAULT_MEMORY)} for each pixel and for textures, and no limit for pictures)
    --device KIND  cpu: exact (default); cuda: an NVIDIA card, exact; gpu: any graphics processor,
        levels may differ by one; auto: what is there
    --fast  with --device cuda: more quickly, levels may differ by one
    --cluster ADDRESS  draw on a Dask scheduler; without an address, on processes here
    --[no-]progress  show the progress on standard error (default: at a terminal)
    --force  allow more than {MOST_PIXELS:,} pixels or {MOST_FRAMES:,} frames
"""
DEVICE = {"choices": DEVICES, "default": CPU}
CLUSTER = {"nargs": "?", "const": ""}


def add_arguments(parser: ArgumentParser) -> None:
    add_painting(parser)
    add_output(parser, "its suffix says what it is; - is standard output", required=False)
    add(parser, SHOW)
    add_engine(parser)
    kinds = {"supersample": {"type": positive, "default": 1}, "heat": {"choices": HEATS}}
    add(parser.add_argument_group("picture"), PICTURE, **kinds)
    film = parser.add_argument_group("film")
    add(film, FILM, frames=positive, fps=rate, contact_sheet=grid)
    add(parser.add_argument_group("work"), WORK, threads=positive, device=DEVICE, cluster=CLUSTER)


def perform(arguments: Namespace) -> int:
    fps = film.FPS if arguments.fps is None else arguments.fps
    count = film.count_frames(arguments.frames, arguments.duration, fps)
    check(arguments, count, fps)
    program = load_program(arguments)
    steps = arguments.max_steps
    limits = Limits(steps=program.language.rules.default_steps if steps is None else steps)
    with as_written(arguments):
        scene = make_scene(
            program, limits, arguments.seed,
            crop=arguments.crop, supersample=arguments.supersample, heat=arguments.heat,
        )  # fmt: skip
        device = make_device(arguments.device, arguments.fast, lambda line: complain(line, 0))
    with naming(arguments.file):
        program.start(arguments.seed)
    job = Rendering(arguments, scene, device, program.time, count, fps)
    job.check_size(arguments.force)
    job.check_memory()
    return job.draw()


def check(arguments: Namespace, count: int | None, fps: Fraction) -> None:
    """Refuse options that exclude each other."""
    check_engine(arguments.engine)
    output, sheet = arguments.output, arguments.contact_sheet
    if output is None and not arguments.show:
        raise OptionError("-o says which file to write; or --show shows the picture here")
    if sheet is not None and count is None:
        raise OptionError("--contact-sheet shows moments of a film: add --duration or --frames")
    if arguments.fps is not None and count is None:
        raise OptionError("--fps is about films: add --duration or --frames")
    moving = count is not None and sheet is None
    if arguments.show and moving:
        raise OptionError("--show shows one picture; leave out --frames, or add --contact-sheet")
    if arguments.show and output == "-":
        raise OptionError("--show and -o - both want standard output")
    if output == "-" and moving and sys.stdout.isatty():
        raise OptionError("-o -: raw frames are for a pipe or a file, not for a terminal")
    if arguments.resume and not (moving and output and is_sequence(output)):
        raise OptionError("--resume goes on with a numbered sequence: -o frame-%04d.png --frames N")
    if arguments.threads is not None and arguments.cluster:
        raise OptionError("--threads: the workers of a cluster decide that themselves")
    if output not in (None, "-"):
        check_name(output, fps, moving)
    if count is not None and count > MOST_FRAMES and moving and not arguments.force:
        raise OptionError(
            f"--frames: {count:,} is more than {MOST_FRAMES:,}; --force draws them all the same"
        )
    frames = (count or 1) if sheet is None else sheet[0] * sheet[1]
    allowed().allow(FRAME_MEMORY * frames, f"a list of {frames:,} frames")


class Rendering:
    """One picture, film or contact sheet, from its options to its file."""

    def __init__(
        self, arguments: Namespace, scene: PictureScene, device: Device, start: float,
        count: int | None, fps: Fraction,
    ) -> None:  # fmt: skip
        self.arguments = arguments
        self.scene = scene
        self.device = device
        self.fps = fps
        self.sheet = arguments.contact_sheet
        self.moving = count is not None and self.sheet is None
        if self.sheet is None:
            self.times = film.film_times(start, count or 1, fps)
            self.size = scene.size
        else:
            columns, rows = self.sheet
            self.times = film.sheet_times(start, count or 1, fps, columns * rows)
            self.size = film.sheet_size(scene, columns, rows)
        self.numbers: list[int] = []
        """The frames to draw."""
        self.shown = b""
        self.count = film.Count()
        self.interrupts = Interrupts(limits_of(arguments))

    def check_size(self, force: bool) -> None:
        """Refuse very large pictures, except with --force."""
        left, top, right, bottom = self.scene.part
        pixels = (right - left) * (bottom - top) * self.scene.supersample**2
        if self.sheet is not None:
            pixels *= len(self.times)
        if pixels > MOST_PIXELS and not force:
            raise OptionError(
                f"--size: {pixels:,} pixels to draw is more than {MOST_PIXELS:,}; "
                "--force draws them all the same"
            )

    def check_memory(self) -> None:
        """Refuse pictures that exceed --max-memory; the program gets what they leave."""
        said, (width, height) = self.arguments.max_memory, self.size
        if said is None:
            return
        output, pixels = self.arguments.output, width * height
        needed = self.scene.memory(PIECE)
        if self.sheet is not None:
            needed += BESIDE * min(pixels, PIECE * self.sheet[0])
        needed += packing_memory(output or "", self.size) + SHOWN * pixels * self.arguments.show
        needed += PipedPng.weight * pixels * (output == "-" and not self.moving)
        limits_of(self.arguments).allow(needed, f"drawing {width:,} x {height:,} pixels")
        limits = self.scene.limits._replace(memory=said - needed)
        self.scene = self.scene._replace(limits=limits)

    def draw(self) -> int:
        """Draw everything; returns the exit code."""
        self.numbers = self.missing()
        width, height = self.size
        progress = FilmProgress(len(self.numbers), 3 * width * height, self.arguments.progress)
        studio: Renderer | None = None
        writer = self.open_writer()
        try:
            with ended_in_time(limits_of(self.arguments)):  # a scheduler may not answer
                studio = open_studio(self.arguments, self.device, self.interrupts.check)
            with self.interrupts:
                self.write(writer, studio, progress)
        except KeyboardInterrupt:
            progress.end()
            return complain(f"interrupted{self.kept(writer)}", INTERRUPTED)
        except LimitReached as error:
            progress.end()
            raise LimitReached(f"{error}{self.kept(writer)}", error.reason) from None
        except PlanewalkError as error:
            progress.end()
            raise PlanewalkError(f"{error}{self.kept(writer)}") from None
        except BaseException:
            if writer is not None:
                writer.abandon()
            raise
        finally:
            progress.end()
            if studio is not None:
                studio.close()
        if writer is not None:
            writer.close()
        if self.arguments.show:
            from .show import show_picture

            show_picture(self.size, self.shown)
        self.tell_trouble()
        return 0

    def tell_trouble(self) -> None:
        """Warn if pixels faulted or hit the step limit."""
        tally = self.count.tally
        if told := trouble(tally):
            fewer = self.moving and len(self.numbers) < len(self.times)
            told += ", in the frames drawn now" if fewer else ""
            told += HEAT_HINT if (tally.limited or tally.untold) and not self.scene.heat else ""
            complain(f"{self.arguments.file}: {told}", 0)
        elif self.count.tally.pixels and self.count.extreme and not self.scene.heat:
            self.tell_range()

    def tell_range(self) -> None:
        """Warn if a picture is blank because its colours are out of range."""
        scene, seed = self.scene, self.scene.program.seed_for(self.scene.seed)
        left, top, right, bottom = (edge * scene.supersample for edge in scene.part)
        corners = [(x, y) for y in (top, bottom - 1) for x in (left, right - 1)]
        places = [((left + right) // 2, (top + bottom) // 2), *corners]
        if told := out_of_range(scene.program, scene.limits, seed, self.times[0], places):
            complain(f"{self.arguments.file}: {told}", 0)

    def missing(self) -> list[int]:
        """The numbers of the frames to draw; with --resume, without the existing ones."""
        numbers = range(len(self.times) if self.moving else 1)
        if not self.arguments.resume:
            return list(numbers)
        path = self.arguments.output
        missing = [n for n in numbers if not is_done(numbered(path, n), self.size)]
        there = len(numbers) - len(missing)
        complain(f"{there} of {len(numbers)} frames are there already", 0)
        return missing

    def open_writer(self) -> FrameWriter | None:
        """The writer for the output; None if there is no output file."""
        output = self.arguments.output
        if output is None:
            return None
        if output == "-":
            pipe = sys.stdout.buffer
            return RawWriter(pipe) if self.moving else PipedPng(pipe, self.size)
        return open_writer(output, self.size, self.fps, film=self.moving)

    def write(self, writer: FrameWriter | None, studio: Renderer, progress: FilmProgress) -> None:
        """Draw the frames, and write each as soon as it is drawn."""
        if not self.numbers:
            return
        scene = with_scale(self.scene, studio, self.times[0])
        for number, frame in zip(self.numbers, self.frames(scene, studio), strict=True):
            self.interrupts.check()
            pieces: Iterable[bytes] = progress.watch(frame)
            if self.arguments.show:
                self.shown = b"".join(pieces)
                pieces = (self.shown,)
            if isinstance(writer, SequenceWriter):
                writer.frames = number
            if writer is not None:
                writer.add(pieces)
        if writer is not None:
            writer.flush()

    def frames(self, scene: PictureScene, studio: Renderer) -> Iterator[Iterator[bytes]]:
        if self.sheet is not None:
            return iter([film.draw_sheet(scene, studio, self.times, self.count, self.sheet[0])])
        times = [self.times[number] for number in self.numbers]
        return film.draw_frames(scene, studio, times, self.count, film=self.moving)

    def kept(self, writer: FrameWriter | None) -> str:
        """Keep the finished frames of a film; returns the words that end the message."""
        if writer is None or self.arguments.output == "-":
            return ""
        with contextlib.suppress(PlanewalkError):  # then fewer are kept
            writer.flush()
        if not self.moving or writer.frames == 0:
            writer.abandon()
            return "; nothing was written"
        writer.close()
        frames = "1 frame is" if writer.frames == 1 else f"{writer.frames} frames are"
        return f"; {frames} kept in {self.arguments.output}"


def open_studio(arguments: Namespace, device: Device, check: Callable[[], None]) -> Renderer:
    """The renderer: in this process, in several, or on a cluster."""
    if arguments.cluster is None:
        from ..pictures.local import LocalStudio

        return LocalStudio(arguments.threads, device, check)
    if device.name != CPU:
        device.tell("drawn on CPUs: the workers of a cluster have the exact engine")
    if not arguments.cluster:
        from ..pictures.processes import ProcessStudio

        return ProcessStudio(arguments.threads, check)
    from ..pictures.cluster import ClusterStudio

    return ClusterStudio(arguments.cluster)
