"""What tests of commands and of the studio share."""

from .browsing import address, browser, chromium, profile, profiles, visit
from .sites import guest, guests, site, site_folder

__all__ = [
    "address",
    "browser",
    "chromium",
    "guest",
    "guests",
    "profile",
    "profiles",
    "site",
    "site_folder",
    "visit",
]
