"""What a program does, apart from its output: `explain` and `graph`."""

from __future__ import annotations

import io
from time import monotonic
from typing import Any

from ..core.limits import DEFAULT_MEMORY, Limits, allowed
from ..core.program import Program
from ..view.flow.flow import Flow, flow_json, flow_of
from ..view.walk.explain import Explanation
from ..view.walk.explain import explain as explain_run
from . import arguments
from .arguments import checked
from .draft import write_with
from .library import LanguageName, PathLike, Source, start
from .writers import suffix_of

GRAPHS = (".svg", ".png", ".dot", ".json")
WEIGHT = 6
"""Bytes for a pixel of a graph, and for packing it."""
EXPLAINED = 10_000
DRAWN = 20_000
"""Steps that are looked at by default."""


class Graph:
    """The ways a program takes: shows itself in notebooks, and `save` writes it to a file."""

    def __init__(self, flow: Flow, title: str) -> None:
        self.flow, self.title = flow, title

    def svg(self) -> str:
        """The picture as SVG."""
        from ..view.flow.drawing import flow_picture
        from ..view.flow.flow_svg import flow_svg

        return flow_svg(flow_picture(self.flow, self.title)) + "\n"

    def image(self) -> Any:
        """The picture for Pillow."""
        from ..view.flow.drawing import flow_picture
        from ..view.flow.flow_image import flow_image, flow_size

        picture = flow_picture(self.flow, self.title)
        width, height = flow_size(picture)
        allowed().allow(WEIGHT * width * height, f"drawing {width:,} x {height:,} pixels")
        return flow_image(picture)

    def dot(self) -> str:
        """The stretches and ways in the language of Graphviz."""
        from ..view.flow.dot import flow_dot

        return flow_dot(self.flow, self.title)

    def to_dict(self) -> dict[str, Any]:
        """The stretches and ways as plain data."""
        return flow_json(self.flow)

    def to_json(self) -> str:
        """The stretches and ways as one line of JSON."""
        import json

        return json.dumps(self.to_dict()) + "\n"

    def save(self, path: PathLike) -> None:
        """Write a file: .svg and .png are pictures, .dot is for Graphviz, .json the data."""
        name = arguments.file_name(path)
        data = self.to_bytes(suffix_of(name, GRAPHS))
        write_with(name, lambda file: file.write(data))

    def to_bytes(self, suffix: str) -> bytes:
        """The contents of a file with that suffix."""
        if suffix == ".png":
            file = io.BytesIO()
            self.image().save(file, "PNG")
            return file.getvalue()
        made = {".svg": self.svg, ".json": self.to_json, ".dot": self.dot}
        return made[suffix]().encode()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Graph of {self.title}: {self.flow.status} after {self.flow.steps:,} steps>"


@checked()
def explain(
    path: PathLike | Program | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    input: bytes | str | None = None,
    seed: int | None = None,
    max_steps: int = EXPLAINED,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    **options: Any,
) -> Explanation:
    """What each cell that a program reaches does, in words: `print(explain("hello.mf"))`.

    The program runs for at most `max_steps` steps, `max_time` seconds and `max_memory` bytes, or
    until it asks for more than `input`. The explanation has `visits` (cells in reading order, with
    their instructions), `unreached`, `steps` and `stop`.

    >>> explain(source="1.@", language="mirrorfunge")
    <Explanation: 3 cells reached, 0 instructions not; the program ended after 3 steps>
    """
    limits = Limits(max_steps, None, max_time, max_memory).begun(monotonic)
    begun = start(explain, limits, path, source, language, input, seed, options)
    explanation = explain_run(begun.language, begun.state, limits, monotonic)
    return explanation._replace(origins=begun.origins)


@checked()
def graph(
    path: PathLike | Program | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    input: bytes | str | None = None,
    seed: int | None = None,
    max_steps: int = DRAWN,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    **options: Any,
) -> Graph:
    """The ways a program takes, as a picture: `graph("hello.mf").save("hello.svg")`.

    The program runs for at most `max_steps` steps, or until it asks for more than `input`.

    >>> graph(source="1.@", language="mirrorfunge")
    <Graph of program: halted after 3 steps>
    """
    limits = Limits(max_steps, None, max_time, max_memory).begun(monotonic)
    begun = start(graph, limits, path, source, language, input, seed, options)
    return Graph(flow_of(begun.language, begun.state, limits, monotonic), begun.name)
