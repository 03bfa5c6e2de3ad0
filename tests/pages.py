"""Commands and Python on the pages of the documentation, in the order in which they stand there."""

import ast
import re
import tokenize
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "languages").glob("*.md")),
]

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)`((?:\w+ [^`|]*\| )?planewalk [^`]*\b[a-z][\w-]*\.[a-z]+[^`]*)`")
"""Commands in a sentence, if they name a file: others are about commands in general."""


class Command(NamedTuple):
    """What is typed, and the output that a page shows for it, if any."""

    text: str
    shown: str


class Code(NamedTuple):
    """Lines of Python."""

    text: str


def steps(page: str) -> list[Command | Code]:
    """All that a page asks its reader to do. What stands in a sentence comes after the blocks."""
    found: list[Command | Code] = []
    for kind, text in BLOCK.findall(page):
        if kind == "console":
            found += commands(text)
        elif kind == "python":
            found.append(Code(text))
    sentences = INLINE.findall(BLOCK.sub("", page))
    return found + [Command(" ".join(text.split()), "") for text in sentences]


def commands(block: str) -> list[Command]:
    """The commands of a block: a line with a prompt, what it goes on with, and what is shown."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        typed = [first]
        while rest and (typed[-1].endswith(("|", "\\", "do")) or rest[0].startswith("  ")):
            typed.append(rest.pop(0))
        found.append(Command("\n".join(typed), "\n".join(rest).strip("\n")))
    return found


def claims(code: str) -> dict[int, str]:
    """What comments say that a line gives, by the number of the line."""
    comments = {
        token.start[0]: token.string.removeprefix("# ")
        for token in tokenize.generate_tokens(StringIO(code).readline)
        if token.type == tokenize.COMMENT
    }
    return {line: said for line, text in comments.items() if (said := claim(text))}


def claim(comment: str) -> str | None:
    """The value that a comment begins with, or nothing if it is only words."""
    for text in (comment, comment.partition(": ")[0]):
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            continue
        called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
        words = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        if all(word in called for word in words):
            return ast.unparse(tree.body)
    return None


def perform(code: str) -> list[tuple[str, str, str]]:
    """Run the lines; gives each claim with its line and what came of it, if that is different."""
    said, wrong = claims(code), []
    names: dict[str, Any] = {"__name__": "__main__"}
    for statement in ast.parse(code).body:
        line = ast.get_source_segment(code, statement) or ""
        wanted = said.get(statement.end_lineno or 0)
        if isinstance(statement, ast.Expr):
            value = eval(compile(line, "page", "eval"), names)
            if wanted is not None and repr(value).strip("()") != wanted.strip("()"):
                wrong.append((line, wanted, repr(value)))
        else:
            exec(compile(line, "page", "exec"), names)
    return wrong
