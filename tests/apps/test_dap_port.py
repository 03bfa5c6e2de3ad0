"""`planewalk dap --port` is attacked: by other users, by web pages, by who says nothing at all."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.cli.dap import TOKEN, load
from planewalk.apps.dap import port
from planewalk.apps.dap.port import Port
from tests.patience import PATIENCE

from .complaints import assert_one_clear_line
from .editors import SECRET, Listening, Talker, Visitor
from .test_run import planewalk

NOBODY = 65534
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the user starts the server, with a program and a secret."""
    started = tmp_path / "work"
    started.mkdir()
    (started / "add.mf").write_text("12+.@\n")
    secret = started / "secret.txt"
    secret.write_text("hunter2")
    secret.chmod(0o600)
    return started


@pytest.fixture
def listening(folder: Path) -> Iterator[Listening]:
    made = Listening(folder)
    yield made
    made.end()


class Inside:
    """The same in a thread, with limits of its own."""

    def __init__(self, patience: float = 3600.0) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.number: int = self.listener.getsockname()[1]
        self.port = Port(self.listener, SECRET, load, str, patience)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            self.port.serve()

    def end(self) -> None:
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self.listener.close()


@pytest.fixture
def inside() -> Iterator[Inside]:
    made = Inside()
    yield made
    made.end()


@pytest.fixture
def impatient() -> Iterator[Inside]:
    made = Inside(patience=0.01)
    yield made
    made.end()


# Who comes in --------------------------------------------------------------------------------

CAUGHT = """
import encodings.idna, json, os, socket, sys
os.setgid({user}); os.setuid({user})
connection = socket.create_connection(("127.0.0.1", {port}))
stream = connection.makefile("rwb")
said = [("initialize", {{}}), ("launch", {{"program": {secret!r}, "language": "mirrorfunge"}}),
        ("evaluate", {{"expression": "save stolen.walk"}}),
        ("variables", {{"variablesReference": 1}})]
for number, (command, arguments) in enumerate(said):
    body = json.dumps({{"seq": number, "command": command, "arguments": arguments}}).encode()
    stream.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
try:
    stream.flush()
    sys.stdout.buffer.write(stream.read())
except ConnectionError:
    pass
"""


@as_root
def test_another_user_reads_and_writes_nothing(listening: Listening, folder: Path) -> None:
    words = CAUGHT.format(user=NOBODY, port=listening.port, secret=str(folder / "secret.txt"))
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert b'"success":true,"command":"initialize"' in done.stdout
    assert b"a token is needed here" in done.stdout and b"evaluate" not in done.stdout
    assert not (folder / "stolen.walk").exists()


def test_who_has_the_token_walks(listening: Listening) -> None:
    with Visitor(listening.port) as editor:
        assert editor.enter(program="add.mf")["success"]
        assert editor.ask("configurationDone")["success"]
        assert editor.event("stopped")["reason"] == "entry"
        assert editor.ask("evaluate", expression="end")["success"]
        assert editor.event("output")["output"] == "3"


@pytest.mark.parametrize("command", ["initialize", "launch", "attach"])
def test_any_of_the_first_requests_brings_the_token(
    inside: Inside, folder: Path, command: str
) -> None:
    with Visitor(inside.number) as editor:
        program = str(folder / "add.mf")
        assert editor.ask(command, token=SECRET, program=program)["success"]
        assert editor.ask("threads")["success"] == (command != "initialize")


WRONG: list[Any] = [
    "", "x", SECRET[:-1], SECRET + "x", SECRET.upper(), 5, True, [SECRET], {}, "\xe9",
]  # fmt: skip


@pytest.mark.parametrize("token", WRONG)
def test_a_wrong_token_is_the_end(inside: Inside, token: Any) -> None:
    for command in ("initialize", "launch"):
        with Visitor(inside.number) as editor:
            answer = editor.ask(command, token=token, program="add.mf")
            assert not answer["success"] and answer["message"].startswith("the token is wrong")
            assert editor.is_over()


