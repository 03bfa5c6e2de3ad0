"""The functions of `core/numbers/maths.py` as LLVM IR, for single numbers or for lanes.

The text has no fast-math flags. Where multiplications and additions are not fused in making machine
code, all results have the bits that Python's have.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ...core.numbers import maths
from ..functions.module import FunctionModule
from ..functions.subset import signature_of

AT_ONCE = 8
"""Lanes that a function is written for; more of them only take longer to become machine code."""


def definitions(names: Iterable[str], lanes: int, attributes: str = "") -> str:
    """LLVM IR that defines `@planewalk.sin` and the like, with what they need.

    They take and give `double`, or `<lanes x double>` for more lanes than one. The attributes are
    added to each function: those that decide how vectors are passed must be the caller's.
    """
    return _definitions(tuple(sorted(set(names))), lanes, attributes)


@cache
def _definitions(names: tuple[str, ...], lanes: int, attributes: str) -> str:
    functions = [getattr(maths, name) for name in names]
    if lanes <= AT_ONCE:
        module = FunctionModule(attributes)
        for function in functions:
            module.floats(function, lanes)
        return "\n".join([*module.parts.values(), ""])
    module = FunctionModule(attributes, ".part")
    parts = [module.floats(function, AT_ONCE) for function in functions]
    wholes = [_in_parts(*pair, lanes, module) for pair in zip(names, parts, strict=True)]
    return "\n".join([*module.parts.values(), *wholes, ""])


def _in_parts(function: str, part: str, lanes: int, module: FunctionModule) -> str:
    """A function for many lanes that calls one for fewer of them, several times."""
    whole, piece = f"<{lanes} x double>", f"<{AT_ONCE} x double>"
    given = list(signature_of(getattr(maths, function)).parameters)
    lines, results = list[str](), list[str]()
    for number in range(lanes // AT_ONCE):
        places = _places(range(number * AT_ONCE, (number + 1) * AT_ONCE))
        for name in given:
            shuffle = f"shufflevector {whole} %{name}, {whole} poison, {places}"
            lines.append(f"  %{name}{number} = {shuffle}")
        arguments = ", ".join(f"{piece} %{name}{number}" for name in given)
        lines.append(f"  %part{number} = call {piece} {part}({arguments})")
        results.append(f"%part{number}")
    size = AT_ONCE
    while len(results) > 1:
        joined = []
        for one, other in zip(results[::2], results[1::2], strict=True):
            name, kind = f"{one}.and", f"<{size} x double>"
            both = f"{kind} {one}, {kind} {other}, {_places(range(2 * size))}"
            lines.append(f"  {name} = shufflevector {both}")
            joined.append(name)
        results, size = joined, 2 * size
    parameters = ", ".join(f"{whole} %{name}" for name in given)
    head = f"define internal {whole} @planewalk.{function}({parameters}) {module.attributes} {{"
    return "\n".join([head, *lines, f"  ret {whole} {results[0]}", "}"])


def _places(lanes: range) -> str:
    return f"<{len(lanes)} x i32> <" + ", ".join(f"i32 {lane}" for lane in lanes) + ">"
