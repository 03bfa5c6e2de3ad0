"""`planewalk dap`: the Debug Adapter Protocol, for editors."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ...core.base.deadline import Cancellation
from ...core.errors import OptionError
from ...core.limits import Limits, allowing
from .options import add
from .outcome import BUG, USAGE, complain
from .values import whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...debug.session import Session

TOKEN = "PLANEWALK_DAP_TOKEN"
SHORTEST = 16
"""Characters of the shortest token that is accepted, too many to guess."""

EPILOG = f"""\
Communicates over standard input and output, or with --port over a socket of this machine. At a
port, an editor has to send a token, as "token" in its launch request: that of the variable
{TOKEN}, or else a new one, which is printed. A launch request takes: program (a file),
language, input (text), inputFile, seed, options (an object), stopOnEntry. `planewalk help editors`
shows how to set up VS Code and Neovim.

examples:
  planewalk dap
  planewalk dap --port 4711"""


def add_arguments(parser: ArgumentParser) -> None:
    add(parser, "--port N  listen at this port instead (loopback only)", port=whole)


def perform(arguments: Namespace) -> int:
    return _talk() if arguments.port is None else _listen(arguments.port)


def _talk() -> int:
    """Serve one editor over standard input and output."""
    from ..dap.adapter import Adapter
    from ..dap.talk import Dialogue
    from ..dap.wire import Wire

    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed must not disturb the protocol
    conversation = Dialogue(Adapter(load), Wire(sys.stdin.buffer, output), report)
    conversation.serve()
    return BUG if conversation.faulty else 0


def _listen(number: int) -> int:
    import socket

    from ..dap.port import Port

    if not 0 <= number < 1 << 16:
        raise OptionError(f"--port: expected a number from 0 to 65535, not {number}")
    token, told = _token()
    try:
        listener = socket.create_server(("127.0.0.1", number))
    except OSError as error:
        raise OptionError(f"cannot listen at port {number}: {error.strerror}") from None
    print(f"listening at 127.0.0.1:{listener.getsockname()[1]}{told}", file=sys.stderr, flush=True)
    folder = os.getcwd()
    with listener:
        Port(listener, token, lambda wanted, pause: load(wanted, pause, folder), report).serve()
    return 0


def _token() -> tuple[str, str]:
    """The token that editors must send, and the text that announces it."""
    import secrets

    token = os.environ.get(TOKEN)
    if token is None:
        token = secrets.token_urlsafe(24)
        return token, f', "token": "{token}"'
    if len(token) < SHORTEST:
        raise OptionError(f"{TOKEN}: a token has at least {SHORTEST} characters")
    return token, f', "token" as in {TOKEN}'


def report(error: Exception) -> str:
    """Report an internal error on standard error; returns the line that the editor shows."""
    from .bugs import report_bug

    line = "out of memory"
    if not isinstance(error, MemoryError):
        line = report_bug(error, ["dap"], shown="--traceback" in sys.argv)
    complain(line, USAGE)
    return line


def load(wanted: dict[str, Any], pause: Callable[[], bool], below: str | None = None) -> Session:
    """The session that a launch request describes, given up when `pause` returns true. With
    `below`, it can be saved only inside that folder."""
    from ..dap.answerer import PATIENCE

    cancellation = Cancellation()
    with cancellation.by(pause), allowing(Limits(seconds=PATIENCE, deadline=cancellation)):
        return _load(wanted, below)


def _load(wanted: dict[str, Any], below: str | None) -> Session:
    from ..library import load_for
    from ..sessions import SUFFIX, session, writer_below
    from ..sources import read_file

    program, language = wanted["program"], wanted.get("language")
    given = wanted.get("input")
    if "inputFile" in wanted:
        given = read_file(wanted["inputFile"], "file of input")
    if not program.endswith(SUFFIX):
        options = {
            name.replace("-", "_"): value for name, value in wanted.get("options", {}).items()
        }
        program = load_for(session, program, None, language, options)
    walk: Session = session(program, input=given, seed=wanted.get("seed"))
    if below is not None:
        walk.write = writer_below(below)
    return walk
