"""Files that pictures and films become, one module for each family of formats."""

from .base import Bands, FrameWriter, write_all
from .choose import MOVING, SUFFIXES, check_name, open_writer, packing_memory, suffix_of

__all__ = [
    "MOVING",
    "SUFFIXES",
    "Bands",
    "FrameWriter",
    "check_name",
    "open_writer",
    "packing_memory",
    "suffix_of",
    "write_all",
]
