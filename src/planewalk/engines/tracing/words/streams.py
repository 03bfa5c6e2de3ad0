"""The words that read input and write output."""

from __future__ import annotations

from typing import Any

from ....core.plane import ANY_NUMBER, BYTE
from ..context import TraceContext
from ..ir import Leave, Node


class TracedStreams:
    """One byte of input a tick, and any output."""

    def __init__(self, context: TraceContext) -> None:
        self.context = context

    def write(self, data: bytes) -> None:
        if not isinstance(data, bytes):
            raise Leave
        self.context.effects.append(("bytes", data))

    def write_byte(self, value: Any) -> None:
        self.context.stay_within(value, BYTE)
        self.context.effects.append(("byte", value))

    def write_number(self, value: Any) -> None:
        context, graph = self.context, self.context.graph
        context.stay_within(value, ANY_NUMBER)
        if not context.native and not graph.holds(value):
            graph.wide = True
            if isinstance(value, Node) and context.asks("long", value):
                raise Leave
        context.effects.append(("number", value))

    def read_byte(self) -> Any:
        context, env = self.context, self.context.env
        if context.armed and context.armed.input:
            raise Leave
        if ("read",) in context.effects:
            raise Leave  # one byte an instruction: the next is not at hand yet
        if context.asks("fed", env.reads):
            byte = context.load("input", env.reads)
            context.effects.append(("read",))
            env.reads += 1
            return byte
        if context.asks("closed", env.reads):
            return -1
        raise Leave  # more may come
