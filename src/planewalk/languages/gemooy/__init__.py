"""Gemooy: three symbols on an unbounded self-modifying grid."""

from .rules import LANGUAGE

__all__ = ["LANGUAGE"]
