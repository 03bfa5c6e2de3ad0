"""planewalk as a library: `load` and `run`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from warnings import warn

from ..core.base.named import NamedTuple
from ..core.engine import Engine
from ..core.errors import OptionError, UnknownLanguage, closest
from ..core.language import Language
from ..core.limits import DEFAULT_MEMORY, Limits, allowing
from ..core.meta.blame import blaming
from ..core.numbers.numerals import to_decimal
from ..core.program import Program
from ..core.state import State
from ..core.step import STATUS, Stop
from ..core.stream import InputStream
from ..core.text import visible
from ..engines.base.policy import EAGER, following, policy_in_force
from ..engines.choose import choose_engine, compiled_ticks
from ..engines.stepping.drive import drive
from ..languages import registry
from ..view.walk.run_report import dumps, outline, whole
from . import arguments
from .arguments import checked
from .sources import read_map, read_program
from .store import DiskStore

if TYPE_CHECKING:
    from ..view.walk.origins import Origins

PathLike = str | os.PathLike[str]
Source = bytes | str | None
LanguageName = str | Language | None

LONGEST_VALUE = 10**20
"""The limit of values that `repr` shows."""


class Run:
    """What came of a run.

    - `output`: the bytes the program wrote
    - `status`: `halted`, `limit`, `waiting`, `stalled` or `fault`; `reason` says more
    - `steps`: how many ticks of the language's clock it took
    - `state`: the complete final `State`, from which `run` goes on; `show()` gives it as plain data
    - `value`: the result of languages that have one (BMProg), else None
    - `log`: what the program noted (Webfunge), else an empty list
    - `colour`: the pixel as (red, green, blue) for languages that draw, else None
    - `seed`, `engine`, `seconds`: how it was run
    - `compiled`: how many of its steps were run in generated Python, and in machine code

    A run that goes on from a state tells of itself: `steps` and `output` are what came since then.
    Its `state` counts from the beginning.
    """

    def __init__(
        self, begun: Begun, stop: Stop, engine: Engine, seconds: float, most: int | None = None
    ) -> None:
        self.language, self.state, self.seed = begun.language, begun.state, begun.seed
        self.stop = stop
        self.engine, self.compiled = engine.name, compiled_ticks(engine)
        self.seconds = seconds
        self.steps = self.state.tick - begun.tick
        self.output = bytes(self.state.output[begun.written - self.state.taken :][:most])

    @property
    def status(self) -> str:
        return STATUS[type(self.stop)]

    @property
    def reason(self) -> str | None:
        return getattr(self.stop, "reason", None)

    @property
    def value(self) -> int | None:
        with blaming(self.language):
            value = self.language.results.value
            return None if value is None else value(self.state)

    @property
    def log(self) -> list[Any]:
        return self.state.log

    @property
    def colour(self) -> tuple[int, int, int] | None:
        with blaming(self.language):
            colour = self.language.drawing.colour
            return None if colour is None else colour(self.state)

    def show(self) -> dict[str, Any]:
        """The final state as plain data, as `planewalk run --json` prints it."""
        with blaming(self.language):
            return self.language.shown(self.state)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, as `planewalk run --json` prints it."""
        more = {name: getattr(self, name) for name in ("output", "seed", "engine", "seconds")}
        answer = outline(self.language, self.state, self.stop, **more)
        return {**whole(self.language, answer), "steps": self.steps}

    def to_json(self) -> str:
        """All of it as one line of JSON."""
        return dumps(self.to_dict())

    def __repr__(self) -> str:
        value, shown = self.value, ""
        if value is not None:
            shown = f", value {to_decimal(value) if abs(value) < LONGEST_VALUE else 'very large'}"
        return f"<Run of {self.language.title}: {self.status} after {self.steps:,} steps{shown}>"


class Begun(NamedTuple):
    """The state that a run starts from, with its tick and output length."""

    language: Language
    state: State
    seed: int
    tick: int
    written: int


