"""The writer that a file name asks for."""

from __future__ import annotations

import os
from fractions import Fraction

from ...core.errors import OptionError
from .base import Size, Writer
from .gif import GifWriter
from .png import ApngWriter, PngWriter, SequenceWriter, is_sequence
from .video import CODECS, VideoWriter
from .webp import WebpWriter

FILMS = (".gif", ".apng", ".webp", *CODECS)
SUFFIXES = (".png", *FILMS)


def check_name(path: str, film: bool) -> None:
    """Refuse names that no writer is for."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        raise OptionError(f"{path!r} must end in {_listed(SUFFIXES)}")
    if suffix == ".png" and film and not is_sequence(path):
        raise OptionError(
            f"{path!r} is one picture; a film ends in {_listed(FILMS)}, "
            "or is a numbered sequence such as frame-%04d.png"
        )


def open_writer(path: str, size: Size, fps: Fraction, *, film: bool = True) -> Writer:
    """A writer for a file or a numbered sequence, by its suffix."""
    check_name(path, film)
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".png":
        return SequenceWriter(path, size, fps) if is_sequence(path) else PngWriter(path, size, fps)
    if suffix in CODECS:
        return VideoWriter(path, size, fps, suffix)
    kinds = {".gif": GifWriter, ".apng": ApngWriter, ".webp": WebpWriter}
    return kinds[suffix](path, size, fps)


def _listed(suffixes: tuple[str, ...]) -> str:
    return f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
