"""Bytes as text in messages."""

from __future__ import annotations

import base64
from typing import Any

from ...core.errors import OptionError


def encoded(data: bytes | bytearray) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode()


def decoded(message: dict[str, Any], name: str) -> bytes:
    """The bytes that a part of a message has in base64."""
    try:
        return from_base64(message[name])
    except (ValueError, TypeError, KeyError):
        raise OptionError(f"{name!r} is not base64") from None


def from_base64(text: Any) -> bytes:
    """The bytes that a text stands for, or `ValueError`."""
    return base64.b64decode(text, validate=True)
