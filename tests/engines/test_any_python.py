"""Instructions are plain Python: whatever they do with numbers is compiled right, or not at all."""

import math
from array import array
from itertools import product
from typing import Any

import pytest

from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.plane import TextPlane
from planewalk.core.state import State, Walker
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from tests.marks import plainly

WHOLE = [0, 1, -1, 2, -7, 255, 2**31, 2**62, 2**63 - 1, -(2**63), 2**70]
FLOATS = [0.0, -0.0, 1.0, -2.5, 0.1, 3e38, 1e-45, math.inf, -math.inf, math.nan]

ON_WHOLE = [
    "+y", "-y", "~y", "abs(y)", "y + x", "y - x", "y * x", "y & x", "y | x", "y ^ x", "y % 7",
    "y % -7", "y // 7", "y // -7", "7 // x if x else 0", "y % x if x else 0", "divmod(y, 7)[1]",
    "y << 3", "y >> 3", "y >> 70", "1 << (y & 7)", "255 >> (y & 7)", "y ** 2", "2 ** (y & 7)",
    "pow(y, 3, 7)", "y >> (x & 127)", "int(y)", "round(y)", "math.trunc(y)", "math.floor(y)",
    "math.ceil(y)", "math.gcd(y, x)", "y.bit_length()", "y.real", "min(y, x)", "max(y, x, 3)",
    "sum([y, x, 1])", "sorted([y, x])[0]", "y if x else 1", "1 if y and x else 0", "y or x",
    "1 if not y else 2", "1 if 0 < y < x else 0", "1 if y != x else 0", "m.number(y >= x)",
    "1 if y in (1, 2, 255) else 0", "1 if y in {1, 2, 255} else 0", "{1: 5}.get(y, 6)",
    "[5, 6][y == x]", "[5, 6, 7, 8][y & 3]", "len(range(y & 7))", "len(str(y))", "len(f'{y}')",
    "len(repr(y))", "hash(y)", "m.quotient(y, x) if x else 0", "m.quotient(y, 3)",
    "int(y / 2)", "int(float(y & 255) * 1.5)", "1 if y == 1.5 else 0", "1 if y < 2.0 ** 62 else 0",
    "m.draw()", "m.draw() >> 11", "m.draw() & 255", "m.draw() % 10", "m.draw() + y",
    "m.draw() * 2", "1 if m.draw() < 2 ** 63 else 0", "m.quotient(m.draw(), 3)", "-m.draw()",
    "m.draw() >> 0", "m.draw() & (2 ** 64 - 1)", "m.draw() - m.draw()", "m.draw() // 7",
    "m.times(y, x)", "m.known(y) + 1", "int.from_bytes(bytes([y & 255]))",
]  # fmt: skip

ON_FLOATS = [
    "+y", "-y", "abs(y)", "y + x", "y - x", "y * x", "y + 1", "2 * y", "y / x if x else 0.0",
    "y / 3", "y % x if x else 0.0", "y // x if x else 0.0", "y ** 2", "min(y, x)", "max(y, x)",
    "y if x else 1.0", "y and x", "1.0 if not y else 2.0", "1.0 if y < x else 0.0",
    "1 if y != x else 0", "m.number(y < x)", "m.number(y < x) * y", "m.number(y < x) + 1",
    "m.number(y < x) / 2", "m.divide(m.number(y < x), 4)", "m.sqrt(m.number(y < x) + y)",
    "m.quotient(m.number(y < x), 1)", "int(y) if abs(y) < 9 else 0", "float(y)",
    "round(y) if abs(y) < 9 else 0", "math.floor(y) if abs(y) < 9 else 0", "math.atan(y)",
    "m.divide(y, x)", "m.modulo(y, x)", "m.floor(y)", "m.sqrt(y)", "m.sin(y)", "m.cos(y)",
    "m.exp(y)", "m.log(y)", "m.power(y, x)", "m.power(2, y)", "m.power(y, 2)", "m.power(y, 0.5)",
    "m.least(y, x)", "m.most(y, x)", "m.absolute(y)", "len(str(y))", "len(f'{y:.2f}')",
    "1.0 if y in (1.0, 0.1) else 0.0", "[5.0, 6.0][y == x]",
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("at_once")


HISTORY = 8
"""Results that are kept on the stack: the reference engine may have made the last ones."""


def language_of(expression: str) -> Language:
    """A ring of one cell, whose instruction works on the two numbers on top of the stack."""
    compute = eval(f"lambda m, y, x: {expression}", {"math": math})
    table = InstructionTable("ring")

    @table.instruction("o")
    def operate(m: Any) -> None:
        result = compute(m, m.peek(1), m.peek(0))
        for index in range(HISTORY + 1, 2, -1):
            m.poke(index, m.peek(index - 1))
        m.poke(2, result)

    return Language(
        name="ring", title="Ring", summary="", suffixes=(), table=table,
        start=lambda *_: begin(0, 0), decode=lambda plane, stance: table[ord("o")], move=torus,
        show=lambda state: {},
    )  # fmt: skip


def begin(y: Any, x: Any) -> State:
    values = [type(y)(0)] * HISTORY + [y, x]
    state = State(TextPlane(["o"]), [Walker(Stance(0, 0, *RIGHT))])
    if isinstance(y, float):
        state.stack, state.registers = array("f", values), array("f", [0.0])
    else:
        state.stack = values
    return state


def compare_engines(expression: str, values: list[Any]) -> int:
    """Run all engines on all pairs of values; gives how many ticks ran in machine code."""
    language = language_of(expression)
    engines = [kind(language, begin(values[0], values[0])) for kind in (PythonEngine, LLVMEngine)]
    ticks = 200  # until there is code, which stays
    for y, x in product(values, repeat=2):
        expected = begin(y, x)
        ReferenceEngine(language, expected).advance(ticks)
        for engine in engines:
            engine.restart(begin(y, x))
            while engine.state.tick < ticks:
                engine.advance(ticks - engine.state.tick)
            assert engine.state == expected, (engine.name, y, x)
        ticks = 3 * HISTORY
    return engines[1].native_ticks


def test_machine_code_is_at_work_here() -> None:
    """An engine that always left would be right about everything."""
    for expression in ("y + x", "y or x", "m.number(y >= x)"):
        assert compare_engines(expression, WHOLE[:-1]) > 1_000
    for expression in ("y * x", "y and x", "m.power(2, y)"):
        assert compare_engines(expression, FLOATS) > 1_000


@pytest.mark.parametrize("expression", plainly(ON_WHOLE[::4], ON_WHOLE))
def test_on_whole_numbers(expression: str) -> None:
    compare_engines(expression, WHOLE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("expression", ON_FLOATS)
def test_on_floats(expression: str) -> None:
    compare_engines(expression, FLOATS)
