"""Machine code that comes with planewalk: what all programs of a language share, made when
planewalk is built, so that the first run of a new user finds it.

The names of files say what they hold; a list says under which keys it is found. These are the same
as in a user's own store, and cover everything that it was made from, so nothing is found here that
this planewalk, on this machine, would not have made itself. As it lies beside planewalk's own code,
it is trusted like that.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    from ..core.language import Language

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stock")
LIST = "contents.txt"
"""A line for each key: that, a checksum and a file, so that no mixture of builds is of use."""


class StockFolder:
    """See `engines.native.machine_code.Store`: a folder with files, and a list of them by key."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """What was put under that key."""
        checksum, _, name = self._listed().get(key, "").partition(" ")
        content = self._read(name) if name else b""
        return content if content and checksum == _checksum(content) else None

    def put(self, key: str, code: bytes, title: str = "code") -> None:
        """Keep it in a file of that title."""
        from ..engines.native.machine_code import NAMED  # which those who only read do without

        listed = self._listed()
        if code.startswith(NAMED):  # what has several keys is still one file
            listed[key] = listed[code[len(NAMED) :].decode()]
        else:
            listed[key] = self._same(code, listed) or self._added(title, code)
        lines = (f"{key} {line}\n" for key, line in sorted(listed.items()))
        self._write(LIST, "".join(lines).encode())

    def clear(self) -> None:
        """Remove all that was put there."""
        with suppress(FileNotFoundError):
            for name in os.listdir(self.folder):
                os.remove(os.path.join(self.folder, name))

    def titled(self, title: str) -> TitledStock:
        """The same store, where all that is put has that title."""
        return TitledStock(self, title)

    def _listed(self) -> dict[str, str]:
        lines = self._read(LIST).decode("ascii", "replace").split("\n")
        return {key: about for key, _, about in (line.partition(" ") for line in lines) if key}

    def _same(self, code: bytes, listed: dict[str, str]) -> str | None:
        """What the list says of a file that holds this already."""
        checksum = _checksum(code)
        alike = (about for about in listed.values() if about.startswith(checksum))
        return next((about for about in alike if self._read(about.split()[1]) == code), None)

    def _added(self, title: str, code: bytes) -> str:
        """What the list says of a new file."""
        names = (_name(title, number, code) for number in count(1))
        name = next(name for name in names if not self._read(name))
        self._write(name, code)
        return f"{_checksum(code)} {name}"

    def _read(self, name: str) -> bytes:
        """What is in a file; nothing if there is none."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def _write(self, name: str, content: bytes) -> None:
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)


def _checksum(content: bytes) -> str:
    return f"{crc32(content):08x}"


def _name(title: str, number: int, content: bytes) -> str:
    """The name of a file that says what it holds."""
    import platform

    from ..engines.native.machine_code import IMAGE, OBJECT
    from ..engines.native.side_module import MAGIC

    machine = f"-{platform.machine().lower()}.code"
    kinds = {IMAGE: machine, OBJECT: machine, MAGIC: "-wasm32.wasm"}
    kind = next((kind for begin, kind in kinds.items() if content.startswith(begin)), ".facts")
    return title + (f"-{number}" if number > 1 else "") + kind


class TitledStock:
    """A stock, all that is put there through this having one title."""

    def __init__(self, stock: StockFolder, title: str) -> None:
        self._stock, self._title = stock, title

    def get(self, key: str) -> bytes | None:
        """See `StockFolder`."""
        return self._stock.get(key)

    def put(self, key: str, code: bytes) -> None:
        """See `StockFolder`."""
        self._stock.put(key, code, self._title)

    def titled(self, title: str) -> TitledStock:
        """The same for a part of it."""
        return TitledStock(self._stock, f"{self._title}-{title}")


class ShippedCode(StockFolder):
    """The code that came with planewalk, to which nothing is added."""

    def put(self, key: str, code: bytes, title: str = "") -> None:
        """Nothing is added."""


class NewCode(ShippedCode):
    """The code that came with planewalk, and what is made later, in memory."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._made: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """What was put under that key, here or when planewalk was built."""
        return self._made.get(key) or super().get(key)

    def put(self, key: str, code: bytes, title: str = "") -> None:
        """Keep it in memory."""
        self._made[key] = code


def fill(stock: StockFolder, languages: Iterable[str], pictures: bool = False) -> None:
    """Compile the code that all programs of these languages share: interpreters and kernels; and
    that of the pictures among their examples, for machines that make none themselves."""
    from ..core.limits import Limits
    from ..core.program import Program
    from ..engines.base.keeping import keeping_of
    from ..engines.interpreter.abi import NoInterpreter, posture_of
    from ..engines.interpreter.loader import InterpreterSource
    from ..engines.interpreter.superinstructions import table as superinstructions
    from ..engines.picture.painter import Painter
    from ..engines.window import kernels as window
    from ..examples import gallery
    from ..languages import registry

    superinstructions.keep(stock.titled("superinstructions"))
    for name in languages:
        language = registry.get(name)
        program, own = Program(language, gallery(name)[0].read()), language.engines
        for options in _single_options(language):
            with suppress(NoInterpreter):
                begun = Program(language, program.source, options).start()
                chosen = [f"{option}-{value}" for option, value in options.items()]
                store = stock.titled("-".join([name, "interpreter", *chosen]))
                source = InterpreterSource(language, begun, store)
                source.keep([posture_of(begun.walkers[0].stance)])
        if keeping_of(program.start().plane).windowed:
            window.keep(stock.titled("window"))
        kernels = stock.titled(f"{name}-kernel")
        if own.crowd is not None:
            own.crowd(program.start(), Limits()).keep(kernels)
        engine: Any = own.special and own.special("auto", program.start(), Limits(), kernels)
        if hasattr(engine, "keep"):
            engine.keep(kernels)
        if pictures and language.drawing.shading is not None:
            for example in gallery(name):
                limits = Limits(language.rules.default_steps)
                painter = Painter(Program(language, example.read()), limits)
                painter.keep(stock.titled(f"{name}-{example.name}"))


def _single_options(language: Language) -> list[dict[str, str]]:
    """No option, and each value of options with few values."""
    every = ((option.name, value) for option in language.options for value in option.values)
    return [{}, *({name: value} for name, value in every)]


def main() -> None:
    """Empty and fill the folder named on the command line."""
    from ..languages.registry import SUFFIXES

    stock = StockFolder(sys.argv[1])
    stock.clear()
    fill(stock, SUFFIXES)


if __name__ == "__main__":
    main()
