"""Frozen values with named fields.

Used as a `NamedTuple` is; but that writes and compiles a function for each class, and every start
would wait for it. Fields of a language, which are many, are also told where they belong.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self, dataclass_transform

from ..errors import closest

_homes: dict[str, str] = {}  # how every field is said, by its name: `looks=Looks(glyph=...)`


@dataclass_transform(frozen_default=True)
class Record:
    """Fields are the annotations of a class; what it assigns to them are the defaults."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, home: str = "") -> None:
        cls._fields = tuple(cls.__annotations__)
        cls._defaults = {field: vars(cls)[field] for field in cls._fields if field in vars(cls)}
        if home:
            _homes.update((field, home.format(field)) for field in cls._fields)

    def __init__(self, *values: Any, **fields: Any) -> None:
        given = {**dict(zip(self._fields, values, strict=False)), **fields}
        self._check_names(fields)
        if len(given) < len(values) + len(fields):
            raise TypeError(f"{type(self).__name__} is given too many values, or one of them twice")
        all_given = self._defaults | given
        for field in self._fields:  # in their order
            if field not in all_given:
                raise TypeError(f"{type(self).__name__} needs the field {field!r}")
            vars(self)[field] = all_given[field]

    def _replace(self, **fields: Any) -> Self:
        """The same with other values for some fields."""
        self._check_names(fields)
        return type(self)(**vars(self) | fields)

    def _check_names(self, fields: dict[str, Any]) -> None:
        for field in fields.keys() - set(self._fields):
            raise TypeError(f"{type(self).__name__} has no field {field!r}; {_hint(field)}")

    def __setattr__(self, name: str, value: object = None) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed; _replace gives another")

    __delattr__ = __setattr__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({fields})"


def _hint(field: str) -> str:
    """Where a field belongs that was given to the wrong record."""
    if field in _homes:
        return f"it is said as {_homes[field]}"
    meant = closest(field, _homes)
    return f"did you mean {_homes[meant]}?" if meant else "the docstring of Language has all"
