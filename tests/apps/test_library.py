"""planewalk as a library."""

from __future__ import annotations

import doctest
import threading

import pytest

import planewalk as pw
from planewalk.apps import library


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
    with pytest.raises(pw.OptionError, match="did you mean 'pixel'"):
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
    with pytest.raises(pw.UnknownLanguage, match="name it with --lang"):
        pw.run(source="@")
    with pytest.raises(pw.OptionError, match="either a path or a source"):
        pw.run()
    with pytest.raises(pw.OptionError, match="max_steps must not be negative"):
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


def test_the_docstrings_are_true() -> None:
    assert doctest.testmod(library).failed == 0


def test_the_same_state_in_json_as_the_command_prints() -> None:
    answer = pw.run(source="12", language="mirrorfunge", max_steps=3).to_dict()
    assert answer["state"]["stack"] == ["1", "2", "1"]
    assert set(answer) >= {"language", "status", "steps", "output_b64", "seed", "engine", "seconds"}
