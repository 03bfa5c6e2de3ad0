"""`planewalk studio`: programs in the browser, written, run, rewound and shared."""

from __future__ import annotations

import asyncio
import socket
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ...core.errors import OptionError
from .interrupts import Answered
from .options import add, add_language
from .program import load_program
from .values import whole

LOOPBACK = "127.0.0.1"
HERE = (LOOPBACK, "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
"""All addresses of this machine."""
HTTP = 80
"""The default port, which URLs leave out."""
OUTSIDE = ("192.0.2.1", 9)
"""TEST-NET-1: connecting a UDP socket to it reveals our outward address."""
SIGNPOST = """\
<!doctype html><meta charset="utf-8"><title>planewalk studio</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={0}"><a href="{0}">The studio</a>
"""

EPILOG = """\
Serves only this machine, and opens the browser; Ctrl-C ends it. The printed address contains a
token, without which no other user of this machine has access. With --host, other machines have
access, too (0.0.0.0 is all addresses of this machine), if they know that address.

examples:
  planewalk studio
  planewalk studio hello.mf
  planewalk studio --no-browser --port 8000"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="a program to begin with")
    add_language(parser)
    rows = f"""
        --port N  the port (default: any free one)
        --host H  the address (default {LOOPBACK})
        --no-browser  only print the address
    """
    add(parser, rows, port={"type": whole, "default": 0}, host=LOOPBACK)


def perform(arguments: Namespace) -> int:
    if not 0 <= arguments.port < 1 << 16:
        raise OptionError(f"--port: expected a number from 0 to 65535, not {arguments.port}")
    first = None if arguments.file is None else load_program(arguments)
    port = _free_port(arguments.host, arguments.port)
    from ..studio.server import Studio, new_token, serve

    host, everywhere, token = arguments.host, arguments.host in EVERYWHERE, new_token()
    studio = Studio(first, _called(host, port), token, port if everywhere else None)
    place = _in_address(_own_address() if everywhere else host)
    address = f"http://{place}:{port}/?token={token}"

    with ExitStack() as closing:

        def ready() -> None:
            print(f"the studio is open at {address}", flush=True)
            if not arguments.no_browser:
                import webbrowser

                webbrowser.open(closing.enter_context(_signpost(address)))

        closing.enter_context(Answered(lambda *_: studio.end()))
        asyncio.run(serve(studio, host, port, ready))
        print("closed", file=sys.stderr)
    return 0


@contextmanager
def _signpost(address: str) -> Iterator[str]:
    """A page that redirects to the studio, readable by this user alone: the arguments of processes,
    such as the browser's, are visible to all users of a machine."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="planewalk-") as folder:
        path = Path(folder, "studio.html")
        path.write_text(SIGNPOST.format(address))
        yield path.as_uri()


def _called(host: str, port: int) -> set[str]:
    """The values of the Host header that are accepted."""
    names = {host}
    if host in HERE:
        names |= {"localhost", LOOPBACK}
    elif host in EVERYWHERE:
        names |= {"localhost", socket.gethostname()}
    end = "" if port == HTTP else f":{port}"
    return {f"{_in_address(name)}{end}" for name in names}


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _own_address() -> str:
    """The address at which other machines reach this one."""
    try:
        with socket.socket(type=socket.SOCK_DGRAM) as probe:
            probe.connect(OUTSIDE)  # nothing is sent
            found: str = probe.getsockname()[0]
            return found
    except OSError:
        return LOOPBACK


def _free_port(host: str, port: int) -> int:
    """The requested port, or any free one for 0."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            found: int = probe.getsockname()[1]
            return found
    except OSError as error:
        raise OptionError(f"cannot serve at {host}:{port}: {error.strerror}") from None
