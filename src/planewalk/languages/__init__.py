"""One closed folder per language, and the registry that finds them.

`planewalk.languages()` gives all languages by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.package import make_callable

if TYPE_CHECKING:
    from ..core.language import Language


def all_languages() -> dict[str, Language]:
    """All languages by name.

    >>> sorted(all_languages())[:5]
    ['bmprog', 'gemooy', 'mirrorfunge', 'refunge', 'webfunge']
    """
    from . import registry

    return {name: registry.get(name) for name in registry.names()}


make_callable(__name__, all_languages)
