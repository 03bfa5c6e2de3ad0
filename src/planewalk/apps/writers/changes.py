"""The changed part of a frame: in films of runs it is small."""

from __future__ import annotations

from typing import Any

from ...core.base.named import NamedTuple


class ChangedPart(NamedTuple):
    """The part of a frame that has changed, and where it is.

    `image` has alpha: pixels that are as before are transparent, and take hardly any room.
    """

    image: Any
    x: int
    y: int


def changed_part(before: Any, image: Any) -> ChangedPart:
    """The part to lay over the frame before; the whole frame if there is none."""
    from PIL import Image, ImageChops

    if before is None:
        return ChangedPart(image.convert("RGBA"), 0, 0)
    red, green, blue = ImageChops.difference(before, image).split()
    greatest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    changed = greatest.point([0] + [255] * 255)
    left, top, right, bottom = changed.getbbox() or (0, 0, 1, 1)
    left, top = left & ~1, top & ~1  # even, because WebP knows no other places
    fresh = Image.new("RGBA", image.size)
    fresh.paste(image, mask=changed)
    return ChangedPart(fresh.crop((left, top, right, bottom)), left, top)