@pytest.mark.parametrize("command", ["threads", "evaluate", "planewalkFrame", "cancel", "nothing"])
def test_nothing_else_is_answered_without_it(inside: Inside, command: str) -> None:
    with Visitor(inside.number) as editor:
        assert editor.ask("initialize")["success"]
        assert editor.ask(command)["message"].startswith("a token is needed here")
        assert editor.is_over()


def test_a_greeting_is_answered_once(inside: Inside) -> None:
    with Visitor(inside.number) as editor:
        assert editor.ask("initialize")["success"]
        assert not editor.ask("initialize")["success"]
        assert editor.is_over()


def test_a_token_is_made_and_printed_or_given(folder: Path) -> None:
    made = Listening(folder, token=None)
    try:
        token = json.loads("{" + made.said.strip().partition(", ")[2] + "}")["token"]
        assert len(token) >= 32
        with Visitor(made.port) as editor:
            assert editor.ask("launch", token=token, program="add.mf")["success"]
    finally:
        made.end()


def test_a_short_token_is_refused(folder: Path) -> None:
    done = planewalk("dap", "--port", "0", cwd=folder, env={**os.environ, TOKEN: "short"})
    assert_one_clear_line(done, f"{TOKEN}: a token has at least 16 characters")


# Web pages -----------------------------------------------------------------------------------


def request(command: str, **arguments: Any) -> bytes:
    body = json.dumps({"seq": 1, "type": "request", "command": command, "arguments": arguments})
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode())


def test_a_page_that_posts_messages_is_not_heard(listening: Listening, folder: Path) -> None:
    program = str(folder / "add.mf")
    inner = request("initialize", token=SECRET) + request("launch", program=program)
    inner += request("evaluate", expression="save posted.walk")
    host = b"Host: 127.0.0.1:%d\r\n" % listening.port
    for padding in (b"", b" " * (17 << 20)):  # which is more than is read at once
        body = padding + inner
        head = b"POST / HTTP/1.1\r\n%sContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
        with Visitor(listening.port) as page:
            try:
                page.raw(head % (host, len(body)) + body)
                assert page.socket.recv(1) == b""
            except ConnectionError:
                pass
    assert not (folder / "posted.walk").exists()
    with Visitor(listening.port) as editor:
        assert editor.enter(program="add.mf")["success"]


def test_before_the_token_a_long_message_is_the_end(inside: Inside) -> None:
    with Visitor(inside.number) as editor:
        editor.raw(b"Content-Length: %d\r\n\r\n" % (port.MOST_GREETING + 1))
        editor.raw(b" " * (port.MOST_GREETING + 1) + request("initialize"))
        assert editor.is_over()


def test_after_the_token_a_long_message_is_skipped(inside: Inside, folder: Path) -> None:
    with Visitor(inside.number) as editor:
        assert editor.enter(program=str(folder / "add.mf"))["success"]
        long = (17 << 20) + len(request("disconnect"))
        editor.raw(b"Content-Length: %d\r\n\r\n%s" % (long, b" " * (17 << 20)))
        editor.raw(request("disconnect"))
        assert editor.ask("threads")["success"]


def test_after_the_token_other_traffic_is_the_end(inside: Inside, folder: Path) -> None:
    with Visitor(inside.number) as editor:
        assert editor.enter(program=str(folder / "add.mf"))["success"]
        editor.raw(b"POST / HTTP/1.1\r\n\r\n" + request("evaluate", expression="end"))
        assert editor.is_over()


# Who says nothing ----------------------------------------------------------------------------


def test_silent_ones_keep_nobody_waiting(listening: Listening) -> None:
    with Visitor(listening.port), Visitor(listening.port) as slow:
        slow.raw(b"Content-Le")
        with Visitor(listening.port) as editor:
            assert editor.enter(program="add.mf")["success"]


