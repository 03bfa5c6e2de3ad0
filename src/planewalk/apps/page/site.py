"""A folder that any static host serves: the studio with Python in it, and pages to be read.

What changes with a version stands in folders named by their content; the page that names them is
written last. So a visitor has all of one version or all of another.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from ... import __version__
from ...core.base.resources import resource
from ...core.errors import OptionError, PlanewalkError
from ..draft import cannot_write
from ..studio.bundle import STATIC
from .bundle import bundle
from .code import side_modules
from .first import FIRST, recording
from .guides import PICTURES, pages, pictures
from .pyodide import pyodide
from .tab import MEMORY

MARK = "planewalk-site.json"
"""In folders that we have written, which alone are written again."""
ARCHIVE = "planewalk.pack"
"""The archive: hosts that know a .gz would unpack it on the way."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; worker-src 'self'; media-src blob:; base-uri 'none'; "
    "form-action 'none'; object-src 'none'"
)
LAST = ("index.html", "embed.js", "service.js")
"""What names all the others."""
OURS = re.compile(r"(planewalk|python)-[0-9a-f]{12}")

Files = dict[str, bytes]


def write_site(
    folder: str, address: str = "", packages: Iterable[str] = (), python: str | None = None
) -> Files:
    """Write the folder; returns its files."""
    check_address(address)
    _check_folder(folder)
    files = site(address, packages, pyodide(python), side_modules())
    try:
        _write(folder, files)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return files


def check_address(address: str) -> None:
    """Refuse what no link can begin with."""
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.netloc or parts.fragment):
        raise OptionError(f"--site: expected an address such as https://…/, not {address!r}")


def site(
    address: str, packages: Iterable[str], python: Files, code: Mapping[str, bytes] = {}
) -> Files:
    """All files of a site, with machine code that comes along."""
    own = _own(packages, code)
    folder, runtime = _named("planewalk", own), _named("python", python)
    about = {
        "version": __version__,
        "folder": folder,
        "python": runtime,
        "size": sum(map(len, python.values())) + len(own[ARCHIVE]),
        "address": address,
        "memory": MEMORY,
        "first": FIRST,
    }
    shown = {name: content for name, content in own.items() if name.startswith(PICTURES)}
    files = {
        **{f"{folder}/{name}": content for name, content in own.items()},
        **{f"{runtime}/{name}": content for name, content in python.items()},
        "index.html": _index(folder, about),
        "embed.js": _part("embed.js"),
        **pages(folder, shown),
    }
    mark = json.dumps({"planewalk": __version__, "folders": [folder, runtime]}).encode()
    return {**files, "service.js": _service(files, folder), MARK: mark}


def _service(files: Files, folder: str) -> bytes:
    """What keeps these files in the browser."""
    names = ", ".join(json.dumps(name) for name in sorted(files))
    script = _part("service.js").decode()
    return script.replace("/* version */", folder).replace("/* files */", names).encode()


def _own(packages: Iterable[str], code: Mapping[str, bytes]) -> Files:
    """The client, the archive, what the worker is made of, and the recording."""
    files = {}
    for name in os.listdir(STATIC):
        if os.path.splitext(name)[1] in (".js", ".css", ".svg") and name != "door.js":
            files[name] = _read(os.path.join(STATIC, name))
    files[ARCHIVE] = bundle(packages, code)
    files["worker.js"] = _part("worker.js")
    files["runtime.html"] = _runtime()
    files["pages.css"] = _part("pages.css")
    files |= pictures()
    files["first.json"] = json.dumps(recording(), separators=(",", ":")).encode()
    return files


def _runtime() -> bytes:
    """The frame that Python runs in, whose policy names its scripts by their content."""
    page, hashes = _part("runtime.html"), []
    for name in ("inner", "outer"):
        script = _part(f"{name}.js")
        hashes.append(f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'")
        page = page.replace(f"/* {name} */".encode(), script)
    return page.replace(b"/* hashes */", " ".join(hashes).encode())


def _index(folder: str, about: dict[str, object]) -> bytes:
    """The studio's page, as it stands in a folder of files."""
    page = _read(os.path.join(STATIC, "index.html")).decode()
    told = json.dumps(about).replace("&", "&amp;").replace('"', "&quot;")
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '  <meta name="referrer" content="no-referrer">\n'
        f'  <meta name="planewalk-site" content="{told}">\n'
        f'  <link rel="preload" as="fetch" crossorigin href="{folder}/first.json">\n'
    )
    page = page.replace("<title>", f"{head}  <title>", 1).replace('"static/', f'"{folder}/')
    return page.encode()


def _named(kind: str, files: Files) -> str:
    """The name of a folder: what it holds, and a fingerprint of that."""
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return f"{kind}-{whole.hexdigest()[:12]}"


def _part(name: str) -> bytes:
    return resource("planewalk.apps.page/static").joinpath(name).read_bytes()


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _check_folder(folder: str) -> None:
    """Refuse folders with other people's files in them."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise OptionError(f"{folder!r} is a file; name a folder to write")
    if os.path.isdir(folder) and os.listdir(folder) and not _is_site(folder):
        raise PlanewalkError(f"{folder!r} has other files in it; name a new or an empty folder")


def _is_site(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, MARK))


def _write(folder: str, files: Files) -> None:
    """Write all files, the pages last; and take away what an earlier version has left."""
    for name in sorted(files, key=lambda name: ("/" not in name, name in LAST)):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        draft = f"{path}.new"
        with open(draft, "wb") as file:
            file.write(files[name])
        os.replace(draft, path)
    kept = {name.partition("/")[0] for name in files}
    for name in os.listdir(folder):
        if OURS.fullmatch(name) and name not in kept:
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def packed_size(files: Files) -> int:
    """Bytes as hosts send them, compressed."""
    return sum(len(gzip.compress(content, 6)) for content in files.values())
