"""A sixth language from outside: the one of docs/new-language.md, found through an entry point."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planewalk.core.language import Language
from planewalk.core.state import State
from planewalk.core.step import Halted, Hungry
from planewalk.core.stream import InputStream
from planewalk.engines.reference import ReferenceEngine

GUIDE = Path(__file__).parent.parent / "docs" / "new-language.md"


def guide_code() -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL))


def language_of(code: str, name: str = "snails.py") -> Language:
    names: dict[str, Any] = {}
    exec(compile(code, name, "exec"), names)
    language = names["LANGUAGE"]
    assert isinstance(language, Language)
    return language


@pytest.fixture
def planewalk(tmp_path: Path):
    """The command, with the language of the guide installed beside it."""
    (tmp_path / "snails.py").write_text(guide_code())
    entry = re.search(r'entry-points\."(.*?)"\]\n(.*?)\n```', GUIDE.read_text(), re.DOTALL)
    assert entry
    info = tmp_path / "snails-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: snails\nVersion: 1.0\n")
    points = entry[2].replace('"', "")
    (info / "entry_points.txt").write_text(f"[{entry[1]}]\n{points}\n")

    def run(*words: str, source: str = "", data: str = "") -> subprocess.CompletedProcess[str]:
        (tmp_path / "race.snail").write_text(source)
        return subprocess.run(
            [sys.executable, "-m", "planewalk", *words],
            input=data,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            timeout=60,
        )

    return run


def test_it_is_found_by_its_suffix(planewalk) -> None:
    done = planewalk("run", "race.snail", source="+++.@")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3", "")


def test_it_is_listed_with_its_instructions(planewalk) -> None:
    assert "snails that share a counter" in planewalk("list").stdout
    assert "A second snail sets out the other way." in planewalk("list", "snails").stdout


def test_its_walkers_act_one_after_the_other(planewalk) -> None:
    # The first snail goes right and counts, its twin goes left round the torus and prints.
    done = planewalk("run", "race.snail", "--json", "--max-steps", "3", source="Y+x .")
    answer = json.loads(done.stdout)
    assert answer["state"] == {"counter": 1, "snails": [[2, 0, -1, 0]]}
    assert (answer["status"], base64.b64decode(answer["output_b64"])) == ("limit", b"1")


def test_a_tick_of_several_walkers_can_wait_for_input_in_the_middle() -> None:
    # Both snails read in the second tick and print in the third.
    language = language_of(guide_code())
    state = language.start(b"Y,.x x.,", {}, 0)
    state.input = InputStream(closed=False)
    engine = ReferenceEngine(language, state)
    assert isinstance(engine.advance(10), Hungry)
    state.input.feed(b"A")
    assert isinstance(engine.advance(10), Hungry)
    assert (state.tick, state.registers["counter"]) == (1, 65)
    state = State.from_json(json.loads(json.dumps(state.to_json())))
    engine = ReferenceEngine(language, state)
    state.input.feed(b"B")
    assert isinstance(engine.advance(10), Halted)
    assert (bytes(state.output), state.tick) == (b"6666", 4)


def test_walkers_that_double_every_tick_come_to_a_limit(planewalk) -> None:
    done = planewalk("run", "race.snail", "--max-memory", "1M", source="Y")
    assert (done.returncode, done.stdout) == (3, "")
    assert "memory" in done.stderr


def test_explain_speaks_its_words(planewalk) -> None:
    done = planewalk("explain", "race.snail", source="+.@")
    assert "Add one to the counter that all snails share." in done.stdout


INDEX = """
[[example]]
file = "race.snail"
title = "Race"
description = "Two snails set out."
[[example.run]]
output = "1"
"""


@pytest.fixture
def with_examples(planewalk, tmp_path: Path):
    """The command, with a package beside it that brings a language and an example."""
    folder = tmp_path / "lettuce" / "programs"
    folder.mkdir(parents=True)
    (folder / "race.snail").write_text("Y+.@ x")
    (folder / "index.toml").write_text(INDEX)
    said = 'examples="lettuce/programs",'
    code = guide_code().replace("    table=TABLE,", f"    table=TABLE,\n    {said}")
    (tmp_path / "snails.py").write_text(code)
    (tmp_path / "lettuce" / "__init__.py").write_text("")
    return planewalk


def test_its_examples_are_listed_shown_and_copied(with_examples, tmp_path: Path) -> None:
    assert "Two snails set out." in with_examples("examples").stdout
    assert "Two snails set out." in with_examples("examples", "list", "snails").stdout
    assert "Y+.@ x" in with_examples("examples", "show", "race").stdout
    assert with_examples("examples", "copy", "race.snail", "here/").returncode == 0
    assert (tmp_path / "here" / "race.snail").read_text() == "Y+.@ x"
    toured = with_examples("tour", "snails").stdout
    assert "Snails: Race" in toured and "output  1" in toured


@pytest.mark.parametrize(
    ("index", "why"),
    [
        ("example = 1", "'int' object is not iterable"),
        ("[[example]", "Expected ']]'"),
        ("[[example]]\nfile = 'race.snail'", "'race.snail' has no 'title'"),
        (INDEX.replace("race", "rice"), "there is no file 'rice.snail'"),
        (INDEX.partition("[[example.run]]")[0], "'race.snail' has no 'run'"),
    ],
)
def test_broken_examples_are_a_clear_error(
    with_examples, tmp_path: Path, index: str, why: str
) -> None:
    (tmp_path / "lettuce" / "programs" / "index.toml").write_text(index)
    done = with_examples("examples", "list", "snails")
    assert done.returncode == 2 and why in done.stderr
    assert "the examples of Snails (lettuce/programs/index.toml) cannot be read" in done.stderr
    every = with_examples("examples")
    assert every.returncode == 0 and why in every.stderr and "hello.mf" in every.stdout


def test_a_broken_language_is_a_clear_error(planewalk, tmp_path: Path) -> None:
    (tmp_path / "snails.py").write_text("raise RuntimeError('no lettuce')")
    done = planewalk("run", "race.snail", source="+")
    assert done.returncode == 2
    assert "the language 'snails' cannot be loaded: no lettuce" in done.stderr
    assert "Traceback" not in done.stderr
