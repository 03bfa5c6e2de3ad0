"""What programs of a language share comes with planewalk, and is used only where it fits."""

import platform
import runpy
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from planewalk.apps import stock
from planewalk.apps.stock import StockFolder, fill
from planewalk.apps.store import DiskStore
from planewalk.core.program import Program
from planewalk.engines.interpreter import loader as interpreter
from planewalk.engines.interpreter import write as writing
from planewalk.engines.interpreter.abi import NoInterpreter
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.loader import InterpreterSource, is_at_hand
from planewalk.engines.interpreter.superinstructions.table import PERFORM
from planewalk.engines.native import cache_key
from planewalk.engines.native.machine_code import IMAGE, NAMED
from planewalk.examples import find_example
from planewalk.languages import registry

ROOT = Path(__file__).parents[2]
KEY = "0" * 64


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StockFolder:
    """A planewalk that comes with what is in there, and has kept nothing itself."""
    monkeypatch.setattr(stock, "FOLDER", str(tmp_path / "stock"))
    monkeypatch.setattr(interpreter, "_MADE", {})
    return StockFolder(stock.FOLDER)


def test_a_first_run_finds_what_came_with_planewalk(
    shipped: StockFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = DiskStore(str(tmp_path / "own"))
    language = registry.get("gemooy")
    state = Program(language, find_example("ant.gemooy").read()).start()
    assert not is_at_hand(language, state, own)
    fill(shipped, ["gemooy"])
    monkeypatch.setattr(interpreter, "_MADE", {})
    monkeypatch.setattr(writing, "write", None)  # whoever traces fails
    assert is_at_hand(language, state, own)
    engine = InterpreterEngine(language, state, None, own)
    engine.advance(1_000)
    assert engine.native_ticks == 1_000
    monkeypatch.setattr(interpreter, "_MADE", {})
    monkeypatch.setattr(cache_key, "_own_files", lambda: "edited meanwhile")
    assert not is_at_hand(language, state, own)


def test_interpreters_for_options_come_along(shipped: StockFolder, monkeypatch) -> None:
    """One by one, where these have few values."""
    made = []

    def note(source: InterpreterSource, _: object) -> None:
        made.append({name for name, value in source.state.options.items() if value})
        raise NoInterpreter

    monkeypatch.setattr(InterpreterSource, "keep", note)
    refunge = registry.get("refunge")
    bare = refunge._replace(engines=refunge.engines._replace(crowd=None, special=None))
    monkeypatch.setattr(registry, "get", lambda _: bare)
    fill(shipped, ["refunge"])
    assert set() in made and {"clear-mode"} in made and {"input-adds"} in made


def test_what_was_kept_comes_first(shipped: StockFolder, tmp_path: Path) -> None:
    own = DiskStore(str(tmp_path / "own"))
    assert own.get(KEY) is None
    shipped.put(KEY, b"came along")
    assert own.get(KEY) == b"came along"
    own.put(KEY, b"kept")
    assert own.get(KEY) == b"kept"
    shipped.clear()
    assert shipped.get(KEY) is None and own.get(KEY) == b"kept"


def test_files_say_what_they_hold(shipped: StockFolder) -> None:
    keys = [str(digit) * 64 for digit in range(6)]
    kernel = shipped.titled("kernel")
    kernel.titled("fly").put(keys[0], IMAGE + b"1")
    kernel.titled("fly").put(keys[1], IMAGE + b"2")
    kernel.titled("fly").put(keys[2], NAMED + keys[0].encode())
    shipped.titled("interpreter").put(keys[3], b"the other")
    shipped.titled("interpreter").put(keys[4], b"about it")
    shipped.titled("the same").put(keys[5], b"about it")
    machine = f"{platform.machine().lower()}.code"
    assert {path.name for path in Path(stock.FOLDER).iterdir()} == {
        stock.LIST, f"kernel-fly-{machine}", f"kernel-fly-2-{machine}", "interpreter.facts",
        "interpreter-2.facts",
    }  # fmt: skip
    found = [shipped.get(key) for key in keys]
    assert found == [
        IMAGE + b"1", IMAGE + b"2", IMAGE + b"1", b"the other", b"about it", b"about it"
    ]  # fmt: skip


def test_files_of_another_build_are_of_no_use(shipped: StockFolder) -> None:
    shipped.put(KEY, b"came along", "it")
    path = Path(stock.FOLDER) / "it.facts"
    for other in (b"another one", b"came alon", b""):
        path.write_bytes(other)
        assert shipped.get(KEY) is None
    path.unlink()
    assert shipped.get(KEY) is None


def add_one(value: int) -> int:
    return value + 1


def test_any_python_finds_what_came_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what functions of others are in one Python may be something else in another."""
    state = Program(registry.get("gemooy"), b"@").start()
    names = []
    for version in (sys.version, "3.99"):
        monkeypatch.setattr(sys, "version", version)
        names.append((
            interpreter.name_of(registry.get("gemooy"), state), PERFORM._name(),
            cache_key.digest(add_one),
        ))  # fmt: skip
    assert names[0][:2] == names[1][:2] and names[0][2] != names[1][2]


def test_it_fits_wherever_planewalk_is_installed(tmp_path: Path, monkeypatch) -> None:
    """The place and the time of its files do not matter, but what is in them does."""

    def digest(home: str, file: str, content: str) -> str:
        path = tmp_path / home / file
        for folder in cache_key.FOLDERS:
            (tmp_path / home / folder).mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        package = SimpleNamespace(__file__=str(tmp_path / home / "__init__.py"))
        monkeypatch.setitem(sys.modules, cache_key.OURS, package)
        found = cache_key._own_files.__wrapped__()
        path.unlink()
        return found

    first = digest("here", "core/a.py", "1")
    assert digest("there", "core/a.py", "1") == first
    others = [("core/a.py", "2"), ("core/b.py", "1"), ("engines/a.py", "1")]
    assert len({first, *(digest("here", *other) for other in others)}) == 4


@pytest.mark.parametrize("fails", [False, True])
def test_a_build_adds_it(fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build without it says why, and goes on."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    wheel = settings["targets"]["wheel"]
    hook = runpy.run_path(str(ROOT / wheel["hooks"]["custom"]["path"]))["StockHook"]()
    apps = tmp_path / "src" / "planewalk" / "apps"
    apps.mkdir(parents=True)
    fill_it = (
        "raise SystemExit('no LLVM')"
        if fails
        else "StockFolder(sys.argv[1])._write('a.code', b'x')"
    )
    source = Path(stock.__file__).read_text().replace("    main()\n", f"    {fill_it}\n")
    for path, text in (("__init__.py", ""), ("apps/__init__.py", ""), ("apps/stock.py", source)):
        (apps.parent / path).write_text(text)
    warnings: list[str] = []
    hook.root, hook.app = str(tmp_path), SimpleNamespace(display_warning=warnings.append)
    hook.initialize("standard", {})
    found = list(tmp_path.glob(wheel["artifacts"][0]))
    assert sorted(path.name for path in found) == ([] if fails else ["a.code"])
    assert ["no LLVM" in warning for warning in warnings] == ([True] if fails else [])
