"""As much of an editor as tests of the debug adapter need: beside it, over pipes, or at a port."""

import io
import json
import os
import re
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from planewalk.apps.cli.dap import TOKEN, load
from planewalk.apps.dap.adapter import Adapter
from planewalk.apps.dap.wire import EndOfStream, Wire
from planewalk.debug.session import Session
from tests.patience import PATIENCE

MOST_WORK = 1_000
"""Slices of a run in which something has to happen."""
SECRET = "a token that only friends know"
Message = dict[str, Any]


class Client:
    """An editor that has the adapter in its hands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.adapter = Adapter(load)
        self.sequence = 0
        self.events: list[Message] = []

    def ask(self, command: str, **arguments: Any) -> Message:
        """A request, and its response; events on the way are kept."""
        self.sequence += 1
        request = {"seq": self.sequence, "type": "request", "command": command}
        answers = self.adapter.receive({**request, "arguments": arguments})
        response, *events = json.loads(json.dumps(answers))
        assert response["type"] == "response"
        assert response["request_seq"] == self.sequence and response["command"] == command
        self.events += events
        return dict(response)

    def body(self, command: str, **arguments: Any) -> Message:
        answer = self.ask(command, **arguments)
        assert answer["success"], answer
        found: Message = answer.get("body", {})
        return found

    def event(self, name: str) -> Message:
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

    def begin(
        self, program: str, *points: Message, counting: int = 1, **more: Any
    ) -> list[Message]:
        """Launch a program, with breakpoints, and stand at its first tick."""
        self.launch(program, counting, **more)
        answer = self.set(*points) if points else []
        self.body("configurationDone")
        self.event("stopped")
        return answer

    def set(self, *points: Message, **source: Any) -> list[Message]:
        """What is said of breakpoints in the file that was launched, or in another one."""
        answer = self.body("setBreakpoints", source=source, breakpoints=list(points))
        found: list[Message] = answer["breakpoints"]
        return found

    def go(self, command: str = "continue", reason: str = "") -> Message:
        """Let the run go on, or back; gives how it stopped, for that reason."""
        self.body(command, threadId=1)
        stopped = self.event("stopped")
        while reason and stopped["reason"] != reason:
            stopped = self.event("stopped")
        return stopped

    def asks(self, expression: str, **more: Any) -> str:
        """What is typed, or watched, and answered."""
        return str(self.body("evaluate", expression=expression, **more)["result"])

    def scope(self, name: str) -> tuple[int, list[Message]]:
        """The number of a scope, and its variables."""
        scopes = self.body("scopes", frameId=0)["scopes"]
        number = next(each["variablesReference"] for each in scopes if each["name"] == name)
        return number, self.body("variables", variablesReference=number)["variables"]

    @property
    def walk(self) -> Session:
        assert self.adapter.launched is not None
        return self.adapter.launched.walk

    def place(self) -> tuple[int, int]:
        """Line and column of the first walker."""
        frame = self.body("stackTrace", threadId=1)["stackFrames"][0]
        return frame["line"], frame["column"]


class Talker:
    """An editor at the other end of streams."""

    def __init__(self, reader: Any, writer: Any) -> None:
        self.reader, self.writer = reader, writer
        self.wire = Wire(reader, writer)
        self.number = 0
        self.events: list[Message] = []

    def raw(self, data: bytes) -> None:
        """Something that may be no message."""
        self.writer.write(data)
        self.writer.flush()

    def send(self, body: bytes) -> None:
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def say(self, command: str, **arguments: Any) -> int:
        """A request, whose number is given."""
        self.number += 1
        request = {"seq": self.number, "type": "request", "command": command}
        self.wire.write({**request, "arguments": arguments})
        return self.number

    def hear(self) -> Message:
        message, _ = self.wire.read()
        return dict(message)

    def answer(self, number: int) -> Message:
        """The response to a request; what comes before is kept if it is an event."""
        while True:
            message = self.hear()
            if message["type"] != "response":
                self.events.append(message)
            elif message["request_seq"] == number:
                return message

    def ask(self, command: str, **arguments: Any) -> Message:
        return self.answer(self.say(command, **arguments))

    def event(self, name: str) -> Message:
        """The next event of that name, of those that are kept or come."""
        while True:
            message = self.events.pop(0) if self.events else self.hear()
            if message.get("event") == name:
                return dict(message["body"])

    def is_over(self) -> bool:
        """Whether nothing comes any more; whatever does is dropped."""
        try:
            while True:
                self.hear()
        except (EndOfStream, ConnectionError):
            return True


class Piped(Talker):
    """`planewalk dap` over pipes."""

    def __init__(self, folder: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, "-m", "planewalk", "dap"], cwd=folder, stdin=pipe, stdout=pipe,
            stderr=pipe,
        )  # fmt: skip
        super().__init__(self.process.stdout, self.process.stdin)

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


class Listening:
    """`planewalk dap --port` in a process of its own."""

    def __init__(self, folder: Path, token: str | None = SECRET) -> None:
        environment = {**os.environ} | ({} if token is None else {TOKEN: token})
        if token is None:
            environment.pop(TOKEN, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "planewalk", "dap", "--port", "0"], cwd=folder,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True,
        )  # fmt: skip
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", self.said)
        assert found is not None, self.said
        self.port = int(found[1])

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


class Visitor(Talker):
    """Whoever connects to a port."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        super().__init__(self.socket.makefile("rb"), self.socket.makefile("wb"))

    def enter(self, **more: Any) -> Message:
        """The usual beginning, with the token."""
        assert self.ask("initialize", adapterID="planewalk")["success"]
        return self.ask("launch", token=SECRET, **more)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        for stream in (self.writer, self.reader, self.socket):
            with suppress(OSError):
                stream.close()


def spoken(*bodies: bytes) -> io.BytesIO:
    """Messages as they stand in a stream."""
    return io.BytesIO(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies))
