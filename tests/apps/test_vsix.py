"""The extension for VS Code is packed whole, and what it registers is what it says."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import planewalk as pw
from planewalk.languages import registry
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"


def packed(output: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(ROOT / "scripts" / "vsix"), "-o", str(output)]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)


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
const asked = [];
const vscode = {
  languages: {
    registerEvaluatableExpressionProvider: (languages, made) => {
      const document = { lineAt: (line) => ({ text: "\\u{1f600}12+" }) };
      const at = { line: 3, character: 3, translate: () => at };
      seen.push(["pointed", languages, made.provideEvaluatableExpression(document, at).words]);
      return {}; },
  },
  debug: {
    registerDebugAdapterDescriptorFactory: (type, made) => {
      const descriptor = (configuration) => made.createDebugAdapterDescriptor({ configuration });
      seen.push(["adapter", type, descriptor({}), descriptor({ port: 4711 })]); return {}; },
    registerDebugConfigurationProvider: (type, made) => {
      asked.push({}, { type, port: 1 }, { type, port: 1, token: "own" }, { type });
      const resolved = asked.map((wanted) => made.resolveDebugConfiguration(undefined, wanted));
      Promise.all(resolved).then(tell);
      return {}; },
    registerDebugAdapterTrackerFactory: note("tracker"),
  },
  commands: { registerCommand: note("command") },
  workspace: { getConfiguration: () => ({ get: (name, usual) => usual }) },
  window: {
    activeTextEditor: { document: { fileName: "hello.mf" } },
    showInputBox: () => Promise.resolve("typed"),
  },
  DebugAdapterServer: class {
    constructor(port, host) { Object.assign(this, { port, host }); }
  },
  EvaluatableExpression: class { constructor(range, words) { this.words = words; } },
  Range: class {},
  DebugAdapterExecutable: class {
    constructor(command, words) { Object.assign(this, { command, words }); }
  },
};
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);
const context = { subscriptions: [] };
function tell(resolved) {
  console.log(JSON.stringify({ seen, resolved, kept: context.subscriptions.length }));
}
require(process.argv[1]).activate(context);
"""


def activated(**environment: str) -> dict[str, Any]:
    """What the extension does when it is started, and asked for adapters and configurations."""
    done = subprocess.run(
        ["node", "-e", STAND_IN, str(EXTENSION / "extension.js")],
        capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extension_registers_what_its_manifest_says() -> None:
    found = activated()
    manifest = json.loads((EXTENSION / "package.json").read_text())["contributes"]
    seen = {name: rest for name, *rest in found["seen"]}
    server = {"port": 4711, "host": "127.0.0.1"}
    assert seen["adapter"] == ["planewalk", {"command": "planewalk", "words": ["dap"]}, server]
    assert found["resolved"][0]["program"] == "hello.mf"
    assert seen["command"] == [manifest["commands"][0]["command"]] and found["kept"] == 5
    assert seen["tracker"] == [manifest["debuggers"][0]["type"]]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extension_gives_a_port_its_token() -> None:
    _, asked, own, plain = activated(PLANEWALK_DAP_TOKEN="")["resolved"]
    assert own["token"] == "own" and "token" not in plain
    assert activated(PLANEWALK_DAP_TOKEN="of the environment")["resolved"][1] == {
        **asked, "token": "of the environment",
    }  # fmt: skip
    assert asked == {"type": "planewalk", "port": 1, "token": "typed"}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extension_asks_for_the_cell_that_is_pointed_at() -> None:
    languages, words = next(rest for name, *rest in activated()["seen"] if name == "pointed")
    assert "bmprog" not in languages and words == "2,3", "a character beyond 16 bits is one cell"
