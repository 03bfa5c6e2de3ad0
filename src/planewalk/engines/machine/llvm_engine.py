"""Machine code through LLVM for one walker."""

from __future__ import annotations

from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ..base.jobs import CompileQueue
from ..base.policy import Policy
from ..compiled.unit_engine import UnitEngine
from ..native.machine_code import Store
from .backend import NativeBackend


class LLVMEngine(UnitEngine):
    """Machine code of what is hot in a program."""

    name = "llvm"
    backend: NativeBackend

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits | None = None,
        store: Store | None = None,
        policy: Policy | None = None,
        queue: CompileQueue | None = None,
        kept_as: str | None = None,
    ) -> None:
        """`kept_as` is the name for its code in the store, if the run has begun before."""
        self._store, self._kept_as = store, kept_as
        super().__init__(language, state, limits, policy, queue)

    def _new_backend(self) -> NativeBackend:
        return NativeBackend(self, self._store, self._kept_as)

    @property
    def native_ticks(self) -> int:
        """Ticks that ran in machine code."""
        return self.backend.ticks
