"""The letters: `m` common maths, `V` vectors, `M` matrices, and the texture letter `T`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...core.instruction import Group, InstructionTable
from ...core.vocabulary import Vocabulary
from .instructions import reflect
from .operands import STACK_LIMIT, give, overflow, take, take_length, take_vector, whole

MATHS = InstructionTable("m", "Common maths; loaded at the start.")
VECTORS = InstructionTable("V", "Vectors of n values. An n below 1 only pops the operands.")
MATRICES = InstructionTable("M", "Matrices, row by row with the first element deepest.")
TEXTURES = InstructionTable("T", "Pictures given with --texture, whatever semantics are loaded.")


# m: common maths


@MATHS.instruction("A", "a -- abs(a)", Group.ARITHMETIC, ["-3 -- 3"])
def absolute(m: Vocabulary) -> None:
    """The value without its sign."""
    give(m, [m.absolute(take(m))])


@MATHS.instruction("C", "a -- cos(a)", Group.ARITHMETIC, ["0 -- 1"])
def cosine(m: Vocabulary) -> None:
    """The cosine of an angle in radians."""
    give(m, [m.cos(take(m))])


@MATHS.instruction("E", "a -- exp(a)", Group.ARITHMETIC, ["0 -- 1"])
def exponential(m: Vocabulary) -> None:
    """e to the power a."""
    give(m, [m.exp(take(m))])


@MATHS.instruction("F", "a -- floor(a)", Group.ARITHMETIC, ["1.5 -- 1", "-1.5 -- -2"])
def floor(m: Vocabulary) -> None:
    """The largest whole number not above a."""
    give(m, [m.floor(take(m))])


@MATHS.instruction("I", "a b -- min(a,b)", Group.ARITHMETIC, ["3 2 -- 2"])
def minimum(m: Vocabulary) -> None:
    """The smaller of two; NaN if either is."""
    b, a = take(m), take(m)
    give(m, [m.least(a, b)])


@MATHS.instruction("J", "a b -- max(a,b)", Group.ARITHMETIC, ["3 2 -- 3"])
def maximum(m: Vocabulary) -> None:
    """The larger of two; NaN if either is."""
    b, a = take(m), take(m)
    give(m, [m.most(a, b)])


@MATHS.instruction("L", "a -- log(a)", Group.ARITHMETIC, ["1 -- 0"])
def logarithm(m: Vocabulary) -> None:
    """The natural logarithm; of 0 it is -infinity, of less NaN."""
    give(m, [m.log(take(m))])


@MATHS.instruction("M", "a b t -- mix", Group.ARITHMETIC, ["2 4 0.5 -- 3"])
def mix(m: Vocabulary) -> None:
    """a * (1 - t) + b * t."""
    t, b, a = take(m), take(m), take(m)
    give(m, [a * (1 - t) + b * t])


@MATHS.instruction("P", "-- pi", Group.LITERAL, ["PF@ => stack: [0, 0, 64, 36, 0, 3]"])
def pi(m: Vocabulary) -> None:
    """Push 3.14159..."""
    give(m, [math.pi])


@MATHS.instruction("Q", "a -- sqrt(a)", Group.ARITHMETIC, ["9 -- 3"])
def square_root(m: Vocabulary) -> None:
    """The square root; of less than 0 it is NaN."""
    give(m, [m.sqrt(take(m))])


@MATHS.instruction("R", "-- a", Group.LITERAL, ["RF@ => stack: [0, 0, 64, 36, 0, 0]"])
def random(m: Vocabulary) -> None:
    """Push a random number from 0 up to, but never, 1."""
    give(m, [(m.draw() >> 40) / (1 << 24)])  # 24 bits: all that a float32 can hold


@MATHS.instruction("S", "a -- sin(a)", Group.ARITHMETIC, ["0 -- 0"])
def sine(m: Vocabulary) -> None:
    """The sine of an angle in radians."""
    give(m, [m.sin(take(m))])


@MATHS.instruction("W", "a e -- a^e", Group.ARITHMETIC, ["2 3 -- 8"])
def power(m: Vocabulary) -> None:
    """a to the power e, as C's pow has it."""
    e, a = take(m), take(m)
    give(m, [m.power(a, e)])


# V: vectors


OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "A": lambda m, a, b: a + b,
    "S": lambda m, a, b: a - b,
    "Y": lambda m, a, b: a * b,
    "V": lambda m, a, b: m.divide(a, b),
    "O": lambda m, a, b: m.modulo(a, b),
    "I": lambda m, a, b: m.least(a, b),
    "J": lambda m, a, b: m.most(a, b),
}


@VECTORS.instruction(
    OPERATIONS,
    "a... b... n -- c...",
    Group.VECTOR,
    ["12 34'V(2A@ => stack: [0, 0, 64, 36, 0, 4, 6]"],
)
def combine(m: Vocabulary, operation: Callable[[Vocabulary, Any, Any], Any]) -> None:
    """Pop n and two vectors, push them combined value by value: `A` adds, `S` subtracts, `Y`
    multiplies, `V` divides, `O` is modulo, `I` the smaller, `J` the larger."""
    n = take_length(m)
    b, a = take_vector(m, n), take_vector(m, n)
    give(m, [operation(m, a[i], b[i]) for i in range(n)])


def dot(a: list[Any], b: list[Any]) -> Any:
    total: Any = 0.0
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total


