"""Whole shaders: the functions of a program, and what a driver or a web page calls."""

from __future__ import annotations

from .glsl import respelled
from .wgsl import Shader

WORKGROUP = 8

PICTURE = f"""\
struct Picture {{
    corner: vec2<u32>,
    box: vec2<u32>,
    size: vec2<f32>,
    seed: vec2<u32>,
    time: f32,
}}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;

// One pixel of the box of the picture that is asked for, as red, green, blue from the lowest byte.
@compute @workgroup_size({WORKGROUP}, {WORKGROUP})
fn paint(@builtin(global_invocation_id) id: vec3<u32>) {{
    if (id.x >= picture.box.x || id.y >= picture.box.y) {{
        return;
    }}
    let x: f32 = f32(picture.corner.x + id.x);
    let y: f32 = f32(picture.corner.y + id.y);
    let seed: vec2<u32> = seed_of_pixel(picture.seed, x, y);
    let colour: vec3<f32> = shade(x, y, picture.size.x, picture.size.y, picture.time, seed);
    pixels[id.y * picture.box.x + id.x] =
        u32(level(colour.x)) | (u32(level(colour.y)) << 8u) | (u32(level(colour.z)) << 16u);
}}
"""

WGSL_CELLS = """\
// The characters of the program, row by row; 0 where there is none.
@group(0) @binding(2) var<storage, read> CELLS: array<u32>;
"""

GLSL_HEAD = """\
#version 300 es
precision highp float;
precision highp int;

uniform vec2 size; // of the picture in pixels
uniform float time; // in seconds
uniform uvec2 seed; // of chance, the low word first
out vec4 colour;
"""

GLSL_MAIN = """\
void main() {
    float x = floor(gl_FragCoord.x);
    float y = size.y - 1.0 - floor(gl_FragCoord.y);
    vec3 channels = shade(x, y, size.x, size.y, time, seed_of_pixel(seed, x, y));
    colour = vec4(vec3(level(channels.x), level(channels.y), level(channels.z)) / 255.0, 1.0);
}
"""


def wgsl(shader: Shader) -> str:
    """A compute shader that fills a buffer with pixels."""
    tables = [WGSL_CELLS] if shader.cells else []
    return "\n\n".join([*tables, *shader.functions, PICTURE])


def glsl(shader: Shader) -> str:
    """A fragment shader for WebGL 2, with uniforms for size, time and seed."""
    count = len(shader.cells)
    numbers = ", ".join(f"{cell}u" for cell in shader.cells)
    tables = [f"const uint CELLS[{count}] = uint[{count}]({numbers});"] if count else []
    return "\n\n".join([GLSL_HEAD, *tables, *map(respelled, shader.functions), GLSL_MAIN])
