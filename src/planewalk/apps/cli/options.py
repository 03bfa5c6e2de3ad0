"""Options as rows of text, and the blocks of them that several commands have."""

from __future__ import annotations

import os
from argparse import ArgumentParser, BooleanOptionalAction, _ArgumentGroup
from collections.abc import Sequence
from typing import Any

from ...core.limits import DEFAULT_MEMORY, show_size
from ...engines.choose import NAMES
from .values import box, count, seconds, setting, size, whole

TYPES = {"N": count, "S": seconds, "SIZE": size, "BYTES": size, "KEY=VALUE": setting,
         "X,Y,W,H": box}  # fmt: skip
"""The types of values, by what help pages call them."""


def add(to: ArgumentParser | _ArgumentGroup, rows: str, /, **more: Any) -> None:
    """Add options, each a row as on a help page: its names, the word for its value, and after two
    blanks what it does. Without a value it is a switch; with `...` it may be repeated. By name
    there may be `more`: a type, a default, or a dictionary for argparse."""
    found: list[str] = []
    for line in rows.strip().splitlines():
        if line.lstrip().startswith("-"):
            found.append(line.strip())
        else:
            found[-1] += f" {line.strip()}"
    for row in found:
        head, _, words = row.partition("  ")
        names = [word.rstrip(",") for word in head.split() if word.startswith("-")]
        value = head.split()[len(names) :]
        name = names[-1].removeprefix("--").removeprefix("[no-]")
        given = more.get(name.replace("-", "_"), {})
        if not isinstance(given, dict):
            given = {"type" if callable(given) else "default": given}
        settings: dict[str, Any] = {}
        if not value:
            settings["action"] = BooleanOptionalAction if "[no-]" in head else "store_true"
        elif "choices" not in given:
            settings = {"metavar": value[0], "type": TYPES.get(value[0])}
        if value[1:]:
            settings |= {"action": "append", "default": []}
        to.add_argument(*names[:-1], f"--{name}", **settings | given, help=words)


LANGUAGE = """
    --lang L  the language (default: by suffix, or an image's content)
    --set KEY=VALUE ...  an option of the language (see planewalk list); may be repeated
"""
SEED = "--seed N  seed of random numbers, for repeatable runs (default: a new one)"
INPUT = """
    --input F  the program's input; - is standard input
    --arg N  the number that the program starts with, if its language has one
"""
BOUNDS = f"""
    --max-time S  stop after S seconds
    --max-memory SIZE  stop when the run holds that much: 64M, 2G (default
        {show_size(DEFAULT_MEMORY)})
"""
LIMITS = """
    --max-steps N  stop after N steps of the language's clock
    --max-output BYTES  stop after that much output
"""
ENGINE = f"""
    --engine E  {", ".join(NAMES)} (default auto, or PLANEWALK_ENGINE)
    --eager  compile everything at once, and wait for it (or PLANEWALK_EAGER=1)
"""
SHOW = "--show  show the picture in the terminal; -o is not needed"
JSON = "--json  print one JSON object instead"
PRINTED = "-o, --output OUT  the file to write (default: standard output)"


def add_run(parser: ArgumentParser, *, steps: int | None = None) -> None:
    """Arguments of one run; only `steps`, for commands with an engine of their own."""
    add_program(parser)
    add_input(parser)
    if steps is None:
        add(add_bounds(parser), LIMITS)
        add_engine(parser)
    else:
        add(parser, f"--max-steps N  stop after N steps (default {steps:,})", max_steps=steps)
        add_bounds(parser)
    add_pixel(parser)


def add_painting(parser: ArgumentParser) -> None:
    add_program(parser)
    add(parser, "--max-steps N  steps a pixel may take (default 10000)")
    add_pixel(parser, picture=True)


def add_program(parser: ArgumentParser) -> None:
    words = "the program, or the name of an example; - reads it from standard input"
    parser.add_argument("file", metavar="FILE", help=words)
    add_language(parser)
    add(parser, SEED, seed=whole)


def add_language(parser: ArgumentParser) -> None:
    add(parser, LANGUAGE)


def add_any_language(parser: ArgumentParser, others: str = "") -> None:
    """A language, which need not be installed; `others` are further words allowed there."""
    words = (
        "its name; or of one that is not installed its file, its package's folder, or MODULE:NAME"
    )
    parser.add_argument("language", metavar="LANGUAGE", help=words + others)


def add_input(parser: ArgumentParser) -> None:
    add(parser, INPUT, arg={"type": None})


def add_output(parser: ArgumentParser, suffixes: str, required: bool = True) -> None:
    add(parser, f"-o, --output OUT  the file to write: {suffixes}", output={"required": required})


def add_kind(parser: ArgumentParser, suffixes: Sequence[str], usual: str) -> None:
    """`--as`: the kind of file to write, whatever its name."""
    parser.add_argument(
        "--as", dest="kind", choices=[suffix[1:] for suffix in suffixes],
        help=f"write this kind, whatever the name of the file (default for -o -: {usual[1:]})",
    )  # fmt: skip


def add_bounds(parser: ArgumentParser) -> _ArgumentGroup:
    """Limits on the time and memory of a command."""
    limits = parser.add_argument_group("limits")
    add(limits, BOUNDS, max_memory=DEFAULT_MEMORY)
    return limits


def add_engine(parser: ArgumentParser) -> None:
    add(parser, ENGINE, engine=os.environ.get("PLANEWALK_ENGINE") or "auto")


def add_pixel(parser: ArgumentParser, *, picture: bool = False) -> None:
    drawing = parser.add_argument_group("for languages that draw")
    size = "640x360"
    if not picture:
        add(drawing, "--pixel X,Y  the pixel to run (default 0,0)")
        size = f"64x36, small beside render's {size}"
    rows = f"""
        --size WxH  size of the picture (default {size})
        --time T  time in seconds, any number (default 0)
        --texture FILE ...  a picture that the program can read; may be repeated, the first is 0
    """
    add(drawing, rows)
