"""Conformance cases: one file each, in sections, run on every engine.

A `.case` file begins with prose: what is tested, and the sentence it stands for, on lines that
start with `> `. Then come sections, each begun by a line `--- name`:

    --- program             the source as it is (without the line end before the next section)
    --- program escaped     the same with \\x00, \\n, \\t ... as in Python bytes, lines joined
    --- program base64      any bytes
    --- board               a BMProg board in letters (see the guide), run as a picture
    --- input               likewise: plain, escaped or base64
    --- options             lines KEY=VALUE: options of the language, and max-steps, seed
    --- output              likewise: plain, escaped or base64; nothing if the section is missing
    --- stop                status and steps: `halted after 12`, or the status alone
    --- state               JSON: keys that the final state must have, with their values
    --- result              JSON: keys that the whole `--json` object must have
    --- at tick N           JSON: keys that the state must have after N ticks
"""

import base64
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import planewalk
from planewalk.apps.checking.expectations import same
from planewalk.languages import registry
from planewalk.languages.bmprog.text import text_to_picture

FOLDER = Path(__file__).parent / "languages"
KNOWN_FAILURES = Path(__file__).parent / "known_failures"
RUN_OPTIONS = {"max-steps": int, "seed": int}
MOST_STEPS = 300_000
"""Far more than any case takes, unless something is wrong and it would never end."""


@dataclass
class Case:
    """One parsed file."""

    path: Path
    prose: str
    sections: dict[str, str] = field(default_factory=dict)

    @property
    def language(self) -> str:
        return self.path.parent.name

    def bytes_of(self, name: str) -> bytes | None:
        """A section in any of its three spellings."""
        if name in self.sections:
            return self.sections[name].encode()
        if f"{name} escaped" in self.sections:
            text = self.sections[f"{name} escaped"].replace("\n", "")
            return text.encode("latin-1").decode("unicode_escape").encode("latin-1")
        if f"{name} base64" in self.sections:
            return base64.b64decode(self.sections[f"{name} base64"])
        return None

    @property
    def program(self) -> bytes:
        if "board" in self.sections:
            return text_to_picture(self.sections["board"].encode(), ".png")
        program = self.bytes_of("program")
        assert program is not None, f"{self.path}: no program"
        return program

    def run(
        self, engine: str, max_steps: int | None = None, *, eager: bool = False
    ) -> planewalk.Run:
        options: dict[str, Any] = {}
        if registry.get(self.language).rules.default_steps is None:
            options["max_steps"] = MOST_STEPS
        for line in self.sections.get("options", "").split("\n"):
            if line.strip():
                key, _, value = line.partition("=")
                options[key.replace("-", "_")] = RUN_OPTIONS.get(key, str)(value)
        if max_steps is not None:
            options["max_steps"] = max_steps
        return planewalk.run(
            source=self.program, language=self.language, input=self.bytes_of("input") or b"",
            engine=engine, eager=eager, **options,
        )  # fmt: skip

    def check(self, engine: str) -> None:
        """Run it and compare everything that it expects."""
        self.compare(self.run(engine))
        for name, text in self.sections.items():
            if name.startswith("at tick "):
                earlier = self.run(engine, max_steps=int(name.removeprefix("at tick ")))
                compare(json.loads(text), earlier.show())

    def compare(self, run: planewalk.Run) -> None:
        """Compare the end of a run with what is expected."""
        if "stop" in self.sections:
            status, _, steps = self.sections["stop"].strip().partition(" after ")
            assert run.status == status
            assert not steps or run.steps == int(steps)
        assert run.output == (self.bytes_of("output") or b"")
        if "state" in self.sections:
            compare(json.loads(self.sections["state"]), run.show())
        if "result" in self.sections:
            compare(json.loads(self.sections["result"]), run.to_dict())


def compare(expected: dict[str, Any], found: dict[str, Any]) -> None:
    """All expected keys are there and equal; floats may differ in their last bits."""
    for key, value in expected.items():
        assert key in found, f"no {key!r} in {sorted(found)}"
        assert same(value, found[key]), f"{key}: expected {value!r}, found {found[key]!r}"


KNOWN = re.compile(
    r"(program|input|output)( escaped| base64)?|board|options|stop|state|result|at tick \d+"
)


def read_case(path: Path) -> Case:
    """Parse a file. Exactly one line end before each section mark belongs to the file."""
    with path.open(newline="") as file:
        parts = re.split(r"(?m)^--- (.*)\n", file.read())
    case = Case(path, parts[0])
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        assert KNOWN.fullmatch(name), f"{path}: unknown section {name!r}"
        assert name not in case.sections, f"{path}: section {name!r} stands twice"
        case.sections[name] = text.removesuffix("\n")
    return case


def all_cases() -> list[Path]:
    return sorted(FOLDER.glob("*/*.case"))


def case_name(path: Path) -> str:
    """`language/name`."""
    return f"{path.parent.name}/{path.stem}"


def known_failures(path: Path) -> list[str]:
    """The names of cases in a list, without blank lines and comments."""
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]
