"""Parsing the command line, calling the command, and turning every outcome into an exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from ... import __version__
from ...core.errors import LanguageError, LimitReached, PlanewalkError, closest
from ...core.meta.blame import blaming
from ...languages import foreign
from . import streams
from .interrupts import Answered, exit_code, raise_at_once
from .outcome import BUG, INTERRUPTED, LIMIT, USAGE, as_flags, complain
from .parser import HELP, Parser, in_full

if TYPE_CHECKING:
    from ...core.limits import Limits

TRACEBACK = "--traceback"

DESCRIPTION = "Run, see and share programs written on a plane."

EPILOG = """\
examples:
  planewalk hello.ref                         run a program; its suffix names the language
  planewalk run adder.png --arg 35            BMProg: the argument's bits enter at the left
  planewalk run plasma.wf --pixel 3,4         Webfunge: one pixel, with its log
  planewalk render plasma.wf -o plasma.png    Webfunge: the whole picture, or a film
  planewalk film hello.ref -o hello.gif       any language: the run, as a film
  planewalk examples                          programs to start from
  planewalk explain hello.ref                 what each cell does, in words
  planewalk graph hello.ref -o hello.svg      the ways it takes, as a picture

A file named with -o is replaced, as a whole or not at all, but never one that is read. Copies of
examples replace nothing without --force.

exit codes: 0 the program ended, 1 a bug in planewalk (a report is written; --traceback shows it
instead), 2 bad usage or bad source, 3 a limit or a stall, 4 a program fault, 130 interrupted.
`planewalk help COMMAND` has the details of each command, `planewalk help conditions` what runs can
be stopped at, `planewalk help editors` how editors are set up."""

COMMANDS: dict[str, str] = {
    "run": "run a program",
    "render": "draw pictures and films of a program that colours pixels",
    "film": "film a run: GIF, APNG, WebP, MP4, WebM, moving SVG, HTML or a terminal recording",
    "picture": "draw one moment of a run",
    "live": "show a program that colours pixels in a window, and again when it is saved",
    "shader": "a program that colours pixels as code for graphics processors: WGSL or GLSL",
    "list": "the languages, and what they are",
    "examples": "list the example programs, show one, or copy it out",
    "studio": "write, run, rewind and share programs in the browser",
    "site": "write the studio as a folder that any static host serves",
    "debug": "walk a run in both directions, in the terminal",
    "dap": "the Debug Adapter Protocol, for editors",
    "trace": "what happened in each tick, with its operands, a line each",
    "diff": "where two runs part, and in what",
    "explain": "what each cell that a program reaches does, in words",
    "disasm": "the code that a long run is compiled to: Python, LLVM IR or assembly",
    "graph": "draw the ways that a program takes, and how often",
    "bench": "how fast each engine runs a program, and that all agree",
    "cache": "the machine code kept between runs",
    "convert": "turn one kind of program file into another",
    "manual": "the manual page of a language, of conditions, or of editors",
    "new-language": "write a package for a language of your own",
    "check-language": "whether a language keeps what all languages promise",
    "tour": "an example in each language, run before your eyes",
    "completion": "print the shell code that completes planewalk's words",
}
"""The commands in the order of the help text; each is the module of that name."""


def build_parser(only: str | None = None) -> Parser:
    """The parser of all commands, of `only` one, or with "" just of their names."""
    parser = Parser(prog="planewalk", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"planewalk {__version__}")
    commands = parser.add_subparsers(
        prog="planewalk", dest="command", metavar="COMMAND", title="commands"
    )
    for name in [only] if only else COMMANDS:
        summary = COMMANDS[name]
        command = commands.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + "."
        )
        if only != "":
            module = import_module(f".{name.replace('-', '_')}", __package__)
            command.epilog = module.EPILOG
            command.set_defaults(perform=module.perform)
            module.add_arguments(command)
    parser.commands = commands.choices
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The `planewalk` command; gives the exit code."""
    if argv is not None:  # from a program, whose streams and signals these are
        return _guarded(list(argv), contextlib.nullcontext(), [])
    streams.prepare()
    held: list[BaseException] = []
    code = exit_code(_guarded(sys.argv[1:], Answered(raise_at_once), held))
    _leave_behind_helpers(code, bool(held))
    return code


