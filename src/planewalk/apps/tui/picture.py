"""The picture that a pixel belongs to, small, in half blocks, with the pixel marked."""

from __future__ import annotations

from rich.text import Text

from ...core.program import Program

MOST_COLUMNS, MOST_LINES = 40, 12


def picture_of(program: Program, seed: int, room: tuple[int, int]) -> Text:
    """The whole picture at the time of a pixel, which flashes, in this many columns and lines."""
    from ...view.terminal.images import MILLIONS, paint_blocks
    from ..pictures.library import render

    (width, height), (x, y) = program.options["size"], program.options["pixel"]
    columns, lines = min(room[0], MOST_COLUMNS), min(room[1], MOST_LINES)
    scale = min(columns / width, 2 * lines / height, 1.0)  # two pixels are a line
    small = max(round(width * scale), 1), max(round(height * scale), 1)
    options = {**program.given, "size": small}
    options.pop("pixel", None)
    picture = render(source=program.source, language=program.language.name, seed=seed, **options)
    rows = [
        bytearray(b"".join(bytes(picture.pixel(at, row)) for at in range(small[0])))
        for row in range(small[1])
    ]
    column, row = min(int(x * scale), small[0] - 1), min(int(y * scale), small[1] - 1)
    text = Text(no_wrap=True)
    for number, line in enumerate(paint_blocks(list(map(bytes, rows)), MILLIONS)):
        shown = Text.from_ansi(line)
        if number == row // 2:
            shown.stylize("reverse bold blink", column, column + 1)
        text.append_text(shown).append("\n")
    return text.append(f"pixel {x},{y} of {width} x {height}\n", "dim")
