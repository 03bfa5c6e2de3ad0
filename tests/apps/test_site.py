"""`planewalk site`: what it writes, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from os.path import normpath
from pathlib import Path

import pytest

from planewalk.apps.page import pyodide
from planewalk.apps.page import site as site_module
from planewalk.apps.page.first import recording
from planewalk.apps.page.site import MARK, check_address, write_site
from planewalk.apps.page.site import site as site_files
from planewalk.core.errors import OptionError, PlanewalkError
from planewalk.examples import gallery
from tests.apps.test_run import planewalk

PYTHON = {name: name.encode() for name in pyodide.FILES}
"""Stands for it where nothing is run."""


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A folder with files that count as Pyodide's."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in PYTHON.items()}
    monkeypatch.setattr(pyodide, "FILES", sums)
    monkeypatch.setattr(site_module, "side_modules", dict)
    (tmp_path / "python").mkdir()
    for name, content in PYTHON.items():
        (tmp_path / "python" / name).write_bytes(content)
    return str(tmp_path / "python")


def test_all_that_a_page_names_is_there() -> None:
    files = site_files("", [], PYTHON)
    page = files["index.html"].decode()
    named = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
    assert named and named <= set(files)
    for name, content in files.items():
        if name.endswith(".html") and "runtime" not in name:
            above = name.rpartition("/")[0]
            for target in re.findall(
                r'(?:src|href)="(\.[^"#?]*|planewalk[^"#?]*)"', content.decode()
            ):
                path = normpath(f"/{above}/{target}").strip("/")
                assert path in ("", *files), f"{name}: {target}"
    (told,) = re.findall(r'planewalk-site" content="([^"]*)"', page)
    about = json.loads(told.replace("&quot;", '"'))
    for name in ("worker.js", "runtime.html", "planewalk.pack", "first.json"):
        assert f"{about['folder']}/{name}" in files
    for name in PYTHON:
        assert files[f"{about['python']}/{name}"] == PYTHON[name]
    read = files["examples.html"].decode()
    assert read.count("<li>") == len(gallery()) and '<a href="./?example=hello.mf">' in read
    assert "<td>" in files["guides/mirrorfunge.html"].decode()
    for name, content in files.items():
        if name.endswith(".html") and "guides" not in name:
            foreign = content.replace(b"http-equiv", b"").replace(b"http://www.w3.org/", b"")
            assert b"http" not in foreign, f"{name} names another site"
            assert b"unsafe" not in content or name.endswith("runtime.html")


def test_names_depend_on_content_alone() -> None:
    first, second = site_files("", [], PYTHON), site_files("", [], PYTHON)
    assert first == second
    other = site_files("", [], {**PYTHON, "pyodide.mjs": b"newer"})
    common = {name.split("/")[0] for name in first} & {name.split("/")[0] for name in other}
    assert any(name.startswith("planewalk-") for name in common)
    assert not any(name.startswith("python-") for name in common)


def test_a_folder_is_written_again_but_no_other_is(known: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(str(site), python=known)
    (site / "planewalk-000000000000").mkdir()
    (site / "notes").mkdir()
    write_site(str(site), "https://example.org/x/", python=known)
    assert "https://example.org/x/" in (site / "index.html").read_text()
    names = {path.name for path in site.iterdir()}
    assert "planewalk-000000000000" not in names and {"notes", MARK} <= names
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(PlanewalkError, match="has other files in it"):
        write_site(str(other), python=known)
    assert [path.name for path in other.iterdir()] == ["mine.txt"]
    with pytest.raises(OptionError, match="is a file"):
        write_site(str(other / "mine.txt"), python=known)


@pytest.mark.parametrize("address", ["example.org", "javascript:x()", "https:///x", "http://a/#b"])
def test_an_address_is_one(address: str) -> None:
    with pytest.raises(OptionError, match="--site: expected an address"):
        check_address(address)


def test_python_is_known_by_its_content(known: str) -> None:
    assert pyodide.pyodide(known) == PYTHON
    Path(known, "pyodide.asm.wasm").write_bytes(b"another")
    with pytest.raises(OptionError, match=r"pyodide\.asm\.wasm in .* is not that of pyodide@"):
        pyodide.pyodide(known)
    with pytest.raises(OptionError, match=r"there is no pyodide\.mjs"):
        pyodide.pyodide(str(Path(known).parent.parent))


NPM = """#!/bin/sh
[ "$1" = pack ] || exit 9
cp "{0}" pyodide-314.0.7.tgz
"""


def test_npm_is_asked_once(known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder, cache = tmp_path / "bin", tmp_path / "cache"
    bin_folder.mkdir()
    monkeypatch.setenv("PLANEWALK_CACHE", str(cache))
    monkeypatch.setenv("PATH", str(bin_folder), prepend=":")
    packed = tmp_path / "package.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(known, "package")
    npm = bin_folder / "npm"
    npm.write_text(NPM.format(packed))
    npm.chmod(0o755)
    assert pyodide.pyodide() == PYTHON
    npm.write_text("#!/bin/sh\necho 'network is unreachable' >&2; exit 1\n")
    assert pyodide.pyodide() == PYTHON and pyodide.is_there()  # offline, from the cache
    monkeypatch.setenv("PLANEWALK_CACHE", str(tmp_path / "empty"))
    with pytest.raises(PlanewalkError, match="npm says: network is unreachable"):
        pyodide.pyodide()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PlanewalkError, match="install npm"):
        pyodide.pyodide()


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    done = planewalk("site", "here", "--pyodide", "nowhere", cwd=tmp_path)
    assert done.returncode == 2 and b"there is no pyodide.mjs in 'nowhere'" in done.stderr
    done = planewalk("site", "here", "--site", "nonsense", cwd=tmp_path)
    assert done.returncode == 2 and b"expected an address" in done.stderr
    assert not (tmp_path / "here").exists()


def test_the_recording_moves() -> None:
    film = recording(30)
    ticks = [frame["tick"] for frame in film["frames"]]
    assert ticks == list(range(30)) and film["opened"]["name"] == "heart.png"
    assert any("walkers" in frame for frame in film["frames"][1:])
