"""What errors say to editors and in the studio, where there are no limits to set."""

from __future__ import annotations

import re

from ..core.errors import PlanewalkError

_LIMIT = re.compile(r" \(max_[a-z]+=\.\.\.\)")


def refusal(error: PlanewalkError) -> str:
    """What an error says, without the names of arguments that set a limit."""
    return _LIMIT.sub("", str(error))
