"""Webfunge: pixel shaders; one program runs for every pixel of every frame."""

from .rules import LANGUAGE

__all__ = ["LANGUAGE"]
