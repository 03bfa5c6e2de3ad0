"""Files that get their name only once they are complete.

One rule holds wherever planewalk writes: a file that the user names is replaced, and as a whole or
not at all; one that planewalk names, such as the copy of an example, replaces nothing.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import time
from collections.abc import Callable
from typing import IO, Any

from ..core.errors import PlanewalkError

PREFIX = ".planewalk-"
PATIENCE = 5.0
"""Seconds to wait for the reader of a pipe."""
LOOK = 0.05
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class WholeFile(io.FileIO):
    """An unbuffered file: data that a full disk refuses is not written again later."""

    def write(self, data: Any, /) -> int:
        """Write all of it, or raise."""
        rest = memoryview(data).cast("B")
        while rest:
            rest = rest[super().write(rest) :]
        return len(data)


class Draft:
    """A temporary file beside the target, which it replaces once it is complete."""

    def __init__(self, path: str) -> None:
        if "\0" in path:
            raise PlanewalkError(f"{path!r} cannot be written: no name has a zero in it")
        if os.path.isdir(path):
            raise PlanewalkError(f"{path!r} is a folder; name a file to write")
        self.path = path
        self.target = os.path.realpath(path)  # a link stays a link
        self._pipe = _open_pipe(path)
        suffix = os.path.splitext(path)[1]
        try:
            handle, self.name = _elsewhere(suffix) if is_special(path) else self._beside(suffix)
        except OSError as error:
            self._close_pipe()
            raise cannot_write(path, error) from None
        self.file = WholeFile(handle, "wb")

    def _beside(self, suffix: str) -> tuple[int, str]:
        """A new file in the folder of the target, open, and its name."""
        begin = os.path.join(os.path.dirname(self.target), PREFIX)
        while True:
            name = f"{begin}{os.urandom(8).hex()}{suffix}"
            with contextlib.suppress(FileExistsError):
                return os.open(name, NEW, 0o600), name

    def publish(self) -> None:
        try:
            self.file.close()
            if is_special(self.path):
                self._pour()
            else:
                os.umask(mask := os.umask(0))
                os.chmod(self.name, 0o666 & ~mask)
                os.replace(self.name, self.target)
        except BaseException as error:
            self.discard()
            if isinstance(error, OSError):
                raise cannot_write(self.path, error) from None
            raise

    def _pour(self) -> None:
        """Copy the draft into a pipe or a device such as /dev/null, which cannot be replaced."""
        pipe, self._pipe = self._pipe, None
        if pipe is None:
            pipe = _open_pipe(self.path)  # it may have become one in the meantime
        where = self.path if pipe is None else pipe
        with open(self.name, "rb") as file, WholeFile(where, "wb") as target:
            while piece := file.read(1 << 20):
                target.write(piece)
        os.unlink(self.name)

    def discard(self) -> None:
        self.file.close()
        self._close_pipe()
        with contextlib.suppress(OSError):
            os.unlink(self.name)

    def _close_pipe(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None


def _open_pipe(path: str) -> int | None:
    """Open a named pipe before anything is computed for it; None if the path is none. A plain
    `open` would wait forever for a reader."""
    try:
        if not stat.S_ISFIFO(os.stat(path).st_mode):
            return None
    except OSError:
        return None  # there is nothing yet
    until = time.monotonic() + PATIENCE
    while True:
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise cannot_write(path, error) from None
        else:
            os.set_blocking(pipe, True)
            return pipe
        if time.monotonic() >= until:
            raise PlanewalkError(
                f"{path!r} cannot be written: nothing reads from this pipe; start its reader first"
            )
        time.sleep(LOOK)


def _elsewhere(suffix: str) -> tuple[int, str]:
    """A new file in the system's folder for temporary files."""
    import tempfile  # which takes long

    return tempfile.mkstemp(suffix, PREFIX)


def is_special(path: str) -> bool:
    """Whether a path is an existing pipe or device, perhaps behind links. These are written into,
    not replaced; `/dev/stdout` is one."""
    return os.path.exists(path) and not os.path.isfile(path)


def write_with(path: str, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file as a whole, or nothing of it."""
    draft = Draft(path)
    try:
        write(draft.file)
    except BaseException as error:
        draft.discard()
        if isinstance(error, OSError):
            raise cannot_write(path, error) from None
        raise
    draft.publish()


def cannot_write(path: str, error: OSError) -> PlanewalkError:
    return PlanewalkError(f"{path!r} cannot be written: {error.strerror or error}")
