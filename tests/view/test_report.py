"""The JSON report says what is so, whatever the state looks like and however long a number is."""

from __future__ import annotations

import json

import pytest

from planewalk.core.errors import LanguageError
from planewalk.core.numerals import from_decimal, to_decimal
from planewalk.view.report import dumps

LONG = -(3**20_000)


@pytest.mark.parametrize("value", [7, True, LONG], ids=["short", "bool", "long"])
def test_a_state_that_looks_like_the_report_is_left_alone(value: int) -> None:
    state = {"seed": 0, "value": 0, "text": '"seed": 0, "value": 0', "stack": []}
    answer = {"state": state, "seed": 5, "value": value, "log": [{"seed": 0}], "ended": None}
    assert json.loads(dumps(answer), parse_int=from_decimal) == answer


def test_long_numbers_anywhere_are_written_in_full() -> None:
    answer = {"state": {"stack": [1, LONG, [LONG, {"deep": LONG}]], "é\n": "\u2028"}}
    text = dumps(answer)
    assert json.loads(text, parse_int=from_decimal) == answer
    assert text.count(to_decimal(LONG)) == 3


def test_what_is_no_json_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    for wrong in (endless, {1, 2}):
        with pytest.raises((LanguageError, RecursionError)):
            dumps({"state": wrong, "value": LONG})
