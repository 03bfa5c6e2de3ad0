"""Programs by the names of files, and examples by theirs, from any folder."""

from pathlib import Path

import pytest

import planewalk as pw
from planewalk.examples import find_example, gallery, shipped
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import planewalk

SAID = "planewalk: {!r} is not in this folder; using the example of that name\n"

COMMANDS = [
    ["run", "hello.mf"], ["explain", "hello.mf"], ["graph", "hello.mf", "-o", "out.svg"],
    ["disasm", "hello.mf"], ["film", "hello.mf", "-o", "out.svg"],
    ["picture", "hello.mf", "-o", "out.svg"],
    ["render", "plasma.wf", "--size", "4x3", "-o", "out.png"], ["shader", "plasma.wf"],
    ["convert", "adder.png", "-o", "out.txt"], ["convert", "adder.txt", "-o", "out.png"],
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_finds_examples_by_name_and_says_so(tmp_path: Path, words) -> None:
    done = planewalk(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr.decode()) == (0, SAID.format(words[1]))


def test_bench_finds_each_of_its_programs(tmp_path: Path) -> None:
    words = ["bench", "hello.mf", "primes.mf", "--seconds", "0", "--engines", "reference"]
    said = planewalk(*words, cwd=tmp_path).stderr.decode()
    assert said.startswith(SAID.format("hello.mf") + SAID.format("primes.mf"))


def test_a_file_of_that_name_comes_first_and_is_not_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "hello.mf").write_text("7.@")
    done = planewalk("run", "hello.mf", cwd=tmp_path)
    assert (done.stdout, done.stderr) == (b"7", b"")


def test_only_a_bare_name_is_an_example(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    for name in ("here/hello.mf", "./hello.mf", str(tmp_path / "hello.mf")):
        done = planewalk("run", name, cwd=tmp_path)
        assert_one_clear_line(done, f"{name!r} does not exist")
    for name in (
        "index.toml",
        "__init__.py",
        "mirrorfunge/hello.mf",
        "../__init__.py",
        "mirrorfunge",
    ):
        assert shipped(name) is None
    (tmp_path / "hello.mf").mkdir()
    assert_one_clear_line(planewalk("run", "hello.mf", cwd=tmp_path), "'hello.mf' is a folder")


def test_a_name_that_is_nearly_an_example_is_offered(tmp_path: Path) -> None:
    done = planewalk("run", "mandelbrott.mf", cwd=tmp_path)
    assert_one_clear_line(done, "did you mean 'mandelbrot.mf'?")
    assert_one_clear_line(planewalk("run", "collatz", cwd=tmp_path), "did you mean 'collatz.mf'?")


def test_a_file_of_an_example_s_name_is_written_and_then_never_replaced(tmp_path: Path) -> None:
    """Nothing is overwritten: the example comes with planewalk."""
    words = ["picture", "adder.png", "-o", "adder.png"]
    done = planewalk(*words, cwd=tmp_path)
    assert done.returncode == 0 and b"using the example" in done.stderr
    drawn = (tmp_path / "adder.png").read_bytes()
    assert_one_clear_line(
        planewalk(*words, cwd=tmp_path), "is the program itself; choose another name"
    )
    assert (tmp_path / "adder.png").read_bytes() == drawn


def test_every_example_is_found_by_its_file_name() -> None:
    for example in gallery():
        assert shipped(example.file) == example.read()


def test_the_library_finds_examples_and_warns_where_it_was_called(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match="using the example of that name") as told:
        run = pw.run("hello.mf")
    assert (
        run.output == pw.run(source=find_example("hello.mf").read(), language="mirrorfunge").output
    )
    with pytest.warns(UserWarning) as more:
        pw.film("hello.mf")
        pw.render("plasma.wf", size=(2, 2))
    assert [warning.filename for warning in [*told, *more]] == [__file__] * 3
    with pytest.raises(pw.SourceError, match=r"did you mean 'hello\.mf'"):
        pw.load("helo.mf")
