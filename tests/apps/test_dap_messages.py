"""What an editor may say: a message that is none, or asks for nonsense, is answered in a line."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.cli.dap import load
from planewalk.apps.dap import inbox
from planewalk.apps.dap.adapter import Adapter
from planewalk.apps.dap.inbox import Inbox
from planewalk.apps.dap.requests import REQUESTS
from planewalk.apps.dap.stepping import STEPS
from planewalk.apps.dap.talk import Dialogue
from planewalk.apps.dap.wire import BrokenMessage, EndOfStream, ForeignTraffic, Wire, parse
from tests.patience import PATIENCE

from .editors import Client, Piped


@pytest.fixture
def editor(tmp_path: Path) -> Client:
    (tmp_path / "add.mf").write_text("12+.@\n")
    client = Client(tmp_path)
    client.launch("add.mf")
    client.body("configurationDone")
    return client


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Piped]:
    (tmp_path / "add.mf").write_text("12+.@\n")
    server = Piped(tmp_path)
    yield server
    server.end()


# Headers -------------------------------------------------------------------------------------

INITIALIZE = b'{"seq":1,"type":"request","command":"initialize"}'
MESSAGE = b"Content-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE)
LENGTHS = [
    b"-1", b"", b"x", b"1e3", b"+5", b"9" * 12, b"9" * 5_000, b"\xd9\xa1\xd9\xa2", b"\xff", b"1 2",
]  # fmt: skip


def read_all(data: bytes, *, strict: bool = False) -> list[Any]:
    """What is read of a stream: messages, and how it goes wrong."""
    wire = Wire(io.BytesIO(data), io.BytesIO(), strict=strict)
    found: list[Any] = []
    while True:
        try:
            found.append(wire.read(1_000)[0])
        except BrokenMessage as error:
            found.append(str(error))
        except EndOfStream as error:
            return [*found, type(error)]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_length_that_is_none_is_answered_and_the_next_message_is_read(length: bytes) -> None:
    said, message, end = read_all(b"Content-Length: %s\r\n\r\n{}%s" % (length, MESSAGE))
    assert "is not a length" in said
    assert message["command"] == "initialize" and end is EndOfStream


@pytest.mark.parametrize("length", LENGTHS)
def test_at_a_port_such_a_length_is_the_end(length: bytes) -> None:
    said = b"Content-Length: %s\r\n\r\n{}%s" % (length, MESSAGE)
    assert read_all(said, strict=True) == [ForeignTraffic]


def test_nothing_within_a_long_message_is_a_message() -> None:
    long = MESSAGE * 100
    for strict in (False, True):
        said, message, _ = read_all(b"Content-Length: %d\r\n\r\n%s%s" % (len(long), long, MESSAGE),
                                    strict=strict)  # fmt: skip
        assert "is too long; 1,000 are allowed" in said and message["seq"] == 1
    assert read_all(b"Content-Length: 2000\r\n\r\n" + MESSAGE) == [EndOfStream], "it is cut off"


@pytest.mark.parametrize("line", [
    b"POST / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\n", b"Host: 127.0.0.1:4711\r\n", b"\r\n",
    b"{}\n", b"Content-Length 5\r\n", b"X: Content-Length: 49\r\n", b"\x16\x03\x01\x02\0\n",
    b"a" * 9_000, b"Content-Length: 49\r\n", b"Content-Type: json\r\n" * 40,
])  # fmt: skip
def test_at_a_port_other_traffic_is_the_end(line: bytes) -> None:
    assert read_all(line + MESSAGE, strict=True) == [ForeignTraffic]


def test_the_other_header_of_the_protocol_is_one() -> None:
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    assert len(read_all(kind + MESSAGE + MESSAGE, strict=True)) == 3


# Bodies --------------------------------------------------------------------------------------

BODIES = [
    (b"", "not JSON"), (b"{", "not JSON"), (b"\xff", "not UTF-8"), (b'{"a": NaN}', "has no NaN"),
    (b'{"a": Infinity}', "has no Infinity"), (b'{"a": -Infinity}', "has no -Infinity"),
    (b'{"a": 1e999}', "1e999 is too large"), (b"9" * 5_000, "not JSON"),
    (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    (b'{"command": "initialize", "command": "disconnect"}', "'command' twice"),
    (rb'{"a": "\ud800"}', "half a character"), ("{}".encode("utf-16"), "not UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), BODIES)
def test_a_body_that_is_none_is_answered(body: bytes, said: str) -> None:
    with pytest.raises(BrokenMessage, match=said):
        parse(body)


def test_whole_characters_are_no_halves() -> None:
    assert parse(rb'"\ud83d\ude00"') == "\U0001f600"


def test_all_that_over_pipes(server: Piped) -> None:
    for length in LENGTHS:
        server.raw(b"Content-Length: %s\r\n\r\n" % length)
    for body, _ in BODIES:
        server.send(body)
    server.raw(b"Content-Length: %d\r\n\r\n%s" % (17 << 20, b" " * (17 << 20)))
    assert server.ask("launch", program="add.mf")["success"]
    told = [event["body"]["output"] for event in server.events if event["event"] == "output"]
    assert len(told) == len(LENGTHS) + len(BODIES) + 1 and all(
        line.count("\n") == 1 for line in told
    )
    assert server.ask("disconnect")["success"]
    assert server.process.wait(timeout=PATIENCE) == 0
    assert server.process.stderr is not None and server.process.stderr.read() == b""


# Requests ------------------------------------------------------------------------------------

ODD = [
    float("nan"), float("inf"), -float("inf"), 1.5, 1e300, 10**4_000, -(10**4_000), -1, 0, 2**53,
    True, None, "x", "9" * 5_000, "", "(" * 400 + "at 1,1" + ")" * 400, "\0", [], [[]],
    [None], [{}], {}, {"a": 1},
]  # fmt: skip


def test_every_request_is_declared_and_served() -> None:
    served = {name.removeprefix("on_") for name in dir(Adapter) if name.startswith("on_")}
    assert served | set(STEPS) == set(REQUESTS)


@pytest.mark.parametrize("command", [*REQUESTS, "__init__", "receive", "fly", ""])
def test_no_odd_argument_is_a_bug(editor: Client, command: str) -> None:
    """Whatever is raised and no error of planewalk would be one."""
    fields = REQUESTS.get(command, {})
    good: dict[str, Any] = {
        "program": str(editor.folder / "add.mf"), "line": 1, "targetId": 0, "threadId": 1,
        "frameId": 0, "variablesReference": 1, "name": "0", "value": "1", "dataId": "1,0",
        "expression": "tick", "text": "s", "column": 1, "breakpoints": [],
    }  # fmt: skip
    for name in [*fields, "more"]:
        for value in ODD:
            editor.body("gotoTargets", line=1)
            editor.body("scopes", frameId=0)
            arguments = {each: good[each] for each in fields if each in good} | {name: value}
            answer = editor.ask(command, **arguments)
            assert answer["success"] or answer["message"].strip()
    for whole in ODD[1:]:
        request = {"seq": 5, "type": "request", "command": command, "arguments": whole}
        assert editor.adapter.receive(request)
    assert editor.body("launch", program=good["program"]) == {}


@pytest.mark.parametrize("number", ODD[:7] + ["1", [1]])
@pytest.mark.parametrize("field", ["line", "column"])
def test_numbers_of_breakpoints_are_whole(editor: Client, field: str, number: Any) -> None:
    answer = editor.ask("setBreakpoints", breakpoints=[{"line": 1, "column": 1, field: number}])
    assert not answer["success"]
    assert f"entry 1: {field!r}: expected a whole number" in answer["message"]
    assert answer["message"].count("\n") == 0 and len(answer["message"]) < 200


def test_a_number_of_a_request_is_no_matter_of_how_it_is_written(editor: Client) -> None:
    points = [{"line": 1.0, "column": 2.0}]
    answer = editor.body("setBreakpoints", breakpoints=points)["breakpoints"]
    assert answer == [{"verified": True, "line": 1, "column": 2}]


@pytest.mark.parametrize("seq", [None, "1", [], {}, 1.5, float("nan")])
def test_a_request_without_a_number_is_answered(seq: Any) -> None:
    adapter = Adapter(load)
    response, *_ = adapter.receive({"seq": seq, "command": "initialize"})
    assert response["success"] and response["request_seq"] == 0


@pytest.mark.parametrize(
    "message", [None, 5, [], "x", {}, {"command": 5}, {"seq": [], "command": 5}]
)
def test_what_is_no_request_is_told(message: Any) -> None:
    (event,) = Adapter(load).receive(message)
    assert event["body"]["output"] == "planewalk: a request is an object with a command\n"


def test_a_request_without_a_command_is_answered_under_its_number() -> None:
    (response,) = Adapter(load).receive({"seq": 7})
    assert response["request_seq"] == 7 and not response["success"]


@pytest.mark.parametrize("name", ["source", "language", "path", "max_memory", "engine", "nothing"])
def test_an_option_is_one_of_the_language(editor: Client, name: str) -> None:
    program = str(editor.folder / "add.mf")
    answer = editor.ask("launch", program=program, options={name: 1})
    assert not answer["success"] and f"has no option '{name}'" in answer["message"]


# Bugs of ours --------------------------------------------------------------------------------


class Faulty(Adapter):
    """Has a bug."""

    def on_threads(self, arguments: Any, after: Any) -> Any:
        return arguments["thread"]


def test_a_bug_of_ours_is_reported_as_such_and_the_session_goes_on() -> None:
    asked = [{"seq": n, "command": name} for n, name in enumerate(["threads", "initialize"], 1)]
    data = b"".join(
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        for body in (json.dumps(each).encode() for each in asked)
    )
    reported: list[Exception] = []

    def report(error: Exception) -> str:
        reported.append(error)
        return "this is a bug"

    heard = io.BytesIO()
    conversation = Dialogue(Faulty(load), Wire(io.BytesIO(data), heard), report)
    conversation.serve()
    assert conversation.faulty and isinstance(reported[0], KeyError)
    heard.seek(0)
    wire = Wire(heard, io.BytesIO())
    answers = [wire.read()[0] for _ in asked]
    assert [answer["success"] for answer in answers] == [False, True]
    assert answers[0]["message"] == "this is a bug"


# Messages that wait --------------------------------------------------------------------------


def test_messages_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MOST_MESSAGES", 3)
    monkeypatch.setattr(inbox, "MOST_BYTES", 100)
    for size, most in ((1, 3), (60, 2)):
        full = Inbox()
        for number in range(most):
            assert full._has_room()
            full.put({"seq": number, "command": "threads"}, size)
        assert not full._has_room()
        full.take(None)
        assert full._has_room()
