"""Tuples with named fields: used and read by type checkers as those of `typing`, made later.

`typing.NamedTuple` compiles the text of every annotation and writes a function for each class, and
every start waits for that, though most runs make few of these tuples. Here no annotation is looked
at, and the function is written when the first tuple of a class is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter as getter

    class _Named(tuple):
        """What all such tuples can do."""

        __slots__ = ()
        _fields = __match_args__ = ()
        _field_defaults: dict[str, Any] = {}

        def __new__(cls, *values: Any, **named: Any) -> Self:
            owner = next(kind for kind in cls.__mro__ if "_fields" in vars(kind))
            owner.__new__ = staticmethod(_maker(owner))
            return owner.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, values: Any) -> Self:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **fields: Any) -> Self:
            made = self._make(map(fields.pop, self._fields, self))
            if fields:
                raise ValueError(f"Got unexpected field names: {list(fields)!r}")
            return made

        __replace__ = _replace

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

    def _maker(kind: type[_Named]) -> Any:
        """The function that makes tuples of a class."""
        fields = ", ".join(kind._fields)
        text = f"lambda _cls, {fields}: _new(_cls, ({fields},))"
        make = eval(text, {"_new": tuple.__new__, "__builtins__": {}})
        make.__defaults__ = tuple(kind._field_defaults.values())
        make.__name__, make.__qualname__ = "__new__", f"{kind.__qualname__}.__new__"
        return make

    class _Declared(type):
        """Turns the annotations of a class into fields."""

        def __new__(mcs, name: str, bases: tuple[Any, ...], inside: dict[str, Any]) -> Any:
            fields = tuple(inside.get("__annotations__", ()))
            defaults = {field: inside[field] for field in fields if field in inside}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"in {name}, fields with defaults come last")
            getters = {field: getter(at, f"field {at}") for at, field in enumerate(fields)}
            about = {"__slots__": (), "_fields": fields, "_field_defaults": defaults}
            parts = {**inside, **getters, **about, "__match_args__": fields}
            return type(name, (_Named,), parts)

    NamedTuple = type.__new__(_Declared, "NamedTuple", (), {})
    """Fields are the annotations of a class; what it assigns to them are the defaults."""
