"""What happened in a tick, in words, with operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from ...core.difference import cell, number, place, text
from ...core.geometry import Stance
from ...core.language import Language
from ...core.numbers.numerals import to_decimal
from ...core.observation import Action, Birth, Move, RegisterWrite, Step, Write
from ...core.step import Fault
from .stances import heading_name

Signs = Mapping[Stance, str]
"""What stood where walkers stood before a step: see `stances.signs_of`."""
NO_SIGNS: Signs = {}
MOST = 6
"""Values of a list that are shown."""


class _Fates:
    """Moves, births and losses of a step, by the numbers of walkers."""

    def __init__(self, step: Step) -> None:
        self.moves = {move.number: (at, move) for at, move in enumerate(step.moves)}
        self.gone = {loss.number: loss.deed for loss in step.gone}
        self.born: dict[int, list[Birth]] = {}
        for birth in step.born:
            for parent in birth.parents:
                self.born.setdefault(parent, []).append(birth)


def tell(language: Language, step: Step, *, places: bool = False) -> Iterator[str]:
    """A line for each action, and one for the effects that belong to no single action; with the
    places and headings of walkers if wanted."""
    fates = _Fates(step)
    for action in step.actions:
        x, y, dx, dy, _ = action.stance
        at = f"at {place(x, y)} {heading_name(language, dx, dy)}: " if places else ""
        ways = _ways(language, action, step, fates)
        yield at + ", ".join([action.instruction.name, *_effects(language, action), *ways])
    together = list(_together(language, step))
    if together:
        yield ", ".join(together)


def tell_action(language: Language, action: Action, step: Step, fates: _Fates | None = None) -> str:
    """The line of one action; if it was the only one, with the effects of the whole step."""
    return ", ".join([action.instruction.name, *deeds(language, action, step, fates)])


def deeds(language: Language, action: Action, step: Step, fates: _Fates | None = None) -> list[str]:
    """What an instruction did, without its name: what it took, gave, wrote, and where it led."""
    fates = fates or _Fates(step)
    parts = [*_effects(language, action), *_ways(language, action, step, fates)]
    if step.is_single:
        parts += _together(language, step)
    return parts


def _effects(language: Language, action: Action) -> Iterator[str]:
    if action.popped:
        yield f"takes {numbers(action.taken)}"
    if action.input:
        yield f"reads {text(action.input)} from the input"
    for x, y, value in action.reads[:MOST]:
        yield f"reads {cell(value, language.looks)} at {place(x, y)}"
    for name, value in action.fetched[:MOST]:
        yield f"reads {number(value)} from register {name}"
    if action.drawn:
        yield f"draws {numbers(action.drawn)}"
    if action.pushed:
        yield f"gives {numbers(action.pushed)}"
    yield from (_write(language, write) for write in action.writes[:MOST])
    yield from _stores(action.stored)
    if action.output:
        yield f"writes {text(action.output)}"
    for note in action.notes[:MOST]:
        yield f"notes {note}"


def _write(language: Language, write: Write) -> str:
    new, old = cell(write.new, language.looks), cell(write.old, language.looks)
    return f"puts {new} at {place(write.x, write.y)} (was {old})"


def _stores(stored: tuple[RegisterWrite, ...]) -> Iterator[str]:
    for name, old, new in stored[:MOST]:
        yield f"stores {number(new)} in register {name} (was {number(old)})"


def _together(language: Language, step: Step) -> Iterator[str]:
    """Effects that belong to no single action, such as writes that all walkers asked for."""
    own = [write for action in step.actions for write in action.writes]
    for write in step.writes[len(own) :][:MOST]:
        yield _write(language, write)
    if step.rows:
        yield f"the plane grows by {step.rows} row{'' if step.rows == 1 else 's'}"
    written = sum(len(action.output) for action in step.actions)
    if len(step.output) > written:
        yield f"writes {text(step.output[written:])}"
    taken = sum(len(action.input) for action in step.actions)
    if len(step.input) > taken:
        yield f"reads {text(step.input[taken:])} from the input"
    yield from _stores(step.stored)
    for _, _, (stance, _) in step.arrived[:MOST]:
        heading = heading_name(language, stance.dx, stance.dy)
        yield f"a walker comes in at {place(stance.x, stance.y)} heading {heading}"
    if len(step.arrived) > MOST:
        yield f"and {len(step.arrived) - MOST} more"


def _ways(language: Language, action: Action, step: Step, fates: _Fates) -> Iterator[str]:
    """Where the acting walkers go, if it is not straight on."""
    moves = [fates.moves[who] for who in action.walkers if who in fates.moves]
    for _, move in sorted(moves, key=itemgetter(0))[:1]:
        yield from _way(language, move)
    born = [birth for who in action.walkers for birth in fates.born.get(who, ())]
    for birth in [*{birth.number: birth for birth in born}.values()][:MOST]:
        stance = birth.walker.stance
        yield f"a walker sets out {heading_name(language, stance.dx, stance.dy)}"
    lost = [who for who in action.walkers if who in fates.gone]
    if lost:
        yield "gone" if len(lost) == 1 else f"{len(lost)} are gone"
        yield from dict.fromkeys(deed for who in lost if (deed := fates.gone[who]))
    if step.stop is not None and len(step.actions) == 1:
        fault = step.stop.reason if isinstance(step.stop, Fault) else ""
        yield f"the program ends: {fault}" if fault else "the program ends"


def _way(language: Language, move: Move) -> Iterator[str]:
    before, after = move.before.stance, move.after.stance
    if (before.dx, before.dy) != (after.dx, after.dy):
        yield f"turns {heading_name(language, after.dx, after.dy)}"
    if before.mode != after.mode:
        manner = language.looks.manner(after)
        yield f"goes into {manner}" if manner else "leaves its mode"
    if move.before.hand != move.after.hand and move.after.hand is not None:
        yield f"hand to {place(*move.after.hand)}"


def numbers(values: tuple[Any, ...]) -> str:
    """Several numbers, of which the first are shown."""
    shown = " and ".join(map(number, values[:MOST]))
    return shown if len(values) <= MOST else f"{shown} and {len(values) - MOST} more"


def step_json(language: Language, step: Step, signs: Signs = NO_SIGNS) -> dict[str, Any]:
    fates = _Fates(step)
    return {
        "tick": step.tick,
        "actions": [_action_json(language, action, step, signs, fates) for action in step.actions],
        "writes": [
            {"place": [write.x, write.y], "old": _plain(write.old), "new": _plain(write.new)}
            for write in step.writes
        ],
        "output": step.output.decode("latin-1"),
        "input": step.input.decode("latin-1"),
        "born": [{"walker": b.number, "parents": list(b.parents)} for b in step.born],
        "gone": [loss.number for loss in step.gone],
        "rows": step.rows,
        "ended": step.stop is not None,
    }


def _action_json(
    language: Language, action: Action, step: Step, signs: Signs, fates: _Fates
) -> dict[str, Any]:
    stance = action.stance
    return {
        "walkers": list(action.walkers),
        "place": [stance.x, stance.y],
        "heading": heading_name(language, stance.dx, stance.dy),
        "mode": language.looks.manner(stance),
        "hand": None if action.hand is None else list(action.hand),
        "symbol": action.instruction.symbol,
        "cell": _sign(action, signs),
        "name": action.instruction.name,
        "taken": [_plain(value) for value in action.taken],
        "given": [_plain(value) for value in action.pushed],
        "reads": [[read.x, read.y, _plain(read.value)] for read in action.reads],
        "words": tell_action(language, action, step, fates),
    }


def _plain(value: Any) -> Any:
    """A number as JSON readers keep it exact: long ones as text."""
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    return to_decimal(value) if isinstance(value, int) and abs(value) >> 53 else value


def _sign(action: Action, signs: Signs) -> str:
    """What stood in the cell, if that is known; else the usual symbol of the instruction."""
    return signs.get(action.stance, action.instruction.symbol)


def trace_lines(language: Language, step: Step, signs: Signs = NO_SIGNS) -> Iterator[str]:
    """A line for each action: tick, place, heading, what stood there, and what it did."""
    fates = _Fates(step)
    for action in step.actions:
        stance = action.stance
        where = place(stance.x, stance.y)
        if len(step.actions) > 1:
            where = f"{action.walkers[0]}:{where}"
        heading = heading_name(language, stance.dx, stance.dy)
        sign = _sign(action, signs) or " "
        shown = sign if sign.isprintable() else f"{ord(sign):02x}"
        words = tell_action(language, action, step, fates)
        yield f"{step.tick:>8} {where:<12} {heading:<9} {shown}  {words}"
    if not step.is_single:
        together = ", ".join(_together(language, step))
        if together:
            yield f"{step.tick:>8} together: {together}"
