"""The functions of `core/numbers/maths.py` have the same bits as Python, machine code and lanes."""

from __future__ import annotations

import ctypes
import random
import re
import struct
from array import array
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.numbers import maths
from planewalk.core.numbers.maths import bits
from planewalk.core.numbers.pure import PURE
from planewalk.engines.functions.module import FunctionModule
from planewalk.engines.functions.subset import SubsetError
from planewalk.engines.native.machine_code import Care, assemble, why_not
from planewalk.engines.native.maths import definitions

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

SOME = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 3.0, -3.0, 5e-324, 2.0**-1022, 2.0**53 - 1, -(2.0**53)]
SOME += [float(f"{sign}{size}") for sign in "+-" for size in ("1e308", "inf", "nan", "1e5", "745")]
LANES = (1, 2, 8, 16)
NAMES = [name for name, word in PURE.items() if word.__module__ == maths.__name__]
LOOP = """
define i64 @unit(ptr %x, ptr %y, ptr %results, i64 %count) {{
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %after, %next ]
  %px = getelementptr double, ptr %x, i64 %i
  %py = getelementptr double, ptr %y, i64 %i
  %to = getelementptr double, ptr %results, i64 %i
  %a = load {type}, ptr %px, align 8
  %b = load {type}, ptr %py, align 8
  %result = call {type} @planewalk.{name}({given})
  store {type} %result, ptr %to, align 8
  %after = add i64 %i, {lanes}
  %more = icmp slt i64 %after, %count
  br i1 %more, label %next, label %end
end:
  ret i64 0
}}
"""
"""The function on arrays."""


@cache
def machine(name: str, lanes: int, care: Care) -> tuple[Any, Any]:
    kind = "double" if lanes == 1 else f"<{lanes} x double>"
    given = f"{kind} %a, {kind} %b" if name == "power" else f"{kind} %a"
    loop = LOOP.format(type=kind, name=name, given=given, lanes=lanes)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64)
    return assemble(definitions([name], lanes) + loop, prototype=prototype, care=care)


def compute(name: str, lanes: int, x: array[float], y: array[float], care: Care) -> array[float]:
    """What machine code makes of arrays."""
    results = array("d", bytes(8 * len(x)))
    _, call = machine(name, lanes, care)
    call(*(values.buffer_info()[0] for values in (x, y, results)), len(x))
    return results


def compare(name: str, x: list[float], y: list[float]) -> None:
    """All forms on the same numbers, a multiple of 16 of them."""
    function = getattr(maths, name)
    both = list(zip(x, y, strict=True))
    expected = array("d", (function(a, b) if name == "power" else function(a) for a, b in both))
    for lanes in LANES:
        for care in (Care.ALL, Care.QUICK):
            found = compute(name, lanes, array("d", x), array("d", y), care)
            if found.tobytes() != expected.tobytes():
                wrong = [
                    (*pair, right.hex(), got.hex())
                    for pair, right, got in zip(both, expected, found, strict=True)
                    if struct.pack("<d", right) != struct.pack("<d", got)
                ]
                raise AssertionError(f"{name} on {lanes} lanes: {wrong[:5]}")


@pytest.mark.parametrize("name", NAMES)
def test_all_forms_have_the_same_bits(name: str) -> None:
    chance = random.Random(name)
    any_bits = list(struct.unpack("<4000d", chance.randbytes(32_000)))
    singles = list(struct.unpack("<4000f", chance.randbytes(16_000)))
    usual = [chance.uniform(-20, 20) for _ in range(4000)]
    near = [1 + chance.uniform(-1, 1) * 2.0 ** -chance.randrange(50) for _ in range(4000)]
    x = any_bits + singles + usual + near
    compare(name, x, random.Random(name).sample(x, len(x)))
    compare(name, near, usual)


@pytest.mark.parametrize("name", NAMES)
def test_special_numbers_have_the_same_bits_in_any_lane(name: str) -> None:
    pairs = list(product(SOME, repeat=2))
    pairs += [(1.0, 1.0)] * (-len(pairs) % 16)
    for step in (1, 3, 7):  # other neighbours
        mixed = [pairs[i * step % len(pairs)] for i in range(len(pairs))]
        compare(name, [x for x, _ in mixed], [y for _, y in mixed])


numbers = st.floats(allow_nan=True) | st.floats(width=32) | st.floats(-1000, 1000)
sixteen = st.lists(numbers, min_size=16, max_size=16)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=settings.default.max_examples // 4)
@given(x=sixteen, y=sixteen)
def test_numbers_that_somebody_chose_have_the_same_bits(
    name: str, x: list[float], y: list[float]
) -> None:
    compare(name, x, y)


