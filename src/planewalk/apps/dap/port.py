"""Editors at a port of this machine, where other users and web pages may connect, too.

A client has to give a token. Until then only `initialize` is answered, with what this adapter can
do. A client that is silent, or speaks another protocol, delays no other.
"""

from __future__ import annotations

import hmac
import select
import socket
import threading
from contextlib import suppress
from time import monotonic

from ..fields import Message
from .adapter import Adapter, Load
from .talk import Dialogue, Report
from .wire import BrokenMessage, EndOfStream, Wire

PATIENCE = 10.0
"""Seconds within which a client must send the token."""
MOST_STRANGERS = 16
"""Clients without the token; the one that has waited longest makes room."""
MOST_EDITORS = 8
MOST_GREETING = 64 << 10
"""Bytes of a message up to the one with the token."""
WRONG = 'the token is wrong; "token" is the one that planewalk dap --port has printed'
MISSING = 'a token is needed here: give the one that planewalk dap --port has printed as "token"'
FULL = f"{MOST_EDITORS} editors are here already; end one of their sessions"


class Port:
    """Serves every client of a listening socket in a thread of its own."""

    def __init__(
        self,
        listener: socket.socket,
        token: str,
        load: Load,
        report: Report,
        patience: float = PATIENCE,
    ) -> None:
        self._listener, self._load, self._report = listener, load, report
        self._token = token.encode()
        self._patience = patience
        self._lock = threading.Lock()
        self._strangers: dict[socket.socket, float] = {}
        """Clients without the token, the oldest first, and when their time is over."""
        self._editors: set[socket.socket] = set()

    def serve(self) -> None:
        try:
            while True:
                with self._lock:
                    ends = min(self._strangers.values(), default=None)
                left = None if ends is None else max(ends - monotonic(), 0.0)
                coming, _, _ = select.select([self._listener], [], [], left)
                with self._lock:
                    late = [each for each, ends in self._strangers.items() if ends <= monotonic()]
                    for connection in late:
                        self._dismiss(connection)
                if coming:
                    self._greet_next()
        finally:
            self.close()

    def close(self) -> None:
        with self._lock:
            for connection in (*self._strangers, *self._editors):
                hang_up(connection)

    def _dismiss(self, connection: socket.socket) -> None:
        del self._strangers[connection]
        hang_up(connection)

    def _greet_next(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except ConnectionAbortedError:  # it went away before
            return
        with self._lock:
            if len(self._strangers) == MOST_STRANGERS:
                self._dismiss(next(iter(self._strangers)))
            self._strangers[connection] = monotonic() + self._patience
        threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with suppress(OSError, EndOfStream), connection:
                reader, writer = connection.makefile("rb"), connection.makefile("wb")
                with reader, writer:
                    try:
                        self._serve(connection, Wire(reader, writer, strict=True))
                    finally:
                        hang_up(connection)  # a client that still listens hears the end
        finally:
            with self._lock:
                self._strangers.pop(connection, None)
                self._editors.discard(connection)

    def _serve(self, connection: socket.socket, wire: Wire) -> None:
        adapter = Adapter(self._load)
        first = greet(adapter, wire, self._token)
        if first is None:
            return
        if self._admit(connection):
            Dialogue(adapter, wire, self._report).serve(first)
        else:
            wire.write(adapter.refuse(first, FULL))

    def _admit(self, connection: socket.socket) -> bool:
        """Count a client among the editors, if there is room and it was not dismissed."""
        with self._lock:
            if connection not in self._strangers or len(self._editors) == MOST_EDITORS:
                return False
            del self._strangers[connection]
            self._editors.add(connection)
            return True


def greet(adapter: Adapter, wire: Wire, token: bytes) -> Message | None:
    """The message with the token; None if the client sends anything else."""
    greeted = False
    while True:
        try:
            message, _ = wire.read(MOST_GREETING)
        except BrokenMessage:
            return None
        if not isinstance(message, dict) or not isinstance(message.get("command"), str):
            return None
        arguments = message.get("arguments")
        given = arguments.get("token") if isinstance(arguments, dict) else None
        if isinstance(given, str) and hmac.compare_digest(given.encode(), token):
            return message
        if given is not None or greeted or message["command"] != "initialize":
            wire.write(adapter.refuse(message, MISSING if given is None else WRONG))
            return None
        for answer in adapter.receive(message):
            wire.write(answer)
        greeted = True


def hang_up(connection: socket.socket) -> None:
    """Shut a connection down, which ends all reads and writes on it."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
