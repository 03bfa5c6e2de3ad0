"""Whose mistake an exception is, and where: languages are code that others write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from ..base.named import NamedTuple
from ..base.record import Record
from ..errors import LanguageError, PlanewalkError
from ..geometry import Stance
from ..instruction import Instruction

if TYPE_CHECKING:
    from ..language import Language

INSIDE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep
LANGUAGES = os.path.join(INSIDE, "languages", "")  # where planewalk itself is, and its languages

Place = tuple[FrameType, int]  # a frame of Python, and the line in it


def places(error: BaseException) -> list[Place]:
    """Where an exception went through, the outermost place first."""
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return found


def in_words(error: BaseException) -> str:
    """An exception in one line, with the last place outside planewalk that it went through."""
    if isinstance(error, LanguageError):
        return str(error)
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    imports = ("<frozen", "importlib")  # the machinery that imports others
    found = [place for place in places(error) if not any(it in _file(place) for it in imports)]
    outside = [place for place in found if not _file(place).startswith(INSIDE)] or found
    return said(error) + (spot(outside[-1]) if outside else "")


def said(error: BaseException) -> str:
    """What an exception says, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def spot(place: Place) -> str:
    """A place in words, to stand behind others."""
    return f" ({_file(place)}:{place[1]}, in {place[0].f_code.co_name})"


def _file(place: Place) -> str:
    return place[0].f_code.co_filename


@contextmanager
def blaming(*languages: Language, others: Callable[[], list[Language]] = list) -> Iterator[None]:
    """What the code of these languages raises within, or of others known by then, is a
    `LanguageError`."""
    try:
        yield
    except (PlanewalkError, MemoryError):
        raise
    except Exception as error:
        for language in (*languages, *others()):
            if found := blame(language, error):
                raise found from error
        raise


class Occasion(NamedTuple):
    """When something came up in a run: who acted, on which plane, after how many ticks."""

    stance: Any
    plane: Any
    tick: int


def blame(
    language: Language, error: BaseException, moment: Occasion | None = None
) -> LanguageError | None:
    """An exception as a mistake of that language; None if it does not come from its code."""
    if moment is not None and not isinstance(moment.stance, Stance):
        return _misfit(language, moment)
    found = places(error)
    codes, own = _own_places(language, found)
    if not own:
        return None if moment is None else _misfit(language, moment)
    what = _what(language, codes, own[0][0], moment)
    when = _when(what, moment)
    return LanguageError(f"{what} failed{when}: {said(error)}{spot(_last(found, own))}")


_Codes = dict[CodeType, "str | Instruction"]


def _own_places(language: Language, found: list[Place]) -> tuple[_Codes, list[Place]]:
    """The code of a language's functions, and those of some places that are in its files."""
    codes = dict(_codes(language))
    files = {code.co_filename for code in codes if not _is_ours(code.co_filename)}
    return codes, [place for place in found if place[0].f_code in codes or _file(place) in files]


def _what(language: Language, codes: _Codes, frame: FrameType, moment: Occasion | None) -> str:
    """Which function of a language a frame is in."""
    what = codes.get(frame.f_code, f"`{frame.f_code.co_name}`")
    if isinstance(what, Instruction):
        what = f"the instruction {_acting(language, what, frame, moment)}"
    return f"{language.title}: {what}"


def _last(found: list[Place], own: list[Place]) -> Place:
    """The last of some places that is in the language's package."""
    package = _package(own[0])
    return [place for place in found if place in own or _package(place) == package][-1]


def unreturned(frame: FrameType | None, languages: list[Language]) -> tuple[FrameType, str] | None:
    """The call of one of these languages that is at work in a frame or around it, and that it has
    not come back, in words."""
    found: list[Place] = []
    while frame is not None:
        found.insert(0, (frame, frame.f_lineno))
        frame = frame.f_back
    while found and not _file(found[0]).startswith(INSIDE):
        found.pop(0)  # a call of planewalk may come from the file that the language is in
    for language in languages:
        codes, own = _own_places(language, found)
        if own:
            return own[0][0], f"{_what(language, codes, own[0][0], None)} has not come back" + spot(
                _last(found, own)
            )
    return None


def _misfit(language: Language, moment: Occasion) -> LanguageError | None:
    """What a language gave that no engine can work with, if there is such a thing."""
    stance, plane, _ = moment
    what, function, found, kind = "`move`", language.rules.after or language.move, stance, "Stance"
    if isinstance(stance, Stance):
        decode: Any = language.decode
        what, function, found, kind = "`decode`", decode, decode(plane, stance), "Instruction"
        if isinstance(found, Instruction):
            return None
    spots = "".join(f" ({c.co_filename}:{c.co_firstlineno})" for c in _code_of(function))
    when = _when(what, moment)
    return LanguageError(f"{language.title}: {what} gives {found!r}, no {kind}{when}{spots}")


def _codes(language: Language) -> Iterator[tuple[CodeType, str | Instruction]]:
    """The code of all functions of a language, and what each is."""
    for table in language.tables:
        for row in table:
            yield from ((code, row) for code in _code_of(row.act))
    groups = [value for value in vars(language).values() if isinstance(value, Record)]
    for record in (language, *groups, language.drawing.shading or Record()):
        for field, value in vars(record).items():
            yield from ((code, f"`{field}`") for code in _code_of(value))
    for group in (language.options, language.sources.conversions):
        for part in group:
            for function in part:
                yield from ((code, f"`{code.co_name}`") for code in _code_of(function))


def _code_of(function: Any) -> Iterator[CodeType]:
    """The code behind functions, methods, partials and wrappers."""
    for link in ("__func__", "func", "__wrapped__"):
        function = getattr(function, link, function)
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        yield code


def _package(place: Place) -> str | None:
    """The package that a place is in, if that is not planewalk itself."""
    if _is_ours(_file(place)):
        return None
    return str(place[0].f_globals.get("__name__", "")).partition(".")[0] or _file(place)


def _is_ours(filename: str) -> bool:
    """Whether a file is planewalk's, and no language's."""
    return filename.startswith(INSIDE) and not filename.startswith(LANGUAGES)


def _acting(
    language: Language, some: Instruction, frame: FrameType, moment: Occasion | None
) -> str:
    """The instruction that was acted. Several may share one function, and differ in what it is
    given; the cell tells as well, unless it was written meanwhile."""
    rows = (row for table in language.tables for row in table)
    acted = [row for row in rows if _is_given(row.act, frame)]
    if len(acted) == 1:
        some = acted[0]
    elif moment is not None:
        with suppress(Exception):  # one mistake is enough
            some = language.decode(moment.plane, moment.stance)
    return f"{some.name!r} ({some.symbol!r})"


def _is_given(act: Any, frame: FrameType) -> bool:
    """Whether a function runs there, on the value that is its own; see `instruction.with_value`."""
    code, values = frame.f_code, getattr(act, "__defaults__", None)
    if code not in _code_of(act) or not values:
        return False
    return frame.f_locals.get(code.co_varnames[code.co_argcount - 1]) is values[-1]


def _when(what: str, moment: Occasion | None) -> str:
    if moment is None:
        return ""
    stance, _, tick = moment
    placed = isinstance(stance, Stance) and not what.endswith("`settle`")
    place = f" at ({stance.x}, {stance.y})" if placed else ""
    return f"{place} after {tick:,} step{'' if tick == 1 else 's'}"
