"""The JSON report says what is so, whatever the state looks like and however long a number is."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from planewalk.core.errors import LanguageError
from planewalk.core.language import plain
from planewalk.core.numbers.numerals import from_decimal, to_decimal
from planewalk.core.program import Program
from planewalk.core.step import Halted
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.registry import get
from planewalk.view.walk.run_report import AT_ONCE, Base64, dumps, json_pieces, outline, whole

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


def test_pieces_make_the_same_text() -> None:
    for value in ({}, [], None, "é", {"a": {}, "b": [1, [LONG]], "c": {"d": True}}):
        assert "".join(json_pieces(value)) == dumps(value)
    lists = {"none": [], "one": [7], "many": [[n, "x" * (n % 9)] for n in range(30_000)]}
    streamed = {name: iter(items) for name, items in lists.items()}
    assert "".join(json_pieces(streamed)) == dumps(lists)
    for length in (0, 1, AT_ONCE, 2 * AT_ONCE + 5):
        text = "".join(json_pieces(Base64(memoryview(bytes(length)))))
        assert len(base64.b64decode(json.loads(text))) == length


def test_long_items_are_told_one_by_one() -> None:
    """Never so many of them are made before the first are told."""
    made = 0

    def items() -> Iterator[str]:
        nonlocal made
        for _ in range(50):
            made += 1
            yield "x" * AT_ONCE

    ahead = 0
    for told, piece in enumerate(json_pieces(items())):
        ahead = max(ahead, made - told)
        assert len(piece) < 2 * AT_ONCE
    assert made == 50 and ahead <= 1


SPREADING = {
    "refunge": b"\\|||||||\n" + b"vYv+vYX-\n" * 3 + b"?|||||||\n",
    "bmprog": b"..v..\n.>*<.\n..*..\n.*.*.\n", "gemooy": b" @@\n@  $\n@   #\n    @\n# @@\n#",
    "mirrorfunge": b"123~@", "webfunge": b"12q3q@",
}  # fmt: skip


@pytest.mark.parametrize("name", SPREADING)
def test_a_streamed_report_is_the_report(name: str) -> None:
    language = get(name)
    options = language.read_options({})
    for ticks in range(0, 40, 3):
        state = Program(language, SPREADING[name], options).start(1)
        ReferenceEngine(language, state).advance(ticks)
        known: Any = {"output": b"abc", "seed": 1, "engine": "reference", "seconds": 0.5}
        parts, same = (outline(language, state, Halted(), **known) for _ in range(2))
        answer = whole(language, same)
        assert json.loads("".join(json_pieces(parts))) == json.loads(dumps(answer))
        state_shown = plain(language.show(state))
        assert answer["state"] == state_shown == language.shown(state)
        for listed in ("cursors", "signals"):
            assert state_shown.get(listed, []) == sorted(state_shown.get(listed, []))
