"""Films as MP4 and WebM, through PyAV, which is an extra."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import IO, Any

from ..core.errors import PlanewalkError
from .moving import HOLD

CODECS = {
    "mp4": ("libx264", {"crf": "18", "preset": "medium"}),
    "webm": ("libvpx-vp9", {"crf": "24", "b": "0", "row-mt": "1"}),
}


def require_video(suffix: str) -> None:
    """Say how to get what is missing, before anything is run."""
    try:
        import av  # noqa: F401
    except ImportError:
        raise PlanewalkError(f".{suffix} films need PyAV: pip install 'planewalk[video]'") from None


def write_video(file: IO[bytes], images: Iterable[Any], fps: float, suffix: str) -> None:
    """Encode the pictures as they come; the last one stays for a while."""
    import av

    codec, options = CODECS[suffix]
    rate = Fraction(fps).limit_denominator(1000)
    with av.open(file, "w", format=suffix) as container:
        stream: Any = None
        frame: Any = None
        for image in images:
            if stream is None:
                stream = container.add_stream(codec, rate=rate, options=options)
                stream.width, stream.height = image.size
                stream.pix_fmt = "yuv420p"
            frame = av.VideoFrame.from_image(image)
            container.mux(stream.encode(frame))
        for _ in range(round(HOLD * fps)):
            frame.pts = None
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
