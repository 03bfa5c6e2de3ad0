"""Kernels for flights: signals by the station that they meet next, and when.

A station is a cell with an instruction, or the last cell before an edge, for signals that leave
there. `paths` says for each station and direction which station comes next and after how many
cycles. Signals are events, station * 4 + direction; those of a cycle are a list that begins in one
slot of a wheel, whose slots stand for the cycles to come. `watched` says of each station in which
directions signals are watched, and 16 times that for those that wait there; nothing of a cycle in
which one arrives is done.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8, U64, ctz, popcount
from ..outcomes import OUTCOMES
from . import layout as k
from .groups import arrive, depart, pass_cycle
from .streams import emit, ending, gate, idle, leave, order


def survey(
    cells: U8, kinds: U8, places: I32, paths: I64, above: I32, width: int, height: int, count: int
) -> None:
    """Find the stations: `count` with an instruction, by place; then for each row its right and
    its left end, then for each column its top and its bottom."""
    stride = width + 1
    for x in range(width):
        top = count + 2 * height + x
        bottom = top + width
        kinds[top], kinds[bottom] = k.EDGE, k.EDGE
        places[top], places[bottom] = x + 1, (height - 1) * stride + x + 1
        above[x] = top
    found = 0
    for y in range(height):
        right = count + y
        left = right + height
        kinds[right], kinds[left] = k.EXIT, k.EDGE
        places[right], places[left] = y * stride + width, y * stride + 1
        last = left
        for x in range(width):
            kind = cells[y * width + x]
            if kind != k.PLAIN:
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


def connect(paths: I64, one: int, other: int, cycles: int, direction: int) -> None:
    """Note the path between two stations, in both directions."""
    paths[4 * one + direction] = cycles << 32 | other
    paths[4 * other + (direction ^ 2)] = cycles << 32 | one


def launch(
    codes: I64, cells: U8, places: I32, wheel: I32, pool: I64, counters: I64,
    width: int, height: int, count: int, slots: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Put signals on the wheel, each for the cycle in which it reaches its next station."""
    stride = width + 1
    for i in range(begin, end):
        place, direction = codes[i] >> 3, codes[i] & 3
        x, y = place % stride - 1, place // stride
        dx = 0 if direction & 1 else 1 - direction
        dy = 2 - direction if direction & 1 else 0
        cycles = 0
        if codes[i] & 4 or x < 0 or cells[y * width + x] == k.PLAIN:
            x, y, cycles = x + dx, y + dy, 1
        while 0 <= x < width and 0 <= y < height and cells[y * width + x] == k.PLAIN:
            x, y, cycles = x + dx, y + dy, cycles + 1
        if 0 <= x < width and 0 <= y < height:
            station = find(places, y * stride + x + 1, count)
        else:
            cycles -= 1  # it leaves from the cell before
            if direction & 1:
                station = count + 2 * height + x + (width if direction == 1 else 0)
            else:
                station = count + y + (height if direction == 2 else 0)
        note(wheel, pool, counters, station * 4 + direction, counters[k.TICK] + cycles & slots - 1)


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
    entry = counters[k.FREE]
    counters[k.FREE] = pool[entry]
    counters[k.FLYING] += 1
    pool[entry] = event << 32 | wheel[slot]
    wheel[slot] = entry


def fly(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    watched: U8, parents: I32, facts: I64, sums: U64, powers: U64, stream: I64, coming: U64,
    leaving: U64, count: int, slots: int, room: int, until: int, enough: int,
) -> int:  # fmt: skip
    """What `travel` does without any flag: not to ask for them is a tenth quicker."""
    return travel(
        wheel, pool, marks, met, kinds, paths, exits, counters, watched, parents, facts, sums,
        powers, stream, coming, leaving, count, slots, room, until, enough, 0, 0, 0,
    )  # fmt: skip


def flow(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    watched: U8, parents: I32, facts: I64, sums: U64, powers: U64, stream: I64, coming: U64,
    leaving: U64, count: int, slots: int, room: int, until: int, enough: int,
) -> int:  # fmt: skip
    """What `travel` does when only `streaming`."""
    return travel(
        wheel, pool, marks, met, kinds, paths, exits, counters, watched, parents, facts, sums,
        powers, stream, coming, leaving, count, slots, room, until, enough, 0, 0, 1,
    )  # fmt: skip


def travel(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    watched: U8, parents: I32, facts: I64, sums: U64, powers: U64, stream: I64, coming: U64,
    leaving: U64, count: int, slots: int, room: int, until: int, enough: int,
    watching: int, following: int, streaming: int,
) -> int:  # fmt: skip
    """Go on up to that tick, until that many events were handled, or, when `watching`, up to a
    later cycle than this in which a watched signal arrives. When `following`, note groups, which
    know nothing of signals that enter by then. When `streaming`, symbols enter and leave."""
    tick, enough, end = counters[k.TICK], counters[k.WORK] + enough, k.GOING_ON
    while tick < until and counters[k.WORK] < enough and end == k.GOING_ON:
        slot = tick & slots - 1
        if watching and tick > counters[k.TICK] and catches(wheel, pool, watched, slot):
            break
        if streaming:
            end = gate(stream, tick, counters[k.FLYING], room)
            if end != k.GOING_ON:
                break
        if wheel[slot]:
            if 2 * counters[k.FLYING] > room:
                end = k.FULL
                break
            if act(
                wheel, pool, marks, met, kinds, paths, exits, counters, watched, parents, facts,
                sums, powers, stream, leaving, count, slots, tick, watching, following, streaming,
            ):  # fmt: skip
                until = tick + 1
            end = k.ENDED if exits[0] else k.DESERTED if counters[k.FLYING] == 0 else k.GOING_ON
        if following:
            pass_cycle(powers, slots)
        tick += 1
        if streaming:
            emit(stream, leaving)
            if order(stream, tick):
                enter(wheel, pool, paths, counters, stream, coming, tick, slots)
            if exits[0] == 0 and counters[k.FLYING] == 0:
                tick = idle(stream, tick, until)
            end = ending(stream, exits[0], counters[k.FLYING])
    counters[k.TICK] = tick
    return end


