"""What `explain` says of cells, and walks through programs in the guides."""

import json
from typing import Any

import pytest

import planewalk as pw
from planewalk.core.instruction import Group
from planewalk.core.state import Walker
from planewalk.core.step import Stop
from planewalk.engines.stepping.observe import Observer
from planewalk.examples import gallery
from planewalk.languages import registry
from planewalk.languages.bmprog.text import text_to_picture
from planewalk.view.language.manual import walk_table, walked
from planewalk.view.terminal.images import MANY, NONE
from planewalk.view.terminal.paint import COLOURS, RESET, paint_plane
from planewalk.view.walk import telling
from planewalk.view.walk.explain import explain_lines

SETS = "'V(34 512N 11D)'M(@ND\nX"
"""Webfunge that loads vectors, unloads them, and has letters that it never comes to."""


def example(file: str) -> bytes:
    return next(found.read() for found in gallery() if found.file == file)


def lines(source: str, language: str, **more: Any) -> list[str]:
    explanation = pw.explain(source=source, language=language)
    return list(explain_lines(explanation, **{"unreached": True, "blanks": False, **more}))


def test_letters_are_named_with_the_set_that_was_loaded() -> None:
    shown = lines(SETS, "webfunge")
    assert any("(9, 0)     N  normalise of V" in line for line in shown)
    assert any("(13, 0)    D  dot product of V" in line for line in shown)
    assert not any("number of" in line for line in shown)


def test_letters_that_nobody_came_to_mean_what_loaded_sets_say() -> None:
    found = pw.explain(source=SETS, language="webfunge").unreached
    cells = {(cell.x, cell.y): (cell.instruction.name, cell.table) for cell in found}
    assert cells[19, 0] == ("normalise", "V") and cells[20, 0] == ("dot product", "V")
    assert cells[0, 1] == ("rotation", "M")
    # Without vectors the same letters would only turn a pointer round, which no table says.
    assert not [line for line in lines("@N", "webfunge") if "normalise" in line]


def test_a_letter_of_two_loaded_sets_has_both_meanings() -> None:
    shown = [line for line in lines("'V(@S", "webfunge") if line.startswith("(4, 0)")]
    assert [line.split(" of ")[1][0] for line in shown] == ["m", "V"]
    explanation = pw.explain(source="'V(@S", language="webfunge")
    assert "2 instructions not" in repr(explanation)  # the other is the letter that is fetched


def test_json_names_the_set(tmp_path: Any) -> None:
    from planewalk.apps.cli.explain import as_json

    told: Any = as_json(pw.explain(source=SETS, language="webfunge"))
    json.dumps(told)
    (normalise,) = [cell for cell in told["reached"] if cell["name"] == "normalise"]
    assert normalise["table"] == "V" and normalise["symbol"] == "N"
    assert all("table" not in cell for cell in told["reached"] if cell["name"] == "number")
    assert {cell["name"]: cell.get("table") for cell in told["unreached"]}["normalise"] == "V"


def test_the_sign_is_what_stands_in_the_cell() -> None:
    shown = lines("ab@", "gemooy", blanks=True)
    assert "       nothing" in shown[0]  # other characters are blanks in Gemooy
    assert lines("0@", "refunge", blanks=True)[0].startswith("(0, 0)     0  nothing")
    # A cell that changes has a line for each sign.
    fuse = pw.explain(source=example("fuse.ref"), language="refunge")
    assert "".join(v.sign for v in fuse.visits if (v.x, v.y) == (1, 0)) == "%&'()*+,-./"


def test_explanations_have_the_colours_of_what_they_are_about() -> None:
    shown = lines(SETS, "webfunge", colour=True)
    vector = COLOURS[Group.VECTOR]
    assert any(line.startswith(f"(9, 0)     {vector}N  normalise of V{RESET}") for line in shown)
    assert not any("\x1b" in line for line in lines(SETS, "webfunge"))
    assert [line.replace(RESET, "") for line in shown] != shown


def test_planes_in_terminals_show_letters_of_sets_in_colours() -> None:
    language = registry.get("webfunge")
    state = language.start(b"1N\x07z", language.read_options({}), 0)
    (line,) = paint_plane(language, state.plane, colours=MANY)
    assert f"{COLOURS[Group.VECTOR]}N{RESET}" in line
    assert list(paint_plane(language, state.plane, colours=NONE)) == ["1N·z"]


def test_every_language_says_which_sets_are_loaded() -> None:
    webfunge = registry.get("webfunge")
    state = webfunge.start(b"'V(@", webfunge.read_options({}), 0)
    stance = state.walkers[0].stance
    assert webfunge.rules.loaded(stance) == ("T", "m")
    names = {table.name for table in webfunge.rules.loadable}
    assert set(webfunge.rules.loaded(stance)) <= names
    assert registry.get("refunge").rules.loaded(stance) == ()


# Walks


def walk(language: str, source: str | bytes, steps: int) -> list[Any]:
    data = source.encode() if isinstance(source, str) else source
    return list(walked(registry.get(language), data, steps, {}))


