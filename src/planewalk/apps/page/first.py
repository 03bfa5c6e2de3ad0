"""What a page shows before Python is there: languages, examples, one of these as a recording."""

from __future__ import annotations

from time import monotonic
from typing import Any

from ..studio.conversation import Conversation

FIRST = "heart.png"
"""The example that a page begins with; main.js has the same."""
PACE = 20
"""Ticks a second of the recording."""
FRAMES = 300


def recording(frames: int = FRAMES) -> dict[str, Any]:
    """The answers of a conversation that opens the first example and steps through it."""
    talk = Conversation(monotonic)
    (hello,) = talk.receive({"do": "hello"})
    answer, first = talk.receive({"do": "example", "file": FIRST})
    opened = {**answer["opened"], "seed": 0}  # the same in each recording
    film = [first["frame"]]
    while len(film) < frames and not film[-1]["stop"]:
        film.append(talk.receive({"do": "step"})[0]["frame"])
    return {"hello": hello["hello"], "opened": opened, "frames": film, "pace": PACE}