@checked(path=arguments.path)
def load(
    path: PathLike | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    **options: Any,
) -> Program:
    """Load a program from a file, or from `source` in the named language.

    Where there is no such file, an example of that name is used, and a warning says so.
    Options are those of the language, with `_` for `-`: `load("a.ref", clear_mode=True)`.

    >>> load(source='"iH",,@', language="mirrorfunge")
    <Program in Mirrorfunge, 7 bytes>
    """
    return load_for(load, path, source, language, options)


def load_for(
    function: Callable[..., Any],
    path: PathLike | None,
    source: Source,
    language: LanguageName,
    options: dict[str, Any],
) -> Program:
    """Load a program for a function of the library; unknown options suggest its other keywords."""
    if (path is None) == (source is None):
        raise OptionError("give either a path or a source")
    name = "" if path is None else os.fspath(path)
    data = arguments.data(read_program(name, warn_caller) if source is None else source)
    if isinstance(language, Language):
        found = language
    elif language is None and not name:
        recognised = registry.recognise("", data)
        if recognised is None:
            raise UnknownLanguage(f"say which language the source is in: {_language_names()}")
        found = recognised
    else:
        found = registry.find(language, name, data)
    return Program(found, data, read_names(function, found, options))


def read_names(
    function: Callable[..., Any], language: Language, options: dict[str, Any]
) -> dict[str, Any]:
    """Options under the names that the language has for them; unknown ones are an error."""
    known = {option.name.replace("-", "_"): option.name for option in language.options}
    for name in options:
        if name not in known:
            meant = closest(name, [*known, *keywords_of(function)])
            offer = f"its options are {', '.join(known)}" if known else "it has none"
            hint = f"did you mean {meant}=...?" if meant else offer
            raise OptionError(f"{language.title} has no option {name!r}; {hint}")
    return {known[name]: value for name, value in options.items()}


def keywords_of(function: Callable[..., Any]) -> list[str]:
    return list(getattr(function, "__wrapped__", function).__kwdefaults__ or ())


def _language_names() -> str:
    return f"language=... ({', '.join(registry.names())})"


def warn_caller(line: str) -> None:
    """Warn about the line that called planewalk, from any depth."""
    depth = 1
    while sys._getframe(depth).f_globals.get("__name__", "").partition(".")[0] == "planewalk":
        depth += 1
    warn(line, stacklevel=depth + 1)


@checked(path=arguments.runnable, input=arguments.pieces)
def run(
    path: PathLike | Program | State | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    state: State | None = None,
    input: bytes | str | Iterable[bytes | str] = b"",
    seed: int | None = None,
    max_steps: int | None = None,
    max_output: int | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    engine: str | None = None,
    eager: bool = False,
    open_input: bool = False,
    **options: Any,
) -> Run:
    """Run a program to its end, or to a limit, and say what came of it.

    `path` is a file, the name of an example, or a `Program` from `load`; or give `source` and
    `language`. `input` is what the program reads: bytes, text, or an iterable of pieces that are
    fetched as the program asks for them. With `open_input` a program that wants more stops with
    status `waiting`. `eager` compiles at once, and waits for it, whatever can be compiled, to
    try out engines. Further keywords are the language's options: `run("add.png", arg=5)`.

    `state` goes on from the state of another run, which stays as it is. `input` is then added to
    what that run has not read yet, and limits count from here on.

    >>> run(source='"iH",,@', language="mirrorfunge").output
    b'Hi'
    >>> first = run(source='"iH",,@', language="mirrorfunge", max_steps=5)
    >>> first.status, first.output, run(state=first.state).output
    ('limit', b'H', b'i')
    """
    limits = Limits(None, None, max_time, max_memory).begun(time.monotonic)
    with allowing(limits):
        begun = begin(path, source, language, state, seed, options)
    state = begun.state
    pieces = _give_input(state.input, input, open_input)
    most = begun.language.rules.default_steps if max_steps is None else max_steps
    limits = limits._replace(
        steps=None if most is None else begun.tick + most,
        output=None if max_output is None else begun.written + max_output,
    )

    def feed(seconds: float | None) -> bytes | None:
        return next(pieces, b"")

    with following(EAGER if eager else policy_in_force()):
        chosen = choose_engine(engine_name(engine), begun.language, state, limits, DiskStore())
    since = time.perf_counter()
    stop = drive(chosen, limits, time.monotonic, feed=None if open_input else feed)
    return Run(begun, stop, chosen, time.perf_counter() - since, max_output)


