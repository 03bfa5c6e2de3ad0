"""Packages that are functions as well.

Python binds a package to its name in the package above when it is first imported. A function of
that name there would be gone after any call that imports it, so the package itself is called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that does what a function does when it is called."""

    called: Callable[..., Any]

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        return self.called(*values, **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes call it, too."""
        return import_module, (self.__name__,)


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Let the package of that name be called as the function."""
    package = sys.modules[name]
    package.__class__ = CallablePackage
    package.called = function  # type: ignore[attr-defined]
