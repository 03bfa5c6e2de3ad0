"""Files that pictures and films become, one module for each family of formats."""

from .base import Bands, Writer
from .choose import SUFFIXES, open_writer

__all__ = ["SUFFIXES", "Bands", "Writer", "open_writer"]
