"""Machine code of earlier runs of a program, found again when a run begins.

What was compiled is kept as a list beside the objects themselves. It is found by everything it was
made from but the way that the run took: planewalk's own code, the language, its options, and the
plane as it was when compiling began. Cells that code stands on are compared before it runs.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress

from ...core.base.fingerprint import fingerprint
from ...core.language import Language
from ...core.state import State
from ..base.keeping import HEIGHT, keeping_of
from ..native import cache_key
from ..native.cache_format import Damaged, Kept, NotPlain, dump, load
from ..native.machine_code import Store
from ..native.unit import NativeUnit, unit_of

FORMAT = b"planewalk units 1\n"
NAME = re.compile("[0-9a-f]{64}")  # of each unit in the list
MOST_CELLS = 16 << 20
"""Bytes of a plane that are looked at when a run begins: for more, its code is not kept."""


def name_of(language: Language, state: State) -> str | None:
    """Under which name the machine code of a run is kept; None if such code is not."""
    if state.plane.memory() > MOST_CELLS:
        return None
    cells = keeping_of(state.plane).content()
    if cells is None:
        return None
    made_from = cache_key.digest(language, type(state.plane), dict(state.options))
    if made_from is None:
        return None
    about = f"kept 10 {sys.version} {made_from} {state.tick}"
    return fingerprint(about.encode() + cells)


def keep(store: Store, name: str, natives: list[NativeUnit]) -> None:
    """Keep all machine code of a run; the objects are in the store already. Each unit is written
    once, and the list of them whenever there is another one."""
    with suppress(NotPlain):  # such code cannot be kept
        for native in natives:
            if native.kept_as is None:
                content = dump(_plain(native))
                native.kept_as = fingerprint(name.encode() + content)
                store.put(native.kept_as, content)
        names = [native.kept_as for native in natives if native.kept_as is not None]
        store.put(name, FORMAT + "\n".join(names).encode())


def _plain(native: NativeUnit) -> Kept:
    cells = {at: value for at, value in native.touched.items() if at != HEIGHT}
    height = native.touched.get(HEIGHT, native.height)
    exact = HEIGHT in native.touched
    return Kept(native.written, height, cells, exact, native.window)


def recall(store: Store, name: str) -> list[NativeUnit]:
    """The units that were kept under that name, their machine code still to be recalled.

    Planes never shrink, so code may count on the rows there were when it was made. It is of no use
    while a plane has fewer.
    """
    content = store.get(name)
    if content is None or not content.startswith(FORMAT):
        return []
    found = []
    for part in filter(NAME.fullmatch, content[len(FORMAT) :].decode("ascii", "replace").split()):
        with suppress(Damaged):  # it will be made again
            native = _again(load(store.get(part)))
            native.kept_as = part
            found.append(native)
    return found


def _again(unit: Kept) -> NativeUnit:
    if unit.window is None:
        native = unit_of(unit.written)
    else:
        from ..window.code import WindowUnit  # which most runs do without

        native = WindowUnit(unit.written, unit.window)
        native.allowed = unit.window.may
    native.height, native.touched = unit.height, {**unit.touched}
    if unit.exact:
        native.touched[HEIGHT] = unit.height
    return native
