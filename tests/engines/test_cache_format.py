"""The list of kept code: plain data comes back as it was, and nothing else comes in."""

import json
import zlib
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple

import pytest

from planewalk.core.geometry import Stance
from planewalk.engines.native.abi import UnitIR, WindowFacts
from planewalk.engines.native.cache_format import FORMAT, Damaged, Kept, NotPlain, dump, load
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
        TEXT, entries, exits, {0}, True, False, 2, 3, 20, registers, registers[:1], frozenset({0}),
        128,
    )  # fmt: skip
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
    seen = [window_unit(None, Mood(True)), window_unit(None, may=False)]
    several = unit(frozenset({1, "a", frozenset({2.5, None})}))
    for kept in (unit(*MODES), unit(*reversed(MODES)), unit(None), *seen, several):
        again = load(dump(kept))
        assert again == kept or repr(again) == repr(kept)  # one of the modes is not a number
    assert repr(load(dump(unit(*MODES)))) == repr(unit(*MODES))
    again = load(dump(unit(Mood())))
    assert type(again.written.exits[0][0].stance.mode) is Mood


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
    [object(), Colour.RED, Whole(3), len, int, local_mood(), nest(50_000), 1 << 99_999]
    + [frozenset({Whole(3)}), Mood(rounds=Whole(3))],
    ids=lambda mode: type(mode).__name__,
)  # fmt: skip
def test_other_modes_are_not_kept(mode: Any) -> None:
    with pytest.raises(NotPlain):
        dump(unit(None, mode))


def test_nothing_else_can_be_read() -> None:
    """Whatever stands there: nothing is called, and no module is imported."""
    good = json.loads(zlib.decompress(dump(unit(Mood())).removeprefix(FORMAT)))
    (at,) = (at for at, row in enumerate(good) if "Mood" in row)
    for name in (["os", "system"], ["builtins", "tuple"], ["no.such", "Mood"], [1, "Mood"], []):
        bad = [row if row is not good[at] else [at, *name, True, ["tuple"]] for row in good]
        with pytest.raises(Damaged):
            load(FORMAT + zlib.compress(json.dumps(bad).encode()))
    for facts in (b"", b"[]", b"9" * 5_000, b"[" * 100_000, b'[[0,"\xff"]]', b'[[0,["code"]]]'):
        with pytest.raises(Damaged):
            load(FORMAT + zlib.compress(facts))


def test_damage_is_noticed() -> None:
    content = dump(unit(None, 1))
    for size in range(len(content)):
        with pytest.raises(Damaged):
            load(content[:size])
        other = content[:size] + bytes([content[size] ^ 1]) + content[size + 1 :]
        with suppress(Damaged):  # a byte may say nothing
            assert load(other) == unit(None, 1)
    for content in (None, b"", b"garbage" * 99, FORMAT):
        with pytest.raises(Damaged):
            load(content)
