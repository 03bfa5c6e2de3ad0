"""Languages of other packages: each mistake is told with its package, and hides no other."""

import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import planewalk
from planewalk.apps.cli.main import main
from planewalk.core.errors import LanguageError, UnknownLanguage
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.stepping.loops import LoopDetector
from planewalk.engines.stepping.reference import Machine, ReferenceEngine
from planewalk.languages import foreign, registry
from planewalk.languages.mistakes import mistakes
from tests.test_new_language import guide_code

GOOD = guide_code()
Install = Callable[..., None]


def forget() -> None:
    foreign.entries.cache_clear()
    foreign._outcomes.clear()
    foreign._unreadable.clear()
    registry.get.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """A function that installs a package with one language, as pip would."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(name: str, code: str, package: str = "", entry: str = "") -> None:
        package = package or f"{name}-lang"
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.5.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.5\n")
        points = f"[planewalk.languages]\n{name} = {entry or module + ':LANGUAGE'}\n"
        (info / "entry_points.txt").write_text(points)
        forget()

    forget()
    yield write
    forget()
    for module in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]


def renamed(name: str, suffix: str = "") -> str:
    """The language of the guide under another name."""
    code = GOOD.replace('name="snails"', f'name="{name}"')
    return code.replace('".snail"', f'"{suffix or "." + name}"')


def grouped(code: str) -> str:
    """Code that may say what stands in groups."""
    return code.replace("import Language\n", "import Language, Rules, Sources\n")


def test_planewalks_own_languages_have_no_mistakes() -> None:
    for name in registry.SUFFIXES:
        assert list(mistakes(registry.get(name))) == []


MISTAKES: list[tuple[str, str, str]] = [
    ('suffixes=(".snail",)', 'suffixes=".snail"', "suffixes must be a tuple of text, but is '.sn"),
    ('suffixes=(".snail",)', 'suffixes=("snail",)', "suffixes must begin with a dot, in small"),
    ('suffixes=(".snail",)', 'suffixes=(".SNAIL",)', "but one is '.SNAIL'"),
    ('suffixes=(".snail",)', 'suffixes=(".a.snail",)', "have no other dot, but one is '.a.snail'"),
    ('suffixes=(".snail",)', 'suffixes=(".s", ".s")', "suffixes has '.s' twice"),
    ('suffixes=(".snail",)', 'suffixes=(".mf",)', "the suffix '.mf' belongs to 'mirrorfunge'"),
    ('name="snails"', 'name="Snails"', "name must be small letters and digits"),
    ('name="snails"', 'name="slugs"', "its name is 'slugs', but its entry point is called"),
    ('title="Snails"', 'title=""', "title must be one line of text, but is ''"),
    ('title="Snails"', "title=None", "title must be text, but is None"),
    ("decode=decode", "decode=show", "decode must be a function of 2 arguments, but is show(state"),
    ("move=torus", "move=5", "move must be a function of 2 arguments, but is 5"),
    ("move=torus", "move=torus, rules=Rules(after=start)",
     "rules.after must be a function of 2 arguments or None"),
    ("table=TABLE", "table={}", "table must be InstructionTable, but is {}"),
    ("table=TABLE", 'table=InstructionTable("x")', "table has no instructions"),
    ("show=show", "show=show, rules=Rules(meet=1)", "rules.meet must be True or False, but is 1"),
    ("show=show", "show=show, rules=Rules(default_steps=-1)",
     "rules.default_steps must not be negative, but is -1"),
    ("show=show", "show=show, rules=5", "rules must be Rules, but is 5"),
    ("show=show", "show=show, glyph=show", "has no field 'glyph'; it is said as looks=Looks(glyph"),
    ("show=show", 'show=show, options=("fast",)', "options must be a tuple of Option, but is ('fa"),
    ("def count(m):", "def count(m, n):", "in table: act must be a function of 1 argument, but is"),
    ('["++.@ => 2"]', "[3]", "in table: examples must be a tuple of text, but is (3,)"),
    ("LANGUAGE = Language(", "LANGUAGE = dict(", "not a planewalk Language"),
    ("TABLE = Instr", "import no_such_thing\nTABLE = Instr", "No module named 'no_such_thing' ("),
    ("TABLE = Instr", "TABLE = = Instr", "cannot be loaded: SyntaxError: invalid syntax ("),
    ("TABLE = Instr", "exit(5)\nTABLE = Instr", "cannot be loaded: SystemExit: 5 ("),
    ("LANGUAGE = Language(", "TONGUE = Language(", "has no attribute 'LANGUAGE'"),
]  # fmt: skip


@pytest.mark.parametrize(("was", "becomes", "told"), MISTAKES, ids=[m[2][:40] for m in MISTAKES])
def test_a_mistake_is_one_line_that_names_the_package(
    install: Install, capsys: pytest.CaptureFixture[str], was: str, becomes: str, told: str
) -> None:
    assert GOOD.count(was) >= 1
    install("snails", grouped(GOOD.replace(was, becomes, 1)))
    with pytest.raises(LanguageError) as raised:
        registry.get("snails")
    assert main(["run", "no-such-file", "--lang", "snails"]) == 2
    capsys.readouterr()
    assert main(["list"]) == 0
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert told in line and line == f"planewalk: {raised.value}"
    assert line.startswith("planewalk: the language 'snails' of snails-lang 1.5 (snails_lang:LANG")
    assert "mirrorfunge" in out and "snails" not in out


def test_what_is_made_with_an_installed_language_leaves_by_its_name(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("snails", GOOD)
    language = registry.get("snails")
    for value in (language, planewalk.run(source="++.@", language="snails").language):
        words = pickle.dumps(value)
        assert b"snails" in words and b"snails_lang" not in words
        assert pickle.loads(words) is language
    monkeypatch.setattr(sys, "path", sys.path[1:])
    forget()
    with pytest.raises(UnknownLanguage, match="unknown language 'snails'"):
        pickle.loads(words)


def test_every_mistake_is_told(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("snails", GOOD.replace('title="Snails"', "title=5").replace("move=torus", "move=6"))
    assert main(["list", "snails"]) == 2
    title, move = capsys.readouterr().err.splitlines()
    assert title.endswith("title must be text, but is 5")
    assert move.endswith("move must be a function of 2 arguments, but is 6")
    with pytest.raises(LanguageError, match=r"title must be .* \(and 1 more: planewalk list\)"):
        registry.get("snails")


def test_a_broken_package_hides_no_other(install: Install, tmp_path: Path, capsys) -> None:
    install("ants", "1 / 0")
    install("snails", GOOD)
    install("zebras", renamed("zebras").replace("move=torus", "move=0"))
    (tmp_path / "race.snail").write_text("+++.@")
    assert main(["run", str(tmp_path / "race.snail"), "--input", os.devnull]) == 0
    assert capsys.readouterr() == ("3", "")
    for words in (["list"], ["examples"]):
        assert main(words) == 0
        err = capsys.readouterr().err
        assert "'ants' of ants-lang 1.5" in err and "'zebras' of zebras-lang 1.5" in err
        assert len(err.splitlines()) == 2
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert "snails" in planewalk.languages()
    assert len(warned) == 2 and "ZeroDivisionError: division by zero" in str(warned[0].message)
    (tmp_path / "strange.xyz").write_text("+++.@")
    with pytest.raises(UnknownLanguage, match=r"cannot be told .* 'ants' of ants-lang 1.5"):
        planewalk.load(tmp_path / "strange.xyz")


def test_a_package_whose_entry_points_cannot_be_read(install: Install, capsys) -> None:
    install("snails", GOOD)
    install("slugs\nslugs", GOOD, "slugs")
    assert main(["list"]) == 0
    out, err = capsys.readouterr()
    assert "snails" in out and "the entry points of slugs cannot be read" in err


def test_names_are_taken_once(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("snails", GOOD, "first")
    install("snails", GOOD, "second")
    install("mirrorfunge", renamed("mirrorfunge", ".xx"))
    assert registry.get("snails").table is sys.modules["first"].TABLE
    assert registry.get("mirrorfunge").title == "Mirrorfunge"
    main(["list"])
    own, taken = capsys.readouterr().err.splitlines()
    assert "the name 'mirrorfunge' belongs to one of planewalk's own languages" in own
    assert "'snails' of second 1.5 (second:LANGUAGE): the name 'snails' is taken by first" in taken


def test_of_a_package_that_is_there_twice_the_first_counts(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it has no languages any more: what is imported is not what the second describes."""
    install("snails", GOOD, "snails-lang")
    assert "snails" in registry.names()
    info = tmp_path / "newer" / "snails_lang-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: snails-lang\nVersion: 2.0\n")
    monkeypatch.syspath_prepend(tmp_path / "newer")
    forget()
    assert "snails" not in registry.names()


