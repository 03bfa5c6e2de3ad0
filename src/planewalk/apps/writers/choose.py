"""The writer for a file name."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

from ...core.errors import OptionError
from .base import FrameWriter, Seconds, Size
from .gif import GifWriter, check_gif
from .png import ApngWriter, PngWriter, SequenceWriter, is_sequence, said_rate
from .video import CODECS, VideoWriter, check_video
from .webp import WebpWriter, check_webp

MOVING = (".gif", ".apng", ".webp", *CODECS)
SUFFIXES = (".png", *MOVING)
WEIGHTS = {".gif": 20, ".webp": 36, ".mp4": 240, ".webm": 260}
"""Bytes that packing a frame takes for each of its pixels, as measured: encoders of videos see many
frames at once. PNG files are packed row by row."""


def suffix_of(path: str, known: tuple[str, ...]) -> str:
    """The suffix of a file name, if it is one of those known."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in known:
        raise OptionError(f"{path!r} must end in {_listed(known)}")
    return suffix


def check_name(path: str, fps: Fraction, film: bool = True) -> None:
    """Refuse names that no writer is for, and rates that it cannot show."""
    suffix = suffix_of(path, SUFFIXES)
    if suffix == ".png" and film and not is_sequence(path):
        raise OptionError(
            f"{path!r} is one picture; a film ends in {_listed(MOVING)}, "
            "or is a numbered sequence such as frame-%04d.png"
        )
    if suffix == ".gif":
        check_gif(fps)
    elif suffix == ".apng":
        said_rate(fps)
    elif suffix == ".webp":
        check_webp(fps)
    elif suffix in CODECS:
        check_video(suffix)


def open_writer(
    path: str,
    size: Size,
    fps: Fraction,
    *,
    film: bool = True,
    steady: bool = False,
    hold: Seconds = 0,
) -> FrameWriter:
    """A writer for a file or a numbered sequence, by its suffix.

    Of a `steady` film, in which most pixels stay as they are, only changes are stored, where the
    format can do that. The last frame of a film is shown for `hold` seconds at least.
    """
    check_name(path, fps, film)
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".png":
        return SequenceWriter(path, size) if is_sequence(path) else PngWriter(path, size)
    if suffix in CODECS:
        return VideoWriter(path, size, fps, suffix, hold)
    kinds: dict[str, Callable[..., FrameWriter]] = {
        ".gif": GifWriter,
        ".apng": ApngWriter,
        ".webp": WebpWriter,
    }
    return kinds[suffix](path, size, fps, steady=steady, hold=hold)


def packing_memory(path: str, size: Size) -> int:
    """Upper bound of the memory for writing a frame of that size."""
    return WEIGHTS.get(os.path.splitext(path)[1].lower(), 0) * size[0] * size[1]


def _listed(suffixes: tuple[str, ...]) -> str:
    return f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
