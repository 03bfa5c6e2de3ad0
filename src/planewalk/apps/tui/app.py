"""The terminal debugger: the run on the screen, keys and mouse to walk it, a line for commands."""

from __future__ import annotations

import os
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.suggester import Suggester
from textual.widgets import Input, Static

from ...core.errors import PlanewalkError
from ...core.step import Hit, Hungry
from ...debug.session import Session
from ...engines.choose import preload
from ...view.console.console import Console
from ...view.scene.frame import Lens
from ..sources import stamp_of
from . import panels
from .allowance import Allowance
from .board import PlaneView
from .heat import HeatCount
from .keys_line import KeysLine
from .picture import picture_of
from .rulers import ColumnRuler, RowRuler
from .timeline import TimelineBar

FRAME = 1 / 30
SLICE = 0.02
"""Seconds that a run may take of each frame, so that keys are answered at once."""
PATIENCE = 10.0
"""Seconds that a command, a question or a tick may take by default."""
SPEEDS = {"1": 2.0, "2": 10.0, "3": 60.0, "4": 1_000.0, "5": None}
"""Ticks a second; None is as fast as can be."""
WAYS = {"w": (0, -1), "a": (-1, 0), "s": (0, 1), "d": (1, 0)}
"""Keys that move the cursor."""
SMALLEST = (50, 14)
AROUND, MOST_ANSWERED = 11, 14
"""Rows that answers leave free, and rows that they may take."""
MOST_SMALL = 16
"""Rows of panels below which no picture is shown."""
MOST_STEPPED = 3
"""Lines about a step, few enough to keep the plane in view."""
PLACEHOLDER = "? lists the keys, : takes commands"
WAITING = r"type what it is to read, with \n for a new line; nothing at all ends its input"

KEYS = """\
F5, r       run, or pause             Space          pause, or run
F10, →      step                      Shift+F10, ←   step back
Ctrl+→ ←    ten steps                 Home, End      first tick, last tick
F6          back to a breakpoint      F9             breakpoint here
Ctrl+F10    run to the cursor         Ctrl+G         go to a tick
w a s d     move the cursor           e and a sign   put it at the cursor
f           follow the walker         h              heat: how many visits
i           give input                1 - 5          speed, 5 has no limit
:           a command, as in `help`   Ctrl+R         load the file again
PgUp, PgDn  scroll a long answer      ?, q           these keys, quit
Escape, Ctrl+C and q break off what takes long. Click on a cell to point at
it, twice to stop there; on the timeline to go there."""


class CommandSuggester(Suggester):
    """Completes commands as they are typed."""

    def __init__(self, console: Console) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.console = console

    async def get_suggestion(self, value: str) -> str | None:
        found = self.console.complete(value)
        if not found:
            return None
        before, _, _ = value.rpartition(" ")
        return f"{before} {found[0]}".lstrip()


class Side(VerticalScroll):
    """The panels beside the plane, arranged again when their size changes."""

    def on_resize(self) -> None:
        app = self.app
        assert isinstance(app, DebuggerApp)
        app.show_panels()


