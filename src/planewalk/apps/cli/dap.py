"""`planewalk dap`: the Debug Adapter Protocol, for editors."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...core.errors import OptionError
from ...core.limits import Limits, allowing
from .values import whole

if TYPE_CHECKING:
    import socket

    from ...debug.session import Session

PATIENCE = 10.0
"""Seconds for reading the files of a program: an editor hears nothing meanwhile."""

EPILOG = """\
Speaks on standard input and output, or with --port on a socket of this machine, one editor after
the other. A launch request takes: program (a file), language, input (text), inputFile, seed,
options (an object), stopOnEntry. See docs/editors.md for VS Code and Neovim.

examples:
  planewalk dap
  planewalk dap --port 4711"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("--port", metavar="N", type=whole, help="listen there instead (loopback)")


def perform(arguments: Namespace) -> int:
    from ..dap.adapter import Adapter
    from ..dap.wire import talk

    if arguments.port is None:
        output = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # whatever else is printed must not disturb the protocol
        talk(Adapter(load), sys.stdin.buffer, output)
        return 0
    return _listen(arguments.port)


def _listen(port: int) -> int:
    import socket

    if not 0 <= port < 1 << 16:
        raise OptionError(f"--port: expected a number from 0 to 65535, not {port}")
    try:
        server = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise OptionError(f"cannot listen at port {port}: {error.strerror}") from None
    print(f"listening at 127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
    with server:
        while True:
            serve(server.accept()[0])


def serve(connection: socket.socket) -> None:
    """Talk to one editor until it goes away or says goodbye."""
    from socket import SHUT_RDWR

    from ..dap.adapter import Adapter
    from ..dap.wire import talk

    with connection, connection.makefile("rb") as reader, connection.makefile("wb") as out:
        try:
            with suppress(OSError):  # that editor went away
                talk(Adapter(load), reader, out)
        finally:
            with suppress(OSError):  # whoever still listens to it hears the end, and lets go
                connection.shutdown(SHUT_RDWR)


def load(wanted: dict[str, Any]) -> Session:
    """The session that a launch request describes."""
    with allowing(Limits(seconds=PATIENCE).begun(time.monotonic)):
        return _load(wanted)


def _load(wanted: dict[str, Any]) -> Session:
    from ..sessions import session
    from .files import read_file

    program = wanted.get("program")
    if not isinstance(program, str) or not program:
        raise OptionError("a launch needs the path of a program")
    options = wanted.get("options") or {}
    if not isinstance(options, dict):
        raise OptionError("options must be an object")
    given = wanted.get("input")
    if wanted.get("inputFile"):
        given = read_file(str(wanted["inputFile"]), "file of input")
    return session(
        program,
        language=wanted.get("language"),
        input=given,
        seed=wanted.get("seed"),
        **{str(name).replace("-", "_"): value for name, value in options.items()},
    )
