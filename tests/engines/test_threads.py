"""Threads that are there while there is something to do."""

import threading
import time
from functools import partial

import pytest

from planewalk.engines.base import threads
from planewalk.engines.base.threads import FOR_EVER, Crew
from tests.patience import PATIENCE


def test_no_more_threads_than_allowed_and_none_when_all_is_done() -> None:
    crew, seen, two = Crew(2, "few"), [], threading.Barrier(2)

    def look(_: int) -> None:
        two.wait(PATIENCE)
        seen.append(sum(thread.name == "few" for thread in threading.enumerate()))
        two.wait(PATIENCE)

    assert len(list(crew.each(look, range(8)))) == 8
    assert set(seen) == {2}
    for thread in [thread for thread in threading.enumerate() if thread.name == "few"]:
        thread.join(PATIENCE)
    assert crew._threads == 0 and not crew._working
    assert list(crew.each(str, [1, 2])) == ["1", "2"]


def test_errors_are_raised_where_it_is_taken_and_the_rest_is_let_be() -> None:
    crew, begun, taken = Crew(1, "careless"), list[int](), threading.Event()

    def fail(number: int) -> int:
        begun.append(number)
        if len(begun) > 2:
            taken.wait(PATIENCE)
        return 1 // number

    with pytest.raises(ZeroDivisionError):
        list(crew.each(fail, [1, 0, *range(1, 90)]))
    taken.set()
    while crew._threads:
        time.sleep(0.001)
    assert len(begun) <= 3


def test_who_closes_waits_for_what_is_in_work() -> None:
    crew, go_on, done = Crew(1, "closed"), threading.Event(), list[int]()

    def work(number: int) -> None:
        go_on.wait(PATIENCE)
        done.append(number)

    first = crew.begin(partial(work, 1))
    crew.begin(partial(work, 2))
    while not crew._working:
        time.sleep(0.001)
    closing = threading.Thread(target=crew.close)
    closing.start()
    while not crew._closed:
        time.sleep(0.001)
    assert closing.is_alive() and not first.ready
    go_on.set()
    closing.join(PATIENCE)
    assert first.ready and done == [1]


def test_a_thread_waits_for_the_next_task_until_nobody_has_one(monkeypatch) -> None:
    monkeypatch.setattr(threads, "LINGER", 2 * PATIENCE)
    crew, who = Crew(2, "patient"), list[threading.Thread]()
    for _ in range(5):
        crew.begin(lambda: who.append(threading.current_thread())).wait(FOR_EVER)
        while not crew._idle:
            time.sleep(0.001)
    assert len(who) == 5 and len(set(who)) == 1
    crew.close()
    for thread in [thread for thread in threading.enumerate() if thread.name == "patient"]:
        thread.join(PATIENCE)
    assert crew._threads == 0
