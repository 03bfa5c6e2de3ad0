"""Ctrl-C is noted until a good moment; pressed twice, it does not wait for one."""

import signal
import threading

import pytest

from planewalk.apps.cli.alarm import Interrupts
from planewalk.core.limits import USUAL

pytestmark = pytest.mark.usefixtures("signals_end_this")


def test_one_is_raised_when_it_is_asked_for() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts(USUAL) as interrupts:
        interrupts.check()
        signal.raise_signal(signal.SIGINT)  # nothing happens yet
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    assert signal.getsignal(signal.SIGINT) is before


def test_two_do_not_wait() -> None:
    with Interrupts(USUAL), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_other_threads_have_no_signals_to_note() -> None:
    failed = []

    def work() -> None:
        try:
            with Interrupts(USUAL) as interrupts:
                interrupts.check()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failed == []
