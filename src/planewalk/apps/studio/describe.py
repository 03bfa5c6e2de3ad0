"""What the browser needs to know of a language, as the language itself declares it."""

from __future__ import annotations

from typing import Any

from ...core.errors import LanguageError
from ...core.instruction import InstructionTable
from ...core.language import Language
from ...core.meta.blame import blaming
from ...core.option import Option
from ...core.program import Program
from ...core.state import State
from ...debug.conditions.grammar import EXAMPLES
from ...examples import gallery
from ...languages import registry
from ...view.console.console import COMMANDS
from ...view.language.turning import blank_of

ELSEWHERE = ("save", "quit")
"""Commands that the studio replaces."""


def languages() -> tuple[list[dict[str, Any]], list[str]]:
    """All valid languages, and a line for each mistake of the others: a broken language must not
    hide the rest."""
    found, complaints = [], []
    for name in registry.names():
        try:
            found.append(describe(registry.get(name)))
        except LanguageError as error:
            complaints += [str(mistake) for mistake in error.mistakes]
    return found, complaints


def describe(language: Language) -> dict[str, Any]:
    """One language: its instructions, headings and options; raises `LanguageError` if it is
    broken."""
    with blaming(language):
        return _described(language)


def _described(language: Language) -> dict[str, Any]:
    return {
        "name": language.name,
        "title": language.title,
        "summary": language.summary,
        "suffix": language.suffixes[0] if language.suffixes else "",
        "suffixes": language.suffixes,
        "instructions": [row for table in language.tables for row in _rows(language, table)],
        "headings": [
            {"dx": dx, "dy": dy, "name": word} for (dx, dy), word in language.looks.headings.items()
        ],
        "blank": blank_of(language),
        "coloured": language.looks.swatch is not None,
        "draws": language.drawing.shading is not None,
        "hasValue": language.results.value is not None,
        "hasInputs": language.results.inputs is not None,
        "options": [_option(option) for option in language.options if option.default != ()],
    }


def _option(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "default": plain(option.default),
        "help": option.help,
        "values": list(option.values),
    }


def _rows(language: Language, table: InstructionTable) -> list[dict[str, Any]]:
    return [
        {
            "symbol": row.symbol,
            "name": row.name,
            "effect": row.effect,
            "group": row.group.name.lower(),
            "groupTitle": row.group.value,
            "doc": row.words,
            "set": "" if table is language.table else table.name,
            "colour": colour(language, row.symbol),
        }
        for row in table
    ]


def colour(language: Language, symbol: str) -> str | None:
    """The colour of a sign in CSS; None in languages without colours."""
    swatch = language.looks.swatch
    if swatch is None:
        return None
    with blaming(language):
        found: Any = swatch(symbol)
    try:
        red, green, blue = found
        return "#" + bytes([red, green, blue]).hex()
    except (TypeError, ValueError):
        raise LanguageError(
            f"{language.title}: `swatch` gives {found!r} for {symbol!r}, which is not a colour: "
            "three numbers from 0 to 255"
        ) from None


def plain(value: Any) -> Any:
    """A value of an option for JSON."""
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def examples() -> list[dict[str, Any]]:
    """The gallery, without the programs themselves."""
    return [
        {
            "file": example.file,
            "language": example.language,
            "title": example.title,
            "description": example.description,
        }
        for example in gallery()
    ]


def text_of(program: Program, state: State) -> str:
    """The source as text to edit; of pictures, the letters of their cells."""
    language = program.language
    if language.looks.swatch is None:
        return program.source.decode(errors="surrogateescape")
    box = state.plane.box()
    if box is None:
        return ""
    left, top, right, bottom = box
    rows = range(top, bottom + 1)
    columns = range(left, right + 1)
    return "\n".join("".join(language.sign(state.plane, x, y) for x in columns) for y in rows)


def commands() -> list[tuple[str, str]]:
    """The console commands: their syntax and what they do."""
    forms = [(each.usage, each.help) for each in COMMANDS.values() if each.name not in ELSEWHERE]
    return [*forms, *((f"break {example}", "a condition") for example in EXAMPLES.values())]
