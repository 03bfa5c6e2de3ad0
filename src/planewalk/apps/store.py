"""Machine code kept on disk between runs, so that a program compiled once starts fast.

Code from a file is executed, so the folder is private (see `private.py`), and every file carries an
authentication code made with a secret that only this user can read: what was copied from elsewhere,
edited or cut off is not ours. Whatever does not fit is ignored. A full disk or a read-only home
only costs speed.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter

from ..core.base.named import NamedTuple
from . import stock
from .private import Ignored, NotPrivate, PrivateFolder, Reason, private_folder, why_ignored

MOST_BYTES = 64 << 20
MOST_OF_ONE = 16 << 20
FORMAT = b"planewalk code 1\n"
MAC_SIZE = 32
SECRET, SECRET_SIZE = "secret", 32
ENTRY = r"[0-9a-f]{64}\.code"
DRAFT = rf"({ENTRY}|{SECRET})\.[0-9a-f]+"


def default_folder() -> str:
    """The folder named by PLANEWALK_CACHE, else the usual one for caches; empty if there is none.
    Relative paths are ignored: they depend on the current folder, whose files may belong to any
    user."""
    return next((path for path in _places().values() if os.path.isabs(path)), "")


def _places() -> dict[str, str]:
    """Possible folders by the variable that names them, the first choice first."""
    given = {name: os.environ.get(name, "") for name in ("PLANEWALK_CACHE", "XDG_CACHE_HOME")}
    under = {
        "PLANEWALK_CACHE": given["PLANEWALK_CACHE"],
        "XDG_CACHE_HOME": given["XDG_CACHE_HOME"] and f"{given['XDG_CACHE_HOME']}/planewalk",
        "HOME": os.path.join(os.path.expanduser("~"), ".cache", "planewalk"),
    }
    return {name: os.path.normpath(path) for name, path in under.items() if path}


class StoreSurvey(NamedTuple):
    """The contents of a store, and what is ignored in it, in words."""

    files: int
    size: int
    ignored: list[str]


class DiskStore:
    """See `engines.native.machine_code.Store`."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = default_folder() if folder is None else folder

    def get(self, key: str) -> bytes | None:
        """The code of a key, if it is intact, or came with planewalk."""
        name = _name(key)
        try:
            with private_folder(self.folder) as folder:
                content = _content(folder, name, _secret(folder))
                with contextlib.suppress(OSError):
                    folder.touch(name)  # what is used stays longest
        except OSError:
            return stock.StockFolder(stock.FOLDER).get(key)
        return content

    def put(self, key: str, code: bytes) -> None:
        """Keep code, under its final name only when it is complete."""
        name = _name(key)
        if len(code) + len(FORMAT) + MAC_SIZE > MOST_OF_ONE:
            return
        with contextlib.suppress(OSError), private_folder(self.folder, make=True) as folder:
            secret = _secret_made(folder)
            folder.write(name, FORMAT + _mac(secret, name, code) + code)
            folder.sweep(DRAFT)
            _prune(folder)

    def clear(self) -> int:
        """Remove all code; returns the number of files."""
        removed = 0
        with contextlib.suppress(OSError), private_folder(self.folder) as folder:
            folder.sweep(DRAFT)
            for _, _, name in _entries(folder):
                with contextlib.suppress(OSError):
                    folder.remove(name)
                    removed += 1
            with contextlib.suppress(OSError):
                folder.remove(SECRET)
        return removed

    def survey(self) -> StoreSurvey:
        """Examine everything in the folder."""
        relative = [
            f"{name}, since {path!r} is not an absolute path"
            for name, path in _places().items()
            if not os.path.isabs(path)
        ]
        try:
            with private_folder(self.folder) as folder:
                folder.sweep(DRAFT)
                files, size, ignored = _survey(folder)
        except NotPrivate as error:
            return StoreSurvey(0, 0, [*relative, f"everything in the folder, since {error}"])
        except FileNotFoundError:
            return StoreSurvey(0, 0, relative)
        except OSError as error:
            return StoreSurvey(0, 0, [*relative, f"everything in the folder: {error.strerror}"])
        return StoreSurvey(files, size, relative + ignored)


