"""planewalk as a library."""

import doctest
import json
import pickle
import pydoc
import subprocess
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import planewalk as pw
import planewalk.languages.registry
from planewalk import languages
from planewalk.apps import conversions, films, insight, library
from planewalk.core.state import State
from planewalk.examples import Example, gallery, shipped


def test_run_by_path_source_and_program(tmp_path) -> None:
    path = tmp_path / "hi.mf"
    path.write_text('"iH",,@')
    for run in (
        pw.run(path),
        pw.run(str(path)),
        pw.run(source='"iH",,@', language="mirrorfunge"),
        pw.run(pw.load(path)),
    ):
        assert (run.output, run.status, run.steps, run.reason) == (b"Hi", "halted", 7, None)
        assert (run.value, run.log, run.colour) == (None, [], None)
    assert "halted after 7 steps" in repr(pw.run(path))


def test_options_are_keywords() -> None:
    run = pw.run(source=b"!_^", language="refunge", nul="_")
    assert run.output == b"!"
    pixel = pw.run(source="0y1y4y@", language="webfunge", pixel=(1, 0), size=(2, 2), time=0.5)
    assert pixel.colour == (255, 0, 127)
    with pytest.raises(pw.OptionError, match="did you mean pixel="):
        pw.run(source="@", language="webfunge", pixl=(0, 0))


def test_open_input_waits() -> None:
    run = pw.run(source="1.~.@", language="mirrorfunge", open_input=True)
    assert (run.status, run.output, run.steps) == ("waiting", b"1", 2)


def test_input_can_be_an_iterable_that_is_read_as_needed() -> None:
    fetched = []

    def pieces():
        for piece in (b"1", b"2 ", b"", b"3"):
            fetched.append(piece)
            yield piece

    assert pw.run(source="&.@", language="mirrorfunge", input=pieces()).output == b"12"
    assert fetched == [b"1", b"2 "]


def test_limits_are_results_not_errors() -> None:
    run = pw.run(source="1.", language="mirrorfunge", max_steps=10)
    assert (run.status, run.reason, run.steps, run.output) == ("limit", "steps", 10, b"11111")
    run = pw.run(source="1.", language="mirrorfunge", max_output=3)
    assert (run.status, run.reason, run.output) == ("limit", "output", b"111")
    assert pw.run(source="1", language="mirrorfunge", max_time=0.05).reason == "time"
    assert pw.run(source="1", language="mirrorfunge", max_memory=1 << 16).reason == "memory"


def test_bad_calls_raise_clear_errors() -> None:
    with pytest.raises(pw.SourceError, match="does not exist"):
        pw.run("no/such/file.mf")
    with pytest.raises(pw.UnknownLanguage, match="did you mean 'gemooy'"):
        pw.run(source="", language="gemoy")
    with pytest.raises(pw.UnknownLanguage, match="which language the source is in: language="):
        pw.run(source="@")
    with pytest.raises(pw.OptionError, match="either a path or a source"):
        pw.run()
    with pytest.raises(pw.OptionError, match="max_steps: expected a whole number, 0 or more"):
        pw.run(source="@", language="webfunge", max_steps=-1)
    with pytest.raises(pw.EngineRefused):
        pw.run(source="@", language="webfunge", engine="quantum")


def test_several_threads_run_side_by_side() -> None:
    results: dict[int, bytes] = {}

    def work(n: int) -> None:
        source = "&" + ":*" * 3 + ".@"
        results[n] = pw.run(source=source, language="mirrorfunge", input=str(n)).output

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: str(n**8).encode() for n in range(16)}


