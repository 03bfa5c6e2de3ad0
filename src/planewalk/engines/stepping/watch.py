"""Watching a machine for what barriers are about, while the reference engine runs."""

from __future__ import annotations

from collections.abc import Callable, Container
from re import Match, Pattern
from types import TracebackType
from typing import Any

from ...core.barriers import Barriers, Event, Landed, Took, Wrote, hit
from ...core.observation import Read, Write
from ...core.state import State
from ...core.step import Stop


class Watch:
    """Words that also tell of what is barred, and end the stretch with the tick in which it is.

    As `landings` of the reference engine it tells of walkers that arrive, too.
    """

    def __init__(self, machine: Any, barriers: Barriers, also: Container[Any] = ()) -> None:
        """`also` are landings where the stretch ends without anything to tell of."""
        self.machine, self.barriers, self.also = machine, barriers, also
        self.reached = False  # whether a walker has come to one of those
        self.events: list[Event] = []
        self._places = barriers.places()

    def __enter__(self) -> Watch:
        machine, barriers = self.machine, self.barriers
        words: dict[str, Callable[..., Any]] = {}
        if barriers.written:
            words["put"] = self._put(machine.put, machine.state.plane)
        if barriers.read:
            words |= {"cell": self._cell(machine.cell), "look": self._cell(machine.look)}
        if barriers.output:
            words["write"] = self._write(machine.write)
        if barriers.input:
            words |= {
                "read_byte": self._read_byte(machine.read_byte),
                "scan": self._scan(machine.scan),
            }
        self._end = machine.listen(words)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def __contains__(self, stance: Any) -> bool:
        """Whether a walker that arrives so has to stop; if so, it is noted."""
        if self._catches(stance):
            self._note(Landed(stance))
            return True
        self.reached = stance in self.also
        return self.reached

    def survey(self, state: State) -> Stop | None:
        """The stop if one of the walkers has arrived; else None."""
        if state.stop is None and not any(isinstance(event, Landed) for event in self.events):
            stances = (walker.stance for walker in state.walkers)
            self.events += [Landed(stance) for stance in stances if self._catches(stance)]
        return self.hit()

    def hit(self) -> Stop | None:
        """The stop that tells of all that was noted, if anything was."""
        return hit(self.events) if self.events else None

    def _catches(self, stance: Any) -> bool:
        return (stance.x, stance.y) in self._places and self.barriers.catch(stance)

    def _note(self, event: Event) -> None:
        self.events.append(event)
        self.machine.pause_for(hit(self.events))

    def _put(self, put: Callable[..., None], plane: Any) -> Callable[..., None]:
        written = self.barriers.written

        def noted(x: Any, y: Any, value: Any) -> None:
            if (x, y) in written:
                self._note(Write(x, y, plane.cell(x, y), value))
            put(x, y, value)

        return noted

    def _cell(self, cell: Callable[..., Any]) -> Callable[..., Any]:
        read = self.barriers.read

        def noted(x: Any, y: Any) -> Any:
            value = cell(x, y)
            if (x, y) in read:
                self._note(Read(x, y, value))
            return value

        return noted

    def _write(self, write: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def noted(data: bytes) -> None:
            if data:
                self._note(Wrote(data))
            write(data)

        return noted

    def _read_byte(self, read_byte: Callable[[], Any]) -> Callable[[], Any]:
        def noted() -> Any:
            byte = read_byte()
            self._note(Took(bytes([byte]) if byte >= 0 else b""))
            return byte

        return noted

    def _scan(self, scan: Callable[[Pattern[bytes]], Match[bytes]]) -> Any:
        def noted(pattern: Pattern[bytes]) -> Match[bytes]:
            found = scan(pattern)
            self._note(Took(found[0]))
            return found

        return noted
