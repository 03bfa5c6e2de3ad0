"""Understands commands, performs them on a session and answers in lines."""

from __future__ import annotations

import re
from contextlib import suppress

from ...core.errors import LimitReached, OptionError, PlanewalkError, closest
from ...core.step import Hit
from ...debug.conditions.grammar import EXAMPLES, ConditionError, parse, parse_value
from ...debug.replay.course import Pause
from ...debug.session import Session
from ..scene.frame import told
from . import asking, changing, walking
from .breakpoints import Breakpoints
from .command import NONE, Answer, Argument, Command
from .watches import Watches


class Console:
    """One person's commands to a session, with breakpoints and watches."""

    def __init__(
        self, session: Session, breakpoints: Breakpoints | None = None, pause: Pause = lambda: False
    ) -> None:
        self.session: Session = session
        self.breakpoints = breakpoints or Breakpoints()
        self.watches: Watches = Watches(session)
        self.pause = pause
        self.quitting = False

    def execute(self, line: str) -> list[str]:
        """Perform a command; whatever is wrong with it is an answer, too."""
        try:
            return self.perform(line)
        except PlanewalkError as error:
            return str(error).splitlines()

    def perform(self, line: str) -> list[str]:
        """Perform a command, or tell a value, or whether a condition is true now."""
        if not line.strip():
            return []
        found, words = command_of(line)
        if found is not None:
            return found(self, words)
        first = re.match(r"[A-Za-z_]+|\(|-?\d+\s*,", line.strip())
        if first and (not first[0][0].isalpha() or first[0].lower() in (*EXAMPLES, "not")):
            return [self.answer(line.strip())]  # it begins like a value or a condition
        raise OptionError(_unknown(line.split()[0].lower()))

    def complete(self, line: str) -> list[str]:
        """How the last word of the line may go on."""
        if " " not in line:
            return sorted(name for name in COMMANDS if name.startswith(line))
        found, words = command_of(line)
        return [] if found is None else found.complete(self, words)

    def answer(self, words: str) -> str:
        """What a value is now, or whether a condition is true."""
        with suppress(ConditionError):
            return self.watches.value(words)
        wanted = parse(words, self.session.language)
        return "true" if self.session.is_true_now(wanted, self.pause) else "false"

    def pointed(self, words: str) -> str:
        """A value that is pointed at; of a cell also what it does."""
        value = parse_value(words, self.session.language)
        if value.place is None:
            return self.watches.value(words)
        return asking.told_cell(self.session, *value.place)

    def where(self) -> str:
        """Where the run is now, in a line."""
        session = self.session
        branch = "" if session.branch.parent is None else f" on {session.branch.name!r}"
        stop = session.stop
        words = f"hit: {self.reason(stop)}" if isinstance(stop, Hit) else stop and told(stop)
        return f"tick {session.tick:,}{branch}{f', {words}' if words else ''}"

    def reason(self, stop: Hit) -> str:
        """What was hit; of several breakpoints, those that are here."""
        together = self.breakpoints.together
        points = self.breakpoints.all.values() if together is not None else ()
        if together is None or stop.reason != together.text or len(points) == 1:
            return stop.reason
        hit: list[str] = []
        with suppress(LimitReached):  # what is known by then is told
            for point in points:
                hit += [point.wanted.text] * self.session.is_hit_now(point.wanted, self.pause)
        return ", ".join(hit) or stop.reason


def _help(console: Console, name: str | None) -> Answer:
    found = None if name is None else command_of(name)[0]
    if name is not None and found is None:
        raise OptionError(_unknown(name))
    return [f"{each.usage}: {each.help}" for each in ([found] if found else COMMANDS.values())]


def _quit(console: Console, _: None) -> Answer:
    console.quitting = True
    return []


HELP = Command(
    "help", Argument("[COMMAND]", offers=lambda console: COMMANDS), "what can be typed here",
    _help, ("?", "h"),
)  # fmt: skip
QUIT = Command("quit", NONE, "leave", _quit, ("q", "exit"))
COMMANDS: dict[str, Command] = {
    each.name: each
    for each in (HELP, *walking.COMMANDS, *asking.COMMANDS, *changing.COMMANDS, QUIT)
}
"""All commands by their names, in the order of help."""
ALIASES = {alias: each for each in COMMANDS.values() for alias in each.aliases}


def command_of(line: str) -> tuple[Command | None, str]:
    """The command that a line begins with, if any, and the words behind its name."""
    typed, _, words = line.lstrip().partition(" ")
    name = typed.lower()
    if name == "back" and words.split()[:1] == ["until"]:
        name, words = "back-until", words.lstrip().removeprefix("until").removeprefix(" ")
    return COMMANDS.get(name) or ALIASES.get(name), words


def may_fork(line: str) -> bool:
    """Whether what is typed may begin another branch of the run."""
    found, words = command_of(line)
    return found is not None and (found.forks or (found.changes and "=" in words))


def _unknown(name: str) -> str:
    meant = closest(name, list(COMMANDS))
    hint = f"did you mean {meant!r}?" if meant else "`help` lists the commands"
    return f"{name!r} is no command; {hint}"