@pytest.mark.parametrize("module", [library, conversions, films, insight, languages], ids=str)
def test_the_docstrings_are_true(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted and not tried.failed


def test_the_same_state_in_json_as_the_command_prints() -> None:
    answer = pw.run(source="12", language="mirrorfunge", max_steps=3).to_dict()
    assert answer["state"]["stack"] == ["1", "2", "1"]
    assert set(answer) >= {"language", "status", "steps", "output_b64", "seed", "engine", "seconds"}


# Names that are packages, too ---------------------------------------------------------------------

CALLS = [
    "pw.languages()", "pw.examples()", "pw.run(source='@', language='mirrorfunge')",
    "pw.film(source='@', language='mirrorfunge')",
    "pw.render(source='@', language='webfunge', size=(1, 1))",
    "import planewalk.languages.registry", "from planewalk.examples import gallery",
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("before", CALLS)
def test_languages_and_examples_can_be_called_after_anything_else(before: str) -> None:
    code = f"import planewalk as pw; {before}; print(len(pw.languages()), len(pw.examples()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(len(pw.languages())), str(len(gallery()))]


def test_packages_of_that_name_are_still_packages() -> None:
    assert planewalk.languages.registry.get("gemooy") is pw.languages()["gemooy"]
    assert languages.registry.names() == list(languages())


def test_examples_of_one_language() -> None:
    assert {example.language for example in pw.examples("Gemooy")} == {"gemooy"}
    assert pw.examples("refunge")[0].read() == shipped(pw.examples("refunge")[0].file)
    with pytest.raises(pw.UnknownLanguage, match="did you mean 'gemooy'"):
        pw.examples("gemoy")


def test_help_tells_of_every_public_name() -> None:
    text = pydoc.plain(pydoc.render_doc(pw))
    for name in pw.__all__:
        assert name.strip("_").upper() in text or name in text
    for function in FUNCTIONS:
        assert function.__doc__
        assert f"{function.__name__}(path" in text  # its own arguments, not those of a wrapper


# Arguments ----------------------------------------------------------------------------------------

FUNCTIONS: list[Callable[..., Any]] = [
    pw.convert, pw.explain, pw.film, pw.graph, pw.load, pw.picture, pw.render, pw.run, pw.session,
]  # fmt: skip
WRONG = object()


def test_all_functions_are_tried_here() -> None:
    found = {name for name in pw.__all__ if callable(getattr(pw, name)) and name.islower()}
    assert found == {function.__name__ for function in FUNCTIONS} | {"examples", "languages"}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_wrong_types_get_a_line_that_names_the_argument(function: Callable[..., Any]) -> None:
    good = {"source": "@", "language": "webfunge"}
    if function is pw.convert:
        good = {"source": ".", "kind": "txt", "to": "png"}
    for name in {"path", "source", *good, *library.keywords_of(function)}:
        with pytest.raises(pw.WrongType, match=f"^{name}: expected .*, not <object") as raised:
            function(**good | {name: WRONG})
        assert isinstance(raised.value, TypeError) and isinstance(raised.value, pw.OptionError)
    with pytest.raises(pw.WrongType, match=r"^path: expected the path of a file"):
        function(WRONG)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_misspelt_keyword_is_told(function: Callable[..., Any]) -> None:
    if function is pw.convert:
        with pytest.raises(pw.OptionError, match="did you mean 'eof'"):
            pw.convert(source=".", kind="bf", to="ref", eoff=1)
        return
    for name in library.keywords_of(function):
        if "_" in name:
            with pytest.raises(pw.OptionError, match=f"did you mean {name}="):
                function(source="@", language="mirrorfunge", **{name.replace("_", ""): 1})


@pytest.mark.parametrize(("call", "said"), [
    (lambda: pw.run(source="@", language="webfunge", max_steps="5"), "max_steps: expected a"),
    (lambda: pw.run(source="@", language="webfunge", maxsteps=5), "did you mean max_steps="),
    (lambda: pw.run(source="@", language="webfunge", max_steps=5.0), "not 5.0"),
    (lambda: pw.run(source="@", language="webfunge", max_steps=True), "not True"),
    (lambda: pw.run(source="@", language="webfunge", max_time=float("nan")), "0 or more"),
    (lambda: pw.run(source="~@", language="mirrorfunge", input=[5]), "input: expected bytes"),
    (lambda: pw.run(source="@", language="webfunge", size=5), "size: .* as \\(width, height"),
    (lambda: pw.run(source="@", language="webfunge", texture=5), "texture: expected a list"),
    (lambda: pw.run(source="@", language="webfunge", texture=[(1, 1)]), "texture: expected"),
    (lambda: pw.run(source="^", language="refunge", clear_mode=3), "clear-mode: expected true"),
    (lambda: pw.load(source="@", language="webfunge").start(0) and pw.render(
        source="@", language="webfunge", frames=0), "frames: expected a whole number, 1"),
    (lambda: pw.render(source="@", language="webfunge", fps="x"), "fps: expected frames"),
    (lambda: pw.film(source="@", language="webfunge", steps=(1, 2, 3)), "steps: expected"),
    (lambda: pw.run(pw.load(source="@", language="webfunge"), size=(1, 1)), "already"),
    (lambda: pw.run(source="x" * 999, language=["x" * 999]), "language: .*x\\.\\.\\.$"),
    (lambda: pw.run(source="~", language="mirrorfunge", input=["1"], open_input=True), "input"),
    (lambda: pw.convert(source="."), "'to'"),
    (lambda: pw.convert(source=".", to="png"), "name the kind with kind="),
    (lambda: pw.render(source="@", language="gemooy"), "do not colour pixels"),
    (lambda: pw.film(source="@", language="mirrorfunge", scale=99_999), "smaller scale=... or"),
    (lambda: pw.film(source=">", language="mirrorfunge", steps=(0, 9999)), "with steps=... or"),
    (lambda: pw.picture(source=" " * 999_999_9, language="mirrorfunge"), "with crop=..."),
])  # fmt: skip
def test_errors_speak_python(call: Callable[[], object], said: str) -> None:
    with pytest.raises((pw.PlanewalkError, TypeError), match=said) as raised:
        call()
    assert "--" not in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "wrong", [None, 5, -1, 1.5, "", "x", b"x", [], [[]], {}, (1, 2), WRONG], ids=range(12)
)
def test_options_of_any_type_are_read_or_refused(wrong: object) -> None:
    for name, language in pw.languages().items():
        for option in language.options:
            try:
                pw.load(source=b"", language=name, **{option.name.replace("-", "_"): wrong})
            except pw.OptionError as error:
                assert str(error).startswith(f"{option.name}: ")


def test_a_language_can_be_given_itself() -> None:
    own = pw.languages()["mirrorfunge"]._replace(name="own")
    run = pw.run(source="7.8.@", language=own, max_steps=2)
    assert (run.output, run.language.name, run.state.language) == (b"7", "own", "own")
    assert pw.run(state=run.state, language=own).output == b"8"


def test_everything_shows_itself_in_a_short_line() -> None:
    run = pw.run(source="1.2.3", language="mirrorfunge", max_steps=123)
    things = [
        run, run.state, run.language, pw.examples()[0], pw.load(source="@", language="gemooy"),
        pw.explain(source="@", language="mirrorfunge"), pw.graph(source="@", language="gemooy"),
    ]  # fmt: skip
    for thing in things:
        assert repr(thing).startswith(f"<{type(thing).__name__}") and len(repr(thing)) < 100
    assert repr(run.state).endswith(": step 123, 1 walker, stack of 25, 49 bytes written>")


# Going on from a state ----------------------------------------------------------------------------


def options_of(example: Example, run: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in run.get("options", {}).items()}


@pytest.mark.parametrize("example", gallery(), ids=lambda example: example.file)
def test_going_on_equals_not_having_stopped(example: Example) -> None:
    expected = example.runs[0]
    program = pw.load(source=example.read(), language=example.language,
                      **options_of(example, expected))  # fmt: skip
    whole = pw.run(program, input=expected.get("input", ""), seed=3, max_steps=3000)
    cuts = (whole.steps // 3, whole.steps // 2)
    run = pw.run(program, input=expected.get("input", ""), seed=3, max_steps=cuts[0])
    runs = [run]
    for most in (cuts[1], 3000 - cuts[0] - cuts[1]):
        told = json.loads(json.dumps(run.state.to_json()))
        run = pw.run(state=State.from_json(told), max_steps=most)
        assert run.steps <= most
        runs.append(run)
    assert b"".join(run.output for run in runs) == whole.output
    assert sum(run.steps for run in runs) == whole.steps
    assert (run.status, run.state) == (whole.status, whole.state)


def test_the_state_that_is_gone_on_from_stays_as_it_is() -> None:
    first = pw.run(source="1.2.@", language="mirrorfunge", max_steps=2)
    before = first.state.copy()
    again = [pw.run(first.state), pw.run(state=first.state)]
    assert [run.output for run in again] == [b"2", b"2"] and first.state == before
    assert again[0].to_dict()["steps"] == 3 and again[0].state.tick == 5
    over = pw.run(again[0].state)
    assert (over.status, over.steps, over.output) == ("halted", 0, b"")


def test_input_is_added_where_a_run_goes_on() -> None:
    reader = pw.load(source="~.~.~.@", language="mirrorfunge")
    waiting = pw.run(reader, input="A", open_input=True)
    assert (waiting.status, waiting.output) == ("waiting", b"65")
    more = pw.run(waiting.state, input=b"B", open_input=True)
    assert (more.status, more.output) == ("waiting", b"66")
    assert pw.run(more.state, input=["", "C"]).output == b"67"
    assert pw.run(more.state).output == b"-1"  # nothing more is the end of input
    cut = pw.run(reader, input="ABC", max_steps=2)
    assert pw.run(cut.state).output == b"6667"  # what was not read yet stays
    assert pw.run(pw.run(reader, input="A", max_steps=2).state, input="XY").output == b"8889"


def test_limits_count_from_where_a_run_goes_on() -> None:
    first = pw.run(source="1.", language="mirrorfunge", max_output=3)
    for _ in range(3):
        first = pw.run(first.state, max_output=2)
        assert (first.status, first.reason, first.output) == ("limit", "output", b"11")
    pixel = pw.run(source=">", language="webfunge")
    assert (pixel.status, pixel.steps) == ("limit", 10_000)
    assert pw.run(pixel.state).state.tick == 20_000


def test_a_state_takes_nothing_that_it_has_already() -> None:
    run = pw.run(source="1.2.@", language="mirrorfunge", max_steps=2)
    for more in ({"seed": 1}, {"source": "@"}, {"path": "hello.mf"}, {"size": (1, 1)}):
        with pytest.raises(pw.OptionError, match="a state has its program, its seed and its opt"):
            pw.run(state=run.state, **more)
    with pytest.raises(pw.OptionError, match="one of mirrorfunge, not of gemooy"):
        pw.run(state=run.state, language="gemooy")
    assert pw.run(state=run.state, language="Mirrorfunge").output == b"2"
    run.state.language = ""
    with pytest.raises(pw.UnknownLanguage, match="which language the state is in: language="):
        pw.run(state=run.state)


def test_functions_that_are_packages_as_well_reach_other_processes() -> None:
    for function in (pw.languages, pw.examples):
        assert pickle.loads(pickle.dumps(function)) is function
