"""The list of kept code: plain data comes back as it was, and nothing else comes in."""

import json
import zlib
from enum import Enum
from typing import Any, NamedTuple

import pytest

from planewalk.core.geometry import Stance
from planewalk.engines.native import cache_format as kept_list
from planewalk.engines.native.abi import UnitIR, WindowFacts
from planewalk.engines.native.cache_format import (
    FORMAT,
    LENGTH,
    Damaged,
    Kept,
    NotPlain,
    dump,
    load,
)
from planewalk.engines.tracing.ir import Key, Register


class Mood(NamedTuple):
    """A mode as languages have them."""

    string: bool = False
    rounds: tuple[tuple[int, float], ...] = ()


class Colour(Enum):
    RED = 1


TEXT = "define i64 @unit()\nenter0:\nenter1:\n; ä"


def unit(*modes: Any) -> Kept:
    stances = [Stance(at, 0.5, -1, 0.0, mode) for at, mode in enumerate(modes)]
    keys = [Key(stance, None, (stance, stances[0])) for stance in stances]
    exits = [(key, at) for at, key in enumerate(keys)]
    entries = dict.fromkeys(keys[:1], 1)
    registers = [Register("counter", 1), Register("ä", 0)]
    written = UnitIR(
        TEXT,
        entries,
        exits,
        {0},
        True,
        False,
        2,
        3,
        20,
        registers,
        registers[:1],
        frozenset({0}),
        128,
    )
    return Kept(written, 9, {4: 200, 5: 1}, True)


def window_unit(*modes: Any, may: bool = True) -> Kept:
    """One that sees cells through a window."""
    flat = unit(*modes)
    stances = {key.stance for key, _ in flat.written.exits} if may else None
    facts = WindowFacts({0: 1}, {0}, 7, 2, stances)
    return flat._replace(touched={(-3, 5): 2, (1 << 40, 0): 0}, window=facts)


MODES = [
    None, False, True, 0, 1, 0.0, -0.0, 1.0, float("inf"), float("nan"), 1 << 80, "", "ä\ud800",
    b"", b"\0\xff", (), (1, (2.5, "x")), frozenset({(None, b"")}), Mood(), Mood(True, ((1, 2.0),)),
    (False, ()),
]  # fmt: skip


def test_what_is_kept_comes_back_as_it_was() -> None:
    """To the last bit, and all at once: equal modes of different kinds are not taken for one."""
    units = [unit(*MODES), unit(*reversed(MODES)), unit(None)]
    assert repr(load(dump(units))) == repr(units)
    again = load(dump([unit(Mood())]))[0].written.exits[0][0].stance.mode
    assert type(again) is Mood
    seen = [window_unit(None, Mood(True)), window_unit(None, may=False), unit(None)]
    assert load(dump(seen)) == seen
    several = unit(frozenset({1, "a", frozenset({2.5, None})}))
    assert load(dump([several])) == [several]
    assert load(dump([])) == []


class Whole(int):
    """A number with ideas of its own."""


def local_mood() -> Any:
    class Hidden(NamedTuple):
        x: int

    return Hidden(1)


def nest(depth: int) -> Any:
    value: Any = ()
    for _ in range(depth):
        value = (value,)
    return value


@pytest.mark.parametrize(
    "mode",
    [object(), Colour.RED, Whole(3), [1], {1: 2}, len, (1, {2}), local_mood(), nest(50_000)]
    + [1 << 99_999, frozenset({Whole(3)})],
    ids=lambda mode: type(mode).__name__,
)  # fmt: skip
def test_other_modes_are_not_kept(mode: Any) -> None:
    with pytest.raises(NotPlain):
        dump([unit(None, mode)])


def test_other_cells_are_not_kept() -> None:
    with pytest.raises(NotPlain):
        dump([unit(None)._replace(touched={(0, 1): 2})])
    with pytest.raises(NotPlain):
        dump([window_unit(None)._replace(touched={(0, 1.5): 2})])


def packed(facts: Any, texts: bytes = TEXT.encode(), form: bytes = FORMAT) -> bytes:
    content = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
    return zlib.compress(form + len(content).to_bytes(LENGTH, "big") + content + texts)


def facts_of(*units: Kept) -> Any:
    whole = zlib.decompress(dump(list(units)))
    return json.loads(kept_list._split(whole)[0])


def test_the_tests_pack_as_it_is_packed() -> None:
    assert load(packed(facts_of(unit(None)))) == [unit(None)]


