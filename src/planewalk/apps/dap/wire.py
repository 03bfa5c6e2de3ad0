"""Messages of the protocol over streams: a header with a length, then JSON.

What speaks through a pipe was started by the user, and a mistake in its header is passed over. To
a port web pages may connect, too: there the first line that is not a header of the protocol
ends the conversation, so that no part of other traffic is ever taken for a message.
"""

from __future__ import annotations

import json
import math
import re
import threading
from typing import IO, Any, NoReturn

from ..fields import Message

MOST_MESSAGE = 16 << 20
"""Bytes of a message; a longer one is skipped."""
MOST_SKIPPED = 1 << 30
MOST_DIGITS = len(str(MOST_SKIPPED))
"""Bytes of a long message that are skipped, and digits of that; a larger length is invalid."""
MOST_LINE = 8 << 10
MOST_LINES = 32
"""Lines of a header, and bytes of each."""
PIECE = 1 << 16
HEADERS = (b"content-length", b"content-type")
"""The headers of this protocol and of the Language Server Protocol."""
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?\n", re.IGNORECASE)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escaped surrogate: half a character, or a half of a whole one."""


class BrokenMessage(Exception):
    """An invalid message, which further messages may follow."""


class EndOfStream(Exception):
    """Nothing more will come."""


class ForeignTraffic(EndOfStream):
    """Traffic of another protocol, which is not read any further."""


class Wire:
    """Both directions of a conversation. One thread reads; any may write."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes], *, strict: bool = False) -> None:
        """With `strict`, an invalid header ends the conversation."""
        self._reader, self._writer = reader, writer
        self._strict = strict
        self._writing = threading.Lock()

    def read(self, most: int = MOST_MESSAGE) -> tuple[Any, int]:
        """The next message, and its length in bytes. Raises `BrokenMessage` or `EndOfStream`."""
        length = self._length()
        if length > most:
            self._skip(length)
            raise BrokenMessage(f"a message of {length:,} bytes is too long; {most:,} are allowed")
        body = self._reader.read(length)
        if len(body) < length:
            raise EndOfStream
        return parse(body), length

    def write(self, message: Message) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        with self._writing:
            self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self._writer.flush()

    def _length(self) -> int:
        length = None
        for _ in range(MOST_LINES):
            line = self._reader.readline(MOST_LINE)
            if not line:
                raise EndOfStream
            if line in (b"\r\n", b"\n") and length is not None:
                if length.isdigit() and len(length) <= MOST_DIGITS and int(length) <= MOST_SKIPPED:
                    return int(length)
                message = f"the length {length[:40]!r} is not a length that a message can have"
                raise (ForeignTraffic if self._strict else BrokenMessage)(message)
            found = _LENGTH.match(line) if self._strict else _LENGTH.search(line)
            if found is not None and not (self._strict and length is not None):
                length = found[1]
                continue
            name, colon, _ = line.partition(b":")
            known = colon and line.endswith(b"\n") and name.strip().lower() in HEADERS
            if self._strict and (found is not None or not known):
                raise ForeignTraffic(f"{line[:40]!r} is not a header of the protocol")
        if self._strict:
            raise ForeignTraffic(f"a header has more than {MOST_LINES} lines")
        raise BrokenMessage("what came is not a header of the protocol")

    def _skip(self, length: int) -> None:
        """Skip a message, so that its contents are not parsed as messages."""
        while length:
            piece = self._reader.read(min(length, PIECE))
            if not piece:
                raise EndOfStream
            length -= len(piece)


def parse(body: bytes) -> Any:
    """Parse a body as JSON with whole characters, finite numbers and unique names."""
    try:
        text = body.decode()
        found = json.loads(
            text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_with_names
        )
        if _HALF.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BrokenMessage("a text in a message has half a character") from None
    except UnicodeDecodeError:
        raise BrokenMessage("the body of a message is not UTF-8") from None
    except RecursionError:
        raise BrokenMessage("the body of a message is nested too deeply") from None
    except ValueError as error:
        raise BrokenMessage(f"the body of a message is not JSON: {str(error)[:100]}") from None
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"it has no {name}")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits[:20]} is too large")
    return value


def _with_names(pairs: list[tuple[str, Any]]) -> Message:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has {twice[:40]!r} twice")
    return found
