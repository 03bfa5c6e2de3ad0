"""Pages made from the tables: the instructions of a language, walks through programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ...core.geometry import Stance
from ...core.instruction import Group, Instruction, InstructionTable
from ...core.language import Language
from ...core.limits import Limits
from ...core.numbers.numerals import to_decimal
from ...core.observation import Step
from ...engines.stepping.observe import Observer
from ..walk.stances import heading_name, signs_of

INSTRUCTIONS = "<!-- instructions -->"
WALK = r"<!-- walk (\S+) (\d+)((?: \S+=\S+)*) -->"
"""The placeholders of a guide."""


def guide_page(language: Language, guide: str, read: Callable[[str], bytes]) -> str:
    """A guide with its placeholders filled: `instructions`, and `walk FILE STEPS OPTION=VALUE`."""

    def walk(found: re.Match[str]) -> str:
        options = dict(word.split("=", 1) for word in (found[3] or "").split())
        return "\n".join(walk_table(language, read(found[1]), int(found[2]), options))

    text = guide.replace(INSTRUCTIONS, "\n".join(instruction_tables(language)))
    return re.sub(WALK, walk, text).rstrip() + "\n"


def plain_guide(language: Language, programs: Iterable[tuple[str, str]]) -> str:
    """A guide for a language that brings none; `programs` are its examples, with what they do."""
    suffixes = ", ".join(f"`{suffix}`" for suffix in language.suffixes)
    lines = [f"# {language.title}", "", f"{language.title}: {language.summary}.", ""]
    lines += [f"Files: {suffixes}.", "", "## The instructions", "", INSTRUCTIONS]
    if language.options:
        lines += ["", "## Options", ""]
        lines += [f"- `{option.name}`: {option.help}" for option in language.options]
    told = [f"- `{file}`: {description}" for file, description in programs]
    return "\n".join([*lines, *(["", "## Example programs", "", *told] if told else [])])


def instruction_tables(language: Language) -> Iterator[str]:
    """All instructions as Markdown, by table and group, with their examples."""
    for table in language.tables:
        if table is not language.table:
            yield f"### {table.name}\n\n{table.doc}\n"
        yield from table_lines(table)


def table_lines(table: InstructionTable) -> Iterator[str]:
    effects = any(row.effect for row in table)
    for group, functions in functions_by_group(table):
        yield f"**{group}**\n"
        head = ["Cell", "Name", *(["Stack"] if effects else []), "What it does", "Example"]
        yield "| " + " | ".join(head) + " |"
        yield "|" + "---|" * len(head)
        for rows in functions:
            first = rows[0]
            cells = " ".join(code(row.symbol) for row in rows)
            effect = [code(first.effect) if first.effect else ""] if effects else []
            examples = "<br>".join(map(example, first.examples))
            does = escape(first.doc)
            yield "| " + " | ".join([cells, first.name, *effect, does, examples]) + " |"
        yield ""


def functions_by_group(
    table: InstructionTable,
) -> Iterator[tuple[str, Iterable[list[Instruction]]]]:
    """The groups of a table in order; in each, the instructions that share words, together."""
    for group in Group:
        functions: dict[tuple[str, str], list[Instruction]] = {}
        for row in table:
            if row.group is group:
                functions.setdefault((row.name, row.doc), []).append(row)
        if functions:
            yield group.value, functions.values()


def example(text: str) -> str:
    program, arrow, result = text.partition(" => ")
    if not arrow:
        return code(text)
    return f"{code(program)} gives {code(result)}"


def code(text: str) -> str:
    """Text as code inside a table cell, where bars and line ends would break it."""
    shown = text.replace("\n", "⏎") or "nothing"
    if shown == " ":
        return "blank"
    fence = "``" if "`" in shown else "`"
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def escape(text: str) -> str:
    return text.replace("|", "\\|")


def walk_table(
    language: Language, source: bytes, steps: int, options: dict[str, str] | None = None
) -> Iterator[str]:
    """The first ticks of a program: where each walker stands, what it does, what comes of it; below
    a caption that says which columns show the state before the tick, and which after it."""
    lines = list(walked(language, source, steps, options or {}))
    told = [column for column in Walked._fields if any(getattr(line, column) for line in lines)]
    happens = told.index("what_happens")
    before, after = told[1:happens], told[happens + 1 :]
    rule = f"{_listed(before).capitalize()} are those before the tick"
    yield f"{rule}, {_listed(after)} what there is after it." if after else f"{rule}."
    yield ""
    yield "| " + " | ".join(column.replace("_", " ").capitalize() for column in told) + " |"
    yield "|" + "---|" * len(told)
    for line in lines:
        yield "| " + " | ".join(getattr(line, column) for column in told) + " |"


class Walked(NamedTuple):
    """A walker in one tick; the names of what is told of it are the heads of columns."""

    tick: str
    place: str
    heading: str
    hand: str
    cell: str
    what_happens: str
    output: str
    stack: str


def _listed(words: list[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def walked(
    language: Language, source: bytes, steps: int, options: dict[str, str]
) -> Iterator[Walked]:
    """A line for each walker in each tick; output and stack stand in the last of a tick."""
    state = language.start(source, language.read_options(options), 0)
    observer = Observer(language, state, Limits())
    stacked = any("--" in row.effect for row in language.table)
    for _ in range(steps):
        signs = signs_of(language, state)
        step = observer.step()
        if step is None:
            return
        stack = code(" ".join(map(_number, state.stack)) or "empty") if stacked else ""
        written = code(step.output.decode(errors="replace")) if step.output else ""
        lines = list(_acted(language, step, signs))
        yield from lines[:-1]
        yield lines[-1]._replace(output=written, stack=stack)


def _acted(language: Language, step: Step, signs: dict[Stance, str]) -> Iterator[Walked]:
    stood = step.stood()
    for action in step.actions:
        for number in action.walkers:
            stance, hand = stood[number], action.hand
            sign = signs[stance]
            yield Walked(
                str(step.tick),
                f"({stance.x:g}, {stance.y:g})",
                heading_name(language, stance.dx, stance.dy),
                "" if hand is None else f"({hand[0]}, {hand[1]})",
                "outside"
                if not sign
                else code(sign)
                if sign.isprintable()
                else f"code {ord(sign)}",
                action.instruction.name,
                "",
                "",
            )


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else to_decimal(value)
