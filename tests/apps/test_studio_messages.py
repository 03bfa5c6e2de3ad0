"""Messages to the studio that do not fit: each gets one line, and bugs of our own stay bugs."""

from __future__ import annotations

import json
import math
from itertools import product
from typing import Any

import pytest

from planewalk.apps.fields import Needed, select, text
from planewalk.apps.studio import mailbox
from planewalk.apps.studio.conversation import WALKS, Conversation, Means
from planewalk.apps.studio.inquiry import QUESTIONS
from planewalk.apps.studio.messages import EDIT, MESSAGES
from planewalk.apps.studio.server import Tab
from planewalk.core.errors import OptionError
from planewalk.core.limits import Limits
from planewalk.core.option import Option
from planewalk.languages import registry

from .test_studio import Clock, opened, said

LINES = 4
"""Of what is wrong with a condition, which points to the place; all others have one."""
DEEP: list[Any] = []
for _ in range(400):
    DEEP = [DEEP]
ODD: list[Any] = [
    math.nan, math.inf, -math.inf, -1, 0, 1, 1.5, 10**400, -(10**400), 1e300, "", "x", "0,0",
    "a\nb", "\ud800", "9" * 5000, True, [], {}, [1], [1, 2], [[1, 2]], [math.nan, 0], ["a", "b"],
    [1, 2, 3, 4], [10**30] * 4, [-5, -5, 900, 900], {"a": 1}, DEEP,
]  # fmt: skip
GOOD: dict[str, Any] = {
    "example": {"file": "hello.mf"},
    "thumbnail": {"file": "hello.mf"},
    "open": {"language": "mirrorfunge", "text": "12+.@"},
    "look": {"box": [0, 0, 3, 3]},
    "cell": {"at": [0, 0]},
    "goto": {"tick": 1},
    "until": {"condition": "tick = 2"},
    "break": {"condition": "at 1,0"},
    "edit": {"stack": 0, "value": "5"},
    "switch": {"branch": "main"},
    "turns": {"how": "clockwise"},
    "ask": {"line": "help"},
    "film": {"first": 0, "last": 2},
    "why": {"stack": 0},
    "who": {"cell": [0, 0]},
    "timing": {"cells": [[0, 0]]},
    "render": {"size": [2, 2]},
    "animate": {"size": [2, 2], "kind": "gif", "seconds": 0.1},
    "pixel": {"size": [2, 2], "at": [0, 0]},
    "reload": {"text": "12+.@"},
}
PROGRAMS = {"mirrorfunge": "12~+.@", "refunge": "+X!^", "gemooy": "$@#\n##@", "webfunge": "0y1y4y@",
            "bmprog": "v.\n>."}  # fmt: skip


BLOCKS: list[Any] = [
    {"lines": ["row", 1, 1]}, {"lines": ["row", -(2**50), 2**50]}, {"box": [0, 0, 1, 1]},
    {"box": [0, 0, 2**50, 2**50], "turn": "down"}, {"box": [3, 3, 0, 0], "turn": "down"},
    {"box": [0, 0, 1, 1], "turn": "up"}, {"box": [0, 0, 1, 1], "carry": [2**50, 1]},
]  # fmt: skip


def test_every_message_has_its_row_in_the_table() -> None:
    methods = {name.removeprefix("do_") for name in dir(Conversation) if name.startswith("do_")}
    assert sorted([*methods, *QUESTIONS, *WALKS]) == sorted(MESSAGES)
    needy = {do for do, fields in MESSAGES.items() if any(map(_is_needed, fields.values()))}
    assert needy <= set(GOOD)


def _is_needed(field: Any) -> bool:
    return isinstance(field, Needed)


