"""planewalk runs, shows and shares programs written on a plane.

    import planewalk as pw

    run = pw.run("hello.mf")                                    # a file, or else an example
    run.output, run.status, run.steps, run.state
    pw.run(source='"iH",,@', language="mirrorfunge").output     # b'Hi'
    pw.run("adder.png", arg=35).value                           # BMProg: 5
    pw.run("sum.mf", input="3 4 5")                             # what the program reads

    run = pw.run("primes.mf", input="1000", max_steps=500)      # a bit of a run,
    run = pw.run(state=run.state, max_steps=500)                # and some more of it

    print(pw.explain("hello.mf"))                               # what each cell does, in words
    pw.graph("hello.mf").save("hello.svg")                      # the ways it takes
    pw.film("hello.mf").save("film.svg")                        # or .gif, .mp4 ...
    pw.picture("hello.mf", at=20).save("at20.png")              # one moment of it
    pw.render("plasma.wf", time=1.5).save("plasma.png")         # Webfunge: the picture
    pw.convert("hello.bf", to="ref")                            # Brainfuck becomes Refunge

    pw.languages()                                              # what can be run, by name
    pw.examples()                                               # programs to start from

All that these give can be pickled, for processes of your own: Python runs what a pickle says, so
read none of strangers. Sessions that were saved, and `State.from_json`, are for theirs.

Whatever is wrong with a call or a source is a `PlanewalkError` that says so in one line; a program
that misbehaves is none, but a `Run` with the status `fault` or `limit`. Everything is imported when
it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than all of this

__version__ = "0.1.0"

__all__ = [
    "EngineRefused",
    "Example",
    "Explanation",
    "Film",
    "Frames",
    "Graph",
    "Language",
    "LanguageError",
    "Moment",
    "OptionError",
    "Picture",
    "PlanewalkError",
    "Program",
    "Run",
    "Session",
    "SourceError",
    "State",
    "UnknownLanguage",
    "WrongType",
    "__version__",
    "convert",
    "examples",
    "explain",
    "film",
    "graph",
    "languages",
    "load",
    "picture",
    "render",
    "run",
    "session",
]

if TYPE_CHECKING:
    from .apps.conversions import convert
    from .apps.films import Film, Moment, film, picture
    from .apps.insight import Graph, explain, graph
    from .apps.library import Run, load, run
    from .apps.pictures.library import render
    from .apps.pictures.rendered import Frames, Picture
    from .apps.sessions import session
    from .core.errors import (
        EngineRefused,
        LanguageError,
        OptionError,
        PlanewalkError,
        SourceError,
        UnknownLanguage,
        WrongType,
    )
    from .core.language import Language
    from .core.program import Program
    from .core.state import State
    from .debug.session import Session
    from .examples import Example
    from .examples import gallery as examples
    from .languages import all_languages as languages
    from .view.walk.explain import Explanation

_PACKAGES = ("examples", "languages")
"""Names of functions that are packages, too: these are called themselves."""

_HOMES = {
    "Example": "examples",
    "Explanation": "view.walk.explain",
    "Film": "apps.films",
    "Frames": "apps.pictures.rendered",
    "Graph": "apps.insight",
    "Language": "core.language",
    "Moment": "apps.films",
    "Picture": "apps.pictures.rendered",
    "Program": "core.program",
    "Run": "apps.library",
    "Session": "debug.session",
    "State": "core.state",
    "session": "apps.sessions",
    "convert": "apps.conversions",
    "explain": "apps.insight",
    "film": "apps.films",
    "graph": "apps.insight",
    "load": "apps.library",
    "picture": "apps.films",
    "render": "apps.pictures.library",
    "run": "apps.library",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    module = import_module(f".{_HOMES.get(name, 'core.errors')}", __name__)
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return __all__
