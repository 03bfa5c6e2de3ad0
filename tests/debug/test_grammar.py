"""Conditions are read as written, and mistakes are shown where they are."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import planewalk as pw
from planewalk.core.errors import OptionError
from planewalk.debug.conditions.condition import All, At, Either, Not
from planewalk.debug.conditions.grammar import (
    EXAMPLES,
    VALUES,
    ConditionError,
    any_of,
    parse,
    parse_value,
)
from planewalk.languages import registry


@pytest.mark.parametrize("text", EXAMPLES.values())
def test_every_example_is_a_condition(text: str) -> None:
    assert parse(text).every == 1


def test_and_binds_closer_than_or() -> None:
    condition = parse("at 1,2 or at 3,4 and not born").condition
    assert isinstance(condition, Either) and not isinstance(condition, All)
    assert isinstance(condition.parts[1], All)
    assert isinstance(condition.parts[1].parts[1], Not)


def test_a_bare_place_is_a_breakpoint_and_if_is_and() -> None:
    condition = parse("3,-4 if heading = up").condition
    assert isinstance(condition, All) and isinstance(condition.parts[0], At)
    assert (condition.parts[0].x, condition.parts[0].y) == (3, -4)


def test_every_so_many_hits() -> None:
    assert parse("at 1,1 every 10").every == 10


VALUED = {
    "5,2": "5,2 = 1", "cell 5,2": "cell 5,2 = 1", "depth": "depth > 1", "top": "top = 0",
    "stack[1]": "stack[1] = 7", "stack 1": "stack 1 = 7",
    "register counter": "register counter > 9", "walkers": "walkers > 1",
    "heading": "heading = up", "mode": "mode = string", "tick": "tick > 5",
    "tick % 100": "tick % 100 = 0",
}  # fmt: skip


@pytest.mark.parametrize("text", VALUED)
def test_what_is_compared_is_a_value_of_its_own(text: str) -> None:
    assert parse_value(text)
    if text != "5,2":  # which says by itself that a walker is there
        assert parse(VALUED[text])


def test_every_value_has_an_example() -> None:
    assert set(VALUES) == {text.partition(" ")[0].partition("[")[0] for text in VALUED} - {"5,2"}


@pytest.mark.parametrize(("text", "place", "said"), [
    ("", 0, "is no value"), ("x", 0, "'x' is no value"), ("output", 0, "'output' is no value"),
    ("at 3,4", 0, "'at' is no value"), ("top top", 4, "'top' is not expected here"),
    ("depth > 1", 6, "'>' is not expected here"), ("stack[1", 7, "the bracket is not closed"),
    ("register", 8, "the name of a register"), ("tick % 0", 8, "at least 1"),
    ("cell x", 5, "a place is needed"),
])  # fmt: skip
def test_what_is_no_value_is_shown_where_it_is(text: str, place: int, said: str) -> None:
    with pytest.raises(ConditionError) as found:
        parse_value(text)
    assert found.value.place == place and said in str(found.value)


@pytest.mark.parametrize(("text", "place", "said"), [
    ("", 0, "something is missing"),
    ("at x", 3, "a place is needed"),
    ("at 3,4 and", 10, "something is missing"),
    ("att 3,4", 0, "did you mean 'at'?"),
    ("depth 5", 6, "a comparison"),
    ("cell 1,1 = 'ab'", 11, "one character"),
    ("(at 1,1", 7, "a bracket is not closed"),
    ("at 1,1 every 0", 14, "from 1 on"),
    ("at 1,1 at 2,2", 7, "'at' is not expected here"),
    ("stack = 1", 6, "an index in brackets"),
    ("stack[3 = 1", 8, "the bracket is not closed"),
    ("output contains", 15, "a text is needed"),
    ("tick % 0 = 1", 9, "at least 1"),
    ("at 1,1 $", 7, "is not expected"),
    ("(" * 400 + "at 1,1" + ")" * 400, 50, "nested more than 50 deep"),
    ("not " * 400 + "at 1,1", 200, "nested more than 50 deep"),
    ("(not " * 30 + "at 1,1" + ")" * 30, 125, "nested more than 50 deep"),
    ("depth > 1e5000", 8, "at most 4,000 digits"),
    ("depth > " + "9" * 5000, 8, "at most 4,000 digits"),
    ("tick > 1.5e999", 7, "too large"),
    ("at " + "9" * 30 + ",1", 3, "at most 18 digits"),
    ("at 1,1 every " + "9" * 30, 13, "at most 18 digits"),
    ("stack[1.5e0] = 1", 6, "a whole number"),
])  # fmt: skip
def test_a_mistake_is_shown_where_it_is_with_an_example(text: str, place: int, said: str) -> None:
    with pytest.raises(ConditionError) as found:
        parse(text)
    assert found.value.place == place and said in str(found.value)
    assert "for example: " in str(found.value)
    assert str(found.value).endswith("\n" + " " * place + "^")


def test_a_heading_that_the_language_does_not_have() -> None:
    language = registry.get("mirrorfunge")
    assert parse("at 3,4 heading Up", language) and parse("heading = 1,0", language)
    assert parse("heading = sideways"), "for some language"
    for text in ("at 3,4 heading sideways", "heading = ups", "not at 1,1 heading = north"):
        with pytest.raises(ConditionError, match="Mirrorfunge has the headings") as error:
            parse(text, language)
        assert text[error.value.place :] in ("sideways", "ups", "north")
    with pytest.raises(ConditionError, match="for example: heading = up"):
        parse("heading = ups", language)


def test_what_is_nested_as_deep_as_may_be_is_tested_and_joined_with_others() -> None:
    deep = "(" * 50 + "depth > 1" + ")" * 50
    walk = pw.session(source="12+.@", language="mirrorfunge")
    both = any_of([parse(deep), parse("not " * 50 + "depth > 1")])
    walk.until(both)
    assert walk.tick == 2 and walk.is_true_now(both)


def test_long_chains_are_no_deeper_than_short_ones() -> None:
    condition = parse(" or ".join(["depth > 2"] * 2000) + " and born" * 2000).condition
    assert isinstance(condition, Either) and len(condition.parts) == 2000


def test_numbers_are_exact() -> None:
    walk = pw.session(source="12+.@", language="mirrorfunge")
    assert not walk.is_true_now(parse("tick > 1e30")) and parse("at 1,1 every 1.5e1").every == 15
    assert parse("tick % 123456789012345678901 = 0").condition.rhythm == 123456789012345678901


PIECES = st.sampled_from(
    [*EXAMPLES.values(), *EXAMPLES, *"()[]=<>%$", "not", "and", "or", "if", "every", "..", "1e6"]
    + ["9" * 5000, "-3", "5.", "1.5e999", "0,0", "9" * 30 + ",1", '"\\xff"', "'\ud800'", "'ä'", "٣"]
)


WALK = pw.session(source="12+.@", language="mirrorfunge")


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=6), max_size=8))
def test_every_text_is_a_condition_or_a_mistake_that_is_told(pieces: list[str]) -> None:
    with suppress(OptionError):
        WALK.is_true_now(parse(" ".join(pieces)))
