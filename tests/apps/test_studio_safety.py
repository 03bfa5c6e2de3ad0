"""A studio that is attacked: it stays up, and other tabs do not notice."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partialmethod
from typing import Any

import pytest
from uvicorn import Config
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from planewalk.apps.studio import mailbox, recording, server
from planewalk.apps.studio.conversation import Conversation
from planewalk.apps.studio.messages import MESSAGES
from tests import signals
from tests.patience import PATIENCE
from tests.peak import MB
from tests.tab import LIMIT, taken_by

OPEN = {"do": "open", "language": "mirrorfunge", "text": "12+.@"}
ENDLESS = {"do": "open", "language": "mirrorfunge", "text": "1$1$"}


class Served:
    """A studio at a port of its own, in a thread."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.studio = server.Studio(None, {f"127.0.0.1:{self.port}"}, "a-token")
        self.url = f"ws://127.0.0.1:{self.port}/talk?token=a-token"
        self._open, self._over = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._open.wait(PATIENCE)

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        serving = asyncio.ensure_future(
            server.serve(self.studio, "127.0.0.1", self.port, self._open.set)
        )
        await self._over.wait()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """Without pings, by which tabs would be let go as well."""
    config = partialmethod(Config.__init__, ws_ping_interval=None)
    monkeypatch.setattr(Config, "__init__", config)
    made = Served()
    yield made
    made.end()


async def ask(tab: ClientConnection, message: Any, wanted: str) -> Any:
    """Say something, and wait for an answer of a kind."""
    await tab.send(json.dumps(message))
    while True:
        answer = json.loads(await tab.recv())
        if wanted in answer:
            return answer[wanted]


async def is_well(tab: ClientConnection) -> None:
    """An ordinary tab is answered as it should be."""
    await ask(tab, OPEN, "opened")
    await ask(tab, {"do": "step"}, "told")
    assert (await ask(tab, {"do": "ask", "line": "end"}, "answer"))[-1].endswith("halted")


def attacked(served: Served, attack: Callable[[], Awaitable[None]]) -> None:
    """A tab is well before, during and after an attack, and so is a new one."""

    async def scene() -> None:
        async with connect(served.url) as tab:
            await is_well(tab)
            under_way = asyncio.ensure_future(attack())
            while not under_way.done():
                await is_well(tab)
            await under_way
            await is_well(tab)
        async with connect(served.url) as another:
            await is_well(another)

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


@pytest.mark.parametrize("most", [12, pytest.param(server.MOST_TABS, marks=pytest.mark.exhaustive)])
def test_as_many_tabs_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(server, "MOST_TABS", most)
    served = Served()

    async def scene() -> None:
        tabs = [await connect(served.url) for _ in range(most)]
        await asyncio.gather(*(is_well(tab) for tab in tabs))
        with pytest.raises(InvalidStatus):
            await connect(served.url)
        await asyncio.gather(*(tab.close() for tab in tabs[:10]))
        async with connect(served.url) as tab:
            await is_well(tab)
        await asyncio.gather(*(tab.close() for tab in tabs[10:]))

    try:
        asyncio.run(asyncio.wait_for(scene(), PATIENCE))
    finally:
        served.end()


def test_messages_faster_than_anybody_can_answer(served: Served) -> None:
    """As fast as the wire takes them; each gets its answer, in order."""
    count = 300

    async def attack() -> None:
        async with connect(served.url, max_queue=None) as tab:
            for number in range(count):
                await tab.send(f'{{"do":"fly","id":{number}}}')
                await asyncio.sleep(0)
            answers = [json.loads(await tab.recv()) for _ in range(count)]
        assert [answer["re"] for answer in answers] == list(range(count))

    attacked(served, attack)


def test_nonsense_of_every_kind(served: Served) -> None:
    nonsense = [
        "", "{", "null", "[" * 50_000, '{"do":1}', "\x00", b"\xff\xfe", '{"do":"step"}',
        '{"do":"open","language":"mirrorfunge","text":"' + "1" * (5 << 20) + '"}',
        '{"do":"goto","tick":1e999}', '{"do":"look","box":[1e400,0,0,0]}', '{"do":"__class__"}',
        '{"do":"step","ticks":-1}', '{"do":"run","speed":"fast"}', '{"do":"edit","cells":[[]]}',
    ]  # fmt: skip

    async def attack() -> None:
        async with connect(served.url) as tab:
            for message in nonsense:
                await tab.send(message)
                assert "error" in json.loads(await tab.recv())
            await is_well(tab)

    attacked(served, attack)


