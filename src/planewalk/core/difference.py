"""What is different in two planes, or in two states, as data and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from .base.deadline import Pause, Turnstile, no_pause
from .geometry import Stance
from .numbers.numerals import to_decimal
from .state import State, Walker, bare

if TYPE_CHECKING:
    from .language_groups import Looks
    from .plane import Plane

LONGEST = 40  # characters of a number, or of a text, that are shown
SMALL = 32  # smaller numbers are no characters that can be seen
MOST_TOLD = 6  # changes that are told in words


class Change(NamedTuple):
    """One thing that is not the same: which part of a state, where in it, and what it was and is.

    `at` is a place, an index from the bottom, or a name; None for a part that is one thing. What
    is only on one side is None on the other.
    """

    part: str
    at: Any
    old: Any
    new: Any

    def __str__(self) -> str:
        return self.words()

    def words(self, looks: Looks | None = None, others: Looks | None = None) -> str:
        """The same, with the words of a language for headings and modes if its looks are given;
        those of another one if the second of the two is in that."""
        tell = cell if self.part == "plane" and self.at is not None else _thing
        old, new = tell(self.old, looks), tell(self.new, others or looks)
        return f"{_where(self.part, self.at)}: {old} -> {new}"


def told(
    changes: Iterable[Change],
    most: int = MOST_TOLD,
    looks: Looks | None = None,
    others: Looks | None = None,
) -> list[str]:
    """Changes in words, a line each, and how many more there are."""
    rest = iter(changes)
    lines = [change.words(looks, others) for change in islice(rest, most)]
    left = sum(1 for _ in rest)
    return [*lines, f"and {left:,} more"] if left else lines


def parts_of(changes: Iterable[Change]) -> list[str]:
    """The names of the parts that are about, each once."""
    return list(dict.fromkeys(change.part for change in changes))


def plane_changes(one: Plane, other: Plane, pause: Pause = no_pause) -> Iterator[Change]:
    """The cells of one plane that hold something else in another, in reading order, if it has
    one; where all cells are the same, a change without a place says how planes differ."""
    found, turnstile = False, Turnstile(pause)
    for x, y in one.places(other):
        turnstile.passed()
        old, new = one.cell(x, y), other.cell(x, y)
        if old != new:
            found = True
            yield Change("plane", (x, y), old, new)
    if not found and one != other:
        yield Change("plane", None, _measures(one), _measures(other))


def _measures(plane: Plane) -> str:
    box = plane.box()
    size = "nothing" if box is None else f"{box[2] - box[0] + 1:,} x {box[3] - box[1] + 1:,} cells"
    return f"{size} ({plane.kind})"


def state_changes(one: State, other: State, pause: Pause = no_pause) -> Iterator[Change]:
    """All that keeps two states from being equal; nothing if they are."""
    yield from _single("tick", one.tick, other.tick)
    yield from _walkers(one.walkers, other.walkers, pause)
    for part in ("acted", "stack", "registers", "calls"):
        yield from _many(part, getattr(one, part), getattr(other, part), pause)
    yield from _single("written", one.written, other.written)
    yield from _output(bytes(one.output), bytes(other.output))
    yield from _many("log", one.log, other.log, pause)
    for part in ("seed", "draws", "stop"):
        yield from _single(part, getattr(one, part), getattr(other, part))
    if one.input != other.input:
        yield Change("input", None, _input(one), _input(other))
    yield from plane_changes(one.plane, other.plane, pause)


def _single(part: str, old: Any, new: Any) -> Iterator[Change]:
    if not same(old, new):
        yield Change(part, None, old, new)


def _many(part: str, old: Any, new: Any, pause: Pause) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = ((name, old.get(name), new.get(name)) for name in {**old, **new})
    else:
        pairs = ((at, *both) for at, both in enumerate(zip_longest(old, new)))
    turnstile = Turnstile(pause)
    for at, a, b in pairs:
        turnstile.passed()
        if not same(bare(a), bare(b)):
            yield Change(part, at, a, b)


def _walkers(old: Iterable[Walker], new: Iterable[Walker], pause: Pause) -> Iterator[Change]:
    """Those that the other side has not; their order means nothing."""
    here, there = _by_words(old, pause), _by_words(new, pause)
    gone, come = ([*_beyond(*sides)] for sides in ((here, there), (there, here)))
    for one, other in zip_longest(gone, come):
        yield Change("walkers", None, one, other)


def _by_words(walkers: Iterable[Walker], pause: Pause) -> list[tuple[str, Walker]]:
    """Walkers in an order that does not depend on how they stand in the state."""
    turnstile = Turnstile(pause)
    found = []
    for walker in walkers:
        turnstile.passed()
        found.append((repr(bare(walker)), walker))
    pause()
    return sorted(found)


def _beyond(some: list[tuple[str, Walker]], others: list[tuple[str, Walker]]) -> Iterator[Walker]:
    """Walkers of one side that are more there than on the other, in order."""
    left = Counter(key for key, _ in others)
    for key, walker in some:
        left[key] -= 1
        if left[key] < 0:
            yield walker


def _output(old: bytes, new: bytes) -> Iterator[Change]:
    if old != new:
        pairs = enumerate(zip_longest(old, new))
        at = next(at for at, (a, b) in pairs if a != b)
        yield Change("output", at, old[at:], new[at:])


def _input(state: State) -> str:
    stream = state.input
    end = "" if stream.closed else ", more may come"
    read = "1 byte" if stream.position == 1 else f"{stream.position:,} bytes"
    return f"{read} read, {stream.unread:,} unread{end}"


def same(a: Any, b: Any) -> bool:
    """Floats as text, where NaN is itself and 0 is not -0; whole numbers may be too long for it."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (repr(a) == repr(b) if isinstance(a, float) else bool(a == b))


