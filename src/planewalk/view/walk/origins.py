"""Source maps of converted programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from ...core.errors import SourceError
from ...core.language_groups import Converted, Origin

KIND = "planewalk map 1"


class Origins(NamedTuple):
    """Where the cells of a program come from, and the file that they come from."""

    source: str
    cells: Mapping[tuple[int, int], Origin]

    def words(self, x: Any, y: Any) -> str:
        """Where a cell comes from, in words; empty if it comes from nowhere."""
        origin = self.cells.get((x, y))
        if origin is None:
            return ""
        return f"{origin.text} of {self.source} line {origin.line} column {origin.column}"


def write_origins(source: str, converted: Converted) -> bytes:
    """The map of a converted program, a line for each cell, as JSON."""
    head = {"kind": KIND, "source": source, "sha256": sha256(converted.data).hexdigest()}
    cells = sorted(converted.origins.items(), key=lambda cell: (cell[0][1], cell[0][0]))
    rows = ",\n".join(json.dumps([*place, *origin], ensure_ascii=False) for place, origin in cells)
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "cells": [\n{rows}\n]}}\n'.encode()


def read_origins(data: bytes, program: bytes) -> Origins:
    """The map that `write_origins` wrote, if it belongs to that very program."""
    try:
        written = json.loads(data)
        if written["kind"] != KIND:
            raise ValueError(KIND)
        fits = written["sha256"] == sha256(program).hexdigest()
        cells = {
            (int(x), int(y)): Origin(int(line), int(column), str(text))
            for x, y, line, column, text in written["cells"]
        }
        source = str(written["source"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise SourceError("this is no map that planewalk convert --map wrote") from None
    if not fits:
        raise SourceError("this map was made for another version of the program")
    return Origins(source, cells)