@pytest.mark.parametrize("do", MESSAGES)
@pytest.mark.parametrize("language", [None, *PROGRAMS])
def test_whatever_stands_in_a_message_is_answered_in_a_line(do: str, language: str | None) -> None:
    """In every field of every message, before anything is open and in every language."""
    talk = Conversation(Clock())
    for field, value in product(MESSAGES[do], ODD):
        if language is not None and (talk.session is None or do in ("open", "example", "pixel")):
            said(talk, "open", language=language, text=PROGRAMS[language])
            said(talk, "step", ticks=2)
        message = {"do": do, **GOOD.get(do, {}), field: value, "id": 1}
        answers = talk.receive(message)
        talk.running = False
        assert answers and answers[0]["re"] == 1
        for answer in answers:
            assert len(answer.get("error", "").splitlines()) <= LINES, message
        json.dumps(answers)


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("field", EDIT)
def test_whatever_is_to_be_changed_is_answered_in_a_line(language: str, field: str) -> None:
    talk = opened(PROGRAMS[language], language)
    said(talk, "step", ticks=2)
    others: list[dict[str, Any]] = [{}, {"value": "5"}, {"value": 5.5}, {"value": "1,0 right"}]
    signs = ["A", "\n", "\udc80", "🙂"]
    cells = [[[0, 0, sign]] for sign in signs] + [[[9, -9, "A"]]]
    values = [*ODD, *cells, *BLOCKS]
    for value, other in product(values, others):
        (answer, *_) = talk.receive({"do": "edit", **other, field: value})
        assert len(answer.get("error", "").splitlines()) <= LINES
        if len(talk.session.branches) > 50:  # type: ignore[union-attr]
            talk = opened(PROGRAMS[language], language)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "run", "speed": math.nan}, "'speed': expected a finite number, not nan"),
        ({"do": "run", "speed": math.inf}, "'speed': expected a finite number, not inf"),
        ({"do": "run", "speed": -1}, "'speed': expected a number from 0 to 1e+09, not -1"),
        ({"do": "goto"}, "it needs 'tick'"),
        ({"do": "goto", "tick": "x"}, "'tick': expected a whole number, not 'x'"),
        ({"do": "cell", "at": [1, "x"]}, "'at': entry 2: expected a whole number, not 'x'"),
        ({"do": "cell", "at": DEEP}, "'at': expected a list of 2, not a list of 1"),
        ({"do": "fly"}, "'fly' is not a known message"),
        ({"do": "work"}, "'work' is not a known message"),
    ],
)
def test_the_line_names_the_place(message: Any, words: str) -> None:
    (answer,) = opened().receive(message)
    assert answer == {"error": words}


@pytest.mark.parametrize("language", [*PROGRAMS, "no.such"])
def test_options_of_every_kind_are_read_or_refused(language: str) -> None:
    options: list[Option] = []
    if language in PROGRAMS:
        options = [option for option in registry.get(language).options if option.default != ()]
    talk = Conversation(Clock())
    for option, value in product([*(option.name for option in options), "none"], ODD):
        message = {"language": language, "text": PROGRAMS.get(language, "")}
        (answer, *_) = talk.receive({"do": "open", **message, "options": {option: value}})
        assert "opened" in answer or "\n" not in answer["error"]


@pytest.mark.parametrize("kind", [AttributeError, KeyError, TypeError, ValueError, OverflowError])
def test_a_bug_of_ours_is_called_one(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no mistake of who sent the message; the tab goes on."""

    def do_step(self: Conversation, message: Any) -> list[Any]:
        raise kind("planted")

    logged: list[str] = []
    monkeypatch.setattr(mailbox.LOG, "exception", logged.append)
    monkeypatch.setattr(Conversation, "do_step", do_step)
    talk = opened()
    with pytest.raises(kind):
        talk.receive({"do": "step"})
    tab = Tab(None, talk, None)  # type: ignore[arg-type]
    tab.inbox.append('{"do":"step"}')
    (answer,) = tab.answers()
    assert "bug in planewalk" in answer["error"] and "planted" in answer["error"]
    assert logged and said(talk, "goto", tick=1)["frame"]["tick"] == 1


def test_a_run_without_memory_is_shown_to_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What says so comes last: frames take earlier complaints away."""

    def work(self: Conversation) -> list[Any]:
        raise MemoryError

    talk = opened()
    talk.receive({"do": "run"})
    monkeypatch.setattr(Conversation, "work", work)
    shown, words = Tab(None, talk, None).answers()  # type: ignore[arg-type]
    assert shown["frame"]["running"] is False and "memory" in words["error"]


def test_only_fields_that_are_declared_are_handed_on() -> None:
    assert select({"a": text, "b": text}, {"a": "1", "b": None, "c": 5}) == {"a": "1"}
    with pytest.raises(OptionError, match="expected an object"):
        select({}, [])


def test_limits_that_cannot_be_set_are_not_named() -> None:
    means = Means(limits=Limits(memory=64))
    (answer,) = Conversation(Clock(), means=means).receive(
        {"do": "open", "language": "refunge", "source": "1" * 5000}
    )
    assert answer["error"].endswith("more than the limit of 64 bytes")
