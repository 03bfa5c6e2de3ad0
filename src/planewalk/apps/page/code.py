"""The machine code that comes along with a page: as modules of WebAssembly, made for it here."""

from __future__ import annotations

import os
import tempfile
from functools import cache

from ...core.errors import EngineRefused, OptionError
from ...engines.native.llvm import why_not
from ...engines.native.machine_code import WEB_PAGE, making_for
from ...languages.registry import SUFFIXES
from ..stock import StockFolder, fill


@cache
def side_modules() -> dict[str, bytes]:
    """What Python in a page finds as `planewalk/stock`, by the names of files: interpreters and
    kernels of our languages, pictures among the examples, and a list of them. Making them takes
    some seconds, LLVM, and the linker that comes with `pip install 'planewalk[site]'`.

    They are for a page with the files of this planewalk and no others: code is found by what it
    was made from.
    """
    if missing := why_not():
        raise OptionError(f"machine code for pages cannot be made: {missing}")
    with tempfile.TemporaryDirectory(prefix="planewalk-") as folder:
        try:
            with making_for(WEB_PAGE):
                fill(StockFolder(folder), SUFFIXES, pictures=True)
        except EngineRefused as error:
            raise OptionError(f"machine code for pages cannot be made: {error}") from None
        return {name: _read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