def parse(words: list[str]) -> argparse.Namespace:
    """Parse a command line; exits with one line if it is wrong."""
    command = next((word for word in words if not word.startswith("-")), None)
    if command in COMMANDS:  # after options that are for all, such as --help, it is one of many
        parser = build_parser(command if words[0] == command else None)
    else:
        parser = build_parser("")
    if command is not None and command not in COMMANDS:
        meant = closest(command, [*COMMANDS, HELP])
        hint = f"did you mean {meant}?" if meant else "planewalk help lists them all"
        parser.exit(complain(f"there is no command or file {command!r}; {hint}", USAGE))
    part = parser.commands[command] if command else parser
    part.check_options(words[words.index(command) + 1 :] if command else words)
    arguments, rest = parser.parse_known_args(words)
    if rest:
        part.refuse(next((word for word in rest if word.startswith("-")), rest[0]))
    if command is None:
        parser.print_help()
        parser.exit()
    return arguments


def _perform(arguments: argparse.Namespace) -> int:
    from ...core.limits import USUAL, allowing
    from ...engines.base.policy import EAGER, following, policy_in_force
    from .files import spare_inputs

    limits, wanted = USUAL, getattr(arguments, "eager", False)
    if "max_time" in arguments:
        from .program import limits_of

        limits = limits_of(arguments)
    spare_inputs(arguments)
    with allowing(limits), following(EAGER if wanted else policy_in_force()), _in_time(limits):
        code: int = arguments.perform(arguments)
    return code


def _in_time(limits: Limits) -> contextlib.AbstractContextManager[None]:
    """Abort code of a language when the time of the command is over, if it has a limit."""
    if limits.seconds is None:
        return contextlib.nullcontext()
    from ..overdue import breaking_off

    return breaking_off(limits)


def _guarded(
    words: list[str],
    signals: contextlib.AbstractContextManager[object],
    held: list[BaseException],
) -> int:
    """Call the command, and turn every outcome into an exit code and at most one line. An error
    that ended a large run is put into `held`, and the run with it, since freeing it would take
    time."""
    try:
        with blaming(others=foreign.loaded):
            code = _called([word for word in words if word != TRACEBACK], signals)
        sys.stdout.flush()
        return code
    except LanguageError as error:
        return max(complain(mistake, USAGE) for mistake in error.mistakes)
    except PlanewalkError as error:
        code = USAGE
        if isinstance(error, LimitReached):
            code = LIMIT
            held.append(error)
        return complain(as_flags(str(error)), code)
    except KeyboardInterrupt as error:
        held.append(error)
        return complain(str(error) or "interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader went away
        streams.discard_output()
        return 0
    except OSError as error:
        if error.filename is not None:
            return complain(f"{error.filename!r} cannot be used: {error.strerror}", USAGE)
        streams.discard_output()
        return complain(f"output cannot be written: {error.strerror}", USAGE)
    except MemoryError:
        return complain("out of memory", LIMIT)
    except Exception as error:
        from .bugs import report_bug

        return complain(report_bug(error, words, shown=TRACEBACK in words), BUG)


def _called(words: list[str], signals: contextlib.AbstractContextManager[object]) -> int:
    try:
        arguments = parse(in_full(words, COMMANDS))
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else USAGE
    with signals:  # until here, all was imports, and there is nothing to sweep up
        return _perform(arguments)


def _leave_behind_helpers(code: int, at_once: bool) -> None:
    """Exit without cleaning up if a thread still works for a finished run, or if a large run is
    still in memory."""
    if "threading" in sys.modules:
        import threading

        at_once = at_once or threading.active_count() > 1
    if at_once:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code)
