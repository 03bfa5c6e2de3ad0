"""The kernel that performs superinstructions, one after the other."""

from __future__ import annotations

from ...kernels.kernel import I32, I64, U8, word
from .layout import *

INVERSES = [pow(odd, -1, 256) for odd in range(1, 256, 2)]
"""By what odd numbers are multiplied to get 1, if only 8 bits count."""
FOR_EVER = 1 << 30


def perform(words: I64, data: U8, marks: U8, supers: I32, output: U8) -> int:
    """Go on for as long as superinstructions are linked; gives why that ended."""
    fuel, at = words[FUEL], words[AT]
    hand_x, hand_y = words[HAND_X], words[HAND_Y]
    hand, stamp = hand_y * words[WIDTH] + hand_x, words[EPOCH] & STAMPS
    hot, hotter = words[HOT], words[HOTTER]
    why, answer = WANTS_NEXT, 0
    while 1:
        if fails(words, data, marks, supers, at, hand, hand_x, hand_y, fuel):
            why = why_failed(supers, at)
            if why != WANTS_NEXT:
                break
            at = supers[at + BASIC]
            continue
        ticks, shape = supers[at + TICKS], supers[at + SHAPE]
        begin, sums = sums_of(at, shape), SUM * (shape & BITS)
        asked, value, times = supers[at + ASKED], supers[at + ASKED_VALUE], 1
        if shape >= SCAN:
            times = scan(words, data, supers, at, hand, hand_x, hand_y, fuel)
        elif shape >= LOOP:
            times = rounds(supers, data, begin, hand, asked, value, shape)
            if times * ticks > fuel:
                times = fuel // ticks
        for i in range(begin, begin + sums, SUM):
            to, source = hand + supers[i], hand + supers[i + 1]
            data[to] = (data[to] + times * supers[i + 2] * data[source]) & 255
        move = supers[at + MOVE]
        asked += hand + (times - 1) * move
        if shape & OUTPUT:
            output[words[WRITTEN]] = data[asked]
            words[WRITTEN] += 1
        fuel -= times * ticks
        hand += times * move
        hand_x += times * supers[at + MOVE_X]
        hand_y += times * supers[at + MOVE_Y]
        count = supers[at + COUNT] + 1
        supers[at + COUNT] = count
        # Two ways, so that the processor guesses which one it is, and need not wait for the cell.
        if data[asked] == value:
            answer, follows = 1, supers[at + LINK_EQUAL]
            supers[at + COUNT_EQUAL] += 1
            if supers[follows + STAMP] != stamp or is_due(count, hot, hotter):
                break
        else:
            answer, follows = 0, supers[at + LINK]
            if supers[follows + STAMP] != stamp or is_due(count, hot, hotter):
                break
        at = follows
    words[AT], words[ANSWER] = at, answer
    words[FUEL], words[HAND_X], words[HAND_Y] = fuel, hand_x, hand_y
    return why


def fails(
    words: I64, data: U8, marks: U8, supers: I32, at: int, hand: int, hand_x: int, hand_y: int,
    fuel: int,
) -> int:  # fmt: skip
    """Whether it cannot be performed here and now."""
    shape, least_x, least_y = supers[at + SHAPE], supers[at + LEAST_X], supers[at + LEAST_Y]
    if (
        word(hand_x + least_x) > word(supers[at + SPAN_X])
        or is_beyond(hand_y, least_y, supers[at + MOST_Y], words[HEIGHT])
        or supers[at + TICKS] > fuel
        or is_full(words, shape)
    ):
        return 1
    caught = broken(supers, data, at, hand, shape)
    if hand_x + least_x <= words[RIGHTMOST] and hand_y + least_y <= words[LOWEST]:
        begin = sums_of(at, shape)
        for i in range(begin, begin + SUM * (shape & BITS), SUM):
            caught |= marks[hand + supers[i]] & HEEDED
    return caught


def why_failed(supers: I32, at: int) -> int:
    """Why nothing more is performed, if not the first block of a trace."""
    if supers[at + BASIC] == 0:
        return STOPS
    supers[at + FAILED] += 1
    return HAS_FAILED if supers[at + FAILED] >= MOST_FAILED else WANTS_NEXT


def sums_of(at: int, shape: int) -> int:
    """Where its sums begin: behind its guards of both kinds."""
    return at + PARTS + (shape >> ONES & BITS) + GUARD * (shape >> GUARDS & BITS)


def scan(
    words: I64, data: U8, supers: I32, at: int, hand: int, hand_x: int, hand_y: int, fuel: int
) -> int:
    """How often a loop that only moves the hand is gone round."""
    ticks, shape, move = supers[at + TICKS], supers[at + SHAPE], supers[at + MOVE]
    least_x, span_x = supers[at + LEAST_X], supers[at + SPAN_X]
    least_y, most_y = supers[at + LEAST_Y], supers[at + MOST_Y]
    times = 1
    while (
        data[hand + supers[at + ASKED]] != supers[at + ASKED_VALUE]
        and fuel >= (times + 1) * ticks
        and word(hand_x + supers[at + MOVE_X] + least_x) <= word(span_x)
        and not is_beyond(hand_y + supers[at + MOVE_Y], least_y, most_y, words[HEIGHT])
        and not broken(supers, data, at, hand + move, shape)
    ):
        hand += move
        hand_x += supers[at + MOVE_X]
        hand_y += supers[at + MOVE_Y]
        times += 1
    return times


def is_beyond(row: int, least: int, most: int, height: int) -> int:
    """Whether there are cells above or below the plane among those that are seen from a row."""
    return 1 if row + least < 0 or row + most >= height else 0


def is_full(words: I64, shape: int) -> int:
    """Whether there is no room for output."""
    return 1 if shape & OUTPUT and words[WRITTEN] >= words[MOST_WRITTEN] else 0


def is_due(count: int, hot: int, hotter: int) -> int:
    """Whether it is time to see what can be made of it."""
    return 1 if count == hot or count == hotter else 0  # noqa: SIM109


def broken(supers: I32, data: U8, at: int, hand: int, shape: int) -> int:
    """Whether a guard does not hold."""
    ones, guards = at + PARTS, sums_of(at, shape)
    begin = ones + (shape >> ONES & BITS)
    for i in range(ones, begin, 2):  # of which there are an even number
        if data[hand + supers[i]] == 0 or data[hand + supers[i + 1]] == 0:
            return 1
    for i in range(begin, guards, GUARD):
        wanted = supers[i + 1]
        if data[hand + supers[i]] == wanted & 255:
            if wanted < MUST:
                return 1
        elif wanted >= MUST:
            return 1
    return 0


def rounds(supers: I32, data: U8, begin: int, hand: int, asked: int, value: int, shape: int) -> int:
    """How often a loop is gone round until its cell holds the number that ends it."""
    step = 0
    for i in range(begin, begin + SUM * (shape >> ASKED_SUMS & BITS), SUM):
        step += supers[i + 2] * data[hand + supers[i + 1]]
    step, missing = step & 255, (value - data[hand + asked]) & 255
    if step & 1:
        found = missing * INVERSES[step >> 1] & 255
        return found if found else 256
    return FOR_EVER if step == 0 and missing else 1