def act(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    watched: U8, parents: I32, facts: I64, sums: U64, powers: U64, stream: I64, leaving: U64,
    count: int, slots: int, tick: int, watching: int, following: int, streaming: int,
) -> int:  # fmt: skip
    """Do all that happens in one cycle; whether a watched signal waits from then on."""
    flying, free, work, caught = counters[k.FLYING], counters[k.FREE], 0, 0
    slot = tick & slots - 1
    while wheel[slot]:  # again, if a signal leaves as soon as it has turned
        entry, stations, wheel[slot] = wheel[slot], 0, 0
        while entry:
            event, rest = pool[entry] >> 32, pool[entry] & 0xFFFF_FFFF
            station = event >> 2
            if not marks[station]:
                met[stations] = station
                stations += 1
            marks[station] |= 1 << (event & 3)
            if following:
                arrive(kinds, paths, parents, facts, sums, powers, event, tick, slots)
            pool[entry], free, entry = free, entry, rest
            flying -= 1
            work += 1
        for i in range(stations):
            station = met[i]
            directions, kind, event = marks[station], kinds[station], 4 * station
            marks[station] = 0
            if kind < k.SPLIT:
                event += kind if directions & directions - 1 == 0 else kind ^ 2
                if following:
                    depart(paths, parents, sums, powers, event, 0, slots)
                free = send(wheel, pool, paths, event, tick, slots, free)
                flying += 1
            elif kind == k.EXIT:
                exits[station - count] ^= 1
            elif streaming and kind == k.EDGE:
                leave(stream, leaving, station - stream[k.TOP])
            else:
                parting = OUTCOMES[16 * kind + directions]
                if watching and watched[station] & parting & 0xF0:
                    caught = 1
                flying += popcount(parting)
                while parting:
                    wait, event = ctz(parting) >> 2, 4 * station + (ctz(parting) & 3)
                    if following:
                        depart(paths, parents, sums, powers, event, wait, slots)
                    free = send(wheel, pool, paths, event, tick + wait, slots, free)
                    parting &= parting - 1
    counters[k.FLYING], counters[k.FREE] = flying, free
    counters[k.WORK] += work
    return caught


def catches(wheel: I32, pool: I64, watched: U8, slot: int) -> int:
    """Whether a signal that is watched arrives in the cycle of that slot."""
    entry = wheel[slot]
    while entry:
        event = pool[entry] >> 32
        if watched[event >> 2] >> (event & 3) & 1:
            return 1
        entry = pool[entry] & 0xFFFF_FFFF
    return 0


def send(wheel: I32, pool: I64, paths: I64, event: int, tick: int, slots: int, free: int) -> int:
    """Let a signal leave a station; gives the next free entry."""
    path = paths[event]
    slot = tick + (path >> 32) & slots - 1
    following = pool[free]
    pool[free] = (path & 0xFFFF_FFFF) << 34 | (event & 3) << 32 | wheel[slot]
    wheel[slot] = free
    return following


def enter(
    wheel: I32, pool: I64, paths: I64, counters: I64, stream: I64, coming: U64, tick: int,
    slots: int,
) -> None:  # fmt: skip
    """Let the signals of the next symbol enter."""
    begin, event = stream[k.READ] * stream[k.WORDS], 4 * stream[k.TOP] + 1
    free = send(wheel, pool, paths, event, tick, slots, counters[k.FREE])
    entered = 1
    for i in range(stream[k.WORDS]):
        bits = coming[begin + i]
        while bits:
            column = 64 * i + ctz(bits) + 1
            if column < stream[k.WIDTH]:
                free = send(wheel, pool, paths, event + 4 * column, tick, slots, free)
                entered += 1
            bits &= bits - 1
    stream[k.READ] += 1
    counters[k.FREE] = free
    counters[k.FLYING] += entered


def spot(
    wheel: I32, pool: I64, kinds: U8, places: I32, cells: U8, codes: I64, counters: I64,
    width: int, slots: int,
) -> int:  # fmt: skip
    """Write down where the signals are now, as codes; gives how many there are."""
    stride, signals = width + 1, 0
    for cycles in range(slots):
        entry = wheel[counters[k.TICK] + cycles & slots - 1]
        while entry:
            event = pool[entry] >> 32
            direction, station = event & 3, event >> 2
            step = (2 - direction) * stride if direction & 1 else 1 - direction
            place = places[station] - cycles * step
            x, y = place % stride - 1, place // stride
            code = place * 8 + direction
            # On an instruction, and not to act there: it was split in the cycle before.
            if (cycles or kinds[station] >= k.EXIT) and x >= 0 and cells[y * width + x] == k.SPLIT:
                code += 4
            codes[signals] = code
            signals += 1
            entry = pool[entry] & 0xFFFF_FFFF
    return signals
