"""`planewalk.session`: a run of a program, or of a session file, to be walked through."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from ..core.base.deadline import NEVER
from ..core.engine import Engine
from ..core.errors import LimitReached, OptionError, UnknownLanguage
from ..core.language import Language
from ..core.limits import DEFAULT_MEMORY, Limits, allowed, allowing
from ..core.program import Program
from ..core.state import State
from ..debug.replay.keyframes import BUDGET
from ..debug.session import Session
from ..debug.walkfile import MOST_BYTES, WalkFileError, from_bytes, same_program
from ..engines.choose import choose_engine
from ..engines.native.shelf import Shelf
from ..languages import registry
from .arguments import checked
from .draft import is_special, write_with
from .library import LanguageName, PathLike, Source, engine_name, program_of
from .sources import read_file
from .store import DiskStore

SUFFIX = ".walk"


@checked()
def session(
    path: PathLike | Program | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    input: bytes | str | None = None,
    seed: int | None = None,
    max_steps: int | None = None,
    max_output: int | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    engine: str | None = None,
    history_memory: int = BUDGET,
    **options: Any,
) -> Session:
    """A run of a program that can be walked in both directions.

    `path` is a file, the name of an example, a `Program` from `load`, or a session that was saved;
    or give `source` and `language`. Input that is given is all there is; without any, the run waits
    until it is fed. `history_memory` bounds what is kept of the past, in bytes, and `max_time` the
    seconds for opening: a session that was saved is run to its moment again.

    >>> walk = session(source='"iH",,@', language="mirrorfunge")
    >>> walk.end(), walk.back(2), walk.tick, walk.output
    (Halted(), None, 5, b'H')
    """
    settings: dict[str, Any] = {
        "limits": Limits(max_steps, max_output, None, max_memory),
        "budget": history_memory,
        "engine": EngineMaker(engine_name(engine)),
        "write": _write,
    }
    limits = allowed()
    if max_time is not None:
        limits = limits._replace(seconds=max_time, deadline=NEVER).begun(monotonic)
    with allowing(limits):
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith(SUFFIX):
            return _opened(os.fspath(path), settings)
        program = program_of(session, path, source, language, options)
    data = input.encode() if isinstance(input, str) else input
    return Session(program, data, seed, **settings)


class EngineMaker:
    """Makes engines for one session, which share their code."""

    def __init__(self, name: str) -> None:
        self.name, self.store = name, Shelf(DiskStore())

    def __call__(self, language: Language, state: State, limits: Limits) -> Engine:
        return choose_engine(self.name, language, state, limits, self.store)

    def __reduce__(self) -> tuple[Any, ...]:
        return EngineMaker, (self.name,)  # code stays where it was made


def _opened(path: str, settings: dict[str, Any]) -> Session:
    try:
        return from_bytes(Session, _read(path), registry.get, **settings)
    except (WalkFileError, UnknownLanguage) as error:
        raise WalkFileError(f"{path!r} cannot be opened: {error}") from None
    except LimitReached as error:
        raise LimitReached(f"{path!r} cannot be opened: {error}", error.reason) from None


def _write(path: str, data: bytes) -> None:
    """Save a session, but replace only session files of the same program."""
    if is_special(path):
        raise OptionError(f"{path!r} is not a plain file; choose another name")
    if os.path.exists(path) and not same_program(_read(path), data):
        raise OptionError(
            f"{path!r} is not a session of this program, and is not replaced; choose another name"
        )
    write_with(path, lambda file: file.write(data))


def writer_below(folder: str) -> Callable[[str, bytes], None]:
    """A function that saves sessions only inside one folder."""
    return partial(_write_below, os.path.realpath(folder))


def _write_below(above: str, path: str, data: bytes) -> None:
    try:
        target = os.path.realpath(os.path.join(above, path))
    except ValueError:
        raise OptionError(f"{path!r} is the name of no file") from None
    if os.path.commonpath([above, target]) != above:
        raise OptionError(f"{path!r} is not below {above!r}; choose a name there")
    _write(target, data)


def _read(path: str) -> bytes:
    try:
        with allowing(allowed()._replace(memory=MOST_BYTES)):
            return read_file(path, "session")
    except LimitReached as error:
        if error.reason == "time":
            raise
        raise OptionError(f"{path!r} is larger than any session file") from None
