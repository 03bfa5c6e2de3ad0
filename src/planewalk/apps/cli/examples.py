"""`planewalk examples`: list the example programs, show one, or copy it out."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from ...core.errors import PlanewalkError
from ...examples import Example, find_example, gallery
from ...languages import registry
from ...view.paint import paint_plane
from .files import write_file
from .main import complain
from .terminal import bold, colour_wanted

EPILOG = """\
examples:
  planewalk examples                        list them all
  planewalk examples list refunge           those of one language
  planewalk examples show hello.ref         what it is, its source, how to run it
  planewalk examples copy hello.ref         into this folder
  planewalk examples copy all gallery/      every example, in a folder for each language"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "copy"), default="list", help="what to do"
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="an example, or a language to list")
    parser.add_argument("to", nargs="?", metavar="TO", help="file or folder to copy to (here)")
    parser.add_argument("--force", action="store_true", help="copy over a file that exists")


def perform(arguments: Namespace) -> int:
    if arguments.action == "list":
        return list_examples(arguments.name)
    if arguments.name is None:
        raise PlanewalkError(f"which example? planewalk examples {arguments.action} NAME")
    if arguments.action == "show":
        return show(find_example(arguments.name))
    if arguments.name == "all":
        return copy_all(arguments.to or ".", arguments.force)
    return copy(find_example(arguments.name), arguments.to or ".", arguments.force)


def list_examples(language: str | None) -> int:
    colour = colour_wanted()
    for name in registry.names() if language is None else [language.lower()]:
        try:
            examples = gallery(name)
        except PlanewalkError as error:
            if language is not None:
                raise
            complain(str(error), 0)  # the others are there all the same
            continue
        if examples:
            print(bold(registry.get(name).title, colour))
        for example in examples:
            print(f"  {example.file:24} {example.description}")
    print("\nplanewalk examples show NAME, planewalk examples copy NAME")
    return 0


def show(example: Example) -> int:
    colour = colour_wanted()
    language = registry.get(example.language)
    print(bold(f"{example.file}: {example.title}", colour))
    print(example.description + "\n")
    state = language.start(example.read(), language.read_options({}), 0)
    for line in paint_plane(language, state.plane, colour=colour, width=200, height=200):
        print(line)
    print("\nTo run it:")
    print(f"  planewalk examples copy {example.file}")
    for run in example.runs[:3]:
        print(f"  {command(example, run)}")
    return 0


def command(example: Example, run: dict[str, object]) -> str:
    """The command line of one of its runs."""
    import shlex

    words = ["planewalk", "run", example.file]
    options = run.get("options", {})
    assert isinstance(options, dict)
    for key, value in options.items():
        if isinstance(value, list):
            value = ("x" if key == "size" else ",").join(map(str, value))
        known = key in ("arg", "pixel", "size", "time")
        words += [f"--{key}", str(value)] if known else ["--set", f"{key}={value}"]
    for key in ("max-steps", "seed"):
        if key in run:
            words += [f"--{key}", str(run[key])]
    text = " ".join(map(shlex.quote, words))
    data = run.get("input")
    return f"printf %s {shlex.quote(str(data))} | {text}" if data else text


def copy(example: Example, to: str, force: bool) -> int:
    if os.path.isdir(to) or to.endswith(("/", os.sep)):
        make_folder(to)
        to = os.path.join(to, example.file)
    write_file(to, example.read(), force)
    print(f"copied to {to}", file=sys.stderr)
    return 0


def copy_all(to: str, force: bool) -> int:
    examples = gallery()
    for example in examples:
        folder = os.path.join(to, example.language)
        make_folder(folder)
        write_file(os.path.join(folder, example.file), example.read(), force)
    print(f"copied {len(examples)} examples to {to}", file=sys.stderr)
    return 0


def make_folder(name: str) -> None:
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise PlanewalkError(f"the folder {name!r} cannot be made: {error.strerror}") from None
