"""The arguments that say which program is meant, and loading it."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Sequence
from typing import Any

from ...core.errors import OptionError, PlanewalkError, SourceError
from ...core.language import Language
from ...core.limits import DEFAULT_MEMORY, Limits, allowance, show_size
from ...core.pictures import read_picture
from ...core.program import Program
from ...core.state import State
from ...core.step import Spent, Stop
from ...core.stream import InputStream
from ...engines.choose import NAMES
from ...languages import registry
from ...view.report import explain_stop
from .files import read_file, read_program
from .main import LIMIT, complain
from .values import count, seconds, setting, size, whole

PIXEL_OPTIONS = ("pixel", "size", "time")
HELD = 2
"""How often the pixels of a texture are in memory: by themselves, and with those of all others."""


def add_program(parser: ArgumentParser, *, several: bool = False) -> None:
    if several:
        parser.add_argument("files", metavar="FILE", nargs="+", help="the programs")
    else:
        parser.add_argument(
            "file",
            metavar="FILE",
            help="the program, or the name of an example; - reads it from standard input",
        )
    parser.add_argument(
        "--lang", metavar="L", help="the language; else the suffix or an image's content tells"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=setting,
        help="an option of the language (see planewalk list); may be repeated",
    )
    parser.add_argument(
        "--seed", metavar="N", type=whole, help="make chance repeatable; fresh if not given"
    )


def add_input(parser: ArgumentParser) -> None:
    """What `start_program` gives the program."""
    parser.add_argument("--input", metavar="F", help="the program's input; - is standard input")
    add_number(parser)


def add_number(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--arg",
        metavar="N",
        help="the number that the program starts with, if its language has one",
    )


def add_output(parser: ArgumentParser, suffixes: str, required: bool = True) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=required, help=f"the file to write: {suffixes}"
    )


def add_kind(parser: ArgumentParser, suffixes: Sequence[str], usual: str) -> None:
    """`--as`: what is written where a name does not say it."""
    parser.add_argument(
        "--as", dest="kind", choices=[suffix[1:] for suffix in suffixes],
        help=f"write that kind whatever the name of the file is; {usual[1:]} is usual for -o -",
    )  # fmt: skip


def kind_of(arguments: Namespace, suffixes: tuple[str, ...], usual: str) -> str:
    """The suffix of what is to be written."""
    from ..writers import suffix_of

    if arguments.kind is not None:
        return f".{arguments.kind}"
    return usual if arguments.output == "-" else suffix_of(arguments.output, suffixes)


def add_limits(parser: ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--max-steps", metavar="N", type=count, help="stop after N steps of the language's clock"
    )
    limits.add_argument("--max-output", metavar="BYTES", type=size, help="stop after that output")
    add_bounds(limits)


def add_bounds(limits: ArgumentParser | _ArgumentGroup) -> None:
    """The limits on what a command takes, whatever it does."""
    limits.add_argument("--max-time", metavar="S", type=seconds, help="stop after S seconds")
    limits.add_argument(
        "--max-memory",
        metavar="SIZE",
        type=size,
        default=DEFAULT_MEMORY,
        help=f"stop when the run holds that much: 64M, 2G (default {show_size(DEFAULT_MEMORY)})",
    )


def add_engine(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        metavar="E",
        default=os.environ.get("PLANEWALK_ENGINE") or "auto",
        help=f"{', '.join(NAMES)} (default auto, or PLANEWALK_ENGINE)",
    )
    parser.add_argument(
        "--eager",
        action="store_true",
        help="compile at once, and wait for it, whatever can be compiled (or PLANEWALK_EAGER=1)",
    )


def add_pixel(parser: ArgumentParser, *, pixel: bool) -> None:
    drawing = parser.add_argument_group("for languages that draw")
    if pixel:
        drawing.add_argument("--pixel", metavar="X,Y", help="the pixel to run (default 0,0)")
    size = "64x36, small beside render's 640x360" if pixel else "640x360"
    drawing.add_argument("--size", metavar="WxH", help=f"size of the picture (default {size})")
    drawing.add_argument("--time", metavar="T", help="seconds, any number (default 0)")
    drawing.add_argument(
        "--texture",
        metavar="FILE",
        action="append",
        default=[],
        help="a picture that the program can look at; may be repeated, the first is 0",
    )


def add_pixel_steps(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--max-steps", metavar="N", type=count, help="steps a pixel may take (default 10000)"
    )


def load_program(arguments: Namespace) -> Program:
    """The program the arguments name, with its options."""
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
    try:
        return Program(language, source, options)
    except OptionError as error:
        raise OptionError(as_written(str(error), arguments)) from None


def start_program(arguments: Namespace) -> tuple[Language, State]:
    """The program's language and first state, with `--input` to read.

    Without it the input stays open: whoever looks at the run sees it stop where it asks for some.
    """
    program = load_program(arguments)
    try:
        state = program.start(arguments.seed)
    except (SourceError, OptionError) as error:
        raise at_file(arguments.file, error) from None
    if arguments.input is None:
        state.input = InputStream(closed=False)
    else:
        state.input = InputStream(read_file(arguments.input, "file of input"))
    return program.language, state


def as_written(message: str, arguments: Namespace) -> str:
    """Name an option the way the user wrote it."""
    name, colon, rest = message.partition(":")
    written = f"--{name}" if getattr(arguments, name, None) is not None else f"--set {name}"
    return f"{written}:{rest}" if colon and " " not in name else message


def at_file(name: str, error: PlanewalkError) -> PlanewalkError:
    """The same error, with the file it is about."""
    return type(error)(f"{'standard input' if name == '-' else name}: {error}")


def limits_of(arguments: Namespace, language: Language | None = None) -> Limits:
    """The limits that were asked for. Their time runs since somebody asked for them first."""
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
    """The exit code of a command that looks at a run, with a line if a limit has cut it short."""
    if not isinstance(stop, Spent) or stop.reason == "steps":
        return 0
    return complain(f"{arguments.file}: {explain_stop(stop, steps, limits_of(arguments))}", LIMIT)


def read_textures(names: list[str]) -> list[tuple[int, int, bytes]]:
    """Pictures as width, height and RGB bytes; all of them share the memory that is allowed."""
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
