"""`planewalk examples`: list the example programs, show one, or copy it out."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from ...core.errors import PlanewalkError
from ...core.text import visible
from ...examples import Example, find_example, gallery
from ...languages import registry
from ...view.terminal.paint import paint_plane
from ...view.terminal.wrap import filled
from .files import keep_files, make_folder, write_file
from .outcome import complain
from .terminal import bold, colours, columns, plain, print_entry

EPILOG = """\
examples:
  planewalk examples                        list them all
  planewalk examples list refunge           those of one language
  planewalk examples show hello.ref         what it is, its source, how to run it
  planewalk examples copy hello.ref         into this folder
  planewalk examples copy hello.ref my.ref  under another name
  planewalk examples copy hello.ref hello.mf programs/
  planewalk examples copy all gallery/      every example, in a folder for each language"""

MOST_LINES = 10


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "copy"), default="list", help="what to do"
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="examples, or a language to list; the last may be a file or a folder to copy to",
    )
    parser.add_argument("--force", action="store_true", help="copy over files that exist")


def perform(arguments: Namespace) -> int:
    action, names = arguments.action, arguments.names
    if action == "copy" and names:
        return copy(plan(names), arguments.force)
    if len(names) > 1:
        raise PlanewalkError(f"planewalk examples {action} takes one name, not {len(names)}")
    if action == "list":
        return list_examples(names[0] if names else None)
    if not names:
        raise PlanewalkError(f"which example? planewalk examples {action} NAME")
    return show(find_example(names[0]))


def list_examples(language: str | None) -> int:
    for name in registry.names() if language is None else [language.lower()]:
        try:
            examples = gallery(name)
        except PlanewalkError as error:
            if language is not None:
                raise
            complain(str(error), 0)  # the others are there all the same
            continue
        if examples:
            print(bold(registry.get(name).title))
        for example in examples:
            print_entry(f"  {example.file}", example.description, 27, example.file)
    hint = "planewalk examples show NAME, planewalk examples copy NAME"
    print("", *filled(hint, columns()), sep="\n")
    return 0


def show(example: Example) -> int:
    language = registry.get(example.language)
    print(bold(f"{example.file}: {example.title}"))
    print(*map(plain, filled(example.description, columns())), sep="\n", end="\n\n")
    state = language.start(example.read(), language.read_options({}), 0)
    room = columns() - 1 if sys.stdout.isatty() else 200
    for line in paint_plane(language, state.plane, colours=colours(), width=room, height=200):
        print(plain(line))
    print("\nTo run it:")
    print(f"  planewalk examples copy {example.file}")
    for run in example.runs[:3]:
        print(f"  {command(example, run)}")
    return 0


def command(example: Example, run: dict[str, object]) -> str:
    """The command line of one run of an example."""
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


def plan(names: list[str]) -> list[tuple[str, Example]]:
    """The examples to copy, each with its destination."""
    *examples, to = names
    if examples == ["all"] or names == ["all"]:
        folder = to if examples else "."
        return [(os.path.join(folder, e.language, e.file), e) for e in gallery()]
    if examples and (os.path.isdir(to) or not registry.suffix_of(to)):
        return [(os.path.join(to, e.file), e) for e in map(find_example, examples)]
    if len(examples) == 1 and all(to != example.file for example in gallery()):
        example = find_example(examples[0])
        if registry.suffix_of(to) == registry.suffix_of(example.file):
            return [(to, example)]
    return [(e.file, e) for e in map(find_example, names)]


def copy(planned: list[tuple[str, Example]], force: bool) -> int:
    """Copy all examples, or none if one of them would replace a file."""
    keep_files([path for path, _ in planned], force)
    for path, example in planned:
        make_folder(os.path.dirname(path))
        write_file(path, example.read())
        if len(planned) <= MOST_LINES:
            print(visible(f"copied to {path}"), file=sys.stderr)
    if len(planned) > MOST_LINES:
        folder = os.path.commonpath([os.path.dirname(path) or "." for path, _ in planned])
        print(visible(f"copied {len(planned)} examples to {folder or '.'}"), file=sys.stderr)
    return 0
