"""Input that arrives in pieces."""

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


def test_long_input_is_read_in_order_also_behind_what_is_dropped() -> None:
    """What was read is dropped after 64 KiB, and nobody can tell."""
    data = b"".join(number.to_bytes(4, "big") for number in range(60_000))
    stream, read = InputStream(closed=False), bytearray()
    for begin in range(0, len(data), 50_000):
        stream.feed(data[begin : begin + 50_000])
        while stream.unread > 3:
            read.append(stream.read_byte())
        twin = InputStream.from_json(stream.to_json())
        assert stream.position == len(read) and twin == stream == stream.copy()
    stream.feed(b"")
    assert stream.dropped > 1 << 17
    while (byte := stream.read_byte()) >= 0:
        read.append(byte)
    assert bytes(read) == data
