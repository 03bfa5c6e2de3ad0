"""The terminal debugger: the run on the screen, keys and mouse to walk it, a line for commands."""

from __future__ import annotations

import os
from time import monotonic
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from ...core.errors import PlanewalkError
from ...core.step import Hit, Hungry
from ...debug.questions import VisitCount
from ...debug.session import Session
from ...engines.choose import preload
from ...view.console import Console
from ...view.frame import Lens
from ...view.marks import Marks
from . import panels
from .board import PlaneView
from .keys_line import KeysLine
from .picture import picture_of
from .timeline import TimelineBar

FRAME = 1 / 30
SLICE = 0.02
"""Seconds that a run may take of each frame, so that keys are answered at once."""
PATIENCE = 10.0
"""Seconds that a command, a question or a tick may take if nobody says."""
SPEEDS = {"1": 2.0, "2": 10.0, "3": 60.0, "4": 1_000.0, "5": None}
"""Ticks a second; None is as fast as can be."""
SMALLEST = (50, 14)
MARKING = 0.015
"""Seconds that seeking marks for the timeline may take of each frame, while nothing runs."""
MOST_MARKED, MOST_SHOWN = 1 << 20, 100
"""Bytes and walkers of states in which nothing is sought."""
WARMING = 8
"""Times as long as it took to show heat, before it is shown anew."""

WAITING = r"type what it should read, with \n for a new line; nothing at all ends the input"

KEYS = """\
 F5, r       run, or pause            Space       pause, or run
 F10, →      step                     Shift+F10, ←  step back
 Ctrl+→ ←    ten steps                Home, End   first tick, end of the run
 F6          back to the last breakpoint
 F9          breakpoint here          Ctrl+F10    run to the cursor
 Ctrl+G      go to a tick             1 - 5       speed, 5 is as fast as can be
 w a s d     move the cursor          e           edit the cell at the cursor
 f           follow the walker        h           heat: how often each cell was visited
 i           give input               :           type a command (`help` lists them)
 Ctrl+R      load the file again      ?           these keys
 PgUp, PgDn  scroll a long answer     q           quit
Click on a cell to point at it, twice to stop there, on the timeline to go there."""


class CommandSuggester(Suggester):
    """Completes commands as they are typed."""

    def __init__(self, console: Console) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.console = console

    async def get_suggestion(self, value: str) -> str | None:
        """The rest of the word, if there is one."""
        found = self.console.complete(value)
        if not found:
            return None
        before, _, _ = value.rpartition(" ")
        return f"{before} {found[0]}".lstrip()


