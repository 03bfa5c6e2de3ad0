"""Commands that tell a part of the moment, or change it, which forks the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.difference import place, text
from ...debug.conditions.grammar import unescaped
from ..scene.frame import registers_of
from ..walk.stances import heading_name, stance_of
from .asking import MOST_LINES, told_cell
from .command import NONE, PLACE, TEXT, Answer, Argument, Command
from .reading import sign_or_number, value_of, whole

if TYPE_CHECKING:
    from .console import Console


def _edited(console: Console, **change: Any) -> str:
    branch = console.session.edit(**change)
    return f"now on the branch {branch.name!r}"


def _cell(console: Console, at: tuple[int, int], new: str | None) -> Answer:
    if new is None:
        return told_cell(console.session, *at)
    return _edited(console, cell=at, value=sign_or_number(new))


def _stack(console: Console, index: str | None, new: str | None) -> Answer:
    if new is None:
        return console.watches.value(f"stack {index or ''}")
    return _edited(console, stack=whole(index or ""), value=value_of(new))


def _register(console: Console, name: str | None, new: str | None) -> Answer:
    registers, key = console.session.state.registers, name or ""
    if new is not None:
        named = isinstance(registers, dict)
        return _edited(console, register=key if named else whole(key), value=value_of(new))
    if name is not None:
        return console.watches.value(f"register {name}")
    found = registers_of(console.session.state).items()
    return [f"{known} = {held}" for known, held in found] or "no registers"


def _walker(console: Console, which: str | None, new: str | None) -> Answer:
    language, state = console.session.language, console.session.state
    if new is None:
        first = whole(which or "0")
        lines = []
        for number, (stance, _) in enumerate(state.walkers[first : first + MOST_LINES], first):
            way = f"{place(stance.x, stance.y)} {heading_name(language, stance.dx, stance.dy)}"
            lines.append(f"walker {number}: {way} {language.looks.manner(stance)}".rstrip())
        return lines or "no walkers"
    there = "" if new.strip() == "gone" else new.strip() or "nothing"
    number = whole(which or "")
    return _edited(console, walker=number, value=stance_of(language, state, number, there))


def _unread(console: Console, _: None, new: str | None) -> Answer:
    if new is not None:
        return _edited(console, input=unescaped(new.removeprefix(" ")))
    stream = console.session.state.input
    return text(bytes(stream.data[stream.position - stream.dropped :]))


COMMANDS = (
    Command("cell", PLACE, "what it holds and does; `cell X,Y = V` changes it to a sign or a "
            "number, which forks the run", _cell, changes=True),
    Command("stack", Argument("[N]"), "its values, the top first; `stack N = V` changes one, which "
            "forks the run", _stack, changes=True),
    Command("register", Argument("[NAME]"), "all of them, or one; `register NAME = V` changes one, "
            "which forks the run", _register, ("registers",), changes=True),
    Command("walker", Argument("[N]"), "where they are; `walker 0 = 5,2 left` moves one, `walker 0 "
            "= gone` removes it", _walker, changes=True),
    Command("unread", NONE, "the input still to come; `unread = TEXT` changes it, which forks the "
            "run", _unread, changes=True),
    Command("input", TEXT, r"give the program input, in which \n is a new line; `input` alone ends "
            "it", lambda on, words: on.session.feed(unescaped(words)), ("feed",), forks=True),
)  # fmt: skip
