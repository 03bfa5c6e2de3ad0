"""The wire between a browser and conversations: Starlette, with nothing in it but safety.

Only this machine is served unless somebody says otherwise, and then only who has the token. Every
tab has a conversation of its own, with limits; one that is idle is let go.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...core.program import Program
from .conversation import Conversation

STATIC = os.path.join(os.path.dirname(__file__), "static")
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
MOST_TABS = 100
MOST_MESSAGE = 8 << 20
IDLE = 3600.0
"""Seconds after which a tab that says nothing is let go."""
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'"
)


class Studio:
    """Serves the client, and a conversation to each tab."""

    def __init__(self, first: Program | None, hosts: set[str], token: str | None) -> None:
        self.first, self.hosts, self.token = first, hosts, token
        self.tabs = 0
        self.app = Starlette(
            routes=[
                Route("/", self._page),
                Route("/static/{name}", self._page),
                WebSocketRoute("/talk", self._talk),
            ]
        )

    # Who may come in -------------------------------------------------------------------------

    def _may(self, connection: HTTPConnection) -> bool:
        """Whether a request was made for us, by a page of ours, by somebody with the token."""
        host = connection.headers.get("host", "")
        if host not in self.hosts:
            return False
        origin = connection.headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            return False
        if self.token is None:
            return True
        given = connection.query_params.get("token") or connection.cookies.get("planewalk") or ""
        return hmac.compare_digest(given, self.token)

    # Pages -----------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        if not self._may(request):
            return PlainTextResponse("this studio does not serve you", 403)
        name = request.path_params.get("name", "index.html")
        path = os.path.join(STATIC, os.path.basename(name))
        suffix = os.path.splitext(path)[1]
        if suffix not in TYPES or not os.path.isfile(path):
            return PlainTextResponse("there is no such page", 404)
        headers = {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache",
        }
        response = FileResponse(path, media_type=TYPES[suffix], headers=headers)
        if self.token is not None:
            response.set_cookie("planewalk", self.token, httponly=True, samesite="strict")
        return response

    # Conversations ---------------------------------------------------------------------------

    async def _talk(self, socket: WebSocket) -> None:
        if not self._may(socket) or self.tabs >= MOST_TABS:
            await socket.close(1008)
            return
        await socket.accept()
        self.tabs += 1
        try:
            await Tab(socket, Conversation(time.monotonic, self.first)).live()
        finally:
            self.tabs -= 1


class Tab:
    """One WebSocket and its conversation, which works in a thread so that others do not wait."""

    def __init__(self, socket: WebSocket, conversation: Conversation) -> None:
        self.socket, self.conversation = socket, conversation

    async def live(self) -> None:
        """Talk until one of us goes."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, ConnectionError):
            while True:
                message = await self._hear()
                if message is None:
                    answers = await self._aside(self.conversation.work)
                else:
                    answers = await self._aside(self.conversation.receive, _read(message))
                for answer in answers:
                    await self.socket.send_text(json.dumps(answer, separators=(",", ":")))

    async def _hear(self) -> str | bytes | None:
        """The next message; None when it is time to go on with the run."""
        running = self.conversation.running
        try:
            event = await asyncio.wait_for(self._event(), 0.001 if running else IDLE)
        except TimeoutError:
            if running:
                return None
            await self.socket.close(1001)
            raise WebSocketDisconnect(1001) from None
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1000))
        return event.get("text") or event.get("bytes") or b""

    _pending: asyncio.Task[Any] | None = None

    async def _event(self) -> Any:
        """The next event; one that is waited for in vain is not lost."""
        if self._pending is None:
            self._pending = asyncio.ensure_future(self.socket.receive())
        event = await asyncio.shield(self._pending)
        self._pending = None
        return event

    async def _aside(self, do: Callable[..., Any], *given: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, do, *given)


def _read(message: str | bytes) -> Any:
    """The message as data; None if it is none."""
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return None


def new_token() -> str:
    """Something nobody can guess."""
    return secrets.token_urlsafe(24)


async def serve(
    studio: Studio, host: str, port: int, ready: Callable[[int], Awaitable[None] | None]
) -> None:
    """Serve until somebody interrupts; `ready` hears the port once it is open."""
    import uvicorn

    settings = uvicorn.Config(
        studio.app,
        host=host,
        port=port,
        log_level="warning",
        ws_max_size=MOST_MESSAGE,
        ws="websockets-sansio",
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(settings)
    task = asyncio.ensure_future(server.serve())
    while not server.started and not task.done():
        await asyncio.sleep(0.02)
    if server.started:
        opened = server.servers[0].sockets[0].getsockname()[1]
        waiting = ready(opened)
        if waiting is not None:
            await waiting
    await task
