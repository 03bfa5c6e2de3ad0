"""What is raised where compiled code has to be left."""

from __future__ import annotations


class Leave(BaseException):
    """This instruction is not for compiled code; the reference engine performs it."""


class Overflow(Leave):
    """Nor is it for numbers that have too many bits; more would do."""
