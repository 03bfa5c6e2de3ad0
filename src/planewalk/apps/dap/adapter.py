"""The protocol's side of a session: requests in, responses and events out, no streams in sight.

What a plane has no word for is given a sensible meaning: threads are walkers; a line breakpoint
without a column is at the first instruction of its row; *step in* is one tick, *step over* goes on
to the next cell that does something, *step out* to where the walker leaves its straight way.
"""

from __future__ import annotations

import os
import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from math import isnan
from time import monotonic
from typing import Any, NamedTuple

from ...core.errors import OptionError, PlanewalkError
from ...core.geometry import Stance
from ...core.meta.blame import blaming
from ...core.step import FINAL, Fault, Halted, Hit, Hungry, Spent, Stalled, Stop
from ...debug.conditions.grammar import any_of
from ...debug.session import Session
from ...languages import foreign
from ...view.console.console import Console
from ...view.scene.frame import Lens, named_ends, told
from ...view.scene.panels import letter
from ...view.walk.stances import heading_name
from ..fields import Message, refusal
from ..sources import same_file
from .answerer import Answerer
from .breakpoints import EditorBreakpoints, Numbering
from .stepping import MOST_WALKERS, STEPS
from .variables import Variables

Load = Callable[[Message, Callable[[], bool]], Session]
"""Opens the session that a launch request describes, unless the callback asks to stop."""
SLICE = 0.03
FRAMES = 1000
"""Frame numbers of each depth, more than there are threads."""
MOST_SEEN = 120
"""Cells of a preview along each side."""
FURTHEST_SHOWN = (1 << 31) - 1
"""Lines and columns of an editor are numbers of 32 bits."""
UTF_8 = getincrementaldecoder("utf-8")
NOTHING = "no program is launched"
ELSEWHERE = "this is not the program that is launched"

SUPPORTED = """
    ConfigurationDoneRequest ConditionalBreakpoints HitConditionalBreakpoints LogPoints
    DataBreakpoints StepBack SetVariable EvaluateForHovers GotoTargetsRequest RestartRequest
    TerminateRequest CancelRequest ExceptionInfoRequest CompletionsRequest
"""
FAULTS = {"filter": "fault", "label": "Faults of the program", "default": True}
CAPABILITIES: Message = {f"supports{name}": True for name in SUPPORTED.split()}
CAPABILITIES["exceptionBreakpointFilters"] = [FAULTS]


class Launched(NamedTuple):
    """The session of a launched program, with its console and variables."""

    walk: Session
    console: Console
    variables: Variables


