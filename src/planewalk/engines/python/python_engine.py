"""The engine of generated Python."""

from __future__ import annotations

from ..compiled.unit_engine import UnitEngine
from .backend import PythonBackend


class PythonEngine(UnitEngine):
    """Generated Python: the traces of hot code, written out and executed."""

    name = "python"
    backend: PythonBackend

    def _new_backend(self) -> PythonBackend:
        return PythonBackend(self)

    @property
    def python_ticks(self) -> int:
        """Ticks that ran in generated Python."""
        return self.backend.ticks
