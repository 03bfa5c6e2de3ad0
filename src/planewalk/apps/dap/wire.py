"""Messages of the protocol over streams: a header with a length, then JSON."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from typing import IO, Any

from .adapter import Adapter

MOST_MESSAGE = 16 << 20
MOST_HEADER = 8 << 10
SLICE_WAIT = 0.001
ENDING = ("pause", "disconnect", "terminate")
"""What cannot wait for the end of a tick that takes long."""
Message = dict[str, Any]


class BrokenMessage(Exception):
    """What came is no message; the next one may be."""


def read_message(stream: IO[bytes]) -> Any:
    """The next message; None at the end of the stream."""
    length = None
    while True:
        line = stream.readline(MOST_HEADER)
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            if length is None:
                continue
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            if not value.strip().isdigit():
                raise BrokenMessage(f"the length {value.strip()[:40]!r} is no number")
            length = int(value)
    if length > MOST_MESSAGE:
        raise BrokenMessage(f"a message of {length:,} bytes is too long")
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise BrokenMessage("the body of a message is not JSON") from None


def write_message(stream: IO[bytes], message: Message) -> None:
    """One message, with its header."""
    body = json.dumps(message, separators=(",", ":")).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def talk(adapter: Adapter, reader: IO[bytes], writer: IO[bytes]) -> None:
    """Serve one editor until it goes away or says goodbye."""
    coming: queue.Queue[Any] = queue.Queue()
    urgent = threading.Event()

    def hear(message: Any) -> None:
        coming.put(message)
        if not isinstance(message, dict) or message.get("command") in ENDING:
            urgent.set()

    adapter.hurried = urgent.is_set
    threading.Thread(target=_listen, args=(reader, hear), daemon=True).start()
    while not adapter.over:
        try:
            message = coming.get(timeout=SLICE_WAIT if adapter.running else None)
        except queue.Empty:
            answers = adapter.work()
        else:
            if coming.empty():
                urgent.clear()
            if message is None:
                return
            broken = isinstance(message, BrokenMessage)
            answers = adapter.complain(str(message)) if broken else adapter.receive(message)
        for answer in answers:
            write_message(writer, answer)


def _listen(reader: IO[bytes], hear: Callable[[Any], None]) -> None:
    """Read ahead, so that a run can be paused."""
    while True:
        try:
            message = read_message(reader)
        except BrokenMessage as error:
            hear(error)
            continue
        except (OSError, ValueError):
            message = None
        hear(message)
        if message is None:
            return
