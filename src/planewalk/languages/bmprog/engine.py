"""The engine of BMProg's own: exact at every cycle, without a look at every signal.

A run begins on the reference engine. One that goes on holds its signals in one of two forms (see
`flights.py` and `planes.py`), and changes between them for the one that is cheapest for what goes
on. Both work by kernels, which are machine code, or plain Python until that is made. What decides
is the work that was done, not the clock: the same run costs the same every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, cast

from ...core.geometry import Stance
from ...core.limits import Limits
from ...core.plane import BoardPlane
from ...core.state import LazyWalkers, State, Walker
from ...core.step import Stop
from ...engines.base.policy import policy_in_force
from ...engines.stepping.reference import ReferenceEngine
from .flights import Flights
from .forms import WAIT, Board, Codes, Form
from .instructions import MOVING, WAITING
from .native import KERNELS, PLAIN, Kernels
from .outcomes import HEADINGS, HOLDS
from .planes import Planes
from .rounds import RoundFinder
from .streams import is_streaming
from .symbols import symbols_of

if TYPE_CHECKING:
    from ...core.barriers import Barriers, Event
    from ...core.engine import Engine
    from ...core.language import Language
    from ...engines.native.machine_code import Store
    from .symbols import Symbols


FIRST_WORK = 8_000
"""Steps of single signals for which a run stays on the reference engine: by then that has taken as
long as it takes to load kernels."""
STEP = 1.5
"""Microseconds that such a step takes there."""
PATIENCE = 100_000.0
"""Microseconds of plain Python after which machine code is made, where none is kept."""

ENDINGS = [(*heading, mode) for mode in (MOVING, WAITING) for heading in HEADINGS]
"""Heading and mode, by the last three bits of a code."""


def _stance(code: int, stride: int) -> Stance:
    y, x = divmod(code >> 3, stride)
    return Stance(x - 1, y, *ENDINGS[code & 7])


def _walkers(codes: Codes, stride: int) -> Iterator[Walker]:
    for code in sorted(codes):  # equal states have equal lists, whatever form they were in
        yield Walker(_stance(code, stride))


def _watched(barriers: Barriers, board: Board) -> frozenset[int]:
    """The codes of signals that stop a run. Nothing else on the board can: cells are never read or
    written. No signal arrives in column -1."""
    places = (place for place in barriers.places() if board.holds(*place))
    codes = ((y * board.stride + x + 1) * 8 + end for x, y in places for end in range(8))
    return frozenset(code for code in codes if barriers.catch(_stance(code, board.stride)))


def _read(walkers: Iterable[Walker], board: Board) -> Codes | None:
    """The codes of walkers, or None if there is one that no run of BMProg ever makes."""
    codes: list[int] = []
    held: dict[int, int] = {}
    stride, width, height = board.stride, board.width, board.height
    directions = {heading: direction for direction, heading in enumerate(HEADINGS)}
    modes = {MOVING: 0, WAITING: WAIT}
    for (x, y, dx, dy, mode), hand in walkers:
        direction, wait = directions.get((dx, dy), -1), modes.get(cast(str, mode), -1)
        if direction < 0 or wait < 0 or hand is not None or not 0 <= y < height:
            return None
        if not 0 <= x < width and (x, direction) != (-1, 0):
            return None
        place = y * stride + x + 1
        codes.append(place * 8 + wait + direction)
        if wait:
            held[place] = held.get(place, 0) | 1 << direction
    possible = all(each in HOLDS.get(board.letter(place), ()) for place, each in held.items())
    return codes if possible and len(set(codes)) == len(codes) else None


class SignalEngine:
    """Runs BMProg in the form that is cheapest for what goes on. See `core.engine.Engine`."""

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits,
        kernels: Kernels = PLAIN,
        store: Store | None = None,
        only: type[Form] | None = None,
        symbols: Symbols | None = None,
    ) -> None:
        self.state = state
        self._forms: tuple[type[Form], ...] = (Flights, Planes) if only is None else (only,)
        self._reference = ReferenceEngine(language, state, limits)
        self._deadline = limits.deadline
        self._store = store
        self._kernels = kernels
        self._first_work = FIRST_WORK if only is None else 0
        """Steps of single signals that are left to the reference engine."""
        self._patience = inf if kernels is PLAIN else PATIENCE
        """Microseconds of plain Python that are left before machine code is made."""
        self._walks = self._first_work > 0
        """Whether it went the last ticks on the reference engine."""
        self._board = self._plain = Board(cast(BoardPlane, state.plane), kernels)
        self._plain.symbols = self._symbols = symbols
        self._stuck = False
        """Whether the next cycle takes a look at the input that only the reference engine has."""
        self._barriers: Barriers | None = None
        self._form: Form | None = None
        self._written: Any = None
        """The walkers this engine has put into the state: with others, signals are read anew."""
        self._tick = 0
        self._regret = 0.0
        """How much longer than in another form it took, as a sum that never goes below 0."""
        self._rounds = RoundFinder()

    @property
    def name(self) -> str:
        """See `core.engine.Engine`."""
        if self._walks:
            return "reference"
        return "llvm" if self._kernels.ready else "python"

    def hurry(self) -> SignalEngine:
        """Have machine code made at once, and use it as soon as it is there."""
        self._first_work, self._patience, self._walks = 0, 0.0, False
        self._kernels.order(self._store)
        return self

    def keep(self, store: Store) -> None:
        """Have machine code of all kernels in a store."""
        self._kernels.keep(store)

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        return 0

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        self._arm(barriers or None)
        state, stop = self.state, self.state.stop
        until = state.tick + ticks
        while stop is None and state.tick < until and self._deadline.left() > 0:
            form = None if self._stuck else self._current()
            if self._stuck:
                self._stuck = False
                stop = self._reference.advance(1, barriers)
            else:
                stop = self._walk(until, barriers) if form is None else self._run(form, until)
        return stop

    def _walk(self, until: int, barriers: Barriers | None) -> Stop | None:
        """Go some ticks on the reference engine."""
        state, signals = self.state, max(len(self.state.walkers), 1)
        before, self._walks = state.tick, True
        ticks = max(min(until - before, self._first_work // signals), 1)
        stop = self._reference.advance(ticks, barriers)
        work = (state.tick - before) * signals
        if self._first_work - work < len(state.walkers):
            self._load()
        else:
            self._first_work -= work
        self._climb(work * STEP)
        return stop

    def _load(self) -> None:
        """Leave the reference engine, for machine code if that is kept."""
        if self._first_work and self._patience < inf:
            self._kernels.recall(self._store)
        self._first_work = 0

    def _arm(self, barriers: Barriers | None) -> None:
        """Have forms stop at what the run stops at."""
        if barriers == self._barriers:
            return
        self._barriers = barriers
        if self._symbols is not None:
            self._symbols.arm(barriers)
        codes = _watched(barriers, self._plain) if barriers else frozenset()
        if codes == self._board.watched:
            return
        self._board = self._plain.watching(codes) if codes else self._plain
        if self._is_current():
            form = cast(Form, self._form)
            kind = self._rounds.plain(form)
            fits = kind in self._kinds()
            self._form = kind(self._board, form.tick, form.codes()) if fits else None

    def _kinds(self) -> list[type[Form]]:
        """The forms that can be had: sweeps of planes cannot undo what streams did."""
        if self._symbols is None or not self._board.watched:
            return list(self._forms)
        return [form for form in self._forms if form is not Planes]

    def _is_current(self) -> bool:
        """Whether the form holds the signals of the state."""
        state = self.state
        same = state.walkers is self._written and state.tick == self._tick
        return self._form is not None and same

    def _current(self) -> Form | None:
        """The signals of the state in one of the forms, if there are any and they are ordinary."""
        if self._symbols is not None and not self._symbols.are_ordinary():
            return None
        if not self._is_current():
            if len(self.state.walkers) > self._first_work:
                self._load()
            codes = None if self._first_work else _read(self.state.walkers, self._board)
            self._rounds = RoundFinder()
            some = codes or (codes is not None and self._symbols is not None)
            self._form = self._formed(codes or []) if some else None
        return self._form

    def _formed(self, codes: Codes) -> Form | None:
        """The cheapest form, if one can be had now."""
        self._regret = 0.0
        board = self._board
        events = len(codes) * board.instructions / len(board.cells)
        kinds = self._kinds()
        if not kinds:
            return None
        best = self._best(kinds, events)
        return None if best.cost(board, events) == inf else best(board, self.state.tick, codes)

    def _best(self, forms: Iterable[type[Form]], events: float) -> type[Form]:
        return min(forms, key=lambda form: form.cost(self._board, events))

    def _run(self, form: Form, until: int) -> Stop | None:
        state, watched, rounds = self.state, self._board.watched, self._rounds
        # After an interrupt the form may be in the middle of a cycle: the state is what counts.
        self._form, self._walks = None, False
        value, stop, landed = state.registers["value"], None, False
        symbols, pause = self._symbols, None
        if symbols is not None:
            symbols.load()
        while stop is None and not landed and form.tick < until and self._deadline.left() > 0:
            if symbols is not None:
                pause, self._stuck = symbols.trade(form.tick, until), symbols.is_stuck(form.tick)
                if pause is not None or self._stuck or symbols.is_full or symbols.events():
                    break
            if not watched:
                form, bits = rounds.go(form, self._board, until, self._deadline)
                value ^= bits
            before = form.tick
            stop = form.run(rounds.pause(before, until)) if before < until else None
            landed = stop is None and bool(watched) and not watched.isdisjoint(form.codes())
            if stop is None and not landed:
                better = self._better(form, form.tick - before)
                if better is not None:
                    value ^= form.take_bits()
                    form = better(self._board, form.tick, form.codes())
        state.registers["value"] = value ^ form.take_bits()
        if symbols is not None:
            pause = symbols.trade(form.tick, form.tick) or pause
        codes = form.codes()
        make = partial(_walkers, codes, self._board.stride)
        walkers = LazyWalkers.later(codes.__len__, make)
        state.walkers = cast(list[Walker], walkers)
        events = [] if symbols is None else symbols.events()
        if symbols is not None:
            symbols.save()
        state.tick = form.tick
        state.stop = stop
        self._form, self._written, self._tick = form, state.walkers, form.tick
        caught = watched.intersection(codes) if stop is None and (landed or events) else ()
        return self._hit(events, caught) if events or caught else stop or pause

    def _hit(self, events: list[Event], codes: Iterable[int]) -> Stop:
        """The stop that tells of these, and of signals which have arrived."""
        from ...core.barriers import Landed, hit  # only debuggers have barriers

        stride = self._board.stride
        return hit([*events, *(Landed(_stance(code, stride)) for code in sorted(codes))])

    def _better(self, form: Form, cycles: int) -> type[Form] | None:
        """Another form, if by now that would have been quicker, the change included."""
        board, events = self._board, form.events()
        spent = cycles * form.cost(board, events)
        self._climb(spent)
        others = [other for other in self._kinds() if not isinstance(form, other)]
        if self._rounds.took(spent) or not others:
            return None
        best = self._best(others, events)
        self._regret = max(self._regret + spent - cycles * best.cost(board, events), 0.0)
        if self._regret <= best.cost_of_change(board, form.signals()):
            return None
        self._regret = 0.0
        return best

    def _climb(self, spent: float) -> None:
        """Have machine code made once plain Python has gone on for long enough."""
        if self._kernels.ready:
            return
        self._patience -= spent
        if self._patience <= 0:
            self._kernels.order(self._store)


def engine_of(
    language: Language, name: str, state: State, limits: Limits, store: Store | None
) -> Engine:
    """The engine of that name; the language is BMProg."""
    symbols = symbols_of(state, limits) if is_streaming(state.options) else None
    if symbols is None and is_streaming(state.options):
        return ReferenceEngine(language, state, limits)
    kernels = PLAIN if name == "python" else KERNELS
    engine = SignalEngine(language, state, limits, kernels, store, symbols=symbols)
    hurried = name == "llvm" or (name == "auto" and policy_in_force().short <= 0)
    return engine.hurry() if hurried else engine
