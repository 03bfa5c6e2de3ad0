"""A compile queue that tests drive: what is made when, and handed over when, without threads."""

from collections.abc import Callable
from typing import Any

from planewalk.engines.base.jobs import CompileJob, CompileQueue

CODE = "code"
INTERPRETER, BETTER = "an interpreter", "a better interpreter"


class HeldJob(CompileJob[Any]):
    """Made by `work`, and ready once it is handed over."""

    def __init__(self, what: str, make: Callable[[], Any]) -> None:
        super().__init__(make)
        self.what = what
        self.handed_over = False

    @property
    def ready(self) -> bool:
        return self.handed_over

    def wait(self, seconds: float) -> None:
        """It takes no time at all: whoever waits goes on."""

    def hand_over(self) -> None:
        """Be ready, made by now if it was not before."""
        if not super().ready:
            self.work()
        self.handed_over = True


class HeldQueue(CompileQueue):
    """Holds what is of these kinds until a test says so; all else is made at once."""

    def __init__(self, *held: str) -> None:
        super().__init__(background=True)
        self.held = held
        self.jobs: list[HeldJob] = []

    def begin(self, what: str, make: Callable[[], Any]) -> Any:
        job = HeldJob(what, make)
        if what not in self.held:
            job.hand_over()
        self.jobs.append(job)
        return job

    @property
    def waiting(self) -> list[HeldJob]:
        """What is held, in the order in which it was asked for."""
        return [job for job in self.jobs if not job.handed_over]

    def only(self) -> HeldJob:
        """The one thing that is held."""
        (job,) = self.waiting
        return job
