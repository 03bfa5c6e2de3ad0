"""What stands beside the plane: stack, registers, walkers, output, input, breakpoints."""

from __future__ import annotations

from rich.text import Text

from ...debug.session import Session
from ...view.console import Breakpoints
from ...view.frame import Lens, told
from ...view.panels import letter, visible
from ...view.stances import heading_name
from ...view.telling import tell
from ...view.watches import Watches

WALKERS, VALUES, OUTPUT = 6, 12, 6


def state_panel(session: Session, lens: Lens) -> Text:
    """Everything a state holds besides its plane."""
    panels = lens.panels(session.state)
    text = Text()
    if "stack" in panels:
        _head(text, f"stack ({panels['depth']:,})")
        text.append("\n".join(panels["stack"][:VALUES]) or "empty")
        text.append("\n")
    for name in ("registers", "calls", "log"):
        shown = panels.get(name)
        if shown:
            _head(text, name)
            items = shown.items() if isinstance(shown, dict) else enumerate(shown)
            text.append("\n".join(f"{key} = {value}" for key, value in list(items)[:VALUES]))
            text.append("\n")
    for name in ("value", "colour"):
        if name in panels:
            _head(text, name)
            style = f"on {panels[name]}" if name == "colour" else ""
            text.append(f"{panels[name]}", style)
            text.append("\n")
    return text


def walkers_panel(session: Session) -> Text:
    """Who walks where."""
    text = Text()
    walkers = session.state.walkers
    _head(text, f"walkers ({len(walkers):,})")
    for number, (stance, hand) in enumerate(walkers[:WALKERS]):
        heading = heading_name(session.language, stance.dx, stance.dy)
        manner = session.language.looks.manner(stance)
        line = f"{letter(number)} {stance.x:g},{stance.y:g} {heading}"
        line += f", {manner}" if manner else ""
        line += "" if hand is None else f"; hand {hand[0]},{hand[1]}"
        text.append(line + "\n")
    return text


def output_panel(session: Session) -> Text:
    """The end of what was written."""
    text = Text()
    _head(text, f"output ({session.written:,})")
    tail = session.output_between(max(session.written - 2_000, 0), session.written)
    lines = tail.decode(errors="replace").split("\n")[-OUTPUT:]
    text.append("\n".join(visible(line) for line in lines))
    return text


def input_panel(session: Session) -> Text:
    """What is unread."""
    text = Text()
    stream = session.state.input
    _head(text, f"input ({stream.unread:,} unread{'' if stream.closed else ', open'})")
    rest = bytes(stream.data[stream.position - stream.dropped :][:200])
    text.append(visible(rest.decode(errors="replace")))
    return text


def breakpoints_panel(breakpoints: Breakpoints) -> Text:
    """What stops the run."""
    text = Text()
    if breakpoints.all:
        _head(text, "breakpoints")
        points = breakpoints.all.values()
        text.append("\n".join(f"{point.id}: {point.wanted.text}" for point in points))
    return text


def watches_panel(watches: Watches) -> Text:
    """What is watched, bold where it has just changed."""
    text = Text()
    if watches.all:
        _head(text, "watches")
        for line, changed in watches.lines():
            text.append(line + "\n", "bold yellow" if changed else "")
    return text


def cell_panel(session: Session, place: tuple[int, int]) -> Text:
    """What the cell under the cursor holds and does, with its operands if it is about to act."""
    text = Text()
    x, y = place
    language, state = session.language, session.state
    glyph = language.sign(state.plane, x, y) if _has(session, place) else " "
    _head(text, f"cell {x},{y}")
    row = next((table[ord(glyph)] for table in language.tables if ord(glyph) in table), None)
    text.append(f"{glyph if glyph.isprintable() else hex(ord(glyph))} ")
    text.append("nothing" if row is None else f"{row.name}: {row.doc}")
    few = state.walkers if len(state.walkers) < 200 and state.stop is None else ()
    if any((walker.stance.x, walker.stance.y) == place for walker in few):
        for step in session.steps(session.tick, session.tick + 1):
            text.append("\nnext: " + "; ".join(tell(language, step)), "bold")
    return text


def _has(session: Session, place: tuple[int, int]) -> bool:
    box = session.state.plane.box()
    return box is not None and box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]


def status_line(session: Session, running: bool, speed: str) -> Text:
    """One line: the tick, what goes on, and on which branch."""
    text = Text(f" tick {session.tick:,} ", "bold")
    if running:
        text.append(f"running, {speed}", "green")
    elif session.stop is not None:
        text.append(told(session.stop), "yellow")
    else:
        text.append("paused", "dim")
    if session.branch.parent is not None:
        text.append(f"   branch: {session.branch.name}", "magenta")
    return text


def _head(text: Text, words: str) -> None:
    if text.plain and not text.plain.endswith("\n"):
        text.append("\n")
    text.append(words + "\n", "bold cyan")
