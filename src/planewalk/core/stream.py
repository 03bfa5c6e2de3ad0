"""The input of a run: what has arrived, how far it has been read, whether more may come."""

from __future__ import annotations

import base64
from re import Match, Pattern
from typing import Any


class Starved(Exception):
    """More input is needed than has arrived, and more may still come."""


class TooLong(Exception):
    """What is scanned for is longer than it may be."""


class InputStream:
    """Bytes that arrive in pieces and are read one by one.

    `position` counts every byte ever read. What has been read is dropped from time to time,
    unless `keep` is set (a session that goes back in time must read it again).
    """

    def __init__(self, data: bytes = b"", closed: bool = True, keep: bool = False) -> None:
        self.data = bytearray(data)
        self.dropped = 0
        self.position = 0
        self.closed = closed
        self.keep = keep

    def feed(self, data: bytes) -> None:
        """Add what has arrived; nothing at all means that the input has ended."""
        if not data:
            self.closed = True
            return
        read = self.position - self.dropped
        if not self.keep and read > 1 << 16:
            del self.data[:read]
            self.dropped = self.position
        self.data += data

    def read_byte(self) -> int:
        """The next byte, or -1 at the end of input, again and again."""
        index = self.position - self.dropped
        if index < len(self.data):
            self.position += 1
            return self.data[index]
        if self.closed:
            return -1
        raise Starved

    def scan(self, pattern: Pattern[bytes], most: int | None = None) -> Match[bytes]:
        """Read what `pattern` matches here; wait while more input might make it longer.

        Raises `TooLong` if that would be as many bytes as `most`.
        """
        begin = self.position - self.dropped
        end = len(self.data) if most is None else min(begin + most, len(self.data))
        found = pattern.match(self.data, begin, end)
        if found is None:
            raise ValueError("a pattern to scan for must match the empty string")
        if found.end() - begin == most:
            raise TooLong
        if found.end() == len(self.data) and not self.closed:
            raise Starved
        self.position = self.dropped + found.end()
        return found

    @property
    def unread(self) -> int:
        """How many bytes have arrived and are not read yet."""
        return len(self.data) - (self.position - self.dropped)

    @property
    def ended(self) -> bool:
        """Everything has been read and nothing more will come; waits while that is not known."""
        if self.unread:
            return False
        if not self.closed:
            raise Starved
        return True

    def copy(self) -> InputStream:
        twin = InputStream(bytes(self.data), self.closed, self.keep)
        twin.dropped, twin.position = self.dropped, self.position
        return twin

    def _rest(self) -> bytearray:
        return self.data[self.position - self.dropped :]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InputStream)
            and (self.position, self.closed) == (other.position, other.closed)
            and self._rest() == other._rest()
        )

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        rest = base64.b64encode(self._rest()).decode()
        return {"position": self.position, "rest": rest, "closed": self.closed}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> InputStream:
        stream = cls(base64.b64decode(data["rest"]), data["closed"])
        position = data["position"]
        if type(position) is not int or position < 0:
            raise ValueError("'position' is no whole number from 0 on")
        stream.dropped = stream.position = position
        return stream
