"""What `test_side_modules.py` runs in a page: cases and examples, on every engine there."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import planewalk
import planewalk.apps
from planewalk.core.base.fingerprint import fingerprint
from planewalk.core.difference import state_changes, told
from planewalk.core.errors import SourceError
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import NAMES
from planewalk.engines.interpreter.superinstructions import table as superinstructions
from planewalk.engines.picture.painter import Painter
from planewalk.examples import gallery
from planewalk.languages import registry
from planewalk.languages.bmprog.native import KERNELS
from planewalk.languages.refunge.native import KERNEL as CROWD

planewalk.core.program.fresh_seed = lambda: 1
planewalk.apps.__path__.append("/repo/src/planewalk/apps")  # for what only tests need of it

MOST, FEW = 200_000, 1_000
"""Steps of an example that are compared, and of a program that may have many walkers."""

TICKS: dict[str, list[int]] = {}
"""How many ticks each engine made, and how many of them in machine code."""

Ways = list[tuple[str, str, AbstractContextManager[Any]]]


def ways() -> Ways:
    """All engines, as they are and in haste: then they do in short programs what they do in long
    ones."""
    names = [name for name in NAMES if name != "reference"]
    usual: Ways = [(name, name, nullcontext()) for name in names]
    return usual + [(f"{name} in haste", name, following(HASTY)) for name in names]


def disagreement(run: Callable[[str], planewalk.Run], check: Callable[..., None]) -> Iterator[str]:
    """What is wrong with the runs of a program."""
    try:
        expected = run("reference")
    except SourceError as error:
        assert "need Pillow" in str(error)
        yield str(error)
        return
    check(expected)
    for words, engine, policy in ways():
        try:
            with policy:
                found = run(engine)
        except Exception:
            yield f"{words}: {traceback.format_exc()}"
            continue
        TICKS.setdefault(words, [0, 0])
        TICKS[words][0] += found.steps
        TICKS[words][1] += found.compiled.native
        said = [(it.status, it.steps, it.output, it.value) for it in (expected, found)]
        if said[0] != said[1]:
            yield f"{words}: {said[1]!r:.300}, not {said[0]!r:.300}"
        elif found.state != expected.state:
            yield f"{words}: {told(state_changes(expected.state, found.state))}"


def cases(language: str) -> Iterator[tuple[str, str]]:
    """Each conformance case that goes wrong, and how."""
    from tests.cases import all_cases, case_name, read_case

    for path in all_cases():
        if path.parent.name == language:
            case = read_case(path)
            for problem in disagreement(case.run, case.compare):
                yield case_name(path), problem


def examples(language: str) -> Iterator[tuple[str, str]]:
    """The same for the examples, with each of the runs in their index; and for the programs that
    speed is measured with, since some have many walkers."""
    given = [
        (example.file, example.read(), MOST, run)
        for example in gallery(language) for run in example.runs
    ]  # fmt: skip
    suffix = registry.get(language).suffixes[0]
    for path in sorted(Path("/repo/benchmarks/programs").glob(f"*{suffix}")):
        given.append((path.name, path.read_bytes(), FEW, {}))
    for name, source, most, asked in given:
        program = Program(registry.get(language), source, asked.get("options", {}))
        how = {"input": asked.get("input", ""), "seed": asked.get("seed"), "max_steps": most}
        for problem in disagreement(partial(run_on, program, how), lambda _: None):
            yield name, problem


def run_on(program: Program, how: dict[str, Any], engine: str) -> planewalk.Run:
    return planewalk.run(program, engine=engine, **how)


def pictures() -> dict[str, str]:
    """The pictures of the examples, drawn in lanes, by what has come along; as fingerprints."""
    from planewalk.apps.stock import FOLDER, ShippedCode

    found = {}
    for example in gallery("webfunge"):
        language = registry.get(example.language)
        program = Program(language, example.read(), {"size": "96x54"})
        limits = Limits(language.rules.default_steps)
        painter = Painter(program, limits, store=ShippedCode(FOLDER))
        drawn = painter.paint(1.5)
        assert painter.code is not None and painter.drawn, example.file
        found[example.file] = fingerprint(drawn)
    return found


def report(language: str) -> str:
    """All that goes wrong, and how many ticks ran in machine code, as JSON."""
    wrong = [*cases(language), *examples(language)]
    kernels = [KERNELS.ready, CROWD.ready, superinstructions.is_ready()]
    return json.dumps({"wrong": wrong, "ticks": TICKS, "kernels": kernels})
