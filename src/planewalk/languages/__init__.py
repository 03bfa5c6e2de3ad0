"""One closed folder per language, and the registry that finds them.

`planewalk.languages()` gives all languages by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.base.package import make_callable

if TYPE_CHECKING:
    from ..core.language import Language


def all_languages() -> dict[str, Language]:
    """All languages by name. What is wrong with those of other packages is a warning.

    >>> sorted(all_languages())[:5]
    ['bmprog', 'gemooy', 'mirrorfunge', 'refunge', 'webfunge']
    """
    from . import registry

    for complaint in registry.complaints():
        import warnings

        warnings.warn(complaint, stacklevel=2)
    return {language.name: language for language in registry.working()}


make_callable(__name__, all_languages)
