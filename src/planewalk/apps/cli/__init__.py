"""The command line. Each command is one module, imported when it is called."""

from .main import main

__all__ = ["main"]
