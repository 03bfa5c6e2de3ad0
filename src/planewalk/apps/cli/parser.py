"""Parsing of command lines, with suggestions for unknown words."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from ...core.errors import closest
from ...languages.registry import suffix_of
from .outcome import USAGE, complain

HELP = "help"
PAGES = {
    "conditions": "planewalk.debug.conditions/conditions.md",
    "editors": "planewalk.apps.dap/editors.md",
}
"""Help pages that belong to no command; `scripts/docs` copies them to `docs/`."""


_HEADING = re.compile(r"^[a-z][a-z ]*:(?= |$)", re.MULTILINE)
_TERM = re.compile(r"^(  )(\S+(?: \S+)*)(?=  |$)", re.MULTILINE)
"""Titles, and words to type, on a help page."""


class Formatter(argparse.HelpFormatter):
    """Wraps help pages to the width of the terminal."""

    def __init__(self, prog: str) -> None:
        from .terminal import columns

        super().__init__(prog, max_help_position=28, width=columns() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from ...view.terminal.wrap import page

        return page(text, width)


class Parser(argparse.ArgumentParser):
    """Reports an error in one line, with a suggestion and the way to get help."""

    commands: Mapping[str, Parser]
    """The parsers of commands."""

    def __init__(self, **more: Any) -> None:
        super().__init__(formatter_class=Formatter, allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        self.exit(complain(f"{message} (see planewalk help{self.command})", USAGE))

    def format_help(self) -> str:
        from .terminal import accent, bold, colour_wanted

        text = super().format_help()
        if not colour_wanted():
            return text
        text = re.sub(_HEADING, lambda found: bold(found[0]), text)
        return re.sub(_TERM, lambda found: found[1] + accent(found[2]), text)

    @property
    def command(self) -> str:
        return self.prog.removeprefix("planewalk")

    def check_options(self, words: Sequence[str]) -> None:
        """Report the first unknown option, rather than an error that follows from it."""
        for word in words:
            name = word.partition("=")[0]
            if word == "--":
                return
            if word.startswith("--") and " " not in name and name not in self._options():
                self.refuse(name)

    def refuse(self, word: str) -> NoReturn:
        if not word.startswith("-"):
            self.error(f"{word!r} is not expected here")
        who = self.command.strip() or "planewalk"
        self.error(f"{who} has no option {word}{_meant(word, self._options())}")

    def _options(self) -> Iterable[str]:
        return self._option_string_actions

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # which argparse would throw away
            raise argparse.ArgumentError(action, "expected a value, not '--'")
        return super()._get_values(action, arg_strings)

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:  # argparse would not say that it cannot be written
            (file or sys.stderr).write(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            expected = " or ".join(filter(None, [", ".join(known[:-1]), known[-1]]))
            meant = _meant(str(value), known)
            raise argparse.ArgumentError(action, f"expected {expected}, not {value!r}{meant}")


def _meant(word: str, known: Iterable[str]) -> str:
    meant = closest(word, known) if len(word) > 2 else None
    return f"; did you mean {meant}?" if meant else ""


def in_full(words: list[str], commands: Iterable[str]) -> list[str]:
    """The full form of a command line: `help COMMAND` is its --help, `help PAGE` the manual page,
    and a file is run."""
    if not words or words[0] in commands:
        return words
    first = words[0]
    if first == HELP:
        return ["manual", words[1]] if words[1:2] and words[1] in PAGES else [*words[1:2], "--help"]
    if first.startswith("--") and not any(word in commands for word in words):
        first = next(filter(is_file, words), first)  # options may stand before the file
    return ["run", *words] if is_file(first) else words


def is_file(word: str) -> bool:
    """Whether a word names a program: an existing file, or a name with a known suffix."""
    if word.startswith("-"):
        return word == "-"
    return bool(suffix_of(word)) or "/" in word or os.path.isfile(word)
