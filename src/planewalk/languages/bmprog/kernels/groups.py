"""Kernels for flights that are followed (see `../groups.py`): groups of stations, as disjoint sets.

`parents` leads from each station to another of its group, and at last to one that leads to itself,
which stands for all; a signal belongs to the station from which it comes. Of each group, `facts`
has since when it is followed, after how many cycles it was as it was then, and when it last acted;
`sums` has what its signals amount to, now and then.

A signal amounts to salt(event) * BASE ** (when it arrives), modulo 2 ** 64. So a group whose
signals are all where they were has the same sum, but for a power of BASE. `powers` has these
powers, and at its end those for this cycle: forth, and back.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8, U64, word
from .layout import TICK, VOID

SINCE, CYCLES, LAST, FACTS = 0, 1, 2, 3
"""Where in `facts` what stands, and how many there are; all are `NOT_YET` at first."""
NOT_YET = -1
NOW, THEN, SUMS = 0, 1, 2
"""The same for `sums`, which are 0 at first."""

BASE = 0x5851_F42D_4C95_7F2D
INVERSE = pow(BASE, -1, 1 << 64)
SALT, PEPPER = 0x1E37_79B9_7F4A_7C15, 0x3F58_476D_1CE4_E5B9


def salt(event: int) -> int:
    """Some bits that stand for an event, as good as random."""
    mixed = word(word(event + 1) * word(SALT))
    mixed = word((mixed ^ mixed >> 31) * word(PEPPER))
    return int(mixed ^ mixed >> 29)


def begin(
    wheel: I32, pool: I64, counters: I64, paths: I64, parents: I32, sums: U64, powers: U64,
    stations: int, slots: int,
) -> None:  # fmt: skip
    """Begin to follow the signals on the wheel, each station by itself a group."""
    for station in range(stations):
        parents[station] = station
    powers[0] = word(1)
    for i in range(slots):
        powers[i + 1] = word(powers[i] * word(BASE))
    powers[slots + 1], powers[slots + 2] = word(1), word(1)
    for cycles in range(slots):
        entry = wheel[counters[TICK] + cycles & slots - 1]
        while entry:
            event = pool[entry] >> 32
            at = SUMS * group_of(parents, paths, event) + NOW
            sums[at] = word(sums[at] + word(word(salt(event)) * powers[cycles]))
            entry = pool[entry] & 0xFFFF_FFFF


def root(parents: I32, station: int) -> int:
    """The station that stands for the group of this one."""
    while parents[station] != station:
        parents[station] = parents[parents[station]]
        station = parents[station]
    return station


def group_of(parents: I32, paths: I64, event: int) -> int:
    """The group of a signal that is about to arrive."""
    return root(parents, paths[event ^ 2] & 0xFFFF_FFFF)


def arrive(
    kinds: U8, paths: I64, parents: I32, facts: I64, sums: U64, powers: U64,
    event: int, tick: int, slots: int,
) -> None:  # fmt: skip
    """Look whether the group of a signal that arrives is as it was, and take the signal away from
    it; then make it and the group of the station one, if signals go on from there."""
    group, station = group_of(parents, paths, event), event >> 2
    now, facts_of = SUMS * group + NOW, FACTS * group
    if facts[facts_of + LAST] != tick:
        facts[facts_of + LAST] = tick
        shape = word(sums[now] * powers[slots + 2])
        if facts[facts_of + SINCE] == NOT_YET:
            facts[facts_of + SINCE], sums[SUMS * group + THEN] = tick, shape
        elif facts[facts_of + CYCLES] == NOT_YET and sums[SUMS * group + THEN] == shape:
            facts[facts_of + CYCLES] = tick - facts[facts_of + SINCE]
    sums[now] = word(sums[now] - word(word(salt(event)) * powers[slots + 1]))
    other = root(parents, station)
    if other != group and kinds[station] < VOID:
        if sums[SUMS * other + NOW] or facts[FACTS * other + LAST] == tick:
            facts[facts_of + SINCE], facts[facts_of + CYCLES] = NOT_YET, NOT_YET
            sums[now] = word(sums[now] + sums[SUMS * other + NOW])
        parents[other] = group


def depart(
    paths: I64, parents: I32, sums: U64, powers: U64, event: int, wait: int, slots: int
) -> None:
    """Add a signal that leaves a station, maybe a cycle later, to its group."""
    path, at = paths[event], SUMS * root(parents, event >> 2) + NOW
    coming = (path & 0xFFFF_FFFF) << 2 | event & 3
    power = word(powers[(path >> 32) + wait] * powers[slots + 1])
    sums[at] = word(sums[at] + word(word(salt(coming)) * power))


def pass_cycle(powers: U64, slots: int) -> None:
    """Note that a cycle is over."""
    powers[slots + 1] = word(powers[slots + 1] * word(BASE))
    powers[slots + 2] = word(powers[slots + 2] * word(INVERSE))


def ask(
    wheel: I32, pool: I64, counters: I64, paths: I64, parents: I32, facts: I64, cycles: I64,
    slots: int,
) -> None:  # fmt: skip
    """Write down after how many cycles the group of each signal came round; the signals are in
    the order of `spot`."""
    signals = 0
    for i in range(slots):
        entry = wheel[counters[TICK] + i & slots - 1]
        while entry:
            group = group_of(parents, paths, pool[entry] >> 32)
            cycles[signals] = facts[FACTS * group + CYCLES]
            signals += 1
            entry = pool[entry] & 0xFFFF_FFFF
