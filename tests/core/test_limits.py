"""Limits: time that begins once, and what takes more memory than there may be."""

import pytest

from planewalk.core.errors import LimitReached
from planewalk.core.limits import Limits, allowance, allowed, allowing


def test_time_begins_once() -> None:
    now = 100.0
    limits = Limits(seconds=5).begun(lambda: now)
    now = 103.0
    again = limits.begun(lambda: now)
    assert again.deadline.left() == 2
    again.allow_time(1)
    with pytest.raises(LimitReached, match="the limit of 5 seconds is reached") as caught:
        again.allow_time(2)
    assert caught.value.reason == "time"


def test_without_seconds_there_is_no_deadline() -> None:
    limits = Limits()
    assert limits.begun(lambda: 1e9) is limits
    limits.allow_time(1e12)


def test_what_takes_too_much_memory_is_refused_with_both_sizes() -> None:
    limits = Limits(memory=1 << 20)
    limits.allow(1 << 20, "a plane")
    with pytest.raises(LimitReached, match=r"a plane takes 2 MiB of memory, more than .* 1 MiB"):
        limits.allow(2 << 20, "a plane")
    Limits(memory=None).allow(1 << 60, "a plane")


def test_what_is_allowed_holds_in_a_block() -> None:
    before = allowed()
    with allowing(Limits(memory=5)):
        assert allowance() == 5
    assert allowed() is before
