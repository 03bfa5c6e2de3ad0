"""Colours for editors: a TextMate grammar made from a language's table."""

from __future__ import annotations

import json
import re

from planewalk.core.instruction import Group
from planewalk.core.language import Language

SCOPES = {
    Group.LITERAL: "constant.numeric",
    Group.ARITHMETIC: "keyword.operator.arithmetic",
    Group.LOGIC: "keyword.operator.logical",
    Group.STACK: "support.function",
    Group.MEMORY: "variable.other",
    Group.MOTION: "keyword.control",
    Group.BRANCH: "keyword.control.conditional",
    Group.MODE: "storage.modifier",
    Group.WALKERS: "entity.name.function",
    Group.INPUT_OUTPUT: "support.function.io",
    Group.VECTOR: "support.function.vector",
    Group.MATRIX: "support.function.matrix",
    Group.END: "keyword.control.flow",
    Group.NOTHING: "comment",
}
"""Names that themes have colours for."""


def textmate_grammar(language: Language) -> str:
    """The grammar as JSON: every sign by the group of its instruction.

    Signs are coloured one by one, as walkers meet them from any side: on a plane a
    string or a comment has no fixed extent.
    """
    signs: dict[Group, list[str]] = {}
    for row in language.table:
        if not row.symbol.isspace():
            signs.setdefault(row.group, []).append(row.symbol)
    patterns = [
        {
            "match": f"[{''.join(map(re.escape, found))}]",
            "name": f"{SCOPES[group]}.{language.name}",
        }
        for group, found in signs.items()
    ]
    grammar = {
        "name": language.title,
        "scopeName": f"source.{language.name}",
        "patterns": patterns,
    }
    return json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"
