"""Every instruction has words and examples, and its examples are true."""

from __future__ import annotations

import ast
from array import array
from typing import Any

import pytest

import planewalk
from planewalk.core.instruction import Instruction, InstructionTable
from planewalk.core.language import Language
from planewalk.core.numerals import to_decimal
from planewalk.engines.reference import ReferenceEngine
from planewalk.languages import registry
from tests.cases import same

LANGUAGES = [registry.get(name) for name in registry.SUFFIXES]
ROWS = [
    (language, table, row)
    for language in LANGUAGES
    for table in (language.table, *language.loadable)
    for row in table
]
EXAMPLES = [
    (language, table, row, example)
    for language, table, row in ROWS
    for example in row.examples
    if row.code == min(r.code for r in table if (r.name, r.doc) == (row.name, row.doc))
    or "=>" not in example
]


def name_of(value: object) -> str | None:
    if isinstance(value, Language):
        return value.name
    if isinstance(value, InstructionTable):
        return value.name
    if isinstance(value, Instruction):
        return value.symbol
    return None


@pytest.mark.parametrize(("language", "table", "row"), ROWS, ids=name_of)
def test_every_instruction_is_documented_and_exampled(
    language: Language, table: InstructionTable, row: Instruction
) -> None:
    assert row.doc.endswith("."), "a sentence for users"
    assert row.examples


def acted(language: Language, table: InstructionTable, row: Instruction, stack: list[str]) -> Any:
    """The stack after the instruction, with this stack before."""
    source = row.symbol.encode()
    state = language.start(source, language.read_options({}), 0)
    if table is not language.table and table.name in ("V", "M"):
        stance = state.walkers[0].stance
        mode: Any = stance.mode
        stance = stance._replace(mode=mode._replace(loaded=(table.name,)))
        state.walkers[0] = state.walkers[0]._replace(stance=stance)
    if isinstance(state.stack, array):
        state.stack[:] = array("f", map(float, stack))
    else:
        state.stack[:] = map(int, stack)
    ReferenceEngine(language, state).advance(1)
    return list(state.stack)


@pytest.mark.parametrize(("language", "table", "row", "example"), EXAMPLES, ids=name_of)
def test_every_example_is_true(
    language: Language, table: InstructionTable, row: Instruction, example: str
) -> None:
    program, arrow, result = example.partition(" => ")
    if not arrow:
        before, dashes, after = example.partition("--")
        assert dashes, f"{example!r} is neither BEFORE -- AFTER nor PROGRAM => RESULT"
        found = acted(language, table, row, before.split())
        assert same([float(v) for v in after.split()], [float(v) for v in found])
        return
    run = planewalk.run(
        source=language.spell(program), language=language.name, max_steps=1000, seed=0
    )
    answer = {**run.to_dict(), **run.show()}
    key, colon, value = result.partition(": ")
    if colon and key in answer:
        bare = key in ("status", "dir") and not value.startswith(("[", "'"))
        assert same(value if bare else ast.literal_eval(value), answer[key])
    elif run.value is not None:
        assert result in (to_decimal(run.value), run.status)
    else:
        assert run.output.decode() == result


def test_the_registry_knows_the_suffixes_without_importing() -> None:
    assert {language.name: language.suffixes for language in LANGUAGES} == registry.SUFFIXES
