"""The ways a program takes: straight stretches of its walk, and how often one leads to another.

A run of the reference engine is watched tick by tick. Stances that always follow each other in
one heading become one stretch; what remains are turns, branches, joins and loops.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from ..core.geometry import Stance
from ..core.language import Language
from ..core.limits import Limits
from ..core.plane import Plane
from ..core.state import State
from ..core.step import STATUS, Spent, Stop
from ..engines.reference import ReferenceEngine
from .explain import heading_name

MOST_VISITS = 300_000
"""Walkers times ticks after which nobody looks on: a crowd would take for ever."""
MOST_STRETCHES = 240
"""What a picture can show; beyond it only the stretches visited most are kept."""


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


class Way(NamedTuple):
    """That one stretch leads to another, by their numbers, and how often."""

    source: int
    target: int
    times: int


class Flow(NamedTuple):
    """All stretches and ways of a run, and how the run went."""

    stretches: list[Stretch]
    ways: list[Way]
    status: str
    steps: int
    left_out: int
    """Stretches that were dropped because there are too many to show."""


class _Record:
    """What was seen of a run, stance by stance."""

    def __init__(self) -> None:
        self.visits: Counter[Stance] = Counter()
        self.ways: Counter[tuple[Stance, Stance]] = Counter()
        self.ends: Counter[Stance] = Counter()
        self.gone: Counter[Stance] = Counter()
        self.symbols: dict[Stance, str] = {}
        self.changed: set[Stance] = set()
        self.entries: list[Stance] = []


def flow_of(language: Language, state: State, steps: int, most: int = MOST_STRETCHES) -> Flow:
    """Run at most that many steps, and tell which ways were taken."""
    record, stop = _watch(language, state, steps)
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
        [Way(a, b, times) for (a, b), times in ways.items()],
        STATUS[type(stop)],
        state.tick,
        len(chains) - len(kept),
    )


def _watch(language: Language, state: State, steps: int) -> tuple[_Record, Stop]:
    record = _Record()
    engine = ReferenceEngine(language, state, Limits())
    record.entries = [walker.stance for walker in state.walkers]
    met, stop = 0, engine.advance(0)
    while stop is None and state.tick < steps and met < MOST_VISITS:
        before = [walker.stance for walker in state.walkers]
        symbols = [language.decode(state.plane, stance).symbol for stance in before]
        tick = state.tick
        stop = engine.advance(1)
        if state.tick == tick:
            break  # it waits, and nothing has happened
        met += len(before)
        for stance, symbol in zip(before, symbols, strict=True):
            record.visits[stance] += 1
            if record.symbols.setdefault(stance, symbol) != symbol:
                record.changed.add(stance)
                record.symbols[stance] = symbol
        ended = state.stop is not None  # then walkers still stand where they acted last
        after = [] if ended else [walker.stance for walker in state.walkers]
        _note_ways(record, language, state.plane, before, after)
    for walker in state.walkers:
        if state.stop is None and record.visits[walker.stance]:
            record.ends[walker.stance] += 1
    # Stances that were reached and never acted on are no part of the walk.
    for way in [way for way in record.ways if not record.visits[way[1]]]:
        record.ends[way[0]] += record.ways.pop(way)
    return record, stop or Spent("steps")


def _note_ways(
    record: _Record,
    language: Language,
    plane: Plane,
    before: list[Stance],
    after: list[Stance],
) -> None:
    if len(before) == len(after) == 1:
        record.ways[before[0], after[0]] += 1
        return
    followed = set()
    for one, other in followers(language, plane, before, after):
        record.ways[one, other] += 1
        followed.add(one)
    for stance in before:
        if stance not in followed:
            (record.gone if after else record.ends)[stance] += 1


def followers(
    language: Language, plane: Plane, before: list[Stance], after: list[Stance]
) -> list[tuple[Stance, Stance]]:
    """Who came from whom in one tick of several walkers.

    A walker that turned and then made its step has come from the cell behind it. Those for whom
    nobody was there have jumped, and are given to those who are left, in their order.
    """
    step = language.after or language.move
    free = Counter(before)
    here: dict[tuple[Any, Any], list[Stance]] = {}
    for stance in free:
        here.setdefault((stance.x, stance.y), []).append(stance)
    kinds = {stance[2:] for stance in after}
    behind: dict[Stance, list[Stance]] = {}
    for place, standing in here.items():
        for kind in kinds:
            reached = step(plane, Stance(*place, *kind))
            if reached is not None:
                behind.setdefault(reached, []).extend(standing)
    found: list[tuple[Stance, Stance]] = []
    lost: list[Stance] = []
    used: set[Stance] = set()
    for stance in after:
        # Or it has stood still: where walkers fork, twins may begin in the same cell.
        sources = behind.get(stance) or here.get((stance.x, stance.y))
        if not sources:
            lost.append(stance)
            continue
        heading = stance[2:4]
        source = min((free[s] < 1, s[2:4] != heading, at) for at, s in enumerate(sources))[2]
        free[sources[source]] -= 1
        used.add(sources[source])
        found.append((sources[source], stance))
    idle = [stance for stance in before if stance not in used]
    return found + list(zip(idle, lost, strict=False))


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
    return Stretch(
        (first.x, first.y),
        (last.x, last.y),
        heading_name(language, first.dx, first.dy),
        "".join(record.symbols[stance] for stance in chain),
        max(record.visits[stance] for stance in chain),
        not record.changed.isdisjoint(chain),
        not set(record.entries).isdisjoint(chain),
        sum(record.ends[stance] for stance in chain),
        sum(record.gone[stance] for stance in chain),
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