# In words ------------------------------------------------------------------------------------


def _where(part: str, at: Any) -> str:
    if part == "plane" and at is not None:
        return f"cell {place(*at)}"
    if part == "output":
        return f"output from byte {at + 1:,} on"
    names = {"registers": f"register {at}", "stack": f"stack, number {at} from the bottom"}
    return part if at is None else names.get(part, f"{part} {at}")


def _thing(value: Any, looks: Looks | None = None) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bytes):
        return text(value) if value else "nothing"
    if isinstance(value, Walker):
        hand = "" if value.hand is None else f", hand {value.hand}"
        return _standing(value.stance, looks) + hand
    return _standing(value, looks) if isinstance(value, Stance) else number(value)


def _standing(stance: Stance, looks: Looks | None) -> str:
    heading, mode = place(stance.dx, stance.dy), "" if stance.mode is None else str(stance.mode)
    if looks is not None:
        heading = looks.headings.get((stance.dx, stance.dy), heading)
        mode = looks.manner(stance)
    return f"at {place(stance.x, stance.y)} heading {heading}" + (
        f" in mode {mode}" if mode else ""
    )


def place(x: Any, y: Any) -> str:
    """A place as it is written in conditions."""
    return f"{x:g},{y:g}"


def number(value: Any) -> str:
    """A number in little room; a character beside its code."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if not isinstance(value, int):
        return str(value)
    digits = to_decimal(value)
    if len(digits) > LONGEST:
        return f"{digits[:16]}…{digits[-16:]}"
    return f"{digits} ({chr(value)!r})" if 32 < value < 127 else digits


def cell(value: Any, looks: Looks | None = None) -> str:
    """What a cell holds: a number, or the sign that a language has instead of it."""
    if value == ord(" ") and looks is not None:
        return f"{value} (' ')"
    if looks is None or not looks.own_signs or not isinstance(value, int):
        return number(value)
    sign = looks.glyph(value)
    if 0 <= value < SMALL:
        return repr(sign)
    return number(value) if [ord(each) for each in sign] == [value] else f"{value} ({sign!r})"


def text(data: bytes) -> str:
    """Bytes in quotes, with what cannot be seen escaped."""
    shown = repr(data[:LONGEST])[1:]
    return shown if len(data) <= LONGEST else f"{shown}…"
