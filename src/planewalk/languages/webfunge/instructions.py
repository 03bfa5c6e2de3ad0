"""Every instruction of Webfunge that is always there, said once. Letters are in `semantics.py`.

Values on the stack are float32. Python computes in float64, and storing rounds once.
"""

from __future__ import annotations

from typing import Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ...core.instruction import Group, InstructionTable
from ...core.vocabulary import Vocabulary
from .operands import (
    STACK_LIMIT,
    give,
    index_of,
    overflow,
    rounded_up,
    take,
    take_length,
    take_vector,
    truth,
    whole,
    within,
)
from .space import PATIENCE, step_aside, step_back_to_edge, walk

TABLE = InstructionTable("webfunge")
instruction = TABLE.instruction

EAST, SOUTH, WEST, NORTH = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)
REGISTER_SLOTS = 128
SLOTS_PER_REGISTER = 8


class Mode(NamedTuple):
    """What decides, besides the place, which instruction comes next.

    `loaded` are the semantics, the last loaded last; `rounds` what `k` has still to do, the
    innermost last, as (code, times left).
    """

    string: bool = False
    loaded: tuple[str, ...] = ("m",)
    rounds: tuple[tuple[int, float], ...] = ()


def mode_of(stance: Stance) -> Mode:
    """The mode of a stance; a state that comes from JSON has it as a bare tuple."""
    mode: Any = stance.mode
    return mode if isinstance(mode, Mode) else Mode(*mode)


# Literals and strings


@instruction(
    {digit: float(value) for value, digit in enumerate("0123456789abcdef")},
    "-- n",
    Group.LITERAL,
    ["7f@ => stack: [0, 0, 64, 36, 0, 7, 15]"],
)
def number(m: Vocabulary, n: float) -> None:
    """Push the digit's value; `a` to `f` are 10 to 15."""
    give(m, [n])


@instruction('"', "", Group.MODE, ['"ab"@ => stack: [0, 0, 64, 36, 0, 97, 98]'])
def toggle_string(m: Vocabulary) -> None:
    """Begin a string: up to the next `"` every cell pushes its code, blanks push 0."""
    mode = mode_of(m.stance)
    m.enter(mode._replace(string=not mode.string))


@instruction("'", "-- c", Group.LITERAL, ["'a@ => stack: [0, 0, 64, 36, 0, 97]"])
def fetch_character(m: Vocabulary) -> None:
    """Push the code of the next cell and jump over it."""
    m.move()
    give(m, [float(m.plane.at(m.stance.x, m.stance.y))])


# Arithmetic and logic


@instruction("+", "a b -- a+b", Group.ARITHMETIC, ["3 2 -- 5"])
def add(m: Vocabulary) -> None:
    """Pop b, pop a, push a + b."""
    b, a = take(m), take(m)
    give(m, [a + b])


@instruction("-", "a b -- a-b", Group.ARITHMETIC, ["3 2 -- 1"])
def subtract(m: Vocabulary) -> None:
    """Pop b, pop a, push a - b."""
    b, a = take(m), take(m)
    give(m, [a - b])


@instruction("*", "a b -- a*b", Group.ARITHMETIC, ["3 2 -- 6"])
def multiply(m: Vocabulary) -> None:
    """Pop b, pop a, push a * b."""
    b, a = take(m), take(m)
    give(m, [a * b])


@instruction("/", "a b -- a/b", Group.ARITHMETIC, ["3 2 -- 1.5"])
def divide(m: Vocabulary) -> None:
    """Pop b, pop a, push a / b; dividing by 0 gives infinity or NaN."""
    b, a = take(m), take(m)
    give(m, [m.divide(a, b)])


@instruction("%", "a b -- a%b", Group.ARITHMETIC, ["7 4 -- 3", "-1 4 -- 3"])
def modulo(m: Vocabulary) -> None:
    """Pop b, pop a, push a - b * floor(a / b)."""
    b, a = take(m), take(m)
    give(m, [m.modulo(a, b)])


@instruction("n", "a -- -a", Group.ARITHMETIC, ["3 -- -3"])
def negate(m: Vocabulary) -> None:
    """Pop a, push -a."""
    give(m, [-take(m)])


@instruction("!", "b -- not b", Group.LOGIC, ["0 -- 1", "3 -- 0"])
def logical_not(m: Vocabulary) -> None:
    """Pop b, push 1 if it is false (0 or NaN), else 0."""
    give(m, [0.0 if truth(take(m)) else 1.0])


