"""The debug adapter: its side of the protocol, and a process that speaks it over real pipes."""

import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.cli.dap import load
from planewalk.apps.dap.adapter import Adapter
from planewalk.apps.dap.requests import REQUESTS
from planewalk.apps.dap.talk import Dialogue
from planewalk.apps.dap.wire import Wire
from planewalk.apps.fields import Message
from tests.patience import PATIENCE

from .editors import Client, Piped


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


def test_breakpoints_run_and_reverse(editor: Client) -> None:
    points = [{"line": 1, "column": 4}, {"line": 1, "column": 3, "condition": "depth = 9"}]
    answers = editor.begin("add.mf", *points, input="")
    assert [answer["verified"] for answer in answers] == [True, True]
    assert editor.go()["reason"] == "breakpoint" and editor.place() == (1, 4)
    editor.body("continue", threadId=1)
    assert editor.event("output")["output"] == "3"
    assert editor.event("stopped")["text"] == "halted"
    stopped = editor.go("reverseContinue")
    assert stopped["reason"] == "breakpoint" and editor.place() == (1, 4)


def test_a_line_without_a_column_and_a_condition_that_is_none(editor: Client) -> None:
    editor.launch("add.mf")
    points = [{"line": 1}, {"line": 9}, {"line": 1, "column": 2, "condition": "depht"}]
    answer = editor.set(*points)
    assert answer[0] == {"verified": True, "line": 1, "column": 1}
    assert not answer[1]["verified"]
    assert not answer[2]["verified"] and "did you mean 'depth'" in answer[2]["message"]


def test_log_points_say_something_and_do_not_stop(editor: Client) -> None:
    editor.launch("add.mf", input="", stopOnEntry=False)
    editor.set({"line": 1, "column": 3, "logMessage": "adding {stack}"})
    editor.body("configurationDone")
    assert editor.event("output")["output"] == "adding 2 1\n"
    assert editor.event("stopped")["text"] == "halted"


def test_hit_counts_and_log_points_beside_each_other(editor: Client) -> None:
    """Each has its own count, and backwards log points do not stop."""
    editor.begin(
        "add.mf",
        {"line": 1, "column": 2, "hitCondition": "9"},
        {"line": 1, "column": 4, "hitCondition": "1"},
        {"line": 1, "column": 3, "logMessage": "{tick}: {stack[0]}"},
        input="",
    )
    editor.body("continue", threadId=1)
    assert editor.event("output")["output"] == "2: 2\n"
    assert editor.event("stopped")["reason"] == "breakpoint"
    assert editor.asks("at 3,0") == "true"
    assert editor.go("reverseContinue")["reason"] == "entry"
    assert editor.asks("tick") == "0"


def test_hits_are_counted_while_breakpoints_change(editor: Client) -> None:
    (editor.folder / "round.mf").write_text("1$        \n")
    editor.begin("round.mf")
    third = {"line": 1, "column": 2, "hitCondition": "% 3"}
    beside = {"line": 1, "column": 2, "logMessage": "passed"}
    ticks = []
    for others in ([], [{"line": 1, "column": 9, "condition": "tick > 1e6"}], [beside]):
        editor.set(third, *others)
        editor.body("stepIn", threadId=1)
        editor.go(reason="breakpoint")
        ticks.append(editor.walk.tick)
    assert ticks == [21, 51, 81]
    (answer,) = editor.set({"line": 1, "column": 2, "hitCondition": "often"})
    assert not answer["verified"] and "such as 3, not 'often'" in answer["message"]


def test_every_so_many_writes_stop(editor: Client) -> None:
    """Also if breakpoints are set anew in between."""
    (editor.folder / "double.ref").write_text("v+X~^\n \n")
    point = {"dataId": "0,1", "accessType": "write", "hitCondition": "2"}
    for changes in (False, True):
        editor.begin("double.ref")
        (answer,) = editor.body("setDataBreakpoints", breakpoints=[point])["breakpoints"]
        assert answer["verified"]
        if changes:
            editor.asks("until written 0,1")
            editor.set({"line": 9})
            editor.body("setDataBreakpoints", breakpoints=[point, {"dataId": "4,1"}])
        editor.go(reason="breakpoint")
        assert editor.walk.tick == 8