def _name(key: str) -> str:
    if len(key) != 64 or not set(key) <= set("0123456789abcdef"):
        raise ValueError(f"a key is 64 hexadecimal digits, not {key!r}")
    return f"{key}.code"


def _entries(folder: PrivateFolder) -> list[tuple[float, int, str]]:
    """All files of the store with time and size, the least recently used first."""
    return sorted(
        (status.st_mtime, status.st_size, name)
        for name, status in folder.files()
        if re.fullmatch(ENTRY, name) and why_ignored(status, 0) is None
    )


def _prune(folder: PrivateFolder) -> None:
    entries = _entries(folder)
    total = sum(size for _, size, _ in entries)
    for _, size, name in entries:
        if total <= MOST_BYTES:
            return
        with contextlib.suppress(OSError):
            folder.remove(name)
        total -= size


def _content(folder: PrivateFolder, name: str, secret: bytes) -> bytes:
    """The content of a file, if this user wrote it under this name, and it is whole."""
    whole, _ = folder.read(name, MOST_OF_ONE)
    begin = len(FORMAT) + MAC_SIZE
    mac, content = whole[len(FORMAT) : begin], whole[begin:]
    # Timing is no attack: who can measure it cannot write the file.
    if not whole.startswith(FORMAT) or mac != _mac(secret, name, content):
        raise Ignored(Reason.FOREIGN)
    return content


def _mac(secret: bytes, name: str, content: bytes) -> bytes:
    """The authentication code of a file: BLAKE2 with the secret as key."""
    from ..core.base.fingerprint import hashing  # not at every start

    mac = hashing(FORMAT + name.encode(), key=secret, digest_size=MAC_SIZE)
    mac.update(content)
    return mac.digest()


def _secret(folder: PrivateFolder) -> bytes:
    """The secret with the inode number of its file, so that a copy elsewhere differs."""
    content, status = folder.read(SECRET, SECRET_SIZE, secret=True)
    if len(content) != SECRET_SIZE:
        raise Ignored(Reason.FOREIGN)
    return content + status.st_ino.to_bytes(16, "big")


def _secret_made(folder: PrivateFolder) -> bytes:
    """The secret; a new one if there is none, or others could have read it."""
    try:
        return _secret(folder)
    except FileNotFoundError:
        folder.write_first(SECRET, os.urandom(SECRET_SIZE))
    except OSError:
        folder.write(SECRET, os.urandom(SECRET_SIZE))
    return _secret(folder)


def _survey(folder: PrivateFolder) -> tuple[int, int, list[str]]:
    """The number and size of valid files, and the ignored ones in words."""
    kept, size, others = 0, 0, 0
    ignored: Counter[Reason] = Counter()
    try:
        secret = _secret(folder)
    except OSError:
        secret = os.urandom(SECRET_SIZE)  # with which nothing was written
    for name, status in folder.files():
        if not re.fullmatch(ENTRY, name):
            others += name != SECRET and not re.fullmatch(DRAFT, name)
            continue
        try:
            _content(folder, name, secret)
        except Ignored as error:
            ignored[error.reason] += 1
        except OSError:  # links, for one, cannot be opened
            ignored[why_ignored(status, 0o022) or Reason.FOREIGN] += 1
        else:
            kept, size = kept + 1, size + status.st_size
    told = [
        f"{count_files(ignored[reason])} {reason.value}" for reason in Reason if ignored[reason]
    ]
    if others:
        told.append(f"{count_files(others)} that planewalk did not write")
    return kept, size, told


def count_files(files: int) -> str:
    return "1 file" if files == 1 else f"{files:,} files"
