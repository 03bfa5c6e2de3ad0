"""Plain programs that do what planewalk does, those in C built on the spot: see the README."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIMISED = {"algorithms": "-O3"}
"""Programs that are no interpreters get all that the compiler can do; the others -O2."""
WIDE = "mirrorfunge-wide"
VARIANTS = {WIDE: ("mirrorfunge", ["-DWIDE"])}
"""Programs that are built from the source of another one."""


def node() -> str | None:
    """What runs JavaScript on this machine, if anything does."""
    return shutil.which("node")


def compiler() -> str | None:
    """The C compiler of this machine, if it has one."""
    names = [os.environ.get("CC", ""), "cc", "gcc", "clang"]
    return next((found for found in map(shutil.which, filter(None, names)) if found), None)


class Yardsticks:
    """The programs, those in C built in `folder` when they are first used."""

    def __init__(self, folder: str) -> None:
        self.compiler = compiler()
        self.folder = folder

    def run(self, name: str, *arguments: str | int, given: bytes = b"") -> dict[str, Any]:
        """What one of them found out, with the CPU `seconds` that it took."""
        script = os.path.join(HERE, name)
        program = [node() or "node", script] if name.endswith(".mjs") else [self._built(name)]
        command = [*program, *map(str, arguments)]
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True)
        facts: dict[str, Any] = json.loads(done.stdout)
        return facts

    def _built(self, name: str) -> str:
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            assert self.compiler is not None
            level = OPTIMISED.get(name, "-O2")
            base, defined = VARIANTS.get(name, (name, []))
            source = os.path.join(HERE, base + ".c")
            # Fused operations would round once where all engines round twice.
            flags = ["-std=gnu11", level, "-ffp-contract=off", *defined, source, "-o", path, "-lm"]
            subprocess.run([self.compiler, *flags], check=True)
        return path
