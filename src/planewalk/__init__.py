"""planewalk runs, shows and shares programs written on a plane.

    import planewalk as pw

    run = pw.run("hello.ref")
    run.output, run.status, run.steps, run.state

    pw.run(source='"iH",,@', language="mirrorfunge").output     # b'Hi'
    pw.run("adder.png", arg=35).value                           # BMProg
    pw.render("plasma.wf", size=(640, 360), time=1.5)           # Webfunge: a picture
    pw.film("hello.ref").save("hello.svg")                      # or .gif, .mp4 ...; pw.picture
    pw.languages()                                              # what can be run

Everything is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "EngineRefused",
    "Film",
    "Frames",
    "Language",
    "Moment",
    "OptionError",
    "Picture",
    "PlanewalkError",
    "Program",
    "Run",
    "SourceError",
    "State",
    "UnknownLanguage",
    "__version__",
    "film",
    "languages",
    "load",
    "picture",
    "render",
    "run",
]

if TYPE_CHECKING:
    from .apps.films import Film, Moment, film, picture
    from .apps.library import Run, languages, load, run
    from .apps.pictures.library import render
    from .apps.pictures.picture import Frames, Picture
    from .core.errors import (
        EngineRefused,
        OptionError,
        PlanewalkError,
        SourceError,
        UnknownLanguage,
    )
    from .core.language import Language
    from .core.program import Program
    from .core.state import State

_HOMES = {
    "Film": "apps.films",
    "Moment": "apps.films",
    "film": "apps.films",
    "picture": "apps.films",
    "Run": "apps.library",
    "languages": "apps.library",
    "load": "apps.library",
    "run": "apps.library",
    "render": "apps.pictures.library",
    "Frames": "apps.pictures.picture",
    "Picture": "apps.pictures.picture",
    "Language": "core.language",
    "Program": "core.program",
    "State": "core.state",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{_HOMES.get(name, 'core.errors')}", __name__)
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return __all__
