"""What not every system has, and what stands in for it.

In a web page Python has no threads, no clock of a thread, no timers and no links between files.
Code that needs one of these asks here, and nowhere else.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

IN_A_PAGE = sys.platform == "emscripten"  # whether this is Python in a web page, or in Node
HAS_THREADS = not IN_A_PAGE  # whether threads can be started
HAS_TIMERS = hasattr(signal, "setitimer")  # whether the system sends signals at a given time

thread_time = getattr(time, "thread_time", time.perf_counter)
"""CPU seconds of this thread; where there is but one, the seconds that have gone by."""


def link(old: str, new: str, **relative: Any) -> None:
    """`os.link`; raises `OSError` where a file has but one name."""
    if not hasattr(os, "link"):
        raise OSError("files have but one name here")
    os.link(old, new, **relative)