def test_breakpoints_hold_after_a_restart(editor: Client) -> None:
    editor.begin("add.mf", {"line": 1, "column": 3}, input="")
    for _ in range(2):
        editor.go(reason="breakpoint")
        assert editor.place() == (1, 3)
        editor.body("restart")
        assert editor.place() == (1, 1)


def test_data_breakpoints(editor: Client) -> None:
    editor.begin("write.ref", input="")
    assert editor.body("dataBreakpointInfo", name="0,0")["dataId"] == "0,0"
    editor.body("setDataBreakpoints", breakpoints=[{"dataId": "0,0", "accessType": "write"}])
    assert editor.go()["reason"] == "breakpoint"
    assert editor.place() == (1, 3), "the tick that wrote it is done"
    assert "by 'X'" in editor.asks("who 0,0")
    frame = editor.body("planewalkFrame")
    assert frame["box"] == [0, 0, 3, 0] and len(frame["rows"][0]) == 4


def test_a_board_with_streams_waits_and_stops_at_symbols(editor: Client) -> None:
    (editor.folder / "copy.txt").write_text(".........#\n*........<\n..........\n")
    editor.begin("copy.txt", {"line": 2, "column": 10}, options={"stream": "ask"})
    frame = editor.body("planewalkFrame")
    assert frame["columnPorts"][0] == ["strobe", "strobe"] and frame["ports"][1] == ["1", "1"]
    assert editor.go()["text"] == "waiting for input"
    editor.asks("input Hi")
    assert editor.go()["text"] == "at 9,1" and editor.walk.tick == 12
    assert editor.asks("until output") == "tick 24, hit: output"
    (empty,) = editor.body("stackTrace", threadId=1)["stackFrames"]
    assert empty["name"] == "no walker"
    _, registers = editor.scope("Registers")
    assert {each["name"]: each["value"] for each in registers}["due"] == "25"
    assert editor.asks("until input").startswith("tick 25, hit: input")
    editor.asks("until output")
    assert bytes(editor.walk.output) == b"Hi"
    assert "byte 1 of the input" in editor.asks("why output 1")
    editor.go("reverseContinue")
    assert editor.walk.tick == 36


def test_variables_are_shown_and_changed(editor: Client) -> None:
    editor.begin("add.mf", input="")
    editor.asks("goto 2")
    number, stack = editor.scope("Stack")
    assert [(value["name"], value["value"]) for value in stack] == [("0", "2"), ("1", "1")]
    assert editor.body("setVariable", variablesReference=number, name="0", value="40")["value"]
    editor.asks("end")
    assert editor.event("output")["output"] == "41"


def test_a_variable_is_set_to_what_is_shown_in_the_signs_of_its_language(editor: Client) -> None:
    editor.begin("add.mf", input="")
    number, shown = editor.scope("Cells around")
    assert {"name": "0,0", "value": "49 ('1')", "variablesReference": 0} in shown
    answer = editor.body("setVariable", variablesReference=number, name="0,0", value="57 ('9')")
    assert answer["value"] == "57"
    editor.asks("end")
    assert editor.event("output")["output"] == "11"
    (editor.folder / "a.gemooy").write_text("%# $\n")
    editor.begin("a.gemooy", input="")
    number, shown = editor.scope("Cells around")
    assert {"name": "1,0", "value": "'#'", "variablesReference": 0} in shown
    editor.body("setVariable", variablesReference=number, name="1,0", value="'@'")
    assert editor.asks("1,0", context="watch") == "'@'"


def test_of_several_breakpoints_the_one_is_named_that_was_hit(editor: Client) -> None:
    editor.begin("add.mf", *({"line": 1, "column": column} for column in (3, 4)), input="")
    assert editor.go()["text"] == "at 2,0"


