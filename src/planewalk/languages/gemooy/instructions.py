"""Every instruction of Gemooy, said once. A cell is blank (0), `#` (1) or `@` (2)."""

from __future__ import annotations

from ...core.geometry import COMPASS, Heading
from ...core.instruction import Group, InstructionTable
from ...core.vocabulary import Vocabulary

TABLE = InstructionTable("gemooy")
instruction = TABLE.instruction

BLANK, HASH, AT = 0, 1, 2
SYMBOLS = " #@"

_ROUND = list(COMPASS)
CLOCKWISE: dict[Heading, Heading] = {way: _ROUND[(i + 1) % 8] for i, way in enumerate(_ROUND)}
COUNTERCLOCKWISE: dict[Heading, Heading] = {way: _ROUND[i - 1] for i, way in enumerate(_ROUND)}


@instruction(
    "@",
    "",
    Group.BRANCH,
    ["$\n @ % => dir: [0, 1]", "#$\n  @ => dir: [1, 0]", "@$\n  @ => dir: [1, 1]"],
)
def turn(m: Vocabulary) -> None:
    """Turn 45 degrees: clockwise if the cell at the data pointer is blank, counterclockwise if it
    is `#`, not at all if it is `@`."""
    _, _, dx, dy, _ = m.stance
    cell = m.cell(m.hand_x, m.hand_y)
    if cell == BLANK:
        m.turn(*CLOCKWISE[dx, dy])
    elif cell == HASH:
        m.turn(*COUNTERCLOCKWISE[dx, dy])


@instruction(
    "#",
    "",
    Group.MEMORY,
    [
        "$\n # % => cells: [[1, 1, '#'], [3, 1, '@']]",
        "#\n $  #\n  @@ => cells: [[0, 0, '@'], [4, 1, '#'], [2, 2, '@'], [3, 2, '@']]",
        "#$\n  @# => dp: [1, 0]",
        "$ %\n @\n # => ip: [1, 4]",
    ],
)
def handle(m: Vocabulary) -> None:
    """Heading north, east, south or west: move the data pointer one cell that way and skip the
    next cell. Heading northeast or northwest: increment the cell at the data pointer (blank, `#`,
    `@`, blank). Heading southeast or southwest: decrement it."""
    _, _, dx, dy, _ = m.stance
    x, y = m.hand_x, m.hand_y
    if dx == 0 or dy == 0:
        m.reach(x + dx, y + dy)
        m.move()
    else:
        m.put(x, y, (m.cell(x, y) - dy) % 3)


@instruction(" ", "", Group.NOTHING, ["$\n x\n  @ % => steps: 3"])
def nothing(m: Vocabulary) -> None:
    """Do nothing. Every other character of the source is a blank too."""
