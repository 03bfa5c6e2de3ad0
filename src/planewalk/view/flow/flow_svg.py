"""A control-flow graph as SVG; letters are strokes, so no font is needed."""

from __future__ import annotations

from html import escape

from ..drawing.letters import way, words
from .drawing import PAPER, RADIUS, BoxShape, FlowPicture, Shape, TipShape, WordsShape, towards
from .layered import Point


def flow_svg(picture: FlowPicture) -> str:
    width, height = picture.width, picture.height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" fill="none" stroke-linecap="square">',
        f"<title>{escape(picture.title)}</title>",
        f"<desc>{escape(picture.told)}</desc>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        *map(_drawn, picture.around),
        f'<g transform="translate({picture.across} {picture.down})">',
        *map(_drawn, picture.inner),
        "</g></svg>",
    ]
    return "\n".join(parts)


def _drawn(shape: Shape) -> str:
    if isinstance(shape, WordsShape):
        return _words(shape)
    if isinstance(shape, BoxShape):
        return _box(shape)
    if isinstance(shape, TipShape):
        x, y, size, colour = shape
        path = f"M{x:.1f} {y:.1f}l{-size / 2:.1f} {-size:.1f}h{size:.1f}z"
        return f'<path d="{path}" fill="{colour}"/>'
    path = _bent(shape.points) if shape.bent else _flowing(shape.points)
    return (
        f'<path d="{path}" stroke="{shape.colour}" stroke-width="{shape.thick:.1f}" '
        f'stroke-linecap="round"/>'
    )


def _words(shape: WordsShape) -> str:
    x, y, text, letter, colour, halo = shape
    path = "".join(words(text, round(x), round(y) - letter[1] // 2, letter))
    pen = way("x", *letter).pen
    around = f'<path d="{path}" stroke="{PAPER}" stroke-width="{pen + halo}"/>' if halo else ""
    return f'{around}<path d="{path}" stroke="{colour}" stroke-width="{pen}"/>'


def _box(shape: BoxShape) -> str:
    fill = f' fill="{shape.fill}"' if shape.fill else ""
    stroke = f' stroke="{shape.stroke}" stroke-width="{shape.thick}"' if shape.stroke else ""
    broken = ' stroke-dasharray="5 3"' if shape.broken else ""
    return (
        f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
        f'height="{shape.height:.1f}" rx="{shape.radius:.1f}"{fill}{stroke}{broken}/>'
    )


def _flowing(points: tuple[Point, ...]) -> str:
    """A curve through all points, vertical in each of them."""
    x, y = points[0]
    path = f"M{x:.1f} {y:.1f}"
    for a, b in points[1:]:
        half = (y + b) / 2
        path += f"C{x:.1f} {half:.1f} {a:.1f} {half:.1f} {a:.1f} {b:.1f}"
        x, y = a, b
    return path


def _bent(points: tuple[Point, ...]) -> str:
    """Straight lines with round corners."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter = towards(corner, before, RADIUS)
        leave = towards(corner, after, RADIUS)
        path += f"L{enter[0]:.1f} {enter[1]:.1f}"
        path += f"Q{corner[0]:.1f} {corner[1]:.1f} {leave[0]:.1f} {leave[1]:.1f}"
    return path + f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"
