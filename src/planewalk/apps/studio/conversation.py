"""One tab's side of the conversation: messages in, messages out, no sockets and no files.

A clock is handed in, so that the same object can run anywhere: behind a WebSocket, in a test, or
inside the browser itself. Its owner calls `receive` for each message and `work` as long as
`running` is set; both give messages to be sent. Messages are plain data (see `docs/studio.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from ... import __version__
from ...core.base.deadline import never
from ...core.base.record import Record
from ...core.errors import LimitReached, OptionError, PlanewalkError
from ...core.language import Language
from ...core.limits import Limits, allowing, show_size
from ...core.program import Program
from ...debug.conditions.grammar import Wanted
from ...debug.replay.course import Pause
from ...debug.session import Session
from ...languages import registry
from ...view.console.console import may_fork
from ...view.walk.telling import tell
from ..fields import Message, refusal
from ..sessions import EngineMaker
from . import describe
from .blocks import turn_words
from .circuits import Table
from .editing import asked_edit, change_moment
from .encoding import encoded
from .inquiry import QUESTIONS, joined
from .messages import MOST_BRANCHES, checked, courses
from .open_run import OpenRun, bounded
from .pictures import Easel, film, pixel_program, read_size
from .recording import limited, page_of, through
from .retracing import among, change_of, retrace, return_to
from .terrain import edges
from .thumbnails import find, thumbnail

LONGEST_REST = 0.2
"""Seconds between two looks at a slow run."""
RUN_SHARE = 15
"""Time of running, as a multiple of the time it takes to show a frame."""
AHEAD = 3
"""Unconfirmed frames that a paced page may have."""
CLOSE = 200.0
"""Ticks a second up to which walkers keep their numbers."""
COUNTING = 0.15
"""Seconds that counting may take at a time."""
MOST_SOURCE = 4 << 20
MOST_FRAMES = 2_000
MOST_TOLD = 6
"""Walkers whose actions are told after a step."""
TRAIL = 8
"""Length in ticks of the trails in a film."""
LONG = ("render", "animate", "shader", "film", "thumbnail", "map")
PATIENCE = 5.0
"""Seconds that a question may take."""
FILM_PATIENCE = 30.0
"""Seconds that a film may take."""


class Means(Record):
    """How much of a machine one tab may take: in bytes, and in seconds at a time."""

    slice: float = 0.02
    longest_slice: float = 0.2
    """Of one slice of a run; slices are longer where a run is shown less often."""
    limits: Limits = Limits(memory=256 << 20, output=16 << 20)
    """Of a run, and of everything else that a message asks for."""
    history: int = 64 << 20
    branches: int = 512 << 20
    """For all branches of a run, with the history of each."""


USUAL = Means()


class Conversation:
    """Answers the messages of one tab."""

    def __init__(
        self, clock: Callable[[], float], first: Program | None = None, means: Means | None = None
    ) -> None:
        self.clock = clock
        self.first = first
        self.means = means or USUAL
        self.open_run: OpenRun | None = None
        self.running = False
        self.hurried: Callable[[], bool] = never
        """Whether a message waits: a tick that takes long is then interrupted, and begun again
        later."""
        self.urged: Callable[[], bool] = never
        """Whether a message waits that is quick to answer: a picture is then abandoned."""
        self.gone: Callable[[], bool] = never
        """Whether the tab is closed."""
        self._speed: float | None = None
        self._due = 0.0
        self._worked = 0.0
        self._asked = 0.0
        self._paced, self._ahead = False, 0
        self._until: Wanted | None = None
        self._hushed = self._owes = False
        self._easel = Easel(clock, lambda: self.urged())
        self._cost = self._framed = 0.0

    def receive(self, message: Any, more: bool = False) -> list[Message]:
        """Answer a message; errors are answers, too. With `more` messages waiting, the frame is put
        off to the last, unless the message has an id."""
        if not isinstance(message, dict) or not isinstance(message.get("do"), str):
            return [{"error": "a message is an object with a word for what to do"}]
        about = {"re": message["id"]} if isinstance(message.get("id"), (int, str)) else {}
        self._asked = self.clock()
        self._hushed = more and not about
        try:
            asked = checked(message)
            with allowing(self.means.limits):
                answers = self._answers(message["do"], asked)
        except PlanewalkError as error:
            return [{"error": refusal(error), **about}]
        if about and answers:
            answers[0].update(about)
        return answers or ([{"ok": True, **about}] if about else [])

    def _answers(self, do: str, asked: Message) -> list[Message]:
        if do in QUESTIONS:
            return [QUESTIONS[do](self._walk, asked, self._is_slow)]
        if do in WALKS:
            self.running = False
            WALKS[do](self._walk, asked, self._is_slow)
            return self._frame()
        answers: list[Message] = getattr(self, f"do_{do}")(asked)
        return answers

    def settle(self) -> list[Message]:
        """The frame that was put off while more messages waited."""
        self._hushed = False
        return self._frame() if self._owes and self.session is not None else []

    def halt(self) -> list[Message]:
        """End the run, if one goes on, after a fault, and show where it is."""
        ran, self.running, self._hushed = self.running, False, False
        return self._frame() if ran else []

    def work(self) -> list[Message]:
        """Run for a slice of time, and show where the run is."""
        if not self.running or self.open_run is None:
            return []
        now, means = self.clock(), self.means
        ticks = None
        if self._speed is not None:
            self._due += self._speed * min(now - self._worked, 0.25)
            self._worked = now
            ticks, self._due = int(self._due), self._due % 1
            if not ticks:
                return []
        try:
            stop = self._walk.run(
                min(max(means.slice, RUN_SHARE * self._cost), means.longest_slice),
                self._until or self._run.points.together,
                ticks,
                lambda: self.clock() - now > means.longest_slice and self.hurried(),
            )
        except PlanewalkError as error:
            self.running = False
            return [{"error": refusal(error)}, *self._frame()]
        if stop is not None:
            self.running = False
        elif self._paced and self._ahead >= AHEAD:
            return []  # a slow page would fall behind further and further
        elif self.clock() - self._framed < RUN_SHARE * self._cost:
            return [{"at": self._walk.tick}]  # to show more would take too much from the run
        self._ahead += 1
        return self._frame()

    def seen(self) -> None:
        """Count a frame as shown by the page; may be called in any thread."""
        self._ahead = max(self._ahead - 1, 0)

    def rest(self) -> float:
        """Seconds until a slow run has its next tick."""
        if self._speed is None:
            return 0.0
        due = self._worked + (1 - self._due) / max(self._speed, 1e-9)
        return min(max(due - self.clock(), 0.0), LONGEST_REST)

    # What there is ---------------------------------------------------------------------------

    def do_hello(self, message: Message) -> list[Message]:
        """Tell the languages and examples, and open the program named at the start."""
        languages, complaints = describe.languages()
        shown = {language["name"] for language in languages}
        hello = {
            "version": __version__,
            "languages": languages,
            "complaints": complaints,
            "examples": [each for each in describe.examples() if each["language"] in shown],
            "commands": describe.commands(),
        }
        if self.first is None:
            return [{"hello": hello}]
        return [{"hello": hello}, *self._open(self.first)]

    def do_example(self, message: Message) -> list[Message]:
        """Open an example by the name of its file, with the input and options of its first run."""
        example = find(message["file"])
        run = example.runs[0]
        language = registry.get(example.language)
        options = {} if language.drawing.shading is not None else run.get("options")
        program = Program(language, example.read(), options)
        given = run.get("input")
        ended = given is not None
        return self._open(
            program, _bytes(given) if given is not None else b"", ended, name=example.file
        )

    def do_thumbnail(self, message: Message) -> list[Message]:
        """A thumbnail of an example; with `dark`, for the dark theme."""
        return [{"thumbnail": thumbnail(message["file"], message.get("dark", False))}]

    def do_open(self, message: Message) -> list[Message]:
        """Open a program: `language`, `text` or `source` (base64), `input` or the `courses` of an
        earlier frame, `options`, `seed`, `name`; and go to a `tick` of a `branch` (its number)."""
        language = registry.get(message["language"])
        program = Program(language, _source(message, language), message.get("options"))
        given, ended = _given(message)
        name = message.get("name", "")[:200]
        return self._open(program, given, ended, message.get("seed"), name, message)

    def _return(self, moment: Message) -> list[Message]:
        """Go to the moment of a link, as far as possible."""
        walk = self._walk
        try:
            told = courses(moment["courses"]) if moment.get("courses") else []
        except OptionError as error:
            return [*self._frame(), {"error": f"the way to this moment is damaged: {error}"}]
        try:
            with walk.asking(self._is_slow):
                branches = retrace(walk, told, self._is_slow)
            branch = branches[among(moment.get("branch", 0), "branch", len(branches))]
            return_to(walk, branch, moment.get("tick", 0), self._is_slow)
        except PlanewalkError as error:
            return [*self._frame(), {"error": refusal(error)}]
        return self._frame()

    def _open(
        self,
        program: Program,
        given: bytes = b"",
        ended: bool = False,
        seed: int | None = None,
        name: str = "",
        moment: Message | None = None,
    ) -> list[Message]:
        self.running = False
        describe.describe(program.language)  # one that cannot be shown says why
        walk = Session(
            program,
            given if ended else None,
            seed,
            limits=self.means.limits,
            budget=self.means.history,
            engine=EngineMaker("auto"),
        )
        if given and not ended:
            walk.feed(given)
        self.open_run = OpenRun(walk, name, self._is_slow)
        opened = {
            "language": program.language.name,
            "name": name,
            "options": {key: describe.plain(value) for key, value in program.given.items()},
            "text": describe.text_of(program, program.start(walk.seed)),
            "source": encoded(program.source),
            "seed": walk.seed,
            "edges": edges(program.language, walk.state),
            "writable": walk.state.plane.writable,
            "notes": list(walk.state.notes),
        }
        return [{"opened": opened}, *(self._return(moment) if moment else self._frame())]

    # What is seen ----------------------------------------------------------------------------

    def do_look(self, message: Message) -> list[Message]:
        """Look at another part of the plane: `box` is left, top, right and bottom."""
        self._run.look(message["box"], message.get("coarse", False))
        return self._frame()

    def do_heat(self, message: Message) -> list[Message]:
        """How often cells were executed up to `tick`, counted for a limited time; ask again for the
        rest."""
        walk, heat, until = self._walk, self._run.heat, self.clock() + COUNTING
        done = heat.count(walk, lambda: self.clock() > until, self._is_slow)
        return [{"heat": {"tick": heat.tick, "done": done, "cells": heat.told()}}]

    def _frame(self) -> list[Message]:
        run = self._run
        self._owes = self._hushed
        if self._hushed:
            return []
        began = self.clock()
        close = not self.running or (self._speed is not None and self._speed <= CLOSE)
        until = began + COUNTING
        frame = run.frame(close, lambda: self.clock() > until)
        self._framed = self.clock()
        self._cost = self._framed - began
        return [{"frame": frame | {"running": self.running}}]

    @property
    def session(self) -> Session | None:
        """The run that is open, if one is."""
        return None if self.open_run is None else self.open_run.session

    @property
    def _run(self) -> OpenRun:
        if self.open_run is None:
            raise OptionError("open a program first")
        return self.open_run

    @property
    def _walk(self) -> Session:
        return self._run.session

    def _is_slow(self) -> bool:
        return self.clock() - self._asked > PATIENCE or self.gone()

    def _is_slower(self) -> bool:
        """The same as `_is_slow`, with the time limit of films."""
        return self.clock() - self._asked > FILM_PATIENCE or self.gone()

    # Walking ---------------------------------------------------------------------------------

    def do_step(self, message: Message) -> list[Message]:
        """Go on by `ticks`, one by default, and tell what happened in the last of them."""
        walk = self._walk
        self.running = False
        walk.goto(walk.tick + message.get("ticks", 1), self._is_slow)
        told: list[str] = []
        if walk.tick and not self._hushed:
            with suppress(LimitReached), walk.asking(self._is_slow):
                for step in walk.steps(walk.tick - 1, walk.tick):
                    told = list(islice(tell(walk.language, step, places=True), MOST_TOLD))
        about = [] if self._hushed else [{"told": told, "tick": walk.tick}]
        return [*self._frame(), *about]

    def do_run(self, message: Message) -> list[Message]:
        """Run, at `speed` ticks a second or without a limit. `until` is a condition for this run
        alone. A `paced` page confirms each frame with `seen`, and is sent no more than it can
        show."""
        walk, speed, until = self._walk, message.get("speed"), message.get("until")
        self._until = None if until is None else joined(self._run.points, until)
        self._speed = speed
        walk.goto(walk.tick)
        self.running = True
        self._worked, self._due = self.clock(), 1.0
        self._paced, self._ahead = message.get("paced", False), 0
        return self._frame()

    def do_seen(self, message: Message) -> list[Message]:
        """Confirm a frame of the run."""
        self.seen()
        return []

    def do_pause(self, message: Message) -> list[Message]:
        """Stop running."""
        self.running = False
        return self._frame()

    # Changing --------------------------------------------------------------------------------

    def do_break(self, message: Message) -> list[Message]:
        """Set a breakpoint."""
        walk = self._walk
        point = self._run.points.add(message["condition"], walk.language)
        walk.count(point.wanted, self._is_slow)
        return self._frame()

    def do_unbreak(self, message: Message) -> list[Message]:
        """Remove a breakpoint, or all."""
        if "id_of" in message:
            self._run.points.remove(message["id_of"])
        else:
            self._run.points.clear()
        return self._frame()

    def do_reload(self, message: Message) -> list[Message]:
        """Go to the same moment of an edited program; with `ticks`, that many ticks later."""
        walk = self._walk
        self.running = False
        walk.reload(_source(message, walk.language), self._is_slow)
        walk.goto(walk.tick + message.get("ticks", 0), self._is_slow)
        self._run.forget()
        return self._frame()

    def do_edit(self, message: Message) -> list[Message]:
        """Change this moment, which forks the run: `cells` (each x, y and sign), `input` (what is
        unread, in base64), `stack` or `register` and `value`, `walker` and `value` (as `5,2 left`,
        or nothing to remove it), or a `block` (see `blocks.py`)."""
        walk = self._walk
        self.running = False
        self._check_branches(walk)
        if "walker" in message:
            numbers, wanted = self._run.roll.numbers(walk, self._is_slow), message["walker"]
            if wanted not in numbers:
                raise OptionError(f"there is no walker {wanted} here")
            message = {**message, "walker": numbers.index(wanted)}
        with walk.asking(self._is_slow):
            told = asked_edit(walk, message)
            words = turn_words(walk, told.get("block", {}))
            change_moment(walk, change_of(walk, told), told)
        return [*self._frame(), *([{"told": [words]}] if words else [])]

    def do_feed(self, message: Message) -> list[Message]:
        """Feed input; empty text ends it."""
        if self._walk.tick < self._walk.reached:
            self._check_branches(self._walk)
        self._walk.feed(_bytes(message.get("text", "")))
        return self._frame()

    def do_switch(self, message: Message) -> list[Message]:
        """Switch to another branch."""
        self.running = False
        with self._walk.asking(self._is_slow):
            self._walk.switch(message["branch"])
        self._run.forget()
        return self._frame()

    def _check_branches(self, walk: Session) -> None:
        """Refuse another branch if there are too many, or if they take too much memory."""
        if len(walk.branches) >= MOST_BRANCHES:
            raise OptionError(f"a run has at most {MOST_BRANCHES} branches; open it again")
        most = self.means.branches
        kept = sum(branch.keyframes.size for branch in walk.branches.values())
        if kept + walk.state.memory() > most:
            raise OptionError(
                f"the branches of a run may take {show_size(most)} of memory; open it again"
            )

    # Asking ----------------------------------------------------------------------------------

    def do_ask(self, message: Message) -> list[Message]:
        """Perform a command of the console; answers with its lines and a frame."""
        self.running = False
        line = message["line"].strip()
        if may_fork(line):
            self._check_branches(self._walk)
        lines = self._run.console.execute(line)
        return [{"answer": lines}, *self._frame()]

    def do_film(self, message: Message) -> list[Message]:
        """A page that plays a part of the run, from tick `first` to `last`, one frame `every` few
        ticks."""
        walk = self._walk
        first, last = message.get("first", 0), message.get("last", walk.reached)
        every = message.get("every", 1)
        ticks = range(first, last + 1, every)
        if not 0 < len(ticks) <= MOST_FRAMES:
            raise OptionError(f"a film has from 1 to {MOST_FRAMES:,} frames, not {len(ticks):,}")
        box = bounded(walk.state.plane.box() or (0, 0, 0, 0))
        title = f"{walk.language.title}, ticks {first:,} to {last:,}"
        frames = limited(through(walk, ticks, box, self._is_slower))
        with _filming():
            return [{"film": page_of(title, walk.language, 10, TRAIL, frames)}]

    def do_marks(self, message: Message) -> list[Message]:
        """The marks of the timeline that are known so far; ask again for the rest."""
        run, until = self._run, self.clock() + self.means.slice
        return [{"marks": run.marks.look(run.session, run.points, lambda: self.clock() > until)}]

    # Circuits --------------------------------------------------------------------------------

    def do_table(self, message: Message) -> list[Message]:
        """The table of values known so far; ask again for the rest. Another number of `bits` begins
        a new table."""
        walk, bits, table = self._walk, message.get("bits"), self._run.table
        if table is None or table.program is not walk.program or bits not in (None, table.bits):
            self._run.table = table = Table(walk.program, walk.seed, bits)
        until = self.clock() + self.means.slice
        table.go_on(lambda: self.clock() > until)
        return [{"table": table.told()}]

    def do_render(self, message: Message) -> list[Message]:
        """The exact picture with this `size` and `time`, or with `heat` its steps: a PNG in base64,
        or nothing if another message came first. With `quick` it may be a sketch, and is always
        finished."""
        walk, size = self._walk, read_size(message["size"])
        time, quick = message.get("time", 0.0), message.get("quick", False)
        if message.get("heat"):
            return [self._easel.heat(walk, size, time)]
        return [self._easel.picture(walk, size, time, quick)]

    def do_animate(self, message: Message) -> list[Message]:
        """A film of the picture, described by `kind`, `size`, `time`, `seconds` and `fps`."""
        size, time = read_size(message["size"]), message.get("time", 0.0)
        seconds, fps = message.get("seconds", 3.0), message.get("fps", 20)
        kind, slow = message["kind"], self._is_slower
        with _filming():
            return [{"saved": film(self._walk, kind, size, time, seconds, fps, slow)}]

    def do_pixel(self, message: Message) -> list[Message]:
        """Open the run of the pixel `at` a place of a picture with this `size` and `time`."""
        size, time = read_size(message["size"]), message.get("time", 0.0)
        program = pixel_program(self._walk, message["at"], size, time)
        return self._open(program, seed=self._walk.seed, name=self._run.name)


# Where messages take a run, which is shown there ------------------------------------------------


def _back(walk: Session, asked: Message, pause: Pause) -> None:
    """Go back by `ticks`, one by default."""
    walk.back(asked.get("ticks", 1), pause)


def _goto(walk: Session, asked: Message, pause: Pause) -> None:
    """Go to a tick."""
    walk.goto(asked["tick"], pause)


def _until(walk: Session, asked: Message, pause: Pause) -> None:
    """Go on to where a condition is true; with `back`, back to where it was."""
    (walk.back_until if asked.get("back") else walk.until)(asked["condition"], pause)


WALKS: dict[str, Callable[[Session, Message, Pause], None]] = {
    "back": _back, "goto": _goto, "until": _until,
}  # fmt: skip


def takes_long(message: Any) -> bool:
    """Whether answering a message may take longer than drawing a frame."""
    return isinstance(message, dict) and message.get("do") in LONG


def _given(message: Message) -> tuple[bytes, bool]:
    """The input of a program that is opened, and whether it is complete."""
    if "input" in message:
        return _bytes(message["input"]), True
    if message.get("courses"):
        first = courses(message["courses"], 1)[0]
        return first["data"], first["ended"]
    kept = message.get("given", {"data": b"", "ended": False})  # of links without branches
    return kept["data"], kept["ended"]


def _source(message: Message, language: Language) -> bytes:
    if "source" not in message and "text" not in message:
        raise OptionError("a program has a 'text' or a 'source'")
    source: bytes = message.get("source", b"")
    if "source" not in message:
        text = message["text"]
        is_coloured = language.looks.swatch is not None
        source = bytes(language.sources.spell(text)) if is_coloured else _bytes(text)
    if len(source) > MOST_SOURCE:
        raise OptionError(f"a program of {len(source):,} bytes is too large for the studio")
    return source


@contextmanager
def _filming() -> Iterator[None]:
    """Name the time limit of films in errors."""
    try:
        yield
    except LimitReached as error:
        if error.reason != "time":
            raise
        words = f"a film has {FILM_PATIENCE:g} seconds to be made; fewer frames may do"
        raise LimitReached(words, "time") from None


def _bytes(text: str) -> bytes:
    """Text as the bytes of a program; surrogate escapes become the bytes they stand for."""
    return text.encode("utf-8", "surrogateescape")