@instruction("`", "a b -- a>b", Group.LOGIC, ["3 2 -- 1", "2 3 -- 0"])
def greater(m: Vocabulary) -> None:
    """Pop b, pop a, push 1 if a > b, else 0."""
    b, a = take(m), take(m)
    give(m, [1.0 if a > b else 0.0])


# The stack


@instruction("$", "a --", Group.STACK, ["1 2 -- 1"])
def drop(m: Vocabulary) -> None:
    """Pop a and forget it."""
    take(m)


@instruction(":", "a -- a a", Group.STACK, ["5 -- 5 5"])
def duplicate(m: Vocabulary) -> None:
    """Push the top once more."""
    a = take(m)
    give(m, [a, a])


@instruction("\\", "a b -- b a", Group.STACK, ["1 2 -- 2 1"])
def swap(m: Vocabulary) -> None:
    """Exchange the two on top."""
    b, a = take(m), take(m)
    give(m, [b, a])


@instruction("t", "-- n", Group.STACK, ["4 4 -- 4 4 2"])
def stack_size(m: Vocabulary) -> None:
    """Push how many values the stack held before this instruction."""
    give(m, [float(m.depth)])


@instruction("y", "i -- s", Group.STACK, ["7 8 9 -2 -- 7 8 9 9"])
def pick(m: Vocabulary) -> None:
    """Pop i, push value i counted from 0 at the bottom; a negative i counts from the top, i itself
    included. Where there is no value it is 0."""
    size = m.depth
    i = m.peek(0) if m.has(1) else 0.0
    value = m.chosen(m.stack(), i, size)
    take(m)
    give(m, [value])


@instruction("z", "a i --", Group.STACK, ["7 8 9 4 0 -- 4 8 9"])
def replace(m: Vocabulary) -> None:
    """Pop i, pop a, replace value i by a; i as for `y`. Where there is no value nothing happens."""
    size = m.depth
    i, value = take(m), take(m)
    _store(m, index_of(m, i, size), value)


def _store(m: Vocabulary, at: float, value: Any) -> None:
    index = within(at, m.depth)
    if index is not None:
        m.poke(m.depth - 1 - index, value)


@instruction("p", "i n -- s...", Group.STACK, ["7 8 9 0 2 -- 7 8 9 7 8"])
def pick_vector(m: Vocabulary) -> None:
    """Pop n, pop i, push the n values from value i on, one by one; i as for `y`."""
    size = m.depth
    old = list(m.stack()) if size > 1 else [0.0] * (2 - size) + list(m.stack())
    n, i = take_length(m), take(m)
    left = m.depth
    if left + n > STACK_LIMIT:
        overflow(m)
    # A value pushed here covers what stood in its place: operands are read until then.
    for offset in range(n):
        m.push(m.chosen(old, i, size, offset))
        old[left + offset : left + offset + 1] = [m.peek(0)]


@instruction("s", "a... i n --", Group.STACK, ["7 8 9 4 5 1 2 -- 7 4 5"])
def replace_vector(m: Vocabulary) -> None:
    """Pop n, pop i, pop n values and store them from value i on; i as for `y`."""
    size = m.depth
    n, i = take_length(m), take(m)
    first = index_of(m, i, size)
    for offset, value in enumerate(take_vector(m, n)):
        _store(m, first + offset, value)


# Registers


def address(m: Vocabulary, register: Any, offset: int = 0) -> int | None:
    """The slot of a register in the one row that all share; None if there is no such slot."""
    slot = whole(m.known(register) * SLOTS_PER_REGISTER + offset)
    return slot if slot is not None and 0 <= slot < REGISTER_SLOTS else None


def load(m: Vocabulary, slot: int | None) -> Any:
    return 0.0 if slot is None else m.register(slot)


@instruction("&", "r -- a", Group.MEMORY, ["92.2&@ => stack: [0, 0, 64, 36, 0, 9]"])
def load_register(m: Vocabulary) -> None:
    """Pop r, push the value of register r."""
    give(m, [load(m, address(m, take(m)))])


@instruction(".", "a r --", Group.MEMORY, ["92.2&@ => stack: [0, 0, 64, 36, 0, 9]"])
def store_register(m: Vocabulary) -> None:
    """Pop r, pop a, store a in register r."""
    register, value = take(m), take(m)
    slot = address(m, register)
    if slot is not None:
        m.set_register(slot, value)


@instruction("i", "r n -- a...", Group.MEMORY, ["5602o 03i@ => stack: [0, 0, 64, 36, 0, 5, 6, 0]"])
def load_vector(m: Vocabulary) -> None:
    """Pop n, pop r, push n values from register r on; each register has 8 slots, then comes the
    next."""
    n, register = take_length(m), take(m)
    give(m, [load(m, address(m, register, offset)) for offset in range(n)])


