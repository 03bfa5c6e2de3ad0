"""The debug adapter: its side of the protocol, and a process that speaks it over real pipes."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from planewalk.apps.cli.dap import load, serve
from planewalk.apps.dap import wire
from planewalk.apps.dap.adapter import Adapter
from planewalk.apps.dap.wire import Message, read_message, talk, write_message

MOST_WORK = 1_000
"""Slices of a run in which something has to happen."""


class Client:
    """As much of an editor as a test needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.adapter = Adapter(load)
        self.sequence = 0
        self.events: list[dict[str, Any]] = []

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """A request, and its response; events on the way are kept."""
        self.sequence += 1
        request = {"seq": self.sequence, "type": "request", "command": command}
        answers = self.adapter.receive({**request, "arguments": arguments})
        response, *events = json.loads(json.dumps(answers))
        assert response["type"] == "response"
        assert response["request_seq"] == self.sequence and response["command"] == command
        self.events += events
        return dict(response)

    def body(self, command: str, **arguments: Any) -> dict[str, Any]:
        answer = self.ask(command, **arguments)
        assert answer["success"], answer
        found: dict[str, Any] = answer.get("body", {})
        return found

    def event(self, name: str) -> dict[str, Any]:
        """The next event of that name."""
        for _ in range(MOST_WORK):
            for at, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[: at + 1]
                    return dict(event["body"])
            self.events += json.loads(json.dumps(self.adapter.work()))
        raise AssertionError(f"no {name} comes")

    def launch(self, program: str, counting: int = 1, **more: Any) -> None:
        starts = {"linesStartAt1": counting == 1, "columnsStartAt1": counting == 1}
        assert self.body("initialize", adapterID="planewalk", **starts)["supportsStepBack"]
        self.body("launch", program=str(self.folder / program), **more)
        self.event("initialized")

    def place(self) -> tuple[int, int]:
        """Line and column of the first walker."""
        frame = self.body("stackTrace", threadId=1)["stackFrames"][0]
        return frame["line"], frame["column"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "add.mf").write_text("12+.@\n")
    (tmp_path / "apart.mf").write_text("1   2@\n")
    (tmp_path / "twice.mf").write_text("1.2.@\n")
    (tmp_path / "cat.mf").write_text("~,~,@\n")
    (tmp_path / "write.ref").write_text("+X!^\n")
    return tmp_path


@pytest.fixture
def editor(folder: Path) -> Client:
    return Client(folder)


def test_steps_in_both_directions(editor: Client) -> None:
    editor.launch("add.mf", input="")
    editor.body("configurationDone")
    assert editor.event("stopped")["reason"] == "entry"
    assert editor.place() == (1, 1)
    for command, place in [("stepIn", (1, 2)), ("next", (1, 3)), ("stepBack", (1, 2))]:
        editor.body(command, threadId=1)
        assert editor.event("stopped")["reason"] == "step"
        assert editor.place() == place


def test_breakpoints_run_and_reverse(editor: Client) -> None:
    editor.launch("add.mf", input="")
    points = [{"line": 1, "column": 4}, {"line": 1, "column": 3, "condition": "depth = 9"}]
    answer = editor.body("setBreakpoints", source={"path": "add.mf"}, breakpoints=points)
    assert [point["verified"] for point in answer["breakpoints"]] == [True, True]
    editor.body("configurationDone")
    editor.event("stopped")
    editor.body("continue", threadId=1)
    assert editor.event("stopped")["reason"] == "breakpoint" and editor.place() == (1, 4)
    editor.body("continue", threadId=1)
    assert editor.event("output")["output"] == "3"
    assert editor.event("stopped")["text"] == "halted"
    editor.body("reverseContinue", threadId=1)
    assert editor.event("stopped")["reason"] == "breakpoint" and editor.place() == (1, 4)


def test_a_line_without_a_column_and_a_condition_that_is_none(editor: Client) -> None:
    editor.launch("add.mf")
    points = [{"line": 1}, {"line": 9}, {"line": 1, "column": 2, "condition": "depht"}]
    answer = editor.body("setBreakpoints", source={}, breakpoints=points)["breakpoints"]
    assert answer[0] == {"verified": True, "line": 1, "column": 1}
    assert not answer[1]["verified"]
    assert not answer[2]["verified"] and "did you mean 'depth'" in answer[2]["message"]


def test_log_points_say_something_and_do_not_stop(editor: Client) -> None:
    editor.launch("add.mf", input="", stopOnEntry=False)
    points = [{"line": 1, "column": 3, "logMessage": "adding {stack}"}]
    editor.body("setBreakpoints", source={}, breakpoints=points)
    editor.body("configurationDone")
    assert editor.event("output")["output"] == "adding 2 1\n"
    assert editor.event("stopped")["text"] == "halted"


