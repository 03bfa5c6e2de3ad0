"""The studio in a page: what its worker calls, and Python as pages have it."""

from __future__ import annotations

import ast
import io
import json
import sys
import tarfile
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.page.bundle import bundle
from planewalk.apps.page.tab import PageTab, means
from planewalk.core.errors import OptionError
from planewalk.engines.base.policy import policy_in_force
from tests.bare import bare


class Clock:
    """Goes on by a millisecond each time it is asked."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def said(tab: PageTab, **message: Any) -> list[Any]:
    """What one message is answered with."""
    tab.receive(json.dumps(message))
    answers: list[Any] = json.loads(tab.work())
    return answers


def test_a_page_says_the_same_as_a_socket() -> None:
    tab = PageTab()
    (hello,) = said(tab, do="hello")
    assert {language["name"] for language in hello["hello"]["languages"]} >= {"gemooy", "refunge"}
    assert tab.rest() == inf
    opened, frame = said(tab, do="open", language="mirrorfunge", text='"iH",,@')
    assert opened["opened"]["language"] == "mirrorfunge" and frame["frame"]["tick"] == 0
    said(tab, do="run")
    assert tab.rest() == 0.0
    while tab.conversation.running:
        last = json.loads(tab.work(8))[-1]
    assert last["frame"]["stop"] and tab.rest() == inf
    assert "not a known message" in said(tab, do="dance")[0]["error"]
    tab.receive("{nothing")
    assert "error" in json.loads(tab.work())[0]


def test_messages_are_answered_before_the_run_goes_on() -> None:
    tab = PageTab(clock=Clock())
    said(tab, do="open", language="mirrorfunge", text=">v\n^<")
    said(tab, do="run")
    tab.work(8)
    assert tab.conversation.running
    tab.receive('{"do":"pause"}')
    assert tab.rest() == 0.0
    (frame,) = json.loads(tab.work(8))
    assert not frame["frame"]["running"] and tab.rest() == inf


def test_turns_are_shorter_in_a_page() -> None:
    """Nothing is heard during one."""
    scene = """
from planewalk.engines.base.policy import policy_in_force
print(policy_in_force().most_turn)
"""
    assert int(bare(scene)) < policy_in_force().most_turn


def test_all_that_a_tab_takes_is_within_its_memory() -> None:
    some = means(512 << 20)
    assert (some.limits.memory or 0) + some.history + some.branches <= 512 << 20
    tab = PageTab(memory=1 << 20)
    said(tab, do="open", language="gemooy", text="")
    filled = PageTab(memory=1 << 20)
    said(filled, do="open", language="mirrorfunge", text=">1" * 10)
    said(filled, do="run")
    for _ in range(10_000):
        last = json.loads(filled.work(8))
        if not filled.conversation.running:
            break
    assert "memory" in json.dumps(last)


SCENE = """
import json
from planewalk.apps.page.tab import PageTab
from planewalk.languages import registry

tab = PageTab()
for name in registry.names():
    language = registry.get(name)
tab.receive('{"do":"hello"}')
examples = json.loads(tab.work())[0]["hello"]["examples"]
for example in examples:
    about = {"do": "thumbnail", "file": example["file"]}
    example = {"do": "example", "file": example["file"]}
    for message in (about, example, {"do": "map"}, {"do": "run"}):
        tab.receive(json.dumps(message))
        answers = json.loads(tab.work())
        assert "error" not in str(answers[0].keys()), answers
    for _ in range(5):
        assert "bug" not in tab.work()
    tab.receive('{"do":"back"}')
    assert "frame" in tab.work()
print(len(examples))
"""


def unpacked(content: bytes, into: Path) -> str:
    """A program's first lines, which has planewalk from an archive alone."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(into, filter="data")
    return f"import sys; sys.path[:] = [{str(into)!r}, *(p for p in sys.path if 'src' not in p)]\n"


def test_the_studio_runs_where_there_are_no_threads_and_no_packages(tmp_path: Path) -> None:
    first = unpacked(bundle(), tmp_path)
    assert (
        int(bare(first + SCENE + "import planewalk; assert 'src' not in planewalk.__file__")) > 70
    )


def test_pictures_of_other_kinds_need_pillow() -> None:
    scene = """
from planewalk.core.errors import SourceError
from planewalk.languages.bmprog.picture import read_picture
try:
    read_picture(b"GIF89a" + bytes([1, 0, 1, 0]) + bytes(20))
except SourceError as error:
    print(error)
"""
    assert bare(scene).startswith("this picture is not a PNG, and other kinds need Pillow")


def test_what_a_page_loads_is_small_and_the_same_each_time() -> None:
    content = bundle()
    assert content == bundle() and len(content) < 1_100_000
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        names = archive.getnames()
    assert "planewalk/languages/gemooy/guide.md" in names
    assert not [name for name in names if "/cli/" in name or name.endswith((".code", ".pyc"))]


def imported(name: str, source: bytes) -> Iterator[tuple[str, str]]:
    """The modules of ours that a module may import at some time, and what it wants of each."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = name.split("/")[: -node.level]
            yield from (("/".join([*above, *(node.module or "").split(".")]), wanted.name)
                        for wanted in node.names)  # fmt: skip


def test_nothing_in_a_page_needs_what_was_left_out() -> None:
    with tarfile.open(fileobj=io.BytesIO(bundle())) as archive:
        files = {name: archive.extractfile(name) for name in archive.getnames()}
        sources = {name: file.read() for name, file in files.items() if file is not None}
    missing = {
        module
        for name in sources if name.endswith(".py")
        for module, wanted in imported(name, sources[name])
        if not {f"{module}.py", f"{module}/__init__.py", f"{module}{wanted}.py"} & set(sources)
    }  # fmt: skip
    assert missing == {"planewalk/"}  # which are names of the package itself


def test_a_film_can_be_made_from_what_a_page_loads(tmp_path: Path) -> None:
    scene = """
import json
from planewalk.apps.page.tab import PageTab
tab = PageTab()
for message in (
    {"do": "open", "language": "mirrorfunge", "text": "123@"},
    {"do": "goto", "tick": 3},
    {"do": "film", "first": 0, "last": 3},
):
    tab.receive(json.dumps(message))
    answers = json.loads(tab.work())
print("</html>" in answers[0]["film"])
"""
    assert bare(unpacked(bundle(), tmp_path) + scene) == "True\n"


def test_languages_of_other_packages_come_along(tmp_path: Path) -> None:
    """As pip would install them, with what says where the language is."""
    (tmp_path / "installed" / "tiny").mkdir(parents=True)
    (tmp_path / "installed" / "tiny" / "__init__.py").write_text("LANGUAGE = 1")
    info = tmp_path / "installed" / "tiny-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[planewalk.languages]\ntiny = tiny:LANGUAGE\n")
    record = (
        "tiny/__init__.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/entry_points.txt,,\n"
    )
    (info / "RECORD").write_text(record)
    sys.path.insert(0, str(tmp_path / "installed"))
    try:
        first = unpacked(bundle(["tiny"]), tmp_path / "page")
        with pytest.raises(OptionError, match="there is no package 'large'"):
            bundle(["large"])
    finally:
        sys.path.pop(0)
    scene = "from planewalk.languages import foreign; print(sorted(foreign.entries()))"
    assert "tiny" in bare(first + scene)