def test_a_suffix_of_two_languages(install: Install, tmp_path: Path, capsys) -> None:
    install("snails", GOOD)
    install("slugs", renamed("slugs", ".snail"))
    path = tmp_path / "race.snail"
    path.write_text("+.@")
    assert main(["run", str(path), "--input", os.devnull]) == 2
    assert "may be in slugs or snails; name it with --lang" in capsys.readouterr().err
    assert main(["run", str(path), "--lang", "slugs", "--input", os.devnull]) == 0
    main(["list"])
    assert (
        "files '.snail' are claimed by 'slugs' of slugs-lang 1.5 and 'snails' of snails-lang"
        in (capsys.readouterr().err)
    )


def test_their_suffixes_come_before_pictures(install: Install, tmp_path: Path) -> None:
    install("snails", GOOD)
    path = tmp_path / "race.snail"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    assert planewalk.load(path).language.name == "snails"


# What languages do wrong while they run ----------------------------------------------------------

COUNT = 'm.set_register("counter", m.register("counter") + 1)'
FAULTS: list[tuple[str, str, str]] = [
    (COUNT, "m.pop()",
     "the instruction 'count' ('+') failed at (2, 1) after 3 steps: IndexError: pop"),
    (COUNT, "m.go(9, 9); [][1]", "the instruction 'count' ('+') failed at (2, 1) after 3 steps"),
    (COUNT, "m.register('no')", "failed at (2, 1) after 3 steps: KeyError: 'no' ("),
    (COUNT, "help_me()", "NameError: name 'help_me' is not defined ("),
    (COUNT, "import sys; sys.exit(7)", "after 3 steps: SystemExit: 7 ("),
    ('or TABLE[ord(" ")]', 'or TABLE[ord("?")]',
     "`decode` failed at (1, 0) after 1 step: KeyError"),
    ('or TABLE[ord(" ")]', "", "`decode` gives None, no Instruction at (1, 0) after 1 step ("),
    ("move=torus", "move=lambda p, s: 1 / 0", "failed at (0, 0) after 0 steps: ZeroDivisionError"),
    ("move=torus", "move=lambda p, s: (1, 0, 1, 0)",
     "`move` gives (1, 0, 1, 0), no Stance after 1"),
    ("show=show", "show=show, rules=Rules(over=lambda p, s: s.z)",
     "`over` failed at (0, 0) after 0 steps"),
    ("plane = TextPlane", "plane = 1 / 0 or TextPlane", "`start` failed: ZeroDivisionError: div"),
    ("plane = TextPlane", "return 5; plane = TextPlane", "`start` gives 5, which is no State"),
]  # fmt: skip


