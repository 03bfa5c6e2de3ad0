"""What tests of commands and of the studio share."""

from .browsing import address, browser, chromium, profile, profiles, visit
from .sites import guest, guests, site

__all__ = [
    "address",
    "browser",
    "chromium",
    "guest",
    "guests",
    "profile",
    "profiles",
    "site",
    "visit",
]
