"""Sources become states, large ones as small ones."""

import pytest

from planewalk.core.plane import CELL_MEMORY, SparsePlane
from planewalk.core.sparse.tiles import Tiles
from planewalk.languages.gemooy.rules import LANGUAGE

SOURCES = [
    b"# @\r\n\n  $@\n@ %#\n",
    "é#\u2028@$%\x0b#\ufeff@\n\U0001f600#@".encode(),
    b"\xff#\xe2\x82@\n\xc0\x80#%\n$" + b" " * 300 + b"@\n\n#",
    b"$%\n$##%@\r#",
]


@pytest.mark.parametrize("source", SOURCES)
def test_many_cells_are_loaded_like_few(source: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    few = LANGUAGE.start(source, {}, 0)
    monkeypatch.setattr(SparsePlane, "many", 2)
    many = LANGUAGE.start(source, {}, 0)
    assert isinstance(few.plane.cells, dict) and isinstance(many.plane.cells, Tiles)  # type: ignore[attr-defined]
    assert few == many and few.plane.box() == many.plane.box()


def test_a_large_source_weighs_little() -> None:
    source = b"#@#@#@# @\n" * 20_000
    cells = 8 * 20_000
    weight = LANGUAGE.sources.weight(source, {})
    state = LANGUAGE.start(source, {}, 0)
    assert len(state.plane.cells) == cells  # type: ignore[attr-defined]
    assert state.plane.memory() < 4 * cells < weight < CELL_MEMORY * cells // 10
