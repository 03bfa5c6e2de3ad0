"""Settings for all tests: hypothesis is bounded, and prints how to repeat a failure."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick",
    max_examples=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
