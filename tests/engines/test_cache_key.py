"""Machine code is kept for a language as it is: whatever changes in it, none of that is used again.

The language stands in several packages: `begin` has its start, `does` its instructions, `walks` its
geometry, and `lonely` is a file by itself that `does` needs.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planewalk.engines.machine import code_cache as kept
from planewalk.engines.native import cache_key as origins
from planewalk.languages import registry
from tests.patience import PATIENCE

FILES = {
    "begin/__init__.py": """
from functools import partial
from planewalk.core.geometry import RIGHT, Stance
from planewalk.core.language import Drawing, Language, Rules, Shading
from planewalk.core.plane import TextPlane
from planewalk.core.state import State, Walker
import does.table as does, walks
from does.rules import Decoder
from planewalk.core.text import split_rows

def start(width, source, options, seed):
    plane = TextPlane([row.ljust(width) for row in split_rows(source)])
    return State(plane, [Walker(Stance(0, 0, *RIGHT))], stack=[0], seed=seed)

LANGUAGE = Language(
    "zigzag", "Zigzag", "goes to and fro", (".zz",), does.TABLE, partial(start, 3),
    Decoder(does.TABLE).decode, walks.mover(1), does.show,
    rules=Rules(
        after=walks.after, over=walks.over, settle=walks.settle, stays=walks.stays,
        leave=walks.leave, samples=walks.samples,
    ),
    drawing=Drawing(shading=Shading(walks.stack, walks.seed, walks.channels)),
)
""",
    "does/__init__.py": "",
    "does/table.py": """
from planewalk.core.instruction import Group, InstructionTable
from lonely import more
from . import show as shown
TABLE = InstructionTable("zigzag")

@TABLE.instruction("+", "n -- m", Group.ARITHMETIC)
def add(m):
    from lazy import most
    m.push(more(m.pop()) + most)

@TABLE.instruction({">": 1, "<": -1}, "", Group.MOTION)
def turn(m, dx):
    m.turn(dx, 0)

@TABLE.instruction(" ")
def nothing(m):
    pass

def show(state):
    return {"stack": [shown.name, *state.stack]}
""",
    "does/show.py": "name = 'top'",
    "does/rules.py": """
class Decoder:
    BLANK = " "

    def __init__(self, table):
        self.table = table

    def decode(self, plane, stance):
        return self.table.get(plane.cell(stance.x, stance.y)) or self.table[ord(self.BLANK)]
""",
    "walks.py": """
import os
from planewalk.core.geometry import torus
SPEED = int(os.environ.get("SPEED", "1"))

def mover(by):
    def move(plane, stance):
        for _ in range(by * SPEED):
            stance = torus(plane, stance)
        return stance
    return move

def after(plane, stance): return torus(plane, stance)
def over(plane, stance): return False
def settle(m, wishes): "Nothing."
def stays(plane, stance): return True
def leave(m, stance): "Nothing."
def samples(options): return b"1"
def stack(x, y, width, height, time): return (1, 1)
def seed(mix, seed, x, y): return 1
def channels(m, stack): return (1, 1, 1)
""",
    "lonely.py": "def more(n):\n    return n + 1\n",
    "lazy.py": "most = 0\n",
    "neighbour.py": "raise RuntimeError('nobody asked for it')\n",
}

COMMAND = """
import sys
from planewalk.apps.cli.main import main
from planewalk.engines.base.policy import PATIENT, following
with following(PATIENT._replace(background=False)):
    sys.exit(main())
"""

Naming = Callable[[], str | None]
PACKAGES = {name.partition("/")[0].removesuffix(".py") for name in FILES}


def forget() -> None:
    """Let the next import read the files again, as a new process does."""
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    importlib.invalidate_caches()
    origins._of_python.cache_clear()


@pytest.fixture
def name_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Naming]:
    """The name of what is kept for the language as it is in its files."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def name() -> str | None:
        forget()
        return name_of_loaded()

    yield name
    forget()


def name_of_loaded() -> str | None:
    language = importlib.import_module("begin").LANGUAGE
    return kept.name_of(language, language.start(b">+ +<", {}, 0))


