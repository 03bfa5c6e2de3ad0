"""Words are completed in real shells: commands, options, choices, languages, examples, files."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from planewalk.apps.cli.completion import FILES, following, joined
from planewalk.apps.cli.main import COMMANDS
from planewalk.apps.cli.parser import PAGES
from planewalk.engines.choose import NAMES
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.apps.shells import Shell, environment, need
from tests.apps.test_run import planewalk
from tests.patience import PATIENCE


def words(*line: str) -> list[str]:
    return [word for word, _ in following(list(line)) if word.startswith(line[-1]) or word == FILES]


def test_commands() -> None:
    assert words("") == [*COMMANDS, "help", "--help", "--version"]
    assert words("ex") == ["examples", "explain"]
    assert words("help", "") == [*COMMANDS, *PAGES]


def test_a_program_can_stand_first() -> None:
    assert words("hello.m") == ["hello.mf", FILES]
    assert words("mine.mf", "--max-s") == ["--max-steps"]


def test_options_and_their_values() -> None:
    assert words("film", "x.mf", "--th") == ["--theme"]
    assert words("film", "x.mf", "--theme", "") == ["light", "dark"]
    assert words("film", "x.mf", "--theme=d") == ["--theme=dark"]
    assert words("run", "x.mf", "--engine", "") == list(NAMES)
    assert words("run", "--lang", "") == registry.names()
    assert words("run", "x.mf", "--max-steps", "") == []
    assert words("run", "x.mf", "--input", "") == [FILES]
    assert words("convert", "x.bf", "--eof", "") == ["0", "-1", "keep"]
    assert "ref" in words("convert", "x.bf", "--to", "")
    assert words("run", "x.ref", "--set", "cl") == [
        "clear-mode=", "clear-mode=true", "clear-mode=false"
    ]  # fmt: skip
    assert words("run", "x.mf", "--set", "") == []


def test_arguments() -> None:
    shipped = [example.file for example in gallery()]
    for command in ("run", "explain", "film", "graph", "bench", "disasm"):
        assert words(command, "") == [*shipped, FILES]
    assert words("diff", "a.mf", "hello.m") == ["hello.mf", FILES]
    assert words("run", "a.mf", "") == []
    assert words("examples", "") == ["list", "show", "copy"]
    assert words("examples", "list", "") == registry.names()
    assert words("examples", "show", "hello.m") == ["hello.mf"]
    assert words("examples", "copy", "hello.mf", "hello.r") == ["hello.ref", FILES]
    assert words("list", "gem") == ["gemooy"]
    assert words("completion", "") == ["bash", "zsh", "fish"]
    assert words("cache", "") == ["show", "clear"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_every_command(command: str) -> None:
    shown = planewalk(command, "--help").stdout.decode()
    for word, description in following([command, "--"]):
        assert word in shown and "\n" not in description


def test_bash_breaks_words_at_equals_signs() -> None:
    assert joined(["run", "--engine", "=", "l"]) == (["run", "--engine=l"], "--engine=")
    assert joined(["run", "--engine", "="]) == (["run", "--engine="], "--engine=")
    assert joined(["run", "--set", "nul", "=", "x"]) == (["run", "--set", "nul=x"], "nul=")
    assert joined(["run", "--engine=l", "x"]) == (["run", "--engine=l", "x"], "")


@pytest.fixture(
    params=["bash", "zsh", pytest.param("zsh with compinit", marks=pytest.mark.exhaustive)],
    scope="module",
)
def shell(request, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    folder = tmp_path_factory.mktemp("here")
    (folder / "my own program.mf").write_text("@")
    (folder / "it's.mf").write_text("@")
    (folder / "a folder").mkdir()
    (folder / "a folder" / "inside.mf").write_text("@")
    name, _, compinit = request.param.partition(" with ")
    shell = Shell(name, folder, f"autoload -Uz {compinit} && {compinit} -i\n" if compinit else "")
    yield shell
    shell.close()


def test_in_a_real_shell(shell: Shell) -> None:
    assert shell.line_after("planewalk expla\t") == "planewalk explain "
    assert shell.line_after("planewalk run --max-st\t").rstrip() == "planewalk run --max-steps"
    assert shell.line_after("planewalk run mandelb\t").rstrip() == "planewalk run mandelbrot.mf"
    assert shell.line_after("planewalk run --lang mirr\t").rstrip().endswith("--lang mirrorfunge")
    assert shell.line_after("planewalk run --engine=ll\t").rstrip().endswith(" --engine=llvm")
    assert shell.line_after("planewalk film x.mf --theme d\t").rstrip().endswith("--theme dark")
    assert shell.line_after("planewalk run x.ref --set nu\t").endswith("--set nul=")


def test_spaces_and_quotes_in_names(shell: Shell) -> None:
    def completed(keys: str) -> list[str]:
        """The words that the shell makes of its line."""
        line = shell.line_after(keys).replace("planewalk run", "printf '%s\\n'")
        return subprocess.check_output(["bash", "-c", line], text=True).splitlines()

    assert completed("planewalk run my\t") == ["my own program.mf"]
    assert completed("planewalk run 'my o\t") == ["my own program.mf"]
    assert completed("planewalk run it\t") == ["it's.mf"]
    assert completed("planewalk run a\\ f\tins\t") == ["a folder/inside.mf"]


@pytest.mark.exhaustive
def test_in_fish(tmp_path: Path) -> None:
    (tmp_path / "my own program.mf").write_text("@")
    script = "planewalk completion fish | source\n" + "\n".join(
        f"complete -C 'planewalk {line}'; echo ---"
        for line in ("expla", "run --max-st", "run hello.", "run --lang mirr", "run --engine=ll",
                     "run my", "film x.mf --theme ", "run x.ref --set clear-mode=")
    )  # fmt: skip
    done = subprocess.run(
        [need("fish"), "-c", script], capture_output=True, text=True, cwd=tmp_path,
        env=environment(tmp_path), timeout=PATIENCE,
    )  # fmt: skip
    assert done.stderr == ""
    answers = [
        [line.partition("\t")[0] for line in part.splitlines() if line]
        for part in done.stdout.split("---\n")
    ]
    assert [sorted(answer) for answer in answers[:-1]] == [
        ["explain"], ["--max-steps"], ["hello.mf", "hello.png", "hello.ref"], ["mirrorfunge"],
        ["--engine=llvm"], ["my own program.mf"], ["dark", "light"],
        ["clear-mode=false", "clear-mode=true"],
    ]  # fmt: skip
    assert "what each cell that a program reaches does" in done.stdout
