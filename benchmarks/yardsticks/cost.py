"""What a command costs, measured by a program of its own, which is small.

What a process takes at its most is counted from its parent on, and benchmarks are large.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Cost(NamedTuple):
    """What a command took: CPU seconds, and bytes at its most."""

    seconds: float
    memory: int
    code: int
    said: str
    """Its standard error."""


def cost_of(command: list[str], environment: dict[str, str], given: bytes = b"") -> Cost:
    """Run a command, whose output is thrown away."""
    done = subprocess.run(
        [sys.executable, __file__, *command], input=given, env=environment, capture_output=True
    )
    return Cost(*json.loads(done.stdout))


def main() -> None:
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=told)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        said = told.read().decode(errors="replace")
    seconds = usage.ru_utime + usage.ru_stime
    json.dump([seconds, usage.ru_maxrss << 10, process.returncode, said], sys.stdout)


if __name__ == "__main__":
    main()
