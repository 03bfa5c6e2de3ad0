"""Supersampling: exact means, rounded to the nearest, halves upwards."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from planewalk.engines.kernels.kernel import Kernel
from planewalk.view.drawing.shrink import average, shrink


def by_hand(pixels: bytes, width: int, factor: int) -> bytes:
    wide = width * factor
    rows = len(pixels) // (3 * wide * factor)
    result = bytearray()
    for y in range(rows):
        for x in range(width):
            for channel in range(3):
                samples = [
                    pixels[3 * ((y * factor + j) * wide + x * factor + i) + channel]
                    for j in range(factor)
                    for i in range(factor)
                ]
                result.append(int(Fraction(sum(samples), factor**2) + Fraction(1, 2)))
    return bytes(result)


@given(st.data())
def test_means_are_exact(data: st.DataObject) -> None:
    factor = data.draw(st.integers(1, 5))
    width, height = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    length = 3 * width * height * factor**2
    pixels = data.draw(st.binary(min_size=length, max_size=length))
    assert shrink(pixels, width, factor) == by_hand(pixels, width, factor)


def test_halves_go_upwards() -> None:
    """Every sum that four samples can have."""
    for total in range(1021):
        samples = [min(255, max(0, total - 255 * i)) for i in range(4)]
        pixels = bytes(value for sample in samples for value in (sample, 0, 255))
        assert shrink(pixels, 1, 2) == bytes([(total + 2) // 4, 0, 255])


def test_without_machine_code_the_means_are_the_same() -> None:
    pixels = bytearray(range(3 * 6 * 4))
    target = bytearray(3 * 3 * 2)
    Kernel(average)(pixels, target, 0, 2, 3, 2)
    assert bytes(target) == shrink(bytes(pixels), 3, 2)
