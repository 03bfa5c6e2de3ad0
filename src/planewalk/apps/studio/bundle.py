"""One page bundled from several files, which needs no server.

Modules become functions that are called in the order in which they need each other.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable
from typing import Any

from .encoding import encoded

STATIC = os.path.join(os.path.dirname(__file__), "static")
IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}) from "\./([\w-]+)\.js";\n', re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const|let)) (\w+)", re.M)


def read(name: str) -> str:
    """A file of the client."""
    with open(os.path.join(STATIC, name), encoding="utf-8") as file:
        return file.read()


def script_of(name: str) -> str:
    """A module bundled with all its imports."""
    known: dict[str, str] = {}
    body = _body(name, known)
    return "\n".join([*known.values(), body])


def files_of(name: str) -> set[str]:
    """A module and all that it imports, by their names."""
    known: dict[str, str] = {}
    _body(name, known)
    return {name, *known}


def _body(name: str, known: dict[str, str]) -> str:
    """The text of a module, with imports replaced by names from `known`."""

    def imported(found: re.Match[str]) -> str:
        whole, names, module = found.groups()
        if module not in known:
            known[module] = _wrapped(module, known)
        return f"const {whole or '{' + names.replace(' as ', ': ') + '}'} = ${module};\n"

    return IMPORT.sub(imported, read(f"{name}.js"))


def _wrapped(module: str, known: dict[str, str]) -> str:
    body = _body(module, known)
    names = ", ".join(found[1] for found in EXPORT.findall(body))
    body = EXPORT.sub(r"\1 \2", body)
    return f"const ${module} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"


def packed(run: dict[str, Any], frames: Iterable[Any]) -> str:
    """A run and its frames as compressed base64, without holding all frames in memory."""
    squeeze = zlib.compressobj(9, wbits=-15)
    parts = [squeeze.compress(_plain(run)[:-1] + b',"frames":[')]
    for number, frame in enumerate(frames):
        parts.append(squeeze.compress((b"," if number else b"") + _plain(frame)))
    parts.append(squeeze.compress(b"]}") + squeeze.flush())
    return encoded(b"".join(parts))


def _plain(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


def film_page(run: dict[str, Any], frames: Iterable[Any]) -> str:
    """A page that plays a run (`title`, `language`, `fps`); each of `frames` tells what is new in
    it."""
    page = read("player.html")
    packing = packed(run, frames)
    parts = {"style": read("style.css"), "run": packing, "script": script_of("player")}
    for name, text in parts.items():
        page = page.replace(f"/* {name} */", text.replace("</", "<\\/"))
    return page
