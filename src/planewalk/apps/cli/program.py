"""Loading the program that the arguments name."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.errors import OptionError, PlanewalkError, SourceError
from ...core.images.reading import read_picture
from ...core.language import Language
from ...core.limits import DEFAULT_MEMORY, Limits, allowance
from ...core.program import Program
from ...core.state import State
from ...core.step import Spent, Stop
from ...core.stream import InputStream
from ...languages import registry
from ...view.walk.run_report import explain_stop
from .files import read_file, read_program
from .outcome import LIMIT, complain

PIXEL_OPTIONS = ("pixel", "size", "time")
HELD = 2
"""Copies of each texture in memory: its own pixels, and those of all textures together."""


def kind_of(arguments: Namespace, suffixes: tuple[str, ...], usual: str) -> str:
    """The suffix of the file to write."""
    from ..writers import suffix_of

    if arguments.kind is not None:
        return f".{arguments.kind}"
    return usual if arguments.output == "-" else suffix_of(arguments.output, suffixes)


def load_program(arguments: Namespace) -> Program:
    """Load the program that the arguments name, with its options."""
    source = read_program(arguments.file)
    language = registry.find(arguments.lang, arguments.file, source)
    options: dict[str, Any] = {}
    for key, value in arguments.set:
        if key in options:
            raise OptionError(f"the option {key!r} is given twice")
        options[key] = value
    for key in ("arg", *PIXEL_OPTIONS):
        value = getattr(arguments, key, None)
        if value is not None:
            if key in options:
                raise OptionError(f"{key!r} is given twice, with --set and with --{key}")
            options[key] = value
    if getattr(arguments, "texture", None):
        if "texture" in options:
            raise OptionError("'texture' is given twice, with --set and with --texture")
        options["texture"] = read_textures(arguments.texture)
    with as_written(arguments):
        return Program(language, source, options)


def start_program(arguments: Namespace) -> tuple[Language, State]:
    """The program's language and initial state. Without `--input` the input stays open, and the run
    stops where it asks for some."""
    program = load_program(arguments)
    with naming(arguments.file):
        state = program.start(arguments.seed)
    if arguments.input is None:
        state.input = InputStream(closed=False)
    else:
        state.input = InputStream(read_file(arguments.input, "file of input"))
    return program.language, state


@contextmanager
def as_written(arguments: Namespace) -> Iterator[None]:
    """Name options in errors as the user wrote them."""
    try:
        yield
    except OptionError as error:
        name, colon, rest = str(error).partition(":")
        if not colon or " " in name:
            raise
        written = f"--{name}" if getattr(arguments, name, None) is not None else f"--set {name}"
        raise OptionError(f"{written}:{rest}") from None


@contextmanager
def naming(
    name: str, kinds: tuple[type[PlanewalkError], ...] = (SourceError, OptionError)
) -> Iterator[None]:
    """Add the name of the file to errors of these kinds."""
    try:
        yield
    except kinds as error:
        file = "standard input" if name == "-" else name
        raise type(error)(f"{file}: {error}") from None


def limits_of(arguments: Namespace, language: Language | None = None) -> Limits:
    """The limits from the command line; the time runs from the first call on."""
    if not hasattr(arguments, "limits"):
        steps = getattr(arguments, "max_steps", None)
        output = getattr(arguments, "max_output", None)
        seconds = getattr(arguments, "max_time", None)
        memory = getattr(arguments, "max_memory", None)
        memory = DEFAULT_MEMORY if memory is None else memory
        arguments.limits = Limits(steps, output, seconds, memory).begun(time.monotonic)
    limits: Limits = arguments.limits
    if limits.steps is None and language is not None:
        return limits._replace(steps=language.rules.default_steps)
    return limits


def stopped(arguments: Namespace, stop: Stop | None, steps: int) -> int:
    """The exit code of a command that inspects a run, with a line if a limit cut the run short."""
    if not isinstance(stop, Spent) or stop.reason == "steps":
        return 0
    return complain(f"{arguments.file}: {explain_stop(stop, steps, limits_of(arguments))}", LIMIT)


def read_textures(names: list[str]) -> list[tuple[int, int, bytes]]:
    """The textures as width, height and RGB bytes; they share the memory that is allowed."""
    room, found = allowance(), []
    for name in names:
        data = read_file(name, "picture")
        try:
            image = read_picture(data, room).convert("RGB")
        except SourceError as error:
            raise SourceError(f"{name!r} is not a picture to take colours from: {error}") from None
        except ValueError as error:
            raise SourceError(f"{name!r} has no colours of red, green and blue: {error}") from None
        found.append((image.width, image.height, image.tobytes()))
        room -= HELD * len(found[-1][2])
    return found
