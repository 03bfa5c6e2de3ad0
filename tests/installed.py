"""Packages as pip would install them: found through their entry points, from a folder of theirs."""

import os
import tomllib
from pathlib import Path


def install(pyproject: Path, into: Path) -> None:
    """Write what pip leaves of a package's `pyproject.toml`."""
    project = tomllib.loads(pyproject.read_text())["project"]
    name, version = project["name"], project["version"]
    info = into / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = project["entry-points"].items()
    lines = [[f"[{group}]", *(f"{k} = {v}" for k, v in points.items())] for group, points in groups]
    (info / "entry_points.txt").write_text("\n".join(line for group in lines for line in group))


def environment(*folders: Path) -> dict[str, str]:
    """That of a process which finds packages in these folders."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
