"""The client's pure state, in Node where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import planewalk
from tests.patience import PATIENCE

STATIC = Path(planewalk.__file__).parent / "apps" / "studio" / "static"

PAGE = STATIC.parents[1] / "page" / "static"
SCRIPTS = ["studio_state.mjs", "studio_edit.mjs", "studio_running.mjs", "studio_circuits.mjs"]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("name", SCRIPTS)
def test_pure_modules_keep_their_promises(tmp_path: Path, name: str) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for module in STATIC.glob("*.js"):
        shutil.copy(module, tmp_path)
    script = shutil.copy(Path(__file__).parent / name, tmp_path)
    done = subprocess.run(["node", script], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


def test_the_client_is_small_and_needs_nobody_else() -> None:
    files = list(STATIC.iterdir())
    assert sum(file.stat().st_size for file in files) < 400_000
    for file in files:
        text = file.read_text()
        foreign = text.replace("http://www.w3.org/2000/svg", "").replace("http://…/", "")
        assert "http://" not in foreign and "https://" not in foreign


def test_modules_import_only_what_there_is() -> None:
    """A name that is missing in one module keeps the whole page from starting."""
    texts = {module.name: module.read_text() for module in STATIC.glob("*.js")}
    for name, text in texts.items():
        for names, module in re.findall(r'^import \{([^}]*)\} from "\./([\w.-]+)";', text, re.M):
            exported = re.findall(
                r"^export (?:async )?(?:function|class|const|let) (\w+)", texts[module], re.M
            )
            wanted = {one.split(" as ")[0].strip() for one in names.split(",")} - {""}
            assert wanted <= set(exported), f"{name} wants {wanted} of {module}"


TSC = shutil.which("tsc") or str(Path(__file__).parents[2] / "node_modules" / ".bin" / "tsc")


@pytest.mark.skipif(not Path(TSC).exists(), reason="typescript is not installed")
def test_types_of_the_client_are_right() -> None:
    libraries = "esnext,dom,dom.iterable"
    command = [TSC, "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "esnext",
               "--module", "esnext", "--lib", libraries]  # fmt: skip
    scripts = list(PAGE.glob("*.js"))
    for pages in ([STATIC / "main.js", STATIC / "player.js"], *[[path] for path in scripts]):
        words = [*command, *map(str, pages)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout
