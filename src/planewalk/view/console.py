"""Commands that a person types to a session: for the terminal debugger, editors and the browser."""

from __future__ import annotations

import inspect
import re
from contextlib import suppress
from typing import Any, NamedTuple

from ..core.difference import cell, place, text
from ..core.difference import told as told_changes
from ..core.errors import LimitReached, OptionError, PlanewalkError, closest
from ..core.language import Language
from ..core.state import Walker
from ..core.step import Hit, Stop
from ..debug.grammar import EXAMPLES, ConditionError, Wanted, any_of, parse, parse_value, unescaped
from ..debug.questions import Deed
from ..debug.search import Pause
from ..debug.session import Session
from .frame import registers_of, told
from .stances import heading_name, stance_of
from .telling import trace_lines
from .watches import Watches

MOST_LINES = 40
MOST_TOLD = 200
"""Walkers of which each is told what it did."""


class Breakpoint(NamedTuple):
    """A condition that stops the run, under a number."""

    id: int
    wanted: Wanted


class Breakpoints:
    """All conditions that stop a run, and the one that they are together."""

    def __init__(self) -> None:
        self.all: dict[int, Breakpoint] = {}
        self._next = 1
        self._together: Wanted | None = None

    def add(self, condition: str | Wanted, language: Language | None = None) -> Breakpoint:
        """A new one; a `ConditionError` says what is wrong with it."""
        wanted = parse(condition, language) if isinstance(condition, str) else condition
        point = Breakpoint(self._next, wanted)
        self._next += 1
        self.all[point.id] = point
        self._together = None
        return point

    def remove(self, number: int) -> None:
        if number not in self.all:
            known = ", ".join(map(str, self.all)) or "none"
            raise OptionError(f"there is no breakpoint {number}; there are {known}")
        del self.all[number]
        self._together = None

    def clear(self) -> None:
        self.all.clear()
        self._together = None

    def at(self, x: int, y: int) -> Breakpoint | None:
        """The one that is nothing but that place."""
        name = f"at {x},{y}"
        return next((point for point in self.all.values() if point.wanted.text == name), None)

    def places(self) -> set[tuple[int, int]]:
        """The places that they are about, to be marked."""
        texts = [point.wanted.text for point in self.all.values()]
        found = [re.search(r"(-?\d+)\s*,\s*(-?\d+)", each) for each in texts]
        return {(int(match[1]), int(match[2])) for match in found if match}

    @property
    def together(self) -> Wanted | None:
        """One condition for all of them; None if there are none."""
        if self._together is None and self.all:
            self._together = any_of([point.wanted for point in self.all.values()])
        return self._together


