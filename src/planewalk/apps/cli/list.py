"""`planewalk list`: the languages, and what they are."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from functools import partial
from typing import Any

from ...core.language import Language
from ...core.option import Option
from ...languages import registry
from ...view.terminal.paint import painted
from ...view.terminal.wrap import filled
from .outcome import complain
from .terminal import bold, colour_wanted, columns, print_entry

EPILOG = """\
examples:
  planewalk list                    one line for each language
  planewalk list refunge            its options and every instruction
  planewalk list --json             all of it, for other programs"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("language", nargs="?", metavar="LANGUAGE", help="details of this language")
    parser.add_argument("--json", action="store_true", help="print JSON instead")


def perform(arguments: Namespace) -> int:
    if arguments.language:
        languages = [registry.get(arguments.language.lower())]
    else:
        languages = registry.working()
        for complaint in registry.complaints():
            complain(complaint, 0)
    if arguments.json:
        print(json.dumps([describe(language) for language in languages]))
    elif arguments.language:
        print_language(languages[0])
    else:
        for language in languages:
            label = f"{language.name:12} {known_by(language)}"
            print_entry(label, language.summary, 36, language.name)
        hint = "planewalk list LANGUAGE shows its options and instructions."
        print("", *filled(hint, columns()), sep="\n")
    return 0


def describe(language: Language) -> dict[str, Any]:
    """A language as plain data."""
    return {
        "name": language.name,
        "title": language.title,
        "summary": language.summary,
        "suffixes": list(language.suffixes),
        "recognised": list(language.sources.recognised),
        "options": options_of(language.options),
        "conversions": [
            {
                "name": conversion.name,
                "from": list(conversion.sources),
                "to": list(conversion.targets),
                "options": options_of(conversion.options),
            }
            for conversion in language.sources.conversions
        ],
        "instructions": [
            {
                "code": row.code,
                "symbol": row.symbol,
                "name": row.name,
                "effect": row.effect,
                "group": row.group.value,
                "doc": row.words,
                "table": table.name,
            }
            for table in language.tables
            for row in table
        ],
    }


def known_by(language: Language) -> str:
    """The suffixes of a language; those in brackets are recognised by the content of the file."""
    looked_into = (f"({suffix})" for suffix in language.sources.recognised)
    return " ".join([*language.suffixes, *looked_into])


def options_of(options: Iterable[Option]) -> list[dict[str, Any]]:
    return [{"name": option.name, "help": option.help} for option in options]


def print_language(language: Language) -> None:
    width, colour = columns(), colour_wanted()
    print(*filled(f"{language.title}: {language.summary}", width), sep="\n")
    print(*filled(f"suffixes: {known_by(language)}", width), sep="\n")
    if language.sources.recognised:
        print(*filled("(in brackets: where the file holds such a program)", width), sep="\n")
    if language.options:
        print("\n" + bold("options (--set KEY=VALUE):"))
        for option in language.options:
            print_entry(f"  {option.name}", option.help, 15, option.name)
    if language.sources.conversions:
        print("\n" + bold("conversions (planewalk convert):"))
        for conversion in language.sources.conversions:
            kinds = f"{' '.join(conversion.sources)} to {' '.join(conversion.targets)}"
            options = [f"--{o.name} {'|'.join(o.values)}".strip() for o in conversion.options]
            words = f" ({', '.join(options)})" if options else ""
            print_entry(f"  {kinds}", conversion.help + words, 32, kinds)
    for table in language.tables:
        of = "" if table is language.table else f" of {table.name}"
        print("\n" + bold(f"instructions{of}:"))
        names = max(len(row.name) for row in table) + 2
        effects = max(len(row.effect) for row in table)
        for row in table:
            label = f"  {row.symbol}  {row.name:{names}}{row.effect}"
            look = partial(painted, group=row.group) if colour else str
            print_entry(label, row.words, names + effects + 7, f"{row.symbol}  {row.name}", look)
