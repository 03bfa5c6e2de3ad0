"""Kernels for flights that are followed (see `../groups.py`).

Groups are sets of nodes: each station is one, and voids are four, one for each way, since signals
do not meet there. `nodes` has the first node of each station. `parents` leads from each node to
another of its group, and at last to one that leads to itself, which stands for all. Of each such
node, `facts` has since when its group is followed, after how many cycles it was as it was then, and
when it last did something, and `sums` what its signals make together, now and then.

A signal counts as salt(event) * BASE ** (when it arrives), modulo 2 ** 64. So a group whose signals
are all where they were has the same sum, but for a power of BASE. `powers` has these powers, and
at its end those for this cycle: forth, and back.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8, U64, word
from .flights import send
from .words import (
    DESERTED,
    ENDED,
    EXIT,
    FLYING,
    FREE,
    FULL,
    GOING_ON,
    OPEN,
    ROUND,
    SPLIT,
    TICK,
    VOID,
    WORK,
)

SINCE, CYCLES, LAST, FACTS = 0, 1, 2, 3
"""Where in `facts` what stands, and how many there are."""
NOT_YET = -1
"""Since when a group is followed that has not done anything; how many cycles a group takes that
has no signals. One that has not come round yet takes 0."""
NOW, THEN, SUMS = 0, 1, 2
"""The same for `sums`."""

BASE = 0x5851_F42D_4C95_7F2D
INVERSE = pow(BASE, -1, 1 << 64)
SALT, PEPPER = 0x1E37_79B9_7F4A_7C15, 0x3F58_476D_1CE4_E5B9


def salt(event: int) -> int:
    """Some bits that stand for an event, as good as random."""
    mixed = word(word(event + 1) * word(SALT))
    mixed = word((mixed ^ mixed >> 31) * word(PEPPER))
    return int(mixed ^ mixed >> 29)


def begin(
    wheel: I32, pool: I64, counters: I64, kinds: U8, nodes: I32, parents: I32, facts: I64,
    sums: U64, powers: U64, stations: int, slots: int,
) -> None:  # fmt: skip
    """Begin to follow the signals on the wheel, each node by itself a group."""
    powers[0] = word(1)
    for i in range(slots):
        powers[i + 1] = word(powers[i] * word(BASE))
    powers[slots + 1], powers[slots + 2] = word(1), word(1)
    count = 0
    for station in range(stations):
        nodes[station] = count
        count += 4 if kinds[station] == VOID else 1
    for node in range(count):
        parents[node] = node
        facts[FACTS * node + CYCLES], facts[FACTS * node + LAST] = NOT_YET, NOT_YET
    counters[OPEN] = 0
    for cycles in range(slots):
        entry = wheel[counters[TICK] + cycles & slots - 1]
        while entry:
            event = pool[entry] >> 32
            node = node_of(nodes, kinds, event)
            counters[OPEN] += awake(facts, node)
            share = word(word(salt(event)) * powers[cycles])
            sums[SUMS * node + NOW] = word(sums[SUMS * node + NOW] + share)
            entry = pool[entry] & 0xFFFF_FFFF


def awake(facts: I64, group: int) -> int:
    """Follow a group from its next deed on, if it had no signals; 1 if so."""
    if facts[FACTS * group + CYCLES] != NOT_YET:
        return 0
    facts[FACTS * group + CYCLES], facts[FACTS * group + SINCE] = 0, NOT_YET
    return 1


def node_of(nodes: I32, kinds: U8, event: int) -> int:
    """The node of the station that an event is about."""
    station = event >> 2
    return nodes[station] + (event & 3 if kinds[station] == VOID else 0)


def group_of(parents: I32, node: int) -> int:
    """The node that stands for the group of this one."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