def edit(path: Path, old: str, new: str) -> None:
    """As quick hands do it: nothing but the content tells."""
    before, text = path.stat(), path.read_text()
    assert old in text and len(old) == len(new)
    path.write_text(text.replace(old, new, 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(("file", "old", "new"), [
    ("begin/__init__.py", "partial(start, 3)", "partial(start, 4)"),
    ("begin/__init__.py", "stack=[0]", "stack=[7]"),
    ("does/table.py", "m.push(", "m.copy("),
    ("does/table.py", '"<": -1', '"<": +1'),
    ("does/show.py", "top", "pot"),
    ("does/rules.py", 'BLANK = " "', 'BLANK = "+"'),
    ("walks.py", "range(by *", "range(by +"),
    ("walks.py", '"SPEED", "1"', '"SPEED", "2"'),
    ("walks.py", "return torus(plane, stance)", "return torus(plane,stance )"),
    ("walks.py", "return False", "return not 1"),
    ("walks.py", "return True", "return 2==2"),
    ("walks.py", "settle(m, wishes)", "settle(m, wanted)"),
    ("walks.py", "leave(m, stance)", "leave(m, remain)"),
    ("walks.py", 'b"1"', 'b"2"'),
    ("walks.py", "return (1, 1)", "return (1, 2)"),
    ("walks.py", "y): return 1", "y): return 2"),
    ("walks.py", "(1, 1, 1)", "(1, 0, 1)"),
    ("lonely.py", "n + 1", "n + 2"),
    ("lazy.py", "most = 0", "most = 5"),
])  # fmt: skip
def test_an_edit_anywhere_makes_another_name(
    name_now: Naming, tmp_path: Path, file: str, old: str, new: str
) -> None:
    before = name_now()
    assert before is not None and name_now() == before
    edit(tmp_path / file, old, new)
    after = name_now()
    assert after is not None and after != before
    edit(tmp_path / file, new, old)
    assert name_now() == before


def test_what_stands_beside_a_language_does_not_matter(name_now: Naming, tmp_path: Path) -> None:
    """All that is installed may stand beside a language of one file."""
    before = name_now()
    (tmp_path / "neighbour.py").write_text("other = 1")
    (tmp_path / "another").mkdir()
    (tmp_path / "another" / "__init__.py").write_text("")
    assert name_now() == before


def test_other_files_of_its_packages_do_matter(name_now: Naming, tmp_path: Path) -> None:
    before = name_now()
    (tmp_path / "does" / "words.json").write_text("{}")
    assert name_now() != before


def test_a_constant_longer_than_python_likes_to_print(name_now: Naming, tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text("most = 0\nlong = 1 << 99_999\n")
    assert name_now() is not None
    (tmp_path / "lonely.py").write_text("from lazy import long\ndef more(n): return n + long\n")
    assert name_now() is not None


def test_what_it_was_told_when_it_was_imported(name_now: Naming, monkeypatch) -> None:
    before = name_now()
    monkeypatch.setenv("SPEED", "2")
    assert name_now() not in (before, None)


@pytest.mark.parametrize(("file", "old", "new"), [
    ("does/table.py", "m.push(", "m.copy("),
    ("lonely.py", "n + 1", "n + 2"),
    ("does/rules.py", 'BLANK = " "', 'BLANK = "+"'),
])  # fmt: skip
def test_a_process_that_is_older_than_its_files(
    name_now: Naming, tmp_path: Path, file: str, old: str, new: str
) -> None:
    """What it compiles is not what the files say by now: nobody else may find it."""
    before = name_now()
    edit(tmp_path / file, old, new)
    outdated = name_of_loaded()
    assert outdated not in (before, name_now())


def test_a_function_that_is_replaced_while_it_is_loaded(name_now: Naming, monkeypatch) -> None:
    before = name_now()
    monkeypatch.setattr(sys.modules["does.table"], "more", lambda n: n + 9)
    assert name_of_loaded() not in (before, None)


def test_too_much_to_look_at(name_now: Naming, monkeypatch: pytest.MonkeyPatch) -> None:
    for most, few in (("MOST_FILES", 3), ("MOST_OBJECTS", 30)):
        with monkeypatch.context() as patched:
            patched.setattr(origins, most, few)
            assert name_now() is None
    assert name_now() is not None


def test_a_large_library_counts_by_size_and_time(name_now: Naming, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(origins, "MOST_READ", 0)
    before = name_now()
    os.utime(tmp_path / "does" / "show.py", (1, 1))
    assert name_now() not in (before, None)


def test_files_that_cannot_be_read(name_now: Naming, tmp_path: Path) -> None:
    assert name_now() is not None
    (tmp_path / "walks.py").unlink()
    assert name_of_loaded() is None


def test_a_pipe_in_a_package_is_not_waited_for(name_now: Naming, tmp_path: Path) -> None:
    before = name_now()
    os.mkfifo(tmp_path / "does" / "pipe.py")
    (tmp_path / "does" / ".#show.py").symlink_to("nobody@nowhere")
    assert name_now() == before


def test_names_are_the_same_in_every_process(tmp_path: Path, name_now: Naming) -> None:
    names = set()
    for seed in ("1", "2"):
        script = (
            "from tests.engines import test_cache_key as t\n"
            "from planewalk.languages.registry import SUFFIXES, get\n"
            "print(t.name_of_loaded(), *[t.origins.digest(get(name)) for name in SUFFIXES])"
        )
        path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
        done = subprocess.run(
            [sys.executable, "-B", "-c", script], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        )  # fmt: skip
        names.add(done.stdout)
    assert len(names) == 1 and "None" not in names.pop()


@pytest.mark.parametrize("name", registry.SUFFIXES)
def test_our_own_languages_come_from_our_own_files(name: str) -> None:
    assert not origins._walk([registry.get(name)]).modules


def test_functions_of_one_name_are_told_apart() -> None:
    from planewalk.engines.window import kernels as window
    from planewalk.languages.bmprog.kernels import planes

    assert window.gather.__qualname__ == planes.gather.__qualname__
    assert origins.digest(window.gather) != origins.digest(planes.gather)
    assert origins.digest(planes.gather) == origins.digest(planes.gather)


def test_an_edited_language_runs_as_it_is_now(name_now: Naming, tmp_path: Path) -> None:
    """In whole: the command, twice, with an edit of its instructions in between."""
    info = tmp_path / "zigzag-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zigzag\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[planewalk.languages]\nzigzag = begin:LANGUAGE\n")
    (tmp_path / "p.zz").write_text(">+ <")

    def stack() -> int:
        done = subprocess.run(
            [sys.executable, "-B", "-c", COMMAND, "run", "p.zz", "--engine", "llvm", "--json"]
            + ["--max-steps", "400000"],
            capture_output=True, cwd=tmp_path, timeout=PATIENCE,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PLANEWALK_CACHE": str(tmp_path / "c")},
        )  # fmt: skip
        assert done.returncode == 3, done.stderr
        return int(json.loads(done.stdout)["state"]["stack"][1])

    first = stack()
    assert first > 90_000 and list((tmp_path / "c").iterdir())
    assert stack() == first
    edit(tmp_path / "lonely.py", "n + 1", "n + 2")
    assert stack() == 2 * first
