"""The panels beside the plane: first the run, as far as there is room, then descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.text import Text

from ...core.difference import cell
from ...debug.session import Session
from ...view.console.breakpoints import Breakpoints
from ...view.console.watches import Watches
from ...view.scene.frame import Lens, told
from ...view.scene.panels import letter, visible
from ...view.terminal.wrap import filled
from ...view.walk.follow import lies_in
from ...view.walk.stances import heading_name
from ...view.walk.telling import tell

WALKERS, MOST_OUTPUT, MOST_INPUT = 64, 8_000, 400
"""Walkers, and bytes of output and input, that fit on any screen."""
FAIR = 5
"""Rows that each section gets before any gets more."""
MOST_ACTING = 200
"""Walkers up to which the next actions are told."""
HEAD, NEWS, DIM = "bold cyan", "bold", "dim"


class Section(NamedTuple):
    """Lines under a heading. If they do not fit, the first are shown, or the last."""

    head: Text
    lines: list[Text]
    least: int = 1
    """Rows that the section should get below its heading."""
    ends: bool = False
    """Whether the last lines are kept."""
    prose: bool = False
    """Whether the other sections get rows first."""


def arranged(parts: list[Section], rows: int, width: int) -> Text:
    """The sections arranged in this many rows, or more if their least rows do not fit."""
    shown = _shares(parts, rows)
    spare = rows - sum(shown) - len(parts)
    gap = "\n\n" if spare >= len(parts) - 1 else "\n"
    return Text(gap, no_wrap=True).join(
        Text("\n").join([part.head, *_cut(part, count, width)])
        for part, count in zip(parts, shown, strict=True)
    )


def _shares(parts: list[Section], rows: int) -> list[int]:
    """The number of lines shown of each section."""
    shown = [min(part.least, len(part.lines)) for part in parts]
    left = rows - len(parts) - sum(shown)
    for most, prose in ((FAIR, False), (rows, True), (rows, False)):
        while left > 0:
            wanting = [
                at
                for at, part in enumerate(parts)
                if part.prose in (prose, False) and shown[at] < min(len(part.lines), most)
            ][:left]
            if not wanting:
                break
            for at in wanting:
                shown[at] += 1
            left -= len(wanting)
    return shown


def _cut(part: Section, count: int, width: int) -> list[Text]:
    """The first or last lines of a section, with an ellipsis where others are left out."""
    if count >= len(part.lines):
        return part.lines
    lines = part.lines[-count:] if part.ends else part.lines[:count]
    if count and not part.ends:
        last = lines[-1].copy()
        last.truncate(max(width - 2, 1))
        lines[-1] = last.append(" …", DIM)
    return lines


def _lines(words: str, width: int, style: str = "") -> list[Text]:
    """Words wrapped to lines; longer words are broken anywhere."""
    lines = [piece for line in filled(words, width) for piece in _pieces(line, width)]
    return [Text(line, style) for line in lines]


def _pieces(line: str, width: int) -> Iterator[str]:
    for at in range(0, max(len(line), 1), width):
        yield line[at : at + width]


def state_parts(session: Session, lens: Lens, width: int) -> Iterator[Section]:
    """Everything a state holds besides its plane."""
    panels = lens.panels(session.state)
    if "stack" in panels:
        more = " …" if panels["depth"] > len(panels["stack"]) else ""
        lines = _lines(" ".join(panels["stack"]) + more, width)
        yield Section(Text(f"stack ({panels['depth']:,}), top first", HEAD), lines)
    for name in ("registers", "calls", "log"):
        shown = panels.get(name)
        if shown:
            items = shown.items() if isinstance(shown, dict) else enumerate(shown)
            lines = [line for key, value in items for line in _lines(f"{key} = {value}", width)]
            yield Section(Text(name, HEAD), lines, ends=name != "registers")
    if "value" in panels and "value" not in panels.get("registers", ()):
        yield Section(Text(f"value {panels['value']}", HEAD), [])
    if "colour" in panels:
        yield Section(Text("colour ", HEAD).append("    ", f"on {panels['colour']}"), [])


def walkers_part(session: Session, width: int) -> Section:
    walkers = session.state.walkers
    lines = []
    for number, (stance, hand) in enumerate(walkers[:WALKERS]):
        heading = heading_name(session.language, stance.dx, stance.dy)
        manner = session.language.looks.manner(stance)
        line = f"{letter(number)} {stance.x:g},{stance.y:g} {heading}"
        line += f", {manner}" if manner else ""
        line += "" if hand is None else f"; hand {hand[0]},{hand[1]}"
        lines += _lines(line, width) if len(walkers) == 1 else [Text(line[:width])]
    return Section(Text(f"walkers ({len(walkers):,})", HEAD), lines)


def output_part(session: Session, width: int) -> Section:
    tail = session.output_between(max(session.written - MOST_OUTPUT, 0), session.written)
    text = tail.decode(errors="replace").removesuffix("\n")
    lines = [Text(piece) for line in text.split("\n") for piece in _pieces(visible(line), width)]
    count = "1 byte" if session.written == 1 else f"{session.written:,} bytes"
    return Section(Text(f"output ({count})", HEAD), lines if tail else [], 2, ends=True)


def input_part(session: Session, width: int) -> Section:
    stream = session.state.input
    rest = bytes(stream.data[stream.position - stream.dropped :][:MOST_INPUT])
    text = visible(rest.decode(errors="replace"))
    ended = ", ended" if stream.closed else ""
    return Section(
        Text(f"input ({stream.unread:,} unread{ended})", HEAD),
        [Text(piece) for piece in _pieces(text, width)] if text else [],
    )


def breakpoints_part(breakpoints: Breakpoints, width: int) -> Iterator[Section]:
    points = breakpoints.all.values()
    lines = [line for p in points for line in _lines(f"{p.id}: {p.wanted.text}", width)]
    if lines:
        yield Section(Text("breakpoints", HEAD), lines)


def watches_part(watches: Watches, width: int) -> Iterator[Section]:
    """The watches, bold where a value has just changed."""
    lines = [
        line
        for words, changed in watches.lines()
        for line in _lines(words, width, "bold yellow" if changed else "")
    ]
    if lines:
        yield Section(Text("watches", HEAD), lines, len(lines))


def cell_part(session: Session, place: tuple[int, int], width: int) -> Section:
    """The value and meaning of the cell under the cursor, with operands if it is executed next."""
    x, y = place
    language, state = session.language, session.state
    if not lies_in(place, state.plane.box()):
        return Section(Text(f"cell {x},{y}: none", HEAD), [], prose=True)
    row = next((row for _, row in language.meanings(language.sign(state.plane, x, y))), None)
    lines = []
    few = state.walkers if len(state.walkers) < MOST_ACTING and state.stop is None else ()
    if any((walker.stance.x, walker.stance.y) == place for walker in few):
        for step in session.steps(session.tick, session.tick + 1):
            lines += _lines("next: " + "; ".join(tell(language, step)), width, NEWS)
    least = len(lines)
    lines += _lines(_ports(session, x), width, DIM)
    lines += _lines("nothing" if row is None else f"{row.name}: {row.words}", width)
    holds = cell(state.plane.cell(x, y), language.looks)
    return Section(Text(f"cell {x},{y} holds {holds}", HEAD), lines, min(least, 3) or 1, prose=True)


def _ports(session: Session, column: int) -> str:
    """What comes in above a column and goes out below it, if the language has words for that."""
    words = session.language.results.column_ports
    into, out = ("", "") if words is None else words(session.state, column)
    return f"column {column}: {into} in above, {out} out below" if into or out else ""


LONGEST_NAME = 28


def status_line(session: Session, name: str, running: bool, speed: str) -> Text:
    """The status line: program, tick, what the run is doing, and the branch."""
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME // 2 - 1]}…{name[-LONGEST_NAME // 2 :]}"
    text = Text(f" {name} · " if name else " ", no_wrap=True, overflow="ellipsis")
    text.append(f"{session.language.title} ")
    text.append(f" tick {session.tick:,} of {session.reached:,} ", "bold")
    if running:
        text.append(f" running, {speed}", "green")
    elif session.stop is not None:
        text.append(f" {told(session.stop)}", "yellow")
    else:
        text.append(" paused", "dim")
    if session.branch.parent is not None:
        text.append(f"   branch: {session.branch.name}", "magenta")
    return text
