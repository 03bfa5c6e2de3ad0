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
from contextlib import suppress
from math import isnan
from time import monotonic
from typing import Any, TypeVar

from ...core.blame import blaming
from ...core.errors import OptionError, PlanewalkError
from ...core.instruction import Group
from ...core.step import FINAL, Fault, Halted, Hit, Hungry, Spent, Stalled, Stop
from ...debug.grammar import any_of, parse
from ...debug.session import Session
from ...languages import foreign
from ...view.console.breakpoints import Breakpoints
from ...view.console.console import Console
from ...view.scene.frame import Lens, told
from ...view.scene.panels import letter
from ...view.walk.stances import heading_name
from ..fields import Message
from ..refusals import refusal
from .answerer import Answerer
from .variables import Variables

Load = Callable[[Message, Callable[[], bool]], Session]
"""Gives the session that a launch request describes, or gives it up when it is asked to."""
SLICE = 0.03
MOST_THREADS = 50
FRAMES = 1000
"""Numbers of frames of one depth, more than there are threads."""
MOST_SEEN = 120
"""Cells of a preview along each side."""
FAR = 1_000_000
"""Ticks after which a step that finds no end is given up."""
FURTHEST_SHOWN = (1 << 31) - 1
"""Lines and columns of an editor are numbers of 32 bits."""
UTF_8 = getincrementaldecoder("utf-8")
NOTHING = "no program is launched"
ELSEWHERE = "this is not the program that is launched"

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsDataBreakpoints": True,
    "supportsStepBack": True,
    "supportsSetVariable": True,
    "supportsEvaluateForHovers": True,
    "supportsGotoTargetsRequest": True,
    "supportsRestartRequest": True,
    "supportsTerminateRequest": True,
    "supportsCancelRequest": True,
    "supportsExceptionInfoRequest": True,
    "supportsCompletionsRequest": True,
    "exceptionBreakpointFilters": [
        {"filter": "fault", "label": "Faults of the program", "default": True}
    ],
}


