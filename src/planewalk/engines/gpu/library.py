"""The words of a shader that graphics processors lack, or have only roughly, as WGSL functions.

Processors may be off by thousands of roundings in `sin` or `pow`, and may do anything with NaN,
infinity and division by zero. These are right to a rounding or two everywhere, and say what
odd operands give. Written in the plain WGSL that `glsl.py` can respell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

from ...core.numbers.chance import LAST_SHIFT, STIRS, STRIDE
from ...core.numbers.expansions import pi


def _word(bits: int) -> str:
    return f"0x{bits:08x}u"


def _pair(bits: int) -> str:
    """64 bits as two words, the low one first."""
    return f"vec2<u32>({_word(bits & 0xFFFFFFFF)}, {_word(bits >> 32)})"


PI = Fraction(pi(400), 1 << 400)


def _parts(number: Fraction, bits: int, count: int) -> list[float]:
    """A number as a sum of floats that have so few bits that small multiples of them are exact."""
    parts = []
    for _ in range(count):
        scale = Fraction(1)
        while abs(number) * scale < 2 ** (bits - 1):
            scale *= 2
        part = round(number * scale) / scale
        parts.append(float(part))
        number -= part
    return parts


def _less_multiples(parts: list[float]) -> str:
    """`a` less `turns` times a number that is given in parts."""
    text = "a"
    for part in parts:
        text = f"({text} - turns * {part!r})"
    return text


def _series(factors: list[float]) -> str:
    """The sum of the powers of `z` from the first on, each with its factor."""
    text = ""
    for factor in reversed(factors):
        text = f"z * ({factor!r} + {text})" if text else f"z * {factor!r}"
    return text.replace("+ z * -", "- z * ")


WORDS_OF_TURN = 8


def _turn_words() -> str:
    """Lines that find a word of 2 / pi in binary, behind a word of zeros: enough of it for the
    largest float. A table would be slow on some processors."""
    bits = int(2 / PI * 2 ** (32 * (WORDS_OF_TURN - 1)))
    words = [bits >> (32 * i) & 0xFFFFFFFF for i in reversed(range(WORDS_OF_TURN))]
    return "\n".join(
        f"    if (at == {i}u) {{ word = {_word(word)}; }}" for i, word in enumerate(words) if word
    )


NAN, INFINITY = "number(0x7fc00000u)", "number(0x7f800000u)"

FUNCTIONS = f"""
// What `head` is when the pixel has ended.
const END: u32 = 0xffffffffu;

// A float by its bits; compilers refuse NaN and infinity where they see them coming.
fn number(bits: u32) -> f32 {{
    return bitcast<f32>(bits);
}}

fn is_nan(a: f32) -> bool {{
    return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u;
}}

fn is_finite(a: f32) -> bool {{
    return (bitcast<u32>(a) & 0x7f800000u) != 0x7f800000u;
}}

