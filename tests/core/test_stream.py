"""Input that arrives in pieces."""

from __future__ import annotations

import pytest

from planewalk.core.stream import InputStream, Starved


def test_whether_input_has_ended_is_not_known_until_it_is_closed() -> None:
    stream = InputStream(b"x", closed=False)
    assert not stream.ended
    assert stream.read_byte() == ord("x")
    with pytest.raises(Starved):
        _ = stream.ended
    stream.feed(b"")
    assert stream.ended
