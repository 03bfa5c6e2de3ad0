"""Commands that ask about the run, and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.difference import cell as told_value
from ...core.difference import place, text
from ...core.difference import told as told_changes
from ...core.errors import OptionError
from ...debug.asking.questions import Deed
from ...debug.session import Session
from ..walk.telling import trace_lines
from .command import BRANCH, FILE, NONE, NUMBER, PLACE, VALUE, WATCHED, Answer, Argument, Command
from .reading import place_of, whole

if TYPE_CHECKING:
    from .console import Console

MOST_LINES = 40
CAUSES = ("output", "cell", "stack")
"""What `why` can be asked about."""


def told_deed(deed: Deed) -> str:
    """The tick and the instruction of a deed."""
    if deed.by_hand:
        return f"at tick {deed.tick:,}, by hand"
    if deed.action is None or deed.place is None:
        return f"at tick {deed.tick:,}, by several together"
    what = deed.action.instruction
    return f"at tick {deed.tick:,}, by {what.symbol!r} ({what.name}) at {place(*deed.place)}"


def _held(session: Session, value: Any) -> str:
    return told_value(value, session.language.looks)


def told_writer(session: Session, at: tuple[int, int], deed: Deed | None) -> str:
    """What a cell holds, and the deed that wrote it, if any did."""
    if deed is None:
        return f"{place(*at)} holds what it held at the beginning"
    value, before = _held(session, deed.value), _held(session, deed.before)
    return f"{place(*at)} = {value}, was {before}: {told_deed(deed)}"


def told_cell(session: Session, x: int, y: int) -> str:
    """What a cell holds, and what that does."""
    language, plane = session.language, session.state.plane
    row = next((row for _, row in language.meanings(language.sign(plane, x, y))), None)
    does = "" if row is None else f": {row.name}. {row.words}"
    return f"{place(x, y)} = {_held(session, plane.cell(x, y))}{does}"


def _watch(console: Console, value: str) -> Answer:
    if value:
        return f"{value} = {console.watches.add(value)}"
    return [line for line, _ in console.watches.lines()] or "nothing is watched"


def _unwatch(console: Console, value: str) -> Answer:
    console.watches.remove(value)
    return f"{value} is watched no more"


def _read(console: Console, at: tuple[int, int]) -> Answer:
    session = console.session
    deed = session.last_read(*at, console.pause)
    if deed is None:
        return "never read"
    return f"{_held(session, deed.value)} was read {told_deed(deed)}"


def _life(console: Console, at: tuple[int, int]) -> Answer:
    session = console.session
    first, *deeds = session.biography(*at, console.pause, MOST_LINES)
    whole_life = first.tick == 0 and first.action is None and not first.by_hand
    begins = f"{_held(session, first.value)} from the beginning" if whole_life else "..."
    return [begins, *(f"{_held(session, deed.value)} {told_deed(deed)}" for deed in deeds)]


def _why(console: Console, words: str) -> Answer:
    kind, _, which = words.partition(" ")
    if kind not in CAUSES:
        raise OptionError("ask `why output 17`, `why cell 5,2` or `why stack 0`")
    asked: Any = place_of(which) if kind == "cell" else whole(which or "0")
    cause = console.session.why(**{kind: asked}, pause=console.pause)
    return ["there is no such value"] if cause is None else list(cause.lines(MOST_LINES))


def _output(console: Console, number: int | None) -> Answer:
    if number is None:
        return text(console.session.output)
    deed = console.session.when_written(number, console.pause)
    if deed is None:
        return f"only {console.session.written:,} bytes are written yet"
    return f"{text(bytes([deed.value]))} was written {told_deed(deed)}"


def _branches(console: Console, _: None) -> Answer:
    return [
        ("* " if branch is console.session.branch else "  ")
        + f"{branch.name}, from tick {branch.begins:,}, seen up to {branch.reached:,}"
        for branch in console.session.branches.values()
    ]


def _compare(console: Console, name: str | None) -> Answer:
    session = console.session
    branch, looks = session.branch, session.language.looks
    if name is None and branch.parent is None:
        raise OptionError("name a branch to compare this one with; `branches` lists them")
    other = str(branch.parent) if name is None else name
    found = session.compare(other, pause=console.pause)
    lines = [
        f"they fork at tick {found.forked_at:,}",
        *(f"    {line}" for line in told_changes(found.changes, looks=looks)),
    ]
    parting = found.parting
    if parting is None:
        return [*lines, f"and do the same up to tick {found.last:,}"]
    lines.append(f"they part at tick {parting.tick:,}: {', '.join(parting.differences)}")
    for each, did in ((other, parting.first), (branch.name, parting.second)):
        over = [f"{parting.tick:>8} the run is over"]
        told = over if did is None else trace_lines(session.language, did)
        lines += [f"  {each}:", *(f"    {line}" for line in told)]
    return lines


def _save(console: Console, file: str) -> Answer:
    if not file:
        raise OptionError("name a file, such as maze.walk")
    console.session.save(file)
    return f"saved to {file}"


COMMANDS = (
    Command("watch", VALUE, "show it from now on: watch 5,2, watch stack[0], watch heading",
            _watch),
    Command("unwatch", WATCHED, "show it no more", _unwatch),
    Command("who", PLACE, "who wrote this cell last, and when", lambda on, at:
            told_writer(on.session, at, on.session.who_wrote(*at, on.pause))),
    Command("read", PLACE, "when this cell was read last, and by whom", _read),
    Command("life", PLACE, "all values that this cell has had, or the latest of many", _life,
            ("biography", "bio")),
    Command("why", Argument("VALUE", offers=lambda console: CAUSES), "where this comes from, as a "
            "tree of causes", _why, form="why output N, why cell X,Y, why stack N"),
    Command("output", NUMBER.or_none(), "all that was written up to now; with N, when byte N was, "
            "and by whom", _output),
    Command("branches", NONE, "the courses that the run has taken", _branches),
    Command("compare", BRANCH.or_none(), "where this branch parts from another, or the one before, "
            "and in what", _compare),
    Command("save", FILE, "write the session to a file that can be opened again", _save),
)  # fmt: skip