def follow(
    wheel: I32, pool: I64, marks: U8, met: I32, kinds: U8, paths: I64, exits: U8, counters: I64,
    nodes: I32, parents: I32, facts: I64, sums: U64, powers: U64,
    count: int, slots: int, room: int, until: int, enough: int,
) -> int:  # fmt: skip
    """Go on as `fly` does, or until all groups have come round."""
    tick, flying, free, work = counters[TICK], counters[FLYING], counters[FREE], 0
    lacking, end = counters[OPEN], GOING_ON
    while tick < until and work < enough and end == GOING_ON:
        slot = tick & slots - 1
        if wheel[slot]:
            if 2 * flying > room:
                end = FULL
                break
            forth, back = powers[slots + 1], powers[slots + 2]
            while wheel[slot]:
                entry, stations, fewer = wheel[slot], 0, 0
                wheel[slot] = 0
                while entry:
                    event, following = pool[entry] >> 32, pool[entry] & 0xFFFF_FFFF
                    station = event >> 2
                    if not marks[station]:
                        met[stations] = station
                        stations += 1
                    marks[station] |= 1 << (event & 3)
                    group = group_of(parents, node_of(nodes, kinds, event))
                    lacking += awake(facts, group)
                    lacking -= arrive(facts, sums, group, tick, int(back))
                    share = word(word(salt(event)) * forth)
                    sums[SUMS * group + NOW] = word(sums[SUMS * group + NOW] - share)
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
                        event = station * 4 + (kind if ways & ways - 1 == 0 else kind ^ 2)
                        lacking -= join(
                            kinds, paths, nodes, parents, facts, sums, powers, event, 0, slots
                        )
                        free = send(wheel, pool, paths, event, tick, slots, free)
                        flying += 1
                    elif kind == SPLIT:
                        for way in range(4):
                            if ways & (5 if way & 1 else 10):
                                event = station * 4 + way
                                lacking -= join(
                                    kinds, paths, nodes, parents, facts, sums, powers,
                                    event, 1, slots,
                                )  # fmt: skip
                                free = send(wheel, pool, paths, event, tick + 1, slots, free)
                                flying += 1
                    else:
                        fewer = 1
                        if kind == EXIT:
                            exits[station - count] ^= 1
                            if station == count:
                                end = ENDED
                if fewer:
                    for i in range(stations):
                        for way in range(4):
                            node = node_of(nodes, kinds, met[i] * 4 + way)
                            lacking -= forget(facts, sums, group_of(parents, node))
            if end == GOING_ON:
                end = DESERTED if flying == 0 else ROUND if lacking == 0 else GOING_ON
        powers[slots + 1] = word(powers[slots + 1] * word(BASE))
        powers[slots + 2] = word(powers[slots + 2] * word(INVERSE))
        tick += 1
    counters[TICK], counters[FLYING], counters[FREE] = tick, flying, free
    counters[OPEN] = lacking
    counters[WORK] += work
    return end


def arrive(facts: I64, sums: U64, group: int, tick: int, back: int) -> int:
    """Look whether a group that is about to act is as it was; 1 if so for the first time."""
    if facts[FACTS * group + LAST] == tick:
        return 0
    facts[FACTS * group + LAST] = tick
    shape = word(sums[SUMS * group + NOW] * word(back))
    if facts[FACTS * group + SINCE] == NOT_YET:
        facts[FACTS * group + SINCE] = tick
        sums[SUMS * group + THEN] = shape
    elif facts[FACTS * group + CYCLES] == 0 and sums[SUMS * group + THEN] == shape:
        facts[FACTS * group + CYCLES] = tick - facts[FACTS * group + SINCE]
        return 1
    return 0


def join(
    kinds: U8, paths: I64, nodes: I32, parents: I32, facts: I64, sums: U64, powers: U64,
    event: int, wait: int, slots: int,
) -> int:  # fmt: skip
    """Count a signal that leaves a station, and make its group and that of the station ahead one;
    gives how many fewer groups are open."""
    group, path = group_of(parents, nodes[event >> 2]), paths[event]
    coming = (path & 0xFFFF_FFFF) << 2 | event & 3
    other, fewer = group_of(parents, node_of(nodes, kinds, coming)), 0
    if other != group:
        if facts[FACTS * other + CYCLES] != NOT_YET:
            both = (facts[FACTS * group + CYCLES] == 0) + (facts[FACTS * other + CYCLES] == 0)
            fewer = both - 1
            facts[FACTS * group + CYCLES], facts[FACTS * group + SINCE] = 0, NOT_YET
            joined = sums[SUMS * group + NOW] + sums[SUMS * other + NOW]
            sums[SUMS * group + NOW] = word(joined)
        parents[other] = group
    away = word(powers[(path >> 32) + wait] * powers[slots + 1])
    share = word(word(salt(coming)) * away)
    sums[SUMS * group + NOW] = word(sums[SUMS * group + NOW] + share)
    return fewer


def forget(facts: I64, sums: U64, group: int) -> int:
    """Note it if a group has no signals any more; 1 if it was open."""
    if sums[SUMS * group + NOW] or facts[FACTS * group + CYCLES] == NOT_YET:
        return 0
    was_open = facts[FACTS * group + CYCLES] == 0
    facts[FACTS * group + CYCLES] = NOT_YET
    return was_open


def ask(
    wheel: I32, pool: I64, counters: I64, kinds: U8, nodes: I32, parents: I32, facts: I64,
    cycles: I64, slots: int,
) -> None:  # fmt: skip
    """Write down after how many cycles the group of each signal came round; the signals are in
    the order of `spot`."""
    signals = 0
    for i in range(slots):
        entry = wheel[counters[TICK] + i & slots - 1]
        while entry:
            group = group_of(parents, node_of(nodes, kinds, pool[entry] >> 32))
            cycles[signals] = facts[FACTS * group + CYCLES]
            signals += 1
            entry = pool[entry] & 0xFFFF_FFFF
