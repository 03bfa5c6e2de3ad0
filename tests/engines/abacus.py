"""Abacus, a language for tests: registers that hold whole numbers, chance, and the tick."""

from array import array
from typing import Any

from planewalk.core.geometry import DOWN, LEFT, RIGHT, UP, Stance
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.plane import BytePlane, SparsePlane, TextPlane
from planewalk.core.state import State, Walker

WIDTH, HEIGHT = 12, 6
TABLE = InstructionTable("abacus")
instruction = TABLE.instruction

LARGE = {"L": 2**63 - 1, "M": -(2**63), "E": 2**70, "N": -(2**80)}


@instruction({">": RIGHT, "v": DOWN, "<": LEFT, "^": UP})
def head(m: Any, heading: Any) -> None:
    m.turn(*heading)


@instruction({**{str(n): n for n in range(10)}, **LARGE})
def number(m: Any, n: int) -> None:
    m.push(n)


@instruction("$")
def drop(m: Any) -> None:
    if m.has(1):
        m.pop()


@instruction({"a": "a", "b": "b", "c": "c"})
def fetch(m: Any, name: str) -> None:
    m.push(m.register(name))


@instruction({"A": "a", "B": "b", "C": "c"})
def store(m: Any, name: str) -> None:
    if m.has(1):
        m.set_register(name, m.pop())


@instruction("i")
def increase(m: Any) -> None:
    m.set_register("a", m.register("a") + 1)


@instruction("+")
def add(m: Any) -> None:
    m.set_register("a", m.register("a") + m.register("b"))


@instruction("-")
def subtract(m: Any) -> None:
    m.set_register("b", m.register("c") - m.register("a"))


@instruction("*")
def multiply(m: Any) -> None:
    m.set_register("c", m.times(m.register("a"), m.register("b")) % 10**30 - 10**9)


@instruction("/")
def divide(m: Any) -> None:
    if m.register("b") != 0:
        m.set_register("c", m.quotient(m.register("a"), m.register("b")))


@instruction("x")
def exchange(m: Any) -> None:
    a, b = m.register("a"), m.register("b")
    m.set_register("a", b)
    m.set_register("b", a)


@instruction("?")
def turn_by_register(m: Any) -> None:
    if m.register("a") > m.register("c"):
        m.set_register("c", m.register("c") + 5)
    elif m.register("a") < 0:
        m.turn(*DOWN)


@instruction("t")
def push_tick(m: Any) -> None:
    m.push(m.tick)


@instruction("T")
def add_tick(m: Any) -> None:
    m.set_register("b", m.register("b") + m.tick)


@instruction("o")
def turn_by_tick(m: Any) -> None:
    if m.tick % 3 == 0:
        m.turn(*UP)


@instruction({"d": 6, "D": 2**62 + 1, "W": 2**70, "u": 1})
def draw(m: Any, bound: int) -> None:
    m.push(m.below(bound))


@instruction("r")
def draw_below_register(m: Any) -> None:
    if m.register("a") > 0:
        m.set_register("b", m.below(m.register("a")) + m.below(3))


@instruction("R")
def turn_by_chance(m: Any) -> None:
    if m.below(2):
        m.turn(*LEFT)
    else:
        m.set_register("c", m.register("c") + 1)


@instruction(".")
def print_register(m: Any) -> None:
    m.write_number(m.register("a"))


@instruction("l")
def store_what_was_not_there(m: Any) -> None:
    m.set_register("late", m.register("a"))


@instruction("k")
def count_late(m: Any) -> None:
    m.set_register("late", 7)
    m.set_register("b", m.register("late") + m.register("b"))


@instruction("q")
def store_no_whole_number(m: Any) -> None:
    """What no register should hold, and what it makes of it is up to Python."""
    m.set_register("c", m.register("a") == m.register("b"))
    m.set_register("c", 1 if m.register("c") else 2)


@instruction({"h": (1, 0), "H": (0, 1)})
def move_hand(m: Any, way: tuple[int, int]) -> None:
    if m.option("hand"):
        m.reach((m.hand_x + way[0]) % WIDTH, (m.hand_y + way[1]) % HEIGHT)


@instruction("G")
def add_cell(m: Any) -> None:
    m.set_register("b", m.register("b") + m.cell(m.hand_x, m.hand_y))


@instruction("P")
def put_register(m: Any) -> None:
    if m.option("hand") and m.option("plane") != "text":
        m.put(m.hand_x, m.hand_y, m.register("a") % 100)


@instruction(" ")
def nothing(m: Any) -> None:
    """Do nothing."""


def decode(plane: Any, stance: Stance) -> Any:
    return TABLE.get(plane.cell(stance.x, stance.y)) or TABLE[ord(" ")]


def move(plane: Any, stance: Stance) -> Stance:
    x, y, dx, dy, mode = stance
    return Stance((x + dx) % WIDTH, (y + dy) % HEIGHT, dx, dy, mode)


def start(source: bytes, options: Any, seed: int) -> State:
    rows = [row.ljust(WIDTH)[:WIDTH] for row in source.decode().split("\n")]
    rows += [" " * WIDTH] * (HEIGHT - len(rows))
    cells = {(x, y): ord(cell) for y, row in enumerate(rows) for x, cell in enumerate(row)}
    planes: dict[str, Any] = {
        "text": TextPlane(rows),
        "bytes": BytePlane(WIDTH, bytearray("".join(rows), "ascii")),
        "sparse": SparsePlane(cells),
    }
    registers = {"a": 3, "b": 0, "c": -1}
    walkers = [Walker(Stance(0, 0, *RIGHT), (0, HEIGHT // 2) if options["hand"] else None)]
    stack: Any = array("f") if options.get("floats") else []
    plane = planes[options["plane"]]
    return State(plane, walkers, stack=stack, registers=registers, options=options, seed=seed)


LANGUAGE = Language(
    name="abacus", title="Abacus", summary="", suffixes=(), table=TABLE, start=start,
    decode=decode, move=move, show=lambda state: {},
)  # fmt: skip
