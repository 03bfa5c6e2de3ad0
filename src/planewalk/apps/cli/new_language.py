"""`planewalk new-language`: write a package for a language of your own."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from shlex import quote

from ...core.text import visible
from ..scaffold import write_package

EPILOG = """\
The package is complete: a small stack language with example programs and tests, which can be
installed and passes `planewalk check-language`. Replace its table by your own. Existing files are
never overwritten.

examples:
  planewalk new-language snails
  planewalk new-language snails --into ~/code/snails"""

NEXT = """
Next:
  cd {folder}
  pip install -e '.[test]'
  planewalk run hello.{name}
  planewalk check-language {name}
and make src/{module}/instructions.py your own."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the name of the language, in lower case")
    parser.add_argument("--into", metavar="FOLDER", help="the folder to write (default NAME)")


def perform(arguments: Namespace) -> int:
    name, folder = arguments.name, arguments.into or arguments.name
    for path in write_package(name, folder):
        print(visible(os.path.join(folder, path)))
    print(NEXT.format(folder=quote(folder), name=name, module=name.replace("-", "_")))
    return 0
