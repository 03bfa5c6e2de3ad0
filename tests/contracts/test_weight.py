"""Growth is decided: no room has more lines of Python than pyproject.toml allows it."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
WEIGHT: dict[str, int] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["planewalk"][
    "weight"
]


def rooms() -> set[str]:
    """The layers and their tests; what stands beside those in a folder is a room as well."""
    parents = [ROOT / "src" / "planewalk", ROOT / "tests"]
    folders = [*parents, *(path for parent in parents for path in parent.iterdir())]
    return {str(path.relative_to(ROOT)) for path in folders if any(path.glob("*.py"))}


def lines() -> dict[str, int]:
    """How many lines of Python each room has, its own folders included."""
    found = dict.fromkeys(WEIGHT, 0)
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py")]:
        parents = [str(parent) for parent in path.relative_to(ROOT).parents]
        room = next((parent for parent in parents if parent in WEIGHT), None)
        assert room is not None, f"{path} belongs to no room"
        with path.open("rb") as file:
            found[room] += sum(1 for _ in file)
    return found


def test_every_room_has_a_weight() -> None:
    assert rooms() == WEIGHT.keys()


def test_no_room_weighs_more_than_it_may() -> None:
    found = lines().items()
    heavy = {room: (count, WEIGHT[room]) for room, count in found if count > WEIGHT[room]}
    assert not heavy, "delete something, or raise [tool.planewalk.weight] in a commit that says why"
