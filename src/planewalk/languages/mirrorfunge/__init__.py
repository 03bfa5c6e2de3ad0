"""Mirrorfunge: a stack language on a torus of mirrors and splitters."""

from .rules import LANGUAGE

__all__ = ["LANGUAGE"]
