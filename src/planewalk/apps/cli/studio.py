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
EVERYWHERE = ("0.0.0.0", "::")
"""All addresses of this machine."""
OUTSIDE = ("192.0.2.1", 9)
"""An address that nobody has: the way there begins at the one by which others find us."""

EPILOG = """\
Serves on this machine alone and opens the browser; Ctrl-C ends it. With --host others can be let
in (0.0.0.0 is all addresses of this machine): then a token is made, which stands in the address
that is printed.

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

    host, everywhere = arguments.host, arguments.host in EVERYWHERE
    token = None if host in (LOOPBACK, "localhost", "::1") else new_token()
    names = {host, "localhost", LOOPBACK} if token is None else {host}
    if everywhere:
        names |= {"localhost", socket.gethostname()}
    called = {f"{_in_address(name)}:{port}" for name in names}
    studio = Studio(first, called, token, port if everywhere else None)
    place = _in_address(_own_address() if everywhere else host)
    address = f"http://{place}:{port}/" + ("" if token is None else f"?token={token}")

    def ready(_: int) -> None:
        print(f"the studio is open at {address}", flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(address)

    try:
        asyncio.run(serve(studio, host, port, ready))
    except KeyboardInterrupt:
        print("closed", file=sys.stderr)
    return 0


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _own_address() -> str:
    """The address by which other machines find this one, if there are any."""
    try:
        with socket.socket(type=socket.SOCK_DGRAM) as probe:
            probe.connect(OUTSIDE)  # nothing is sent
            found: str = probe.getsockname()[0]
            return found
    except OSError:
        return LOOPBACK


def _free_port(host: str, port: int) -> int:
    """The port that was asked for, or any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            found: int = probe.getsockname()[1]
            return found
    except OSError as error:
        raise OptionError(f"cannot serve at {host}:{port}: {error.strerror}") from None
