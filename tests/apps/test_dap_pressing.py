"""What takes long says how far it is, and ends when an editor cancels it, stops or goes away."""

import itertools
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import planewalk as pw
from planewalk.apps.cli.dap import load
from planewalk.apps.dap.adapter import Adapter
from planewalk.apps.dap.inbox import PRESSING, Inbox, cancelled_number
from planewalk.apps.dap.talk import Dialogue
from planewalk.apps.dap.wire import EndOfStream, Wire

from .editors import PATIENCE, Talker

ENDLESS = {"grow.mf": "1+\n", "straight.mf": "1" + "+" * 300 + "\n"}
"""Programs whose state never repeats."""


class Served(Talker):
    """An editor, and the adapter in a thread beside it, which has all the time of the world."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.theirs.settimeout(PATIENCE)
        super().__init__(self.theirs.makefile("rb"), self.theirs.makefile("wb"))
        self.folder = folder
        self.adapter = Adapter(load, clock)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        reader, writer = self.ours.makefile("rb"), self.ours.makefile("wb")
        with suppress(BrokenPipeError), self.ours, reader, writer:
            Dialogue(self.adapter, Wire(reader, writer), str).serve()
            self.ours.shutdown(socket.SHUT_RDWR)

    def launch(self, program: str, **more: Any) -> None:
        assert self.ask("initialize", supportsProgressReporting=True)["success"]
        assert self.ask("launch", program=str(self.folder / program), **more)["success"]
        assert self.ask("configurationDone")["success"]
        self.event("stopped")

    def end(self) -> None:
        """Go away, and see that nothing is at work any more."""
        for stream in (self.writer, self.reader):
            stream.close()
        self.theirs.close()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, source in ENDLESS.items():
        (tmp_path / name).write_text(source)
    return tmp_path


@pytest.fixture
def editor(folder: Path) -> Iterator[Served]:
    made = Served(folder, lambda: 0.0)
    yield made
    made.end()


@pytest.fixture
def watched(folder: Path) -> Iterator[Served]:
    """The same where a second is over whenever somebody looks at the clock."""
    ticks = itertools.count()
    made = Served(folder, lambda: 0.9 * next(ticks))
    yield made
    made.end()


LONG: list[tuple[str, dict[str, Any]]] = [
    ("evaluate", {"expression": "goto 1e17"}), ("evaluate", {"expression": "end"}),
    ("evaluate", {"expression": "until output"}), ("evaluate", {"expression": "until depth > 99"}),
    ("goto", {"targetId": 0}),
]  # fmt: skip


@pytest.mark.parametrize("command", sorted(PRESSING))
@pytest.mark.parametrize(("asked", "arguments"), LONG)
def test_whatever_takes_long_ends(
    editor: Served, asked: str, arguments: dict[str, Any], command: str
) -> None:
    editor.launch("grow.mf")
    editor.ask("gotoTargets", line=9, column=9)
    number = editor.say(asked, **arguments)
    then = editor.say(command)
    assert editor.answer(number)["success"], "it stands where it has come to"
    assert editor.answer(then)["success"]


@pytest.mark.parametrize("by", ["requestId", "progressId"])
def test_a_request_is_cancelled(editor: Served, by: str) -> None:
    editor.launch("grow.mf")
    number = editor.say("evaluate", expression="goto 1e17")
    cancel = editor.say("cancel", **{by: number if by == "requestId" else str(number)})
    answer = editor.answer(number)
    assert not answer["success"] and answer["message"] == "cancelled"
    assert answer["body"]["error"]["showUser"] is False
    assert editor.answer(cancel)["success"]
    assert editor.ask("evaluate", expression="goto 7")["success"], "the next one is not cancelled"


def test_a_request_that_waits_is_cancelled(editor: Served) -> None:
    editor.launch("grow.mf")
    first = editor.say("evaluate", expression="goto 1e17")
    second = editor.say("evaluate", expression="goto 5")
    editor.say("cancel", requestId=second)
    editor.say("cancel", requestId=first)
    assert editor.answer(first)["message"] == "cancelled"
    assert editor.answer(second)["message"] == "cancelled"
    assert editor.ask("cancel", requestId=first)["success"], "it is over"


def test_what_waits_for_a_pipe_ends_when_the_editor_goes(folder: Path) -> None:
    os.mkfifo(folder / "pipe.mf")
    ticks = itertools.count()
    editor = Served(folder, lambda: 0.2 * next(ticks))
    assert editor.ask("initialize", supportsProgressReporting=True)["success"]
    number = editor.say("launch", program=str(folder / "pipe.mf"))
    editor.event("progressStart")
    goodbye = editor.say("disconnect")
    assert editor.answer(number)["message"] == "cancelled"
    assert editor.answer(goodbye)["success"] and editor.is_over()
    editor.end()


def far_session(folder: Path) -> str:
    """A session file at a tick that is out of reach."""
    pw.session(folder / "grow.mf").save(folder / "far.walk")
    far = json.loads((folder / "far.walk").read_bytes())
    (folder / "far.walk").write_text(json.dumps({**far, "tick": 10**17}))
    return str(folder / "far.walk")


def test_a_session_that_is_too_far_is_refused_with_what_helps_there(folder: Path) -> None:
    ticks = itertools.count()
    editor = Served(folder, lambda: 1.0 * next(ticks))
    answer = editor.ask("launch", program=far_session(folder))
    assert not answer["success"] and "too far" in answer["message"]
    assert answer["message"].endswith("there is; saved at an earlier tick, it opens sooner")
    editor.end()


@pytest.mark.parametrize("command", ["disconnect", "cancel", "pause", "terminate"])
def test_what_opens_a_far_session_says_so_and_ends(folder: Path, command: str) -> None:
    ticks = itertools.count()
    editor = Served(folder, lambda: 0.1 * next(ticks))
    assert editor.ask("initialize", supportsProgressReporting=True)["success"]
    number = editor.say("launch", program=far_session(folder))
    begun = editor.event("progressStart")
    assert (begun["requestId"], begun["title"]) == (number, "planewalk: launch")
    editor.say(command, progressId=begun["progressId"])
    answer = editor.answer(number)
    assert not answer["success"] and answer["message"] == "cancelled"
    editor.end()


def test_a_question_ends_when_the_editor_goes(editor: Served) -> None:
    editor.launch("straight.mf")
    for number in (editor.say("evaluate", expression="goto 1e17"), editor.say("pause")):
        editor.answer(number)
    asked = editor.say("evaluate", expression="why stack 0")
    editor.say("disconnect")
    assert editor.answer(asked)
    assert editor.is_over()


def test_going_away_ends_what_is_at_work(editor: Served) -> None:
    editor.launch("grow.mf")
    editor.say("evaluate", expression="goto 1e17")  # and the fixture sees to the end of it


def test_progress_is_told_and_a_request_is_given_up_in_the_end(watched: Served) -> None:
    watched.launch("grow.mf")
    watched.events.clear()
    number = watched.say("evaluate", expression="goto 1e17")
    assert watched.answer(number)["success"]
    told = [event for event in watched.events if event["event"].startswith("progress")]
    assert [told[0]["event"], told[1]["event"], told[-1]["event"]] == [
        "progressStart", "progressUpdate", "progressEnd",
    ]  # fmt: skip
    assert {event["body"]["progressId"] for event in told} == {str(number)}
    begun = told[0]["body"]
    assert begun["cancellable"] and begun["requestId"] == number
    assert begun["title"] == "planewalk: evaluate" and begun["message"].startswith("tick ")


def test_progress_is_told_only_to_those_who_want_it(folder: Path) -> None:
    ticks = itertools.count()
    quiet = Served(folder, lambda: 0.9 * next(ticks))
    assert quiet.ask("launch", program=str(folder / "grow.mf"))["success"]
    assert quiet.ask("evaluate", expression="goto 1e17")["success"]
    assert not [event for event in quiet.events if event["event"].startswith("progress")]
    quiet.end()


# The inbox -----------------------------------------------------------------------------------


def inbox(*messages: Any) -> Inbox:
    made = Inbox()
    for message in messages:
        made.put(message)
    return made


def test_only_what_presses_ends_what_is_at_work() -> None:
    made = inbox({"seq": 1, "command": "evaluate"}, {"seq": 2, "command": "threads"})
    made.take(None)
    assert not made.presses()
    made.put({"seq": 3, "command": "pause"})
    assert made.presses()
    made.take(None), made.take(None)
    assert not made.presses(), "it is at work itself"
    made.put(EndOfStream())
    assert made.presses()


@pytest.mark.parametrize("number", [2, 7, None, "1", True, [1], 1.0])
def test_a_cancel_of_another_request_does_not_press(number: Any) -> None:
    made = inbox({"seq": 1, "command": "evaluate"}, {"seq": 2, "command": "threads"})
    made.take(None)
    made.put({"seq": 3, "command": "cancel", "arguments": {"requestId": number}})
    assert not made.presses() and not made.is_cancelled()


@pytest.mark.parametrize(("arguments", "number"), [
    ({"requestId": 5}, 5), ({"progressId": "5"}, 5), ({"requestId": 5, "progressId": "6"}, 5),
    ({}, None), (None, None), ([], None), ({"progressId": "x"}, None),
    ({"progressId": 5}, 5), ({"progressId": "9" * 5_000}, int("9" * 20)),
    ({"requestId": {}}, None),
])  # fmt: skip
def test_which_request_a_cancel_means(arguments: Any, number: int | None) -> None:
    assert cancelled_number(arguments) == number
