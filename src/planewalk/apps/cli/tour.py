"""`planewalk tour`: what planewalk can do, in an example of each language."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from ...core.errors import PlanewalkError
from ...core.language import Language
from ...core.limits import Limits
from ...core.program import Program
from ...core.text import visible
from ...engines.choose import choose_engine
from ...engines.picture import render_rows
from ...engines.stepping.drive import drive
from ...examples import Example, gallery
from ...languages import registry
from ...view.terminal.images import paint_blocks
from ...view.terminal.paint import paint_plane
from ...view.terminal.wrap import filled, labelled
from ..films import film, title_of
from ..library import Run, run
from ..store import DiskStore
from .outcome import complain
from .show import play, show_image
from .table import heading, table_line
from .terminal import bold, columns, image_protocol, plain, tones

NEXT = {
    "planewalk examples": "all examples; they run by their names, from any folder",
    "planewalk run {file}": "one of them",
    "planewalk explain {file}": "what each cell does, in words",
    "planewalk film {file} -o film.gif": "its run as a film",
    "planewalk list {language}": "its instructions and options",
    "planewalk help": "all commands",
}
INDENT = "  "
IMAGE = (480, 270)
"""Pixels of a picture where the terminal shows images."""
PLAYED = 1.0
"""Seconds that a film takes."""
SLICE, SLICES = 0.15, 6
"""Seconds of each measurement of a run, and how many of them at most."""
FAST = 50
"""The speed-up at which measuring ends."""

EPILOG = """\
examples:
  planewalk tour                    one example in each language
  planewalk tour gemooy             all examples of one language"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "language", nargs="?", metavar="LANGUAGE", help="all examples of this language instead"
    )


def perform(arguments: Namespace) -> int:
    if arguments.language:
        chosen = gallery(registry.get(arguments.language.lower()).name)
    else:
        chosen = [example for name in registry.names() if (example := highlight(name))]
    for example in chosen:
        print(bold(f"{registry.get(example.language).title}: {example.title}"))
        say(*filled(f"{example.file}. {example.description}", columns()), indent="")
        print(flush=True)
        ways = {} if arguments.language else WAYS
        ways.get(example.tour, show_run)(example)
        print()
    if chosen:
        show_next(chosen[0])
    return 0


def highlight(language: str) -> Example | None:
    """The example of a language that is marked for the tour, else the first."""
    try:
        examples = gallery(language)
    except PlanewalkError as error:
        complain(str(error), 0)  # the others are there all the same
        return None
    return next((each for each in examples if each.tour), examples[0] if examples else None)


def say(*lines: str, indent: str = INDENT) -> None:
    """Print lines, indented, with the characters that standard output can show."""
    for line in lines:
        print(indent + plain(line), flush=True)


def show_next(example: Example) -> None:
    print("What to try next:")
    for command, words in NEXT.items():
        label = INDENT + command.format(file=example.file, language=example.language)
        print(*labelled(label, words, columns(), 40), sep="\n")


# Ways of showing an example --------------------------------------------------------------------


def show_run(example: Example) -> None:
    language, expected = registry.get(example.language), example.runs[0]
    options = {key.replace("-", "_"): value for key, value in expected.get("options", {}).items()}
    result = run(
        source=example.read(),
        language=example.language,
        input=expected.get("input", ""),
        max_steps=expected.get("max-steps"),
        seed=expected.get("seed"),
        **options,
    )
    show_program(language, Program(language, example.read()))
    if language.drawing.colour is not None:
        show_picture(language, example, expected)
    else:
        say(*outcome(language, expected, result))


def show_program(language: Language, program: Program) -> None:
    plane = program.start(0).plane
    width = columns() - len(INDENT) - 1
    say(*paint_plane(language, plane, colours=tones(), width=width), "")


def outcome(language: Language, expected: dict[str, Any], result: Run) -> Iterator[str]:
    """The result of a run, as lines."""
    if expected.get("input"):
        yield f"input   {expected['input'].rstrip()!r}"
    if expected.get("options"):
        given = ", ".join(f"{key} = {value}" for key, value in expected["options"].items())
        yield f"with    {given}"
    if result.output:
        text = result.output.decode(errors="replace").rstrip("\n")
        for number, line in enumerate(text.split("\n")):
            yield f"{'' if number else 'output':8}{visible(line)}"
    if language.results.epilogue is not None:
        yield from language.results.epilogue(result.state).rstrip("\n").split("\n")
    yield f"{result.status} after {result.steps:,} steps"


def show_picture(language: Language, example: Example, expected: dict[str, Any]) -> None:
    """Show the picture that a program draws, as well as the terminal can."""
    protocol = image_protocol()
    width, height = IMAGE if protocol else blocks()
    options = {"size": (width, height), "time": expected.get("options", {}).get("time", 0)}
    limits = Limits(steps=language.rules.default_steps)
    began = time.perf_counter()
    rows = list(render_rows(Program(language, example.read(), options), limits))
    seconds = time.perf_counter() - began
    if protocol:
        show_image(protocol, (width, height), b"".join(rows))
    else:
        say(*paint_blocks(rows, tones()))
    say(f"{width} x {height} pixels, each a run of its own, in {seconds:.2f} seconds")


def blocks() -> tuple[int, int]:
    """The size of a picture of half blocks that fills the width of the terminal."""
    width = columns() - 2 * len(INDENT)
    return width, width * 9 // 16


def show_table(example: Example) -> None:
    """Show the program, and its value for every input covered by its runs."""
    language = registry.get(example.language)
    show_program(language, Program(language, example.read()))
    most = max(each.get("options", {}).get("arg", 0) for each in example.runs)
    bits = int(most).bit_length()
    say(heading(bits))
    for argument in range(1 << bits):
        answer = run(source=example.read(), language=example.language, arg=argument)
        say(table_line(argument, bits, answer))


def show_speed(example: Example) -> None:
    """Show the program, and its speed before and after compiling."""
    language = registry.get(example.language)
    program = Program(language, example.read())
    show_program(language, program)
    plainly = Sprint(program, "reference").rate()
    sprint = Sprint(program, "auto")
    best = sprint.rate()
    for _ in range(SLICES - 1):
        if best > FAST * plainly:
            break
        best = max(best, sprint.rate())
    say(
        f"{plainly:>14,.0f} steps a second as it stands",
        f"{best:>14,.0f} steps a second once it is compiled",
        f"{sprint.engine.state.tick:>14,} steps were run for this",
    )


class Sprint:
    """A run on one engine, at full speed."""

    def __init__(self, program: Program, engine: str) -> None:
        state = program.start(0)
        self.engine = choose_engine(engine, program.language, state, Limits(), DiskStore())

    def rate(self) -> float:
        """Steps a second, measured briefly."""
        began, before = time.perf_counter(), self.engine.state.tick
        drive(self.engine, Limits(seconds=SLICE), time.monotonic)
        return (self.engine.state.tick - before) / (time.perf_counter() - began)


def show_film(example: Example) -> None:
    language, data = registry.get(example.language), example.read()
    room = columns() - len(INDENT) - 1
    left, top, right, bottom = Program(language, data).start(0).plane.box() or (0, 0, 0, 0)
    crop = (left, top, room, bottom - top + 1) if right - left >= room else None
    made = film(source=data, language=example.language, theme="dark", trail=4, crop=crop)
    made.stage.title = title_of(example.file, language)
    play(made, PLAYED, INDENT)


WAYS = {"film": show_film, "speed": show_speed, "table": show_table}
"""By the `tour` entry of an example."""