class Adapter(Answerer):
    """Debugs one program for one editor."""

    def __init__(self, load: Load, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(clock)
        self.load = load
        self.running = self.over = False
        self.launched: Launched | None = None
        self._launch: Message = {}
        self._entry = True
        self._stops = EditorBreakpoints(lambda: self._walk)
        self._numbers = Numbering()
        self._targets: list[tuple[int, int]] = []
        self._sent = 0
        self._rest = UTF_8(errors="replace")

    def serve(self, command: str, arguments: Message, after: list[Message]) -> Any:
        """See `Answerer`; steps are served all alike."""
        if command not in STEPS:
            return super().serve(command, arguments, after)
        self._after_step(STEPS[command](self._walk, self.must_end), after)
        return None

    # Running ---------------------------------------------------------------------------------

    def work(self) -> list[Message]:
        if not self.running:
            return []
        self.begin()
        try:
            with blaming(others=foreign.loaded):
                stop = self._walk.run(SLICE, self._stops.points.together, hurry=self.hurried)
        except PlanewalkError as error:
            self.running = False
            return [*self.complain(refusal(error)), *self._output(), *self._stopped(None, "pause")]
        events = self._output()
        if stop is None:
            return events
        if isinstance(stop, Hit):
            logs, only_logs = self._stops.said()
            lines = [_filled(words, self._at.console) + "\n" for words in logs]
            events += [self.event("output", {"category": "console", "output": x}) for x in lines]
            if only_logs:
                return events
        self.running = False
        return [*events, *self._stopped(stop, "breakpoint")]

    def _stopped(self, stop: Stop | None, reason: str) -> list[Message]:
        """The events that say that the run has stopped, and why."""
        self._at.variables.forget()
        if isinstance(stop, Fault):
            return [self.event("stopped", _stop_body("exception", told(stop)))]
        if isinstance(stop, Hungry):
            hint = "the program waits for input; type `input TEXT` below, or `input` to end it\n"
            waiting = self.event("output", {"category": "console", "output": hint})
            return [waiting, self.event("stopped", _stop_body("pause", "waiting for input"))]
        if isinstance(stop, (Halted, Stalled, Spent)):
            line = f"planewalk: {told(stop)} after {self._walk.tick:,} ticks\n"
            ended = self.event("output", {"category": "console", "output": line})
            return [ended, self.event("stopped", _stop_body("pause", told(stop)))]
        text = self._at.console.reason(stop) if isinstance(stop, Hit) else ""
        return [self.event("stopped", _stop_body(reason, text))]

    def _output(self) -> list[Message]:
        """Events for what was written since the last call, in whole characters."""
        walk = self._walk
        data = b""
        if walk.written > self._sent:
            data = walk.output_between(self._sent, walk.written)
            self._sent = walk.written
        text = self._rest.decode(data, isinstance(walk.stop, FINAL))
        return [self.event("output", {"category": "stdout", "output": text})] if text else []

    @property
    def _at(self) -> Launched:
        if self.launched is None:
            raise OptionError(NOTHING)
        return self.launched

    @property
    def _walk(self) -> Session:
        return self._at.walk

    # Beginning and end -----------------------------------------------------------------------

    def where(self) -> str:
        """See `Answerer`."""
        walk = None if self.launched is None else self.launched.walk
        tick = getattr(walk, "tick", None)  # there is none before, and while it jumps
        return "at work" if tick is None else f"tick {tick:,}"

    def fail(self, report: str) -> list[Message]:
        """The events after an internal error in a run."""
        self.running = False
        return [*self.complain(report), *self._stopped(None, "pause")]

    def on_initialize(self, arguments: Message, after: list[Message]) -> Message:
        names = "linesStartAt1", "columnsStartAt1"
        self._numbers = Numbering(*(int(arguments.get(name) is not False) for name in names))
        self.reports = arguments.get("supportsProgressReporting", False)
        return CAPABILITIES

    def on_launch(self, arguments: Message, after: list[Message]) -> None:
        self._begin(arguments)
        self._entry = arguments.get("stopOnEntry", True)
        after.append(self.event("initialized"))

    on_attach = on_launch

    def _begin(self, wanted: Message) -> None:
        self.running = False
        session = self.load(wanted, self.must_end)
        console = Console(session, self._stops.points, self.must_end)
        self.launched = Launched(session, console, Variables(session))
        self._launch, self._sent, self._rest = wanted, 0, UTF_8(errors="replace")

    def on_configurationDone(self, arguments: Message, after: list[Message]) -> None:
        self._stops.arm(self.must_end)
        if self._entry:
            after += self._stopped(None, "entry")
        else:
            self.running = True

    def on_restart(self, arguments: Message, after: list[Message]) -> None:
        wanted = arguments.get("arguments") or self._launch
        if not wanted:
            raise OptionError(NOTHING)
        self._begin(wanted)
        self._stops.arm(self.must_end)
        after += self._stopped(None, "entry")

    def on_disconnect(self, arguments: Message, after: list[Message]) -> None:
        self.over, self.running = True, False

    def on_terminate(self, arguments: Message, after: list[Message]) -> None:
        self.running = False
        after.append(self.event("terminated"))

    def on_cancel(self, arguments: Message, after: list[Message]) -> None:
        """Nothing is left to do: the inbox has cancelled the request, or it was over."""

    # Breakpoints -----------------------------------------------------------------------------

    def on_setBreakpoints(self, arguments: Message, after: list[Message]) -> Message:
        places = arguments.get("breakpoints", [])
        if not _is_program(arguments.get("source", {}), self._launch.get("program")):
            return {"breakpoints": [{"verified": False, "message": ELSEWHERE} for _ in places]}
        answers = self._stops.set_in_cells(places, self._numbers)
        self._stops.arm(self.must_end)
        return {"breakpoints": answers}

    def on_dataBreakpointInfo(self, arguments: Message, after: list[Message]) -> Message:
        name = arguments["name"]
        if not re.fullmatch(r"-?\d+,-?\d+", name):
            return {"dataId": None, "description": f"{name} is not a cell"}
        kinds = ["read", "write", "readWrite"]
        return {"dataId": name, "description": f"cell {name}", "accessTypes": kinds}

    def on_setDataBreakpoints(self, arguments: Message, after: list[Message]) -> Message:
        answers = self._stops.set_data(arguments["breakpoints"])
        self._stops.arm(self.must_end)
        return {"breakpoints": answers}

    def on_setExceptionBreakpoints(self, arguments: Message, after: list[Message]) -> Message:
        return {}

    # Walking ---------------------------------------------------------------------------------

    def on_continue(self, arguments: Message, after: list[Message]) -> Message:
        self._walk.goto(self._walk.tick)
        self.running = True
        return {"allThreadsContinued": True}

    def on_pause(self, arguments: Message, after: list[Message]) -> None:
        self.running = False
        after += self._stopped(None, "pause")

    def on_reverseContinue(self, arguments: Message, after: list[Message]) -> None:
        """Back to the last breakpoint hit; log points are passed in silence."""
        walk, wanted = self._walk, self._stops.stopping()
        stop = walk.back_until(any_of(wanted), self.must_end) if wanted else walk.goto(0)
        self._after_step(stop, after, "breakpoint" if isinstance(stop, Hit) else "entry")

    def _after_step(self, stop: Stop | None, after: list[Message], reason: str = "step") -> None:
        self.running = False
        after += self._output()
        after += self._stopped(stop, reason)

    def on_gotoTargets(self, arguments: Message, after: list[Message]) -> Message:
        cell = self._numbers.cell(self._walk, arguments)
        if cell is None:
            return {"targets": []}
        self._targets = [cell]
        label = f"run to {cell[0]},{cell[1]}"
        return {"targets": [{"id": 0, "label": label, "line": cell[1] + self._numbers.row}]}

    def on_goto(self, arguments: Message, after: list[Message]) -> None:
        if not 0 <= arguments["targetId"] < len(self._targets):
            raise OptionError(f"there is no target {arguments['targetId']}")
        x, y = self._targets[arguments["targetId"]]
        self._after_step(self._walk.until(f"at {x},{y}", self.must_end), after, "goto")

    # Looking ---------------------------------------------------------------------------------

    def on_threads(self, arguments: Message, after: list[Message]) -> Message:
        walk = self._walk
        threads = []
        for number, (stance, _) in enumerate(walk.state.walkers[:MOST_WALKERS]):
            way = heading_name(walk.language, stance.dx, stance.dy)
            name = f"{letter(number)} at {stance.x:g},{stance.y:g} {way}"
            threads.append({"id": number + 1, "name": name})
        return {"threads": threads or [{"id": 1, "name": "no walker is left"}]}

    def on_stackTrace(self, arguments: Message, after: list[Message]) -> Message:
        walk = self._walk
        number = arguments["threadId"] - 1
        walkers = walk.state.walkers[:MOST_WALKERS]
        stands: list[tuple[int, Stance, str]] = []
        if 0 <= number < len(walkers):
            stance = walkers[number].stance
            row = walk.language.decode(walk.state.plane, stance)
            sign = row.symbol if row.symbol.isprintable() else "·"
            stands.append((0, stance, f"{sign} {row.name}"))
        calls = enumerate(reversed(walk.state.calls[-20:]), 1)
        stands += [(depth, stance, "called from here") for depth, stance in calls]
        path = str(self._launch.get("program") or "")
        frames = [
            {
                "id": FRAMES * depth + number,
                "name": name,
                "source": {"name": os.path.basename(path), "path": os.path.abspath(path)},
                "line": _shown(stance.y) + self._numbers.row,
                "column": _shown(stance.x) + self._numbers.column,
            }
            for depth, stance, name in stands
        ]
        if not walkers:  # so that registers can be looked at all the same
            frames.append({"id": number, "name": "no walker", "line": 0, "column": 0})
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def on_scopes(self, arguments: Message, after: list[Message]) -> Message:
        return {"scopes": self._at.variables.scopes(arguments["frameId"] % FRAMES)}

    def on_variables(self, arguments: Message, after: list[Message]) -> Message:
        _, make = self._at.variables.at(arguments["variablesReference"])
        return {"variables": make()}

    def on_setVariable(self, arguments: Message, after: list[Message]) -> Message:
        reference, name = arguments["variablesReference"], arguments["name"]
        return {"value": self._at.variables.set(reference, name, arguments["value"])}

    def on_evaluate(self, arguments: Message, after: list[Message]) -> Message:
        """Typed text may be a console command, a value or a condition; watches and hovers are never
        commands, since editors evaluate them at every stop."""
        expression, context = arguments["expression"], arguments.get("context", "repl")
        if context == "hover":
            result = self._at.console.pointed(expression)
        elif context == "repl":
            result = self._typed(expression, after)
        else:
            result = self._at.console.answer(expression)
        return {"result": result, "variablesReference": 0}

    def _typed(self, line: str, after: list[Message]) -> str:
        """Perform a console command, and send a stopped event if it moved the run."""
        walk = self._walk
        tick, branch = walk.tick, walk.branch
        try:
            return "\n".join(self._at.console.perform(line))
        finally:
            if (walk.tick, walk.branch) != (tick, branch):
                self._after_step(walk.stop, after, "goto")

    def on_completions(self, arguments: Message, after: list[Message]) -> Message:
        if self.launched is None:
            return {"targets": []}
        text = arguments["text"][: max(arguments["column"] - self._numbers.column, 0)]
        return {"targets": [{"label": word} for word in self._at.console.complete(text)]}

    def on_planewalkFrame(self, arguments: Message, after: list[Message]) -> Message:
        """A frame for previews: an addition to the protocol."""
        walk = self._walk
        left, top, right, bottom = walk.state.plane.box() or (0, 0, 0, 0)
        box = (left, top, min(right, left + MOST_SEEN), min(bottom, top + MOST_SEEN))
        frame = Lens(walk.language).look(walk.state, box, stop=walk.stop).to_json()
        return frame | named_ends(walk.language, walk.state, box)

    def on_exceptionInfo(self, arguments: Message, after: list[Message]) -> Message:
        stop = self._walk.stop
        said = "no fault" if stop is None else told(stop)
        return {"exceptionId": "fault", "description": said, "breakMode": "always"}


def _filled(words: str, console: Console) -> str:
    """The message of a log point, with expressions in braces evaluated by the console."""
    return re.sub(r"\{([^}]*)\}", lambda found: " ".join(console.execute(found[1])), words)


def _is_program(source: Message, launched: str | None) -> bool:
    """Whether a source is the launched file: editors send the breakpoints of every file."""
    path = source.get("path")
    if not path or not launched:
        return True
    return os.path.abspath(path) == os.path.abspath(launched) or same_file(path, launched)


def _shown(coordinate: float) -> int:
    """A coordinate within the range of editors: those of Webfunge may be huge or NaN."""
    if isnan(coordinate):
        return 0
    return int(max(min(coordinate, FURTHEST_SHOWN - 1), -FURTHEST_SHOWN))


def _stop_body(reason: str, text: str) -> Message:
    body: Message = {"reason": reason, "threadId": 1, "allThreadsStopped": True}
    return body | ({"description": text, "text": text} if text else {})