class Console:
    """Understands commands, performs them on a session and answers in lines."""

    def __init__(
        self,
        session: Session,
        breakpoints: Breakpoints | None = None,
        pause: Pause = lambda: False,
    ) -> None:
        self.session = session
        self.breakpoints = breakpoints or Breakpoints()
        self.watches = Watches(session)
        self.pause = pause
        self.quitting = False

    @classmethod
    def commands(cls) -> dict[str, str]:
        """All commands with what they do; the first word of each docstring line is its form."""
        return {
            name.removeprefix("do_"): inspect.getdoc(method) or ""
            for name, method in vars(cls).items()
            if name.startswith("do_")
        }

    def execute(self, line: str) -> list[str]:
        """Perform a command; whatever is wrong with it is an answer, too."""
        try:
            return self.perform(line)
        except PlanewalkError as error:
            return str(error).splitlines()

    def perform(self, line: str) -> list[str]:
        """Perform a command, or tell a value, or whether a condition is true now."""
        words = line.strip()
        if not words:
            return []
        name, _, rest = line.lstrip().partition(" ")
        name = ALIASES.get(name.lower(), name.lower())
        if name == "back" and rest.strip().startswith("until"):
            name, rest = "back-until", rest.strip().removeprefix("until")
        method = getattr(self, f"do_{name.replace('-', '_')}", None)
        if method is not None:
            answer = method(rest if name in RAW else rest.strip())
        elif _is_asked(words):
            answer = self.answer(words)
        else:
            raise OptionError(self._unknown(name))
        return answer if isinstance(answer, list) else [answer] if answer else []

    def complete(self, line: str) -> list[str]:
        """Words that the line may go on with."""
        *before, last = line.split(" ") or [""]
        if not before:
            return sorted(name for name in self._names() if name.startswith(last))
        if before[0] in ("break", "until", "b", "u") or before[:2] == ["back", "until"]:
            words = [*EXAMPLES, "and", "or", "not", "if", "every", "contains"]
            return sorted(word for word in words if last and word.startswith(last))
        if before[0] in ("switch", "compare"):
            typed = " ".join([*before[1:], last])
            names = [name for name in self.session.branches if name.startswith(typed)]
            return sorted(name[len(typed) - len(last) :] for name in names)
        return []

    def answer(self, words: str) -> str:
        """What a value is now, or whether a condition is true."""
        with suppress(ConditionError):
            return self.watches.value(words)
        wanted = parse(words, self.session.language)
        return "true" if self.session.is_true_now(wanted, self.pause) else "false"

    def pointed(self, words: str) -> str:
        """A value, told to whoever points at it; of a cell also what it does."""
        value = parse_value(words, self.session.language)
        return self.watches.value(words) if value.place is None else self._told_cell(*value.place)

    def _names(self) -> list[str]:
        return [name.replace("_", "-") for name in self.commands()]

    def _unknown(self, name: str) -> str:
        meant = closest(name, self._names())
        hint = f"did you mean {meant!r}?" if meant else "`help` lists the commands"
        return f"{name!r} is no command; {hint}"

    def where(self) -> str:
        """Where the run is now, in a line."""
        session = self.session
        stop = "" if session.stop is None else f", {self._told_stop(session.stop)}"
        branch = "" if session.branch.parent is None else f" on {session.branch.name!r}"
        return f"tick {session.tick:,}{branch}{stop}"

    def _told_stop(self, stop: Stop) -> str:
        return f"hit: {self.reason(stop)}" if isinstance(stop, Hit) else told(stop)

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

    # Walking ---------------------------------------------------------------------------------

    def do_help(self, rest: str) -> list[str]:
        """help [COMMAND]: what can be typed here"""
        name = ALIASES.get(rest.lower(), rest.lower())
        if rest and name not in self._names():
            raise OptionError(self._unknown(name))
        commands = self.commands().items()
        return [doc for each, doc in commands if not rest or each == name.replace("-", "_")]

    def do_step(self, rest: str) -> list[str]:
        """step [N]: one tick on, or N"""
        ticks, before = whole(rest or "1"), self.session.tick
        self.session.forward(ticks, self.pause)
        lines = [] if ticks > 1 or self.session.tick == before else self._what_happened(before)
        return [*lines, self.where()]

    def _what_happened(self, tick: int) -> list[str]:
        crowd, language = len(self.session.state.walkers), self.session.language
        if crowd > MOST_TOLD:  # nobody reads all that, and it takes long
            return [f"{crowd:,} walkers have acted"]
        with self.session.asking(self.pause):
            steps = self.session.steps(tick, tick + 1)
            return [line for step in steps for line in trace_lines(language, step)]

    def do_back(self, rest: str) -> str:
        """back [N]: one tick back, or N; `back until CONDITION` goes further"""
        self.session.back(whole(rest or "1"), self.pause)
        return self.where()

    def do_goto(self, rest: str) -> str:
        """goto N: to tick N, forwards or backwards: goto 1e6; `goto end` to the end"""
        if rest == "end":
            return self.do_end("")
        self.session.goto(whole(rest), self.pause)
        return self.where()

    def do_run(self, rest: str) -> str:
        """run: on to the next breakpoint, or to the end"""
        wanted = self.breakpoints.together
        if wanted is None:
            self.session.end(self.pause)
        else:
            self.session.until(wanted, self.pause)
        return self.where()

    def do_reverse(self, rest: str) -> str:
        """reverse: back to the last breakpoint, or to the beginning"""
        wanted = self.breakpoints.together
        if wanted is None:
            self.session.goto(0, self.pause)
        else:
            self.session.back_until(wanted, self.pause)
        return self.where()

    def do_end(self, rest: str) -> str:
        """end: on to the end, whatever the breakpoints"""
        self.session.end(self.pause)
        return self.where()

    def do_reset(self, rest: str) -> str:
        """reset: back to the beginning"""
        self.session.goto(0, self.pause)
        return self.where()

    def do_until(self, rest: str) -> str:
        """until CONDITION: on to where it is true: until output contains x"""
        self.session.until(rest, self.pause)
        return self.where()

    def do_back_until(self, rest: str) -> str:
        """back-until CONDITION: back to where it was true: back until written 5,2"""
        self.session.back_until(rest, self.pause)
        return self.where()

    # Breakpoints -----------------------------------------------------------------------------

    def do_break(self, rest: str) -> str:
        """break CONDITION: stop there from now on: break 3,4 if heading = up"""
        if not rest:
            return self.do_breaks("")[0]
        point = self.breakpoints.add(rest, self.session.language)
        self.session.count(point.wanted, self.pause)
        return f"breakpoint {point.id}: {point.wanted.text}"

    def do_breaks(self, rest: str) -> list[str]:
        """breaks: all breakpoints with their numbers"""
        points = self.breakpoints.all.values()
        return [f"{point.id}: {point.wanted.text}" for point in points] or ["no breakpoints"]

    def do_delete(self, rest: str) -> str:
        """delete N: take breakpoint N away; `delete all` takes all"""
        if rest == "all":
            self.breakpoints.clear()
            return "no breakpoints"
        self.breakpoints.remove(whole(rest))
        return f"breakpoint {rest} is gone"

    def do_watch(self, rest: str) -> list[str] | str:
        """watch VALUE: show it from now on: watch 5,2, watch stack[0], watch heading"""
        if rest:
            return f"{rest} = {self.watches.add(rest)}"
        return [line for line, _ in self.watches.lines()] or "nothing is watched"

    def do_unwatch(self, rest: str) -> str:
        """unwatch VALUE: show it no more"""
        self.watches.remove(rest)
        return f"{rest} is watched no more"

    # Questions -------------------------------------------------------------------------------

    def do_who(self, rest: str) -> str:
        """who X,Y: who wrote this cell last, and when"""
        x, y = place_of(rest)
        deed = self.session.who_wrote(x, y, self.pause)
        if deed is None:
            return f"{place(x, y)} holds what it held at the beginning"
        value, before = self._held(deed.value), self._held(deed.before)
        return f"{place(x, y)} = {value}, was {before}: {self._deed(deed)}"

    def do_read(self, rest: str) -> str:
        """read X,Y: when this cell was read last, and by whom"""
        x, y = place_of(rest)
        deed = self.session.last_read(x, y, self.pause)
        return (
            "never read"
            if deed is None
            else f"{self._held(deed.value)} was read {self._deed(deed)}"
        )

    def do_life(self, rest: str) -> list[str]:
        """life X,Y: all values that this cell has had, or the latest of many"""
        x, y = place_of(rest)
        deeds = self.session.biography(x, y, self.pause, MOST_LINES)
        first = deeds[0]
        whole_life = first.tick == 0 and first.action is None and not first.by_hand
        lines = [f"{self._held(first.value)} from the beginning" if whole_life else "..."]
        return [*lines, *(f"{self._held(deed.value)} {self._deed(deed)}" for deed in deeds[1:])]

    def _held(self, value: Any) -> str:
        return cell(value, self.session.language.looks)

    def _deed(self, deed: Deed) -> str:
        if deed.by_hand:
            return f"at tick {deed.tick:,}, by hand"
        if deed.action is None or deed.place is None:
            return f"at tick {deed.tick:,}, by several together"
        what = deed.action.instruction
        return f"at tick {deed.tick:,}, by {what.symbol!r} ({what.name}) at {place(*deed.place)}"

    def do_why(self, rest: str) -> list[str]:
        """why output N, why cell X,Y, why stack N: where this comes from, as a tree of causes"""
        kind, _, which = rest.partition(" ")
        asked: dict[str, Any]
        if kind == "cell":
            asked = {"cell": place_of(which)}
        elif kind in ("output", "stack"):
            asked = {kind: whole(which or "0")}
        else:
            raise OptionError("ask `why output 17`, `why cell 5,2` or `why stack 0`")
        cause = self.session.why(**asked, pause=self.pause)
        return ["there is no such value"] if cause is None else list(cause.lines(MOST_LINES))

    def do_output(self, rest: str) -> str:
        """output [N]: all that was written up to now; with N, when byte N was, and by whom"""
        if not rest:
            return text(self.session.output)
        deed = self.session.when_written(whole(rest), self.pause)
        if deed is None:
            return f"only {self.session.written:,} bytes are written yet"
        return f"{text(bytes([deed.value]))} was written {self._deed(deed)}"

    def do_cell(self, rest: str) -> str:
        """cell X,Y: what it holds and does; `cell X,Y = V` changes it to a sign or a number, which
        forks the run"""
        where, equals, value = rest.partition("=")
        x, y = place_of(where)
        if equals:
            return self._edited(cell=(x, y), value=sign_or_number(value))
        return self._told_cell(x, y)

    def _told_cell(self, x: int, y: int) -> str:
        language, plane = self.session.language, self.session.state.plane
        row = next((row for _, row in language.meanings(language.sign(plane, x, y))), None)
        does = "" if row is None else f": {row.name}. {row.doc}"
        return f"{place(x, y)} = {self._held(plane.cell(x, y))}{does}"

    def do_stack(self, rest: str) -> str:
        """stack [N]: its values, the top first; `stack N = V` changes one, which forks the run"""
        index, equals, value = rest.partition("=")
        if equals:
            return self._edited(stack=whole(index), value=value_of(value))
        return self.watches.value(f"stack {rest}")

    def do_register(self, rest: str) -> list[str] | str:
        """register [NAME]: all of them, or one; `register NAME = V` changes one, which forks the
        run"""
        name, equals, value = rest.partition("=")
        if rest and not equals:
            return self.watches.value(f"register {rest}")
        if not equals:
            found = registers_of(self.session.state).items()
            return [f"{known} = {held}" for known, held in found] or "no registers"
        key: Any = name.strip()
        named = isinstance(self.session.state.registers, dict)
        return self._edited(register=key if named else whole(key), value=value_of(value))

    def _edited(self, **change: Any) -> str:
        branch = self.session.edit(**change)
        return f"now on the branch {branch.name!r}"

    def do_walker(self, rest: str) -> list[str] | str:
        """walker: where they are; `walker 0 = 5,2 left` moves one, `walker 0 = gone` removes it"""
        which, equals, words = rest.partition("=")
        language, state = self.session.language, self.session.state
        if not equals:
            first = whole(which) if which else 0
            some = enumerate(state.walkers[first : first + MOST_LINES], first)
            return [_told_walker(language, *each) for each in some] or "no walkers"
        there = "" if words.strip() == "gone" else words.strip() or "nothing"
        stance = stance_of(language, state, whole(which), there)
        return self._edited(walker=whole(which), value=stance)

    def do_unread(self, rest: str) -> str:
        """unread: the input still to come; `unread = TEXT` changes it, which forks the run"""
        if rest.startswith("="):
            return self._edited(input=unescaped(rest[1:].removeprefix(" ")))
        stream = self.session.state.input
        return text(bytes(stream.data[stream.position - stream.dropped :]))

    def do_input(self, rest: str) -> str:
        """input TEXT: give the program input, in which \\n is a new line; `input` alone ends it"""
        self.session.feed(unescaped(rest))
        return self.where()

    # Branches --------------------------------------------------------------------------------

    def do_branches(self, rest: str) -> list[str]:
        """branches: the courses that the run has taken"""
        return [
            ("* " if branch is self.session.branch else "  ")
            + f"{branch.name}, from tick {branch.begins:,}, seen up to {branch.reached:,}"
            for branch in self.session.branches.values()
        ]

    def do_switch(self, rest: str) -> str:
        """switch NAME: go on with another branch"""
        self.session.switch(rest, self.pause)
        return self.where()

    def do_compare(self, rest: str) -> list[str]:
        """compare [NAME]: where this branch parts from another, or the one before, and in what"""
        branch = self.session.branch
        if not rest and branch.parent is None:
            raise OptionError("name a branch to compare this one with; `branches` lists them")
        other = rest or str(branch.parent)
        found = self.session.compare(other, pause=self.pause)
        lines = [
            f"they fork at tick {found.forked_at:,}",
            *map(_indented, told_changes(found.changes, looks=self.session.language.looks)),
        ]
        if found.parting is None:
            return [*lines, f"and do the same up to tick {found.last:,}"]
        parting, language = found.parting, self.session.language
        lines.append(f"they part at tick {parting.tick:,}: {', '.join(parting.differences)}")
        for name, step in ((other, parting.first), (branch.name, parting.second)):
            over = [] if step is not None else [f"    {parting.tick:>8} the run is over"]
            lines += [f"  {name}:", *over]
            lines += map(_indented, () if step is None else trace_lines(language, step))
        return lines

    def do_save(self, rest: str) -> str:
        """save FILE: write the session to a file that can be opened again"""
        if not rest:
            raise OptionError("name a file, such as maze.walk")
        self.session.save(rest)
        return f"saved to {rest}"

    def do_quit(self, rest: str) -> None:
        """quit: leave"""
        self.quitting = True