def test_hit_counts_and_log_points_beside_each_other(editor: Client) -> None:
    """Each has its own count, and backwards log points do not stop."""
    editor.launch("add.mf", input="")
    points = [
        {"line": 1, "column": 2, "hitCondition": "9"},
        {"line": 1, "column": 4, "hitCondition": "1"},
        {"line": 1, "column": 3, "logMessage": "{tick}: {stack[0]}"},
    ]
    editor.body("setBreakpoints", source={}, breakpoints=points)
    editor.body("configurationDone")
    editor.event("stopped")
    editor.body("continue", threadId=1)
    assert editor.event("output")["output"] == "2: 2\n"
    assert editor.event("stopped")["reason"] == "breakpoint"
    assert editor.body("evaluate", expression="at 3,0")["result"] == "true"
    editor.body("reverseContinue", threadId=1)
    assert editor.event("stopped")["reason"] == "entry"
    assert editor.body("evaluate", expression="tick")["result"] == "0"


def test_hits_are_counted_while_breakpoints_change(editor: Client) -> None:
    (editor.folder / "round.mf").write_text("1$        \n")
    editor.launch("round.mf")
    third = {"line": 1, "column": 2, "hitCondition": "% 3"}
    beside = {"line": 1, "column": 2, "logMessage": "passed"}
    ticks = []
    for others in ([], [{"line": 1, "column": 9, "condition": "tick > 1e6"}], [beside]):
        editor.body("setBreakpoints", source={}, breakpoints=[third, *others])
        if not ticks:
            editor.body("configurationDone")
        editor.body("stepIn", threadId=1)
        editor.body("continue", threadId=1)
        while editor.event("stopped")["reason"] != "breakpoint":
            pass
        assert editor.adapter.session is not None
        ticks.append(editor.adapter.session.tick)
    assert ticks == [21, 51, 81]
    wrong = {"line": 1, "column": 2, "hitCondition": "often"}
    (answer,) = editor.body("setBreakpoints", source={}, breakpoints=[wrong])["breakpoints"]
    assert not answer["verified"] and "such as 3, not 'often'" in answer["message"]


def test_every_so_many_writes_stop(editor: Client) -> None:
    (editor.folder / "double.ref").write_text("v+X~^\n \n")
    editor.launch("double.ref")
    point = {"dataId": "0,1", "accessType": "write", "hitCondition": "2"}
    (answer,) = editor.body("setDataBreakpoints", breakpoints=[point])["breakpoints"]
    assert answer["verified"]
    editor.body("configurationDone")
    editor.event("stopped")
    editor.body("continue", threadId=1)
    assert editor.event("stopped")["reason"] == "breakpoint"
    assert editor.adapter.session is not None and editor.adapter.session.tick == 8


def test_data_breakpoints(editor: Client) -> None:
    editor.launch("write.ref", input="")
    assert editor.body("dataBreakpointInfo", name="0,0")["dataId"] == "0,0"
    editor.body("setDataBreakpoints", breakpoints=[{"dataId": "0,0", "accessType": "write"}])
    editor.body("configurationDone")
    editor.event("stopped")
    editor.body("continue", threadId=1)
    assert editor.event("stopped")["reason"] == "breakpoint"
    assert editor.place() == (1, 3), "the tick that wrote it is done"


def test_variables_are_shown_and_changed(editor: Client) -> None:
    editor.launch("add.mf", input="")
    editor.body("configurationDone")
    editor.body("evaluate", expression="goto 2", context="repl")
    found = editor.body("scopes", frameId=0)["scopes"]
    scopes = {scope["name"]: scope["variablesReference"] for scope in found}
    stack = editor.body("variables", variablesReference=scopes["Stack"])["variables"]
    assert [(value["name"], value["value"]) for value in stack] == [("0", "2"), ("1", "1")]
    reference = scopes["Stack"]
    assert editor.body("setVariable", variablesReference=reference, name="0", value="40")["value"]
    editor.body("evaluate", expression="end", context="repl")
    assert editor.event("output")["output"] == "41"


def test_a_variable_is_set_to_what_is_shown(editor: Client) -> None:
    editor.launch("add.mf", input="")
    editor.body("configurationDone")
    found = editor.body("scopes", frameId=0)["scopes"]
    cells = next(each for each in found if each["name"] == "Cells around")["variablesReference"]
    shown = editor.body("variables", variablesReference=cells)["variables"]
    assert {"name": "0,0", "value": "49 ('1')", "variablesReference": 0} in shown
    answer = editor.body("setVariable", variablesReference=cells, name="0,0", value="57 ('9')")
    assert answer["value"] == "57"
    editor.body("evaluate", expression="end", context="repl")
    assert editor.event("output")["output"] == "11"


