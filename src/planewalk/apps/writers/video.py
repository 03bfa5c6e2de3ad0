"""MP4 and WebM through PyAV, the extra `video`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ...core.errors import OptionError, PlanewalkError
from ...engines.base.threads import FOR_EVER, Crew
from ..draft import Draft, cannot_write
from .base import Bands, Seconds, Size, check_side, joined

CODECS: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    ".mp4": ("mp4", ("libx264", "libopenh264"), {"crf": "16"}),
    ".webm": ("webm", ("libvpx-vp9",), {"crf": "24", "b": "0", "row-mt": "1"}),
}
"""For each suffix: the container, encoders to try, and their options: good, but not exact."""

LARGEST = {".mp4": 16384, ".webm": 65536}
"""Pixels a side that the encoders take."""

AROUND, BESIDE = 1 << 12, 64
"""Bytes that a container needs for itself at most, and for each frame beside its picture."""

BT709 = LIMITED_RANGE = 1
"""How colours become brightness and hue, as players expect it: the numbers that stand for it."""


class VideoWriter:
    """H.264 in MP4 or VP9 in WebM, both with colours at half size (yuv420p), as players want.

    A container cannot be played without its end. So room for it is always taken before a frame is
    written, and a full disk leaves a film of the frames before.
    """

    def __init__(
        self, path: str, size: Size, fps: Fraction, suffix: str, hold: Seconds = 0
    ) -> None:
        import av

        check_side(size, LARGEST[suffix], suffix)
        width, height = size
        if width % 2 or height % 2:
            raise OptionError(
                f"{suffix} files have even sides, not {width} x {height}; choose "
                f"{width + width % 2} x {height + height % 2}, or write .apng, .webp or .gif"
            )
        container, _, options = CODECS[suffix]
        encoder = check_video(suffix)
        if max(fps.numerator, fps.denominator) >= 1 << 31:
            fps = fps.limit_denominator(0xFFFF)  # what a container can say
        self.size = size
        self.frames = 0
        self.written = 0
        """Frames in the file; the encoder keeps some others until it has seen what follows."""
        self.waiting: list[Any] = []
        """Encoded frames that wait for one to be shown before them."""
        self.over = False
        """Whether no further frame can be written."""
        self.held = round(hold * fps)
        """Repetitions of the last frame."""
        self.last: Any = None
        self._av = av
        self.draft = Draft(path)
        self.file = self.draft.file
        self.room = 0
        """Length of the file, including room reserved for the container."""
        try:
            self.container: Any = av.open(self.file, "w", format=container)
            self.stream: Any = self.container.add_stream(encoder, rate=fps, options=options)
            self._describe(self.stream.codec_context, fps)
            self.stream.codec_context.open()
        except BaseException as error:
            self.draft.discard()
            if not isinstance(error, (OSError, ValueError, av.FFmpegError)):
                raise
            raise PlanewalkError(f"{path!r} cannot be encoded: {error}") from None
        self._crew = Crew(1, "planewalk-video")

    def _describe(self, context: Any, fps: Fraction) -> None:
        context.width, context.height = self.size
        context.pix_fmt = "yuv420p"
        context.time_base = 1 / fps
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = LIMITED_RANGE

    def add(self, frame: Bands) -> None:
        width, height = self.size
        picture = self._av.VideoFrame(width, height, "rgb24")
        plane = picture.planes[0]
        rows, length = joined(frame), 3 * width
        room = bytes(plane.line_size - length)  # what the encoder has behind each row
        if room:
            rows = b"".join(rows[at : at + length] + room for at in range(0, len(rows), length))
        plane.update(rows)
        picture = picture.reformat(
            format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG"
        )

        def work() -> None:
            self._encode(picture, self.frames)
            self.frames += 1
            self.last = picture

        self._do(work)

    def flush(self) -> None:
        self._do(self._flush)

    def close(self) -> None:
        try:
            self._do(self._finish)
        except BaseException:
            self.abandon()
            raise
        self._crew.close()
        self.draft.publish()

    def abandon(self) -> None:
        with contextlib.suppress(PlanewalkError):
            self._do(self.container.close)
        self._crew.close()
        self.draft.discard()

    def _do(self, work: Callable[[], None]) -> None:
        """Work in a thread, so that Ctrl-C ends the waiting and does not interrupt the encoder."""
        try:
            task = self._crew.begin(work)
            task.wait(FOR_EVER)
            task.take()
        except (OSError, self._av.FFmpegError) as error:
            self.over = True
            self.frames = min(self.frames, self.written)
            raise cannot_write(self.draft.path, error) from None

    def _flush(self) -> None:
        if self.over:
            return
        if self.last is not None:
            for number in range(self.frames, self.frames + self.held):
                self._encode(self.last, number)
        self._write(self.stream.encode(None))
        self.over = True

    def _finish(self) -> None:
        self._flush()
        self.container.close()
        self.file.truncate()

    def _encode(self, picture: Any, number: int) -> None:
        picture.pts = number
        self._write(self.stream.encode(picture))

    def _write(self, packets: list[Any]) -> None:
        """Write what was encoded, each once all that is shown before it is there."""
        for packet in packets:
            self.waiting.append(packet)
            there = self.written + len(self.waiting)
            if all(each.pts < there for each in self.waiting):
                self._take_room(sum(each.size + BESIDE for each in self.waiting))
                self.container.mux(self.waiting)
                self.written, self.waiting = there, []

    def _take_room(self, size: int) -> None:
        at = self.file.tell()
        wanted = size if self.room else size + AROUND
        try:
            self.file.seek(self.room)
            self.file.write(bytes(wanted))
        finally:
            self.file.seek(at)
        self.room += wanted


def check_video(suffix: str) -> str:
    """The encoder for a suffix; says how to get what is missing."""
    try:
        import av
    except ImportError:
        raise PlanewalkError(f"{suffix} files need PyAV: pip install 'planewalk[video]'") from None
    _, encoders, _ = CODECS[suffix]
    for name in encoders:
        if name in av.codecs_available:
            return name
    raise PlanewalkError(f"this PyAV cannot write {suffix} files; pip install -U av")