@instruction("o", "a... r n --", Group.MEMORY, ["5602o 0&@ => stack: [0, 0, 64, 36, 0, 5]"])
def store_vector(m: Vocabulary) -> None:
    """Pop n, pop r, pop n values and store them from register r on."""
    n, register = take_length(m), take(m)
    for offset, value in enumerate(take_vector(m, n)):
        slot = address(m, register, offset)
        if slot is not None:
            m.set_register(slot, value)


# Motion


@instruction(
    {">": EAST, "v": SOUTH, "<": WEST, "^": NORTH},
    "",
    Group.MOTION,
    ["v\n@ => ip: [0, 1]"],
    {">": "Head right.", "v": "Head down.", "<": "Head left.", "^": "Head up."},
)
def go(m: Vocabulary, delta: tuple[float, float]) -> None:
    """Head that way."""
    m.turn(*delta)


def turn_left(m: Vocabulary) -> None:
    _, _, dx, dy, _ = m.stance
    m.turn(dy, 0.0 - dx)


def turn_right(m: Vocabulary) -> None:
    _, _, dx, dy, _ = m.stance
    m.turn(0.0 - dy, dx)


def reflect(m: Vocabulary) -> None:
    _, _, dx, dy, _ = m.stance
    m.turn(0.0 - dx, 0.0 - dy)


@instruction(
    {"[": turn_left, "]": turn_right, "r": reflect},
    "",
    Group.MOTION,
    ["]\n@ => ip: [0, 1]"],
    {
        "[": "Turn left, as seen from above.",
        "]": "Turn right, as seen from above.",
        "r": "Turn round.",
    },
)
def turn(m: Vocabulary, way: Any) -> None:
    """Turn left (`[`), right (`]`) or round (`r`), as seen from above."""
    way(m)


@instruction("x", "x y --", Group.MOTION, ["02x\n\n  @ => ip: [2, 2]"])
def set_delta(m: Vocabulary) -> None:
    """Pop y, pop x, move by (x, y) from now on; any numbers."""
    y, x = take(m), take(m)
    m.turn(m.known(x) + 0.0, m.known(y) + 0.0)


@instruction("?", "", Group.MOTION, ["? => status: limit"])
def go_away(m: Vocabulary) -> None:
    """Head east, south, west or north, by chance."""
    m.turn(*(EAST, SOUTH, WEST, NORTH)[m.known(m.draw() & 3)])


@instruction("#", "", Group.MOTION, ["#7@ => stack: [0, 0, 64, 36, 0]"])
def trampoline(m: Vocabulary) -> None:
    """Jump over the next cell."""
    m.move()


@instruction("j", "n --", Group.MOTION, ["2j789@ => stack: [0, 0, 64, 36, 0, 9]"])
def jump_forward(m: Vocabulary) -> None:
    """Pop n, move n times forward; a fraction counts up."""
    n = rounded_up(m, take(m))
    if n > PATIENCE:
        m.give_up()
    walk(m, int(n))


@instruction(";", "", Group.MOTION, ["1;9;2@ => stack: [0, 0, 64, 36, 0, 1, 2]"])
def jump_over(m: Vocabulary) -> None:
    """Execute nothing up to the next `;`."""
    start = mark = m.stance
    for moves in range(1, PATIENCE + 1):
        m.move()
        if m.plane.at(m.stance.x, m.stance.y) == ord(";"):
            m.effort(moves)
            return
        if m.stance == mark:
            break  # round the whole line, which is empty
        if moves & (moves - 1) == 0:
            mark = m.stance
    m.go(start.x, start.y)
    m.give_up()


@instruction("=", "x y --", Group.MOTION, ["40=@5@ => stack: [0, 0, 64, 36, 0, 5]"])
def jump_to(m: Vocabulary) -> None:
    """Pop y, pop x, go on at (x, y)."""
    y, x = m.known(take(m)), m.known(take(m))
    m.go(x - m.stance.dx, y - m.stance.dy)


@instruction("u", "", Group.MOTION, ["1v\n@>7u8 => stack: [0, 0, 64, 36, 0, 1, 7]"])
def wrap(m: Vocabulary) -> None:
    """Go back along the line to its edge; the first cell of the line comes next."""
    step_back_to_edge(m)


@instruction("l", "", Group.MOTION, ["12l\n@ => stack: [0, 0, 64, 36, 0, 1, 2]"])
def line_return(m: Vocabulary) -> None:
    """One move to the right of the heading, then back to the edge, like a new line."""
    step_aside(m)
    step_back_to_edge(m)


