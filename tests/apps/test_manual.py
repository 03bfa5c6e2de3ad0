"""`planewalk manual`: every language, in every width."""

import os
from pathlib import Path

import pytest

from planewalk.debug.conditions.grammar import ConditionError, parse
from planewalk.languages import registry
from planewalk.view.language.plain import plain_lines
from tests.apps.test_run import planewalk
from tests.test_new_language import guide_code

ROOT = Path(__file__).parent.parent.parent


def manual(*words: object, columns: int = 80, **more) -> str:
    done = planewalk("manual", *words, env={**os.environ, "COLUMNS": str(columns)}, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize("name", registry.SUFFIXES)
def test_the_words_of_every_instruction_are_there(name: str) -> None:
    page = " ".join(manual(name).split())
    language = registry.get(name)
    for table in language.tables:
        for row in table:
            assert " ".join(row.doc.split()) in page
    assert "<!--" not in page and "**" not in page


def test_lines_are_no_longer_than_the_terminal_is_wide() -> None:
    for columns in (60, 80):
        page = manual("mirrorfunge", columns=columns)
        assert max(map(len, page.splitlines())) <= columns
    assert len(manual("mirrorfunge", columns=300).splitlines()) == len(
        manual("mirrorfunge", columns=100).splitlines()
    )


@pytest.mark.parametrize("name", registry.SUFFIXES)
def test_markdown_is_the_page_of_the_docs(name: str) -> None:
    page = (ROOT / "docs" / "languages" / f"{name}.md").read_text()
    assert manual(name, "--markdown") == page.partition("-->\n\n")[2]


def test_a_language_without_a_guide_has_a_page_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "snails.py").write_text(guide_code())
    page = manual("snails.py", cwd=tmp_path)
    assert page.startswith("Snails\n\nSnails: snails that share a counter.\n\nFiles: `.snail`.\n")
    assert "  Y   fork\n      A second snail sets out the other way.\n" in page
    assert "| `Y` | fork |" in manual("snails.py", "--markdown", cwd=tmp_path)


def test_a_guide_that_is_not_there(tmp_path: Path) -> None:
    code = guide_code().replace("table=TABLE,", 'table=TABLE, guide="planewalk/no.md",')
    (tmp_path / "snails.py").write_text(code)
    done = planewalk("manual", tmp_path / "snails.py")
    assert done.returncode == 2
    assert b"planewalk: the guide of Snails (planewalk/no.md) cannot be read" in done.stderr


def test_markdown_for_a_terminal() -> None:
    text = """# Head

A line
and [more](x.md) of **it**.

- one that
  goes on
- two

| a | bc |
|---|---|
| `x` | long words here that wrap |

```
as   it

is
```
"""
    assert list(plain_lines(text, 28, str.upper)) == [
        "HEAD", "",
        "A line and more of it.", "",
        "- one that goes on", "- two", "",
        "a    bc", "`x`  long words here that", "     wrap", "",
        "    as   it", "    ", "    is", "",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "command"), [("conditions", "run"), ("editors", "dap")])
def test_help_has_pages_that_no_command_is(name: str, command: str) -> None:
    """They come with the package, and are what pages of `docs/` are made from."""
    environment = {**os.environ, "COLUMNS": "80"}
    page = planewalk("help", name, env=environment).stdout.decode()
    assert page == manual(name) and page.startswith(f"{name.capitalize()}\n\n")
    assert max(map(len, page.splitlines())) <= 80 and "\n|" not in page
    source = manual(name, "--markdown")
    assert (ROOT / "docs" / f"{name}.md").read_text().endswith(source)
    assert f"planewalk help {name}" in " ".join(planewalk("help", command).stdout.decode().split())
    assert f"planewalk help {name}" in " ".join(planewalk("help").stdout.decode().split())


def test_the_page_on_conditions_tells_of_a_mistake_as_it_is_told() -> None:
    with pytest.raises(ConditionError) as error:
        parse("at 3", registry.get("mirrorfunge"))
    assert (
        manual("conditions")
        .rstrip("\n")
        .endswith("\n".join(f"    {line}" for line in str(error.value).splitlines()))
    )