def _told_walker(language: Language, number: int, walker: Walker) -> str:
    stance = walker.stance
    way = f"{place(stance.x, stance.y)} {heading_name(language, stance.dx, stance.dy)}"
    return f"walker {number}: {way} {language.looks.manner(stance)}".rstrip()


def _indented(line: str) -> str:
    return f"    {line}"


RAW = ("input", "unread")
"""Commands in which spaces count."""
ALIASES = {
    "s": "step", "forward": "step", "b": "break", "c": "run", "continue": "run", "r": "run",
    "u": "until", "g": "goto", "q": "quit", "exit": "quit", "?": "help", "h": "help",
    "biography": "life", "bio": "life", "breakpoints": "breaks", "d": "delete", "rc": "reverse",
    "feed": "input", "registers": "register", "restart": "reset",
}  # fmt: skip


def _is_asked(words: str) -> bool:
    """Whether this begins like a value or a condition."""
    first = re.match(r"[A-Za-z_]+|\(|-?\d+\s*,", words)
    return first is not None and (
        not first[0][0].isalpha() or first[0].lower() in (*EXAMPLES, "not")
    )


def whole(words: str) -> int:
    """A whole number, as people write them: 1000, 1e6, 1_000, 1,000."""
    try:
        found = float(words.strip().replace("_", "").replace(",", ""))
        if found != int(found):
            raise ValueError
        exact = words.strip().replace("_", "").replace(",", "")
        return int(exact) if exact.lstrip("-").isdigit() else int(found)
    except (ValueError, OverflowError):
        raise OptionError(f"expected a whole number such as 1000 or 1e6, not {words!r}") from None


def place_of(words: str) -> tuple[int, int]:
    """A place: 5,2."""
    found = re.fullmatch(r"\s*\(?(-?\d{1,18})\s*[, ]\s*(-?\d{1,18})\)?\s*", words)
    if not found:
        raise OptionError(f"expected a place such as 5,2, not {words!r}")
    return int(found[1]), int(found[2])


def sign_or_number(words: str) -> Any:
    """What a cell is to hold: one sign as it is, unless it is a digit, or what `value_of` reads."""
    sign = words.strip()
    return sign if len(sign) == 1 and not sign.isdecimal() else value_of(words)


def value_of(words: str) -> Any:
    """A number, or a character in quotes."""
    words = words.strip()
    if len(words) >= 2 and words[0] == words[-1] and words[0] in "'\"":
        return words[1:-1]
    try:
        return int(words, 0)
    except ValueError:
        pass
    try:
        return float(words)
    except ValueError:
        raise OptionError(f"expected a number, or a character in quotes, not {words!r}") from None
