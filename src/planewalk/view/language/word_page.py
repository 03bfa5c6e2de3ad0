"""The page of words: what they mean, and which of them compiled code knows."""

from __future__ import annotations

from ...core.meta.words import Word, words
from ...engines.tracing.word_probe import ENDS, compiles
from .manual import escape

HOLE = "<!-- vocabulary -->"
INTRODUCTION = """\
Made by scripts/docs from `core/vocabulary.py`; the compiler itself was asked which words it knows.
Where a word does not compile, the reference engine performs that instruction, exactly. Words
without parentheses are read, not called. `known`, the names of registers, and places of a text need
plain numbers: they compile where only few of them turn up.
"""


def words_page(page: str) -> str:
    """The glossary with all words of instructions behind it."""
    rows = [f"| `{word}` | {escape(word.meaning)} | {_compiled(word)} |" for word in words()]
    table = ["| Word | Meaning | Compiled |", "|---|---|---|", *rows]
    text = page.partition(HOLE)[0].rstrip()
    parts = [text, f"{HOLE}\n## The words of instructions", INTRODUCTION.rstrip(), "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def _compiled(word: Word) -> str:
    if word.name in ENDS:
        return "ends the run"
    return "yes" if compiles(word) else "no"
