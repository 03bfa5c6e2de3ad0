"""Every instruction of Mirrorfunge, said once.

An instruction that finds too few operands does nothing and pops nothing, so each asks first.
"""

from __future__ import annotations

import re

from ...core.geometry import DOWN, LEFT, RIGHT, UP, Heading
from ...core.instruction import Group, InstructionTable
from ...core.vocabulary import Vocabulary

TABLE = InstructionTable("mirrorfunge")
instruction = TABLE.instruction

SLASH = {UP: RIGHT, RIGHT: UP, DOWN: LEFT, LEFT: DOWN}
BACKSLASH = {UP: LEFT, LEFT: UP, DOWN: RIGHT, RIGHT: DOWN}
ARROWS = {">": RIGHT, "v": DOWN, "<": LEFT, "^": UP}
NAMES = {RIGHT: "right", DOWN: "down", LEFT: "left", UP: "up"}


# Control flow


@instruction(
    {"/": SLASH, "\\": BACKSLASH}, "", Group.MOTION, ["\\\n5\n.\n@ => 5", "/\n@\n.\n5 => 5"]
)
def mirror(m: Vocabulary, image: dict[Heading, Heading]) -> None:
    """Turn like light at a mirror that stands the way the sign is drawn."""
    _, _, dx, dy, _ = m.stance
    m.turn(*image[dx, dy])


@instruction("x", "", Group.MOTION, ["#@1x => stack: ['1', '1']"])
def turn_back(m: Vocabulary) -> None:
    """Turn round."""
    _, _, dx, dy, _ = m.stance
    m.turn(-dx, -dy)


@instruction(
    ARROWS,
    "from the point: x --",
    Group.BRANCH,
    [
        "v\n5\n.\n@ => 5",
        ">@1 => stack: ['1']",
        "0<@\n 7\n .\n @ => 7",
        "1<@\n @\n .\n 7 => 7",
    ],
    {
        sign: f"From the sides: go {NAMES[way]}. Heading {NAMES[way]}: turn round. Heading "
        f"{NAMES[-way[0], -way[1]]}, at its point: pop x and split, {split}; an empty stack "
        "counts as 0."
        for sign, way in ARROWS.items()
        for split in ["down if x is 0, else up" if way[0] else "right if x is 0, else left"]
    },
)
def arrow(m: Vocabulary, heading: Heading) -> None:
    """From the sides: go the way it points. From behind: turn round. Met at its point: pop x and
    split, right (`^`, `v`) or down (`<`, `>`) if x is 0, else left or up. An empty stack counts
    as 0."""
    ax, ay = heading
    _, _, dx, dy, _ = m.stance
    if (dx, dy) == heading:
        m.turn(-dx, -dy)
    elif (dx, dy) != (-ax, -ay):
        m.turn(ax, ay)
    else:
        zero = not m.has(1) or m.pop() == 0
        if ax == 0:
            m.turn(*(RIGHT if zero else LEFT))
        else:
            m.turn(*(DOWN if zero else UP))


@instruction("#", "", Group.MOTION, ["12#34...@ => 421"])
def skip(m: Vocabulary) -> None:
    """Skip over the next cell, round the edge if need be."""
    m.move()


@instruction("@", "", Group.END, ["1.@2. => 1"])
def end(m: Vocabulary) -> None:
    """End the program. Counts as a step, and the pointer stays here."""
    m.halt()


# Input and output

NUMBER = re.compile(rb"[\t\n\v\f\r ]*(([+-]*)([0-9]*))")


@instruction("&", "-- n", Group.INPUT_OUTPUT, ["&2@1 => stack: ['1']"])
def read_number(m: Vocabulary) -> None:
    """Skip white space, read signs and digits, push the number; an odd number of `-` negates, and
    without a digit it is 0. At the end of input turn round instead and push nothing."""
    found = m.scan(NUMBER)
    if not found[1] and m.input_ended:
        turn_back(m)
        return
    magnitude = m.numeral(found[3])
    m.push(-magnitude if found[2].count(b"-") % 2 else magnitude)


@instruction("~", "-- c", Group.INPUT_OUTPUT, ["~.@ => -1"])
def read_byte(m: Vocabulary) -> None:
    """Read one byte and push it; -1 at the end of input, again and again."""
    m.push(m.read_byte())


@instruction("=", "", Group.INPUT_OUTPUT, ["123=@ => [1, 2, 3]\n"])
def dump(m: Vocabulary) -> None:
    """Print the whole stack as `[a, b, c]`, bottom first, and a newline."""
    m.write_numbers(m.stack(), b"[", b", ", b"]\n")


@instruction(",", "x --", Group.INPUT_OUTPUT, ["88*1+,@ => A"])
def print_character(m: Vocabulary) -> None:
    """Pop x, print it as a character: one byte up to 255, UTF-8 for other characters, and the
    byte x mod 256 for what is no character."""
    if not m.has(1):
        return
    x = m.pop()
    if 255 < x < 0xD800 or 0xDFFF < x < 0x110000:
        m.write(chr(m.known(x)).encode())
    else:
        m.write_byte(x % 256)


@instruction(".", "x --", Group.INPUT_OUTPUT, ["67*.@ => 42"])
def print_number(m: Vocabulary) -> None:
    """Pop x, print it as a number, with nothing before or after it."""
    if not m.has(1):
        return
    m.write_number(m.peek(0))  # before popping: a number can be too long for the memory limit
    m.pop()


# Strings and literals


@instruction('"', "", Group.MODE, ['"iH",,@ => Hi'])
def toggle_string(m: Vocabulary) -> None:
    """Begin a string, or end it. Inside, every cell but `"` pushes its code, blanks too."""
    m.enter(not m.stance.mode)


