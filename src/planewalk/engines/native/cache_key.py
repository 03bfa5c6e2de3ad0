"""What a language is made from: what must not have changed if its machine code is to be used again.

Two things count. One is what its functions are now, wherever they stand: behind partials, methods
and closures, with all that they refer to within their own packages; a process may be older than its
files. The other is the files they come from, and those that these import; a function may look for
something only when it is called. planewalk itself counts as a whole; Python by
its version, if there are functions of others, since these count by their code.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ...core.base.fingerprint import fingerprint, hashing
from ...core.instruction import Instruction

MOST_OBJECTS = MOST_FILES = 10_000  # beyond these it takes longer to look than to compile
MOST_READ = 1 << 20
"""Bytes of Python in one place that are read. A larger one, which is a library, counts by sizes and
times, and what it imports is not looked for; so do files that are not Python."""

OURS = __name__.partition(".")[0]
SCALARS = frozenset({type(None), bool, float, complex, str, type(...)})
LINKS = ("__func__", "__self__", "__wrapped__", "func", "args", "keywords", "fget", "fset", "fdel")
"""Where methods, partials, properties and caches have what they stand for."""
IMPORTED = (
    rb"\bfrom\s+(\w[\w.]*)\s+import\b|\bimport\s+(\w[\w., \t]*)"
    rb"|(?:import_module|__import__)\(\s*['\"](\w[\w.]*)"
)
"""More than is imported may look like it: it does no harm."""


class TooMuch(Exception):
    """It would take too long to look at everything, or cannot be read."""


def digest(*values: Any) -> str | None:
    """What functions and classes are made from, as one name; None if that cannot be told."""
    try:
        found = _walk(values)
        return f"{_own_files()} {found.name()} {_files(list(found.modules))}"
    except (TooMuch, OSError):
        return None


def _walk(values: Iterable[Any]) -> _Walk:
    """Look into all that is not planewalk's or Python's own; where that is too much, into the
    packages alone that the language itself stands in."""
    direct = _Walk(frozenset()).look(values)
    if not direct.modules:
        return direct
    try:
        return _Walk(None).look(values)
    except TooMuch:
        return _Walk(frozenset(map(_top, direct.modules))).look(values)


class _Walk:
    """Everything that values refer to, and which modules that comes from.

    Functions and classes of the packages `own` are looked into, of all if that is None; others are
    known by their files.
    """

    def __init__(self, own: frozenset[str] | None) -> None:
        self.own = own
        self.modules: dict[str, None] = {}
        self.facts: list[bytes] = []
        self.met: dict[int, tuple[int, Any]] = {}  # held, so that no other gets the same id

    def look(self, values: Iterable[Any]) -> _Walk:
        waiting = list(values)
        while waiting:
            value = waiting.pop()
            if type(value) is int:
                self._note(b"%x" % value)  # of any length
            elif type(value) in SCALARS:
                self._note(repr(value).encode(errors="surrogatepass"))
            elif type(value) is bytes:
                self._note(hashing(value).digest())
            elif id(value) in self.met:
                self._note(b"again %d" % self.met[id(value)][0])
            else:
                self.met[id(value)] = len(self.met), value
                if len(self.met) > MOST_OBJECTS:
                    raise TooMuch
                parts = list(self._parts(value))
                self._note(f"{type(value).__qualname__} {len(parts)}".encode())
                waiting += parts
        return self

    def _note(self, fact: bytes) -> None:
        self.facts.append(b"%d %s" % (len(fact), fact))

    def name(self) -> str:
        """All that was found, as one name."""
        return fingerprint(b"".join(self.facts))

    def _parts(self, value: Any) -> Iterable[Any]:
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, CodeType):
            return sys.version, value.co_code, value.co_names, value.co_consts, value.co_varnames
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, ModuleType):
            return [self._is_own(value.__name__)]
        if isinstance(value, Instruction):
            return value.code, value.act  # the others are words for people
        if isinstance(value, Mapping):
            return [type(value), *(part for item in value.items() for part in item)]
        if isinstance(value, (set, frozenset)):
            return [type(value), *sorted(value, key=repr)]
        if isinstance(value, (tuple, list)):
            return [type(value), *value]
        return self._instance(value)

    def _function(self, function: FunctionType) -> Iterator[Any]:
        yield function.__qualname__
        if function.__defaults__ or function.__kwdefaults__ or function.__dict__:
            yield from (function.__defaults__, function.__kwdefaults__, function.__dict__)
        for cell in function.__closure__ or ():
            yield _content(cell)
        module = function.__globals__.get("__name__")
        if self._is_own(module) or module not in sys.modules:
            yield function.__code__
            yield from self._referred(function)
        else:
            yield module  # others may have the same name

    def _referred(self, function: FunctionType) -> Iterator[Any]:
        """What a function finds by names that are not its own."""
        names = sorted(set(_names(function.__code__)))
        for name in names:
            value = function.__globals__.get(name)
            yield value
            if isinstance(value, ModuleType) and self._is_own(value.__name__):
                yield from (vars(value).get(inner) for inner in names)

    def _class(self, kind: type) -> Iterator[Any]:
        for base in kind.__mro__:
            yield base.__qualname__
            if self._is_own(base.__module__):
                for name, value in vars(base).items():
                    if name not in ("__dict__", "__weakref__", "__doc__"):
                        yield value

    def _instance(self, value: Any) -> Iterator[Any]:
        kind = type(value)
        yield kind
        if _of_python(kind.__module__):
            text = repr(value)
            yield None if " at 0x" in text else text
            yield from (getattr(value, link, None) for link in LINKS)
        with suppress(TypeError):
            yield bytes(memoryview(value))
        yield from getattr(value, "__dict__", {}).values()
        for base in kind.__mro__:
            slots = vars(base).get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                yield getattr(value, slot, None)

    def _is_own(self, module: str | None) -> bool:
        """Whether a module is one to look into; it counts in any case."""
        if module is None or _of_python(module) or _top(module) == OURS:
            return False
        self.modules[module] = None
        return self.own is None or _top(module) in self.own


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return None


def _names(code: CodeType) -> Iterator[str]:
    """All names in a function, and in those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _top(module: str) -> str:
    return module.partition(".")[0]


