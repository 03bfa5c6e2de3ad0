"""`planewalk convert`: turn one kind of program file into another."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...core.errors import PlanewalkError, SourceError
from ...core.language import Conversion
from ...languages import registry
from .files import read_program, write_file
from .program import at_file

EPILOG = """\
examples:
  planewalk convert program.bf -o program.ref     Brainfuck to Refunge
  planewalk convert circuit.txt -o circuit.png    a board of letters to a BMProg picture
  planewalk convert circuit.png -o circuit.txt    and back
  planewalk convert circuit.png --to txt          the same, to standard output

letters of a board: ^ < > v directions, * split, # void, . empty, : comment, ? other colours"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", help="what to convert; - is standard input")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="the file to write")
    parser.add_argument("--from", dest="source", metavar="SUFFIX", help="what FILE is, as bf")
    parser.add_argument("--to", metavar="SUFFIX", help="what to make of it, as ref")
    parser.add_argument("--force", action="store_true", help="write over a file that exists")


def perform(arguments: Namespace) -> int:
    source = suffix(arguments.source, arguments.file, "--from")
    target = suffix(arguments.to, arguments.output, "--to")
    conversion = find(source, target)
    data = read_program(arguments.file)
    try:
        converted = conversion.convert(data, target)
    except SourceError as error:
        raise at_file(arguments.file, error) from None
    write_file(arguments.output, converted, arguments.force)
    return 0


def suffix(given: str | None, name: str, option: str) -> str:
    found = f".{given.lower().lstrip('.')}" if given else registry.suffix_of(name)
    if not found:
        raise PlanewalkError(f"{name!r} has no suffix that tells its kind; name it with {option}")
    return found


def find(source: str, target: str) -> Conversion:
    conversions = [c for name in registry.names() for c in registry.get(name).conversions]
    for conversion in conversions:
        if source in conversion.sources and target in conversion.targets:
            return conversion
    known = "; ".join(f"{' '.join(c.sources)} to {' '.join(c.targets)}" for c in conversions)
    raise PlanewalkError(f"there is no way from {source} to {target}; there are {known}")
