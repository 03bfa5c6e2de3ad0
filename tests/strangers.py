"""Attacks on what listens: `dap --port` and `studio`, as another user and as a web page would.

A `House` runs both, in a folder that its owner alone may read. Strangers come with what they can
know: addresses, names, protocols, a wrong token; pages also with what a browser may add for them.
Nothing may be read or written, and whoever has the token is still served.
"""

import json
import random
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from tests import signals
from tests.patience import PATIENCE

TOKEN = "a token that only friends know"
PROGRAM = b'"only the owner reads this",@'
KNOCK = """
import encodings.idna, os, select, socket, sys, threading
if len(sys.argv) > 2:
    os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 100)
said = threading.Event()
def say():
    try:
        connection.sendall(sys.stdin.buffer.read())
    except OSError:
        pass
    said.set()
threading.Thread(target=say, daemon=True).start()
try:
    while True:
        if not select.select([connection], [], [], 0.5)[0] and said.is_set():
            connection.shutdown(socket.SHUT_WR)  # nothing more is answered
            said.clear()
        else:
            piece = connection.recv(1 << 16)
            sys.stdout.buffer.write(piece)
            if not piece:
                break
except OSError:
    pass
"""
"""A stranger: says all of standard input, and writes down what is answered."""
OPEN_TO_ALL = tuple(
    b"/static/" + name for name in (b"door.js", b"main.js", b"style.css", b"icon.svg")
)
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
UPGRADE += b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"


class Visit(NamedTuple):
    """What a stranger says at which door."""

    door: str
    words: bytes


# What strangers say -------------------------------------------------------------------------------


def message(command: str, **arguments: Any) -> bytes:
    body = json.dumps({"seq": 1, "type": "request", "command": command, "arguments": arguments})
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode())


def requests(dice: random.Random, program: str) -> bytes:
    """What an editor says that reads a file and writes another."""
    wrong = dice.choice([None, "", "x", TOKEN[:-1], TOKEN + " ", 5, [TOKEN], {}, "\xe9"])
    token = {} if wrong is None else {"token": wrong}
    asked = [message("initialize", **dice.choice([{}, token]))] * dice.randrange(3)
    asked.append(message(dice.choice(["launch", "attach"]), program=program, **token))
    asked += [message("variables", variablesReference=1)]
    asked += [message("evaluate", expression=line) for line in ("cell 0,0", "save stolen.walk")]
    return b"".join(asked)


def to_adapter(dice: random.Random, program: str) -> bytes:
    """What comes to the port of the debug adapter."""
    said = requests(dice, program)
    kind = dice.randrange(6)
    if kind == 0:
        return said
    if kind == 1:  # in the body of a message that is too long
        long = dice.choice([65 << 10, 17 << 20])
        return b"Content-Length: %d\r\n\r\n" % dice.choice([long, 10**12]) + b" " * long + said
    if kind == 2:
        return dice.randbytes(dice.randrange(200)) + dice.choice([b"", b"\r\n\r\n"]) + said
    if kind == 3:
        cut = dice.randrange(len(said))
        return said[:cut] + dice.choice([b"", b"\r\n", b"\0"]) + said
    if kind == 4:
        length = dice.choice([b"-1", b"0", b"9" * 5000, b"2", b"0x10", b" 5 "])
        return b"Content-Length: " + length + b"\r\n\r\n{}" + said
    return posted(dice, message("initialize", token=TOKEN) + said)  # a page that knows the token


def posted(dice: random.Random, body: bytes) -> bytes:
    """What a browser sends for a page on another site."""
    padding = b" " * dice.choice([0, 0, 0, 70_000, 17 << 20])
    method = dice.choice([b"POST", b"GET", b"PUT", b"OPTIONS", b"post", b"CONNECT"])
    head = method + b" / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n"
    head += dice.choice([b"", b"Content-Type: text/plain\r\n"])
    return head + b"Content-Length: %d\r\n\r\n" % len(padding + body) + padding + body


def to_studio(dice: random.Random, port: int) -> bytes:
    """What comes to the studio: with the token and from a foreign page, or without it."""
    ours, from_page = b"127.0.0.1:%d" % port, dice.random() < 0.5
    token = TOKEN_OF_STUDIO if from_page else dice.choice(WRONG)
    query = dice.choice([b"", b"?token=" + token, b"?token=" + token + b"&token=x"])
    head = dice.choice([b"GET", b"GET", b"GET", b"POST", b"HEAD", b"\xff"]) + b" "
    head += dice.choice([*PATHS, *OPEN_TO_ALL]) + query
    head += dice.choice([b" HTTP/1.1", b" HTTP/1.1", b" HTTP/1.0", b" HTTP/9", b""]) + b"\r\n"
    host = b"Host: " + dice.choice([ours, ours, dice.choice(FOREIGN)]) + b"\r\n"
    origin = b"Origin: http://" + (b"evil.example" if from_page else ours) + b"\r\n"
    head += host + origin * (from_page or dice.randrange(2)) + host * (dice.random() < 0.1)
    head += b"Cookie: planewalk-%d=%s\r\n" % (port, token.replace(b"%", b"")) * dice.randrange(2)
    return head + UPGRADE * dice.randrange(2) + b"\r\n" + frame(b'{"do":"hello"}')


