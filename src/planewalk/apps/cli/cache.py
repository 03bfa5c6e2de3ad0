"""`planewalk cache`: the machine code kept between runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...core.limits import show_size
from ...core.text import visible
from ..store import MOST_BYTES, DiskStore, count_files

EPILOG = """\
examples:
  planewalk cache                   where it is and how much it holds
  planewalk cache clear             empty it

PLANEWALK_CACHE names another folder, by its full path; without it, the cache is in
XDG_CACHE_HOME or ~/.cache. It is private: files that other users could have written are
ignored, and listed here. The cache may be removed at any time."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show")


def perform(arguments: Namespace) -> int:
    store = DiskStore()
    where = visible(store.folder) or "nowhere"
    if arguments.action == "clear":
        print(f"removed {count_files(store.clear())} from {where}")
    survey = store.survey()
    if arguments.action == "show":
        size = f"{show_size(survey.size)} of {show_size(MOST_BYTES)}"
        print(f"{where}: {count_files(survey.files)}, {size}")
    for ignored in survey.ignored:
        print(f"ignored: {ignored}")
    return 0
