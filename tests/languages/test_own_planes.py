"""Languages whose planes no engine knows are refused in a line; sparse planes have no edges."""

from __future__ import annotations

from typing import Any

import pytest

import planewalk as pw
from planewalk.apps.checking.check import Checker
from planewalk.core.errors import LanguageError
from planewalk.core.geometry import RIGHT, Stance, board, cylinder, lahey, torus, unbounded
from planewalk.core.language import Language
from planewalk.core.plane import SparsePlane
from planewalk.core.state import State, Walker
from tests.test_new_language import guide_code, language_of


class DictPlane:
    """What an author might think of first."""

    kind = "dict"
    writable = True

    def __init__(self, cells: dict[tuple[int, int], int]) -> None:
        self.cells = cells

    def cell(self, x: int, y: int) -> int:
        return self.cells.get((x, y), 32)

    def copy(self) -> DictPlane:
        return DictPlane(dict(self.cells))


class RoundPlane(SparsePlane):
    """A sparse plane that compiled code would read in its own way."""

    def cell(self, x: Any, y: Any) -> int:
        return super().cell(x % 10, y)


def language_on(kind: Any, move: Any = unbounded) -> Language:
    def start(source: bytes, options: Any, seed: int) -> State:
        plane = kind({(x, 0): code for x, code in enumerate(source)})
        walker = Walker(Stance(0, 0, *RIGHT))
        return State(plane, [walker], registers={"counter": 0}, seed=seed)

    return language_of(guide_code())._replace(start=start, move=move)


TOOLS = [pw.run, pw.explain, pw.graph, pw.film, pw.picture, pw.session]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("kind", [DictPlane, RoundPlane])
def test_a_plane_of_another_class_is_refused_by_all_tools(kind: Any, tool: Any) -> None:
    more = {"at": 1} if tool is pw.picture else {}
    with pytest.raises(LanguageError) as refused:
        tool(source="+.@", language=language_on(kind), **more)
    assert str(refused.value) == (
        f"Snails: `start` gives a plane of the class {kind.__name__}; "
        "it must be a TextPlane, BytePlane, SparsePlane or BoardPlane itself"
    )


def test_a_check_of_such_a_language_says_the_same() -> None:
    checker = Checker(language_on(DictPlane), 0)
    said = [found.what for _, found in checker.table() if found is not None]
    assert said and all("gives a plane of the class DictPlane" in what for what in said)


@pytest.mark.parametrize("move", [torus, cylinder, lahey, board])
def test_grounds_with_edges_need_a_plane_that_has_some(move: Any) -> None:
    with pytest.raises(LanguageError) as refused:
        pw.run(source="+.@", language=language_on(SparsePlane, move))
    assert "`move` failed at (0, 0) after 0 steps" in str(refused.value)
    assert "walk with `unbounded`, or with a `move` of your own" in str(refused.value)


def round_trip(plane: Any, stance: Stance) -> Stance:
    """From the end of what is there back to its begin: what a `move` of one's own may do."""
    left, _, right, _ = plane.box()
    x = stance.x + stance.dx
    return stance._replace(x=left if x > right else right if x < left else x)


@pytest.mark.parametrize("move", [unbounded, round_trip])
@pytest.mark.parametrize("engine", ["reference", "python", "llvm", "interpreter", "auto"])
def test_sparse_planes_run_on_every_engine(move: Any, engine: str) -> None:
    language = language_on(SparsePlane, move)
    done = pw.run(source="+++.@", language=language, engine=engine, eager=True)
    assert (done.output, done.status) == (b"3", "halted")
