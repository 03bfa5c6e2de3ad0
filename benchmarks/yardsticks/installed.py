"""What an installation brings along, which benchmarks count on."""

from __future__ import annotations

import subprocess
import sys

from planewalk.apps.stock import FOLDER, StockFolder
from planewalk.core.program import Program
from planewalk.engines.interpreter.loader import is_at_hand
from planewalk.engines.interpreter.superinstructions import table as superinstructions
from planewalk.examples import gallery
from planewalk.languages import registry


def have_stock() -> None:
    """Have the machine code that comes with planewalk, made again if it no longer fits."""
    language = registry.get("refunge")
    state = Program(language, gallery("refunge")[0].read()).start()
    stock = StockFolder(FOLDER)
    superinstructions.recall(stock)
    if not is_at_hand(language, state, stock) or not superinstructions.is_ready():
        print("making the machine code that comes with planewalk", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "planewalk.apps.stock", FOLDER], check=True)
