"""Machine code kept on disk between runs, so that a program compiled once starts fast.

Code from a file is executed, so the folder is private, every file carries a checksum, and whatever
does not fit is ignored. A full disk or a read-only home only costs speed.
"""

from __future__ import annotations

import contextlib
import os

MOST_BYTES = 64 << 20
SUFFIX = ".code"


def default_folder() -> str:
    """PLANEWALK_CACHE, else the usual place for caches."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("PLANEWALK_CACHE") or os.path.join(home, "planewalk")


class DiskStore:
    """See `engines.llvm.Store`."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder or default_folder()

    def get(self, key: str) -> bytes | None:
        """What was put under that key, if it is still whole."""
        try:
            if not _is_private(self.folder):
                return None
            path = self._path(key)
            with open(path, "rb") as file:
                checksum, code = file.read(32), file.read()
        except OSError:
            return None
        if _checksum(key, code) != checksum:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what is used stays longest
        return code

    def put(self, key: str, code: bytes) -> None:
        """Keep it, under its final name only when it is complete."""
        draft = f"{self._path(key)}.{os.getpid()}"
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            if not _is_private(self.folder):
                return
            with open(draft, "wb") as file:
                file.write(_checksum(key, code) + code)
            os.replace(draft, self._path(key))
            self._prune()
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(draft)

    def entries(self) -> list[tuple[float, int, str]]:
        """Every file with its time and size, the longest unused first."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as files:
            for file in files:
                if SUFFIX in file.name:
                    status = file.stat()
                    found.append((status.st_mtime, status.st_size, file.path))
        return sorted(found)

    def clear(self) -> int:
        """Remove everything; gives how many files there were."""
        entries = self.entries()
        for _, _, path in entries:
            with contextlib.suppress(OSError):
                os.unlink(path)
        return len(entries)

    def _prune(self) -> None:
        entries = self.entries()
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= MOST_BYTES:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, key + SUFFIX)


def _checksum(key: str, code: bytes) -> bytes:
    import hashlib  # not at every start

    return hashlib.sha256(key.encode() + code).digest()


def _is_private(folder: str) -> bool:
    """Whether nobody else could have put code there."""
    if not hasattr(os, "getuid"):
        return True
    status = os.stat(folder)
    return status.st_uid == os.getuid() and not status.st_mode & 0o022
