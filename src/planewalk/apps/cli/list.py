"""`planewalk list`: the languages, and what they are."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from ...core.language import Language
from ...languages import registry

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
    names = [arguments.language] if arguments.language else registry.names()
    languages = [registry.get(name.lower()) for name in names]
    if arguments.json:
        print(json.dumps([describe(language) for language in languages]))
    elif arguments.language:
        print_language(languages[0])
    else:
        for language in languages:
            suffixes = " ".join(language.suffixes)
            print(f"{language.name:12} {suffixes:16} {language.summary}")
        print("\nplanewalk list LANGUAGE shows its options and instructions.")
    return 0


def describe(language: Language) -> dict[str, Any]:
    """A language as plain data."""
    return {
        "name": language.name,
        "title": language.title,
        "summary": language.summary,
        "suffixes": list(language.suffixes),
        "options": [{"name": option.name, "help": option.help} for option in language.options],
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
            for table in (language.table, *language.loadable)
            for row in table
        ],
    }


def print_language(language: Language) -> None:
    print(f"{language.title}: {language.summary}")
    print(f"suffixes: {' '.join(language.suffixes)}")
    if language.options:
        print("\noptions (--set KEY=VALUE):")
        for option in language.options:
            print(f"  {option.name:12} {option.help}")
    for table in (language.table, *language.loadable):
        print(f"\ninstructions{'' if table is language.table else ' of ' + table.name}:")
        for row in table:
            print(f"  {row.symbol}  {row.name:18} {row.effect:22} {row.doc}".rstrip())
