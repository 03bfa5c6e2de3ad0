"""What a language shows of itself: a cell is one character, or the mistake is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import planewalk
from planewalk.core.errors import LanguageError
from planewalk.core.language import Language
from planewalk.languages import registry

HELLO = registry.get("mirrorfunge")


def shown_as(sign: object) -> Language:
    return HELLO._replace(glyph=lambda plane, x, y: sign)  # type: ignore[arg-type,return-value]


SHOWING: dict[str, Callable[..., Any]] = {
    "explain": planewalk.explain,
    "film": lambda **program: planewalk.film(**program).svg(),
    "picture": lambda **program: planewalk.picture(**program).svg(),
}


@pytest.mark.parametrize("sign", ["", "ab", None, 43])
@pytest.mark.parametrize("way", SHOWING)
def test_a_glyph_that_is_not_one_character(way: str, sign: object) -> None:
    with pytest.raises(LanguageError) as raised:
        SHOWING[way](source="+@", language=shown_as(sign))
    assert str(raised.value) == (
        f"Mirrorfunge: `glyph` gives {sign!r} for the cell at (0, 0), the instruction 'add'; it "
        "must be one character"
    )


def test_a_glyph_of_a_cell_that_is_no_instruction() -> None:
    with pytest.raises(LanguageError, match=r"for the cell at \(0, 0\); it must be one character"):
        planewalk.explain(source="q@", language=shown_as(""))
