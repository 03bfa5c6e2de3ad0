"""Every instruction of Refunge, said once.

All cursors see the field as it was before the step. What they want to change they wish for;
`settle` in `rules.py` makes all wishes of a step come true at once.
"""

from __future__ import annotations

from ...core.geometry import DOWN, LEFT, RIGHT, UP, Heading
from ...core.instruction import Group, InstructionTable
from ...core.vocabulary import Vocabulary

TABLE = InstructionTable("refunge")
instruction = TABLE.instruction

NONE, ADD, SUBTRACT, INPUT, OUTPUT, CLEAR = "none", "add", "subtract", "input", "output", "clear"
REACH = "reach"

STAY: Heading = (0, 0)

MIRRORS: dict[str, dict[Heading, Heading]] = {
    "/": {UP: RIGHT, DOWN: LEFT, LEFT: DOWN, RIGHT: UP},
    "\\": {UP: LEFT, DOWN: RIGHT, LEFT: UP, RIGHT: DOWN},
    "|": {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT},
}
FORKS: dict[Heading, tuple[Heading, Heading]] = {
    UP: (RIGHT, LEFT),
    DOWN: (LEFT, RIGHT),
    LEFT: (UP, DOWN),
    RIGHT: (DOWN, UP),
}


MODES = {"~": NONE, "+": ADD, "-": SUBTRACT, "?": INPUT, "!": OUTPUT}
DEEDS = {
    NONE: "do nothing more",
    ADD: "add the cell it left to the cell it reached",
    SUBTRACT: "subtract the cell it left from the cell it reached",
    INPUT: "read a byte into the cell it reached",
    OUTPUT: "write the cell it left",
}
MOVES = {
    ">": "Move the data pointer right",
    "v": "Move the data pointer down",
    "<": "Move the data pointer left",
    "^": "Move the data pointer up, out of the plane with the cursor if it is in the top row",
    "X": "Leave the data pointer where it is",
}


@instruction(
    MODES,
    "",
    Group.MODE,
    ["!X~X^ => !", "+X!^ => V", "-<!X~^r => E", "?X!^ => ?"],
    {
        sign: f"Set the data mode to {mode}: moves of the data pointer {DEEDS[mode]}."
        for sign, mode in MODES.items()
    },
)
def set_mode(m: Vocabulary, mode: str) -> None:
    """Set the data mode: none (`~`), add (`+`), subtract (`-`), input (`?`) or output (`!`)."""
    m.enter(mode)


@instruction("*", "", Group.MODE, ["!*^ => !"])
def set_clear_mode(m: Vocabulary) -> None:
    """Nothing. With the option `clear-mode`: set the data mode to clear, which stores 0."""
    if m.option("clear-mode"):
        m.enter(CLEAR)


@instruction(
    {">": RIGHT, "v": DOWN, "<": LEFT, "^": UP, "X": STAY},
    "",
    Group.MEMORY,
    ["!>>^ => !>>", "+>!^ => i", "!X^ => !!", "v<^^ => steps: 4"],
    {
        sign: f"{move}; then, as the data mode says, add the cell it left to the cell it "
        "reached, subtract it from that, read a byte into that, or write the cell it left."
        for sign, move in MOVES.items()
    },
)
def carry(m: Vocabulary, way: Heading) -> None:
    """Move the data pointer right, down, left, up, or not at all (`X`), and perform the data
    operation of the current mode from the cell it left (source) to the cell it reached
    (destination): add, subtract, read a byte into the destination, write the source's byte.
    Above the top row the cursor is removed; only its output still happens."""
    x, y, mode, plane = m.hand_x, m.hand_y, m.stance.mode, m.plane
    if mode == OUTPUT:
        m.wish((OUTPUT, m.cell(x, y)))
    to_x, to_y = (x + way[0]) % plane.width, y + way[1]
    if to_y < 0:
        m.vanish()
        return
    m.reach(to_x, to_y)
    if to_y >= plane.height:
        m.wish((REACH, to_y))
    if mode == ADD:
        m.wish((ADD, to_x, to_y, m.cell(x, y)))
    elif mode == SUBTRACT:
        m.wish((ADD, to_x, to_y, -m.cell(x, y)))
    elif mode in (INPUT, CLEAR):
        m.wish((mode, to_x, to_y))


@instruction(
    MIRRORS,
    "",
    Group.MOTION,
    ["!\\\n ^ => !", "!\\\n^/ => !", "!|.^ => !"],
    {
        "/": "Turn like light at a mirror: heading right becomes up.",
        "\\": "Turn like light at a mirror: heading right becomes down.",
        "|": "Turn right round.",
    },
)
def mirror(m: Vocabulary, image: dict[Heading, Heading]) -> None:
    """Turn: at `/` and `\\` like light at a mirror, at `|` right round."""
    _, _, dx, dy, _ = m.stance
    m.turn(*image[dx, dy])


@instruction("#", "", Group.MOTION, ["!#>^ => !"])
def jump(m: Vocabulary) -> None:
    """Jump over the next cell."""
    m.move()


@instruction("@", "", Group.BRANCH, ["!@>^ => !@", "v@!^^ => steps: 4"])
def jump_if_zero(m: Vocabulary) -> None:
    """Jump over the next cell if the cell under the data pointer is zero."""
    if m.cell(m.hand_x, m.hand_y) == 0:
        m.move()


@instruction("Y", "", Group.WALKERS, ["!\\\n Y^ => !!"])
def fork(m: Vocabulary) -> None:
    """Split the cursor in two that head to its left and right; data pointer and mode are copied."""
    _, _, dx, dy, _ = m.stance
    first, second = FORKS[dx, dy]
    m.turn(*first)
    m.twin(*second)


@instruction(" ", "", Group.NOTHING, ["! ^ => !"])
def nothing(m: Vocabulary) -> None:
    """Do nothing. So does every value that is no instruction."""
