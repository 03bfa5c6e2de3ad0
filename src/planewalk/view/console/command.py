"""The type of commands: a name, an argument, help, and what they do.

The commands themselves are in the tables of `walking.py`, `asking.py` and `changing.py`. How a line
is read and completed, and what help says, follows from these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...debug.conditions.grammar import EXAMPLES
from .reading import place_of, whole

if TYPE_CHECKING:
    from .console import Console

Answer = list[str] | str


class Argument(NamedTuple):
    """What may follow the name of a command."""

    word: str
    """How help calls it; in brackets if it may be left out."""
    read: Callable[[str], Any] = str
    offers: Callable[[Console], Iterable[str]] = lambda console: ()
    """What it can be completed with."""
    by_word: bool = False
    """Whether each of its words is completed by itself."""
    spaces: bool = False
    """Whether spaces at its ends count."""

    def or_none(self) -> Argument:
        """The same argument, which may be left out."""
        return self._replace(word=f"[{self.word}]")


CONDITION_WORDS = (*EXAMPLES, "and", "or", "not", "if", "every", "contains")

NONE = Argument("")
NUMBER = Argument("N", whole)
PLACE = Argument("X,Y", place_of)
CONDITION = Argument("CONDITION", offers=lambda console: CONDITION_WORDS, by_word=True)
VALUE = Argument("VALUE", offers=lambda console: EXAMPLES, by_word=True)
WATCHED = Argument("VALUE", offers=lambda console: console.watches.all)
BRANCH = Argument("NAME", offers=lambda console: console.session.branches)
FILE = Argument("FILE")
TEXT = Argument("TEXT", spaces=True)


def number_or(word: str) -> Argument:
    """A number, or one word, which is read as None."""
    return Argument("N", lambda typed: None if typed == word else whole(typed), lambda _: [word])


class Command(NamedTuple):
    """A command. `perform` takes the console and the argument, None if there is none; that of one
    that `changes` something also takes what stands behind an equals sign, or None. It answers in
    lines; if it gives anything else, the answer is where the run is then."""

    name: str
    argument: Argument
    help: str
    perform: Callable[..., Any]
    aliases: tuple[str, ...] = ()
    changes: bool = False
    forks: bool = False
    """Whether it may begin a branch even without an equals sign."""
    form: str = ""

    @property
    def usage(self) -> str:
        return self.form or f"{self.name} {self.argument.word}".rstrip()

    def __call__(self, console: Console, words: str) -> list[str]:
        """Perform it with the words behind its name."""
        typed, equals, new = words.partition("=") if self.changes else (words, "", "")
        word = self.argument.word
        left_out = not word or (word.startswith("[") and not typed.strip())
        typed = typed if self.argument.spaces else typed.strip()
        given = None if left_out else self.argument.read(typed)
        new_value = ((new if equals else None),) if self.changes else ()
        answer = self.perform(console, given, *new_value)
        if isinstance(answer, list):
            return answer
        return [answer] if isinstance(answer, str) else [console.where()]

    def complete(self, console: Console, words: str) -> list[str]:
        """How the last of the words behind its name may go on."""
        last = words.rpartition(" ")[2]
        typed = last if self.argument.by_word else words
        if self.argument.by_word and not last:
            return []
        offers = self.argument.offers(console)
        return sorted(each[len(typed) - len(last) :] for each in offers if each.startswith(typed))
