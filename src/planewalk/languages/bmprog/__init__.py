"""BMProg: bitmaps as circuits; signals travel through coloured pixels."""

from .rules import LANGUAGE

__all__ = ["LANGUAGE"]
