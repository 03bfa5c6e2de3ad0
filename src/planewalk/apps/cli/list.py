"""`planewalk list`: the languages, and what they are."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Any

from ...core.conversion import Conversion
from ...core.language import Language
from ...core.option import Option
from ...languages import registry
from ...view.wrap import filled, labelled
from .main import complain
from .terminal import columns

EPILOG = """\
examples:
  planewalk list                    one line for each language
  planewalk list refunge            its options and every instruction
  planewalk list --json             all of it, for other programs"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("language", nargs="?", metavar="LANGUAGE", help="more about this one")
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
            label = f"{language.name:12} {' '.join(language.suffixes)}"
            print(*labelled(label, language.summary, columns(), 30), sep="\n")
        print("\nplanewalk list LANGUAGE shows its options and instructions.")
    return 0


def describe(language: Language) -> dict[str, Any]:
    """A language as plain data."""
    return {
        "name": language.name,
        "title": language.title,
        "summary": language.summary,
        "suffixes": list(language.suffixes),
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
                "doc": row.doc,
                "table": table.name,
            }
            for table in language.tables
            for row in table
        ],
    }


def options_of(options: Iterable[Option]) -> list[dict[str, Any]]:
    return [{"name": option.name, "help": option.help} for option in options]


def chosen_by(conversion: Conversion) -> str:
    """The options of a conversion, in words."""
    names = [f"--{option.name} {'|'.join(option.values)}".strip() for option in conversion.options]
    return f" ({', '.join(names)})" if names else ""


def print_language(language: Language) -> None:
    width = columns()
    print(*filled(f"{language.title}: {language.summary}", width), sep="\n")
    print(f"suffixes: {' '.join(language.suffixes)}")
    if language.options:
        print("\noptions (--set KEY=VALUE):")
        for option in language.options:
            print(*labelled(f"  {option.name}", option.help, width, 15), sep="\n")
    if language.sources.conversions:
        print("\nconversions (planewalk convert):")
        for conversion in language.sources.conversions:
            kinds = f"{' '.join(conversion.sources)} to {' '.join(conversion.targets)}"
            words = f"{conversion.help}{chosen_by(conversion)}"
            print(*labelled(f"  {kinds}", words, width, 32), sep="\n")
    for table in language.tables:
        print(f"\ninstructions{'' if table is language.table else ' of ' + table.name}:")
        names = max(len(row.name) for row in table) + 2
        effects = max(len(row.effect) for row in table)
        for row in table:
            label = f"  {row.symbol}  {row.name:{names}}{row.effect}"
            print(*labelled(label, row.doc, width, names + effects + 7), sep="\n")
