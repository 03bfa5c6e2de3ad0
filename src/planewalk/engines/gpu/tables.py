"""Tables in shaders: the cells of a plane, and lists that one value is chosen from."""

from __future__ import annotations

import re
from typing import Any


def looking(text: str, plane: Any) -> list[str]:
    """The function `look`, if a shader uses it. It looks into CELLS, which each kind of shader has
    in another way."""
    if not re.search(r"\blook\(", text):
        return []
    width, height = plane.width, plane.height
    inside = f"x >= 0.0 && x < {width}.0 && y >= 0.0 && y < {height}.0"
    return [
        f"""\
// The cell at a place; 0 outside and between cells.
fn look(x: f32, y: f32) -> f32 {{
    if ({inside} && floor(x) == x && floor(y) == y) {{
        return f32(CELLS[u32(y) * {width}u + u32(x)]);
    }}
    return 0.0;
}}"""
    ]


def cells(plane: Any) -> list[int]:
    return [plane.cell(x, y) for y in range(plane.height) for x in range(plane.width)]


def choosing(text: str) -> list[str]:
    """The functions that choose from lists, one for each length that a shader has."""
    lengths = sorted({int(length) for length in re.findall(r"\bchoose(\d+)\(", text)})
    return [
        f"""\
// The value so far behind an index, which counts back from `size` if it is negative.
fn choose{n}(index: f32, size: f32, offset: f32, values: array<f32, {n}>) -> f32 {{
    var all: array<f32, {n}> = values;
    var at: f32 = index + offset;
    if (index < 0.0) {{
        at += size;
    }}
    if (at >= 0.0 && at < {n}.0 && floor(index) == index) {{
        return all[u32(at)];
    }}
    return 0.0;
}}"""
        for n in lengths
    ]
