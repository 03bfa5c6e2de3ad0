"""The extension for VS Code is packed whole, and what it registers is what it says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

import planewalk as pw
from planewalk.languages import registry

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"


def packed(output: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(ROOT / "scripts" / "vsix"), "-o", str(output)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_the_archive_holds_all_that_the_extension_needs(tmp_path: Path) -> None:
    done = packed(tmp_path / "a.vsix")
    assert done.returncode == 0 and "a.vsix: " in done.stdout, done.stderr
    with zipfile.ZipFile(tmp_path / "a.vsix") as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        package = json.loads(archive.read("extension/package.json"))
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
    needed = [package["main"], *(each["path"] for each in package["contributes"]["grammars"])]
    assert {f"extension/{Path(path).as_posix()}" for path in needed} <= names
    files = [path for path in EXTENSION.rglob("[!.]*") if path.is_file()]
    own = {path.relative_to(EXTENSION).as_posix() for path in files}
    assert names == {f"extension/{name}" for name in own} | {
        "extension.vsixmanifest", "[Content_Types].xml",
    }  # fmt: skip
    space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
    identity = manifest.find("v:Metadata/v:Identity", space)
    assert identity is not None and identity.get("Version") == package["version"] == pw.__version__
    assert (identity.get("Id"), identity.get("Publisher")) == ("planewalk", "planewalk")
    assets = [asset.get("Path") for asset in manifest.findall("v:Assets/v:Asset", space)]
    assert set(assets) < names and "extension/package.json" in assets
    known = {kind.get("Extension") for kind in types}
    assert {Path(name).suffix for name in names if Path(name).suffix} <= known | {".xml"}


def test_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.vsix", "b.vsix"):
        packed(tmp_path / name)
    assert (tmp_path / "a.vsix").read_bytes() == (tmp_path / "b.vsix").read_bytes()


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    done = packed(tmp_path / "none" / "a.vsix")
    assert done.returncode == 2 and done.stderr.startswith("cannot write ")
    assert done.stderr.count("\n") == 1


def test_the_extension_opens_every_suffix_that_is_text() -> None:
    languages = json.loads((EXTENSION / "package.json").read_text())["contributes"]["languages"]
    known = {language["id"]: set(language["extensions"]) for language in languages}
    for name, suffixes in registry.SUFFIXES.items():
        assert known[name] == (set() if name == "bmprog" else set(suffixes))


STAND_IN = """
const Module = require("module"), load = Module._load, seen = [];
const note = (name) => (...given) => { seen.push([name, given[0]]); return {}; };
const vscode = {
  debug: {
    registerDebugAdapterDescriptorFactory: (type, made) => {
      seen.push(["adapter", type, made.createDebugAdapterDescriptor()]); return {}; },
    registerDebugConfigurationProvider: (type, made) => {
      seen.push(["configuration", type, made.resolveDebugConfiguration(undefined, {})]);
      return {}; },
    registerDebugAdapterTrackerFactory: note("tracker"),
  },
  commands: { registerCommand: note("command") },
  workspace: { getConfiguration: () => ({ get: (name, usual) => usual }) },
  window: { activeTextEditor: { document: { fileName: "hello.mf" } } },
  DebugAdapterExecutable: class {
    constructor(command, words) { Object.assign(this, { command, words }); }
  },
};
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);
const context = { subscriptions: [] };
require(process.argv[1]).activate(context);
console.log(JSON.stringify({ seen, kept: context.subscriptions.length }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extension_registers_what_its_manifest_says() -> None:
    done = subprocess.run(
        ["node", "-e", STAND_IN, str(EXTENSION / "extension.js")],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    manifest = json.loads((EXTENSION / "package.json").read_text())["contributes"]
    seen = {name: rest for name, *rest in found["seen"]}
    assert seen["adapter"] == ["planewalk", {"command": "planewalk", "words": ["dap"]}]
    assert seen["configuration"][1]["program"] == "hello.mf"
    assert seen["command"] == [manifest["commands"][0]["command"]] and found["kept"] == 4
    assert seen["tracker"] == [manifest["debuggers"][0]["type"]]
