"""The kernels of BMProg's own engine: plain Python at first, machine code once that is there."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from ...engines.base.jobs import CompileQueue
from ...engines.base.policy import policy_in_force
from ...engines.kernels.kernel import Kernel
from .kernels import flights, groups, planes

if TYPE_CHECKING:
    from ...engines.native.machine_code import Store

SLOWNESS = 100
"""How many times as long a kernel takes as plain Python (measured: 50 to 140)."""


class Kernels:
    """All the kernels, which become machine code together."""

    def __init__(self) -> None:
        self.survey, self.launch = Kernel(flights.survey), Kernel(flights.launch)
        self.fly, self.travel = Kernel(flights.fly), Kernel(flights.travel)
        self.flow = Kernel(flights.flow)
        self.spot = Kernel(flights.spot)
        self.begin, self.ask = Kernel(groups.begin), Kernel(groups.ask)
        self.engrave, self.lay = Kernel(planes.engrave), Kernel(planes.lay)
        self.sweep, self.pour = Kernel(planes.sweep), Kernel(planes.pour)
        self.stir = Kernel(planes.stir)
        self.tally, self.gather = Kernel(planes.tally), Kernel(planes.gather)
        self.ready = False
        """Whether they are machine code."""
        self._ordered = False

    @property
    def slowness(self) -> int:
        """How many times as long they take as machine code does."""
        return 1 if self.ready else SLOWNESS

    def at_once(self, work: int) -> int:
        """How much of what machine code may do in one call they may: nothing interrupts a call."""
        return max(work // self.slowness, 1)

    def recall(self, store: Store | None) -> bool:
        """Take the machine code that is kept, if all of it is; whether it is there."""
        if not self.ready and store is not None:
            self.ready = all(kernel.recall(store) for kernel in self._all())
        return self.ready

    def order(self, store: Store | None) -> None:
        """Have machine code made beside the run, once in a process."""
        if not self._ordered and not self.recall(store):
            self._ordered = True
            queue = CompileQueue(policy_in_force().background)
            queue.begin("kernels", partial(self.assemble, store))

    def assemble(self, store: Store | None) -> None:
        """Make machine code of all of them, if that is possible and their source is at hand."""
        from ...engines.native.machine_code import why_not

        with contextlib.suppress(OSError):
            if why_not() is None:
                for kernel in self._all():
                    kernel.assemble(store)
                self.ready = True

    def keep(self, store: Store) -> None:
        """Have machine code of all of them in a store."""
        for kernel in self._all():
            kernel.keep(store)

    def _all(self) -> list[Kernel]:
        return [each for each in vars(self).values() if isinstance(each, Kernel)]


KERNELS, PLAIN = Kernels(), Kernels()
"""Those that become machine code, and those that never do."""
