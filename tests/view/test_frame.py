"""Frames are plain data, and a delta with the frame before is the whole frame again."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planewalk.core.plane import SparsePlane
from planewalk.core.program import Program
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry
from planewalk.view.scene import scene
from planewalk.view.scene.frame import Frame, Lens
from tests.laws.programs import LANGUAGES, sources, started

BOX = (0, 0, 7, 5)


def patched(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What a front end does with a delta."""
    if "rows" in new:
        return new
    rows = [list(row) for row in old["rows"]]
    for x, y, look in new.pop("cells"):
        rows[y][x] = look
    panels = {**old["panels"], **new["panels"]}
    panels = {panel: shown for panel, shown in panels.items() if shown is not None}
    return {**old, **new, "rows": rows, "looks": old["looks"] + new["looks"], "panels": panels}


@pytest.mark.parametrize("name", LANGUAGES)
@given(data=st.data())
def test_deltas_add_up(name: str, data: st.DataObject) -> None:
    language = registry.get(name)
    state = started(name, data.draw(sources(name)))
    engine, lens = ReferenceEngine(language, state), Lens(language)
    shown: dict[str, Any] = {}
    before: Frame | None = None
    for _ in range(12):
        frame = lens.look(state, BOX)
        shown = patched(shown, json.loads(json.dumps(frame.delta(before))))
        whole = json.loads(json.dumps(frame.to_json()))
        assert shown == whole
        before = frame
        if engine.advance(1) is not None:
            break


def test_a_frame_costs_what_its_box_costs() -> None:
    language = registry.get("refunge")
    state = language.start(b"v" * 2_000 + b"\n" * 2_000 + b"^", language.read_options({}), 0)
    frame = Lens(language).look(state, (0, 0, 3, 2))
    assert len(frame.rows) == 3 and len(frame.rows[0]) == 4
    assert frame.plane == (0, 0, 1999, 2000)


def test_a_cell_that_was_written_looks_like_what_it_holds_now() -> None:
    language = registry.get("refunge")
    state = language.start(b"+X!^", language.read_options({}), 0)
    lens, engine = Lens(language), ReferenceEngine(language, state)
    signs = []
    for _ in range(2):
        frame = lens.look(state, (0, 0, 3, 0))
        signs.append("".join(frame.looks[look][0] for look in frame.rows[0]))
        engine.advance(2)
    assert signs == ["+X!^", "VX!^"]


def test_a_panel_that_is_gone_is_told() -> None:
    language = registry.get("mirrorfunge")
    state = language.start(b"1@", {}, 0)
    lens = Lens(language)
    state.calls = [state.walkers[0].stance]
    before = lens.look(state, BOX)
    state.calls = []
    assert "calls" in before.panels
    assert lens.look(state, BOX).delta(before)["panels"] == {"calls": None}


def test_panels_show_what_the_language_has() -> None:
    language = registry.get("webfunge")
    state = language.start(b"92.7@", language.read_options({}), 0)
    ReferenceEngine(language, state).advance(4)
    panels = Lens(language).panels(state)
    assert panels["stack"][0] == "7" and "9" in panels["registers"].values()
    assert panels["colour"].startswith("#")


def test_cells_are_read_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that are lent to machine code would take long one by one."""
    language = registry.get("gemooy")
    state = language.start(b"@#@\n #\n@ @#", {}, 0)
    lens, alone = Lens(language), list[tuple[int, int]]()
    cell = SparsePlane.cell

    def one_by_one(self: SparsePlane, x: Any, y: Any) -> int:
        alone.append((x, y))
        return cell(self, x, y)

    monkeypatch.setattr(SparsePlane, "cell", one_by_one)
    first = lens.look(state, BOX)
    assert len(alone) == 3  # each symbol once, to learn how it looks
    assert lens.look(state, BOX) == first and len(alone) == 3
    shown = ["".join(first.looks[look][0] or " " for look in row) for row in first.rows]
    assert [row.rstrip() for row in shown[:3]] == ["@#@", " #", "@ @#"]


def test_looks_of_numbers_without_end_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "MOST_KNOWN", 4)
    language = registry.get("refunge")
    lens = Lens(language)
    for first in range(0, 200, 8):
        source = bytes(range(first + 33, first + 41)).replace(b"\n", b" ") + b"\n"
        rows = lens.look(Program(language, source).start(0), (0, 0, 7, 0)).rows
        assert len(set(rows[0])) == 8 and len(lens.known) <= 4 + 8