def test_a_walk_shows_what_stands_in_the_cell() -> None:
    assert [line.cell for line in walk("refunge", "0 \x01>", 3)] == ["`0`", "blank", "code 1"]
    assert [line.cell for line in walk("mirrorfunge", '"|x', 3)] == ['`"`', "`\\|`", "`x`"]
    board = text_to_picture(b">.\n::", ".png")
    assert [line.cell for line in walk("bmprog", board, 3)] == ["outside", "`>`", "`.`"]


def test_a_walk_tells_places_before_and_stacks_after() -> None:
    first, second, third = walk("mirrorfunge", "12+", 3)
    assert (first.place, first.cell, first.stack) == ("(0, 0)", "`1`", "`1`")
    assert (second.place, second.stack) == ("(1, 0)", "`1 2`")
    assert (third.place, third.what_happens, third.stack) == ("(2, 0)", "add", "`3`")
    # The hand moves in this tick, and is told as it was before, as the place is.
    assert [line.hand for line in walk("refunge", "~>  ", 3)] == ["(0, 0)", "(0, 0)", "(1, 0)"]
    assert [line.output for line in walk("mirrorfunge", "7.", 2)] == ["", "`7`"]


def test_what_a_step_wrote_is_told_once_for_all_walkers() -> None:
    told = walk("refunge", "v!\\.\n  Y.\n  v.", 9)
    for tick in {line.tick for line in told}:
        of_tick = [line for line in told if line.tick == tick]
        assert all(not line.output for line in of_tick[:-1])
    assert any(len([line for line in told if line.tick == tick]) > 1 for tick in "5678")


@pytest.mark.parametrize(
    ("language", "source", "rule"),
    [
        ("mirrorfunge", "12+", "Place, heading and cell are those before the tick, "
                               "stack what there is after it."),
        ("mirrorfunge", "1.", "Place, heading and cell are those before the tick, "
                              "output and stack what there is after it."),
        ("refunge", "~>", "Place, heading, hand and cell are those before the tick."),
    ],
)  # fmt: skip
def test_every_walk_says_what_is_before_and_what_after(
    language: str, source: str, rule: str
) -> None:
    first, empty, head, *_ = walk_table(registry.get(language), source.encode(), 3)
    assert (first, empty) == (rule, "")
    assert head.startswith("| Tick | Place | Heading | ") and "What happens |" in head


def test_what_each_cell_did_is_told_with_operands_and_mode() -> None:
    explanation = pw.explain(source='"i",34+.@', language="mirrorfunge")
    did = {(visit.x, visit.y): list(map(str, visit.did)) for visit in explanation.visits}
    assert did[6, 0] == ["Tick 6: takes 3 and 4, gives 7."]
    assert did[1, 0] == ["Tick 1 (string): reads 105 ('i') at 1,0, gives 105 ('i')."]


def test_values_given_are_told_as_the_stack_has_them() -> None:
    """The top last, in whatever order an instruction puts them there."""
    explanation = pw.explain(source="721s@", language="mirrorfunge")
    (swap,) = (visit for visit in explanation.visits if visit.x == 3)
    assert list(map(str, swap.did)) == ["Tick 3: takes 7 and 2 and 1, gives 2 and 7."]


def test_the_first_and_the_last_deed_are_told_where_they_differ() -> None:
    explanation = pw.explain(source="~,", language="mirrorfunge", input=b"abc", max_steps=6)
    _, printed = explanation.visits
    assert list(map(str, printed.did)) == [
        "Tick 1: takes 97 ('a'), writes 'a'.",
        "Tick 5: takes 99 ('c'), writes 'c'.",
    ]
    again = pw.explain(source="1.", language="mirrorfunge", max_steps=6)
    assert list(map(str, again.visits[1].did)) == ["Tick 1: takes 1, writes '1'."]


def test_cells_that_nobody_came_to_are_those_of_the_source() -> None:
    """One of them is written over before the end."""
    explanation = pw.explain(source="+v^^\n>", language="refunge")
    found = [(cell.x, cell.y, cell.instruction.symbol) for cell in explanation.unreached]
    assert found == [(0, 1, ">")]


def test_what_became_of_walkers_is_looked_up_once_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    language = registry.get("refunge")
    state = language.start(b"    \nY/ |\n    ", language.read_options({}), 0)
    stance = state.walkers[0].stance
    state.walkers = [Walker(stance._replace(x=n % 4, y=1), (0, 0)) for n in range(12)]
    step = Observer(language, state).step()
    assert step is not None and not isinstance(step, Stop)
    expected = [telling.tell_action(language, action, step) for action in step.actions]
    made = []
    real = telling._Fates
    monkeypatch.setattr(telling, "_Fates", lambda step: made.append(step) or real(step))
    lines = list(telling.trace_lines(language, step))
    assert len(made) == 1
    assert [line.split("  ")[-1] for line in lines[:12]] == expected
    assert any("sets out" in line for line in expected)
