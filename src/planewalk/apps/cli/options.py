"""Arguments that several commands have: programs, their input, limits, engines and files."""

from __future__ import annotations

import os
from argparse import ArgumentParser, _ArgumentGroup
from collections.abc import Sequence

from ...core.limits import DEFAULT_MEMORY, show_size
from ...engines.choose import NAMES
from .values import count, seconds, setting, size, whole


def add_run(parser: ArgumentParser, *, steps: int | None = None) -> None:
    """Arguments of one run: its engine and limits, or only `steps` for commands with an engine of
    their own."""
    add_program(parser)
    add_input(parser)
    if steps is None:
        add_limits(parser)
        add_engine(parser)
    else:
        words = f"stop after N steps (default {steps:,})"
        parser.add_argument("--max-steps", metavar="N", type=count, default=steps, help=words)
        add_bounds(parser)
    add_pixel(parser, pixel=True)


def add_painting(parser: ArgumentParser) -> None:
    """Arguments for drawing whole pictures."""
    add_program(parser)
    parser.add_argument(
        "--max-steps", metavar="N", type=count, help="steps a pixel may take (default 10000)"
    )
    add_pixel(parser, pixel=False)


def add_program(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help="the program, or the name of an example; - reads it from standard input",
    )
    add_language(parser)
    add_seed(parser)


def add_language(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--lang", metavar="L", help="the language (default: by suffix, or an image's content)"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=setting,
        help="an option of the language (see planewalk list); may be repeated",
    )


def add_any_language(parser: ArgumentParser, others: str = "") -> None:
    """A language, which need not be installed; `others` are further words allowed there."""
    words = (
        "its name; or of one that is not installed its file, its package's folder, or MODULE:NAME"
    )
    parser.add_argument("language", metavar="LANGUAGE", help=words + others)


def add_seed(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole,
        help="seed of random numbers, for repeatable runs (default: a new one)",
    )


def add_input(parser: ArgumentParser, words: str = "program's") -> None:
    """Input and argument of the program; see `start_program`."""
    parser.add_argument("--input", metavar="F", help=f"the {words} input; - is standard input")
    parser.add_argument(
        "--arg",
        metavar="N",
        help="the number that the program starts with, if its language has one",
    )


def add_output(parser: ArgumentParser, suffixes: str, required: bool = True) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=required, help=f"the file to write: {suffixes}"
    )


def add_printed(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default="-",
        help="the file to write (default: standard output)",
    )


def add_show(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--show", action="store_true", help="show the picture in the terminal; -o is not needed"
    )


def add_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def add_kind(parser: ArgumentParser, suffixes: Sequence[str], usual: str) -> None:
    """`--as`: the kind of file to write, whatever its name."""
    parser.add_argument(
        "--as", dest="kind", choices=[suffix[1:] for suffix in suffixes],
        help=f"write this kind, whatever the name of the file (default for -o -: {usual[1:]})",
    )  # fmt: skip


def add_limits(parser: ArgumentParser) -> None:
    limits = add_bounds(parser)
    limits.add_argument(
        "--max-steps", metavar="N", type=count, help="stop after N steps of the language's clock"
    )
    limits.add_argument(
        "--max-output", metavar="BYTES", type=size, help="stop after that much output"
    )


def add_bounds(parser: ArgumentParser) -> _ArgumentGroup:
    """Limits on the time and memory of a command."""
    limits = parser.add_argument_group("limits")
    limits.add_argument("--max-time", metavar="S", type=seconds, help="stop after S seconds")
    limits.add_argument(
        "--max-memory",
        metavar="SIZE",
        type=size,
        default=DEFAULT_MEMORY,
        help=f"stop when the run holds that much: 64M, 2G (default {show_size(DEFAULT_MEMORY)})",
    )
    return limits


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
        help="compile everything at once, and wait for it (or PLANEWALK_EAGER=1)",
    )


def add_pixel(parser: ArgumentParser, *, pixel: bool) -> None:
    drawing = parser.add_argument_group("for languages that draw")
    if pixel:
        drawing.add_argument("--pixel", metavar="X,Y", help="the pixel to run (default 0,0)")
    size = "64x36, small beside render's 640x360" if pixel else "640x360"
    drawing.add_argument("--size", metavar="WxH", help=f"size of the picture (default {size})")
    drawing.add_argument("--time", metavar="T", help="time in seconds, any number (default 0)")
    drawing.add_argument(
        "--texture",
        metavar="FILE",
        action="append",
        default=[],
        help="a picture that the program can read; may be repeated, the first is 0",
    )
