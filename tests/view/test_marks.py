"""Marks on lines of time: each where something happened, and nowhere else."""

from itertools import count

import planewalk as pw
from planewalk.core.base.deadline import never
from planewalk.view.console.breakpoints import Breakpoints
from planewalk.view.console.marks import Marks


def marked(walk: pw.Session, *conditions: str) -> dict[str, list[int]]:
    """All marks there are."""
    points = Breakpoints()
    for condition in conditions:
        points.add(condition)
    found = Marks().look(walk, points, never)
    assert found["done"]
    return dict(found["marks"])


def test_output_is_marked_where_it_is_written_whatever_keyframes_there_are() -> None:
    """Going back leaves keyframes close before a place, at ticks where nothing is written."""
    walk = pw.session(source='"olleH",,,,,@', language="mirrorfunge", input=b"")
    walk.end()
    walk.goto(9)
    assert len(walk.branch.keyframes.ticks()) > 3
    assert marked(walk)["output"] == [8, 9, 10, 11, 12]


def test_input_is_marked_where_it_is_read_not_where_it_arrives() -> None:
    walk = pw.session(source="1$~,@", language="mirrorfunge")
    walk.feed(b"x")
    walk.feed(b"")
    walk.end()
    assert marked(walk)["input"] == [3]


def test_breakpoints_are_marked_where_they_are_true() -> None:
    walk = pw.session(source="   ", language="mirrorfunge", input=b"")
    walk.goto(7)
    assert marked(walk, "at 1,0", "tick = 6")["break"] == [1, 4, 6, 7]
    assert "break" not in marked(walk)


def test_forks_are_marked_on_the_courses_that_they_part_from() -> None:
    walk = pw.session(source="1234567@", language="mirrorfunge", input=b"")
    walk.end()
    assert marked(walk)["fork"] == []
    walk.goto(2)
    first = walk.edit(stack=0, value=9)
    walk.goto(5)
    walk.edit(stack=0, value=9)
    assert marked(walk)["fork"] == [2, 5]
    walk.switch(first.name)
    walk.end()
    assert marked(walk)["fork"] == [2, 5]
    walk.switch("main")
    assert marked(walk)["fork"] == [2], "the other one parted from a branch that this is not"


def test_marks_are_sought_a_little_at_a_time_by_one_search() -> None:
    """An engine that is made anew for every little would go over the same ticks again and again."""
    walk = pw.session(source="1.        ", language="mirrorfunge", input=b"")
    walk.goto(4_000)
    points, marks, made, asked = Breakpoints(), Marks(), [], count()
    points.add("at 1,0 every 3")
    aside = walk.aside
    walk.aside = lambda tick: (made.append(tick), aside(tick))[1]  # type: ignore[assignment, func-returns-value, method-assign, misc]
    done, looks = False, 0
    while not done:
        looks, until = looks + 1, next(asked) + 20
        found = marks.look(walk, points, lambda until=until: next(asked) > until)  # type: ignore[misc]
        done = found["done"]
    assert looks > 20 and made == [0, 0, 0], "one for each kind"
    at_one = [tick for tick in range(1, 4_001) if tick % 10 == 1]
    assert found["marks"]["break"] == [t for t in at_one[2::3] if t in found["marks"]["break"]]
    assert len(found["marks"]["break"]) == len(at_one) // 3


def test_marks_go_on_when_input_has_come() -> None:
    walk = pw.session(source="~,", language="mirrorfunge")
    marks, points = Marks(), Breakpoints()
    for many, given in enumerate((b"a", b"b", b"c"), 1):
        walk.feed(given)
        walk.end()
        found = marks.look(walk, points, never)
        assert found["done"] and len(found["marks"]["output"]) == many
        assert len(found["marks"]["input"]) == many
