"""States as files, from which a run can go on later."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from ..core.errors import PlanewalkError
from ..core.program import Program
from ..core.state import State

FORMAT, VERSION = "planewalk state", 1
DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)


def state_bytes(program: Program, state: State) -> bytes:
    """A state as a file, with the program it belongs to."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "language": program.language.name,
        "program": sha256(program.source).hexdigest(),
        "state": state.to_json(),
    }
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def read_state(program: Program, content: bytes, name: str) -> State:
    """The state in a file, if it belongs to this program."""
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PlanewalkError(f"{name}: this is not a state saved by planewalk")
    if data.get("version") != VERSION:
        raise PlanewalkError(f"{name}: saved in version {data.get('version')!r}, not {VERSION}")
    source = sha256(program.source).hexdigest()
    if (data.get("language"), data.get("program")) != (program.language.name, source):
        raise PlanewalkError(f"{name}: this is a state of another program, or of another version")
    try:
        state = State.from_json(data["state"])
    except DAMAGE as error:
        raise PlanewalkError(f"{name}: this state is damaged: {error}") from None
    state.take_output()  # it was written by the run before
    state.options = program.options
    return state
