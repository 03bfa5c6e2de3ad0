"""The words that use registers, time and chance."""

from __future__ import annotations

from typing import Any

from ....core.numbers.pure import sample
from ..context import TraceContext
from ..ir import DRAWS, Leave, Node, Register
from .numbers import TracedNumbers


class TracedRegisters:
    """Registers by number, which hold floats, and those with a name, which hold whole numbers."""

    def __init__(self, context: TraceContext, numbers: TracedNumbers) -> None:
        self.context, self.numbers = context, numbers
        self.slots = self.slots_of(context.state.registers)
        """The registers that code knows, by what instructions call them."""

    def slots_of(self, registers: Any) -> dict[Any, Any]:
        if not isinstance(registers, dict):
            return {slot: slot for slot in range(len(registers))}
        names = [*registers]  # at once: the run beside the tracer may add some
        return {name: Register(name, at) for at, name in enumerate(names) if type(name) is str}

    def slot(self, name: Any) -> Any:
        """Which register that is; those that are not there are for the reference engine."""
        plain = self.numbers.known(name)
        if plain not in self.slots:
            raise Leave
        return self.slots[plain]

    def at_start(self, register: Register) -> Node:
        """What a register of whole numbers holds where the tree begins."""
        if register is DRAWS:
            return self.context.graph.make("counter", (), "int")
        return self.context.graph.make("register", (register,), "int")

    def register(self, name: Any) -> Any:
        slot, registers = self.slot(name), self.context.env.registers
        if slot in registers:
            return registers[slot]
        if isinstance(slot, Register):
            return self.at_start(slot)
        registers[slot] = self.context.graph.make("register", (slot,), "float")
        return registers[slot]

    def set_register(self, name: Any, value: Any) -> None:
        slot = self.slot(name)
        kept = self.numbers.whole if isinstance(slot, Register) else self.numbers.rounded
        self.context.env.registers[slot] = kept(value)


class PixelChance:
    """What is the same for all pixels of a picture: options, samples, and the bits of a tick."""

    def __init__(self, context: TraceContext, registers: TracedRegisters) -> None:
        self.context, self.registers = context, registers
        self.samples = context.language.rules.samples(context.state.options)

    def option(self, name: str) -> Any:
        return self.context.state.options[name]

    def sample(self, index: Any) -> Any:
        if isinstance(index, Node):
            return self.context.graph.make("sample", (index, len(self.samples)), "float")
        return sample(self.samples, index)

    def draw(self) -> Any:
        return self.context.graph.make("draw", (self.context.ticks,), "int")

    def now(self) -> Any:
        """How many ticks are over."""
        raise Leave


class RunChance(PixelChance):
    """The same for one run, which has a tick and a count of draws as well."""

    def now(self) -> Any:
        return self.context.graph.make("tick", (self.context.ticks,), "int")

    def below(self, bound: Any) -> Any:
        graph, registers = self.context.graph, self.context.env.registers
        self.registers.numbers.whole(bound)
        if bound < 1:
            raise Leave
        graph.wide = graph.wide or not graph.holds(bound)
        if DRAWS not in registers:
            registers[DRAWS] = self.registers.at_start(DRAWS)
        pair = graph.make("below", (bound, registers[DRAWS]), "pair")
        registers[DRAWS] = graph.make("counted", (pair,), "int")
        return graph.make("drawn", (pair,), "int")
