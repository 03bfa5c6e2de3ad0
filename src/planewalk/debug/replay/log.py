"""All that a run has written, however much: the first part in memory, the rest in a file."""

from __future__ import annotations

import tempfile
import weakref

IN_MEMORY = 16 << 20


class Log:
    """Bytes that only grow. A fork goes on from a copy of the first part."""

    def __init__(self, first: bytes = b"") -> None:
        # No other process sees the file: it has no name, and is gone with this object.
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._file.write(first)
        self.length = len(first)

    def __len__(self) -> int:
        return self.length

    def note(self, data: bytes, begins: int) -> None:
        """Add what is new of some bytes that begin at that index."""
        fresh = data[self.length - begins :]
        if fresh:
            self._file.seek(self.length)
            self._file.write(fresh)
            self.length += len(fresh)

    def read(self, first: int, last: int) -> bytes:
        self._file.seek(first)
        return self._file.read(max(min(last, self.length) - first, 0))
