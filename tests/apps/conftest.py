"""What tests of commands and of the studio share."""

from .browsing import address, browser, chromium, profile, profiles, visit

__all__ = ["address", "browser", "chromium", "profile", "profiles", "visit"]
