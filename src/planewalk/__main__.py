"""`python -m planewalk` is `planewalk`."""

import sys

from .apps.cli.main import main

sys.exit(main())