@instruction(
    {digit: value for value, digit in enumerate("0123456789abcdef")},
    "-- n",
    Group.LITERAL,
    ["f.@ => 15"],
)
def number(m: Vocabulary, n: int) -> None:
    """Push the digit's value; `a` to `f` are 10 to 15."""
    m.push(n)


# Operations


@instruction(
    {")": 1, "(": -1},
    "x -- x±1",
    Group.ARITHMETIC,
    ["7)8(..@ => 78"],
    {")": "Pop x, push x+1.", "(": "Pop x, push x-1."},
)
def count(m: Vocabulary, by: int) -> None:
    """Pop x, push x+1 (`)`) or x-1 (`(`)."""
    if m.has(1):
        m.push(m.pop() + by)


@instruction("!", "x -- x=0", Group.LOGIC, ["0 -- 1", "5 -- 0"])
def logical_not(m: Vocabulary) -> None:
    """Pop x, push 1 if it is 0, else 0."""
    if m.has(1):
        m.push(m.number(m.pop() == 0))


@instruction("+", "y x -- y+x", Group.ARITHMETIC, ["3 2 -- 5"])
def add(m: Vocabulary) -> None:
    """Pop x, pop y, push y+x."""
    if m.has(2):
        x, y = m.pop(), m.pop()
        m.push(y + x)


@instruction("-", "y x -- y-x", Group.ARITHMETIC, ["3 2 -- 1"])
def subtract(m: Vocabulary) -> None:
    """Pop x, pop y, push y-x."""
    if m.has(2):
        x, y = m.pop(), m.pop()
        m.push(y - x)


@instruction("*", "y x -- y*x", Group.ARITHMETIC, ["3 2 -- 6"])
def multiply(m: Vocabulary) -> None:
    """Pop x, pop y, push y*x. Numbers never overflow."""
    if m.has(2):
        product = m.times(m.peek(1), m.peek(0))  # before popping: it can be too long for memory
        m.pop()
        m.poke(0, product)


@instruction("|", "y x -- y/x", Group.ARITHMETIC, ["7 2 -- 3", "-7 2 -- -3", "7 0 -- 0"])
def divide(m: Vocabulary) -> None:
    """Pop x, pop y, push y/x cut off towards zero; 0 if x is 0."""
    if m.has(2):
        x = m.peek(0)
        share = 0 if x == 0 else m.quotient(m.peek(1), x)  # before popping: it can take too long
        m.pop()
        m.poke(0, share)


@instruction("`", "y x -- y>x", Group.LOGIC, ["3 2 -- 1", "2 3 -- 0"])
def greater(m: Vocabulary) -> None:
    """Pop x, pop y, push 1 if y > x, else 0."""
    if m.has(2):
        x, y = m.pop(), m.pop()
        m.push(m.number(y > x))


@instruction("?", "y x -- r", Group.ARITHMETIC, ["7 7 -- 7"])
def random_between(m: Vocabulary) -> None:
    """Pop x, pop y, push a random number between the smaller and the larger, both included."""
    if m.has(2):
        x, y = m.peek(0), m.peek(1)
        least, most = (x, y) if x < y else (y, x)
        drawn = least + m.below(most - least + 1)  # before popping: it can take too long
        m.pop()
        m.poke(0, drawn)


# Stack management


@instruction(":", "x -- x x", Group.STACK, ["5 -- 5 5"])
def duplicate(m: Vocabulary) -> None:
    """Push the top once more."""
    if m.has(1):
        m.push(m.peek(0))


@instruction(";", "y x -- x y", Group.STACK, ["1 2 -- 2 1"])
def swap(m: Vocabulary) -> None:
    """Exchange the two on top."""
    if m.has(2):
        x, y = m.pop(), m.pop()
        m.push(x)
        m.push(y)


@instruction("$", "x --", Group.STACK, ["1 2 -- 1"])
def drop(m: Vocabulary) -> None:
    """Pop x and forget it."""
    if m.has(1):
        m.pop()


@instruction("r", "... x -- ... v", Group.STACK, ["3 5 7 9 11 3 -- 3 7 9 11 5"])
def retrieve(m: Vocabulary) -> None:
    """Pop x, move the xth value (0 is the top then) up to the top. Out of range: only pop."""
    if m.has(1):
        x = m.pop()
        if x >= 0 and m.has(x + 1):
            m.push(m.pluck(x))


@instruction("s", "... x -- ...", Group.STACK, ["3 5 7 9 11 3 -- 3 11 7 9 5"])
def swap_with(m: Vocabulary) -> None:
    """Pop x, exchange the xth value (0 is the top then) with the top. Out of range: only pop."""
    if m.has(1):
        x = m.pop()
        if x >= 0 and m.has(x + 1):
            top = m.peek(0)
            m.poke(0, m.peek(x))
            m.poke(x, top)


@instruction("g", "... x -- ... v", Group.STACK, ["3 5 7 9 11 3 -- 3 5 7 9 11 5"])
def get(m: Vocabulary) -> None:
    """Pop x, push a copy of the xth value (0 is the top then). Out of range: only pop."""
    if m.has(1):
        x = m.pop()
        if x >= 0 and m.has(x + 1):
            m.push(m.peek(x))


@instruction(" ", "", Group.NOTHING, ["1 2 +.@ => 3"])
def nothing(m: Vocabulary) -> None:
    """Do nothing. So does every character that is no instruction."""


def push_cell(m: Vocabulary) -> None:
    """In a string: push the code of this cell."""
    x, y, _, _, _ = m.stance
    m.push(m.cell(x, y))
