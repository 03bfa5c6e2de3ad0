"""`planewalk cache`: the machine code kept between runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...core.limits import show_size
from ..store import MOST_BYTES, DiskStore

EPILOG = """\
examples:
  planewalk cache                   where it is and how much it holds
  planewalk cache clear             empty it

PLANEWALK_CACHE names another folder. The cache may be removed at any time."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show")


def perform(arguments: Namespace) -> int:
    store = DiskStore()
    if arguments.action == "clear":
        print(f"removed {store.clear()} files from {store.folder}")
        return 0
    entries = store.entries()
    total = sum(size for _, size, _ in entries)
    print(f"{store.folder}: {len(entries)} files, {show_size(total)} of {show_size(MOST_BYTES)}")
    return 0
