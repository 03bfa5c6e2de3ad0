"""Machine code of earlier runs of a program, found again when a run begins.

What was compiled is kept as a list beside the objects themselves. It is found by everything it was
made from but the way that the run took: planewalk's own code, the language, its options, and the
plane as it was when compiling began. Cells that code stands on are compared before it runs.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from hashlib import sha256
from typing import Any

from ..core.language import Language
from ..core.state import State
from . import origins
from .llvm import Store, why_not
from .native_unit import NativeUnit


def name_of(language: Language, state: State) -> str | None:
    """Under which name the machine code of a run is kept; None if such code is not."""
    plane: Any = state.plane
    if plane.kind == "sparse":  # its code depends on the window
        return None
    made_from = origins.digest(language, type(plane), dict(state.options))
    if made_from is None:
        return None
    cells = bytes(plane.data) if plane.kind == "bytes" else repr(plane.to_json()).encode()
    about = f"kept 4 {sys.version} {made_from} {state.tick}"
    return sha256(about.encode() + cells).hexdigest()


def keep(store: Store, name: str, natives: list[NativeUnit]) -> None:
    """Keep all machine code of a run; the objects are in the store already."""
    kept = [(native.height, (native.written, native.touched, native.large)) for native in natives]
    store.put(name, zlib.compress(pickle.dumps(kept), 1))


def recall(store: Store, name: str, height: int) -> list[NativeUnit]:
    """The machine code that was kept under that name, as far as it is still there.

    Planes never shrink, so code may count on the rows there were when it was made. It is of no use
    while a plane has fewer.
    """
    content = store.get(name)
    if content is None or why_not() is not None:
        return []
    natives = []
    # Nobody else can write to the store, or machine code from it would be as bad.
    for needed, (written, touched, large) in pickle.loads(zlib.decompress(content)):
        if needed > height:
            continue
        native = NativeUnit.again(written)
        native.height, native.touched, native.large = needed, touched, large
        if native.recall(store):
            natives.append(native)
    return natives
