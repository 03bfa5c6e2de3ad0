"""`planewalk convert`: turn one kind of program file into another."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from ...core.errors import OptionError, SourceError
from ...core.language_groups import Converted
from ...languages import registry
from ..conversions import find_conversion, suffix
from ..sources import MAP
from .alarm import in_time
from .files import read_program, write_file
from .options import add, add_bounds
from .outcome import complain
from .program import as_written, naming

EPILOG = """\
examples:
  planewalk convert hello.bf -o greeting.ref      Brainfuck to Refunge
  planewalk convert hello.bf -o greeting.ref --eof -1 --map
  planewalk convert adder.txt -o board.png        a board of letters to a BMProg picture
  planewalk convert board.png -o board.txt        and back
  planewalk convert board.png --to txt            the same, to standard output

letters of a board: ^ < > v directions, * split, # void, . empty, : comment, ? other colours"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what to convert; - is standard input")
    add(parser, "-o, --output OUT  the file to write", output="-")
    parser.add_argument("--from", dest="source", metavar="SUFFIX", help="what FILE is, as bf")
    rows = f"""
        --to SUFFIX  what to make of it, as ref
        --map  also write OUT{MAP}, which tells explain, film and picture where cells come from
    """
    add(parser, rows)
    add_bounds(parser)
    known = set()  # conversions may share an option name, and each parses its own value
    for conversion in registry.conversions():
        group = parser.add_argument_group(conversion.name)
        for option in conversion.options:
            if option.name not in known:
                known.add(option.name)
                value = "|".join(option.values) or "VALUE"
                row = f"--{option.name} {value}  {option.help} (default {option.default})"
                add(group, row, **{option.name.replace("-", "_"): {"type": None}})


def options_of(arguments: Namespace) -> dict[str, str]:
    """The conversion options given on the command line."""
    names = {option.name for each in registry.conversions() for option in each.options}
    given = {name: getattr(arguments, name.replace("-", "_"), None) for name in names}
    return {name: value for name, value in given.items() if value is not None}


@in_time
def perform(arguments: Namespace) -> int:
    source = suffix(arguments.source, arguments.file, "--from")
    target = suffix(arguments.to, arguments.output, "--to")
    conversion = find_conversion(source, target)
    data = read_program(arguments.file)
    with as_written(arguments), naming(arguments.file, (SourceError,)):
        converted = conversion.perform(data, target, options_of(arguments))
    if arguments.map:
        write_map(arguments, converted)
    for note in converted.notes:
        complain(f"{arguments.file}: {note}", 0)
    write_file(arguments.output, converted.data)
    return 0


def write_map(arguments: Namespace, converted: Converted) -> None:
    """Write the map before the program: a map without its program does no harm."""
    from ...view.walk.origins import write_origins

    if arguments.output == "-":
        raise OptionError("--map: it stands beside the file that is written; name one with -o")
    if not converted.origins:
        raise OptionError("--map: this conversion knows no origins of cells")
    source = "standard input" if arguments.file == "-" else os.path.basename(arguments.file)
    write_file(arguments.output + MAP, write_origins(source, converted))
