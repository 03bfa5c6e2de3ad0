"""Signals as a process has them that was started by hand, however the tests were started.

Scripts start what runs in the background with SIGINT ignored, nohup with SIGHUP ignored, and every
process that is started from there inherits that. The tests themselves keep it: only what is sent
signals does without.
"""

import signal
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

DEFAULT = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


def restore() -> None:
    """Have the signals that end a process end this one."""
    for number, handler in DEFAULT.items():
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, DEFAULT)


@contextmanager
def restored(ignored: Collection[int] = ()) -> Iterator[None]:
    """For a while, in this process and those that it starts; but these are ignored."""
    before = {number: signal.getsignal(number) for number in DEFAULT}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        restore()
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)


def start(words: Any, *, ignored: Collection[int] = (), **more: Any) -> subprocess.Popen[Any]:
    """`subprocess.Popen` for a process that is sent signals; these it finds ignored."""
    with restored(ignored):
        return subprocess.Popen(words, **more)