@instruction("{", "x y --", Group.MOTION, ["01{8@\n7} => stack: [0, 0, 64, 36, 0, 7, 8]"])
def call(m: Vocabulary) -> None:
    """Pop y, pop x, go on at (x, y) heading east, and remember where to return to."""
    y, x = m.known(take(m)), m.known(take(m))
    m.call(m.stance)
    m.turn(*EAST)
    m.go(x - 1, y)


@instruction("}", "", Group.MOTION, ["01{8@\n7} => stack: [0, 0, 64, 36, 0, 7, 8]"])
def return_from_call(m: Vocabulary) -> None:
    """Go on behind the last `{` that was not returned from; turn round if there is none."""
    caller = m.returned()
    if caller is None:
        reflect(m)
    else:
        m.turn(caller.dx, caller.dy)
        m.go(caller.x, caller.y)


@instruction("k", "n --", Group.MOTION, ["3k5@ => stack: [0, 0, 64, 36, 0, 5, 5, 5]"])
def iterate(m: Vocabulary) -> None:
    """Pop n, then execute the next cell's instruction n times instead of once, each time from
    where the last one led; a fraction counts up, and none skips the cell."""
    times = rounded_up(m, take(m))
    m.move()
    if times:
        mode, code = mode_of(m.stance), m.plane.at(m.stance.x, m.stance.y)
        m.enter(mode._replace(rounds=(*mode.rounds, (code, times))))


# Branches


@instruction("_", "b --", Group.BRANCH, ["#@1_ => delta: [-1, 0]"])
def west_east(m: Vocabulary) -> None:
    """Pop b, head west if it is true, else east."""
    m.turn(*(WEST if truth(take(m)) else EAST))


@instruction("|", "b --", Group.BRANCH, ["0|\n @ => ip: [1, 1]"])
def north_south(m: Vocabulary) -> None:
    """Pop b, head north if it is true, else south."""
    m.turn(*(NORTH if truth(take(m)) else SOUTH))


@instruction("w", "a b --", Group.BRANCH, ["21w\n  @ => ip: [2, 1]"])
def compare(m: Vocabulary) -> None:
    """Pop b, pop a, turn right if a > b, left if a < b, else go straight on."""
    b, a = take(m), take(m)
    if a > b:
        turn_right(m)
    elif a < b:
        turn_left(m)


# Code space, semantics, output, end


@instruction("g", "x y -- c", Group.MEMORY, ["60g@  A => stack: [0, 0, 64, 36, 0, 65]"])
def get_code(m: Vocabulary) -> None:
    """Pop y, pop x, push the code of the cell at (x, y), 0 where there is none."""
    y, x = take(m), take(m)
    give(m, [m.look(x, y)])


LOADABLE = {float(ord(name)): name for name in "mVM"}


@instruction("(", "c --", Group.MODE, ["34'V(2L@ => stack: [0, 0, 64, 36, 0, 5]"])
def load_semantics(m: Vocabulary) -> None:
    """Pop c, load the semantics of that letter (`m`, `V` or `M`); turn round if there is none."""
    name = LOADABLE.get(m.known(take(m)))
    if name is None:
        reflect(m)
    else:
        mode = mode_of(m.stance)
        m.enter(mode._replace(loaded=(*mode.loaded, name)))


@instruction(")", "", Group.MODE, [")#@5S => delta: [-1, 0]"])
def unload_semantics(m: Vocabulary) -> None:
    """Remove the semantics that were loaded last, the initial `m` too."""
    mode = mode_of(m.stance)
    m.enter(mode._replace(loaded=mode.loaded[:-1]))


@instruction(",", "a --", Group.INPUT_OUTPUT, ["7,@ => log: [7]"])
def log_value(m: Vocabulary) -> None:
    """Pop a and note it in the log of this pixel."""
    m.note(take(m))


@instruction("q", "", Group.INPUT_OUTPUT, ["q@ => log: [[0, 0, 64, 36, 0]]"])
def log_stack(m: Vocabulary) -> None:
    """Note the whole stack in the log of this pixel, bottom first."""
    m.note(list(m.stack()))


@instruction("@", "", Group.END, ["@ => status: halted"])
def stop(m: Vocabulary) -> None:
    """End. The three values on top are red, green and blue, blue on top, from 0 to 1."""
    m.halt()


@instruction(" hm~", "", Group.NOTHING, ["1 2@ => stack: [0, 0, 64, 36, 0, 1, 2]"])
def nothing(m: Vocabulary) -> None:
    """Do nothing. So does every character that is not in these tables, capital letters aside."""


def push_code(m: Vocabulary, code: int) -> None:
    """In a string: push the code of this cell."""
    give(m, [float(code)])
