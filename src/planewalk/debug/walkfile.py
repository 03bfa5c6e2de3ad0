"""Sessions as files: what a run needs to be walked again, as plain JSON.

A file holds the program, its options, the seed, all input with the ticks it came at, the branches
and the tick that was looked at. States are not in it but for those that forks began with: all
others come back by running. It is data, every field of it is checked, and nothing in it is run but
the program, within limits.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..core.errors import LimitReached, PlanewalkError, UnknownLanguage
from ..core.limits import allowed
from ..core.program import Program
from ..core.state import State, freeze, thaw
from .replay.branch import Arrival, Branch
from .session import MAIN, Session

FORMAT, VERSION = "planewalk session", 1
MOST_BYTES = 256 << 20
MOST_DIGITS = 4000
_DAMAGE = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    PlanewalkError,
)


class WalkFileError(PlanewalkError):
    """A file is no session that can be opened here."""


def to_bytes(session: Session) -> bytes:
    """The session as the contents of a file."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "language": session.language.name,
        "source": _encode(session.program.source),
        "options": {name: freeze(value) for name, value in session.program.options.items()},
        "seed": str(session.seed),
        "branches": [_branch_to_json(branch) for branch in session.branches.values()],
        "branch": session.branch.name,
        "tick": session.tick,
    }
    return json.dumps(data, separators=(",", ":")).encode()


def _branch_to_json(branch: Branch) -> dict[str, Any]:
    first = branch.keyframes.first
    data: dict[str, Any] = {
        "name": branch.name,
        "arrived": _encode(bytes(branch.arrived)),
        "begun": first.length,
        "closed": first.closed,
        "arrivals": [list(arrival) for arrival in branch.arrivals],
        "reached": branch.reached,
    }
    if branch.parent is not None:
        data |= {"parent": branch.parent, "change": branch.change, "state": first.thaw().to_json()}
    return data


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def from_bytes(
    content: bytes,
    language: Callable[[str], Any],
    tell: Callable[[Branch], None] = lambda branch: None,
    **settings: Any,
) -> Session:
    """The session that a file holds, at the tick it was saved at. `language` finds one by name;
    `tell` may say more of each branch."""
    try:
        data = _Checked(json.loads(content), "the file")
    except (ValueError, RecursionError):
        raise WalkFileError("this is no session file: it is not JSON, or was cut off") from None
    if data.get("format", str) != FORMAT:
        raise WalkFileError("this is no session file")
    version = data.get("version", int)
    if version != VERSION:
        raise WalkFileError(
            f"this session was saved in version {version} of the format, and this planewalk reads "
            f"version {VERSION}: open it with the planewalk that saved it"
        )
    try:
        return _read(data, language, tell, settings)
    except (WalkFileError, UnknownLanguage, LimitReached):
        raise
    except _DAMAGE as error:
        raise WalkFileError(f"this session file is damaged: {error}") from None


def _read(
    data: _Checked,
    language: Callable[[str], Any],
    tell: Callable[[Branch], None],
    settings: dict[str, Any],
) -> Session:
    options = {name: thaw(value) for name, value in data.get("options", dict).items()}
    program = Program(language(data.get("language", str)), data.bytes("source"), options)
    seed = _seed(data.get("seed", str))
    branches = [_Checked(entry, "a branch") for entry in data.get("branches", list)]
    first = branches[0]
    begun = first.bytes("arrived")[: first.get("begun", int)]
    closed = first.get("closed", bool)
    session = Session(program, begun if closed else None, seed, **settings)
    if begun and not closed:
        session.feed(begun)
    with session.asking(_is_late):
        for entry in branches:
            tell(_restore(session, entry))
        session.switch(data.get("branch", str))
        _reach(session, data.get("tick", int))
    return session


_watch: ContextVar[Callable[[int, int], None]] = ContextVar("watch", default=lambda *_: None)


@contextmanager
def watching(watch: Callable[[int, int], None]) -> Iterator[None]:
    """While this lasts, `watch` is told now and then how far a session is that is being opened: its
    tick, and the one that it is run to."""
    before = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(before)


def _is_late() -> bool:
    """Whether whoever opens a session does not wait any longer."""
    return allowed().deadline.left() <= 0


def _reach(session: Session, tick: int) -> None:
    """Run up to a tick, in the time that there is."""

    def pause() -> bool:
        _watch.get()(session.tick, tick)
        return _is_late()

    session.goto(tick, pause)
    if session.stop is None and session.tick < tick:
        raise LimitReached(
            f"tick {tick:,} is too far: {session.tick:,} were run in the time that there is "
            "(max_time=...); saved at an earlier tick, it opens sooner",
            "time",
        )


def _seed(words: str) -> int:
    if not words.lstrip("-").isdecimal() or len(words) > MOST_DIGITS:
        raise ValueError("'seed' is no whole number")
    return int(words)


def _restore(session: Session, entry: _Checked) -> Branch:
    """Bring back one branch: its beginning and what came in."""
    name = entry.get("name", str)
    arrived = entry.bytes("arrived")
    if name != MAIN:
        state = State.from_json(entry.get("state", dict))
        state.take_output()
        parent = session.branches[entry.get("parent", str)]
        begun = arrived[: entry.get("begun", int)]
        session.switch(parent.name)
        _reach(session, state.tick)
        if session.tick != state.tick or session.branch is not parent:
            raise ValueError(f"{name!r} begins at tick {state.tick:,}, where its run never comes")
        branch = Branch(
            name,
            state,
            begun,
            output=session.output,
            parent=parent.name,
            change=entry.get("change", str),
            budget=session.budget,
        )
        branch.note_replaced(session.state.plane)
        session.branches[name] = branch
    branch = session.branches[name]
    branch.arrived[:] = arrived
    branch.arrivals = [_arrival(item, len(arrived)) for item in entry.get("arrivals", list)]
    ticks = [branch.begins, *(arrival.tick for arrival in branch.arrivals)]
    if ticks != sorted(ticks):
        raise ValueError("input comes in the order of its ticks")
    return branch


def _arrival(item: Any, most: int) -> Arrival:
    tick, end, closes = item
    if not (type(tick) is int and type(end) is int and type(closes) is bool and 0 <= end <= most):
        raise ValueError(f"{item!r} is no arrival of input")
    return Arrival(tick, end, closes)


def same_program(one: bytes, other: bytes) -> bool:
    """Whether two files are sessions of one program; what is no session is of none."""
    try:
        first, second = (json.loads(content) for content in (one, other))
        keys = ("format", "language", "source")
        return all(first[key] == second[key] for key in keys) and first["format"] == FORMAT
    except (ValueError, RecursionError, TypeError, KeyError):
        return False


class _Checked:
    """A JSON object whose fields are checked as they are asked for."""

    def __init__(self, data: Any, what: str) -> None:
        if not isinstance(data, Mapping):
            raise WalkFileError(f"this is no session file: {what} is not an object")
        self.data, self.what = data, what

    def get(self, name: str, kind: type) -> Any:
        value = self.data.get(name)
        if type(value) is not kind:
            raise WalkFileError(f"this session file is damaged: {name!r} of {self.what}")
        return value

    def bytes(self, name: str) -> bytes:
        try:
            return base64.b64decode(self.get(name, str), validate=True)
        except binascii.Error:
            raise WalkFileError(f"this session file is damaged: {name!r}") from None