@VECTORS.instruction("D", "a... b... n -- a.b", Group.VECTOR, ["1 2 3 4 2 -- 11"])
def dot_product(m: Vocabulary) -> None:
    """Pop n and two vectors, push the sum of their products."""
    n = take_length(m)
    b, a = take_vector(m, n), take_vector(m, n)
    give(m, [dot(a, b)])


@VECTORS.instruction("K", "a... k n -- ka...", Group.VECTOR, ["1 2 3 2 -- 3 6"])
def scale(m: Vocabulary) -> None:
    """Pop n, k and a vector, push it with every value multiplied by k."""
    n, k = take_length(m), take(m)
    a = take_vector(m, n)
    give(m, [k * a[i] for i in range(n)])


@VECTORS.instruction("L", "a... n -- |a|", Group.VECTOR, ["3 4 2 -- 5"])
def length(m: Vocabulary) -> None:
    """Pop n and a vector, push its length."""
    a = take_vector(m, take_length(m))
    give(m, [m.sqrt(dot(a, a))])


@VECTORS.instruction("M", "a... b... t n -- c...", Group.VECTOR, ["0 2 4 6 0.5 2 -- 2 4"])
def mix_vectors(m: Vocabulary) -> None:
    """Pop n, t and two vectors, push a * (1 - t) + b * t for each value."""
    n, t = take_length(m), take(m)
    b, a = take_vector(m, n), take_vector(m, n)
    give(m, [a[i] * (1 - t) + b[i] * t for i in range(n)])


@VECTORS.instruction("N", "a... n -- a/|a|...", Group.VECTOR, ["0 3 2 -- 0 1"])
def normalise(m: Vocabulary) -> None:
    """Pop n and a vector, push it with every value divided by its length."""
    n = take_length(m)
    a = take_vector(m, n)
    size = m.sqrt(dot(a, a))
    give(m, [m.divide(a[i], size) for i in range(n)])


@VECTORS.instruction("W", "a... n -- a... a...", Group.VECTOR, ["1 2 2 -- 1 2 1 2"])
def duplicate_vector(m: Vocabulary) -> None:
    """Pop n and a vector, push it twice."""
    a = take_vector(m, take_length(m))
    give(m, a + a)


@VECTORS.instruction("X", "a b c d e f -- x y z", Group.VECTOR, ["1 0 0 0 1 0 -- 0 0 1"])
def cross_product(m: Vocabulary) -> None:
    """Pop two vectors of three values, push their cross product. There is no n."""
    b, a = take_vector(m, 3), take_vector(m, 3)
    give(
        m,
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ],
    )


# M: matrices


@MATRICES.instruction("M", "A... B... i j k -- C...", Group.MATRIX, ["2 3 4 5 1 2 1 -- 23"])
def multiply_matrices(m: Vocabulary) -> None:
    """Pop k, j, i, then B (j rows of k) and A (i rows of j), push A.B (i rows of k)."""
    k, j, i = take_length(m), take_length(m), take_length(m)
    if max(i * j, j * k, i * k) > STACK_LIMIT:
        overflow(m)
    b, a = take_vector(m, j * k), take_vector(m, i * j)
    rows = [a[row * j : row * j + j] for row in range(i)]
    columns = [b[column::k] for column in range(k)]
    give(m, [dot(row, column) for row in rows for column in columns])


AXES: dict[str, tuple[int, int]] = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}
"""For each axis the two others: the rotation turns the first towards the second."""


@MATRICES.instruction(
    AXES, "angle i -- A...", Group.MATRIX, ["0'M(2Z@ => stack: [0, 0, 64, 36, 0, 1, 0, 0, 1]"]
)
def rotation(m: Vocabulary, plane: tuple[int, int]) -> None:
    """Pop i, pop an angle in radians, push the i x i matrix that turns column vectors round the
    x, y or z axis, continued with the identity beyond three dimensions."""
    i, angle = take_length(m), take(m)
    if i * i > STACK_LIMIT:
        overflow(m)
    first, second = plane
    c, s = m.cos(angle), m.sin(angle)
    turned = {(first, first): c, (second, second): c, (first, second): -s, (second, first): s}
    entries = ((row, column) for row in range(i) for column in range(i))
    give(m, [turned.get(at, 1.0 if at[0] == at[1] else 0.0) for at in entries])


# T: textures


@TEXTURES.instruction("T", "u v i -- r g b", Group.VECTOR, ["#@1T => delta: [-1, 0]"])
def texture(m: Vocabulary) -> None:
    """Pop i, v, u, push red, green and blue of texture i at (u, v): 0 to 1 from the top left,
    repeating, the nearest pixel. Turn round if there is no such texture."""
    textures = m.option("texture")
    if not textures:
        reflect(m)
        return
    i, v, u = whole(m.known(take(m))), take(m), take(m)
    if i is None or not 0 <= i < len(textures):
        reflect(m)
        return
    width, height, _ = textures[i]
    pixel = _nearest(m, v, height) * width + _nearest(m, u, width)
    first = 3.0 * pixel + sum(len(pixels) for _, _, pixels in textures[:i])
    give(m, [m.divide(m.sample(first + channel), 255.0) for channel in range(3)])


def _nearest(m: Vocabulary, share: Any, size: int) -> Any:
    """The pixel at a share of the size, wrapped into it; the first where there is no answer."""
    within = m.defined(share - m.floor(share))  # infinity, too, has no part behind the point
    return m.least(m.floor(within * size), size - 1.0)
