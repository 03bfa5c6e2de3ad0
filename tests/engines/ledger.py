"""Ledger, a language for tests: cells hold whole numbers of any size, below zero as well.

The pointer walks round a sheet of 16 by 8 places and works on the cell under its hand, or, without
a hand, on a fixed place that depends on its heading. Everything may be written over, code as well.
"""

from collections.abc import Callable
from typing import Any

from planewalk.core.geometry import DOWN, LEFT, RIGHT, UP, Stance
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.plane import ANY_NUMBER, BytePlane, SparsePlane
from planewalk.core.state import State, Walker

WIDTH, HEIGHT = 16, 8
TABLE = InstructionTable("ledger")
instruction = TABLE.instruction

LARGE = {"B": 2**64 + 12_345, "N": -(2**70), "M": 2**63 - 1, "L": -(2**63), "K": 300, "m": -1}


def place(m: Any) -> tuple[Any, Any]:
    """The cell to work on."""
    if m.option("hand"):
        return m.hand_x, m.hand_y
    return 9 + m.stance.dx, 5 + m.stance.dy


def read(m: Any) -> Any:
    return m.cell(*place(m))


def write(m: Any, x: Any, y: Any, value: Any) -> None:
    """Store what the plane can hold of a number."""
    if m.option("plane") == "bytes":
        value %= 256
    elif m.option("plane") == "narrow":
        value = (value + 9) % 140 - 9
    m.put(x, y, value)


@instruction({"l": RIGHT, "j": DOWN, "h": LEFT, "k": UP})
def reach(m: Any, way: Any) -> None:
    if m.option("hand"):
        m.reach((m.hand_x + way[0]) % WIDTH, (m.hand_y + way[1]) % HEIGHT)


@instruction("d")
def divide_by_cell(m: Any) -> None:
    cell = read(m)
    if m.has(1) and cell != 0:
        m.push(m.quotient(m.pop(), cell))


@instruction("/")
def divide_by_what_is_not_below_one(m: Any) -> None:
    cell = read(m)
    if m.has(1) and cell > 0:
        m.push(m.pop() // cell - m.pop() % cell if m.has(2) else m.pop() // cell)


@instruction("?")
def turn_by_sign(m: Any) -> None:
    cell = read(m)
    if cell < 0:
        m.turn(*UP)
    elif cell > 255:
        m.turn(*DOWN)


@instruction("b")
def print_byte(m: Any) -> None:
    cell = read(m)
    if 0 <= cell <= 255:
        m.write_byte(cell)


@instruction("G")
def get_anywhere(m: Any) -> None:
    if m.has(2):
        y, x = m.pop(), m.pop()
        m.push(m.cell(x % WIDTH, y % HEIGHT))


@instruction("P")
def put_anywhere(m: Any) -> None:
    if m.has(3):
        y, x = m.pop(), m.pop()
        write(m, x % WIDTH, y % HEIGHT, m.pop())


ACTS: dict[str, Callable[[Any], Any]] = {
    "$": lambda m: m.pop() if m.has(1) else None,
    "g": lambda m: m.push(read(m)),
    "p": lambda m: write(m, *place(m), m.pop()) if m.has(1) else None,
    "s": lambda m: m.push(m.pop() + read(m)) if m.has(1) else None,
    "w": lambda m: write(m, *place(m), 2 * read(m) + 1),
    "n": lambda m: write(m, *place(m), -read(m)),
    "z": lambda m: write(m, *place(m), read(m) >> 1),
    "i": lambda m: write(m, *place(m), read(m) + 1),
    "c": lambda m: write(m, *place(m), 0),
    "x": lambda m: m.push(m.times(m.pop(), read(m)) % 10**25) if m.has(1) else None,
    "!": lambda m: None if read(m) else m.move(),
    ".": lambda m: m.write_number(read(m)),
    "f": lambda m: write(m, 3, 2, m.cell(4, 2) - 7),
    "F": lambda m: write(m, 4, 2, m.cell(4, 2) + 10**9),
    "@": lambda m: m.halt(),
    " ": lambda m: None,
}
WITH_VALUES: list[tuple[dict[str, Any], Callable[[Any, Any], Any]]] = [
    ({">": RIGHT, "v": DOWN, "<": LEFT, "^": UP}, lambda m, heading: m.turn(*heading)),
    ({**{str(n): n for n in range(10)}, **LARGE}, lambda m, n: m.push(n)),
]
for codes, act in [*ACTS.items(), *WITH_VALUES]:
    instruction(codes)(act)


def decode(plane: Any, stance: Stance) -> Any:
    return TABLE.get(plane.cell(stance.x, stance.y)) or TABLE[ord(" ")]


def move(plane: Any, stance: Stance) -> Stance:
    x, y, dx, dy, mode = stance
    return Stance((x + dx) % WIDTH, (y + dy) % HEIGHT, dx, dy, mode)


def start(source: bytes, options: Any, seed: int) -> State:
    rows = [row.ljust(WIDTH)[:WIDTH] for row in source.decode().split("\n")]
    rows += [" " * WIDTH] * (HEIGHT - len(rows))
    cells = {(x, y): ord(rows[y][x]) for y in range(HEIGHT) for x in range(WIDTH)}
    if options["plane"] == "bytes":
        plane: Any = BytePlane(WIDTH, bytearray(map(cells.__getitem__, sorted(cells, key=_by_row))))
    else:
        holds = (-9, 130) if options["plane"] == "narrow" else ANY_NUMBER
        plane = SparsePlane({at: cell for at, cell in cells.items() if cell != 32}, holds)
    hand = (5, 5) if options["hand"] else None
    return State(plane, [Walker(Stance(0, 0, *RIGHT), hand)], options=options, seed=seed)


def _by_row(place: tuple[int, int]) -> tuple[int, int]:
    return place[1], place[0]


LANGUAGE = Language(
    name="ledger", title="Ledger", summary="", suffixes=(), table=TABLE, start=start,
    decode=decode, move=move, show=lambda state: {},
)  # fmt: skip
