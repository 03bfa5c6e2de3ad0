"""Grammars for editors colour every instruction by its group."""

import json
import re
from pathlib import Path

import pytest
from scripts.textmate import SCOPES, textmate_grammar

from planewalk.languages import registry

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


@pytest.mark.parametrize("name", registry.SUFFIXES)
def test_every_instruction_has_the_colour_of_its_group(name: str) -> None:
    language = registry.get(name)
    patterns = json.loads(textmate_grammar(language))["patterns"]
    for row in language.table:
        if row.symbol.isspace():
            continue
        (scope,) = [each["name"] for each in patterns if re.fullmatch(each["match"], row.symbol)]
        assert scope == f"{SCOPES[row.group]}.{name}"


def test_the_extension_knows_every_language() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text())["contributes"]
    assert {language["id"] for language in manifest["languages"]} == set(registry.SUFFIXES)
    for grammar in manifest["grammars"]:
        assert (EXTENSION / grammar["path"]).is_file()
    assert manifest["debuggers"][0]["type"] == "planewalk"