fn divide(a: f32, b: f32) -> f32 {{
    if (b == 0.0) {{
        if (a == 0.0 || is_nan(a)) {{
            return {NAN};
        }}
        return number(0x7f800000u | ((bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u));
    }}
    return a / b;
}}

// The upper half of the digits of a float: products of halves are exact.
fn upper(a: f32) -> f32 {{
    return number(bitcast<u32>(a) & 0xfffff000u);
}}

// a - b * floor(a / b). The rest is taken exactly, again and again until it is small.
fn modulo(a: f32, b: f32) -> f32 {{
    if (!is_finite(a) || !is_finite(b) || b == 0.0) {{
        return {NAN};
    }}
    var rest: f32 = a;
    for (var i: u32 = 0u; i < 8u && abs(rest) >= abs(b); i += 1u) {{
        let share: f32 = trunc(rest / b);
        let b1: f32 = upper(b);
        let b2: f32 = b - b1;
        let share1: f32 = upper(share);
        let share2: f32 = share - share1;
        rest = (((rest - b1 * share1) - b1 * share2) - b2 * share1) - b2 * share2;
    }}
    if (rest == 0.0) {{
        return 0.0;
    }}
    if ((rest < 0.0) != (b < 0.0)) {{
        return rest + b;
    }}
    return rest;
}}

fn root(a: f32) -> f32 {{
    if (a < 0.0) {{
        return {NAN};
    }}
    return sqrt(a);
}}

// The smaller and the larger of two; NaN if either is; -0 is smaller than 0.
fn least(a: f32, b: f32) -> f32 {{
    if (is_nan(a) || is_nan(b)) {{
        return {NAN};
    }}
    if (a == b) {{
        return number(bitcast<u32>(a) | bitcast<u32>(b));
    }}
    return min(a, b);
}}

fn most(a: f32, b: f32) -> f32 {{
    if (is_nan(a) || is_nan(b)) {{
        return {NAN};
    }}
    if (a == b) {{
        return number(bitcast<u32>(a) & bitcast<u32>(b));
    }}
    return max(a, b);
}}

// The product of two words, the low one first.
fn wide_product(a: u32, b: u32) -> vec2<u32> {{
    let a1: u32 = a & 0xffffu;
    let a2: u32 = a >> 16u;
    let b1: u32 = b & 0xffffu;
    let b2: u32 = b >> 16u;
    let middle: u32 = a2 * b1 + ((a1 * b1) >> 16u);
    let other: u32 = a1 * b2 + (middle & 0xffffu);
    return vec2<u32>(a * b, a2 * b2 + (middle >> 16u) + (other >> 16u));
}}

// A word of 2 / pi in binary.
fn turn_word(at: u32) -> u32 {{
    var word: u32 = 0u;
{_turn_words()}
    return word;
}}

// 32 of the bits of two words, from one of the first on.
fn between(first: u32, second: u32, shift: u32) -> u32 {{
    if (shift == 0u) {{
        return first;
    }}
    return (first << shift) | (second >> (32u - shift));
}}

// How many quarter turns an angle is, from 0 to 3, and how far it is from there, at most an eighth.
fn quarters(a: f32) -> vec2<f32> {{
    if (abs(a) < 10000.0) {{
        let turns: f32 = floor(a * {float(2 / PI)!r} + 0.5);
        let rest: f32 = {_less_multiples(_parts(PI / 2, 10, 5))};
        return vec2<f32>(turns - 4.0 * floor(turns * 0.25), rest);
    }}
    // Beyond that, in whole numbers: the angle's 24 bits times those 96 bits of 2 / pi that are
    // less than a turn.
    let bits: u32 = bitcast<u32>(abs(a));
    let digits: u32 = (bits & 0x7fffffu) | 0x800000u;
    let first: u32 = (bits >> 23u) - 120u;
    let at: u32 = first >> 5u;
    let shift: u32 = first & 31u;
    let word1: u32 = turn_word(at + 1u);
    let word2: u32 = turn_word(at + 2u);
    let low: vec2<u32> = wide_product(between(word2, turn_word(at + 3u), shift), digits);
    let middle: vec2<u32> = wide_product(between(word1, word2, shift), digits);
    let next: u32 = middle.x + low.y;
    var high: u32 = between(turn_word(at), word1, shift) * digits + middle.y;
    if (next < low.y) {{
        high += 1u;
    }}
    var quarter: u32 = high >> 30u;
    var share: f32 = f32((high << 2u) | (next >> 30u)) + f32(next << 2u) * {2.0**-32!r};
    if ((high & 0x20000000u) != 0u) {{
        quarter += 1u;
        let less: u32 = ~((high << 2u) | (next >> 30u));
        share = -(f32(less) + f32(~(next << 2u)) * {2.0**-32!r});
    }}
    let rest: f32 = share * {float(PI / 2) / 2**32!r};
    if (a < 0.0) {{
        return vec2<f32>(f32((4u - quarter) & 3u), -rest);
    }}
    return vec2<f32>(f32(quarter & 3u), rest);
}}

// Sine and cosine of at most an eighth of a turn, by their series.
fn short_sine(a: f32) -> f32 {{
    let z: f32 = a * a;
    return a + a * {_series([-1 / 6, 1 / 120, -1 / 5040, 1 / 362880])};
}}

fn short_cosine(a: f32) -> f32 {{
    let z: f32 = a * a;
    return 1.0 + {_series([-1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800])};
}}

fn turned(quarter: f32, rest: f32) -> f32 {{
    var result: f32 = 0.0;
    if (quarter == 0.0 || quarter == 2.0) {{
        result = short_sine(rest);
    }} else {{
        result = short_cosine(rest);
    }}
    if (quarter >= 2.0) {{
        return -result;
    }}
    return result;
}}

fn sine(a: f32) -> f32 {{
    if (!is_finite(a)) {{
        return {NAN};
    }}
    let angle: vec2<f32> = quarters(a);
    return turned(angle.x, angle.y);
}}

fn cosine(a: f32) -> f32 {{
    if (!is_finite(a)) {{
        return {NAN};
    }}
    let angle: vec2<f32> = quarters(a);
    if (angle.x == 3.0) {{
        return turned(0.0, angle.y);
    }}
    return turned(angle.x + 1.0, angle.y);
}}

// e to the power a: a power of two times the series of what is left.
fn exponential(a: f32) -> f32 {{
    if (is_nan(a)) {{
        return {NAN};
    }}
    if (a > 89.0) {{
        return {INFINITY};
    }}
    if (a < -104.0) {{
        return 0.0;
    }}
    let turns: f32 = floor(a * 1.4426950408889634 + 0.5);
    let z: f32 = {_less_multiples(_parts(Fraction(0.6931471805599453), 12, 3))};
    let series: f32 = 1.0 + (z + z * {_series([1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040])});
    let part: f32 = floor(turns * 0.5);
    return series * power_of_two(part) * power_of_two(turns - part);
}}

fn power_of_two(a: f32) -> f32 {{
    return number(u32(a + 127.0) << 23u);
}}

fn logarithm(a: f32) -> f32 {{
    if (a == 0.0) {{
        return -{INFINITY};
    }}
    if (is_nan(a) || a < 0.0) {{
        return {NAN};
    }}
    if (!is_finite(a)) {{
        return a;
    }}
    var bits: u32 = bitcast<u32>(a);
    var twos: f32 = -127.0;
    if (bits < 0x800000u) {{
        bits = bitcast<u32>(a * 16777216.0);
        twos = -151.0;
    }}
    twos += f32(bits >> 23u);
    var m: f32 = number((bits & 0x7fffffu) | 0x3f800000u);
    if (m > 1.4142135) {{
        m = m * 0.5;
        twos += 1.0;
    }}
    let s: f32 = (m - 1.0) / (m + 1.0);
    let z: f32 = s * s;
    let rest: f32 = s * {_series([2 / 3, 2 / 5, 2 / 7, 2 / 9])};
    return twos * 0.693359375 + (2.0 * s + (rest - twos * 0.00021219444005469057));
}}

// Any number that is not negative to any power.
fn power_of(a: f32, b: f32) -> f32 {{
    if (a == 0.0 || !is_finite(a)) {{
        if ((a == 0.0) == (b < 0.0)) {{
            return {INFINITY};
        }}
        return 0.0;
    }}
    if (!is_finite(b)) {{
        if (a == 1.0) {{
            return 1.0;
        }}
        if ((a > 1.0) == (b > 0.0)) {{
            return {INFINITY};
        }}
        return 0.0;
    }}
    if (floor(b) == b && abs(b) <= 64.0) {{
        var result: f32 = 1.0;
        var square: f32 = a;
        for (var left: u32 = u32(abs(b)); left != 0u; left = left >> 1u) {{
            if ((left & 1u) != 0u) {{
                result = result * square;
            }}
            square = square * square;
        }}
        if (b < 0.0) {{
            return divide(1.0, result);
        }}
        return result;
    }}
    return exponential(b * logarithm(a));
}}

fn power(a: f32, b: f32) -> f32 {{
    if (b == 0.0 || a == 1.0) {{
        return 1.0;
    }}
    if (is_nan(a) || is_nan(b)) {{
        return {NAN};
    }}
    let size: f32 = power_of(abs(a), b);
    if ((bitcast<u32>(a) & 0x80000000u) == 0u) {{
        return size;
    }}
    if (floor(b) != b) {{
        if (a != 0.0 && is_finite(a)) {{
            return {NAN};
        }}
        return size;
    }}
    if (is_finite(b) && floor(b * 0.5) * 2.0 != b) {{
        return -size;
    }}
    return size;
}}

// Chance: 64 bits that depend on a seed and a counter alone.
fn product64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {{
    let low: vec2<u32> = wide_product(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}}

fn stir_right(a: vec2<u32>, bits: u32) -> vec2<u32> {{
    return vec2<u32>(a.x ^ ((a.x >> bits) | (a.y << (32u - bits))), a.y ^ (a.y >> bits));
}}

fn stir(a: vec2<u32>) -> vec2<u32> {{
    let first: vec2<u32> = product64(stir_right(a, {STIRS[0][0]}u), {_pair(STIRS[0][1])});
    let second: vec2<u32> = product64(stir_right(first, {STIRS[1][0]}u), {_pair(STIRS[1][1])});
    return stir_right(second, {LAST_SHIFT}u);
}}

fn mixed(seed: vec2<u32>, counter: u32) -> vec2<u32> {{
    let base: vec2<u32> = stir(seed);
    let stride: vec2<u32> = product64(vec2<u32>(counter, 0u), {_pair(STRIDE)});
    let low: u32 = base.x + stride.x;
    var high: u32 = base.y + stride.y;
    if (low < base.x) {{
        high += 1u;
    }}
    return stir(vec2<u32>(low, high));
}}

// What a channel of a colour is as a whole number.
fn level(value: f32) -> f32 {{
    if (is_nan(value)) {{
        return 0.0;
    }}
    return floor(value);
}}
"""


@cache
def _pieces() -> dict[str, str]:
    """Every function or constant by its name, with the comment above it."""
    found = {}
    for piece in FUNCTIONS.strip().split("\n\n"):
        name = re.search(r"^(?:fn|const) (\w+)", piece, re.MULTILINE)
        assert name is not None, piece
        found[name[1]] = piece
    return found


def needed(text: str) -> list[str]:
    """The functions that a text uses, and those that they use, each before its users."""
    pieces = _pieces()
    wanted: set[str] = set()
    work = [text]
    while work:
        for name in _names(work.pop(), pieces):
            if name not in wanted:
                wanted.add(name)
                work.append(pieces[name])
    ordered: list[str] = []

    def add(name: str) -> None:
        if name not in ordered:
            for other in _names(pieces[name], pieces):
                if other != name:
                    add(other)
            ordered.append(name)

    for name in pieces:
        if name in wanted:
            add(name)
    return [pieces[name] for name in ordered]


def _names(text: str, pieces: Iterable[str]) -> list[str]:
    code = re.sub(r"//.*", "", text)
    words = set(re.findall(r"\w+", code))
    return [name for name in pieces if name in words]


def looking(text: str, plane: Any) -> list[str]:
    """The function `look`, if a shader uses it. Each kind of shader has its own CELLS."""
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
