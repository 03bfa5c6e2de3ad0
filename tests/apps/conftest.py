"""What tests of commands and of the studio share."""

from .browsing import address, browser, chromium, profile, profiles, visit
from .sites import guest, site

__all__ = ["address", "browser", "chromium", "guest", "profile", "profiles", "site", "visit"]
