"""The studio in a page: what its worker calls, and Python as pages have it."""

from __future__ import annotations

import json
from math import inf
from typing import Any

from planewalk.apps.page.tab import PageTab, means
from tests.bare import bare


class Clock:
    """Goes on by a millisecond each time it is asked."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def said(tab: PageTab, **message: Any) -> list[Any]:
    """What one message is answered with."""
    tab.receive(json.dumps(message))
    answers: list[Any] = json.loads(tab.work())
    return answers


def test_a_page_says_the_same_as_a_socket() -> None:
    tab = PageTab()
    (hello,) = said(tab, do="hello")
    assert {language["name"] for language in hello["hello"]["languages"]} >= {"gemooy", "refunge"}
    assert tab.rest() == inf
    opened, frame = said(tab, do="open", language="mirrorfunge", text='"iH",,@')
    assert opened["opened"]["language"] == "mirrorfunge" and frame["frame"]["tick"] == 0
    said(tab, do="run")
    assert tab.rest() == 0.0
    while tab.conversation.running:
        last = json.loads(tab.work(8))[-1]
    assert last["frame"]["stop"] and tab.rest() == inf
    assert "not a known message" in said(tab, do="dance")[0]["error"]
    tab.receive("{nothing")
    assert "error" in json.loads(tab.work())[0]


def test_messages_are_answered_before_the_run_goes_on() -> None:
    tab = PageTab(clock=Clock())
    said(tab, do="open", language="mirrorfunge", text=">v\n^<")
    said(tab, do="run")
    tab.work(8)
    assert tab.conversation.running
    tab.receive('{"do":"pause"}')
    assert tab.rest() == 0.0
    (frame,) = json.loads(tab.work(8))
    assert not frame["frame"]["running"] and tab.rest() == inf


def test_all_that_a_tab_takes_is_within_its_memory() -> None:
    some = means(512 << 20)
    assert (some.limits.memory or 0) + some.history + some.branches <= 512 << 20
    tab = PageTab(memory=1 << 20)
    said(tab, do="open", language="gemooy", text="")
    filled = PageTab(memory=1 << 20)
    said(filled, do="open", language="mirrorfunge", text=">1" * 10)
    said(filled, do="run")
    for _ in range(10_000):
        last = json.loads(filled.work(8))
        if not filled.conversation.running:
            break
    assert "memory" in json.dumps(last)


SCENE = """
import json
from planewalk.apps.page.tab import PageTab
from planewalk.languages import registry

tab = PageTab()
for name in registry.names():
    language = registry.get(name)
tab.receive('{"do":"hello"}')
examples = json.loads(tab.work())[0]["hello"]["examples"]
for example in examples:
    if example["language"] == "bmprog":
        continue
    for message in ({"do": "example", "file": example["file"]}, {"do": "run"}):
        tab.receive(json.dumps(message))
        answers = json.loads(tab.work())
        assert "error" not in str(answers[0].keys()), answers
    for _ in range(5):
        assert "bug" not in tab.work()
    tab.receive('{"do":"back"}')
    assert "frame" in tab.work()
print(len(examples))
"""


def test_the_studio_runs_where_there_are_no_threads_and_no_packages() -> None:
    assert int(bare(SCENE)) > 70