def test_a_message_that_is_too_large_ends_its_tab_alone(served: Served) -> None:
    async def attack() -> None:
        async with connect(served.url) as tab:
            with pytest.raises(ConnectionClosed):
                await tab.send("x" * (server.MOST_MESSAGE + 1))
                await tab.recv()

    attacked(served, attack)


def test_half_open_connections(served: Served) -> None:
    async def attack() -> None:
        streams = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(20)]
        for number, (_, writer) in enumerate(streams):
            writer.write(b"GET /talk HTTP/1.1\r\nHost: 127"[: 5 + number] + b"\xff" * (number % 3))
            await writer.drain()
        tabs = [await connect(served.url) for _ in range(10)]
        for tab in tabs:
            await tab.send(json.dumps(ENDLESS))
            await tab.send('{"do":"run"}')
            tab.transport.abort()  # gone without a word, in the middle of a run
        for _, writer in streams:
            writer.close()

    attacked(served, attack)


UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
STRANGERS = {
    "silent": b"",
    "slow": b"GET / HTTP/1.1\r\nHost: 127",
    "posting": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\nx",
    "half a tab": b"GET /talk HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n" + UPGRADE
    + b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
}  # fmt: skip


@pytest.mark.parametrize("words", STRANGERS.values(), ids=STRANGERS)
def test_strangers_who_stay_make_room_for_others(
    served: Served, monkeypatch: pytest.MonkeyPatch, words: bytes
) -> None:
    """The oldest first; tabs that are there stay, and so does who says nothing meanwhile."""
    monkeypatch.setattr(server, "MOST_VISITORS", 4)

    async def hear(reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while await reader.read(1 << 16):
                pass

    async def scene() -> None:
        async with connect(served.url) as tab:
            streams = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(12)]
            for _, writer in streams:
                writer.write(words)
            heard = [asyncio.ensure_future(hear(reader)) for reader, _ in streams]
            for _ in range(100):
                await is_well(tab)
            assert all(each.done() for each in heard[:8])
            async with connect(served.url) as another:
                await is_well(another)
            for _, writer in streams:
                writer.transport.abort()
            await asyncio.gather(*heard)

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_what_strangers_do_wrong_is_no_news(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would fill the terminal of who serves."""
    news: list[Any] = []
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "handle", news.append)
    other = b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: y\r\nConnection: upgrade\r\n\r\n"
    for words in (b"\xff\r\n\r\n", other):
        with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as stranger:
            stranger.sendall(words)
            assert stranger.recv(1 << 16)
    assert not news


def test_nobody_waits_for_long_questions_of_others(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def do_wait(self: Conversation, message: Any) -> list[Any]:
        assert over.wait(PATIENCE)
        return [{"waited": True}]

    monkeypatch.setattr(Conversation, "do_wait", do_wait, raising=False)
    monkeypatch.setitem(MESSAGES, "wait", {})

    async def scene() -> None:
        tabs = [await connect(served.url) for _ in range(40)]
        asked = [asyncio.ensure_future(ask(tab, {"do": "wait"}, "waited")) for tab in tabs]
        async with connect(served.url) as tab:
            await is_well(tab)
        assert not any(each.done() for each in asked)
        over.set()
        assert all(await asyncio.gather(*asked))
        await asyncio.gather(*(tab.close() for tab in tabs))

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_a_bug_ends_neither_the_tab_nor_the_server(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def do_bug(self: Conversation, message: Any) -> list[Any]:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(Conversation, "do_bug", do_bug, raising=False)
    monkeypatch.setitem(MESSAGES, "bug", {})

    async def scene() -> None:
        async with connect(served.url) as tab:
            assert "planted" in await ask(tab, {"do": "bug"}, "error")
            await is_well(tab)

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_idle_tabs_are_let_go(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE", 0.05)

    async def scene() -> None:
        async with connect(served.url) as tab:
            with pytest.raises(ConnectionClosed):
                await tab.recv()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_tabs_that_take_nothing_are_let_go(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "STUCK", 0.05)

    def do_pour(self: Conversation, message: Any) -> list[Any]:
        return [{"much": "x" * (4 << 20)}]

    monkeypatch.setattr(Conversation, "do_pour", do_pour, raising=False)
    monkeypatch.setitem(MESSAGES, "pour", {})

    async def scene() -> None:
        async with connect(served.url) as tab:
            tab.transport.pause_reading()
            for _ in range(8):
                await tab.send('{"do":"pour"}')
            while served.studio.tabs:
                await asyncio.sleep(0.01)
            tab.transport.abort()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_a_slow_run_leaves_the_machine_alone() -> None:
    now = 0.0
    talk = Conversation(lambda: now)
    talk.receive(ENDLESS)
    talk.receive({"do": "run", "speed": 2})
    assert talk.rest() == 0, "the first tick is due at once"
    talk.work()
    assert talk.rest() == pytest.approx(0.2), "however slow it is, somebody looks now and then"
    talk.receive({"do": "run", "speed": 100})
    talk.work()
    assert talk.rest() == pytest.approx(0.01)
    talk.receive({"do": "run"})
    assert talk.rest() == 0


BOMB = {"do": "open", "language": "refunge",
        "text": "\\|||||||\n" + "YYYYYYYY\n" * 4 + "||||||||\n"}  # fmt: skip
"""Walkers that double with every tick."""


def command(*words: str) -> tuple[subprocess.Popen[str], str]:
    """The command itself, and the address that it prints."""
    process = signals.start(
        [sys.executable, "-m", "planewalk", "studio", "--no-browser", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()[-1]


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_a_studio_that_ends_while_a_tab_is_busy_says_one_line() -> None:
    process, address = command()

    async def scene() -> None:
        async with connect(address.replace("http", "ws").replace("/?", "/talk?")) as tab:
            await ask(tab, BOMB, "opened")
            await ask(tab, {"do": "goto", "tick": 6}, "frame")
            await tab.send('{"do":"goto","tick":60}')
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await tab.recv()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))
    assert process.communicate(timeout=PATIENCE)[1] == "closed\n"


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_a_ctrl_c_that_is_ignored_stays_so() -> None:
    """Also while it serves: whoever serves answers no signals by itself."""
    seen: list[Any] = []
    studio = server.Studio(None, {"127.0.0.1:0"}, "a-token")

    def look() -> None:
        seen.append(signal.getsignal(signal.SIGINT))
        studio.end()

    with signals.restored(ignored=[signal.SIGINT]):
        asyncio.run(asyncio.wait_for(server.serve(studio, "127.0.0.1", 0, look), PATIENCE))
    assert seen == [signal.SIG_IGN]


def test_a_question_is_given_up_once_its_tab_is_gone() -> None:
    talk = Conversation(lambda: 0.0)  # no time goes by
    talk.receive(BOMB)
    tab = server.Tab(None, talk, None)  # type: ignore[arg-type]
    talk.receive({"do": "goto", "tick": 5})
    assert talk.session is not None and talk.session.tick == 5
    tab.gone = True
    talk.receive({"do": "goto", "tick": 60})
    assert talk.session.tick < 8


class Pouring:
    """A socket with one message after the other, of so many characters each."""

    def __init__(self, count: int, size: int) -> None:
        self.count, self.size, self.taken = count, size, 0

    async def receive(self) -> Any:
        if self.taken == self.count:
            return {"type": "websocket.disconnect"}
        self.taken += 1
        return {"type": "websocket.receive", "text": "x" * self.size}


@pytest.mark.parametrize(("size", "most"), [(7_000_000, 1), (100_000, 11), (10, 64)])
def test_a_busy_tab_takes_no_more_than_it_can_hold(size: int, most: int) -> None:
    """The rest waits in the wire, until something is answered."""

    async def scene() -> None:
        socket = Pouring(80, size)
        tab = server.Tab(socket, Conversation(lambda: 0.0), None)  # type: ignore[arg-type]
        listening = asyncio.ensure_future(tab._listen())
        for _ in range(200):
            await asyncio.sleep(0)
        assert socket.taken == len(tab.inbox) == most
        while not listening.done():
            tab.answers()
            tab._room.set()
            await asyncio.sleep(0)
        assert socket.taken == 80 and tab.gone

    asyncio.run(scene())


def test_a_message_that_waits_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr(mailbox, "_read", lambda message: read.append(message))
    tab = server.Tab(None, Conversation(lambda: 0.0), None)  # type: ignore[arg-type]
    tab.inbox.append("x" * 1000)
    assert [tab.conversation.urged() for _ in range(50)] == [True] * 50 and len(read) == 1


# Films of far frames, and of crowds ---------------------------------------------------------------

COUNTER = {"do": "open", "language": "mirrorfunge", "text": "1>1+v\n ^  <"}


class Hourglass:
    """A clock that counts how often it is looked at, and stands for a while in between."""

    def __init__(self, step: float) -> None:
        self.looks, self.step = 0, step

    def __call__(self) -> float:
        self.looks += 1
        return self.looks * self.step


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (COUNTER, {"first": 0, "last": 10**13, "every": 10**10}),
        (BOMB, {"first": 0, "last": 100}),
    ],
)
def test_a_film_that_takes_too_long_is_given_up(program: Any, message: Any) -> None:
    """Frames that are far from each other, and frames of a crowd that doubles with every tick."""
    talk = Conversation(Hourglass(4.0))
    talk.receive(program)
    (answer,) = talk.receive({"do": "film", **message})
    assert answer == {"error": "a film has 30 seconds to be made; fewer frames may do"}
    assert talk.session is not None and talk.session.tick == 0
    assert "frame" in talk.receive({"do": "pause"})[0]


def test_a_film_ends_with_its_tab() -> None:
    talk = Conversation(lambda: 0.0)
    talk.receive(COUNTER)
    asked: list[None] = []

    def gone() -> bool:
        asked.append(None)
        return len(asked) > 20

    talk.gone = gone
    (answer,) = talk.receive({"do": "film", "first": 0, "last": 10**13, "every": 10**10})
    assert "error" in answer and len(asked) < 5_000


def test_a_film_that_tells_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MOST_TOLD", 100)
    talk = Conversation(lambda: 0.0)
    talk.receive({"do": "open", "language": "mirrorfunge", "text": "1234567890\n" * 11})
    (answer,) = talk.receive({"do": "film", "first": 0, "last": 3})
    assert "at most 100 cells" in answer["error"]


def test_a_film_of_pictures_is_given_up() -> None:
    talk = Conversation(Hourglass(20.0))
    talk.receive({"do": "open", "language": "webfunge", "text": "v\n>0v\n^ <"})
    (answer,) = talk.receive({"do": "animate", "size": [640, 360], "kind": "gif", "seconds": 8})
    assert "30 seconds" in answer["error"]


FLAT = {"do": "open", "language": "gemooy", "text": "$" + ("@" * 64 + "\n") * 64}
WIDE = {"do": "open", "language": "gemooy", "text": "@" * 4_000}
SHADED = {"do": "open", "language": "webfunge", "text": "v\n>0v\n^ <"}


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (FLAT, {"do": "map"}),
        (WIDE, {"do": "map"}),
        (SHADED, {"do": "shader"}),
        (FLAT, {"do": "edit", "cells": [[x, 0, "#"] for x in range(600)]}),
        (FLAT, {"do": "edit", "block": {"box": [0, 0, 63, 63], "carry": [1, 0]}}),
        (FLAT, {"do": "edit", "block": {"box": [0, 0, 63, 63], "turn": "clockwise"}}),
        (FLAT, {"do": "edit", "block": {"lines": ["row", 0, 1]}}),
    ],
)
def test_pictures_of_a_plane_and_edits_have_their_time(program: Any, message: Any) -> None:
    """They take as long as the plane, the block or the program is large."""
    patient, hasty = Conversation(lambda: 0.0), Conversation(Hourglass(6.0))
    for talk in (patient, hasty):
        talk.receive(program)
    assert "error" not in patient.receive(message)[0]
    told = hasty.receive(message)[0]
    assert "given up" in (told["why"] if "shader" in told else told["error"])
    assert hasty.session is not None and [*hasty.session.branches] == ["main"]


def test_a_link_with_large_edits_has_its_time() -> None:
    first = Conversation(lambda: 0.0)
    first.receive(FLAT)
    carried = {"do": "edit", "block": {"box": [0, 0, 63, 63], "carry": [1, 0]}}
    (answer, *_) = first.receive(carried)
    link = {**FLAT, "courses": answer["frame"]["courses"], "branch": 1}
    assert first.receive(link)[1]["frame"]["branch"] != "main"
    told = Conversation(Hourglass(6.0)).receive(link)
    assert "given up" in told[-1]["error"]


DEEP = {"do": "open", "language": "mirrorfunge", "text": "1"}
LLVM = 64 * MB


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("program", [DEEP, BOMB])
def test_questions_take_as_much_as_a_few_states(program: Any) -> None:
    """About a deep stack, and about a crowd that doubles with every tick: it is not told what each
    of so many did, and a step does not go beyond the limit. LLVM takes the same for any of them, at
    whatever moment a machine comes to load it."""
    taken = taken_by(program)
    assert taken.asked < 5 * LIMIT + LLVM, taken