def test_missing_arguments_are_named(editor: Client) -> None:
    editor.launch("add.mf", input="")
    assert editor.ask("variables")["message"] == "it needs 'variablesReference'"
    wrong = editor.ask("setBreakpoints", breakpoints=[{"line": 1}, {"line": "x"}])
    assert wrong["message"].startswith("'breakpoints': entry 2: 'line': expected a whole number")


@pytest.mark.parametrize("context", ["watch", "hover", "variables", "clipboard", "repl"])
def test_values_are_told_in_every_context(editor: Client, context: str) -> None:
    editor.launch("add.mf", input="")
    editor.asks("goto 2")
    values = {"top": "2", "stack[1]": "1", "heading": "right", "tick": "2", "register x": "none"}
    values["2,0"] = "43 ('+')"
    if context == "hover":
        values["2,0"] = "2,0 = 43 ('+'): add. Pop x, pop y, push y+x."
    assert {words: editor.asks(words, context=context) for words in values} == values


@pytest.mark.parametrize("context", ["watch", "hover", "repl"])
@pytest.mark.parametrize("words", ["x", "12", "foo bar", "stack[", "output contains", "cell x", ""])
def test_what_is_no_value_is_no_success(editor: Client, context: str, words: str) -> None:
    editor.launch("add.mf", input="")
    if (words, context) == ("", "repl"):
        assert editor.asks(words, context=context) == ""
        return
    answer = editor.ask("evaluate", expression=words, context=context)
    assert not answer["success"] and answer["message"]
    assert answer["body"]["error"]["showUser"] is False, "there is no pop-up"


@pytest.mark.parametrize("context", ["watch", "hover"])
def test_what_is_watched_or_pointed_at_is_no_command(editor: Client, context: str) -> None:
    editor.launch("add.mf", input="")
    for words in ("step", "end", "cell 1,0 = 57", "stack 0 = 1", "save x.walk", "break 1,0"):
        editor.ask("evaluate", expression=words, context=context)
    assert editor.walk.tick == 0 and len(editor.walk.branches) == 1
    assert editor.asks("breaks") == "no breakpoints"


def test_commands_that_fail_are_no_success(editor: Client) -> None:
    editor.launch("add.mf", input="")
    for words in ("goto x", "who", "break depht", "delete 5", "switch no", "save", "input x"):
        answer = editor.ask("evaluate", expression=words, context="repl")
        assert not answer["success"] and answer["message"], words
    assert editor.asks("watch top") == "top = none"
    editor.asks("goto 1")
    assert editor.asks("watch") == "top = 1"


@pytest.mark.parametrize("command", sorted(REQUESTS))
def test_whatever_comes_before_a_program_is_answered(command: str) -> None:
    arguments = {
        "line": 1, "targetId": 0, "threadId": 1, "frameId": 0, "variablesReference": 1, "name": "0",
        "value": "1", "expression": "tick", "text": "s", "column": 1, "program": "none.mf",
        "breakpoints": [{"line": 1, "dataId": "0,0"}],
    }  # fmt: skip
    adapter = Adapter(load)
    response, *_ = adapter.receive({"seq": 1, "command": command, "arguments": arguments})
    assert response["success"] or response["message"].count("\n") == 0


@pytest.mark.parametrize("counting", [0, 1])
def test_rows_and_columns_are_counted_as_the_editor_does(editor: Client, counting: int) -> None:
    point = {"line": counting, "column": counting + 3}
    (answer,) = editor.begin("add.mf", point, counting=counting, input="")
    assert answer == {"verified": True, **point}
    assert editor.place() == (counting, counting)
    editor.go()
    assert editor.place() == (counting, counting + 3)


def test_a_step_over_goes_on_to_what_does_something(editor: Client) -> None:
    editor.begin("apart.mf", input="")
    editor.go("next")
    assert editor.place() == (1, 5)
    editor.go("stepBack")
    assert editor.place() == (1, 4)


def test_output_is_told_once(editor: Client) -> None:
    editor.begin("twice.mf", {"line": 1, "column": 3}, input="")
    told = []
    for _ in range(2):
        editor.body("continue", threadId=1)
        told.append(editor.event("output")["output"])
        editor.event("stopped")
    assert told == ["1", "2"]