class Adapter(Answerer):
    """One editor's debugging of one program."""

    def __init__(self, load: Load, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(clock)
        self.load = load
        self.running = self.over = False
        self.session: Session | None = None
        self._typing: Console | None = None
        self._shown: Variables | None = None
        self._launch: Message = {}
        self._entry = True
        self._places: list[dict[str, Any]] = []
        self._data: list[str] = []
        self._logs: dict[str, str] = {}
        self._points = Breakpoints()
        self._targets: list[tuple[int, int]] = []
        self._sent = 0
        self._rest = UTF_8(errors="replace")

    # Running ---------------------------------------------------------------------------------

    def work(self) -> list[Message]:
        """A slice of the run."""
        if not self.running:
            return []
        self.begin()
        try:
            with blaming(others=foreign.loaded):
                stop = self._walk.run(SLICE, self._points.together, hurry=self.hurried)
        except PlanewalkError as error:
            self.running = False
            return [*self.complain(refusal(error)), *self._output(), *self._stopped(None, "pause")]
        events = self._output()
        if stop is None:
            return events
        if isinstance(stop, Hit) and self._log_point(events):
            return events
        self.running = False
        return [*events, *self._stopped(stop, "breakpoint")]

    def _log_point(self, events: list[Message]) -> bool:
        """Whether all that was hit only wants to say something, which is said."""
        walk = self._walk
        hits = [
            point.wanted.text
            for point in self._points.all.values()
            if walk.is_hit_now(point.wanted)
        ]
        logs = [self._logs[text] for text in hits if text in self._logs]
        for log in logs:
            line = re.sub(
                r"\{([^}]*)\}", lambda found: " ".join(self._console.execute(found[1])), log
            )
            events.append(self.event("output", {"category": "console", "output": line + "\n"}))
        return bool(hits) and len(logs) == len(hits)

    def _stopped(self, stop: Stop | None, reason: str) -> list[Message]:
        """Tell that the run stands, and why."""
        self._variables.forget()
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
        text = self._console.reason(stop) if isinstance(stop, Hit) else ""
        return [self.event("stopped", _stop_body(reason, text))]

    def _output(self) -> list[Message]:
        """What the program has written since the last time, in whole characters."""
        walk = self._walk
        data = b""
        if walk.written > self._sent:
            data = walk.output_between(self._sent, walk.written)
            self._sent = walk.written
        text = self._rest.decode(data, isinstance(walk.stop, FINAL))
        return [self.event("output", {"category": "stdout", "output": text})] if text else []

    @property
    def _walk(self) -> Session:
        return _launched(self.session)

    @property
    def _console(self) -> Console:
        return _launched(self._typing)

    @property
    def _variables(self) -> Variables:
        return _launched(self._shown)

    # Beginning and end -----------------------------------------------------------------------

    def where(self) -> str:
        """See `Answerer`."""
        tick = getattr(self.session, "tick", None)  # there is none before, and while it jumps
        return "at work" if tick is None else f"tick {tick:,}"

    def fail(self, report: str) -> list[Message]:
        """What to tell of a run that met a bug of ours."""
        self.running = False
        return [*self.complain(report), *self._stopped(None, "pause")]

    def on_initialize(self, arguments: Message, after: list[Message]) -> Message:
        self._base = 0 if arguments.get("linesStartAt1") is False else 1
        self._base_column = 0 if arguments.get("columnsStartAt1") is False else 1
        self.reports = arguments.get("supportsProgressReporting", False)
        return CAPABILITIES

    _base = _base_column = 1

    def on_launch(self, arguments: Message, after: list[Message]) -> None:
        self.running = False
        self._begin(self.load(arguments, self.must_end))
        self._launch = arguments
        self._entry = arguments.get("stopOnEntry", True)
        after.append(self.event("initialized"))

    on_attach = on_launch

    def _begin(self, session: Session) -> None:
        self.session = session
        self._shown = Variables(session)
        self._typing = Console(session, self._points, self.must_end)
        self._sent = 0
        self._rest = UTF_8(errors="replace")

    def on_configurationDone(self, arguments: Message, after: list[Message]) -> None:
        self._arm()
        if self._entry:
            after += self._stopped(None, "entry")
        else:
            self.running = True

    def on_restart(self, arguments: Message, after: list[Message]) -> None:
        wanted = arguments.get("arguments") or self._launch
        if not wanted:
            raise OptionError(NOTHING)
        self.running = False
        self._begin(self.load(wanted, self.must_end))
        self._launch = wanted
        self._arm()
        after += self._stopped(None, "entry")

    def on_disconnect(self, arguments: Message, after: list[Message]) -> None:
        self.over, self.running = True, False

    def on_terminate(self, arguments: Message, after: list[Message]) -> None:
        self.running = False
        after.append(self.event("terminated"))

    def on_cancel(self, arguments: Message, after: list[Message]) -> None:
        """The request that is meant has heard of it already, or was over before."""

    # Breakpoints -----------------------------------------------------------------------------

    def on_setBreakpoints(self, arguments: Message, after: list[Message]) -> Message:
        places = arguments.get("breakpoints", [])
        if not self._is_program(arguments.get("source", {})):
            return {"breakpoints": [{"verified": False, "message": ELSEWHERE} for _ in places]}
        self._places = places
        answers = [self._verified(each) for each in self._places]
        self._arm()
        return {"breakpoints": answers}

    def _is_program(self, source: Message) -> bool:
        """Whether it is the file that was launched: editors tell of breakpoints file by file."""
        path, launched = source.get("path"), self._launch.get("program")
        if not path or not launched:
            return True
        return os.path.abspath(path) == os.path.abspath(launched) or _same_file(path, launched)

    def _verified(self, place: dict[str, Any]) -> dict[str, Any]:
        """Where a breakpoint is set, and whether its conditions can be understood."""
        x, row = self._cell_of(place)
        if x is None:
            return {"verified": False, "message": "nothing stands in this row"}
        text = f"at {x},{row}"
        try:
            if place.get("condition"):
                text += f" and ({place['condition']})"
            text += _every(place)
            parse(text, self._walk.language)
        except PlanewalkError as error:
            return {"verified": False, "message": refusal(error).splitlines()[0]}
        place["text"] = text
        where = {"line": row + self._base, "column": x + self._base_column}
        return {"verified": True, **where}

    def _cell_of(self, place: Message) -> tuple[int | None, int]:
        """Column and row that an editor means; without a column, the first that does something."""
        row, column = place["line"] - self._base, place.get("column")
        return self._first_in_row(row) if column is None else column - self._base_column, row

    def _first_in_row(self, row: int) -> int | None:
        walk = self._walk
        box = walk.state.plane.box()
        if box is None or not box[1] <= row <= box[3]:
            return None
        for x in range(box[0], box[2] + 1):
            known = walk.language.table.get(ord(walk.language.sign(walk.state.plane, x, row)))
            if known is not None and known.group is not Group.NOTHING:
                return x
        return None

    def on_dataBreakpointInfo(self, arguments: Message, after: list[Message]) -> Message:
        name = arguments["name"]
        if not re.fullmatch(r"-?\d+,-?\d+", name):
            return {"dataId": None, "description": f"{name} is no cell"}
        kinds = ["read", "write", "readWrite"]
        return {"dataId": name, "description": f"cell {name}", "accessTypes": kinds}

    def on_setDataBreakpoints(self, arguments: Message, after: list[Message]) -> Message:
        words = {"read": "read {0}", "write": "written {0}", "readWrite": "read {0} or written {0}"}
        self._data, answers = [], []
        for each in arguments["breakpoints"]:
            text = words[each.get("accessType", "write")].format(each["dataId"])
            if each.get("condition"):
                text = f"({text}) and ({each['condition']})"
            try:
                text += _every(each)
                parse(text, self._walk.language)
            except PlanewalkError as error:
                answers.append({"verified": False, "message": refusal(error).splitlines()[0]})
                continue
            self._data.append(text)
            answers.append({"verified": True})
        self._arm()
        return {"breakpoints": answers}

    def on_setExceptionBreakpoints(self, arguments: Message, after: list[Message]) -> Message:
        return {}

    def _arm(self) -> None:
        """From now on the run stops at what the editor has set. It sets all of them anew when it
        changes one; the others go on counting."""
        counted = {point.wanted.text: point.wanted for point in self._points.all.values()}
        self._points.clear()
        self._logs = {}
        for place in self._places:
            if "text" in place:
                self._points.add(counted.get(place["text"], place["text"]))
                if place.get("logMessage"):
                    self._logs[place["text"]] = place["logMessage"]
        for text in self._data:
            self._points.add(counted.get(text, text))
        for point in self._points.all.values() if self.session is not None else ():
            self._walk.count(point.wanted, self.must_end)

    # Walking ---------------------------------------------------------------------------------

    def on_continue(self, arguments: Message, after: list[Message]) -> Message:
        self._walk.goto(self._walk.tick)
        self.running = True
        return {"allThreadsContinued": True}

    def on_pause(self, arguments: Message, after: list[Message]) -> None:
        self.running = False
        after += self._stopped(None, "pause")

    def on_stepIn(self, arguments: Message, after: list[Message]) -> None:
        self._after_step(self._walk.forward(1, self.must_end), after)

    def on_next(self, arguments: Message, after: list[Message]) -> None:
        """On to the next cell that does something."""
        walk = self._walk
        stop = walk.forward(1, self.must_end)
        ticks = 0
        while stop is None and ticks < FAR and self._stands_on_nothing() and not self.must_end():
            stop = walk.forward(1, self.must_end)
            ticks += 1
        self._after_step(stop, after)

    def _stands_on_nothing(self) -> bool:
        walk = self._walk
        stances = [walker.stance for walker in walk.state.walkers]
        decode, plane = walk.language.decode, walk.state.plane
        return all(decode(plane, stance).group is Group.NOTHING for stance in stances)

    def on_stepOut(self, arguments: Message, after: list[Message]) -> None:
        """On to where the walker leaves its straight way."""
        walk = self._walk
        before = self._headings()
        stop = walk.forward(1, self.must_end)
        ticks = 0
        while stop is None and ticks < FAR and self._headings() == before and not self.must_end():
            stop = walk.forward(1, self.must_end)
            ticks += 1
        self._after_step(stop, after)

    def _headings(self) -> list[tuple[Any, Any]]:
        return [(w.stance.dx, w.stance.dy) for w in self._walk.state.walkers[:MOST_THREADS]]

    def on_stepBack(self, arguments: Message, after: list[Message]) -> None:
        self._after_step(self._walk.back(1, self.must_end), after)

    def on_reverseContinue(self, arguments: Message, after: list[Message]) -> None:
        """Back to where one stops; log points say nothing of what has been said before."""
        walk, points = self._walk, [point.wanted for point in self._points.all.values()]
        wanted = [point for point in points if point.text not in self._logs]
        stop = walk.back_until(any_of(wanted), self.must_end) if wanted else walk.goto(0)
        self._after_step(stop, after, "breakpoint" if isinstance(stop, Hit) else "entry")

    def _after_step(self, stop: Stop | None, after: list[Message], reason: str = "step") -> None:
        self.running = False
        after += self._output()
        after += self._stopped(stop, reason)

    def on_gotoTargets(self, arguments: Message, after: list[Message]) -> Message:
        x, row = self._cell_of(arguments)
        if x is None:
            return {"targets": []}
        self._targets = [(x, row)]
        return {"targets": [{"id": 0, "label": f"run to {x},{row}", "line": row + self._base}]}

    def on_goto(self, arguments: Message, after: list[Message]) -> None:
        if not 0 <= arguments["targetId"] < len(self._targets):
            raise OptionError(f"there is no target {arguments['targetId']}")
        x, y = self._targets[arguments["targetId"]]
        self._after_step(self._walk.until(f"at {x},{y}", self.must_end), after, "goto")

    # Looking ---------------------------------------------------------------------------------

    def on_threads(self, arguments: Message, after: list[Message]) -> Message:
        walk = self._walk
        threads = []
        for number, (stance, _) in enumerate(walk.state.walkers[:MOST_THREADS]):
            way = heading_name(walk.language, stance.dx, stance.dy)
            name = f"{letter(number)} at {stance.x:g},{stance.y:g} {way}"
            threads.append({"id": number + 1, "name": name})
        return {"threads": threads or [{"id": 1, "name": "no walker is left"}]}

    def on_stackTrace(self, arguments: Message, after: list[Message]) -> Message:
        walk = self._walk
        number = arguments["threadId"] - 1
        walkers = walk.state.walkers[:MOST_THREADS]
        stances = [walkers[number].stance] if 0 <= number < len(walkers) else []
        frames = [self._frame(at, stance, number) for at, stance in enumerate(stances)]
        calls = reversed(walk.state.calls[-20:])
        frames += [self._frame(at, stance, number) for at, stance in enumerate(calls, 1)]
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def _frame(self, depth: int, stance: Any, number: int) -> Message:
        walk = self._walk
        name = "called from here"
        if not depth:
            row = walk.language.decode(walk.state.plane, stance)
            name = f"{row.symbol if row.symbol.isprintable() else '·'} {row.name}"
        path = str(self._launch.get("program") or "")
        return {
            "id": FRAMES * depth + number,
            "name": name,
            "source": {"name": os.path.basename(path), "path": os.path.abspath(path)},
            "line": _shown(stance.y) + self._base,
            "column": _shown(stance.x) + self._base_column,
        }

    def on_scopes(self, arguments: Message, after: list[Message]) -> Message:
        return {"scopes": self._variables.scopes(arguments["frameId"] % FRAMES)}

    def on_variables(self, arguments: Message, after: list[Message]) -> Message:
        return {"variables": self._variables.under(arguments["variablesReference"])}

    def on_setVariable(self, arguments: Message, after: list[Message]) -> Message:
        reference, name = arguments["variablesReference"], arguments["name"]
        return {"value": self._variables.set(reference, name, arguments["value"])}

    def on_evaluate(self, arguments: Message, after: list[Message]) -> Message:
        """What is typed are commands of the console, values and conditions; what is watched or
        pointed at is never a command, since it is asked at every stop."""
        expression, context = arguments["expression"], arguments.get("context", "repl")
        if context == "hover":
            result = self._console.pointed(expression)
        elif context == "repl":
            result = self._typed(expression, after)
        else:
            result = self._console.answer(expression)
        return {"result": result, "variablesReference": 0}

    def _typed(self, line: str, after: list[Message]) -> str:
        """Perform a command of the console, and tell where the run stands if that moved it."""
        walk = self._walk
        tick, branch = walk.tick, walk.branch
        try:
            return "\n".join(self._console.perform(line))
        finally:
            if (walk.tick, walk.branch) != (tick, branch):
                self.running = False
                after += self._output()
                after += self._stopped(walk.stop, "goto")

    def on_completions(self, arguments: Message, after: list[Message]) -> Message:
        if self.session is None:
            return {"targets": []}
        text = arguments["text"][: max(arguments["column"] - self._base_column, 0)]
        return {"targets": [{"label": word} for word in self._console.complete(text)]}

    def on_planewalkFrame(self, arguments: Message, after: list[Message]) -> Message:
        """What is seen, for previews: not a request of the protocol, but an addition to it."""
        walk = self._walk
        left, top, right, bottom = walk.state.plane.box() or (0, 0, 0, 0)
        box = (left, top, min(right, left + MOST_SEEN), min(bottom, top + MOST_SEEN))
        return Lens(walk.language).look(walk.state, box, stop=walk.stop).to_json()

    def on_exceptionInfo(self, arguments: Message, after: list[Message]) -> Message:
        stop = self._walk.stop
        said = "no fault" if stop is None else told(stop)
        return {"exceptionId": "fault", "description": said, "breakMode": "always"}


Thing = TypeVar("Thing")


def _launched(thing: Thing | None) -> Thing:
    """What there is once a program is launched."""
    if thing is None:
        raise OptionError(NOTHING)
    return thing


def _same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    with suppress(OSError, ValueError):
        return os.path.samefile(one, other)
    return False


def _every(place: Message) -> str:
    """Which hits of a breakpoint count, as a condition says it."""
    wish = place.get("hitCondition", "").strip()
    if not wish:
        return ""
    found = re.fullmatch(r"(?:every|%|=|==|>=)?\s*(\d{1,18})", wish)
    if found is None:
        raise OptionError(f"expected every how many hits it should stop, such as 3, not {wish!r}")
    return f" every {found[1]}"


def _shown(coordinate: float) -> int:
    """A coordinate as an editor can have it: places of Webfunge may be anywhere, or nowhere."""
    if isnan(coordinate):
        return 0
    return int(max(min(coordinate, FURTHEST_SHOWN - 1), -FURTHEST_SHOWN))


def _stop_body(reason: str, text: str) -> Message:
    body: Message = {"reason": reason, "threadId": 1, "allThreadsStopped": True}
    return body | ({"description": text, "text": text} if text else {})
