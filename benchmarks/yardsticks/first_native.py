"""Run a program until machine code runs, and print the CPU seconds of this process up to then.

python first_native.py PROGRAM STORE INPUT
"""

from __future__ import annotations

import sys
import time

from planewalk.apps.library import load
from planewalk.apps.store import DiskStore
from planewalk.core.limits import Limits
from planewalk.core.stream import InputStream
from planewalk.engines.choose import choose_engine

MOST_SECONDS = 5.0
"""After that nobody believes any more that machine code will run."""


def main() -> None:
    path, folder, given, began = sys.argv[1:]
    program = load(path)
    state = program.start(0)
    state.input = InputStream(given.encode(), closed=True)
    engine = choose_engine("auto", program.language, state, Limits(), DiskStore(folder))
    while time.process_time() < MOST_SECONDS and engine.advance(4096) is None:
        if getattr(getattr(engine, "engine", engine), "native_ticks", 0):
            break
    # The clock also counts other programs, CPU time both threads where they run side by side.
    print(min(time.time() - float(began), time.process_time()))


if __name__ == "__main__":
    main()
