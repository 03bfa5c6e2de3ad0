"""Every instruction of BMProg, said once. Signals in one cell act together.

Cells are known by the letters of text boards (see `text.py`): `^ < > v` directions, `*` split,
`#` void, `.` empty, `:` comment, `?` any other colour.
"""

from __future__ import annotations

from ...core.geometry import DOWN, LEFT, RIGHT, UP, Heading, Stance
from ...core.instruction import Group, InstructionTable
from ...core.vocabulary import Vocabulary

TABLE = InstructionTable("bmprog")
instruction = TABLE.instruction

MOVING, HELD, WAITING = "moving", "held", "waiting"
"""Modes of a signal. A held one was split in this cycle; it waits from the end of it on."""


@instruction(
    {"^": UP, "<": LEFT, ">": RIGHT, "v": DOWN},
    "",
    Group.MOTION,
    ["v.\n>. => value: 1", ">.< => status: limit", ".v.\nv*v\n>^<\n.>. => value: 4"],
    {
        sign: f"{colour}: one signal goes on {way}. Several become a single one that goes {back}."
        for sign, colour, way, back in (
            ("^", "Red", "up", "down"),
            ("<", "Green", "left", "right"),
            (">", "Blue", "right", "left"),
            ("v", "Magenta", "down", "up"),
        )
    },
)
def steer(m: Vocabulary, heading: Heading) -> None:
    """One signal goes on the way the cell says: red up, green left, blue right, magenta down.
    Several become a single one that goes the opposite way."""
    dx, dy = heading
    if len(m.met) > 1:
        dx, dy = -dx, -dy
    x, y = m.stance.x, m.stance.y
    m.become([Stance(x, y, dx, dy, MOVING)])


@instruction(
    "*", "", Group.WALKERS, ["*.\n>. => value: 1", "*.\n>. => steps: 5", "v.\n*. => value: 1"]
)
def split(m: Vocabulary) -> None:
    """Cyan: signals that go up or down become two that go left and right, signals that go left or
    right become two that go up and down. The new ones wait for one cycle, then leave."""
    x, y = m.stance.x, m.stance.y
    signals = [stance._replace(mode=MOVING) for stance in m.met if stance.mode == WAITING]
    fresh = [stance for stance in m.met if stance.mode == MOVING]
    if any(stance.dy for stance in fresh):
        signals += [Stance(x, y, *heading, HELD) for heading in (LEFT, RIGHT)]
    if any(stance.dx for stance in fresh):
        signals += [Stance(x, y, *heading, HELD) for heading in (UP, DOWN)]
    m.become(signals)


@instruction("#", "", Group.END, ["#. => status: stalled", "#. => steps: 2"])
def void(m: Vocabulary) -> None:
    """Black: destroys every signal in it."""
    m.become([])


@instruction(
    ".:?",
    "",
    Group.NOTHING,
    [".. => status: halted", ".:? => steps: 4"],
    {
        ".": "White, an empty cell: signals pass, through each other too.",
        ":": "Yellow, a comment: signals pass, through each other too.",
        "?": "A colour without a meaning: signals pass, through each other too.",
    },
)
def nothing(m: Vocabulary) -> None:
    """White, yellow (a comment) and every other colour: signals pass, through each other too."""
