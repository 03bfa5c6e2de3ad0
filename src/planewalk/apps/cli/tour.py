"""`planewalk tour`: an example in each language, run before your eyes."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser, Namespace
from typing import Any

from ...core.language import Language
from ...core.limits import Limits
from ...core.program import Program
from ...core.text import visible
from ...engines.picture import render_rows
from ...examples import Example, gallery
from ...languages import registry
from ...view.paint import paint_plane
from ...view.terminal_picture import paint_blocks
from ..library import Run, run
from .terminal import bold, colour_wanted, colours

NEXT = """\
What to try next:
  planewalk examples                      all examples; `show` and `copy` take a name
  planewalk examples copy {first}         then: planewalk run {first}
  planewalk explain {first}               what each cell does, in words
  planewalk list {language:24} its instructions and options
  planewalk --help"""


EPILOG = """\
examples:
  planewalk tour                    one example in each language
  planewalk tour gemooy             all examples of one language"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "language", nargs="?", metavar="LANGUAGE", help="all examples of this language instead"
    )


def perform(arguments: Namespace) -> int:
    if arguments.language:
        chosen = gallery(registry.get(arguments.language.lower()).name)
    else:
        first: dict[str, Example] = {}
        for example in gallery():
            first.setdefault(example.language, example)
        chosen = [first[name] for name in registry.names() if name in first]
    colour = colour_wanted()
    for example in chosen:
        show(example, colour)
    if chosen:
        print(NEXT.format(first=chosen[0].file, language=chosen[0].language))
    return 0


def show(example: Example, colour: bool) -> None:
    """The program, what it was given, and what came of it."""
    language = registry.get(example.language)
    expected = example.runs[0]
    options = {key.replace("-", "_"): value for key, value in expected.get("options", {}).items()}
    result = run(
        source=example.read(),
        language=example.language,
        input=expected.get("input", ""),
        max_steps=expected.get("max-steps"),
        seed=expected.get("seed"),
        **options,
    )
    print(bold(f"{language.title}: {example.title}", colour))
    print(f"{example.file}. {example.description}\n")
    program = Program(language, example.read())
    width = min(shutil.get_terminal_size((100, 24)).columns - 4, 120)
    for line in paint_plane(language, program.start(0).plane, colour=colour, width=width):
        print(f"  {line}")
    print()
    for line in outcome(language, example, expected, result):
        print(f"  {line}")
    print()


def outcome(
    language: Language, example: Example, expected: dict[str, Any], result: Run
) -> list[str]:
    """What came of a run, as lines."""
    if language.colour is not None:
        options = {"size": (64, 36), "time": expected.get("options", {}).get("time", 0)}
        program = Program(language, example.read(), options)
        limits = Limits(steps=language.default_steps)
        return list(paint_blocks(list(render_rows(program, limits)), colours()))
    lines = []
    if expected.get("input"):
        lines.append(f"input   {expected['input'].rstrip()!r}")
    if expected.get("options"):
        given = ", ".join(f"{key} = {value}" for key, value in expected["options"].items())
        lines.append(f"with    {given}")
    if result.output:
        text = result.output.decode(errors="replace").rstrip("\n")
        lines += [
            f"{'output' if i == 0 else '':8}{visible(line)}"
            for i, line in enumerate(text.split("\n"))
        ]
    if language.epilogue is not None:
        lines += language.epilogue(result.state).rstrip("\n").split("\n")
    lines.append(f"{result.status} after {result.steps:,} steps")
    return lines
