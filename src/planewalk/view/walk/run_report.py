"""The result of a run as the JSON object of the command line, and as a line for people."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.base.named import NamedTuple
from ...core.errors import LanguageError
from ...core.language import Language, plain
from ...core.limits import Limits, show_size
from ...core.meta.blame import blaming
from ...core.numbers.numerals import to_decimal
from ...core.plane import ToldCells
from ...core.state import State
from ...core.step import STATUS, Fault, Hit, Spent, Stalled, Stop

AT_ONCE = 3 << 16
"""Bytes, or letters of a list, in one piece."""


def outline(
    language: Language,
    state: State,
    stop: Stop,
    *,
    output: bytes | memoryview,
    seed: int,
    engine: str,
    seconds: float,
) -> dict[str, Any]:
    """All that is known of a finished run, with `Base64` and iterators for what may be large:
    `json_pieces` tells it, `whole` makes plain data of it."""
    with blaming(language):
        shown = language.show(state)
        value = None if language.results.value is None else language.results.value(state)
        log = None if language.results.log is None else language.results.log(state)
    answer: dict[str, Any] = {
        "language": language.name,
        "status": STATUS[type(stop)],
        "steps": state.tick,
        "output_b64": Base64(output),
        "state": shown,
        "seed": seed,
        "engine": engine,
        "seconds": round(seconds, 6),
    }
    if isinstance(stop, (Spent, Fault, Stalled)) and stop.reason:
        answer["reason"] = stop.reason
    if value is not None:
        answer["value"] = value
    if log is not None:
        answer["log"] = log
    return answer


def whole(language: Language, answer: dict[str, Any]) -> dict[str, Any]:
    """What `outline` gives, as plain data."""
    with blaming(language):
        answer = plain({**answer, "state": plain(answer["state"])})
    return {**answer, "output_b64": base64.b64encode(answer["output_b64"].data).decode()}


class Base64(NamedTuple):
    """Bytes that are written as base64."""

    data: bytes | memoryview


class JsonList(NamedTuple):
    """A list of which the items are JSON already, several in each text."""

    texts: Iterator[str]


def json_pieces(value: Any) -> Iterator[str]:
    """What `dumps` gives, piece by piece; iterators are lists that are never held as a whole."""
    if isinstance(value, Base64):
        yield '"'
        for begin in range(0, len(value.data), AT_ONCE):
            yield base64.b64encode(value.data[begin : begin + AT_ONCE]).decode()
        yield '"'
    elif isinstance(value, ToldCells):
        yield from json_pieces(JsonList(value.texts()))
    elif isinstance(value, JsonList):
        yield "["
        for at, text in enumerate(value.texts):
            yield f", {text}" if at else text
        yield "]"
    elif isinstance(value, Iterator):
        yield "["
        between = ""
        while some := _some(value):
            yield between + dumps(some)[1:-1]
            between = ", "
        yield "]"
    elif isinstance(value, dict):
        yield from json_object(value.items())
    else:
        yield dumps(value)


def json_object(pairs: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """The same for an object, whose pairs are taken one by one."""
    yield "{"
    between = ""
    for key, item in pairs:
        yield f"{between}{dumps(str(key))}: "
        yield from json_pieces(item)
        between = ", "
    yield "}"


def _some(items: Iterator[Any]) -> list[Any]:
    """The next items; few if they are long."""
    some, letters = [], 0
    for item in items:
        some.append(item)
        letters += 16 + (len(item) if isinstance(item, str) else 0)
        if letters >= AT_ONCE:
            break
    return some


def dumps(value: Any) -> str:
    """JSON with whole numbers of any length, which the standard library refuses to print."""
    import json

    try:
        return json.dumps(value)
    except TypeError as error:
        raise LanguageError(
            f"`show` or `log` of a language gives what is no JSON: {error}"
        ) from error
    except ValueError:  # such a number is somewhere in it
        if isinstance(value, dict):
            return f"{{{', '.join(f'{dumps(str(key))}: {dumps(value[key])}' for key in value)}}}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(dumps, value))}]"
        if isinstance(value, int):
            return to_decimal(value)
        raise


def explain_stop(stop: Stop, steps: int, limits: Limits) -> str:
    """One line: why the run did not end by itself, and what can be done."""
    after = f"after {steps:,} step{'' if steps == 1 else 's'}"
    if isinstance(stop, Fault):
        x, y = (int(v) if v == v and abs(v) < 1e15 and v == int(v) else v for v in stop.place)
        return f"fault at ({x}, {y}) {after}: {stop.reason}"
    if isinstance(stop, Spent):
        return f"stopped {after}: {_explain_limit(stop.reason, limits)}"
    if isinstance(stop, Hit):
        return f"stopped {after}: {stop.reason}"
    if isinstance(stop, Stalled) and stop.reason:
        return f"stalled {after}: {stop.reason}, so the program will never end"
    return {
        "stalled": f"stalled {after}: nothing can move any more, and the program has not ended",
        "waiting": f"waiting for input {after}",
    }.get(STATUS[type(stop)], STATUS[type(stop)])


def _explain_limit(reason: str, limits: Limits) -> str:
    if reason == "steps":
        if limits.steps is None:
            return "one instruction would have gone on for too long"
        limit = f"{limits.steps:,} step{'' if limits.steps == 1 else 's'}"
    elif reason == "output":
        limit = f"{limits.output:,} bytes of output"
    elif reason == "time":
        limit = f"{limits.seconds:g} seconds"
    else:
        limit = f"{show_size(limits.memory or 0)} of memory"
    return f"the limit of {limit} is reached (--max-{reason})"
