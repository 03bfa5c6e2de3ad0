"""The WGSL that we write, respelled as GLSL for WebGL 2: both say the same, word for word."""

from __future__ import annotations

import re

TYPES = {
    "f32": "float",
    "u32": "uint",
    "vec2<f32>": "vec2",
    "vec3<f32>": "vec3",
    "vec4<f32>": "vec4",
    "vec2<u32>": "uvec2",
}
_TYPE = r"(?:array<\w+, \d+>|vec\d<\w+>|\w+)"


def respelled(text: str) -> str:
    """Functions and constants of WGSL as GLSL. Every `let`, `var` and `const` must say its type."""
    text = re.sub(rf"fn (\w+)\((.*)\) -> ({_TYPE}) {{", _function, text)
    text = re.sub(rf"\b(let|var) (\w+): ({_TYPE})", r"\3 \2", text)
    text = re.sub(rf"\bconst (\w+): ({_TYPE})", r"const \2 \1", text)
    text = re.sub(r"\bloop {", "for (;;) {", text)
    text = re.sub(
        r"\bcase ([\d, u]+): {", lambda f: f"case {f[1].replace(', ', ': case ')}: {{", text
    )
    text = text.replace("bitcast<u32>", "floatBitsToUint").replace(
        "bitcast<f32>", "uintBitsToFloat"
    )
    text = re.sub(r"array<(\w+), (\d+)>", r"\1[\2]", text)
    for theirs, ours in sorted(TYPES.items(), key=lambda pair: -len(pair[0])):
        text = re.sub(rf"(?<!\w){re.escape(theirs)}(?!\w)", ours, text)
    return text


def _function(found: re.Match[str]) -> str:
    name, operands, result = found.groups()
    swapped = re.sub(rf"(\w+): ({_TYPE})", r"\2 \1", operands)
    return f"{result} {name}({swapped}) {{"
