"""How a Webfunge pixel starts, what stands where, its colour, and what a state looks like."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...core.base.findable import made_by
from ...core.errors import OptionError
from ...core.geometry import Stance
from ...core.instruction import Group, Instruction, with_value
from ...core.language import Drawing, Language, Looks, Option, Results, Rules, Shading
from ...core.numbers import chance, pure
from ...core.plane import TextPlane
from ...core.state import State, Walker
from ...core.step import Fault
from ...core.text import split_rows
from ...core.vocabulary import Vocabulary
from .instructions import (
    EAST,
    REGISTER_SLOTS,
    SLOTS_PER_REGISTER,
    TABLE,
    Mode,
    mode_of,
    push_code,
    reflect,
)
from .semantics import MATHS, MATRICES, TEXTURES, VECTORS
from .space import move

SEMANTICS = {table.name: table for table in (MATHS, VECTORS, MATRICES)}
QUOTE = ord('"')
FIRST_WALKER = Walker(Stance(0.0, 0.0, *EAST, Mode()))
FIRST_REGISTERS = array("f", bytes(4 * REGISTER_SLOTS))
NOTHING = TABLE[ord(" ")]
UNDEFINED = Instruction(
    0, "undefined letter", "", Group.MOTION, reflect, "No loaded semantics define it: turn round."
)


def _read_pair(value: Any, separator: str, written: str, plain: str) -> tuple[int, int]:
    if isinstance(value, str):
        found = re.fullmatch(rf"\s*(\d{{1,9}})\s*{separator}\s*(\d{{1,9}})\s*", value, re.ASCII)
        if found:
            return int(found[1]), int(found[2])
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        x, y = value
        if isinstance(x, int) and isinstance(y, int) and x >= 0 and y >= 0:
            return x, y
    form = written if isinstance(value, str) else plain
    raise ValueError(f"expected two whole numbers as {form}, not {value!r}")


def read_pixel(value: Any) -> tuple[int, int]:
    return _read_pair(value, ",", "X,Y", "(x, y)")


def read_size(value: Any) -> tuple[int, int]:
    width, height = _read_pair(value, "[xX]", "WIDTHxHEIGHT", "(width, height)")
    if not width or not height:
        raise ValueError(f"a picture of {width} x {height} has no pixels")
    return width, height


def read_time(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"expected seconds as a number, not {value!r}") from None


def read_textures(value: Any) -> tuple[tuple[int, int, bytes], ...]:
    """Pictures as (width, height, bytes of red, green and blue for each pixel)."""
    try:
        textures = tuple((width, height, bytes(pixels)) for width, height, pixels in value)
        good = all(w > 0 and h > 0 and len(pixels) == 3 * w * h for w, h, pixels in textures)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError("expected a list of (width, height, RGB bytes), one for each texture")
    return textures


@lru_cache(maxsize=4)
def pixels_of(textures: tuple[tuple[int, int, bytes], ...]) -> bytes:
    """The pixels of all textures, one behind the other."""
    return b"".join([pixels for _, _, pixels in textures])


OPTIONS = (
    Option("pixel", (0, 0), read_pixel, "the pixel to run, from 0,0 at the top left"),
    Option("size", (64, 36), read_size, "width and height of the picture", drawn=(640, 360)),
    Option("time", 0.0, read_time, "seconds since the film began"),
    Option("texture", (), read_textures, "pictures for the letter T, in order from 0"),
)


@lru_cache(maxsize=4)
def code_space(source: bytes) -> TextPlane:
    """The text as a plane. Blanks have the value 0, so they are kept as 0."""
    return TextPlane([row.replace(" ", "\0") for row in split_rows(source)], blank=0)


def first_stack(x: Any, y: Any, width: Any, height: Any, time: Any) -> tuple[Any, ...]:
    """What every pixel begins with, the time on top."""
    return (x, y, width, height, time)


def seed_of_pixel(mix: Any, seed: Any, x: Any, y: Any) -> Any:
    """Each pixel has a chance of its own."""
    return mix(mix(seed, x), y)


def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
    (x, y), (width, height) = options["pixel"], options["size"]
    if x >= width or y >= height:
        raise OptionError(
            f"pixel {x},{y} lies outside the picture of {width} x {height}; "
            f"the last one is {width - 1},{height - 1}"
        )
    return State(
        code_space(source),
        [FIRST_WALKER],
        stack=array("f", first_stack(x, y, width, height, options["time"])),
        registers=FIRST_REGISTERS[:],
        options=options,
        seed=seed_of_pixel(chance.mix, seed, x, y),
    )


def decode(plane: TextPlane, stance: Stance) -> Instruction:
    mode = mode_of(stance)
    if mode.rounds:
        return in_round(mode.rounds[-1][0], mode.loaded)
    code = plane.at(stance.x, stance.y)
    if mode.string and code != QUOTE:
        return string_cell(code)
    return look_up(code, mode.loaded)


def look_up(code: int, loaded: tuple[str, ...]) -> Instruction:
    """What a character means while these semantics are loaded."""
    found = TABLE.get(code)
    if found:
        return found
    if not ord("A") <= code <= ord("Z"):
        return NOTHING
    for name in reversed(loaded):
        found = SEMANTICS[name].get(code)
        if found:
            return found
    return TEXTURES.get(code) or UNDEFINED._replace(code=code)


@lru_cache(maxsize=4096)
def string_cell(code: int) -> Instruction:
    """The instruction that a cell is inside a string."""
    act, doc = with_value(push_code, code), "Push the code of this cell, 0 for blank."
    cell = Instruction(code, "string cell", "-- c", Group.LITERAL, act, doc)
    return made_by(cell, string_cell, code)


@lru_cache(maxsize=4096)
def in_round(code: int, loaded: tuple[str, ...]) -> Instruction:
    """One round of `k`: what the fetched character means, with one round less to go."""
    inner = look_up(code, loaded)

    def act(m: Vocabulary) -> None:
        mode = mode_of(m.stance)
        *outer, (code, times) = mode.rounds
        m.enter(mode._replace(rounds=(*outer, (code, times - 1))))
        inner.act(m)

    return made_by(inner._replace(act=act), in_round, code, loaded)


def after(plane: TextPlane, stance: Stance) -> Stance:
    """The ordinary move, unless `k` has rounds left: they start from where the last one led."""
    mode = mode_of(stance)
    if not mode.rounds:
        return move(plane, stance)
    rounds = mode.rounds
    while rounds and rounds[-1][1] <= 0:
        rounds = rounds[:-1]
    stance = stance._replace(mode=mode._replace(rounds=rounds))
    return stance if rounds else move(plane, stance)


def colour(state: State) -> tuple[int, int, int]:
    """The top three values as bytes of red, green and blue; black after a fault."""
    if isinstance(state.stop, Fault):
        return (0, 0, 0)
    red, green, blue = [
        int(value) if value == value else 0 for value in channels(pure, state.stack)
    ]
    return red, green, blue


def channels(m: Any, stack: Sequence[Any]) -> list[Any]:
    """The top three values, from 0 to 1, as numbers from 0 to 255; what is missing is 0."""
    top = [0.0, 0.0, 0.0, *stack[-3:]][-3:]
    return [m.least(m.most(value * 255.0, 0.0), 255.0) for value in top]


def notation(value: Any) -> Any:
    """Floats as JSON has them, and as words where it has none."""
    if isinstance(value, (list, tuple, array)):
        return [notation(item) for item in value]
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and (value or math.copysign(1, value) > 0) else value


def show(state: State) -> dict[str, Any]:
    x, y, dx, dy, _ = state.walkers[0].stance
    return {
        "stack": notation(state.stack),
        "rgb": list(colour(state)),
        "ip": notation([x, y]),
        "delta": notation([dx, dy]),
    }


def loaded(stance: Stance) -> tuple[str, ...]:
    """The semantics that letters are looked up in; textures come after all others."""
    return (TEXTURES.name, *mode_of(stance).loaded)


def registers(state: State) -> dict[str, Sequence[float]]:
    """The slots of each register."""
    slots, size = state.registers, SLOTS_PER_REGISTER
    return {str(at): slots[at * size : (at + 1) * size] for at in range(len(slots) // size)}


def epilogue(state: State) -> str:
    lines = [str(entry).replace("'", "") for entry in notation(state.log)]
    red, green, blue = colour(state)
    return "\n".join([*lines, f"{red} {green} {blue}", ""])


def glyph(code: int) -> str:
    return chr(code or 32)


def manner(stance: Stance) -> str:
    """Whether it is in a string, and how many rounds of `k` are to come."""
    mode = mode_of(stance)
    words = ["string"] if mode.string else []
    words += [f"k {times:g}" for _, times in mode.rounds]
    return ", ".join(words)


LANGUAGE = Language(
    name="webfunge",
    title="Webfunge",
    summary="pixel shaders; one program runs for every pixel of every frame",
    suffixes=(".wf", ".webfunge"),
    table=TABLE,
    start=start,
    decode=decode,
    move=move,
    show=show,
    options=OPTIONS,
    examples="planewalk.examples/webfunge",
    guide="planewalk.languages.webfunge/guide.md",
    rules=Rules(
        after=after,
        loadable=(*SEMANTICS.values(), TEXTURES),
        loaded=loaded,
        samples=lambda options: pixels_of(options["texture"]),
        default_steps=10_000,
        default_seed=0,
    ),
    results=Results(log=lambda state: map(notation, state.log), epilogue=epilogue),
    looks=Looks(glyph=glyph, manner=manner, registers=registers),
    drawing=Drawing(colour=colour, shading=Shading(first_stack, seed_of_pixel, channels)),
)
