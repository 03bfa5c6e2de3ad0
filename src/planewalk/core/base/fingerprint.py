"""Short names for content of any length: 64 hexadecimal digits, alike only if the content is.

`hashlib` has the same, and loads a library of ciphers when it is imported, which every start would
wait for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b
else:
    try:
        from _blake2 import blake2b
    except ImportError:  # another Python
        from hashlib import blake2b

SIZE = 32

hashing = partial(blake2b, digest_size=SIZE)
"""Takes content piece by piece, as objects of `hashlib` do."""


def fingerprint(content: bytes) -> str:
    """The name of some content."""
    return hashing(content).hexdigest()
