"""Languages leave a process as the way to find them again: their functions cannot.

What hands a language out says here how it was found. Any other is looked for by its name in a
module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from ..instruction import Act, Instruction
    from ..language import Language

Way = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function that can be found by its name, and what it is to be called with."""

_languages: dict[int, tuple[Language, Way]] = {}
"""By identity: equal ones need not be found in the same way."""
_acts: WeakKeyDictionary[Act, Way] = WeakKeyDictionary()


def found_by(language: Language, find: Callable[..., Language], *words: str) -> Language:
    """The language, of which it is known from now on that `find(*words)` gives it."""
    _languages.setdefault(id(language), (language, (find, words)))
    return language


def made_by(instruction: Instruction, make: Callable[..., Instruction], *words: Any) -> Instruction:
    """The same for an instruction that stands in no table."""
    _acts[instruction.act] = make, words
    return instruction


def way_to_language(language: Language) -> Way:
    """How another process finds a language; a `PicklingError` if it cannot."""
    if id(language) not in _languages:
        for found, module, name in _named_in_modules(type(language)):
            if found is language:
                found_by(language, named, module, name)
                break
        else:
            _refuse(language)
    return _languages[id(language)][1]


def way_to_instruction(row: Instruction) -> Way:
    """How another process finds an instruction: in the table of its language, or made anew."""
    if row.act in _acts:
        return _acts[row.act]
    place = _place_in(_known(), row)
    if place is None:
        from ..language import Language  # which is made of instructions

        named_ones = (found for found, _, _ in _named_in_modules(Language))
        place = _place_in(named_ones, row)
    return (type(row), tuple(row)) if place is None else (row_of, place)


def row_of(language: Language, table: int, code: int) -> Instruction:
    """The instruction of one of a language's tables."""
    return language.tables[table][code]


def named(module: str, name: str) -> Any:
    """What has that name in a module."""
    return getattr(import_module(module), name)


def _known() -> Iterator[Language]:
    return (language for language, _ in list(_languages.values()))


def _place_in(languages: Iterator[Language], row: Instruction) -> tuple[Any, ...] | None:
    """The language, the number of its table, and the code by which a row is found there."""
    for language in languages:
        for number, table in enumerate(language.tables):
            if table.get(row.code) == row:
                return language, number, row.code
    return None


def _named_in_modules(kind: type) -> Iterator[tuple[Any, str, str]]:
    """Everything of that class that a module has a name for, with the module and the name."""
    for module_name, module in list(sys.modules.items()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if type(value) is kind:
                yield value, module_name, name


def _refuse(language: Language) -> NoReturn:
    from pickle import PicklingError  # only the name of the error; nothing is read with it

    raise PicklingError(
        f"the language {language.name!r} cannot be found again by another process; give it a name "
        "at the top of a module (LANGUAGE = Language(...)), which is imported there"
    )
