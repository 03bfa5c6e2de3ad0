"""What tests of graphics need; where none may be skipped (PLANEWALK_TEST_GPU=1), they fail."""

import os
from typing import Any, NoReturn

import pytest

from planewalk.core.errors import EngineRefused
from planewalk.engines.gpu.painter import find_adapter


def lacking(what: str) -> NoReturn:
    """End a test that cannot be done here."""
    if os.environ.get("PLANEWALK_TEST_GPU"):
        pytest.fail(f"needed here: {what}")
    pytest.skip(f"needs {what}")


def need_adapter() -> Any:
    """A graphics processor, or software that stands in for one."""
    try:
        return find_adapter()
    except EngineRefused as refused:
        lacking(f"Vulkan, if only Mesa's (Debian: mesa-vulkan-drivers libvulkan1); {refused}")
