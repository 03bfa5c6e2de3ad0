"""All words of the vocabulary, read from the file that declares them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import NamedTuple

from planewalk.core.numbers.pure import PURE
from planewalk.core.vocabulary import NumberWords, Vocabulary

CALLED = re.compile(r"`\w+\((.*?)\)`: ")
"""How the meaning of a word begins that is kept as an attribute but called like others."""


class Word(NamedTuple):
    """A word: its parameters, None where it is read and not called, and what it means."""

    name: str
    parameters: tuple[str, ...] | None
    meaning: str

    def __str__(self) -> str:
        return (
            self.name if self.parameters is None else f"{self.name}({', '.join(self.parameters)})"
        )


def words() -> Iterator[Word]:
    """Each word, in the order in which they are declared."""
    for kind in (Vocabulary, NumberWords):
        (declared,) = ast.parse(inspect.getsource(kind)).body
        assert isinstance(declared, ast.ClassDef)
        for at, entry in enumerate(declared.body):
            if isinstance(entry, ast.FunctionDef):
                yield _of_method(entry)
            elif isinstance(entry, ast.AnnAssign) and entry.value is None:
                yield _of_attribute(ast.unparse(entry.target), declared.body[at + 1])
            elif isinstance(entry, ast.AnnAssign):
                yield _of_pure_word(ast.unparse(entry.target))


def _of_method(declared: ast.FunctionDef) -> Word:
    parameters = tuple(argument.arg for argument in declared.args.args[1:])
    is_read = any(ast.unparse(mark) == "property" for mark in declared.decorator_list)
    meaning = ast.get_docstring(declared)
    return Word(declared.name, None if is_read else parameters, _in_a_line(meaning))


def _of_attribute(name: str, below: ast.stmt) -> Word:
    """Attributes have their meaning below them."""
    meaning: str = ast.literal_eval(below.value) if isinstance(below, ast.Expr) else ""
    called = CALLED.match(meaning)
    if called is None:
        return Word(name, None, _in_a_line(meaning))
    meaning = meaning[called.end() :]
    parameters = tuple(part for part in called[1].split(", ") if part)
    return Word(name, parameters, _in_a_line(meaning[0].upper() + meaning[1:]))


def _of_pure_word(name: str) -> Word:
    function = PURE[name]
    return Word(name, tuple(inspect.signature(function).parameters), _in_a_line(function.__doc__))


def _in_a_line(meaning: str | None) -> str:
    assert meaning, "every word has a meaning"
    return " ".join(meaning.split())
