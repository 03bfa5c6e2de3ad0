"""planewalk as a library: `load`, `run` and `languages`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any
from warnings import warn

from ..core.errors import OptionError
from ..core.language import Language
from ..core.limits import DEFAULT_MEMORY, Limits
from ..core.numerals import to_decimal
from ..core.program import Program
from ..core.state import State
from ..core.step import STATUS, Stop
from ..core.stream import InputStream
from ..engines.choose import choose_engine
from ..engines.drive import drive
from ..languages import registry
from ..view.report import dumps, report
from .sources import read_program
from .store import DiskStore

PathLike = str | os.PathLike[str]


class Run:
    """What came of a run.

    - `output`: the bytes the program wrote
    - `status`: `halted`, `limit`, `waiting`, `stalled` or `fault`; `reason` says more
    - `steps`: how many ticks of the language's clock it took
    - `state`: the complete final `State`; `show()` gives it as plain data
    - `value`: the result of languages that have one (BMProg), else None
    - `log`: what the program noted (Webfunge), else an empty list
    - `colour`: the pixel as (red, green, blue) for languages that draw, else None
    - `seed`, `engine`, `seconds`: how it was run
    """

    def __init__(
        self, language: Language, state: State, stop: Stop, seed: int, engine: str, seconds: float
    ) -> None:
        self.language = language
        self.state = state
        self.stop = stop
        self.seed = seed
        self.engine = engine
        self.seconds = seconds
        self.output = bytes(state.output)

    @property
    def status(self) -> str:
        return STATUS[type(self.stop)]

    @property
    def reason(self) -> str | None:
        return getattr(self.stop, "reason", None)

    @property
    def steps(self) -> int:
        return self.state.tick

    @property
    def value(self) -> int | None:
        return None if self.language.value is None else self.language.value(self.state)

    @property
    def log(self) -> list[Any]:
        return self.state.log

    @property
    def colour(self) -> tuple[int, int, int] | None:
        return None if self.language.colour is None else self.language.colour(self.state)

    def show(self) -> dict[str, Any]:
        """The final state as plain data, as `planewalk run --json` prints it."""
        return self.language.show(self.state)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, as `planewalk run --json` prints it."""
        return report(
            self.language,
            self.state,
            self.stop,
            output=self.output,
            seed=self.seed,
            engine=self.engine,
            seconds=self.seconds,
        )

    def to_json(self) -> str:
        """All of it as one line of JSON."""
        return dumps(self.to_dict())

    def __repr__(self) -> str:
        value = "" if self.value is None else f", value {to_decimal(self.value)}"
        return f"<Run of {self.language.title}: {self.status} after {self.steps:,} steps{value}>"


def load(
    path: PathLike | None = None,
    *,
    source: bytes | str | None = None,
    language: str | None = None,
    **options: Any,
) -> Program:
    """Load a program from a file, or from `source` in the named language.

    Where there is no such file, an example of that name is used, and a warning says so.
    Options are those of the language, with `_` for `-`: `load("a.ref", clear_mode=True)`.

    >>> load(source='"iH",,@', language="mirrorfunge")
    <Program in Mirrorfunge, 7 bytes>
    """
    if (path is None) == (source is None):
        raise OptionError("give either a path or a source")
    if source is None:
        assert path is not None
        name = os.fspath(path)
        source = read_program(name, warn_caller)
    else:
        name = "source"
        source = source.encode() if isinstance(source, str) else bytes(source)
    found = registry.find(language, name, source)
    return Program(found, source, {key.replace("_", "-"): value for key, value in options.items()})


def warn_caller(line: str) -> None:
    """A warning about the line that called planewalk, however deep inside it was found."""
    depth = 1
    while sys._getframe(depth).f_globals["__name__"].partition(".")[0] == "planewalk":
        depth += 1
    warn(line, stacklevel=depth + 1)


def run(
    path: PathLike | Program | None = None,
    *,
    source: bytes | str | None = None,
    language: str | None = None,
    input: bytes | str | Iterable[bytes] = b"",
    seed: int | None = None,
    max_steps: int | None = None,
    max_output: int | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    engine: str | None = None,
    open_input: bool = False,
    **options: Any,
) -> Run:
    """Run a program to its end, or to a limit, and say what came of it.

    `path` is a file or a `Program` from `load`; or give `source` and `language`. `input` is what
    the program reads: bytes, text, or an iterable of pieces that are fetched as the program asks
    for them. With `open_input` a program that wants more stops with status `waiting`. Further
    keywords are the language's options: `run("add.png", arg=5)`.

    >>> run(source='"iH",,@', language="mirrorfunge").output
    b'Hi'
    """
    program = program_of(path, source, language, options)
    if max_steps is None:
        max_steps = program.language.default_steps
    limits = Limits(max_steps, max_output, max_time, max_memory)
    for name, limit in (("max_steps", max_steps), ("max_output", max_output),
                        ("max_time", max_time), ("max_memory", max_memory)):  # fmt: skip
        if limit is not None and limit < 0:
            raise OptionError(f"{name} must not be negative, but is {limit}")
    seed = program.seed_for(seed)
    state = program.start(seed)
    pieces: Iterator[bytes] = iter(())
    if isinstance(input, (bytes, bytearray, str)):
        data = input.encode() if isinstance(input, str) else bytes(input)
        state.input = InputStream(data, closed=not open_input)
    else:
        pieces = iter(input)
        state.input = InputStream(closed=False)

    def feed(seconds: float | None) -> bytes | None:
        return next((piece for piece in pieces if piece), b"")

    chosen = choose_engine(engine_name(engine), program.language, state, limits, DiskStore())
    began = time.perf_counter()
    stop = drive(chosen, limits, time.monotonic, feed=None if open_input else feed)
    seconds = time.perf_counter() - began
    result = Run(program.language, state, stop, seed, chosen.name, seconds)
    if max_output is not None:
        result.output = result.output[:max_output]
    return result


def program_of(
    path: PathLike | Program | None,
    source: bytes | str | None,
    language: str | None,
    options: dict[str, Any],
) -> Program:
    """The program that is meant: one that is loaded already, or else is loaded now."""
    if not isinstance(path, Program):
        return load(path, source=source, language=language, **options)
    if source is not None or language is not None or options:
        raise OptionError("a loaded program has its source, language and options already")
    return path


def engine_name(name: str | None) -> str:
    """The engine that is asked for here, else in the environment."""
    return name or os.environ.get("PLANEWALK_ENGINE", "auto")


def languages() -> dict[str, Language]:
    """All languages by name.

    >>> sorted(languages())[:5]
    ['bmprog', 'gemooy', 'mirrorfunge', 'refunge', 'webfunge']
    """
    return {name: registry.get(name) for name in registry.names()}
