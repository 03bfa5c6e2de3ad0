"""MP4 and WebM through PyAV, the extra `video`."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Any

from ...core.errors import OptionError, PlanewalkError
from ..draft import Draft, cannot_write
from .base import Bands, Seconds, Size, joined

CODECS: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    ".mp4": ("mp4", ("libx264", "libopenh264"), {"crf": "16"}),
    ".webm": ("webm", ("libvpx-vp9",), {"crf": "24", "b": "0", "row-mt": "1"}),
}
"""For each suffix: the container, encoders to try, and their options: good, but not exact."""

BT709 = LIMITED_RANGE = 1
"""How colours become brightness and hue, as players expect it: the numbers that stand for it."""


class VideoWriter:
    """H.264 in MP4 or VP9 in WebM, both with colours at half size (yuv420p), as players want."""

    def __init__(
        self, path: str, size: Size, fps: Fraction, suffix: str, hold: Seconds = 0
    ) -> None:
        import av

        width, height = size
        if width % 2 or height % 2:
            raise OptionError(
                f"{suffix} files have even sides, not {width} x {height}; choose "
                f"{width + width % 2} x {height + height % 2}, or write .apng, .webp or .gif"
            )
        container, _, options = CODECS[suffix]
        encoder = check_video(suffix)
        self.size = size
        self.frames = 0
        self.held = round(hold * fps)
        """How often the last frame is repeated."""
        self.last: Any = None
        self._av = av
        self.draft = Draft(path)
        self.draft.file.close()  # PyAV opens it by its name
        try:
            self.container: Any = av.open(self.draft.name, "w", format=container)
            self.stream: Any = self.container.add_stream(encoder, rate=fps, options=options)
            self._describe(self.stream.codec_context, fps)
        except (OSError, ValueError) as error:
            self.draft.discard()
            raise PlanewalkError(f"{path!r} cannot be encoded: {error}") from None

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
        plane.update(_padded(joined(frame), 3 * width, plane.line_size))
        picture = picture.reformat(
            format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG"
        )
        try:
            self._encode(picture, self.frames)
        except OSError as error:
            raise cannot_write(self.draft.path, error) from None
        self.frames += 1
        self.last = picture

    def _encode(self, picture: Any, number: int) -> None:
        picture.pts = number
        self.container.mux(self.stream.encode(picture))

    def close(self) -> None:
        try:
            if self.last is not None:
                for number in range(self.frames, self.frames + self.held):
                    self._encode(self.last, number)
            self.container.mux(self.stream.encode(None))
            self.container.close()
        except OSError as error:
            self.abandon()
            raise cannot_write(self.draft.path, error) from None
        self.draft.publish()

    def abandon(self) -> None:
        with contextlib.suppress(OSError):
            self.container.close()
        self.draft.discard()


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


def _padded(rows: bytes, length: int, wanted: int) -> bytes:
    """Rows with so much room after each that they begin where the encoder wants them."""
    if length == wanted:
        return rows
    room = bytes(wanted - length)
    return b"".join(rows[at : at + length] + room for at in range(0, len(rows), length))
