"""Signals that are followed: which of them ever meet, and when those are where they were before.

A group is a set of cells with an instruction between which signals have been seen to go. No signal
can have anything to do with those of another group as long as no group meets another. So when each
group has been seen to come round, in whatever time it takes, all of them will go on like that for
ever: each has done all that it will ever do, and none came across another. Together they may
never be where they were, or not for ages.

Where the signals of a group are is known by a sum. Each counts as a random number, for the cell
that it will reach, times a power of `BASE`, for the cycle in which it does. So signals that are
where they were give the same sum but for a power of `BASE`, and only what happens changes a sum.
That sums are the same proves nothing: whoever finds a round must try it (see `rounds.py`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from heapq import heappop, heappush
from math import inf
from typing import ClassVar

from ...core.step import Halted, Stop
from . import forms
from .forms import Board, Codes, EnteredForm, Event, Flights
from .rules import LANGUAGE
from .truth import bits

FOLLOWED, SIGNAL = 3.0, 4.0
"""Measured: how many times as long it takes to follow signals, and the microseconds for each of
them before that begins."""
MOST_CELLS = 1 << 16
"""With an instruction; a group takes some hundreds of bytes."""
VOID = ord("#")
PRIME = (1 << 61) - 1
BASE = 1_111_111_111_111_111_111


class SignalGroup:
    """What is known of cells that signals go between."""

    __slots__ = ("cycles", "leader", "mark", "since", "sum", "then")

    def __init__(self) -> None:
        self.leader: SignalGroup | None = None
        """The group of which this one is a part by now."""
        self.sum = 0
        self.then = 0
        """The sum when it began to be followed, in cycle `since`."""
        self.since = 0
        self.mark: Event | None = None
        """What was about to happen then; None if it has not done anything yet."""
        self.cycles = -1
        """After how many it came round; 0 if it has not, -1 if it has no signals."""


class FollowedFlights(Flights):
    """See `forms.FollowedForm`."""

    plain: ClassVar[type[EnteredForm]] = Flights

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        super().__init__(board, tick, codes)
        self.all_round = False
        self._open = 0
        """How many groups have signals, and have not come round."""
        self._now, self._power_now = tick, 1
        """A cycle, and the power of it."""
        self._dice = random.Random(tick)
        self._groups: dict[Event, tuple[SignalGroup, int]] = {}
        """The group that each event belongs to, and the number that a signal counts as."""
        self._cells: dict[int, SignalGroup] = {}
        self._sent: dict[Event, tuple[tuple[int, Event, int], ...]] = {}
        """What comes after an event: delays, events, and numbers with the power of the delay."""
        for cycle, events in self._calendar.items():
            for event in events:
                group, salt = self._group(event)
                self._wake(group)
                group.sum += salt * pow(BASE, cycle - tick, PRIME)

    @staticmethod
    def cost(board: Board, events: float) -> float:
        return inf if board.instructions > MOST_CELLS else FOLLOWED * Flights.cost(board, events)

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return SIGNAL * signals

    def run(self, until: int) -> Stop | None:
        self._before = (self.tick, self.work)
        calendar, cycles, sent = self._calendar, self._cycles, self._sent
        enough = self.work + forms.EVENTS_AT_ONCE
        while cycles[0] < until:
            cycle = heappop(cycles)
            events, now = calendar[cycle], self._power_at(cycle)
            self._arrive(events, cycle, now)
            if len(events) > 1:
                events = calendar[cycle] = self._together(events)
            ended = fewer = False
            for event in events:  # which may grow: a signal can leave as soon as it has turned
                if event < 0:
                    ended |= self._leave(~event)
                    fewer = True
                    continue
                following = sent.get(event)
                if following is None:
                    following = self._send(event)
                fewer |= not following
                group = self._group(event)[0]
                for delay, coming, number in following:
                    other = self._group(coming)[0]
                    if other is not group:
                        self._join(group, other)
                    if delay:
                        group.sum += number * now
                    at = cycle + delay
                    if at in calendar:
                        calendar[at].append(coming)
                    else:
                        calendar[at] = [coming]
                        heappush(cycles, at)
            del calendar[cycle]
            self.work += len(events)
            if ended or not calendar:
                self.tick = cycle + 1
                return Halted() if ended else LANGUAGE.rules.deserted
            if fewer:
                self._forget(events)
            self.all_round = self._open == 0
            if self.all_round or self.work > enough:
                self.tick = cycle + 1
                return None
        self.tick = until
        return None

    def cycles(self) -> list[int]:
        return [
            self._group(event)[0].cycles for events in self._calendar.values() for event in events
        ]

    def _power_at(self, cycle: int) -> int:
        self._power_now = self._power_now * pow(BASE, cycle - self._now, PRIME) % PRIME
        self._now = cycle
        return self._power_now

    def _arrive(self, events: list[Event], cycle: int, now: int) -> None:
        """Look at the groups that are about to act, then take those signals out of their sums."""
        arriving = [self._group(event) for event in events]
        for event, (group, _) in zip(events, arriving, strict=True):
            if group.mark == event:
                self._compare(group, cycle)
            elif group.mark is None:
                self._wake(group)
                group.mark, group.since, group.then = event, cycle, group.sum
        for group, salt in arriving:
            group.sum -= salt * now

    def _compare(self, group: SignalGroup, cycle: int) -> None:
        """Note it if a group is as it was."""
        if not group.cycles:
            then = group.then * pow(BASE, cycle - group.since, PRIME)
            if (then - group.sum) % PRIME == 0:
                group.cycles = cycle - group.since
                self._open -= 1

    def _wake(self, group: SignalGroup) -> None:
        """Note that a group has signals."""
        if group.cycles < 0:
            group.cycles = 0
            self._open += 1

    def _join(self, group: SignalGroup, other: SignalGroup) -> None:
        """Make two groups one; if both have signals, it is followed anew."""
        if other.cycles >= 0:
            self._open += 1 - (not group.cycles) - (not other.cycles)
            group.cycles, group.mark = 0, None
            group.sum += other.sum
        other.leader = group

    def _forget(self, events: Iterable[Event]) -> None:
        """Note which groups have no signals any more."""
        for event in events:
            for way in bits(event & 15) if event >= 0 else [0]:
                alone = event if event < 0 else event & ~15 | 1 << way
                group = self._group(alone)[0]
                if group.cycles >= 0 and group.sum % PRIME == 0:
                    self._open -= not group.cycles
                    group.cycles, group.mark, group.sum = -1, None, 0

    def _group(self, event: Event) -> tuple[SignalGroup, int]:
        """The group of the cell that a signal will reach, and what it counts as. Where signals
        cannot meet, as in voids and at edges, each way is by itself."""
        found = self._groups.get(event)
        if found is None:
            if event < 0 or self.board.letter(event >> 4) == VOID:
                group = SignalGroup()
            else:
                group = self._cells.setdefault(event >> 4, SignalGroup())
            found = self._groups[event] = (group, self._dice.getrandbits(60))
        group = found[0]
        if group.leader is None:
            return found
        while group.leader is not None:
            group = group.leader
        found = self._groups[event] = (group, found[1])
        return found

    def _send(self, event: Event) -> tuple[tuple[int, Event, int], ...]:
        self._sent[event] = sent = tuple(
            (delay, coming, self._group(coming)[1] * pow(BASE, delay, PRIME) % PRIME)
            for delay, coming in self._look_up(event)
        )
        return sent