PROGRAM = ">qv\n@ +"


@pytest.mark.parametrize("engine", ["reference", "interpreter", "python", "llvm", "auto"])
@pytest.mark.parametrize(("was", "becomes", "told"), FAULTS, ids=[f[2][:40] for f in FAULTS])
def test_what_a_language_raises_names_place_step_and_line(
    install: Install, was: str, becomes: str, told: str, engine: str, refused: list[BaseException]
) -> None:
    assert GOOD.count(was) == 1
    code = grouped(GOOD.replace(was, becomes))
    install("snails", code)
    with pytest.raises(LanguageError) as raised:
        planewalk.run(source=PROGRAM, language="snails", engine=engine, max_steps=50)
    message = str(raised.value)
    assert message.startswith("Snails: ") and told in message and "\n" not in message
    if "failed" in told:
        line = next(n for n, text in enumerate(code.split("\n"), 1) if becomes in text)
        assert f"snails_lang.py:{line}, in " in message
        assert raised.value.__cause__ is not None


@pytest.mark.parametrize("engine", ["reference", "interpreter", "python", "llvm", "auto"])
def test_what_is_raised_late_in_a_long_run(install: Install, engine: str) -> None:
    counting = "m.push(m.pop() + 1 if m.has(1) else 1); m.peek(0) < 9_000 or m.peek(1)"
    install("snails", GOOD.replace(COUNT, counting))
    with pytest.raises(LanguageError) as raised:
        planewalk.run(source=PROGRAM, language="snails", engine=engine, max_steps=10**6)
    assert "'count' ('+') failed at (2, 1) after 18,001 steps: IndexError: " in str(raised.value)


