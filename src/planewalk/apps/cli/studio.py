"""`planewalk studio`: programs in the browser, written, run, rewound and shared."""

from __future__ import annotations

import asyncio
import socket
import sys
from argparse import ArgumentParser, Namespace

from ...core.errors import OptionError
from .program import load_program
from .values import setting, whole

LOOPBACK = "127.0.0.1"

EPILOG = """\
Serves on this machine alone and opens the browser; Ctrl-C ends it. With --host others can be let
in: then a token is made, which stands in the address that is printed.

examples:
  planewalk studio
  planewalk studio hello.mf
  planewalk studio --no-browser --port 8000"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", nargs="?", help="a program to begin with")
    parser.add_argument("--lang", metavar="L", help="the language, if the suffix does not tell")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=setting,
        help="an option of the language (see planewalk list); may be repeated",
    )
    parser.add_argument(
        "--port", metavar="N", type=whole, default=0, help="the port (any free one)"
    )
    parser.add_argument("--host", metavar="H", default=LOOPBACK, help=f"the address ({LOOPBACK})")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def perform(arguments: Namespace) -> int:
    if not 0 <= arguments.port < 1 << 16:
        raise OptionError(f"--port: expected a number from 0 to 65535, not {arguments.port}")
    first = None if arguments.file is None else load_program(arguments)
    port = _free_port(arguments.host, arguments.port)
    from ..studio.server import Studio, new_token, serve

    token = None if arguments.host in (LOOPBACK, "localhost", "::1") else new_token()
    names = {arguments.host, "localhost", LOOPBACK} if token is None else {arguments.host}
    studio = Studio(first, {f"{name}:{port}" for name in names}, token)
    address = f"http://{arguments.host}:{port}/" + ("" if token is None else f"?token={token}")

    def ready(_: int) -> None:
        print(f"the studio is open at {address}", flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(address)

    try:
        asyncio.run(serve(studio, arguments.host, port, ready))
    except KeyboardInterrupt:
        print("closed", file=sys.stderr)
    return 0


def _free_port(host: str, port: int) -> int:
    """The port that was asked for, or any that is free."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            found: int = probe.getsockname()[1]
            return found
    except OSError as error:
        raise OptionError(f"cannot serve at {host}:{port}: {error.strerror}") from None
