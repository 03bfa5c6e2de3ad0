"""The engine of generated Python."""

from __future__ import annotations

from ..tiering.engine import TieredEngine


class PythonEngine(TieredEngine):
    """Generated Python: the traces of hot code, written out and executed."""

    name = "python"
