"""`planewalk check-language` finds what is wrong with a language, and shows it on programs."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from planewalk.apps.checking.check import EXAMPLES, SOURCES, TABLE, WORDS, Checker, Problem
from planewalk.apps.checking.laws import LAWS
from planewalk.apps.checking.programs import Stock
from planewalk.apps.checking.report import Report, conditions
from planewalk.core.language import Language, Pace, Rules
from planewalk.languages import registry
from tests import signals
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import COMMAND, planewalk
from tests.patience import PATIENCE
from tests.test_new_language import guide_code, language_of

READ = 'm.set_register("counter", m.read_byte())'
COUNT = 'm.set_register("counter", m.register("counter") + 1)'
FAULTS = {
    "programs run": (COUNT, "m.pop()"),
    "engines agree": (COUNT, 'm.push(1 if type(m).__name__ == "Machine" else 2)'),
    "input may come late": (READ, f'm.set_register("counter", 5); {READ}'),
    "states survive JSON": (COUNT, "m.enter(frozenset())"),
    "copies are independent": (COUNT, "m.plane.rows.append('+')"),
    "seeds repeat": (COUNT, 'm.set_register("counter", __import__("random").randrange(99))'),
    "decode never raises": ('or TABLE[ord(" ")]', 'or TABLE[ord("?")]'),
    "states can be shown": ('"counter": state.registers["counter"]', '"counter": {1}'),
    SOURCES: ("split_rows(source)", "split_rows(source + b'+'[source[0] % 1:])"),
}
"""What breaks each law when it is planted into the language of the guide."""


def broken(law: str) -> Language:
    code = guide_code()
    was, becomes = FAULTS[law]
    assert was in code
    return language_of(code.replace(was, becomes))


@pytest.mark.parametrize("law", [SOURCES, *LAWS])
def test_every_law_is_seen_to_be_broken(law: str) -> None:
    checker = Checker(broken(law), 0)
    problems = (checker.judge_random(law, number) for number in range(100))
    found = next(problem for problem in problems if problem is not None)
    assert found.what
    if found.trial is not None:
        assert len(found.trial.text) <= 3, "made smaller"


def test_random_programs_run_with_options_of_examples(tmp_path: Path) -> None:
    """And what breaks a law can be tried again with them."""
    stock, dice = Stock(registry.get("bmprog")), Random(1)
    assert any({"stream": "ask"} in some for some in stock.options)
    tried = [stock.trial(dice) for _ in range(200)]
    streams = [trial for trial in tried if "stream" in trial.options]
    assert 20 < len(streams) < 150 and any(not trial.options for trial in tried)
    words = conditions(streams[0]._replace(options={"stream": 4}))
    assert words[words.index("--set") + 1] == "stream=4"
    board = tmp_path / "board.txt"
    board.write_text(".........#")
    again = ("check-language", "bmprog", "--program", board, "--set")
    assert planewalk(*again, "stream=4").returncode == 0
    assert_one_clear_line(planewalk(*again, "stream=often"), "expected off, ask or a number")


def test_walkers_in_company_are_told_as_what_is_not_compiled() -> None:
    """So no share of 0 % is left without a reason."""
    snails = language_of(guide_code())
    at_once = snails._replace(rules=Rules(pace=Pace.TOGETHER))
    meeting = snails._replace(rules=Rules(meet=True, pace=Pace.TOGETHER))
    for language, said in (
        (snails, "  llvm engine"),
        (at_once, "  not compiled: several walkers, in "),
        (meeting, "  not compiled: walkers that meet"),
    ):
        checker = Checker(language, 0)
        for number in range(12):
            checker.judge_random("engines agree", number)
        lines = list(Report(checker).compiled_lines())
        assert any(line.startswith(said) for line in lines)
        assert any("several" in line for line in lines) == (language is at_once)


def wrong(language: Language, check: str) -> list[Problem]:
    """What is wrong with what a language says of itself."""
    checker = Checker(language, 0)
    outcomes = [*checker.table(), *checker.examples()]
    return [problem for name, problem in outcomes if problem is not None and name == check]


def test_an_example_that_is_not_true() -> None:
    (problem,) = wrong(language_of(guide_code().replace('"++.@ => 2"', '"++.@ => 3"')), TABLE)
    assert problem == Problem("'++.@ => 3': gives '2', halted", "'+' (count)")


def test_an_example_that_is_none() -> None:
    (problem,) = wrong(language_of(guide_code().replace('"++.@ => 2"', '"++.@"')), TABLE)
    assert "is neither BEFORE -- AFTER nor PROGRAM => RESULT" in problem.what


def test_an_instruction_without_words() -> None:
    silent = guide_code().replace('"""Do nothing."""', "pass")
    (problem,) = wrong(language_of(silent), WORDS)
    assert problem.where == "' ' (nothing)" and "no docstring" in problem.what


def test_an_instruction_without_an_example() -> None:
    silent = guide_code().replace('["@ => steps: 1"]', "[]")
    (problem,) = wrong(language_of(silent), WORDS)
    assert problem == Problem("it has no example", "'@' (end)")


def test_examples_that_are_not_there() -> None:
    language = language_of(guide_code())._replace(examples="planewalk.examples/nowhere")
    (problem,) = wrong(language, EXAMPLES)
    assert "the examples of Snails (planewalk.examples/nowhere/index.toml)" in problem.what


def test_an_exception_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "snails.py"
    path.write_text(guide_code().replace(COUNT, "m.pop()"))
    language = language_of(path.read_text(), str(path))
    problems = [Checker(language, 0).judge_random("programs run", n) for n in range(20)]
    found = next(problem for problem in problems if problem is not None)
    line = path.read_text().split("\n").index("    m.pop()") + 1
    assert "IndexError: pop from empty list" in found.what
    assert f"snails.py:{line}, in count" in found.what


@pytest.fixture
def snails(tmp_path: Path):
    """A function that writes the language of the guide, with a fault or without."""

    def write(was: str = "", becomes: str = "") -> Path:
        path = tmp_path / "snails.py"
        path.write_text(guide_code().replace(was, becomes))
        return path

    return write


def test_all_is_well(snails) -> None:
    done = planewalk("check-language", snails(), "--seconds", "0.5", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "table                          8 tried\n" in text
    assert "All is well (--seed 1)." in text


def test_it_says_what_is_compiled(snails, tmp_path: Path) -> None:
    path = snails()
    (tmp_path / "p.snail").write_text(">v\n^<")
    words = ("check-language", path, "--program", tmp_path / "p.snail")
    line = path.read_text().split("\n").index("    m.vanish()") + 1
    text = planewalk(*words).stdout.decode()
    assert f"  'x' (die) not compiled: m.vanish(), {path}:{line}\n" in text
    assert "'>' (turn) not compiled" not in text
    answer = json.loads(planewalk(*words, "--json").stdout)
    shares = answer["compiled"]  # the run begins on the reference engine
    assert 0.5 < shares["python"] <= 1 and 0.25 < shares["llvm"] <= 1
    (found,) = (row for row in answer["not_compiled"] if row["symbol"] == "x")
    assert (found["why"], found["line"]) == ("m.vanish()", line)


def test_it_is_found_as_module_and_name_or_as_a_package(snails, tmp_path: Path) -> None:
    snails()
    done = planewalk("check-language", "snails:LANGUAGE", "--seconds", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    package = tmp_path / "src" / "slugs"
    package.mkdir(parents=True)
    (package / "rules.py").write_text(guide_code())
    (package / "__init__.py").write_text("from .rules import LANGUAGE as SLUGS\n")
    done = planewalk("check-language", "src/slugs:SLUGS", "--seconds", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_is_wrong_can_be_tried_again(snails, tmp_path: Path) -> None:
    (tmp_path / "p.snail").write_text("++ v\n@ .,")
    words = ("check-language", snails(*FAULTS["input may come late"]), "--program", "p.snail")
    done = planewalk(*words, "--seed", "1", "--save", "failing", "--json", cwd=tmp_path)
    assert done.returncode == 4
    answer = json.loads(done.stdout)
    assert (answer["language"], answer["seed"]) == ("snails", 1)
    (problem,) = answer["problems"]
    assert problem["check"] == "input may come late"
    assert base64.b64decode(problem["source_b64"]) == b","
    lines = done.stderr.decode().splitlines()
    assert lines[-1] == "planewalk: Snails breaks its promises; see above"
    command = lines[0].partition("again: planewalk ")[2].split()
    again = planewalk(*command, cwd=tmp_path)
    assert again.returncode == 4 and problem["what"] in again.stdout.decode()
    snails()
    assert planewalk(*command, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(("words", "said"), [
    (["snials.py"], "'snials.py' does not exist"),
    (["mirorfunge"], "did you mean 'mirrorfunge'?; a language that is not installed is"),
    (["json:LANGUAGE"], "'json' has no Language called LANGUAGE"),
    (["no_such_module:LANGUAGE"], "No module named 'no_such_module'"),
    (["mirrorfunge", "--seconds", "-1"], "expected seconds, 0 or more"),
    (["mirrorfunge", "--marks", "9,8"], "expected numbers in order"),
    (["mirrorfunge", "--program", "no.mf"], "'no.mf' does not exist"),
])  # fmt: skip
def test_bad_usage(words: list[str], said: str, tmp_path: Path) -> None:
    assert_one_clear_line(planewalk("check-language", *words, cwd=tmp_path), said)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_tells_which_program_was_at_work(snails, tmp_path, number: int, code: int) -> None:
    sleep = "while True: __import__('time').sleep(60)"  # which takes no time of the processor
    endless = f"__import__('pathlib').Path({str(tmp_path / 'at')!r}).touch()\n    {sleep}"
    path = snails(COUNT, endless)
    (tmp_path / "p.snail").write_text("+v")
    process = signals.start(
        [*COMMAND, "check-language", path, "--program", tmp_path / "p.snail"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not (tmp_path / "at").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    try:
        told, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == code
    stopped = "planewalk: interrupted: stopped before all was checked\nwhile trying\n     | +v\n"
    assert stopped in said.decode() and b"All is well" not in told


@pytest.mark.exhaustive
def test_a_broken_language_fails_its_pytest_tests(snails, tmp_path: Path) -> None:
    was, becomes = FAULTS["input may come late"]
    snails(was, becomes)
    module = tmp_path / "test_snails.py"
    module.write_text(
        "from planewalk.testing import language_tests\n"
        "from snails import LANGUAGE\n"
        "TestSnails = language_tests(LANGUAGE, programs=8)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", module],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert "test_law_holds_for_random_programs[input may come late]" in done.stdout
    assert "\n     | ,\n" in done.stdout
