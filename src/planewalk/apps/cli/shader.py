"""`planewalk shader`: a program that colours pixels as code for graphics processors."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...core.errors import EngineRefused
from .alarm import in_time
from .files import write_file
from .options import PRINTED, add, add_bounds, add_painting
from .program import limits_of, load_program, naming

EPILOG = """\
The code is complete: WGSL is the compute shader that `planewalk render --device gpu` runs, GLSL a
fragment shader for WebGL 2 with uniforms for size, time and seed. In it,

  s0, s1    are the values on the stack, r0, r1 registers, t1, t2 intermediate values
  steps     is the number of steps so far
  head      says which part comes next
  comments  show the cells that the lines below them were made from, the place of the first of
            them, and the heading there

Arithmetic has 32 bits, so levels may differ by one from the exact picture. A program without a
bound on its stack, or that jumps to computed places, has no shader: the exit code is 2, and a line
names the cell.

examples:
  planewalk shader plasma.wf --to wgsl
  planewalk shader plasma.wf --to glsl -o plasma.frag"""


def add_arguments(parser: ArgumentParser) -> None:
    add_painting(parser)
    to = {"choices": ("wgsl", "glsl"), "default": "wgsl"}
    add(parser, f"--to KIND  the language (default wgsl)\n{PRINTED}", to=to, output="-")
    add_bounds(parser)


@in_time
def perform(arguments: Namespace) -> int:
    from ...engines.gpu.modules import glsl, wgsl  # brings the compiler
    from ...engines.gpu.painter import make_shader

    program = load_program(arguments)
    with naming(arguments.file, (EngineRefused,)):
        shader = make_shader(program, limits_of(arguments))
    text = wgsl(shader) if arguments.to == "wgsl" else glsl(shader)
    write_file(arguments.output, text.encode())
    return 0
