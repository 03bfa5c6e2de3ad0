"""Plain C programs that do what planewalk does, built on the spot: see the README beside this."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIMISED = {"algorithms": "-O3"}
"""Programs that are no interpreters get all that the compiler can do; the others -O2."""


def compiler() -> str | None:
    """The C compiler of this machine, if it has one."""
    names = [os.environ.get("CC", ""), "cc", "gcc", "clang"]
    return next((found for found in map(shutil.which, filter(None, names)) if found), None)


class Yardsticks:
    """The C programs, each built in `folder` when it is first used."""

    def __init__(self, folder: str) -> None:
        self.compiler = compiler()
        self.folder = folder

    def run(self, name: str, *arguments: str | int, given: bytes = b"") -> dict[str, Any]:
        """What one of them found out, with the CPU `seconds` that it took."""
        command = [self._built(name), *map(str, arguments)]
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True)
        facts: dict[str, Any] = json.loads(done.stdout)
        return facts

    def _built(self, name: str) -> str:
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            assert self.compiler is not None
            level = OPTIMISED.get(name, "-O2")
            source = os.path.join(HERE, name + ".c")
            # Fused operations would round once where all engines round twice.
            flags = ["-std=gnu11", level, "-ffp-contract=off", source, "-o", path, "-lm"]
            subprocess.run([self.compiler, *flags], check=True)
        return path
