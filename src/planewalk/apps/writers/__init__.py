"""Files that pictures and films become, one module for each family of formats."""

from .base import Bands, Writer, write_all
from .choose import MOVING, SUFFIXES, check_name, open_writer, suffix_of

__all__ = [
    "MOVING",
    "SUFFIXES",
    "Bands",
    "Writer",
    "check_name",
    "open_writer",
    "suffix_of",
    "write_all",
]
