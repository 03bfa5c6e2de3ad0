"""The control-flow graph of a run: straight stretches, and how often one leads to another.

The reference engine is observed tick by tick. Stances that always follow each other in one heading
are merged into a stretch; what remains are turns, branches, joins and loops.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple

from ...core.base.deadline import Clock
from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.observation import Step
from ...core.state import State
from ...core.step import STATUS, Spent, Stop
from ...engines.stepping.observe import Observer
from ...engines.stepping.scales import Scales
from ..walk.stances import heading_name

MOST_VISITS = 300_000
"""Limit on walkers times ticks, since crowds act often."""
MOST_STRETCHES = 240
"""Limit on the stretches of a picture; the most visited are kept."""


class Stretch(NamedTuple):
    """A straight piece of the walk: from the first place to the last, in one heading."""

    first: tuple[Any, Any]
    last: tuple[Any, Any]
    heading: str
    symbols: str
    """What stands there in the order of the walk; of cells that changed, what was met last."""
    times: int
    """How often it was walked."""
    changed: bool
    """Whether one of its cells was rewritten while it was in use."""
    entry: bool
    ends: int
    """How many walkers were here when the run stopped."""
    gone: int
    """How many walkers left the plane from here, or vanished, while the run went on."""
    deed: str = ""
    """What they did by that, in words, if anything came of it."""
    entered: int = 1
    """How often one came in here from outside, or began here."""


class FlowEdge(NamedTuple):
    """How often one stretch led to another, by their numbers."""

    source: int
    target: int
    times: int


class Flow(NamedTuple):
    """All stretches of a run, the edges between them, and how the run ended."""

    stretches: list[Stretch]
    ways: list[FlowEdge]
    status: str
    steps: int
    left_out: int
    """Stretches that were dropped because there are too many to show."""
    stop: Stop | None = None


class _Record:
    """Counts of a run, stance by stance."""

    def __init__(self) -> None:
        self.visits: Counter[Stance] = Counter()
        self.ways: Counter[tuple[Stance, Stance]] = Counter()
        self.ends: Counter[Stance] = Counter()
        self.gone: Counter[Stance] = Counter()
        self.deeds: dict[Stance, str] = {}
        self.symbols: dict[Stance, str] = {}
        self.changed: set[Stance] = set()
        self.entries: Counter[Stance] = Counter()


def flow_of(
    language: Language, state: State, limits: Limits, clock: Clock, most: int = MOST_STRETCHES
) -> Flow:
    """Run within limits, and gather the graph of what was walked."""
    record, stop = _watch(language, state, limits, clock)
    chains = _chains(record)
    kept = sorted(range(len(chains)), key=lambda n: -record.visits[chains[n][0]])
    entries = set(record.entries)
    # The beginning stays, however seldom it is walked.
    kept.sort(key=lambda n: entries.isdisjoint(chains[n]))
    kept = sorted(kept[:most])
    number = {chain: at for at, chain in enumerate(kept)}
    stretches = [_stretch(language, record, chains[n]) for n in kept]
    home = {stance: (n, at) for n, chain in enumerate(chains) for at, stance in enumerate(chain)}
    ways: Counter[tuple[int, int]] = Counter()
    for (before, after), times in record.ways.items():
        (a, i), (b, j) = home[before], home[after]
        if (a, i + 1) != (b, j) and a in number and b in number:
            ways[number[a], number[b]] += times
    return Flow(
        stretches,
        [FlowEdge(a, b, times) for (a, b), times in ways.items()],
        STATUS[type(stop)],
        state.tick,
        len(chains) - len(kept),
        stop,
    )


def _watch(language: Language, state: State, limits: Limits, clock: Clock) -> tuple[_Record, Stop]:
    record = _Record()
    observer = Observer(language, state, limits)
    scales = Scales(observer, limits, clock)
    steps = math.inf if limits.steps is None else limits.steps
    record.entries.update(walker.stance for walker in state.walkers)
    met, stop = 0, observer.advance(0)
    while stop is None and state.tick < steps and met + len(state.walkers) <= MOST_VISITS:
        step = observer.step()
        if step is None:
            break  # it waits, and nothing has happened
        met += _note(record, step)
        stop = state.stop or scales.look()
    for walker in state.walkers:
        if state.stop is None and record.visits[walker.stance]:
            record.ends[walker.stance] += 1
    # Stances that were reached and never acted on are no part of the walk.
    for way in [way for way in record.ways if not record.visits[way[1]]]:
        record.ends[way[0]] += record.ways.pop(way)
    return record, stop or observer.pause or Spent("steps")


def _note(record: _Record, step: Step) -> int:
    """Add a step to the record; returns how many walkers took part in it."""
    stood = step.stood()
    for action in step.actions:
        symbol = action.instruction.symbol
        for number in action.walkers:
            stance = stood[number]
            record.visits[stance] += 1
            if record.symbols.setdefault(stance, symbol) != symbol:
                record.changed.add(stance)
                record.symbols[stance] = symbol
    if step.stop is not None:  # then walkers still stand where they acted last
        record.ends.update(stood.values())
        return len(stood)
    for _, before, after in step.moves:
        record.ways[before.stance, after.stance] += 1
    for _, parents, walker in step.born:
        if parents:
            record.ways[stood[parents[0]], walker.stance] += 1
        else:  # from outside
            record.entries[walker.stance] += 1
    split = {number for birth in step.born for number in birth.parents}
    lost = [loss for loss in step.gone if loss.number not in split]
    record.gone.update(stood[loss.number] for loss in lost)
    record.deeds.update((stood[loss.number], loss.deed) for loss in lost)
    return len(stood)


def _chains(record: _Record) -> list[list[Stance]]:
    """The stances in straight pieces, in the order in which they were first met."""
    nexts: dict[Stance, list[Stance]] = {}
    ways_in: Counter[Stance] = Counter()
    for one, other in record.ways:
        nexts.setdefault(one, []).append(other)
        ways_in[other] += 1
    entries = set(record.entries)

    def follows(one: Stance) -> Stance | None:
        """The stance that one always leads to, if only one does and the heading is the same."""
        following = nexts.get(one, [])
        if len(following) != 1 or record.gone[one]:
            return None
        other = following[0]
        if ways_in[other] != 1 or other in entries or one[2:4] != other[2:4]:
            return None
        return other

    inner = {follows(stance) for stance in record.visits}
    chains: list[list[Stance]] = []
    placed: set[Stance] = set()
    # First from where stretches begin; what is left then runs in a ring of its own.
    for stance in [s for s in record.visits if s not in inner] + list(record.visits):
        chain: list[Stance] = []
        here: Stance | None = stance
        while here is not None and here not in placed:
            placed.add(here)
            chain.append(here)
            here = follows(here)
        if chain:
            chains.append(chain)
    order = {stance: at for at, stance in enumerate(record.visits)}
    return sorted(chains, key=lambda chain: order[chain[0]])


def _stretch(language: Language, record: _Record, chain: list[Stance]) -> Stretch:
    first, last = chain[0], chain[-1]
    ends, gone, entered = (
        sum(counts[stance] for stance in chain)
        for counts in (record.ends, record.gone, record.entries)
    )
    return Stretch(
        first[:2],
        last[:2],
        heading_name(language, first.dx, first.dy),
        "".join(record.symbols[stance] for stance in chain),
        max(record.visits[stance] for stance in chain),
        not record.changed.isdisjoint(chain),
        entered > 0,
        ends,
        gone,
        record.deeds.get(last, ""),
        entered,
    )


def flow_json(flow: Flow) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "status": flow.status,
        "steps": flow.steps,
        "left_out": flow.left_out,
        "stretches": [
            {**stretch._asdict(), "first": list(stretch.first), "last": list(stretch.last)}
            for stretch in flow.stretches
        ],
        "ways": [way._asdict() for way in flow.ways],
    }
