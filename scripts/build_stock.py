"""What a build adds to planewalk: machine code that all programs of a language share.

Hatch calls it for every installation, editable ones too. Without it, or where it does not fit the
machine that planewalk runs on, the same code is made by the first run that needs it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StockHook(BuildHookInterface):
    """Fills `planewalk/stock` before it is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sources = os.path.join(self.root, "src")
        paths = os.pathsep.join(filter(None, [sources, os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-m", "planewalk.apps.stock"]
        done = subprocess.run(
            [*command, os.path.join(sources, "planewalk", "stock")],
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            self.app.display_warning(f"no machine code comes with this build: {done.stderr}")