def test_cells_are_shown_and_set_in_the_signs_of_their_language(editor: Client) -> None:
    (editor.folder / "a.gemooy").write_text("%# $\n")
    editor.launch("a.gemooy", input="")
    editor.body("configurationDone")
    found = editor.body("scopes", frameId=0)["scopes"]
    cells = next(each for each in found if each["name"] == "Cells around")["variablesReference"]
    shown = editor.body("variables", variablesReference=cells)["variables"]
    assert {"name": "1,0", "value": "'#'", "variablesReference": 0} in shown
    editor.body("setVariable", variablesReference=cells, name="1,0", value="'@'")
    assert editor.body("evaluate", expression="1,0", context="watch")["result"] == "'@'"


def test_of_several_breakpoints_the_one_is_named_that_was_hit(editor: Client) -> None:
    editor.launch("add.mf", input="")
    points = [{"line": 1, "column": column} for column in (3, 4)]
    editor.body("setBreakpoints", source={}, breakpoints=points)
    editor.body("configurationDone")
    editor.event("stopped")
    editor.body("continue", threadId=1)
    assert editor.event("stopped")["text"] == "at 2,0"


def test_missing_arguments_are_named(editor: Client) -> None:
    editor.launch("add.mf", input="")
    assert editor.ask("variables")["message"] == "it needs the argument 'variablesReference'"
    wrong = editor.ask("setBreakpoints", breakpoints=[{"line": "x"}])
    assert wrong["message"].startswith("an argument makes no sense: ")


def test_an_interrupted_server_does_not_wait_for_its_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(adapter: Adapter, reader: IO[bytes], writer: IO[bytes]) -> None:
        listening = threading.Thread(target=reader.readline, daemon=True)
        listening.start()
        listening.join(0.05)  # it holds the reader by then, and would not let it be closed
        raise KeyboardInterrupt

    def served() -> None:
        with pytest.raises(KeyboardInterrupt):
            serve(ours)

    monkeypatch.setattr(wire, "talk", interrupted)
    ours, theirs = socket.socketpair()
    serving = threading.Thread(target=served, daemon=True)
    serving.start()
    serving.join(20)
    assert not serving.is_alive()
    theirs.close()


def test_a_server_lets_go_of_an_editor_that_says_goodbye() -> None:
    ours, theirs = socket.socketpair()
    serving = threading.Thread(target=serve, args=(ours,), daemon=True)
    serving.start()
    with theirs, theirs.makefile("rwb") as stream:
        write_message(stream, {"seq": 1, "type": "request", "command": "disconnect"})
        assert read_message(stream)["success"]
        assert read_message(stream) is None, "the connection is over"
        serving.join(60)
        assert not serving.is_alive()


def test_input_through_the_console(editor: Client) -> None:
    editor.launch("cat.mf", stopOnEntry=False)
    editor.body("configurationDone")
    assert "waits for input" in editor.event("output")["output"]
    editor.event("stopped")
    editor.body("evaluate", expression="input ab", context="repl")
    editor.body("continue", threadId=1)
    assert editor.event("output")["output"] == "ab"


def test_questions(editor: Client) -> None:
    editor.launch("write.ref", input="")
    editor.body("configurationDone")
    editor.body("evaluate", expression="end")
    assert "by 'X'" in editor.body("evaluate", expression="who 0,0")["result"]


def test_the_plane_is_shown(editor: Client) -> None:
    editor.launch("write.ref", input="")
    frame = editor.body("planewalkFrame")
    assert frame["box"] == [0, 0, 3, 0] and len(frame["rows"][0]) == 4


@pytest.mark.parametrize("counting", [0, 1])
def test_rows_and_columns_are_counted_as_the_editor_does(editor: Client, counting: int) -> None:
    editor.launch("add.mf", counting, input="")
    points = [{"line": counting, "column": counting + 3}]
    (answer,) = editor.body("setBreakpoints", source={}, breakpoints=points)["breakpoints"]
    assert answer == {"verified": True, "line": counting, "column": counting + 3}
    editor.body("configurationDone")
    editor.event("stopped")
    assert editor.place() == (counting, counting)
    editor.body("continue", threadId=1)
    editor.event("stopped")
    assert editor.place() == (counting, counting + 3)


