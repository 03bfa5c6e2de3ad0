"""`planewalk site`: the studio as a folder that any static host serves."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...core.limits import show_size

EPILOG = """\
The folder holds the studio with Python in it, all examples, guides and the reference. It works
below any path of any host, needs no server of ours and no special headers, and loads nothing from
other sites. Python for web pages comes from npm the first time, and from planewalk's cache after
that; --pyodide takes it from a folder. Machine code for pages is made here, with the linker that
pip install 'planewalk[site]' brings. A folder that was written so is written again, no other.

examples:
  planewalk site public
  planewalk site public --site https://example.org/planewalk/
  planewalk site public --with my-language
  python3 -m http.server -d public      to look at it"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--site",
        metavar="URL",
        default="",
        help="where it will be, for the links that Share makes (default: wherever it is opened)",
    )
    parser.add_argument(
        "--with",
        dest="packages",
        metavar="PACKAGE",
        action="append",
        default=[],
        help="an installed package whose languages come along; may be repeated",
    )
    parser.add_argument(
        "--pyodide", metavar="DIR", help="the unpacked npm package pyodide, instead of fetching it"
    )


def perform(arguments: Namespace) -> int:
    from ..page.site import packed_size, write_site

    files = write_site(arguments.folder, arguments.site, arguments.packages, arguments.pyodide)
    size, packed = sum(map(len, files.values())), packed_size(files)
    print(
        f"{arguments.folder}: {len(files)} files, {show_size(size)}, {show_size(packed)} compressed"
    )
    return 0
