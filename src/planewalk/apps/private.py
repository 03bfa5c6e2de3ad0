"""A private folder, for files that are executed.

The folder is opened once, without following links; it is looked at through the descriptor, and all
work in it is done relative to that. So renaming things on the way to it gains nothing. Files
are checked in the same way before a byte of them is read. Where a system has no such descriptors,
paths must do; where it has no owners, its own ways of keeping users apart.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from ..core.base.platform import link

BY_DESCRIPTOR = hasattr(os, "link") and (
    {os.open, os.stat, os.unlink, os.rename, os.link, os.utime} <= os.supports_dir_fd
)
CAREFULLY = sum(
    getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY")
)
"""Flags for opening files without following links or waiting for the writer of a pipe."""
LONG_AGO = 60.0
"""Seconds after which a draft is not being written any more: it takes far less than one. A writer
that was stopped for longer finds its draft gone, which costs it no more than that file."""


class Reason(Enum):
    """Why files are ignored, as words that follow their number."""

    NO_FILE = "in the form of links, pipes or folders"
    ANOTHER_USER = "of another user"
    OTHERS = "that others could have written"
    SIZE = "of more than anything takes"
    FOREIGN = "with damage, from elsewhere or of another version"


class Ignored(OSError):
    """A file that is not to be trusted."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class NotPrivate(OSError):
    """The folder is not private; says why, and what helps."""


class PrivateFolder:
    """The open folder. All methods may raise `OSError`."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    def read(self, name: str, most: int, *, secret: bool = False) -> tuple[bytes, os.stat_result]:
        """Read a trusted file of limited size; a secret one must be unreadable to other users."""
        place, relative = self._at(name)
        with open(os.open(place, os.O_RDONLY | CAREFULLY, **relative), "rb") as file:
            status = os.fstat(file.fileno())
            reason = why_ignored(status, 0o077 if secret else 0o022)
            if reason is None and status.st_size > most:
                reason = Reason.SIZE
            if reason is not None:
                raise Ignored(reason)
            return file.read(most), status

    def write(self, name: str, content: bytes) -> None:
        """Write a file, under its name only when it is complete."""
        with self._draft(name, content) as draft:
            self._rename(draft, name)

    def write_first(self, name: str, content: bytes) -> None:
        """Write a file, unless one of that name exists."""
        with self._draft(name, content) as draft, contextlib.suppress(FileExistsError):
            try:
                self._link(draft, name)
            except FileExistsError:
                raise
            except OSError:  # there are no links here: the last one wins
                self._rename(draft, name)

    def touch(self, name: str) -> None:
        place, relative = self._at(name)
        os.utime(place, **relative)

    def remove(self, name: str) -> None:
        place, relative = self._at(name)
        os.unlink(place, **relative)

    def files(self) -> list[tuple[str, os.stat_result]]:
        found = []
        with os.scandir(self.path if self._descriptor is None else self._descriptor) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # gone by now
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
        return found

    def sweep(self, drafts: str) -> None:
        """Remove the drafts that killed processes have left, by the pattern of their names."""
        for name, status in self.files():
            abandoned = time.time() - status.st_mtime > LONG_AGO
            if abandoned and re.fullmatch(drafts, name) and why_ignored(status, 0o022) is None:
                with contextlib.suppress(OSError):
                    self.remove(name)

    @contextmanager
    def _draft(self, name: str, content: bytes) -> Iterator[str]:
        """A complete file under a temporary name, which is removed afterwards."""
        draft = f"{name}.{os.urandom(8).hex()}"
        place, relative = self._at(draft)
        made = os.O_WRONLY | os.O_CREAT | os.O_EXCL | CAREFULLY
        descriptor = os.open(place, made, 0o600, **relative)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            yield draft
        finally:
            with contextlib.suppress(OSError):
                self.remove(draft)

    def _rename(self, draft: str, name: str) -> None:
        self._name(os.replace, draft, name)

    def _link(self, draft: str, name: str) -> None:
        self._name(link, draft, name)

    def _name(self, give: Callable[..., None], draft: str, name: str) -> None:
        (old, relative), (new, _) = self._at(draft), self._at(name)
        give(old, new, **{f"{end}_{key}": n for key, n in relative.items() for end in ENDS})

    def _at(self, name: str) -> tuple[str, dict[str, Any]]:
        """A path, and the arguments that say what it is relative to."""
        if self._descriptor is None:
            return os.path.join(self.path, name), {}
        return name, {"dir_fd": self._descriptor}


ENDS = ("src", "dst")


@contextmanager
def private_folder(path: str, *, make: bool = False) -> Iterator[PrivateFolder]:
    """Open a private folder; raises `NotPrivate` if it is not."""
    if make:
        _make(path)
    if not BY_DESCRIPTOR:
        _check_folder(path, os.lstat(path))
        yield PrivateFolder(path, None)
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | CAREFULLY)
    except OSError:
        _check_folder(path, os.lstat(path))  # which knows more
        raise
    try:
        _check_folder(path, os.fstat(descriptor))
        yield PrivateFolder(path, descriptor)
    finally:
        os.close(descriptor)


def why_ignored(status: os.stat_result, forbidden: int) -> Reason | None:
    """Why a file is not trusted, if other users must not have these permissions."""
    if not stat.S_ISREG(status.st_mode):
        return Reason.NO_FILE
    if not _is_ours(status):
        return Reason.ANOTHER_USER
    return Reason.OTHERS if _lets_others(status, forbidden) else None


def _check_folder(path: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise NotPrivate(
            f"it is a link, which other users could have put there; name {path!r} itself"
        )
    if not stat.S_ISDIR(status.st_mode):
        raise NotPrivate("it is not a folder")
    if not _is_ours(status):
        raise NotPrivate("it belongs to another user")
    if _lets_others(status, 0o077):
        raise NotPrivate(f"it is open to others (chmod 700 {path!r})")


def _is_ours(status: os.stat_result, or_of: int | None = None) -> bool:
    """Whether a file belongs to this user, or to another allowed one."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), or_of)


def _lets_others(status: os.stat_result, forbidden: int) -> bool:
    return hasattr(os, "geteuid") and bool(status.st_mode & forbidden)


def _make(path: str) -> None:
    """Make a private folder and its parents, but not inside a folder of another user."""
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    if above != path:
        _make(above)
    if not _is_ours(os.stat(above), or_of=0):
        raise NotPrivate("the folder above it belongs to another user")
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