def test_on_the_command_line_it_is_one_line(install: Install, tmp_path: Path, capsys) -> None:
    path = tmp_path / "race.snail"
    path.write_text(PROGRAM)
    shown = '"counter": state.registers["counter"]'
    install("snails", GOOD.replace(COUNT, "m.pop()").replace(shown, shown.replace('er"]', '"]')))
    for words, told in (
        (["run"], "the instruction 'count' ('+') failed at (2, 1) after 3 steps: IndexError: pop"),
        (["run", "--json", "--max-steps", "2"], "Snails: `show` failed: KeyError: 'count' ("),
        (
            ["explain"],
            "the instruction 'count' ('+') failed at (2, 1) after 3 steps: IndexError: p",
        ),
        (["film", "-o", str(tmp_path / "film.svg")], "the instruction 'count' ('+') failed at (2"),
    ):
        command, *options = words
        assert main([command, str(path), "--input", os.devnull, *options]) == 2, command
        (line,) = capsys.readouterr().err.splitlines()
        assert told in line and line.startswith("planewalk: ")


def test_who_cannot_tell_a_program_hides_nobody_who_can(install: Install, tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_text("?!")
    fails = "show=show, sources=Sources(recognises=lambda *_: 1 / 0)"
    install("ants", grouped(renamed("ants").replace("show=show", fails)))
    with pytest.raises(LanguageError, match="`recognises` failed: ZeroDivisionError"):
        planewalk.load(path)
    knows = "show=show, sources=Sources(recognises=lambda suffix, source: source == b'?!')"
    install("snails", grouped(GOOD.replace("show=show", knows)))
    assert planewalk.load(path).language.name == "snails"


def test_a_state_that_cannot_be_written_as_json(install: Install) -> None:
    install("snails", GOOD.replace('"counter": state.registers["counter"]', '"counter": {1}'))
    with pytest.raises(LanguageError, match="what is no JSON: Object of type set is not"):
        planewalk.run(source="@", language="snails").to_json()


def test_a_mistake_of_planewalk_is_not_blamed_on_a_language(install: Install, monkeypatch) -> None:
    install("snails", GOOD)

    def fail(*_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(Machine, "write_number", fail)
    monkeypatch.setattr(ReferenceEngine, "_loop", fail)
    with pytest.raises(RuntimeError, match="ours"):
        planewalk.run(source="+.@", language="snails")


def test_a_loop_that_is_looked_for_meets_the_mistake_where_it_is(install: Install) -> None:
    """The witness runs ahead; what it meets is told only once the run is there."""
    install("snails", GOOD.replace(COUNT, "m.pop()"))
    language = registry.get("snails")
    state = Program(language, b">  v\n@  +").start(0)
    loops = LoopDetector(language, state, Limits(), lambda: 0.0)
    assert loops.look() is None
