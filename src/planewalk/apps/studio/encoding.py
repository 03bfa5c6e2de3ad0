"""Bytes as text in messages."""

from __future__ import annotations

import base64


def encoded(data: bytes | bytearray) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode()


def from_base64(text: str) -> bytes:
    """The bytes in base64 text; raises `ValueError`."""
    return base64.b64decode(text, validate=True)
