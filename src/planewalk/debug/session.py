"""A run that can be walked in both directions: stopped, asked about its past, changed and saved."""

from __future__ import annotations

import os
from typing import Any

from ..core.base.deadline import never
from ..core.errors import OptionError, WrongType
from ..core.program import Program
from ..core.state import State
from ..core.step import Stop
from ..core.stream import InputStream
from ..core.text import bytes_of
from .asking import questions
from .asking.compare import compare as compare_branches
from .conditions.grammar import Wanted
from .edits import edited
from .portable import arrive, depart
from .replay.branch import MAIN, Branch
from .replay.course import Pause
from .search.finder import Finder
from .walkfile import to_bytes


class Session(Finder):
    """A run of a program, at some tick of it: `tick`, `state`, `output` and `stop` are now.

    `forward`, `back`, `goto` and `end` walk; each gives why the run stands where it does, or None
    if it could simply go on. `state` is to be looked at; `edit` is how to change it.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        made_with = ("limits", "budget", "engine", "clock", "write")
        return arrive, (Session, depart(self, {name: getattr(self, name) for name in made_with}))

    def __repr__(self) -> str:
        where = f"tick {self.tick:,} of {self.reached:,}" if self.reached else "tick 0"
        branch = "" if self.branch.parent is None else f" on {self.branch.name!r}"
        return f"<Session of {self.language.title}: {where}{branch}>"

    # Conditions ------------------------------------------------------------------------------

    def run(
        self,
        seconds: float,
        wanted: Wanted | None = None,
        ticks: int | None = None,
        hurry: Pause = never,
    ) -> Stop | None:
        """Go on for about that long and at most so many ticks, and leave the rest for later; to
        where a condition is true, if there is one. A tick that has begun is done to its end,
        however long it takes, unless `hurry` says otherwise."""
        until = self.clock() + seconds
        last = self.limits.steps if ticks is None else self.tick + ticks
        with self.walking(hurry):
            if wanted is not None:
                self.go_on(wanted, lambda: self.clock() >= until, last)
            else:
                self.course.go(last, pause=lambda: self.clock() >= until)
        return self.stop

    # Questions: if `pause` says so, one is given up with `LimitReached` ------------------------

    who_wrote = questions.who_wrote
    last_read = questions.last_read
    biography = questions.biography
    when_written = questions.when_written
    why = questions.why
    visits = questions.visits
    compare = compare_branches

    # Changing the run ------------------------------------------------------------------------

    def feed(self, data: bytes | str) -> None:
        """More input; nothing at all means that there will be no more. In the past it forks."""
        if not isinstance(data, (str, bytes, bytearray, memoryview)):
            raise WrongType(f"data: expected bytes or a string, not {data!r}")
        data = bytes_of(data) if isinstance(data, str) else bytes(data)
        if self.state.input.closed:
            raise OptionError("the input has ended already; edit(input=...) changes what is unread")
        if self.tick < max(self.reached, self.branch.last_arrival):
            self.fork()
        self.course.search = None
        self.branch.receive(self.tick, data)
        self.course.go(self.tick)

    def edit(self, **change: Any) -> Branch:
        """Change something here and go on from it, on a branch of its own: `cell=(5, 2),
        value=118`, `cells={(5, 2): 118, ...}`, `stack=0, value=7` (0 at the top),
        `register="counter", value=1`, `walker=0, value=Stance(...)` (None removes it), or
        `input=b"..."`: what is unread from now on."""
        state, told = edited(self.language, self.state, pause=self.cancellation.check, **change)
        read = state.input.position
        unread = bytes(state.input.data[read - state.input.dropped :])
        arrived = bytes(self.branch.arrived[:read]) + unread
        branch = self._fork(told, state, arrived)
        branch.edits = (change,)
        return branch

    def fork(self) -> Branch:
        """Go on from here on a branch of its own, to which other input may come."""
        return self._fork("input", self.state.copy())

    def reload(self, source: bytes | str, pause: Pause = never) -> Stop | None:
        """Run another source with the same language, options, input and seed, to the same tick."""
        source = bytes_of(source) if isinstance(source, str) else bytes(source)
        options = self.program.options
        program = Program(self.language, source, options)
        state = program.start(self.seed)
        first = self.branches[MAIN]
        begun = bytes(first.arrived[: first.keyframes.first.length])
        state.input = InputStream(begun, first.keyframes.first.closed)
        tick = self.tick
        self.program = program
        branch = Branch(MAIN, state, begun, budget=self.budget)
        for when, end, closes in first.arrivals:
            branch.receive(when, b"" if closes else bytes(first.arrived[len(branch.arrived) : end]))
        self.branches = {MAIN: branch}
        self._go_to_branch(branch)
        return self.goto(tick, pause)

    def _fork(self, change: str, state: State, arrived: bytes | None = None) -> Branch:
        parent = self.branch
        name = f"{change} at {self.tick:,}"
        number = 2
        while name in self.branches:
            name, number = f"{change} at {self.tick:,} ({number})", number + 1
        state.take_output()
        come = state.input.position + state.input.unread
        log = bytes(parent.arrived[:come]) if arrived is None else arrived
        written = self.output
        branch = Branch(
            name, state, log, output=written, parent=parent.name, change=change, budget=self.budget
        )
        branch.note_replaced(self.state.plane)
        branch.heard = len(parent.arrivals)
        self.branches[name] = branch
        self._go_to_branch(branch)
        return branch

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, which `planewalk.session` opens again at this moment."""
        if self.write is None:
            raise OptionError("this session was made without a way to write files")
        if not isinstance(path, (str, os.PathLike)):
            raise WrongType(f"path: expected the path of a file, not {path!r}")
        self.write(os.fspath(path), to_bytes(self))
