"""Operations by themselves: numbers at all edges, and trees of one operation as code."""

import ctypes
import math
from array import array
from collections.abc import Callable, Iterable
from itertools import product
from types import SimpleNamespace
from typing import Any

from planewalk.core.geometry import Stance
from planewalk.engines.base.keeping import Keeping
from planewalk.engines.native.abi import OUTPUT_ROOM, Slot
from planewalk.engines.native.code import NativeWriter
from planewalk.engines.native.unit import unit_of
from planewalk.engines.python.source import NAMES, SourceWriter
from planewalk.engines.tracing.ir import Block, ConditionalBranch, Exit, Key, Node, NodeGraph
from planewalk.engines.tracing.ops import LEAST, MOST
from planewalk.engines.tracing.trees import Env, Tree

WHOLE = [
    0, 1, -1, 2, -2, 3, -3, 7, -10, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**32 + 5,
    3037000499, 3037000500, -3037000500, 2**53 + 1, 2**62, -(2**62),
    MOST - 1, MOST, LEAST + 1, LEAST,
]  # fmt: skip
"""Up to where 64 bits end; 3037000499 is the last number whose square they hold."""

FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, 3.0, 10.0, 0.1, 1 / 3, -7.25, math.pi,
    math.nan, math.inf, -math.inf, 5e-324, -5e-324, 2**-1022, 1.7976931348623157e308,
    -1.7976931348623157e308, 709.9, -745.2, 1e22, 2**52 - 0.5, 2**52 + 1.0, 2.0**53,
]  # fmt: skip
"""Zeros, what is no number, infinities, the smallest and the largest, and where halves end."""

NARROW = [
    1 + 2**-24, 1 + 3 * 2**-24, 1 + 2**-24 + 2**-50, 2.0**24 + 1, 2.0**24 + 3, -(2.0**24) - 1,
    2**-149, 2**-150, -(2**-150), 2**-150 + 2**-170, 3 * 2**-150, 2**-126, 2**-126 - 2**-150,
    2.0**128 - 2.0**104, 2.0**128 - 2.0**103, 2.0**128 - 2.0**104 + 2.0**80, -(2.0**128),
]  # fmt: skip
"""Halfway between two float32, next to it, and at both ends of what a float32 can be."""


Build = Callable[..., Any]
"""From a graph, a block and the values on the stack to the value, or the `Env`, that is left."""


class Machine:
    """Trees as machine code, each with a number; they take values from the stack and leave one."""

    def __init__(self, builds: Iterable[Build], takes: int, *, floats: bool = False) -> None:
        trees = [tree_of(number, build, takes, floats) for number, build in enumerate(builds)]
        self.unit = unit_of(NativeWriter(trees, floats, hands=True).written())
        self.unit.assemble(None)
        self.words = self.unit.words

    def lend(self, **words: Any) -> None:
        """Fill words of the block with numbers, or with the addresses of arrays."""
        for name, value in words.items():
            address = value.buffer_info()[0] if isinstance(value, array) else value
            self.words[Slot[name.upper()]] = address

    def __call__(self, number: int, *values: Any) -> Any:
        self.words[Slot.FUEL] = 5
        self.words[Slot.MOST_WRITTEN] = OUTPUT_ROOM
        self.unit.slots[: len(values)] = values
        left_by = self.unit.call(ctypes.addressof(self.words), number)
        assert left_by not in self.unit.spent and self.words[Slot.FUEL] == 4
        return self.unit.slots[0]


def tree_of(number: int, build: Build, takes: int, floats: bool) -> Tree:
    graph, key = NodeGraph(), Key(Stance(number, 0, 1, 0), takes)
    tree = Tree(key)
    tree.longest = 2
    slots = [graph.make("slot", (i,), "float" if floats else "int") for i in range(takes)]
    left = build(graph, tree.root, *slots)
    if isinstance(left, Node) and left.kind == "bool":
        sides = [Block(), Block()]
        for side, truth in zip(sides, (1, 0), strict=True):
            side.end = Exit(key, Env([truth], 0, 0), 1)
        tree.root.end = ConditionalBranch(left, *sides)
    else:
        tree.root.end = Exit(key, left if isinstance(left, Env) else Env([left], 0, 0), 1)
    return tree


def alike(expected: Any, found: Any) -> bool:
    """Equal in every bit, but for those of what is no number."""
    if isinstance(expected, float):
        return repr(expected) == repr(found)
    return bool(expected == found)


def pairs(values: list[Any]) -> list[tuple[Any, Any]]:
    return list(product(values, repeat=2))


class PythonUnit:
    """The same trees as generated Python."""

    def __init__(self, builds: Iterable[Build], takes: int, *, floats: bool = False) -> None:
        trees = [tree_of(number, build, takes, floats) for number, build in enumerate(builds)]
        # What the stack keeps of floats is no matter here, so it may be any list.
        source = SourceWriter(trees, Keeping(None), floats=False, hands=False).source()
        names = dict(NAMES)
        exec(compile(source.text, "<unit>", "exec"), names)
        self.unit = names["unit"]

    def __call__(self, number: int, *values: Any) -> Any:
        m = SimpleNamespace(S=list(values), R=[], out=bytearray(), source=None, most_written=99)
        _, fuel = self.unit(m, 5, number)
        assert fuel == 4
        return m.S[0]
