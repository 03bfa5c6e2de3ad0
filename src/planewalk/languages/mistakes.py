"""What is wrong with a `Language`: its fields, checked against their types.

The annotations of `Language`, and of all that it is made from, say what is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from inspect import signature
from types import FunctionType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ..core.instruction import InstructionTable
from ..core.language import Language

NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
SUFFIX = re.compile(r"\.[^\s./\\]+")
WORDS = {str: "text", bool: "True or False", int: "a whole number", bytes: "bytes"}


def mistakes(language: object) -> Iterator[str]:
    """A sentence for each mistake; none if all is well."""
    if not isinstance(language, Language):
        yield f"it is {_brief(language)}, not a planewalk Language"
        return
    wrong = list(_wrong_fields(language, ""))
    yield from wrong or _wrong_values(language)


def _wrong_fields(record: Any, path: str) -> Iterator[str]:
    """Fields of a record that are not what they should be, and those within them."""
    kind: Any = type(record)
    hints = _hints(kind)
    for field in record._fields:
        value, hint = getattr(record, field), hints[field]
        if not _fits(value, hint):
            yield f"{path}{field} must be {_described(hint)}, but is {_brief(value)}"
        else:
            yield from _wrong_parts(value, path + field)


def _wrong_parts(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, InstructionTable):
        for row in value:
            yield from _wrong_fields(row, f"instruction {_brief(row.name)} in {path}: ")
    elif hasattr(value, "_fields"):
        yield from _wrong_fields(value, f"{path}.")
    elif isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from _wrong_parts(part, f"{path}[{index}]")


_hints = cache(get_type_hints)


def _fits(value: Any, hint: Any) -> bool:
    kind, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if kind in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if kind is Callable:
        return callable(value) and _takes(value, len(inner[0]))
    if kind is tuple:
        return type(value) is tuple and all(_fits(part, inner[0]) for part in value)
    if hint is int:
        return type(value) is int
    return isinstance(value, kind or hint)


def _takes(function: Any, count: int) -> bool:
    """Whether a function can be called with so many arguments."""
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # some of Python's own have no signature
        return True
    return True


def _described(hint: Any) -> str:
    kind, inner = get_origin(hint), get_args(hint)
    if hint is NoneType:
        return "None"
    if kind in (Union, UnionType):
        return " or ".join(map(_described, inner))
    if kind is Callable:
        many = "" if len(inner[0]) == 1 else "s"
        return f"a function of {len(inner[0])} argument{many}"
    if kind is tuple:
        return f"a tuple of {_described(inner[0])}"
    return WORDS.get(hint) or str((kind or hint).__name__)


def _brief(value: object) -> str:
    if isinstance(value, FunctionType):
        return f"{value.__name__}{signature(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _wrong_values(language: Language) -> Iterator[str]:
    """What is of the right type, and still cannot be."""
    if not NAME.fullmatch(language.name):
        yield (
            f"name must be small letters and digits, with - or _ between them, but is "
            f"{language.name!r}"
        )
    for field, text in (("title", language.title), ("summary", language.summary)):
        if len(text.splitlines()) != 1 or not text.strip():
            yield f"{field} must be one line of text, but is {_brief(text)}"
    yield from _wrong_suffixes("suffixes", language.suffixes)
    yield from _wrong_suffixes("sources.recognised", language.sources.recognised)
    for field in ("default_steps", "default_seed"):
        if (getattr(language.rules, field) or 0) < 0:
            yield f"rules.{field} must not be negative, but is {getattr(language.rules, field)}"
    if not len(language.table):
        yield "table has no instructions"
    yield from _wrong_options("options", language.options)
    for index, conversion in enumerate(language.sources.conversions):
        path = f"sources.conversions[{index}]"
        yield from _wrong_suffixes(f"{path}.sources", conversion.sources)
        yield from _wrong_suffixes(f"{path}.targets", conversion.targets)
        yield from _wrong_options(f"{path}.options", conversion.options)


def _wrong_suffixes(path: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    for suffix in suffixes:
        if not SUFFIX.fullmatch(suffix) or suffix != suffix.lower():
            yield (
                f"{path} must begin with a dot, in small letters, and have no other dot, but "
                f"one is {suffix!r}"
            )
    yield from (f"{path} has {again!r} twice" for again in _repeated(suffixes))


def _wrong_options(path: str, options: tuple[Any, ...]) -> Iterator[str]:
    for option in options:
        if not NAME.fullmatch(option.name):
            yield f"{path}: {option.name!r} must be small letters and digits, with - between them"
    repeated = _repeated(option.name for option in options)
    yield from (f"{path} has {again!r} twice" for again in repeated)


def _repeated(values: Any) -> list[Any]:
    return [value for value, times in Counter(values).items() if times > 1]
