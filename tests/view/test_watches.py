"""Values that are watched."""

from planewalk.view.console.watches import Watches
from tests.debug.test_session import session


def test_a_watch_is_marked_where_it_has_changed_and_only_there() -> None:
    walk = session("mirrorfunge", b"12  +")
    watches = Watches(walk)
    watches.add("depth")
    found = []
    for _ in range(5):
        found += watches.lines()
        walk.forward()
    assert found == [
        ("depth = 0", False),
        ("depth = 1", True),
        ("depth = 2", True),
        ("depth = 2", False),
        ("depth = 2", False),
    ]
