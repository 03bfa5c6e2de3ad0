"""Abacus, a language for tests: registers that hold whole numbers, chance, and the tick."""

from array import array
from collections.abc import Callable
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


@instruction({"h": (1, 0), "H": (0, 1)})
def move_hand(m: Any, way: tuple[int, int]) -> None:
    if m.option("hand"):
        m.reach((m.hand_x + way[0]) % WIDTH, (m.hand_y + way[1]) % HEIGHT)


@instruction("P")
def put_register(m: Any) -> None:
    if m.option("hand") and m.option("plane") != "text":
        m.put(m.hand_x, m.hand_y, m.register("a") % 100)


def increase(m: Any, name: str, by: Any) -> None:
    m.set_register(name, m.register(name) + by)


ACTS: dict[str, Callable[[Any], Any]] = {
    "$": lambda m: m.pop() if m.has(1) else None,
    "i": lambda m: increase(m, "a", 1),
    "+": lambda m: increase(m, "a", m.register("b")),
    "-": lambda m: m.set_register("b", m.register("c") - m.register("a")),
    "*": lambda m: m.set_register("c", m.times(m.register("a"), m.register("b")) % 10**30 - 10**9),
    "/": lambda m: (
        m.set_register("c", m.quotient(m.register("a"), m.register("b")))
        if m.register("b") != 0
        else None
    ),
    "t": lambda m: m.push(m.tick),
    "T": lambda m: increase(m, "b", m.tick),
    "o": lambda m: m.turn(*UP) if m.tick % 3 == 0 else None,
    "r": lambda m: (
        m.set_register("b", m.below(m.register("a")) + m.below(3)) if m.register("a") > 0 else None
    ),
    "R": lambda m: m.turn(*LEFT) if m.below(2) else increase(m, "c", 1),
    ".": lambda m: m.write_number(m.register("a")),
    # A register that is not there at first, and what no register should hold.
    "l": lambda m: m.set_register("late", m.register("a")),
    "k": lambda m: (m.set_register("late", 7), increase(m, "b", m.register("late"))),
    "q": lambda m: (
        m.set_register("c", m.register("a") == m.register("b")),
        m.set_register("c", 1 if m.register("c") else 2),
    ),
    "G": lambda m: increase(m, "b", m.cell(m.hand_x, m.hand_y)),
    " ": lambda m: None,
}
WITH_VALUES: list[tuple[dict[str, Any], Callable[[Any, Any], Any]]] = [
    ({">": RIGHT, "v": DOWN, "<": LEFT, "^": UP}, lambda m, heading: m.turn(*heading)),
    ({**{str(n): n for n in range(10)}, **LARGE}, lambda m, n: m.push(n)),
    ({"a": "a", "b": "b", "c": "c"}, lambda m, name: m.push(m.register(name))),
    ({"A": "a", "B": "b", "C": "c"}, lambda m, name: m.has(1) and m.set_register(name, m.pop())),
    ({"d": 6, "D": 2**62 + 1, "W": 2**70, "u": 1}, lambda m, bound: m.push(m.below(bound))),
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
