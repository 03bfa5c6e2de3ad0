"""What tests of commands and of the studio share."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("playwright") is not None:
    from .browsing import address, browser, visit

    __all__ = ["address", "browser", "visit"]
