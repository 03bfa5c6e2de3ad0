"""A control-flow graph in the DOT language of Graphviz."""

from __future__ import annotations

from .drawing import boxes_of, colour_of, heat_of, tint_of
from .flow import Flow

SHAPES = {"entry": "oval", "end": "oval", "stretch": "box"}


def flow_dot(flow: Flow, name: str) -> str:
    """A directed graph with the boxes and edges of the picture."""
    boxes, ways = boxes_of(flow)
    most = max([way.times for way in ways], default=1)
    lines = [
        f'digraph "{_escaped(name)}" {{',
        '  node [fontname="monospace", style="filled,rounded"];',
    ]
    for number, box in enumerate(boxes):
        words = "\\n".join(_escaped(text) for text in (box.title, box.words) if text)
        style = ', style="filled,rounded,dashed"' if box.changed else ""
        colours = f'color="{colour_of(box.heat)}", fillcolor="{tint_of(box.heat)}"'
        lines.append(f'  n{number} [label="{words}", shape={SHAPES[box.kind]}, {colours}{style}];')
    for way in ways:
        heat = heat_of(way.times, most)
        look = f'color="{colour_of(heat)}", penwidth={1.3 + 3.7 * heat:.1f}'
        lines.append(f'  n{way.source} -> n{way.target} [label="{way.times}", {look}];')
    return "\n".join([*lines, "}"]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
