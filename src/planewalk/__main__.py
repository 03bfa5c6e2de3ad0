"""`python -m planewalk` is `planewalk`: what lies in the current folder is no part of either."""

import os
import sys

from .entry import main

try:
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]  # where Python has put it
except OSError:
    pass  # the folder is gone

if __name__ == "__main__":
    sys.exit(main())