FOREIGN = [b"evil.example", b"127.0.0.1:None", b"127.0.0.1", b"", b"[::1]:1", b"null"]
WRONG = [b"", b"x", b"%ff", b"\xe9", b"%00", b"a" * 9999]
PATHS = [
    b"/", b"/talk", b"/talk", b"/static/main.js", b"/static/..%2f..%2fserver.py", b"//talk",
    b"/static/%2fetc%2fpasswd", b"/secret.mf",
]  # fmt: skip
TOKEN_OF_STUDIO = b"THE-TOKEN"
"""Stands for that of the studio, which is another every time."""


def frame(text: bytes) -> bytes:
    """A message of a WebSocket, masked with zeros."""
    return bytes([0x81, 0x80 | len(text)]) + bytes(4) + text


# What must not be answered ------------------------------------------------------------------------


def answers_of(said: bytes) -> Iterator[dict[str, Any]]:
    """The messages of a debug adapter."""
    for found in re.finditer(rb"\r\n\r\n(?=\{)", said):
        yield json.JSONDecoder().raw_decode(said[found.end() :].decode(errors="replace"))[0]


def let_in_by_adapter(words: bytes, said: bytes) -> Iterator[str]:
    """Only `initialize` may be answered."""
    for answer in answers_of(said):
        if answer.get("success") and answer.get("command") != "initialize":
            yield f"a stranger was let in: {answer['command']}"


def let_in_by_studio(words: bytes, said: bytes) -> Iterator[str]:
    """Only pages that are open to all may be read."""
    status = re.match(rb"HTTP/1.1 (\d+)", said)
    if status and status[1] == b"101":
        yield "a stranger has a tab"
    if status and status[1] == b"200" and not any(b" " + name in words for name in OPEN_TO_ALL):
        yield "a stranger sees the studio"


class House:
    """Both servers, and what strangers find there."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        folder.mkdir(mode=0o700)
        self.folder, self.program = folder, folder / "secret.mf"
        self.program.write_bytes(PROGRAM)
        self.program.chmod(0o600)
        self._environment = {**environment, "PLANEWALK_DAP_TOKEN": TOKEN}
        self._servers: list[subprocess.Popen[bytes]] = []
        said = self._listen("dap", "--port", "0")
        ports = {"adapter": int(re.findall(r"127\.0\.0\.1:(\d+)", said)[0])}
        said = self._listen("studio", "--no-browser", "secret.mf")
        (port, self.token) = re.findall(r":(\d+)/\?token=(\S+)", said)[0]
        self.ports = ports | {"studio": int(port)}
        self._before = self._files()

    def _listen(self, *words: str) -> str:
        """Start a server; the line by which it says where."""
        process = signals.start(
            [sys.executable, "-P", "-m", "planewalk", *words], cwd=self.folder,
            env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._servers.append(process)
        return str(process.stdout.readline().decode())

    def _files(self) -> set[str]:
        return {str(path) for path in self.folder.rglob("*")}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._servers:
            process.kill()
            process.communicate()

    def visit(self, dice: random.Random) -> Visit:
        """What the next stranger says."""
        if dice.random() < 0.5:
            return Visit("adapter", to_adapter(dice, str(self.program)))
        return Visit("studio", to_studio(dice, self.ports["studio"]))

    def broken(self, visit: Visit, user: int | None = None) -> list[str]:
        """Let a stranger come, and tell what must not have happened."""
        words = visit.words.replace(TOKEN_OF_STUDIO, self.token.encode())
        said = knock(self.ports[visit.door], words, user)
        wrong = list(LET_IN[visit.door](words, said))
        if PROGRAM in said or (self.token.encode() in said and self.token.encode() not in words):
            wrong.append("a stranger reads what is not his")
        if self._files() != self._before:
            wrong.append("a stranger has written something")
            self._before = self._files()
        if not self.is_well():
            wrong.append("who has the token is not served any more")
        return wrong

    def is_well(self) -> bool:
        """Whether the owner is served."""
        launch = message("initialize") + message("launch", token=TOKEN, program=str(self.program))
        page = f"GET /?token={self.token} HTTP/1.1\r\nHost: 127.0.0.1:{self.ports['studio']}\r\n"
        page += "Connection: close\r\n\r\n"
        answers = answers_of(ask(self.ports["adapter"], launch, b'"command":"launch"'))
        seen = ask(self.ports["studio"], page.encode(), b"</html>")
        launched = any(each.get("command") == "launch" and each["success"] for each in answers)
        return launched and seen.startswith(b"HTTP/1.1 200")

    def end(self) -> str:
        """All that the servers have said meanwhile."""
        for process in self._servers:
            process.terminate()
        said = [process.communicate(timeout=PATIENCE)[0] for process in self._servers]
        return b"".join(said).decode(errors="replace")


LET_IN: dict[str, Callable[[bytes, bytes], Iterator[str]]] = {
    "adapter": let_in_by_adapter,
    "studio": let_in_by_studio,
}


def knock(port: int, words: bytes, user: int | None = None) -> bytes:
    """Come to a port as somebody, and hear what is answered."""
    command = [
        sys.executable, "-IS", "-c", KNOCK, str(port), *([] if user is None else [str(user)]),
    ]  # fmt: skip
    done = subprocess.run(command, input=words, capture_output=True, timeout=PATIENCE)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done.stdout


def ask(port: int, words: bytes, last: bytes) -> bytes:
    """Say something, and hear what is answered up to some words."""
    heard = b""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(words)
        while last not in heard:
            piece = connection.recv(1 << 16)
            if not piece:
                break
            heard += piece
    return heard
