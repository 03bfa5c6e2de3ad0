"""`planewalk manual`: the manual page of a language, made from its table; and other pages."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...core.base.resources import resource
from ...core.errors import PlanewalkError
from ...core.language import Language
from ...examples import examples_of
from ...languages import outside
from ...view.language.manual import guide_page, plain_guide
from ...view.language.plain import plain_lines, plain_page
from .options import add_any_language
from .parser import PAGES
from .terminal import bold, columns, plain

EPILOG = """\
examples:
  planewalk manual mirrorfunge                      in the terminal
  planewalk manual mirrorfunge --markdown > m.md    with tables, and walks through programs
  planewalk manual src/snails                       of a language that is not installed yet
  planewalk manual conditions                       where runs can be stopped
  planewalk manual editors                          VS Code and Neovim"""


def add_arguments(parser: ArgumentParser) -> None:
    add_any_language(parser, f"; or {', '.join(PAGES)}")
    parser.add_argument("--markdown", action="store_true", help="print the page as Markdown")


def perform(arguments: Namespace) -> int:
    if arguments.language in PAGES:
        page = resource(PAGES[arguments.language]).read_text("utf-8")
        lines = plain_lines(page, columns(), bold)
    else:
        language = outside.load(arguments.language)
        guide = guide_of(language)
        lines = plain_page(language, guide, columns(), bold)
        if arguments.markdown:
            sources = {example.file: example.read for example in examples_of(language)}
            page = guide_page(language, guide, lambda file: sources[file]())
    if arguments.markdown:
        print(page, end="")
    else:
        print(*map(plain, lines), sep="\n")
    return 0


def guide_of(language: Language) -> str:
    """The guide of a language, or one generated from its tables and examples."""
    if not language.guide:
        programs = [(example.file, example.description) for example in examples_of(language)]
        return plain_guide(language, programs)
    try:
        return resource(language.guide).read_text("utf-8")
    except (ImportError, OSError, ValueError) as error:
        said = f"the guide of {language.title} ({language.guide}) cannot be read: {error}"
        raise PlanewalkError(said) from None