class DebuggerApp(App[None]):
    """See `KEYS` for what it does."""

    CSS = """
    #main { height: 1fr; }
    #field { width: 2fr; background: $surface; }
    #board { width: 1fr; scrollbar-size: 1 1; }
    #side { width: 1fr; min-width: 26; padding: 0 0 0 1; background: $panel; scrollbar-size: 1 1; }
    #status { height: 1; background: $boost; }
    #timeline { height: 1; }
    #bottom { height: auto; }
    #answers { min-height: 1; height: auto; background: $boost; scrollbar-size: 1 1; }
    #answer { height: auto; padding: 0 1; }
    #command { height: 1; border: none; }
    #small { display: none; height: 1fr; content-align: center middle; }
    .small #small { display: block; }
    .small #main, .small #timeline, .small #answers { display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5,r", "run_or_pause", "Run", key_display="F5"),
        Binding("space", "run_or_pause", "Pause", show=False),
        Binding("ctrl+c", "pause", show=False, priority=True),
        Binding("right,f10", "step(1)", "Step", key_display="→"),
        Binding("left,shift+f10", "step(-1)", "Back", key_display="←"),
        Binding("ctrl+right", "step(10)", show=False),
        Binding("ctrl+left", "step(-10)", show=False),
        Binding("home", "command('reset')", show=False),
        Binding("end", "finish", show=False),
        Binding("f6", "command('reverse')", show=False),
        Binding("f9", "breakpoint", "Break", key_display="F9"),
        Binding("ctrl+f10", "run_to_cursor", show=False),
        Binding("ctrl+g", "type('goto ')", "Go to", key_display="^G"),
        # These are heard before any other key that waits is given to the plane.
        Binding("colon", "type('', ':')", "Command", priority=True),
        Binding("i", "type('input ', 'i')", show=False, priority=True),
        Binding("e", "edit", "Edit", priority=True),
        *(Binding(key, f"cursor('{key}')", show=False, priority=True) for key in WAYS),
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
        self,
        session: Session,
        path: str | None = None,
        patience: float = PATIENCE,
        named: str = "",
    ) -> None:
        """`path` is the file of the program, `named` its name."""
        super().__init__()
        self.named = os.path.basename(path or named)
        self.session, self.path = session, path
        self.patience = Allowance(patience, self._tell_at_once)
        self.lens = Lens(session.language)
        self.console_of = Console(session, pause=self.patience.is_over)
        self.running = False
        self.speed = "5"
        self._due = 0.0
        self._history: list[str] = []
        self._waits = False
        """Whether the run waits for input, and goes on then."""
        self._recalled = 0
        self._broke_off = False
        """Whether a key interrupted the last command."""
        self._edited: tuple[int, int] | None = None
        """The cell that gets the next sign typed."""
        self._chosen: int | None = None
        """The tick chosen on the timeline."""
        self.board = PlaneView(session, self.lens)
        self.heat = HeatCount(self.board)
        self._stamp = stamp_of(path)

    def compose(self) -> ComposeResult:
        yield Static(id="status")
        with Horizontal(id="main"):
            rows = RowRuler(self.board)
            with Vertical(id="field"):
                yield ColumnRuler(self.board, rows)
                with Horizontal():
                    yield rows
                    yield self.board
            with Side(id="side", can_focus=False):
                yield Static(id="picture")
                yield Static(id="panel")
        yield Static("the terminal is too small\nmake it at least 50 by 14", id="small")
        yield TimelineBar(self.session)
        with Vertical(id="bottom"):
            with VerticalScroll(id="answers", can_focus=False):
                yield Static(id="answer")
            yield Input(
                placeholder=PLACEHOLDER,
                id="command",
                select_on_focus=False,
                suggester=CommandSuggester(self.console_of),
            )
        yield KeysLine()

    def on_mount(self) -> None:
        self.title = f"planewalk: {self.named or self.session.language.title}"
        assert self._driver is not None
        self.patience.listen(self._driver)
        self.set_interval(FRAME, self._pump)
        self.call_after_refresh(self.run_worker, preload, thread=True)
        if self.session.language.drawing.colour is not None:
            self.call_after_refresh(self.run_worker, self._paint, thread=True)
        self.set_interval(1.0, self._watch_file)
        self.screen.set_focus(self.board)
        self.show()

    # Showing ---------------------------------------------------------------------------------

    @on(PlaneView.Pointed)
    def show(self) -> None:
        self.board.breakpoints = self.console_of.breakpoints.places()
        self.board.show()
        self.query_one(RowRuler).fit()
        self._show_status()
        self.show_panels()
        if not self.running:
            self._seek_marks()
        self.query_one(TimelineBar).refresh()

    def show_panels(self) -> None:
        """Show the panels within the rows and columns there are."""
        session, side, picture = self.session, self.query_one("#side"), self.query_one("#picture")
        width = max(side.content_size.width - 1, 16)
        rows = side.content_size.height - picture.size.height
        parts = [
            panels.walkers_part(session, width),
            *panels.state_parts(session, self.lens, width),
            panels.output_part(session, width),
            panels.input_part(session, width),
            *panels.watches_part(self.console_of.watches, width),
            *panels.breakpoints_part(self.console_of.breakpoints, width),
            panels.cell_part(session, self.board.cursor, width),
        ]
        self.query_one("#panel", Static).update(panels.arranged(parts, rows, width))

    def _seek_marks(self) -> None:
        for bar in self.query(TimelineBar):  # there is none any more when the app ends
            bar.seek(self.console_of.breakpoints)

    def _show_status(self) -> None:
        speed = SPEEDS[self.speed]
        words = "as fast as can be" if speed is None else f"{speed:g} ticks a second"
        line = panels.status_line(self.session, self.named, self.running, words)
        line.append(self.heat.words, "dim")
        self.query_one("#status", Static).update(line)

    def answer(self, lines: list[str]) -> None:
        self.query_one("#answer", Static).update(Text("\n".join(lines)))
        self.query_one("#answers").scroll_home(animate=False)

    def action_scroll_answer(self, pages: int) -> None:
        answers = self.query_one("#answers")
        answers.scroll_relative(y=pages * max(answers.size.height - 1, 1), animate=False)

    def on_resize(self, event: events.Resize) -> None:
        """Show a notice in a small terminal, else arrange the panels."""
        width, height = event.size
        self.screen.set_class(width < SMALLEST[0] or height < SMALLEST[1], "small")
        self.query_one("#answers").styles.max_height = max(min(height - AROUND, MOST_ANSWERED), 1)
        self.call_after_refresh(self.show)

    def _mark_hit(self) -> None:
        if isinstance(self.session.stop, Hit):
            self.query_one(TimelineBar).hits.add((self.session.branch.name, self.session.tick))

    def _paint(self) -> None:
        """Draw the picture that this pixel belongs to; runs in a thread."""
        side = self.query_one("#side").size
        if side.height < MOST_SMALL:
            return
        room = max(side.width - 4, 8), side.height // 3 - 1
        try:
            shown = picture_of(self.session.program, self.session.seed, room)
        except PlanewalkError as error:
            shown = Text(str(error), "dim")
        self.call_from_thread(self._show_picture, shown)

    def _show_picture(self, shown: Text) -> None:
        self.query_one("#picture", Static).update(shown)
        self.call_after_refresh(self.show_panels)

    # Running ---------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Run for a slice of time, and show where the run is."""
        if self._chosen is not None:
            tick, self._chosen = self._chosen, None
            self.perform(f"goto {tick}")
        if self.heat.go_on(SLICE):
            self._show_status()
        if not self.running:
            self._seek_marks()
            return
        self.board.leave_trail()
        speed = SPEEDS[self.speed]
        ticks = None
        if speed is not None:
            self._due += speed * FRAME
            ticks, self._due = int(self._due), self._due % 1
            if not ticks:
                return
        self.patience.begin()
        before = self.session.tick
        wanted = self.console_of.breakpoints.together
        try:
            stop = self.session.run(SLICE, wanted, ticks, self.patience.is_over)
        except PlanewalkError as error:
            self.running = False
            self.answer(str(error).splitlines())
            return
        if stop is None and self.session.tick == before and self.patience.is_over():
            self.running = False
            self.answer(
                [f"one tick takes longer than {self.patience.seconds:g} seconds (--max-time)"]
            )
        if stop is not None:
            self.running = False
            self._mark_hit()
            self.answer([self.console_of.where()])
            if isinstance(stop, Hungry):
                self._waits = True
                self.answer([WAITING])
                self.action_type("input ")
        self.show()

    def _tell_at_once(self, words: str) -> None:
        """Write over the first line of the screen: nothing is drawn while a command works."""
        driver = self._driver
        if driver is not None:
            driver.write(f"\x1b7\x1b[1;1H\x1b[7m {words} \x1b[0m\x1b[K\x1b8")
            driver.flush()

    def perform(self, line: str, most: int | None = None) -> None:
        """Perform a command, and show its answer, cut to `most` lines."""
        self.running = False
        self.patience.begin()
        lines = self.console_of.execute(line)
        self._broke_off = self.patience.broken_off
        self._mark_hit()
        if self.console_of.quitting:
            self.exit()
        if self.session.stop is None and lines[-1:] == [self.console_of.where()]:
            lines[-1:] = self.patience.told()  # the first line of the screen says where it is
        if most is not None and len(lines) > most:
            lines[most - 1 :] = [f"and {len(lines) + 1 - most:,} more; `step` and `back` tell all"]
        self.answer(lines)
        self.show()

    def action_run_or_pause(self) -> None:
        self.running = not self.running
        self.answer([])
        self.show()

    def action_pause(self) -> None:
        """Pause, and say how to leave."""
        said = ["q leaves the debugger"]
        if self.running or self._broke_off:
            said = [self.console_of.where()] if self.running else self.patience.told()
        self.answer(said)
        self.running = self._broke_off = False
        self.show()

    def action_step(self, ticks: int) -> None:
        self.board.leave_trail()
        self.perform(f"step {ticks}" if ticks > 0 else f"back {-ticks}", MOST_STEPPED)

    action_command = perform

    def action_finish(self) -> None:
        """Run to the end, or until a key is pressed."""
        self.speed = "5"
        self.running = True

    def action_speed(self, key: str) -> None:
        self.speed = key
        self.show()

    @on(PlaneView.Chosen)
    def action_breakpoint(self) -> None:
        x, y = self.board.cursor
        known = self.console_of.breakpoints.at(x, y)
        self.perform(f"delete {known.id}" if known else f"break at {x},{y}")

    def action_run_to_cursor(self) -> None:
        x, y = self.board.cursor
        self.perform(f"until at {x},{y}")

    def action_cursor(self, key: str) -> None:
        if not self._is_typed(key):
            self.board.move_cursor(*WAYS[key])

    def action_follow(self) -> None:
        self.board.following = not self.board.following
        self.show()

    def action_heat(self) -> None:
        self.heat.switch(self.patience.seconds)
        self.show()

    def action_keys(self) -> None:
        self.answer(KEYS.splitlines())

    # Typing ----------------------------------------------------------------------------------

    @property
    def line(self) -> Input:
        return self.query_one("#command", Input)

    def action_type(self, words: str, sign: str = "") -> None:
        """Begin to type a command; while one is typed, the key is part of it."""
        if self._is_typed(sign):
            return
        self.line.value = words
        self.screen.set_focus(self.line)  # at once: more keys may wait
        self.line.cursor_position = len(words)

    def _is_typed(self, sign: str) -> bool:
        """Whether a key is part of the command being typed."""
        typing = bool(sign) and self.line.has_focus
        if typing:
            self.line.insert_text_at_cursor(sign)
        return typing

    def action_edit(self) -> None:
        """Put the next sign typed into the cell at the cursor."""
        if self._is_typed("e"):
            return
        self._edited = x, y = self.board.cursor
        self.line.placeholder = f"type the sign for {x},{y}; Enter for a number, Escape for none"

    async def on_event(self, event: events.Event) -> None:
        """Take the next key as a sign while a cell is edited."""
        if isinstance(event, events.InputEvent) and not self.screen_stack:
            return  # the debugger has ended meanwhile
        if isinstance(event, events.Key) and self._edited is not None:
            self._take_sign(event)
        else:
            await super().on_event(event)

    def _take_sign(self, event: events.Key) -> None:
        assert self._edited is not None
        (x, y), self._edited = self._edited, None
        self.line.placeholder = PLACEHOLDER
        if event.is_printable:
            self.perform(f"cell {x},{y} = '{event.character}'")
        elif event.key == "enter":
            self.action_type(f"cell {x},{y} = ")

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
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
        """Handle keys while typing: history, completion and Escape."""
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
        """Note the tick chosen on the timeline; of a drag, only the last counts."""
        self._chosen = message.tick

    # The file --------------------------------------------------------------------------------

    def _watch_file(self) -> None:
        """Report when the file on disk is no longer the program that runs."""
        stamp = stamp_of(self.path)
        if self.path is None or stamp == self._stamp:
            return
        self._stamp = stamp
        gone = stamp is None
        said = "is gone; the run goes on" if gone else "has changed; Ctrl+R loads it again"
        self.answer([f"{self.path} {said}"])

    def action_reload(self) -> None:
        if self.path is None:
            return self.answer(["this program came from no file"])
        self.patience.begin()
        try:
            with open(self.path, "rb") as file:
                self.session.reload(file.read(), self.patience.is_over)
        except (OSError, PlanewalkError) as error:
            why = getattr(error, "strerror", None) or error
            return self.answer([f"{self.path}: {why}; the run goes on with what was loaded"])
        self.heat.clear()
        self.answer([f"loaded again: {self.console_of.where()}"])
        return self.show()
