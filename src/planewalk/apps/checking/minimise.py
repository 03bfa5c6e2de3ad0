"""Making a program that violates a law smaller, which shows the cause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ...core.errors import SourceError
from .programs import BLANK
from .trial import LIMITS, Trial

PATIENCE = 5.0
"""Seconds spent on making a program smaller."""


def minimised(trial: Trial, breaks: Callable[[Trial], bool]) -> Trial:
    """The smallest variation of a program that still violates the law."""
    until = time.monotonic() + PATIENCE
    going = True
    while going:
        going = False
        for simpler in _simpler(trial):
            if time.monotonic() > until:
                return trial
            if breaks(simpler):
                trial, going = simpler, True
                break
    return trial


def _simpler(trial: Trial) -> Iterator[Trial]:
    """The same program with a part removed, the largest parts first."""
    for marks in _shorter_marks(trial.marks):
        yield trial._replace(marks=marks)
    for data in _without_parts(trial.data):
        yield trial._replace(data=data)
    if trial.seed:
        yield trial._replace(seed=0)
    if trial.limits != LIMITS:
        yield trial._replace(limits=LIMITS)
    for text in _smaller_texts(trial.text):
        try:
            yield trial.respelled(text)
        except SourceError:
            continue  # there must be something left


def _shorter_marks(marks: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for i in range(len(marks) if len(marks) > 1 else 0):
        yield marks[:i] + marks[i + 1 :]
    if marks[-1] > 0:
        for last in (marks[-1] // 2, marks[-1] - 1):
            yield tuple(min(mark, last) for mark in marks)


def _without_parts(data: bytes) -> Iterator[bytes]:
    for size in _sizes(len(data)):
        for at in range(0, len(data), size):
            yield data[:at] + data[at + size :]


def _smaller_texts(text: str) -> Iterator[str]:
    rows = text.split("\n")
    for size in _sizes(len(rows) if len(rows) > 1 else 0):
        for at in range(0, len(rows), size):
            yield "\n".join(rows[:at] + rows[at + size :])
    width = max(map(len, rows))
    for size in _sizes(width if width > 1 else 0):
        for at in range(0, width, size):
            yield "\n".join(row[:at] + row[at + size :] for row in rows)
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            if symbol != BLANK:
                yield "\n".join([*rows[:y], row[:x] + BLANK + row[x + 1 :], *rows[y + 1 :]])


def _sizes(length: int) -> Iterator[int]:
    """Half the length, a quarter, and so on down to 1."""
    while length > 1:
        length = (length + 1) // 2
        yield length
        if length == 1:
            return
    if length == 1:
        yield 1