def test_a_step_over_goes_on_to_what_does_something(editor: Client) -> None:
    editor.launch("apart.mf", input="")
    editor.body("configurationDone")
    editor.body("next", threadId=1)
    assert editor.place() == (1, 5)
    editor.body("stepBack", threadId=1)
    assert editor.place() == (1, 4)


def test_output_is_told_once(editor: Client) -> None:
    editor.launch("twice.mf", input="")
    points = [{"line": 1, "column": 3}]
    editor.body("setBreakpoints", source={}, breakpoints=points)
    editor.body("configurationDone")
    told = []
    for _ in range(2):
        editor.body("continue", threadId=1)
        told.append(editor.event("output")["output"])
        editor.event("stopped")
    assert told == ["1", "2"]


def test_variables_of_a_moment_that_is_over(editor: Client) -> None:
    editor.launch("add.mf", input="")
    editor.body("configurationDone")
    reference = editor.body("scopes", frameId=0)["scopes"][0]["variablesReference"]
    assert editor.body("variables", variablesReference=reference)["variables"]
    editor.body("stepIn", threadId=1)
    answer = editor.ask("variables", variablesReference=reference)
    assert not answer["success"] and "a moment that is over" in answer["message"]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("fly", {}), ("continue", {}), ("launch", {}), ("launch", {"program": "no.mf"}),
        ("launch", {"program": "add.mf", "options": 5}), ("stackTrace", {}), ("variables", {}),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_an_error_response(
    editor: Client, command: str, arguments: dict[str, Any]
) -> None:
    answer = editor.ask(command, **arguments)
    assert not answer["success"] and answer["message"]
    assert editor.body("initialize")


# The process ---------------------------------------------------------------------------------


class Server:
    """`planewalk dap` over pipes."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "planewalk", "dap"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = read_message(self.process.stdout)
        assert message is not None, self.process.stderr and self.process.stderr.read()
        return message

    def ask(self, number: int, command: str, **arguments: Any) -> dict[str, Any]:
        """The response to a request; events on the way are dropped."""
        request = {"seq": number, "type": "request", "command": command, "arguments": arguments}
        self.send(json.dumps(request).encode())
        while True:
            message = self.hear()
            if message["type"] == "response":
                assert message["request_seq"] == number
                return message


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    yield server
    server.process.kill()
    server.process.communicate()


BROKEN = [b"", b"{", b"[]", b"5", b'{"command": 7}', b'{"command": "x" * 9}', b"\xff\xfe"]


def test_a_talk_over_pipes_survives_broken_messages_and_ends_the_process(server: Server) -> None:
    for number, body in enumerate(BROKEN, 1):
        server.send(body)
        assert server.ask(number, "initialize")["success"]
    assert server.ask(90, "launch", program="add.mf")["success"]
    assert server.ask(91, "planewalkFrame")["body"]["box"] == [0, 0, 4, 0]
    assert server.ask(92, "disconnect")["success"]
    assert server.process.wait(timeout=60) == 0


class Busy(Adapter):
    """Is in the midst of a tick until it is asked to pause."""

    def __init__(self) -> None:
        super().__init__(load)
        self.running, self.begun, self.waited = True, threading.Event(), 0

    def work(self) -> list[Message]:
        self.begun.set()
        while not self.hurried() and self.waited < 60_000:
            self.waited += 1
            threading.Event().wait(0.001)
        return []


@pytest.mark.parametrize("command", ["pause", "disconnect", None])
def test_a_pause_does_not_wait_for_the_end_of_a_tick(command: str | None) -> None:
    adapter, (reading, writing) = Busy(), os.pipe()
    with open(reading, "rb") as reader, open(writing, "wb") as writer:

        def ask() -> None:
            adapter.begun.wait(60)
            if command is not None:
                write_message(writer, {"seq": 1, "command": command})
            writer.close()

        editor = threading.Thread(target=ask)
        editor.start()
        talk(adapter, reader, io.BytesIO())
        editor.join()
    assert adapter.waited < 60_000


def test_a_step_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planewalk.engines.reference._SOME", 4)
    (tmp_path / "bomb.ref").write_bytes(b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n")
    hours = iter(range(0, 1_000_000, 3600))
    adapter = Adapter(load, lambda: next(hours))
    adapter.receive({"command": "launch", "arguments": {"program": str(tmp_path / "bomb.ref")}})
    assert adapter.session is not None
    adapter.session.goto(12)
    for command in ("stepIn", "next", "stepOut"):
        answer, *events = adapter.receive({"command": command, "arguments": {"threadId": 1}})
        assert answer["success"] and events[-1]["event"] == "stopped"
        assert adapter.session.tick == 12