def test_variables_of_a_moment_that_is_over(editor: Client) -> None:
    editor.begin("add.mf", input="")
    reference, variables = editor.scope("Walker")
    assert variables
    editor.go("stepIn")
    answer = editor.ask("variables", variablesReference=reference)
    assert not answer["success"] and "a moment that is over" in answer["message"]


@pytest.mark.parametrize(("command", "arguments"), [
    ("fly", {}), ("continue", {}), ("launch", {}), ("launch", {"program": "no.mf"}),
    ("launch", {"program": "add.mf", "options": 5}), ("stackTrace", {}), ("variables", {}),
])  # fmt: skip
def test_what_cannot_be_done_is_an_error_response(
    editor: Client, command: str, arguments: dict[str, Any]
) -> None:
    answer = editor.ask(command, **arguments)
    assert not answer["success"] and answer["message"]
    assert editor.body("initialize")


# The process ---------------------------------------------------------------------------------


@pytest.fixture
def server(folder: Path) -> Iterator[Piped]:
    server = Piped(folder)
    yield server
    server.end()


BROKEN = [b"", b"{", b"[]", b"5", b'{"command": 7}', b'{"command": "x" * 9}', b"\xff\xfe"]


def test_a_talk_over_pipes_survives_broken_messages_and_ends_the_process(server: Piped) -> None:
    for body in BROKEN:
        server.send(body)
        assert server.ask("initialize")["success"]
    assert server.ask("launch", program="add.mf")["success"]
    assert server.ask("planewalkFrame")["body"]["box"] == [0, 0, 4, 0]
    assert server.ask("disconnect")["success"]
    assert server.process.wait(timeout=PATIENCE) == 0


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
            adapter.begun.wait(PATIENCE)
            if command is not None:
                Wire(reader, writer).write({"seq": 1, "command": command})
            writer.close()

        editor = threading.Thread(target=ask)
        editor.start()
        Dialogue(adapter, Wire(reader, io.BytesIO()), str).serve()
        editor.join()
    assert adapter.waited < 60_000


def test_a_step_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 4)
    (tmp_path / "bomb.ref").write_bytes(b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n")
    hours = iter(range(0, 1_000_000, 3600))
    adapter = Adapter(load, lambda: 0)
    adapter.receive({"command": "launch", "arguments": {"program": str(tmp_path / "bomb.ref")}})
    assert adapter.launched is not None
    adapter.launched.walk.goto(12)
    adapter.clock = lambda: next(hours)
    for command in ("stepIn", "next", "stepOut"):
        answer, *events = adapter.receive({"command": command, "arguments": {"threadId": 1}})
        assert answer["success"] and events[-1]["event"] == "stopped"
        assert adapter.launched.walk.tick == 12


def test_breakpoints_of_other_files_are_not_those_of_the_program(editor: Client) -> None:
    editor.begin("add.mf", input="")
    editor.set({"line": 1, "column": 4}, path=str(editor.folder / "add.mf"))
    (answer,) = editor.set({"line": 1}, path=str(editor.folder / "other.mf"))
    assert not answer["verified"] and "not the program" in answer["message"]
    assert editor.set(path="\0" * 5_000) == []
    assert editor.go()["reason"] == "breakpoint" and editor.place() == (1, 4)
    (editor.folder / "link.mf").symlink_to("add.mf")
    editor.set(path=str(editor.folder / "link.mf"))
    assert editor.go()["text"] == "halted"


def test_characters_are_told_once_they_are_whole(editor: Client) -> None:
    """Each byte is written in a step of its own; one that never becomes a character is told at the
    end."""
    (editor.folder / "letters.mf").write_text("&&&,,,@")
    editor.begin("letters.mf", input="195 169 195")
    told = []
    for _ in range(8):
        editor.body("stepIn", threadId=1)
        told += [event["body"] for event in editor.events if event["event"] == "output"]
        editor.events.clear()
    assert [each["output"] for each in told if each["category"] == "stdout"] == ["é", "\ufffd"]