PYTHON = os.path.dirname(os.__file__)


@cache
def _of_python(module: str) -> bool:
    """Whether a module comes with Python, and none of the same name has taken its place."""
    top = _top(module)
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is None or file.startswith(PYTHON)


# Files -------------------------------------------------------------------------------------------


FOLDERS = ("core", "engines", "languages")
"""Where all of planewalk stands that has a say in what code does."""


@cache
def _own_files() -> str:
    """planewalk's own files: the same wherever it is installed."""
    package = os.path.dirname(str(sys.modules[OURS].__file__))
    found = hashing()
    for folder in FOLDERS:
        for entry in _entries(os.path.join(package, folder)):
            if not entry.name.endswith(".py"):
                continue
            with open(entry.path, "rb", buffering=0) as file:
                content = file.read()
            about = entry.path[len(package) + 1 :].replace(os.sep, "/")
            found.update(f"{about} {len(content)} ".encode())
            found.update(content)
    return found.hexdigest()


def _files(modules: list[str]) -> str:
    """The files of these modules, and of those that they import."""
    found, count = hashing(), 0
    places = list(dict.fromkeys(place for module in modules for place in _places(module)))
    for place in places:  # which become more on the way
        files = list(_below(place))
        count += len(files)
        if count > MOST_FILES:
            raise TooMuch
        size = sum(status.st_size for path, status in files if path.endswith(".py"))
        for path, status in files:
            if size > MOST_READ or not path.endswith(".py"):
                found.update(repr((path, status.st_size, status.st_mtime_ns)).encode())
                continue
            with open(path, "rb") as file:
                source = file.read(status.st_size + 1)
            found.update(repr((path, len(source))).encode() + source)
            places += [place for place in _imported(source) if place not in places]
    return found.hexdigest()


def _below(place: str) -> Iterator[tuple[str, os.stat_result]]:
    """A file, or all files in a folder, but for those that Python makes itself."""
    if not os.path.isdir(place):
        yield place, os.stat(place)
        return
    for entry in _entries(place):
        yield entry.path, entry.stat()


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """All files in a folder, but for those that Python makes itself."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=attrgetter("name")):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _entries(entry.path)
            elif entry.is_file():  # no pipe, no broken link
                yield entry


def _imported(content: bytes) -> Iterator[str]:
    """Where the modules are that a source imports."""
    found = {
        name for names in re.findall(IMPORTED, content) for name in b"".join(names).split(b",")
    }
    tops = {_top(words[0].decode()) for name in found if (words := name.split())}
    for top in sorted(tops - {"", OURS}):
        if not _of_python(top):
            yield from _places(top)


def _places(module: str) -> Iterator[str]:
    """Where a module is: the folder of the outermost package around it, or else its file."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        file, folders = _spread(".".join(parts[:end]))
        if file is not None:
            # Beside a single file stand others of its package only if that has no file.
            yield from folders or [os.path.dirname(file) if end > 1 else file]
            return


def _spread(name: str) -> tuple[str | None, list[str]]:
    """The file of a module, and the folders of a package; no file if there is none."""
    module = sys.modules.get(name)
    if module is not None:
        return getattr(module, "__file__", None), list(getattr(module, "__path__", ()))
    if "." in name:
        return None, []
    from importlib.util import find_spec  # rarely needed

    spec = find_spec(name)
    if spec is None or not spec.has_location:
        return None, []
    return spec.origin, list(spec.submodule_search_locations or ())
