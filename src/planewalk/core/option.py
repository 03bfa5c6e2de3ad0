"""Options: what a user may choose, by name, when a program starts or is converted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from .base.named import NamedTuple
from .errors import OptionError, closest


class Option(NamedTuple):
    """Something that can be chosen: `read` turns what a user wrote into the value.

    `read` gets a string from the command line, or any value from Python, and raises ValueError
    with a sentence that says what it takes. `values` are the words it takes, if they are few.
    `drawn` is the default where whole pictures are drawn, if that is another.
    """

    name: str
    default: Any
    read: Callable[[Any], Any]
    help: str
    values: tuple[str, ...] = ()
    drawn: Any = None


def choice(name: str, values: tuple[str, ...], help: str) -> Option:
    """An option that is one of a few words; the first is the default."""

    def read(value: Any) -> str:
        if str(value) not in values:
            raise ValueError(f"expected {', '.join(values[:-1])} or {values[-1]}, not {value!r}")
        return str(value)

    return Option(name, values[0], read, help, values)


def switch(name: str, help: str) -> Option:
    """An option that is on or off, off unless asked for."""
    return Option(name, False, read_bool, help, ("true", "false"))


def read_options(title: str, options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values; an unknown name or a bad value is an `OptionError`."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise OptionError(_unknown(title, name, known))
    values = {}
    for name, option in known.items():
        if name not in given:
            values[name] = option.default
            continue
        try:
            values[name] = option.read(given[name])
        except ValueError as error:
            raise OptionError(f"{name}: {error}") from None
    return values


def _unknown(title: str, name: str, known: Collection[str]) -> str:
    meant = closest(name, known)
    if meant:
        return f"{title} has no option {name!r}; did you mean {meant!r}?"
    offer = f"its options are {', '.join(known)}" if known else "it has none"
    return f"{title} has no option {name!r}; {offer}"


def read_bool(value: Any) -> bool:
    """For `Option.read`: true or false."""
    words = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise ValueError(f"expected true or false, not {value!r}")
