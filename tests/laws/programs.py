"""Random programs of every language, biased to live long and use everything."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from planewalk.core.state import State
from planewalk.languages import registry

TEXT_LANGUAGES = ["refunge", "mirrorfunge", "gemooy", "webfunge"]
LANGUAGES = [*TEXT_LANGUAGES, "bmprog"]


def alphabet(name: str) -> list[str]:
    """The symbols of a language, the start markers of Gemooy included."""
    language = registry.get(name)
    symbols = [row.symbol for table in (language.table, *language.loadable) for row in table]
    return [*symbols, *("$%" if name == "gemooy" else ""), " ", " "]


@st.composite
def soups(draw: st.DrawFn, name: str) -> bytes:
    """A box of symbols, with something odd now and then."""
    width, height = draw(st.integers(1, 14)), draw(st.integers(1, 8))
    symbol = st.sampled_from(alphabet(name))
    rows = draw(st.lists(st.text(symbol, max_size=width), min_size=height, max_size=height))
    source = "\n".join(rows).encode()
    if draw(st.integers(0, 9)) == 0:
        source += draw(st.binary(max_size=12))
    return source


@st.composite
def boards(draw: st.DrawFn) -> bytes:
    """A BMProg board as a PNG file."""
    from planewalk.languages.bmprog.text import text_to_picture

    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 8))
    cell = st.sampled_from("....:?><^v*#")
    rows = draw(
        st.lists(st.text(cell, min_size=width, max_size=width), min_size=height, max_size=height)
    )
    return text_to_picture("\n".join(rows).encode(), ".png")


def sources(name: str) -> st.SearchStrategy[bytes]:
    return boards() if name == "bmprog" else soups(name)


def started(name: str, source: bytes, seed: int = 7, **options: Any) -> State:
    language = registry.get(name)
    return language.start(source, language.read_options(options), seed)


__all__ = ["LANGUAGES", "TEXT_LANGUAGES", "alphabet", "boards", "soups", "sources", "started"]
