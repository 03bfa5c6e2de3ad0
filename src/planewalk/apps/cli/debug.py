"""`planewalk debug`: a run on the screen, to be walked in both directions."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from ...core.errors import OptionError
from .files import read_file
from .options import add_run
from .program import load_program

EPILOG = """\
F5 runs and pauses, F10 steps, Shift+F10 steps back, F9 sets a breakpoint at the cursor, : takes
commands (goto 1e6, break 3,4 if heading = up, who 5,2, back until output contains x), ? lists all
keys. Without --input the program asks for what it reads. --max-time limits the opening of files,
and then each command and question (10 seconds by default).

examples:
  planewalk debug hello.mf
  planewalk debug cat.mf --input text.txt
  planewalk debug saved.walk"""


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser)


def perform(arguments: Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OptionError(
            "the debugger needs a terminal; planewalk trace and planewalk run --break do not"
        )
    from ..sessions import SUFFIX, session

    limits = {
        "max_steps": arguments.max_steps,
        "max_output": arguments.max_output,
        "max_memory": arguments.max_memory,
        "engine": arguments.engine,
    }
    from ..tui.app import PATIENCE, DebuggerApp
    from ..tui.opening import opened

    path: str | None = arguments.file
    if arguments.file.endswith(SUFFIX):
        walk = opened(os.path.basename(arguments.file), lambda: session(arguments.file, **limits))
        if walk is None:
            return 0
        path = None  # a session has its program in it
    else:
        program = load_program(arguments)
        given = None if arguments.input is None else read_file(arguments.input, "file of input")
        walk = session(program, input=given, seed=arguments.seed, **limits)
    patience = PATIENCE if arguments.max_time is None else arguments.max_time
    read_from = path if path is not None and os.path.exists(path) else None
    DebuggerApp(walk, read_from, patience, arguments.file).run()
    return 0
