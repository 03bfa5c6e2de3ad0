"""The engine that climbs once more: units that run long in generated Python become machine code."""

from __future__ import annotations

from functools import partial

from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ..policy import Policy
from ..tiering.engine import TieredEngine
from ..tiering.jobs import CompileQueue
from ..tracing.ir import Key
from .llvm import Store, why_not
from .tier import NativeTier
from .unit import NativeUnit


class LLVMEngine(TieredEngine):
    """Machine code through LLVM for what runs long; the same traces as generated Python."""

    name = "llvm"
    native: NativeTier

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
        super().__init__(language, state, limits, policy, queue)
        self.native = NativeTier(self.survey, self.maker.finder, self.queue, store, kept_as)
        self.maker.write = self.native.maker.write
        # Importing LLVM takes long; it will probably be needed.
        self.climber.before_first = partial(self.queue.begin, "LLVM", why_not)

    @property
    def natives(self) -> dict[Key, NativeUnit]:
        """Machine code, by where it is entered."""
        return self.native.units.at

    @property
    def native_ticks(self) -> int:
        """Ticks that ran in machine code."""
        return self.native.executor.ticks + self.native.company.ticks