class DebuggerApp(App[None]):
    """See `KEYS` for what it does."""

    CSS = """
    #main { height: 1fr; }
    #board { width: 2fr; background: $surface; }
    #side { width: 1fr; min-width: 24; padding: 0 1; background: $panel; }
    #status { height: 1; background: $boost; }
    #timeline { height: 2; }
    #bottom { height: auto; }
    #answers { max-height: 12; height: auto; background: $boost; }
    #answer { height: auto; padding: 0 1; }
    #command { height: 1; border: none; }
    #small { display: none; height: 1fr; content-align: center middle; }
    .small #small { display: block; }
    .small #main, .small #timeline, .small #answers { display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5,r", "run_or_pause", "Run"),
        Binding("space", "run_or_pause", "Pause", show=False),
        Binding("ctrl+c", "pause", show=False, priority=True),
        Binding("f10,right", "step(1)", "Step"),
        Binding("shift+f10,left", "step(-1)", "Back"),
        Binding("ctrl+right", "step(10)", show=False),
        Binding("ctrl+left", "step(-10)", show=False),
        Binding("home", "command('reset')", show=False),
        Binding("end", "finish", show=False),
        Binding("f6", "command('reverse')", show=False),
        Binding("f9", "breakpoint", "Break"),
        Binding("ctrl+f10", "run_to_cursor", show=False),
        Binding("ctrl+g", "type('goto ')", "Go to"),
        # These are heard before any other key that waits is given to the plane.
        Binding("colon", "type('', ':')", "Command", priority=True),
        Binding("i", "type('input ', 'i')", show=False, priority=True),
        Binding("e", "edit", show=False, priority=True),
        Binding("w", "cursor(0,-1)", show=False),
        Binding("a", "cursor(-1,0)", show=False),
        Binding("s", "cursor(0,1)", show=False),
        Binding("d", "cursor(1,0)", show=False),
        Binding("f", "follow", "Follow"),
        Binding("h", "heat", "Heat"),
        Binding("ctrl+r", "reload", show=False),
        Binding("question_mark", "keys", "Keys"),
        Binding("pageup", "scroll_answer(-1)", show=False),
        Binding("pagedown", "scroll_answer(1)", show=False),
        Binding("q", "quit", "Quit"),
        *(Binding(key, f"speed('{key}')", show=False) for key in SPEEDS),
    ]

    def __init__(
        self, session: Session, path: str | None = None, patience: float = PATIENCE
    ) -> None:
        super().__init__()
        self.session, self.path, self.patience = session, path, patience
        self.lens = Lens(session.language)
        self.console_of = Console(session, pause=self._is_slow)
        self.running = False
        self.speed = "5"
        self._due = 0.0
        self._history: list[str] = []
        self._waits = False
        """Whether the run would go on if it had input."""
        self._recalled = 0
        self._asked_at = 0.0
        self._interrupted = False
        """Whether somebody has pressed Ctrl-C since a command began ..."""
        self._broke_off = False
        """... and the last one was given up for it."""
        self._chosen: int | None = None
        """The tick that somebody drags the timeline to."""
        self._counting: VisitCount | None = None
        self._counting_until = self._warm_at = 0.0
        self._heat_words = ""
        self._marks = Marks()
        self._marked: Any = None
        """What the marks on the timeline are about, if all of them are known."""
        self._stamp = self._file_stamp()

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        yield Static(id="status")
        with Horizontal(id="main"):
            yield PlaneView(self.session, self.lens)
            with VerticalScroll(id="side"):
                yield Static(id="picture")
                yield Static(id="panel")
        yield Static("the terminal is too small\nmake it at least 50 by 14", id="small")
        yield TimelineBar(self.session)
        with Vertical(id="bottom"):
            with VerticalScroll(id="answers", can_focus=False):
                yield Static(id="answer")
            yield Input(
                placeholder="? lists the keys, : takes commands",
                id="command",
                select_on_focus=False,
                suggester=CommandSuggester(self.console_of),
            )
        yield KeysLine()

    def on_mount(self) -> None:
        """Begin."""
        self.title = f"planewalk: {self.path or self.session.language.title}"
        self._listen()
        self.set_interval(FRAME, self._pump)
        self.call_after_refresh(self.run_worker, preload, thread=True)
        if self.session.language.drawing.colour is not None:
            self.call_after_refresh(self.run_worker, self._paint, thread=True)
        self.set_interval(1.0, self._watch_file)
        self.screen.set_focus(self.board)
        self.show()

    @property
    def board(self) -> PlaneView:
        return self.query_one(PlaneView)

    # Showing ---------------------------------------------------------------------------------

    def show(self) -> None:
        """Everything as it is now."""
        session = self.session
        self.board.breakpoints = self.console_of.breakpoints.places()
        self.board.show()
        self._show_status()
        side = [
            panels.cell_panel(session, self.board.cursor),
            panels.state_panel(session, self.lens),
            panels.walkers_panel(session),
            panels.output_panel(session),
            panels.input_panel(session),
            panels.breakpoints_panel(self.console_of.breakpoints),
            panels.watches_panel(self.console_of.watches),
        ]
        shown = Text("\n").join(part for part in side if part.plain)
        self.query_one("#panel", Static).update(shown)
        if not self.running:
            self._mark()
        self.query_one(TimelineBar).refresh()

    def _mark(self) -> None:
        """Seek what is marked on the timeline, for a moment: the rest is sought later. Of large
        states nothing is, since keys would have to wait for it."""
        session, points = self.session, self.console_of.breakpoints
        about = session.branch, len(session.branches), session.reached, points.together
        if about == self._marked:
            return
        heavy = session.state.memory() > MOST_MARKED or len(session.state.walkers) > MOST_SHOWN
        until = monotonic() + MARKING
        found = self._marks.look(session, points, lambda: heavy or monotonic() >= until)
        self._marked = about if found["done"] else None
        for bar in self.query(TimelineBar):  # there is none any more when the app ends
            bar.marks = found["marks"]
            bar.refresh()

    def _show_status(self) -> None:
        line = panels.status_line(self.session, self.running, self._speed_words())
        line.append(self._heat_words, "dim")
        self.query_one("#status", Static).update(line)

    def _speed_words(self) -> str:
        speed = SPEEDS[self.speed]
        return "as fast as can be" if speed is None else f"{speed:g} ticks a second"

    def answer(self, lines: list[str]) -> None:
        """Say something below the plane."""
        self.query_one("#answer", Static).update(Text("\n".join(lines)))
        self.query_one("#answers").scroll_home(animate=False)

    def action_scroll_answer(self, pages: int) -> None:
        """Show more of a long answer."""
        answers = self.query_one("#answers")
        answers.scroll_relative(y=pages * max(answers.size.height - 1, 1), animate=False)

    def on_resize(self, event: events.Resize) -> None:
        """A terminal that is too small says so."""
        width, height = event.size
        self.screen.set_class(width < SMALLEST[0] or height < SMALLEST[1], "small")

    @on(PlaneView.Pointed)
    def pointed(self) -> None:
        """The cursor is elsewhere."""
        self.show()

    @on(PlaneView.Chosen)
    def clicked_twice(self) -> None:
        """A cell was clicked twice."""
        self.action_breakpoint()

    def _mark_hit(self) -> None:
        if isinstance(self.session.stop, Hit):
            self.query_one(TimelineBar).hits.add((self.session.branch.name, self.session.tick))

    def _paint(self) -> None:
        """The picture that this pixel belongs to, once it is drawn; in a thread."""
        room = max(self.query_one("#side").size.width - 4, 8)
        try:
            shown = picture_of(self.session.program, self.session.seed, room)
        except PlanewalkError as error:
            shown = Text(str(error), "dim")
        self.call_from_thread(self.query_one("#picture", Static).update, shown)

    # Running ---------------------------------------------------------------------------------

    def _pump(self) -> None:
        """A slice of the run, then the picture of it."""
        if self._chosen is not None:
            tick, self._chosen = self._chosen, None
            self.perform(f"goto {tick}")
        self._count()
        if not self.running:
            self._mark()
            return
        self.board.leave_trail()
        speed = SPEEDS[self.speed]
        ticks = None
        if speed is not None:
            self._due += speed * FRAME
            ticks, self._due = int(self._due), self._due % 1
            if not ticks:
                return
        self._asked_at, before = monotonic(), self.session.tick
        wanted = self.console_of.breakpoints.together
        try:
            stop = self.session.run(SLICE, wanted, ticks, self._is_slow)
        except PlanewalkError as error:
            self.running = False
            self.answer(str(error).splitlines())
            return
        if stop is None and self.session.tick == before and self._is_slow():
            self.running = False
            self.answer([f"one tick takes longer than {self.patience:g} seconds (--max-time)"])
        if stop is not None:
            self.running = False
            self._mark_hit()
            self.answer([self.console_of.where()])
            if isinstance(stop, Hungry):
                self._waits = True
                self.answer([self.console_of.where(), WAITING])
                self.action_type("input ")
        self.show()

    def _listen(self) -> None:
        """Hear Ctrl-C also while a command takes long: keys are read in a thread of their own."""
        driver = self._driver
        assert driver is not None
        process = driver.process_message

        def hear(event: Message) -> None:
            if isinstance(event, events.Key) and event.key == "ctrl+c":
                self._interrupted = True
            process(event)

        vars(driver)["process_message"] = hear

    def _is_slow(self) -> bool:
        """Whether something that was asked for takes too long: then it is given up."""
        return self._interrupted or monotonic() - self._asked_at > self.patience

    def perform(self, line: str) -> None:
        """Perform a command, and show what came of it."""
        self.running = self._interrupted = False
        self._asked_at = monotonic()
        lines = self.console_of.execute(line)
        self._broke_off, self._interrupted = self._interrupted, False
        self._mark_hit()
        if self.console_of.quitting:
            self.exit()
        self.answer(lines)
        self.show()

    def action_run_or_pause(self) -> None:
        """Run or pause."""
        self.running = not self.running
        self.answer([])
        self.show()

    def action_pause(self) -> None:
        """Pause; whoever wants to leave is told how."""
        said = ["q leaves the debugger"]
        if self.running or self._broke_off:
            said = [self.console_of.where()]
        self.answer(said)
        self.running = self._interrupted = self._broke_off = False
        self.show()

    def action_step(self, ticks: int) -> None:
        """Some ticks on, or back."""
        self.board.leave_trail()
        self.perform(f"step {ticks}" if ticks > 0 else f"back {-ticks}")

    def action_command(self, line: str) -> None:
        """A command that has a key."""
        self.perform(line)

    def action_finish(self) -> None:
        """On to the end, or until somebody presses a key."""
        self.speed = "5"
        self.running = True

    def action_speed(self, key: str) -> None:
        """How fast it runs."""
        self.speed = key
        self.show()

    def action_breakpoint(self) -> None:
        """Stop at the cursor from now on, or no more."""
        x, y = self.board.cursor
        known = self.console_of.breakpoints.at(x, y)
        self.perform(f"delete {known.id}" if known else f"break at {x},{y}")

    def action_run_to_cursor(self) -> None:
        """On until a walker is where the cursor is."""
        x, y = self.board.cursor
        self.perform(f"until at {x},{y}")

    def action_cursor(self, dx: int, dy: int) -> None:
        """Move the cursor."""
        self.board.move_cursor(dx, dy)

    def action_follow(self) -> None:
        """Follow the walker, or not."""
        self.board.following = not self.board.following
        self.show()

    def action_heat(self) -> None:
        """How often each cell was visited, or not."""
        if self.board.heat or self._counting is not None:
            self._cool()
        else:
            self._counting = VisitCount(self.session)
            self._counting_until = monotonic() + self.patience
            self._heat_words = f"   counting visits in {self.session.tick:,} ticks"
        self.show()

    def _cool(self) -> None:
        """Show no heat."""
        self._counting, self.board.heat, self._heat_words = None, {}, ""

    def _count(self) -> None:
        """Count visits for a part of a frame; the heat of what is counted by now is shown."""
        count = self._counting
        if count is None:
            return
        until = monotonic() + SLICE
        done = count.go_on(lambda: monotonic() > until)
        if done or monotonic() > self._counting_until:
            self._counting = None
        if self._counting is None or monotonic() > self._warm_at:
            self._warm(count)
        heat = f"   heat of the first {count.tick:,} of {count.last:,} ticks"
        self._heat_words = "" if done else heat
        self._show_status()

    def _warm(self, count: VisitCount) -> None:
        """Show the heat of what is counted by now; not all the time if there are many cells."""
        began, visits = monotonic(), count.visits()
        most = max((seen.times for seen in visits.values()), default=1)
        self.board.heat = {place: (seen.times / most) ** (1 / 3) for place, seen in visits.items()}
        self.board.refresh()
        self._warm_at = monotonic() + WARMING * (monotonic() - began)

    def action_keys(self) -> None:
        """List the keys."""
        self.answer(KEYS.splitlines())

    # Typing ----------------------------------------------------------------------------------

    @property
    def line(self) -> Input:
        return self.query_one("#command", Input)

    def action_type(self, words: str, sign: str = "") -> None:
        """Begin to type a command; while one is typed, the sign is a part of it."""
        if sign and self.line.has_focus:
            self.line.insert_text_at_cursor(sign)
            return
        self.line.value = words
        self.screen.set_focus(self.line)  # at once: more keys may wait
        self.line.cursor_position = len(words)

    def action_edit(self) -> None:
        """Begin to type what the cell at the cursor should hold."""
        x, y = self.board.cursor
        self.action_type(f"cell {x},{y} = ", "e")

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        """A command was typed."""
        line = event.value
        self.line.value = ""
        if line.strip():
            self._history.append(line)
        self._recalled = len(self._history)
        self.screen.set_focus(self.board)
        waited, self._waits = self._waits, False
        self.perform(line)
        if waited and line.startswith("input ") and self.session.stop is None:
            self.running = True  # as it was before it had to wait

    def on_key(self, event: events.Key) -> None:
        """While typing: earlier commands, and a way out."""
        if not self.line.has_focus:
            return
        if event.key == "escape":
            self.line.value = ""
            self.screen.set_focus(self.board)
        elif event.key in ("up", "down") and self._history:
            step = -1 if event.key == "up" else 1
            self._recalled = max(min(self._recalled + step, len(self._history) - 1), 0)
            self.line.value = self._history[self._recalled]
            self.line.cursor_position = len(self.line.value)
            event.prevent_default()
        elif event.key == "tab":
            self.line.action_cursor_right()
            event.prevent_default()

    @on(TimelineBar.Chosen)
    def chosen(self, message: TimelineBar.Chosen) -> None:
        """Somebody clicked on the timeline, or drags it: then only the last place counts."""
        self._chosen = message.tick

    # The file --------------------------------------------------------------------------------

    def _file_stamp(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _watch_file(self) -> None:
        """Say when the file on disk is no longer the program that runs."""
        stamp = self._file_stamp()
        if self.path is None or stamp == self._stamp:
            return
        self._stamp = stamp
        gone = stamp is None
        said = "is gone; the run goes on" if gone else "has changed; Ctrl+R loads it again"
        self.answer([f"{self.path} {said}"])

    def action_reload(self) -> None:
        """The same moment of the program as it is on disk now."""
        if self.path is None:
            return self.answer(["this program came from no file"])
        self._asked_at, self._interrupted = monotonic(), False
        try:
            with open(self.path, "rb") as file:
                self.session.reload(file.read(), self._is_slow)
        except (OSError, PlanewalkError) as error:
            why = getattr(error, "strerror", None) or error
            return self.answer([f"{self.path}: {why}; the run goes on with what was loaded"])
        self._cool()
        self.answer([f"loaded again: {self.console_of.where()}"])
        return self.show()