def test_a_silent_one_is_dismissed(impatient: Inside) -> None:
    with Visitor(impatient.number) as silent:
        assert silent.is_over()
    with Visitor(impatient.number) as greeted:
        greeted.say("initialize")
        assert greeted.is_over(), "even if it has said something"


def test_who_has_waited_longest_makes_room(inside: Inside, folder: Path) -> None:
    crowd = [Visitor(inside.number) for _ in range(port.MOST_STRANGERS)]
    for visitor in crowd:
        assert visitor.ask("initialize")["success"]
    with Visitor(inside.number) as editor:
        assert editor.enter(program=str(folder / "add.mf"))["success"]
        assert crowd[0].is_over()
        assert crowd[-1].ask("launch", token=SECRET, program=str(folder / "add.mf"))["success"]
    for visitor in crowd:
        visitor.end()


def test_editors_are_counted(inside: Inside, folder: Path) -> None:
    program = str(folder / "add.mf")
    editors = [Visitor(inside.number) for _ in range(port.MOST_EDITORS)]
    assert all(editor.enter(program=program)["success"] for editor in editors)
    with Visitor(inside.number) as late:
        assert "8 editors are here already" in late.enter(program=program)["message"]
        assert late.is_over()
    assert editors[0].ask("disconnect")["success"]
    assert editors[0].is_over()
    while True:  # its thread may still be about to leave
        with Visitor(inside.number) as next_one:
            if next_one.enter(program=program)["success"]:
                break
    for editor in editors:
        editor.end()


def test_an_end_of_the_server_is_one_of_all_conversations(inside: Inside, folder: Path) -> None:
    with Visitor(inside.number) as silent, Visitor(inside.number) as editor:
        assert silent.ask("initialize")["success"]
        assert editor.enter(program=str(folder / "add.mf"))["success"]
        inside.end()
        assert silent.is_over() and editor.is_over()


# What it may write ---------------------------------------------------------------------------


def saving(editor: Talker, path: str) -> dict[str, Any]:
    return editor.ask("evaluate", expression=f"save {path}", context="repl")


@pytest.fixture
def walking(inside_folder: Listening) -> Iterator[Visitor]:
    with Visitor(inside_folder.port) as editor:
        assert editor.enter(program="add.mf")["success"]
        yield editor


@pytest.fixture
def inside_folder(folder: Path) -> Iterator[Listening]:
    (folder / "sub").mkdir()
    (folder / "out").symlink_to(folder.parent)
    (folder / "link.walk").symlink_to(folder.parent / "linked.walk")
    (folder / "sub" / "in.walk").symlink_to(folder / "inner.walk")
    os.mkfifo(folder / "pipe")
    made = Listening(folder)
    yield made
    made.end()


def test_sessions_are_saved_only_below_where_it_was_started(walking: Visitor, folder: Path) -> None:
    above = folder.parent
    for path in (
        "../up.walk",
        str(above / "up.walk"),
        "out/up.walk",
        "link.walk",
        "sub/../../up.walk",
    ):
        answer = saving(walking, path)
        assert not answer["success"] and "is not below" in answer["message"], path
    (above / "workshop").mkdir()
    assert "is not below" in saving(walking, str(above / "workshop" / "up.walk"))["message"]
    assert sorted(each.name for each in above.rglob("*.walk") if not each.is_symlink()) == []
    for path in ("a.walk", "sub/b.walk", str(folder / "c.walk"), "sub/in.walk", "sub/../d.walk"):
        assert saving(walking, path)["success"], path
    assert (folder / "inner.walk").is_file() and (folder / "d.walk").is_file()


def test_neither_the_program_nor_a_pipe_is_written(walking: Visitor, folder: Path) -> None:
    assert "is not replaced" in saving(walking, "add.mf")["message"]
    assert "is not replaced" in saving(walking, "secret.txt")["message"]
    assert "not a plain file" in saving(walking, "pipe")["message"]
    assert (folder / "add.mf").read_text() == "12+.@\n"
    assert (folder / "secret.txt").read_text() == "hunter2"
