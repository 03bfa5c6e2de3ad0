"""Kernels for planes: signals as sets of places.

A stripe is 512 columns of a row. For each there are six sets of bits that say where
signals are, and six that say what the cells do. Row 0 is outside; the board begins with row 1.
What is watched is a list of bits (64 * word + bit), of which `rows` says where each row begins.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8, U64, ctz, lanes, popcount, put_lanes, word
from ..outcomes import OUTCOMES
from . import layout as k
from .streams import emit, leave, order

STRIPE = 48  # words
RIGHT, DOWN, LEFT, UP, SIDEWAYS, UPRIGHT = 0, 8, 16, 24, 32, 40
"""Where in a stripe the signals of each kind are; the last two wait, in pairs."""
TO_RIGHT, TO_DOWN, LEVEL, STEEP, SPLITS, PLAINS = 0, 8, 16, 24, 32, 40
"""The same for cells: `LEVEL` are all that direct right or left, `STEEP` those up or down."""
ACROSS, ALONG = OUTCOMES[16 * k.SPLIT + 1] >> 4, OUTCOMES[16 * k.SPLIT + 2] >> 4
"""In which directions signals wait that come of others which go right or left, and up or down."""
ROUNDS = 16
"""How many cycles a sweep does at most: some fifteen kilobytes, which stay in the first cache."""


def engrave(cells: U8, masks: U64, width: int, height: int, stripes: int) -> None:
    """Write the cells of a board as sets."""
    for y in range(height):
        for x in range(width):
            kind = cells[y * width + x]
            at, bit = word_of(x, y, stripes), word(1) << (x >> 3 & 63)
            if kind < 4:
                masks[at + (STEEP if kind & 1 else LEVEL)] |= bit
                if kind < 2:
                    masks[at + (TO_DOWN if kind else TO_RIGHT)] |= bit
            elif kind == k.SPLIT:
                masks[at + SPLITS] |= bit
            elif k.PLAIN <= kind <= k.PASS:
                masks[at + PLAINS] |= bit


def word_of(x: int, y: int, stripes: int) -> int:
    """The first of the words that hold a bit for that cell."""
    return ((y + 1) * stripes + (x >> 9)) * STRIPE + (x & 7)


def lay(codes: I64, signals: U64, width: int, stripes: int, count: int) -> int:
    """Write signals as sets. Those in column -1 have no bits there: they are put in front, as they
    will be one cycle later; gives how many those are."""
    stride, entering = width + 1, 0
    for i in range(count):
        place, direction = codes[i] >> 3, codes[i] & 3
        x, y = place % stride - 1, place // stride
        if x < 0:
            codes[entering] = codes[i] + 8
            entering += 1
        else:
            which = (UPRIGHT if direction & 1 else SIDEWAYS) if codes[i] & 4 else 8 * direction
            signals[word_of(x, y, stripes) + which] |= word(1) << (x >> 3 & 63)
    return entering


def sweep(
    signals: U64, masks: U64, rounds: U64, edges: U64, exits: U8, watched: I64, rows: I32,
    stripes: int, height: int, cycles: int, watching: int,
) -> int:  # fmt: skip
    """Do cycles; gives how many were done * 8, and how that went. If a signal was caught that is
    watched, more were done than it tells, and all must be done anew.

    Several cycles are done in one sweep over the board, each two rows behind the one before it, so
    that rows are fetched once for all of them. What goes down waits in `rounds` for the next row.
    """
    done, end = 0, k.GOING_ON
    size = 8 * stripes + 8
    while done < cycles and end == k.GOING_ON:
        deep = min(cycles - done, ROUNDS)
        for i in range(deep * size):
            rounds[i] = 0
        front, caught = 1, deep
        while front < height + 2 * deep:
            first, last = max(0, (front - height + 1) // 2), min(deep, (front + 1) // 2)
            for cycle in range(first, last):
                row = front - 2 * cycle
                if watching and cycle + done > 0 and caught > cycle:
                    seen = catches(signals, watched, rows[row], rows[row + 1])
                    caught = cycle if seen else caught
                if move_row(signals, masks, rounds, edges, row, height, stripes, cycle * size):
                    exits[row - 1] ^= 1
                    if row == 1:  # no later cycle has begun
                        deep, end = cycle + 1, k.ENDED
            front += 1
        if caught < deep:
            deep, end = caught, k.LANDED
        for cycle in range(deep):
            if end == k.GOING_ON and not lanes(rounds, cycle * size + 8 * stripes):
                deep, end = cycle, k.DESERTED
        done += deep
    if end == k.GOING_ON and empty(signals, stripes, height):
        end = k.DESERTED
    return done * 8 + end


def pour(
    signals: U64, masks: U64, rounds: U64, edges: U64, exits: U8, stream: I64, coming: U64,
    leaving: U64, stripes: int, height: int, cycles: int, tick: int,
) -> int:  # fmt: skip
    """What `sweep` does on boards with streams, where nothing is watched.

    What enters from above waits in `rounds` as what comes down to the first row does; what leaves
    at the bottom stands there when a cycle is done with the last row.
    """
    done, end = 0, k.GOING_ON
    size = 8 * stripes + 8
    while done < cycles and end == k.GOING_ON:
        deep = min(min(cycles - done, ROUNDS), stream[k.ROOM] - stream[k.WRITTEN])
        end = k.GOING_ON if deep else k.BLOCKED
        for i in range(deep * size):
            rounds[i] = 0
        front, entered = 1, 0
        while front < height + 2 * deep:
            first, last = max(0, (front - height + 1) // 2), min(deep, (front + 1) // 2)
            for cycle in range(first, last):
                row, carry, now = front - 2 * cycle, cycle * size, tick + done + cycle + 1
                if row == 1 and stream[k.DUE] == now:  # no later cycle has begun
                    if stream[k.READ] == stream[k.COUNT]:
                        deep, end = cycle, k.BLOCKED
                    else:
                        fill(rounds, stream, coming, carry)
                        entered = cycle + 1
                if cycle < deep:
                    if move_row(signals, masks, rounds, edges, row, height, stripes, carry):
                        exits[row - 1] ^= 1
                        if row == 1:
                            deep, end = cycle + 1, k.ENDED
                    if row == 1:
                        stream[k.ASKED] = signals[UP] & 1
                        order(stream, now)
                    if row == height:
                        drain(rounds, stream, leaving, stripes, carry)
            front += 1
        if stream[k.DUE] <= 0:
            for cycle in range(entered, deep):
                if end == k.GOING_ON and not lanes(rounds, cycle * size + 8 * stripes):
                    deep, end = cycle, k.DESERTED
        done += deep
    if end != k.ENDED and stream[k.DUE] <= 0 and empty(signals, stripes, height):
        end = k.DESERTED
    return done * 8 + end


def fill(rounds: U64, stream: I64, coming: U64, carry: int) -> None:
    """Let the signals of the next symbol come down to the first row."""
    rounds[carry] |= word(1)
    for i in range(stream[k.WORDS]):
        bits = coming[stream[k.READ] * stream[k.WORDS] + i]
        while bits:
            column = 64 * i + ctz(bits) + 1
            if column < stream[k.WIDTH]:
                at = carry + 8 * (column >> 9) + (column & 7)
                rounds[at] |= word(1) << (column >> 3 & 63)
            bits &= bits - 1
    stream[k.READ] += 1


def drain(rounds: U64, stream: I64, leaving: U64, stripes: int, carry: int) -> None:
    """Let signals leave at the bottom."""
    for i in range(8 * stripes):
        bits = rounds[carry + i]
        while bits:
            column = 512 * (i >> 3) + 8 * ctz(bits) + (i & 7)
            leave(stream, leaving, stream[k.WIDTH] + column)
            bits &= bits - 1
    emit(stream, leaving)


def catches(signals: U64, watched: I64, begin: int, end: int) -> int:
    """Whether one of these bits is set."""
    for i in range(begin, end):
        if signals[watched[i] >> 6] & word(1) << (watched[i] & 63):
            return 1
    return 0


def move_row(
    signals: U64, masks: U64, rounds: U64, edges: U64,
    row: int, height: int, stripes: int, carry: int,
) -> int:  # fmt: skip
    """Do one cycle in one row; whether a signal leaves on the right."""
    leaving = 0
    seen = carry + 8 * stripes
    for stripe in range(stripes):
        at = (row * stripes + stripe) * STRIPE
        right, left = lanes(signals, at + RIGHT), lanes(signals, at + LEFT)
        down, up = lanes(signals, at + DOWN), lanes(signals, at + UP)
        sideways, upright = lanes(signals, at + SIDEWAYS), lanes(signals, at + UPRIGHT)
        split, plain = lanes(masks, at + SPLITS), lanes(masks, at + PLAINS)
        across, along = right | left, up | down
        several = right & left | up & down | across & along
        met = across | along
        put_lanes(rounds, seen, lanes(rounds, seen) | met | sideways | upright)
        # Where several meet, `several` swaps the direction of the cell for its opposite.
        turn, fall = met & lanes(masks, at + LEVEL), met & lanes(masks, at + STEEP)
        turn_right = turn & (lanes(masks, at + TO_RIGHT) ^ several)
        turn_down = fall & (lanes(masks, at + TO_DOWN) ^ several)
        none = up ^ up
        pair = (across if ACROSS & 1 else none) | (along if ALONG & 1 else none)
        put_lanes(signals, at + SIDEWAYS, pair & split)
        pair = (across if ACROSS & 2 else none) | (along if ALONG & 2 else none)
        put_lanes(signals, at + UPRIGHT, pair & split)
        put_lanes(signals, at + DOWN, lanes(rounds, carry + 8 * stripe))
        put_lanes(rounds, carry + 8 * stripe, down & plain | turn_down | upright)
        above = at - stripes * STRIPE
        put_lanes(signals, above + UP, up & plain | fall ^ turn_down | upright)
        if row == height:
            put_lanes(signals, at + UP, none)
        west = left & plain | turn ^ turn_right | sideways
        put_lanes(signals, at + LEFT, west >> 1)
        if stripe and west & lanes(edges, 0):
            signals[at - STRIPE + LEFT + 7] |= word(1) << 63
        east = right & plain | turn_right | sideways
        entering, leaving = leaving, 0
        edge = lanes(edges, 8 + 8 * stripe)
        if east & edge:
            leaving = 1
            east = east & ~edge
        put_lanes(signals, at + RIGHT, east << 1)
        if entering:
            signals[at + RIGHT] |= word(1)
    return leaving


def empty(signals: U64, stripes: int, height: int) -> int:
    """Whether there are no signals."""
    for at in range(stripes * STRIPE, (height + 1) * stripes * STRIPE, 8):
        if lanes(signals, at):
            return 0
    return 1


def tally(signals: U64, stripes: int, height: int) -> int:
    """How many signals there are."""
    count = 0
    for stripe in range(stripes, (height + 1) * stripes):
        at = stripe * STRIPE
        for i in range(at, at + SIDEWAYS):
            count += popcount(signals[i])
        for i in range(at + SIDEWAYS, at + STRIPE):
            count += 2 * popcount(signals[i])
    return count


def stir(signals: U64, masks: U64, stripes: int, height: int, step: int) -> int:
    """How many cells with an instruction are about to act, in one of so many rows."""
    count, row = 0, 1
    while row <= height:
        for i in range(8 * row * stripes, 8 * (row + 1) * stripes):
            at = i // 8 * STRIPE + i % 8
            level = signals[at + RIGHT] | signals[at + LEFT]
            steep = signals[at + DOWN] | signals[at + UP]
            count += popcount((level | steep) & ~masks[at + PLAINS])
        row += step
    return count


def gather(signals: U64, codes: I64, width: int, stripes: int, height: int) -> int:
    """Write down where the signals are now, as codes; gives how many there are."""
    count = 0
    for row in range(height):
        for stripe in range(stripes):
            begin, at = row * (width + 1) + 512 * stripe + 1, word_of(512 * stripe, row, stripes)
            for i in range(STRIPE):
                which, bits = i // 8, signals[at + i]
                while bits:
                    code = (begin + 8 * ctz(bits) + i % 8) * 8 + which
                    codes[count] = code
                    count += 1
                    if which >= 4:  # and the other one of the pair
                        codes[count] = code ^ 2
                        count += 1
                    bits &= bits - 1
    return count
