"""Refunge: many cursors in a self-modifying byte field that grows downwards."""

from .rules import LANGUAGE

__all__ = ["LANGUAGE"]
