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
from typing import Any, TypeVar

from ..core.errors import LimitReached, PlanewalkError, UnknownLanguage
from ..core.limits import allowed
from ..core.program import Program
from ..core.state import State, freeze, thaw
from .replay.branch import MAIN, Arrival, Branch
from .replay.replay import Replay

R = TypeVar("R", bound=Replay)

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


def to_bytes(replay: Replay) -> bytes:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "language": replay.language.name,
        "source": _encode(replay.program.source),
        "options": {name: freeze(value) for name, value in replay.program.options.items()},
        "seed": str(replay.seed),
        "branches": [_branch_to_json(branch) for branch in replay.branches.values()],
        "branch": replay.branch.name,
        "tick": replay.tick,
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
    make: Callable[..., R],
    content: bytes,
    language: Callable[[str], Any],
    tell: Callable[[Branch], None] = lambda branch: None,
    **settings: Any,
) -> R:
    """The session that a file holds, at the tick it was saved at. `make` is its class; `language`
    finds one by name; `tell` may say more of each branch."""
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
        return _read(make, data, language, tell, settings)
    except (WalkFileError, UnknownLanguage, LimitReached):
        raise
    except _DAMAGE as error:
        raise WalkFileError(f"this session file is damaged: {error}") from None


def _read(
    make: Callable[..., R],
    data: _Checked,
    language: Callable[[str], Any],
    tell: Callable[[Branch], None],
    settings: dict[str, Any],
) -> R:
    options = {name: thaw(value) for name, value in data.get("options", dict).items()}
    program = Program(language(data.get("language", str)), data.bytes("source"), options)
    seed = data.get("seed", str)
    if not seed.lstrip("-").isdecimal() or len(seed) > MOST_DIGITS:
        raise ValueError("'seed' is no whole number")
    branches = [_Checked(entry, "a branch") for entry in data.get("branches", list)]
    first = branches[0]
    begun = first.bytes("arrived")[: first.get("begun", int)]
    replay = make(program, begun if first.get("closed", bool) else None, int(seed), **settings)
    with replay.asking(_is_late):
        for entry in branches:
            tell(_restore(replay, entry))
        replay.switch(data.get("branch", str))
        _reach(replay, data.get("tick", int))
    return replay


_watch: ContextVar[Callable[[int, int], None]] = ContextVar("watch", default=lambda *_: None)


@contextmanager
def watching(watch: Callable[[int, int], None]) -> Iterator[None]:
    """While this lasts, `watch` is told the tick of a session being opened, and its goal."""
    before = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(before)


def _is_late() -> bool:
    """Whether the time for opening a session is over."""
    return allowed().deadline.left() <= 0


def _reach(replay: Replay, tick: int) -> None:
    """Run up to a tick, in the time that there is."""

    def pause() -> bool:
        _watch.get()(replay.tick, tick)
        return _is_late()

    replay.goto(tick, pause)
    if replay.stop is None and replay.tick < tick:
        raise LimitReached(
            f"tick {tick:,} is too far: {replay.tick:,} were run in the time that there is "
            "(max_time=...); saved at an earlier tick, it opens sooner",
            "time",
        )


def _restore(replay: Replay, entry: _Checked) -> Branch:
    """Bring back one branch: its beginning and what came in."""
    name = entry.get("name", str)
    arrived = entry.bytes("arrived")
    if name != MAIN:
        state = State.from_json(entry.get("state", dict))
        state.take_output()
        parent = replay.branches[entry.get("parent", str)]
        begun = arrived[: entry.get("begun", int)]
        replay.switch(parent.name)
        _reach(replay, state.tick)
        if replay.tick != state.tick or replay.branch is not parent:
            raise ValueError(f"{name!r} begins at tick {state.tick:,}, where its run never comes")
        branch = Branch(
            name,
            state,
            begun,
            output=replay.output,
            parent=parent.name,
            change=entry.get("change", str),
            budget=replay.budget,
        )
        branch.note_replaced(replay.state.plane)
        replay.branches[name] = branch
    branch = replay.branches[name]
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
