"""How much memory a command takes at its most: run as a program of its own, which is small.

What a process takes is counted from its parent on, and tests are large.
"""

import json
import os
import subprocess
import sys
from typing import NamedTuple

MB = 1 << 20


class Peak(NamedTuple):
    """What became of a command."""

    code: int
    said: str
    size: int
    """Bytes."""


def peak_of(*words: str, cwd: str) -> Peak:
    """Run `planewalk` with these words."""
    command = [sys.executable, "-m", "planewalk", *words]
    environment = {**os.environ, "PLANEWALK_CACHE": os.path.join(cwd, "cache")}
    done = subprocess.run(
        [sys.executable, __file__, *command], cwd=cwd, env=environment, capture_output=True
    )
    return Peak(*json.loads(done.stdout))


def main() -> None:
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(
            sys.argv[1:], stdin=subprocess.DEVNULL, stdout=nowhere, stderr=subprocess.PIPE
        )
    assert process.stderr is not None
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    json.dump([process.returncode, said, 1024 * usage.ru_maxrss], sys.stdout)


if __name__ == "__main__":
    main()