@pytest.mark.parametrize("lanes", [1, 8])
def test_definitions_need_nothing_else(lanes: int) -> None:
    """No library, no intrinsic that a caller may have declared as well, and no fused operation."""
    text = definitions(NAMES, lanes)
    called = set(re.findall(r"call .*?(@[\w.]+)\(", text))
    defined = set(re.findall(r"define .*?(@[\w.]+)\(", text))
    assert called <= defined and {f"@planewalk.{name}" for name in NAMES} <= defined
    assert "declare" not in text and not re.search(r"\b(fast|contract|reassoc|fma|fmuladd)\b", text)


def ptx(text: str) -> str:
    """Text as code for graphics cards, optimised as far as it goes."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(f'target triple = "nvptx64-nvidia-cuda"\n{text}')
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    machine = target.create_target_machine(cpu="sm_70", opt=3)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    words: str = machine.emit_assembly(module)
    return words


@pytest.mark.parametrize("name", NAMES)
def test_graphics_cards_fuse_nothing_and_call_nothing(name: str) -> None:
    given = "double %x, double %y" if name == "power" else "double %x"
    kernel = f"""
define ptx_kernel void @kernel(ptr %to, double %x, double %y) {{
  %result = call double @planewalk.{name}({given})
  store double %result, ptr %to
  ret void
}}
"""
    words = ptx(definitions([name], 1) + kernel)
    assert ".entry kernel" in words
    assert not re.search(r"\bfma\b|\.extern|__nv_|\.approx|\.ftz", words)
    assert re.findall(r"\b(?:mul|add|sub)\.f64", words) == []  # all say how they round
    assert "mul.rn.f64" in words and "add.rn.f64" in words
    called = set(re.findall(r"call\.\w+ (?:\(\w+\), )?([\w$]+)", words))
    assert called == ({"planewalk_$_far_turn"} if name in ("sin", "cos") else set())
    assert all(f"{function}(" in words.split(".entry")[0] for function in called)


# What is refused ---------------------------------------------------------------------------------


def loops(x: float) -> float:
    while x > 1.0:
        x = x * 0.5
    return x


def calls_loops(x: float) -> float:
    return loops(x) + 1.0


def mixes(x: float) -> float:
    y = bits(x)
    return x + y


def compares_twice(x: float) -> float:
    return 1.0 if 0.0 < x < 1.0 else 2.0


def unpacks_too_few(x: float) -> float:
    a, b, c = _halves(x)
    return a + b + c


def _halves(x: float) -> tuple[float, float]:
    return x * 0.5, x * 0.5


def shifts(x: float) -> float:
    return x << 1  # type: ignore[operator, no-any-return]


REFUSED = {
    loops: "only compute", calls_loops: "loops does more than to compute",
    mixes: "float and int do not mix", compares_twice: "one comparison at a time",
    unpacks_too_few: "as many values as targets", shifts: "no such operation on float",
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_what_functions_of_floats_cannot_say(function: Any) -> None:
    with pytest.raises(SubsetError, match=REFUSED[function]):
        FunctionModule().floats(function, 1)


def blended(x: float, y: float) -> float:
    """Both kinds of numbers, tuples, a table, and division that rounds down."""
    half, other = _halves(x)
    at = bits(y) // 3 % 4
    return half * FACTORS[at] + other if at != 2 else -y


FACTORS = [1.5, -2.0, 0.25, 3.0]


@pytest.mark.parametrize("lanes", [1, 8])
def test_functions_need_not_be_those_of_the_language(lanes: int) -> None:
    module = FunctionModule()
    name = module.floats(blended, lanes)
    kind = "double" if lanes == 1 else f"<{lanes} x double>"
    given = f"{kind} %a, {kind} %b"
    loop = LOOP.format(type=kind, name=name[len("@planewalk.") :], given=given, lanes=lanes)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64)
    text = "\n".join([*module.parts.values(), loop])
    _owner, call = assemble(text, prototype=prototype)
    pairs = list(product(SOME, repeat=2))
    pairs += [(1.0, 1.0)] * (-len(pairs) % 16)
    x, y = (array("d", values) for values in zip(*pairs, strict=True))
    results = array("d", bytes(8 * len(x)))
    call(*(values.buffer_info()[0] for values in (x, y, results)), len(x))
    for pair, found in zip(pairs, results, strict=True):
        assert repr(found) == repr(blended(*pair)), pair
