"""What comes with installed packages, beside their code: example programs, guides."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def resource(path: str) -> Traversable:
    """The file or folder at `package/path`."""
    from importlib.resources import files  # heavy, and rarely needed

    package, _, inside = path.partition("/")
    found = files(package)
    return found / inside if inside else found
