"""The inner loops of BMProg's own engine, also as machine code (see `engines/kernels/kernel.py`).

Places, ways and codes are those of `engine.py`: rows have column -1 in front of them, the ways are
0 right, 1 down, 2 left, 3 up, and a code is place * 8, and 4 if the signal waits, and its way.

**Flights.** A station is a cell with an instruction, or the last cell before an edge, for signals
that leave there. `paths` says for each station and way which station comes next and after how many
cycles. Signals are events, station * 4 + way; those of a cycle are a list that begins in one slot
of a wheel, whose slots stand for the cycles to come. Where signals are watched, `watched` says of
each station by which ways (and 16 times that for those that wait there), and `bells` has a byte for
each slot: whether one of them arrives in that cycle. Nothing of such a cycle is done.

**Planes.** A stripe is 512 columns of a row. For each there are six sets of bits that say where
signals are, and six that say what the cells do. Row 0 is outside; the board begins with row 1.
What is watched is a list of bits (64 * word + bit), of which `rows` says where each row begins.
"""

from __future__ import annotations

from ...engines.kernels.kernel import I32, I64, U8, U64, ctz, lanes, popcount, put_lanes, word

SPLIT, VOID, PLAIN, PASS = 4, 5, 6, 7
"""Kinds of cells; 0 to 3 are those that direct that way. The last is a plain one that is watched,
which makes it a station."""
EXIT, EDGE = 8, 9
"""Kinds of stations for signals that leave: on the right, and elsewhere."""

GOING_ON, ENDED, DESERTED, FULL, LANDED = 0, 1, 2, 3, 4
"""How a run of cycles went."""

TICK, FLYING, FREE, WORK = 0, 1, 2, 3
"""What is counted between calls: ticks, signals, the first free entry of the pool, events."""


# Flights -----------------------------------------------------------------------------------------