def begin(
    path: PathLike | Program | State | None,
    source: Source,
    language: LanguageName,
    state: State | None,
    seed: int | None,
    options: dict[str, Any],
) -> Begun:
    """Begin a run: from a program, or from a state of an earlier run."""
    if isinstance(path, State) and state is None:
        path, state = None, path
    if state is None:
        assert not isinstance(path, State)
        program = program_of(run, path, source, language, options)
        seed = program.seed_for(seed)
        first = program.start(seed)
        first.input = InputStream()
        return Begun(program.language, first, seed, 0, 0)
    if not (path is None and source is None and seed is None and not options):
        raise OptionError("a state has its program, its seed and its options already")
    found = _language_of(state, language)
    return Begun(found, state.copy(), state.seed, state.tick, state.written)


def _language_of(state: State, language: LanguageName) -> Language:
    """The language of a state, which may also be given."""
    name = language.name if isinstance(language, Language) else language
    if name is None and not state.language:
        raise UnknownLanguage(f"say which language the state is in: {_language_names()}")
    if name is not None and state.language and name.lower() != state.language:
        raise OptionError(f"the state is one of {state.language}, not of {name}")
    if isinstance(language, Language):
        return language
    return registry.get((name or state.language).lower())


def _give_input(
    stream: InputStream, given: bytes | str | Iterable[bytes | str], stays_open: bool
) -> Iterator[bytes]:
    """Add the given input to a stream; returns the pieces to be fetched later."""
    if isinstance(given, (bytes, str)):
        stream.closed = False
        if given:
            stream.feed(arguments.data(given))
        stream.closed = not stays_open
        return iter(())
    if stays_open:
        raise OptionError("open_input: the input must then be there at once, as bytes or a string")
    stream.closed = False
    return (arguments.data(piece) for piece in given if piece)


def program_of(
    function: Callable[..., Any],
    path: PathLike | Program | None,
    source: Source,
    language: LanguageName,
    options: dict[str, Any],
) -> Program:
    if not isinstance(path, Program):
        return load_for(function, path, source, language, options)
    if source is not None or language is not None or options:
        raise OptionError("a loaded program has its source, language and options already")
    return path


class Started(NamedTuple):
    """The initial state of a program, and its name."""

    language: Language
    state: State
    name: str
    origins: Origins | None
    """Where its cells come from, if that is known."""


def start(
    function: Callable[..., Any],
    limits: Limits,
    path: PathLike | Program | None,
    source: Source,
    language: LanguageName,
    input: bytes | str | None,
    seed: int | None,
    options: dict[str, Any],
) -> Started:
    """Load and start a program within limits. Without input, it ends where it asks for some."""
    name, origins = "program", None
    with allowing(limits):
        program = program_of(function, path, source, language, options)
        if path is not None and not isinstance(path, Program):
            name, origins = visible(os.path.basename(path)), read_map(os.fspath(path), warn_caller)
        state = program.start(seed)
    state.input = InputStream(closed=False) if input is None else InputStream(arguments.data(input))
    return Started(program.language, state, name, origins)


def engine_name(name: str | None) -> str:
    """The engine given, else that of the environment."""
    return name or os.environ.get("PLANEWALK_ENGINE", "auto")
