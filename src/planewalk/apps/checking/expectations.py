"""What a language says of itself, held against what it does: its table and its examples.

Each function gives None if all is well, else a sentence that says what is wrong.
"""

from __future__ import annotations

import ast
import math
from array import array
from collections.abc import Iterator
from typing import Any

from ...core.instruction import Instruction, InstructionTable
from ...core.language import Language
from ...core.numbers.numerals import to_decimal
from ...core.program import Program
from ...engines.stepping.reference import ReferenceEngine
from ...examples import Example
from ..library import Run, run

ENDS = ".", "!", "?"
STEPS = 1_000
"""Steps that an example of a table may take."""


def rows_of(language: Language) -> Iterator[tuple[InstructionTable, Instruction]]:
    """Every instruction once; cells with the same function count as one."""
    for table in language.tables:
        seen = set()
        for row in table:
            if (row.name, row.doc) not in seen:
                seen.add((row.name, row.doc))
                yield table, row


def lacks_words(row: Instruction) -> str | None:
    """What an instruction lacks: documentation or examples."""
    if not (row.doc.endswith(ENDS) and row.words.endswith(ENDS)):
        return f"its function has no docstring that is a sentence for users: {row.doc!r}"
    return None if row.examples else "it has no example"


def is_untrue(language: Language, row: Instruction, example: str) -> str | None:
    """How an example of a table is wrong: `BEFORE -- AFTER` for stacks, or `PROGRAM => RESULT`."""
    program, arrow, result = example.partition(" => ")
    if arrow:
        spelled = Program(language, language.sources.spell(program))
        said = _result_differs(run(spelled, max_steps=STEPS, seed=0), result)
    elif "--" in example:
        said = _effect_differs(language, row, example)
    else:
        return f"{example!r} is neither BEFORE -- AFTER nor PROGRAM => RESULT"
    return None if said is None else f"{example!r}: {said}"


def _result_differs(found: Run, result: str) -> str | None:
    """Compare a run with `KEY: VALUE` of `run --json`, else with its value or its output."""
    answer = {**found.to_dict(), **found.show()}
    key, colon, text = result.partition(": ")
    if colon and key in answer:
        said = answer[key]
        return None if same(_literal(text), said) or text == said else f"{key} is {said!r}"
    if found.value is not None:
        value = to_decimal(found.value)
        return None if result in (value, found.status) else f"gives {value}"
    output = found.output.decode(errors="replace")
    return None if output == result else f"gives {output!r}, {found.status}"


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _effect_differs(language: Language, row: Instruction, example: str) -> str | None:
    """Perform an instruction by itself, regardless of its place, and compare the stack."""
    before, _, after = example.partition("--")
    here = language._replace(decode=lambda plane, stance: row)
    state = here.start(language.sources.spell(row.symbol), language.read_options({}), 0)
    if isinstance(state.stack, array):
        state.stack[:] = array(state.stack.typecode, map(float, before.split()))
    else:
        state.stack[:] = map(int, before.split())
    ReferenceEngine(here, state).advance(1)
    expected = [float(number) for number in after.split()]
    found = list(state.stack)
    return None if same(expected, list(map(float, found))) else f"leaves {found}"


def misbehaves(language: Language, example: Example, expected: dict[str, Any]) -> str | None:
    """Compare a run of an example program with an entry of its index."""
    unknown = expected.keys() - _ASKED - _TOLD
    if unknown:
        return f"its index speaks of {', '.join(sorted(unknown))}, which planewalk does not know"
    options = expected.get("options", {})
    found = run(
        Program(language, example.read(), options),
        input=expected.get("input", ""),
        max_steps=expected.get("max-steps"),
        seed=expected.get("seed"),
    )
    told = {
        "status": found.status,
        "output": found.output.decode(errors="replace"),
        "steps": found.steps,
        "value": found.value,
    }
    for key, wanted in {"status": "halted", "output": "", **expected}.items():
        if key in told and told[key] != wanted:
            return f"{key} is {told[key]!r}, not {wanted!r}"
    shown = found.show()
    for key, wanted in expected.get("state", {}).items():
        if key not in shown or not same(wanted, shown[key]):
            return f"its final state has {key} = {shown.get(key)!r}, not {wanted!r}"
    return None


_ASKED = {"input", "options", "max-steps", "seed"}
_TOLD = {"status", "output", "steps", "value", "state"}


def same(expected: Any, found: Any) -> bool:
    """Whether values are equal, up to the rounding of floats."""
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(found, (list, tuple))
            and len(expected) == len(found)
            and all(map(same, expected, found))
        )
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return math.isclose(expected, found, rel_tol=1e-6, abs_tol=1e-9)
    return bool(expected == found)
