"""Where two runs part, and what each did there."""

from planewalk.core.stream import InputStream
from planewalk.debug.asking.compare import Parting, parting
from planewalk.engines.stepping.observe import Observer
from planewalk.languages import registry


def parted(first: bytes, second: bytes, ticks: int | None = None) -> Parting | None:
    """Two runs of a program that copies two bytes; input that ends with `...` may go on."""
    language = registry.get("mirrorfunge")
    observers = []
    for text in (first, second):
        state = language.start(b"~,~,@", {}, 0)
        state.input = InputStream(text.removesuffix(b"..."), closed=not text.endswith(b"..."))
        observers.append(Observer(language, state))
    return parting(*observers, ticks)


def test_runs_that_do_the_same_never_part() -> None:
    assert parted(b"ab", b"ab") is None


def test_the_first_tick_that_differs_is_told_with_both_states() -> None:
    found = parted(b"ab", b"ac")
    assert found is not None and found.tick == 2
    assert found.differences == ("results", "input") and found.changes
    assert parted(b"ab", b"ac", ticks=2) is None


def test_a_run_that_waits_is_over_before_the_other() -> None:
    found = parted(b"a...", b"ab")
    assert found is not None and found.tick == 2
    assert found.first is None and found.second is not None
    assert found.differences == ("one run is over",) and found.changes == ()
