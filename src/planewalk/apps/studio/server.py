"""The wire between a browser and conversations: Starlette, with nothing in it but safety.

Only this machine is served unless the command line says otherwise, and only who has the token.
Every tab has a conversation of its own, with limits; one that is idle is let go.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from hmac import compare_digest
from ipaddress import ip_address

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...core.program import Program
from ..fields import Message
from .conversation import Conversation
from .mailbox import Mailbox

STATIC = os.path.join(os.path.dirname(__file__), "static")
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
MOST_TABS = 100
MOST_MESSAGE = 8 << 20
MOST_WAITING = 64
"""Messages of a tab that are received before they are answered; the others wait in the socket."""
MOST_BYTES = 1 << 20
"""Characters of waiting messages, except for a single longer one."""
IDLE = 3600.0
"""Seconds of silence after which a tab is closed."""
MOST_VISITORS = 64
"""Connections that are no tab. The oldest makes room for the next, whatever it waits for."""
STUCK = 60.0
"""Seconds after which a tab is closed that reads nothing."""
SEEN = '{"do":"seen"}'
"""The message that confirms a frame of a run."""
LOG = logging.getLogger(__name__)
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
DOOR = "door.html"
"""The page for visitors without the token, which says where to find it."""
INSIDE = "index.html"


class Studio:
    """Serves the client, and a conversation to each tab."""

    def __init__(
        self, first: Program | None, hosts: set[str], token: str, port: int | None = None
    ) -> None:
        """`hosts` are the accepted Host headers; with a `port`, any IP address with that port is
        accepted, too."""
        self.first, self.hosts, self.token, self.port = first, hosts, token, port
        self.tabs = 0
        self.over = False
        """Whether the server has to end."""
        # One for each tab: a question that takes long does not delay other tabs.
        self.threads = ThreadPoolExecutor(MOST_TABS, "studio tab")
        self.app = Starlette(
            routes=[
                Route("/", self._page),
                Route("/static/{name}", self._page),
                WebSocketRoute("/talk", self._talk),
            ]
        )

    def end(self) -> None:
        """Ask the server to end; may be called in signal handlers."""
        self.over = True

    # Who may come in -------------------------------------------------------------------------

    def _is_for_us(self, connection: HTTPConnection) -> bool:
        """Whether a request is addressed to this server, and comes from its own pages."""
        hosts, origins = (connection.headers.getlist(name) for name in ("host", "origin"))
        called = [*hosts, *(origin.partition("://")[2] for origin in origins)]
        return len(hosts) == 1 and all(map(self._is_ours, called))

    def _is_ours(self, host: str) -> bool:
        """Whether a host is ours; an IP address is, as DNS rebinding cannot fake one."""
        if host in self.hosts:
            return True
        name, _, port = host.rpartition(":")
        return self.port is not None and port == str(self.port) and _is_address(name)

    def _has_token(self, connection: HTTPConnection) -> bool:
        """It comes in the address alone: cookies are sent to the servers at all ports of a machine,
        those of other users among them."""
        given = connection.query_params.get("token", "")
        return compare_digest(given.encode(), self.token.encode())

    # Pages -----------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        name = request.path_params.get("name", INSIDE)
        if not self._is_for_us(request):
            return PlainTextResponse("this studio is not called so, or another page asks", 403)
        if name == INSIDE and not self._has_token(request):
            return FileResponse(os.path.join(STATIC, DOOR), 403, HEADERS)
        path = os.path.join(STATIC, os.path.basename(name))
        suffix = os.path.splitext(path)[1]
        if suffix not in TYPES or not os.path.isfile(path):
            return PlainTextResponse("there is no such page", 404)
        return FileResponse(path, media_type=TYPES[suffix], headers=HEADERS)

    # Conversations ---------------------------------------------------------------------------

    async def _talk(self, socket: WebSocket) -> None:
        may = self._is_for_us(socket) and self._has_token(socket)
        if not may or self.tabs >= MOST_TABS:
            await socket.close(1008)
            return
        await socket.accept()
        self.tabs += 1
        try:
            talk = Conversation(time.monotonic, self.first)
            await Tab(socket, talk, self.threads).live()
        finally:
            self.tabs -= 1


class Tab(Mailbox):
    """A WebSocket and its conversation, which runs in a thread so that other tabs do not wait."""

    def __init__(self, socket: WebSocket, conversation: Conversation, threads: Executor) -> None:
        super().__init__(conversation)
        self.socket, self.threads = socket, threads
        self.gone = False
        self._news, self._room = asyncio.Event(), asyncio.Event()
        conversation.hurried, conversation.urged = self._has_mail, self._has_urgent_mail
        conversation.gone = lambda: self.gone

    def _has_mail(self) -> bool:
        """Whether a message waits, or the connection is closed."""
        return bool(self.inbox) or self.gone

    def _has_urgent_mail(self) -> bool:
        """Whether a message waits that is quick to answer."""
        return self.gone or (bool(self.inbox) and not self.takes_long(self.inbox[0]))

    async def live(self) -> None:
        """Serve the tab until either side closes."""
        listening, loop = asyncio.ensure_future(self._listen()), asyncio.get_running_loop()
        try:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, ConnectionError):
                while await self._hear():
                    answers = await loop.run_in_executor(self.threads, self.answers)
                    self._room.set()
                    await self._send(answers)
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError, RuntimeError):
                await listening

    async def _listen(self) -> None:
        """Receive messages; further ones wait in the socket while the inbox is full."""
        try:
            while True:
                event = await self.socket.receive()
                if event["type"] == "websocket.disconnect":
                    return
                if event.get("text") == SEEN:
                    self.conversation.seen()  # at once: no run is broken off to hear it
                    continue
                message = event.get("text") or event.get("bytes") or b""
                self.put(message)
                self._news.set()
                while self._is_full():
                    self._room.clear()
                    await self._room.wait()
        finally:
            self.gone = True
            self._news.set()

    def _is_full(self) -> bool:
        return len(self.inbox) >= MOST_WAITING or self.waiting >= MOST_BYTES

    async def _hear(self) -> bool:
        """Wait for messages, or until it is time to go on with the run; False to go."""
        running = self.conversation.running
        if not self._has_mail():
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), self._wait() if running else IDLE)
            except TimeoutError:
                if not running:
                    await self.socket.close(1001)
                    return False
        return not self.gone

    def _wait(self) -> float:
        return max(self.conversation.rest(), 0.001)

    async def _send(self, answers: list[Message]) -> None:
        """Send answers, unless the client has stopped reading."""
        try:
            await asyncio.wait_for(self._send_all(answers), STUCK)
        except TimeoutError:
            raise WebSocketDisconnect(1011) from None

    async def _send_all(self, answers: list[Message]) -> None:
        for answer in answers:
            await self.socket.send_text(json.dumps(answer, separators=(",", ":")))


def _is_address(name: str) -> bool:
    """Whether a host is an IP address; those of version 6 are in brackets."""
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        return (ip_address(bare).version == 6) == (bare != name)
    except ValueError:
        return False


def new_token() -> str:
    """A secret that cannot be guessed."""
    return secrets.token_urlsafe(24)


def _visitors() -> type[asyncio.Protocol]:
    """What connections begin as; few of those that are no tab, or not yet, are open at a time."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    present: list[asyncio.Transport] = []

    def visits(transport: asyncio.Transport) -> bool:
        is_tab = getattr(transport.get_protocol(), "handshake_complete", False)
        return not (is_tab or transport.is_closing())

    class Visitor(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            present[:] = [*filter(visits, present), transport]
            if len(present) > MOST_VISITORS:
                present.pop(0).abort()

    return Visitor


async def serve(studio: Studio, host: str, port: int, ready: Callable[[], None]) -> None:
    """Serve until the studio is ended, or this is cancelled; `ready` is called once it is open."""
    import uvicorn

    class Server(uvicorn.Server):
        def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
            return contextlib.nullcontext()  # they are answered where commands begin

    settings = uvicorn.Config(
        studio.app,
        host=host,
        port=port,
        http=_visitors(),
        backlog=MOST_VISITORS,  # as many are accepted at once
        log_level="error",  # what strangers do wrong is no news
        ws_max_size=MOST_MESSAGE,
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # nothing is far away, so packing only takes time
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = Server(settings)
    log, is_news = logging.getLogger("uvicorn.error"), lambda record: not server.should_exit
    log.addFilter(is_news)  # what is broken off when the studio ends is none
    task = asyncio.ensure_future(server.serve())
    while not server.started and not task.done():
        await asyncio.sleep(0.02)
    if server.started:
        ready()
    try:
        while not (studio.over or task.done()):
            await asyncio.wait([task], timeout=0.1)
    finally:
        server.should_exit = True  # so that everything is closed
        await task
        log.removeFilter(is_news)