def survey(
    cells: U8, kinds: U8, places: I32, paths: I64, above: I32, width: int, height: int, count: int
) -> None:
    """Find the stations: `count` with an instruction, by place; then for each row its right and
    its left end, then for each column its top and its bottom."""
    stride = width + 1
    for x in range(width):
        top = count + 2 * height + x
        bottom = top + width
        kinds[top], kinds[bottom] = EDGE, EDGE
        places[top], places[bottom] = x + 1, (height - 1) * stride + x + 1
        above[x] = top
    found = 0
    for y in range(height):
        right = count + y
        left = right + height
        kinds[right], kinds[left] = EXIT, EDGE
        places[right], places[left] = y * stride + width, y * stride + 1
        last = left
        for x in range(width):
            kind = cells[y * width + x]
            if kind != PLAIN:
                kinds[found], places[found] = kind, y * stride + x + 1
                connect(paths, last, found, places[found] - places[last], 0)
                connect(paths, above[x], found, (places[found] - places[above[x]]) // stride, 1)
                last = found
                above[x] = found
                found += 1
        connect(paths, last, right, places[right] - places[last], 0)
    for x in range(width):
        bottom = count + 2 * height + width + x
        connect(paths, above[x], bottom, (places[bottom] - places[above[x]]) // stride, 1)


def connect(paths: I64, one: int, other: int, cycles: int, way: int) -> None:
    """Note the path between two stations, in both directions."""
    paths[4 * one + way] = cycles << 32 | other
    paths[4 * other + (way ^ 2)] = cycles << 32 | one


def launch(
    codes: I64, cells: U8, places: I32, wheel: I32, pool: I64, counters: I64, bells: U8,
    watched: U8, width: int, height: int, count: int, slots: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Put signals on the wheel, each for the cycle in which it reaches its next station."""
    stride = width + 1
    for i in range(begin, end):
        place, way = codes[i] >> 3, codes[i] & 3
        x, y = place % stride - 1, place // stride
        dx = 0 if way & 1 else 1 - way
        dy = 2 - way if way & 1 else 0
        cycles = 0
        if codes[i] & 4 or x < 0 or cells[y * width + x] == PLAIN:
            x, y, cycles = x + dx, y + dy, 1
        while 0 <= x < width and 0 <= y < height and cells[y * width + x] == PLAIN:
            x, y, cycles = x + dx, y + dy, cycles + 1
        if 0 <= x < width and 0 <= y < height:
            station = find(places, y * stride + x + 1, count)
        else:
            cycles -= 1  # it leaves from the cell before
            if way & 1:
                station = count + 2 * height + x + (width if way == 1 else 0)
            else:
                station = count + y + (height if way == 2 else 0)
        slot = counters[TICK] + cycles & slots - 1
        note(wheel, pool, counters, station * 4 + way, slot)
        bells[slot] |= watched[station] >> way & 1


def find(places: I32, place: int, count: int) -> int:
    """The station at that place; the first `count` are in order."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if places[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low


def note(wheel: I32, pool: I64, counters: I64, event: int, slot: int) -> None:
    """Put an event into a slot of the wheel."""
    entry = counters[FREE]
    counters[FREE] = pool[entry]
    counters[FLYING] += 1
    pool[entry] = event << 32 | wheel[slot]
    wheel[slot] = entry


def fly(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    bells: U8, watched: U8, count: int, slots: int, room: int, until: int, enough: int,
) -> int:  # fmt: skip
    """Go on up to that tick, or until that many events were handled. Nobody is watched, which is
    known when machine code is made."""
    return travel(
        wheel, pool, marks, met, kinds, paths, exits, counters, bells, watched, 0,
        count, slots, room, until, enough,
    )  # fmt: skip


def fly_watched(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    bells: U8, watched: U8, count: int, slots: int, room: int, until: int, enough: int,
) -> int:  # fmt: skip
    """The same, up to the tick in which a bell rings."""
    return travel(
        wheel, pool, marks, met, kinds, paths, exits, counters, bells, watched, 1,
        count, slots, room, until, enough,
    )  # fmt: skip


def travel(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    bells: U8, watched: U8, watching: int,
    count: int, slots: int, room: int, until: int, enough: int,
) -> int:  # fmt: skip
    """Go on up to that tick, or until that many events were handled, or until a bell rings."""
    tick, flying, free, work = counters[TICK], counters[FLYING], counters[FREE], 0
    end = GOING_ON
    while tick < until and work < enough and end == GOING_ON:
        slot = tick & slots - 1
        if wheel[slot]:
            if watching and bells[slot]:
                break
            if 2 * flying > room:
                end = FULL
                break
            while wheel[slot]:  # again, if a signal leaves as soon as it has turned
                entry, stations = wheel[slot], 0
                wheel[slot] = 0
                while entry:
                    event, following = pool[entry] >> 32, pool[entry] & 0xFFFF_FFFF
                    station = event >> 2
                    if not marks[station]:
                        met[stations] = station
                        stations += 1
                    marks[station] |= 1 << (event & 3)
                    pool[entry] = free
                    free = entry
                    entry = following
                    flying -= 1
                    work += 1
                for i in range(stations):
                    station = met[i]
                    ways, kind = marks[station], kinds[station]
                    marks[station] = 0
                    if kind < 4:
                        way = kind if ways & ways - 1 == 0 else kind ^ 2
                        if watching:
                            ring(bells, watched, paths, station * 4 + way, tick, slots)
                        free = send(wheel, pool, paths, station * 4 + way, tick, slots, free)
                        flying += 1
                    elif kind == SPLIT:
                        for way in range(4):
                            if ways & (5 if way & 1 else 10):
                                if watching:
                                    ring(bells, watched, paths, station * 4 + way, tick + 1, slots)
                                    if watched[station] >> way + 4 & 1:
                                        bells[tick + 1 & slots - 1] = 1
                                        until = tick + 1
                                free = send(
                                    wheel, pool, paths, station * 4 + way, tick + 1, slots, free
                                )
                                flying += 1
                    elif watching and kind == PASS:
                        for way in range(4):
                            if ways >> way & 1:
                                ring(bells, watched, paths, station * 4 + way, tick, slots)
                                free = send(
                                    wheel, pool, paths, station * 4 + way, tick, slots, free
                                )
                                flying += 1
                    elif kind == EXIT:
                        exits[station - count] ^= 1
                        if station == count:
                            end = ENDED
            if flying == 0 and end == GOING_ON:
                end = DESERTED
        tick += 1
    counters[TICK], counters[FLYING], counters[FREE] = tick, flying, free
    counters[WORK] += work
    return end


def send(wheel: I32, pool: I64, paths: I64, event: int, tick: int, slots: int, free: int) -> int:
    """Let a signal leave a station; gives the next free entry."""
    path = paths[event]
    slot = tick + (path >> 32) & slots - 1
    following = pool[free]
    pool[free] = (path & 0xFFFF_FFFF) << 34 | (event & 3) << 32 | wheel[slot]
    wheel[slot] = free
    return following


def ring(bells: U8, watched: U8, paths: I64, event: int, tick: int, slots: int) -> None:
    """Note that a signal which leaves a station will be caught at the next one, if it will."""
    path = paths[event]
    if watched[path & 0xFFFF_FFFF] >> (event & 3) & 1:
        bells[tick + (path >> 32) & slots - 1] = 1


def spot(
    wheel: I32, pool: I64, kinds: U8, places: I32, cells: U8, codes: I64, counters: I64,
    width: int, slots: int,
) -> int:  # fmt: skip
    """Write down where the signals are now, as codes; gives how many there are."""
    stride, signals = width + 1, 0
    for cycles in range(slots):
        entry = wheel[counters[TICK] + cycles & slots - 1]
        while entry:
            event = pool[entry] >> 32
            way, station = event & 3, event >> 2
            step = (2 - way) * stride if way & 1 else 1 - way
            place = places[station] - cycles * step
            x, y = place % stride - 1, place // stride
            code = place * 8 + way
            # On an instruction, and not to act there: it was split in the cycle before.
            if (cycles or kinds[station] >= EXIT) and x >= 0 and cells[y * width + x] == SPLIT:
                code += 4
            codes[signals] = code
            signals += 1
            entry = pool[entry] & 0xFFFF_FFFF
    return signals


# Planes ------------------------------------------------------------------------------------------

STRIPE = 48  # words
RIGHT, DOWN, LEFT, UP, SIDEWAYS, UPRIGHT = 0, 8, 16, 24, 32, 40
"""Where in a stripe the signals of each kind are; the last two wait, in pairs."""
TO_RIGHT, TO_DOWN, LEVEL, STEEP, SPLITS, PLAINS = 0, 8, 16, 24, 32, 40
"""The same for cells: `LEVEL` are all that direct right or left, `STEEP` those up or down."""
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
            elif kind == SPLIT:
                masks[at + SPLITS] |= bit
            elif PLAIN <= kind <= PASS:
                masks[at + PLAINS] |= bit


def word_of(x: int, y: int, stripes: int) -> int:
    """The first of the words that hold a bit for that cell."""
    return ((y + 1) * stripes + (x >> 9)) * STRIPE + (x & 7)


def lay(codes: I64, signals: U64, width: int, stripes: int, count: int) -> int:
    """Write signals as sets. Those in column -1 have no bits there: they are put in front, as they
    will be one cycle later; gives how many those are."""
    stride, entering = width + 1, 0
    for i in range(count):
        place, way = codes[i] >> 3, codes[i] & 3
        x, y = place % stride - 1, place // stride
        if x < 0:
            codes[entering] = codes[i] + 8
            entering += 1
        else:
            which = (UPRIGHT if way & 1 else SIDEWAYS) if codes[i] & 4 else 8 * way
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
    done, end = 0, GOING_ON
    size = 8 * stripes + 8
    while done < cycles and end == GOING_ON:
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
                        deep, end = cycle + 1, ENDED
            front += 1
        if caught < deep:
            deep, end = caught, LANDED
        for cycle in range(deep):
            if end == GOING_ON and not lanes(rounds, cycle * size + 8 * stripes):
                deep, end = cycle, DESERTED
        done += deep
    if end == GOING_ON and empty(signals, stripes, height):
        end = DESERTED
    return done * 8 + end


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
        # Where several meet, `several` swaps the way of the cell for its opposite.
        turn, fall = met & lanes(masks, at + LEVEL), met & lanes(masks, at + STEEP)
        turn_right = turn & (lanes(masks, at + TO_RIGHT) ^ several)
        turn_down = fall & (lanes(masks, at + TO_DOWN) ^ several)
        put_lanes(signals, at + SIDEWAYS, along & split)
        put_lanes(signals, at + UPRIGHT, across & split)
        put_lanes(signals, at + DOWN, lanes(rounds, carry + 8 * stripe))
        put_lanes(rounds, carry + 8 * stripe, down & plain | turn_down | upright)
        above = at - stripes * STRIPE
        put_lanes(signals, above + UP, up & plain | fall ^ turn_down | upright)
        if row == height:
            put_lanes(signals, at + UP, up ^ up)
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
    for at in range(stripes * STRIPE, (height + 1) * stripes * STRIPE):
        count += popcount(signals[at]) << (at % STRIPE >= SIDEWAYS)
    return count


def stir(signals: U64, masks: U64, stripes: int, height: int) -> int:
    """How many cells with an instruction are about to act."""
    count = 0
    for i in range(8 * stripes, 8 * (height + 1) * stripes):
        at = i // 8 * STRIPE + i % 8
        level = signals[at + RIGHT] | signals[at + LEFT]
        steep = signals[at + DOWN] | signals[at + UP]
        count += popcount((level | steep) & ~masks[at + PLAINS])
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