NUMBERS = [-1, 0.0, True, None, "1", [], {}, 1 << 70]
COLUMNS = [{}, None, 0, "0", [-1], [True], [None], [[0]], ["0"], [0.0], [1 << 70]]
REGISTERS = [
    {}, None, 0, "a", [0], ["a"], [["a"]], [[0, "a"]], [[0, 0]], [["a", -1]], [["a", 1 << 30]],
]  # fmt: skip
WRONG: dict[tuple[int, ...], list[Any]] = {
    (): [[], {}, 1, None, [[], [], []]],
    (0,): [{}, None, [], [[], []]],
    (0, 0): [{}, None, [], [{}]],
    (1,): [{}, None, [], [[]] * 5, [[0]] * 6],
    (1, 0): [{}, [], ["0"], [None], [True], [[]], [0, 0]],
    (1, 3): [{}, [], ["0"], [None], [True], [[]], [0, 0]],
    (1, 4): [*COLUMNS, [], [1], [0, 0]],
    (0, 0, 0): [
        {}, {"set": 1}, {"set": [], "bytes": ""}, {"bytes": "0"}, {"bytes": 1}, {"bytes": None},
        {"set": [{"code": "x"}]}, {"named": []}, {"named": ["os", "system", ["true"]]},
        {"named": ["os", "terminal_size", [1, 2]]}, {"named": [1, 2, []]},
        {"named": ["builtins", "tuple", []]}, {"named": [Mood.__module__, "Mood", [1]]},
        {"named": [Mood.__module__, "Mood", 1]}, {"named": ["no.such", "Mood", [1, 2]]},
    ],
    (2,): [{}, None, [], [[]] * 3, [[0]] * 4],
    (2, 0): [*COLUMNS, [], [1], [0, 0]],
    (2, 1): [{}, None, [-1], [0.5], [True], ["1"], [[]], [1 << 70], []],
    (2, 2): [{}, None, [], [{}], [None], [[1]], [[-1]], [[True]], [0]],
    (3,): [{}, [[]], [{}], [None]],
    (3, 0, 0): [*NUMBERS, 5, 38, 40, 1 << 30],
    (3, 0, 1): [*COLUMNS, [1], []],
    (3, 0, 2): [*COLUMNS, [2], []],
    (3, 0, 3): [*COLUMNS, [1], []],
    (3, 0, 4): [*COLUMNS, []],
    (3, 0, 5): [*COLUMNS, [1]],
    (3, 0, 6): [0, 1, None, "true"],
    (3, 0, 7): [0, 1, None, "true"],
    (3, 0, 8): NUMBERS,
    (3, 0, 9): [*NUMBERS, (1 << 20) + 1],
    (3, 0, 10): [*NUMBERS, 1_000],
    (3, 0, 11): REGISTERS,
    (3, 0, 12): REGISTERS,
    (3, 0, 13): [*COLUMNS, [99]],
    (3, 0, 14): [*NUMBERS, 0, 32, 64.0],
    (3, 0, 15): NUMBERS,
    (3, 0, 16): [*COLUMNS, [], [1]],
    (3, 0, 17): [*COLUMNS, [], [1]],
    (3, 0, 18): [0, None],
    (3, 0, 19): [{}, 0, False, [], [[], [], [], 0, 0]],
}  # fmt: skip
WRONG_IN_WINDOWS: dict[tuple[int, ...], list[Any]] = {
    (3, 0, 16): [{}, None, 0, "00", [0], [0, 0, 0, True], [0, 0, 0, 0.5], [0, 0, 0, 1 << 70]],
    (3, 0, 17): [*COLUMNS, [], [1]],
    (3, 0, 19, 0): [*COLUMNS, [1], []],
    (3, 0, 19, 1): [*COLUMNS, [2], []],
    (3, 0, 19, 2): [*COLUMNS, [1]],
    (3, 0, 19, 3): NUMBERS,
    (3, 0, 19, 4): [*NUMBERS, 256],
    (3, 0, 19, 5): [{}, 0, "0", [-1], [True], [None], [[0]], ["0"], [1], [1 << 70]],
}  # fmt: skip


@pytest.mark.parametrize("place", WRONG, ids=str)
def test_every_field_is_checked(place: tuple[int, ...]) -> None:
    check(unit(None), place, WRONG[place])


@pytest.mark.parametrize("place", WRONG_IN_WINDOWS, ids=str)
def test_every_field_of_code_for_windows_is_checked(place: tuple[int, ...]) -> None:
    check(window_unit(None), place, WRONG_IN_WINDOWS[place])


def check(kept: Kept, place: tuple[int, ...], wrong: list[Any]) -> None:
    for value in wrong:
        facts = facts_of(kept)
        if not place:
            facts = value
        else:
            inside = facts
            for step in place[:-1]:
                inside = inside[step]
            inside[place[-1]] = value
        with pytest.raises(Damaged):
            pytest.fail(f"{value!r} is taken for {load(packed(facts))}")


GOOD = facts_of(unit(None))
DAMAGED = {
    "empty": b"",
    "garbage": b"garbage" * 99,
    "no list": zlib.compress(b""),
    "another format": packed(GOOD, form=FORMAT.replace(b"list", b"lost")),
    "no JSON": packed(b"no JSON"),
    "no UTF-8": packed(b'["\xff"]'),
    "deep": packed(b"[" * 100_000),
    "a number of many digits": packed(b"9" * 5_000),
    "a short text": packed(GOOD, texts=b"x"),
    "a text that is no UTF-8": packed(GOOD, texts=b"\xff" * len(TEXT.encode())),
    "more text": packed(GOOD, texts=TEXT.encode() + b"x"),
    "a length beyond the end": zlib.compress(FORMAT + b"\x7f" * LENGTH + b"[[[]],[],[],[]]"),
    "more behind it": packed(GOOD) + b"x",
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damage_is_noticed(what: str) -> None:
    with pytest.raises(Damaged):
        load(DAMAGED[what])


def test_a_list_that_is_cut_off_anywhere() -> None:
    content = dump([unit(None, 1)])
    for size in range(len(content)):
        with pytest.raises(Damaged):
            load(content[:size])


def test_a_small_file_cannot_become_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_list, "MOST_BYTES", 1_000)
    with pytest.raises(Damaged, match="too long"):
        load(packed(GOOD, texts=bytes(1_000_000)))
    with pytest.raises(NotPlain):
        dump([unit(*MODES)])
