"""Machine code that comes with planewalk: what all programs of a language share, made when
planewalk is built, so that the first run of a new user finds it.

It is kept under the same names as in a user's own store. These cover everything that it was made
from, so nothing is found here that this planewalk, on this machine, would not have made itself. As
it lies beside planewalk's own code, it is trusted like that.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..core.language import Language

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stock")


class StockFolder:
    """See `engines.native.machine_code.Store`: a folder with a file for each key."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """What was put under that key."""
        try:
            with open(self._path(key), "rb") as file:
                return file.read()
        except OSError:
            return None

    def put(self, key: str, code: bytes) -> None:
        """Keep it."""
        os.makedirs(self.folder, exist_ok=True)
        with open(self._path(key), "wb") as file:
            file.write(code)

    def clear(self) -> None:
        """Remove all that was put there."""
        with suppress(FileNotFoundError):
            for name in os.listdir(self.folder):
                os.remove(os.path.join(self.folder, name))

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, f"{key}.code")


class ShippedCode(StockFolder):
    """The code that came with planewalk, to which nothing is added."""

    def put(self, key: str, code: bytes) -> None:
        """Nothing is added."""


class NewCode(ShippedCode):
    """The code that came with planewalk, and what is made later, in memory."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._made: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """What was put under that key, here or when planewalk was built."""
        return self._made.get(key) or super().get(key)

    def put(self, key: str, code: bytes) -> None:
        """Keep it in memory."""
        self._made[key] = code


def fill(stock: StockFolder, languages: Iterable[str]) -> None:
    """Compile the code that all programs of these languages share: interpreters and kernels."""
    from ..core.limits import Limits
    from ..core.program import Program
    from ..engines.base.keeping import keeping_of
    from ..engines.base.policy import HASTY, following
    from ..engines.interpreter.abi import NoInterpreter
    from ..engines.interpreter.loader import interpreter_for
    from ..engines.interpreter.superinstructions import table as superinstructions
    from ..engines.window import kernels as window
    from ..examples import gallery
    from ..languages import registry

    superinstructions.assemble(stock)
    for name in languages:
        language = registry.get(name)
        program, own = Program(language, gallery(name)[0].read()), language.engines
        for options in _single_options(language):
            with suppress(NoInterpreter):
                begun = Program(language, program.source, options).start()
                interpreter_for(language, begun, stock).improve(stock)
        if keeping_of(program.start().plane).windowed:
            window.assemble(stock)
        if own.crowd is not None:
            own.crowd(program.start(), Limits()).assemble(stock)
        engine = own.special and own.special("llvm", program.start(), Limits(), stock)
        if engine is not None:
            with following(HASTY):
                engine.advance(1)


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
