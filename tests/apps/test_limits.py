"""Every command keeps to its limits, from the first file that it opens."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import planewalk as pw
from planewalk.apps.cli import dap
from planewalk.apps.cli.main import _guarded, main
from planewalk.apps.cli.progress import FilmProgress
from planewalk.core.errors import LimitReached
from planewalk.core.language import Language
from planewalk.core.limits import Limits, allowing
from planewalk.core.state import State
from planewalk.core.step import Spent
from planewalk.engines.stepping.observe import Observer
from tests.marks import plainly
from tests.peak import MB, peak_of

BOMB = b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n"
LONG_DIVISION = b"9;:::**;|"
LIMIT = 3


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bomb.ref").write_bytes(BOMB)
    (tmp_path / "division.mf").write_bytes(LONG_DIVISION)
    (tmp_path / "ok.wf").write_bytes(b"@")
    (tmp_path / "ok.mf").write_bytes(b"~@")
    (tmp_path / "wide.ref").write_bytes(b"v" * 30_000 + b"\n" * 30_000 + b"v")
    (tmp_path / "lines.mf").write_bytes(b"\n" * 500_000)
    (tmp_path / "marks.gemooy").write_bytes((b"#" * 1_000 + b"\n") * 6_000)
    with open(tmp_path / "sparse.mf", "wb") as file:
        file.truncate(900 << 20)
    os.mkfifo(tmp_path / "pipe.mf")
    os.mkfifo(tmp_path / "pipe.wf")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assert_one_line(capsys: pytest.CaptureFixture[str], said: str) -> None:
    message = capsys.readouterr().err
    assert said in message and message.startswith("planewalk: ") and message.count("\n") == 1


@pytest.mark.parametrize("command", [
    ["run", "/dev/zero", "--lang", "mirrorfunge"],
    ["run", "ok.wf", "--texture", "/dev/zero"],
    ["explain", "ok.mf", "--input", "/dev/zero"],
    ["convert", "/dev/zero", "--from", "bf", "--to", "ref"],
    ["run", "sparse.mf"],
    ["graph", "ok.mf", "--input", "sparse.mf", "-o", "out.svg"],
    ["run", "wide.ref"],
    ["run", "lines.mf"],
    ["run", "marks.gemooy"],
    ["picture", "wide.ref", "-o", "out.svg"],
    ["picture", "ok.mf", "--scale", "600", "-o", "out.png"],
    ["film", "ok.mf", "--scale", "600", "-o", "out.gif"],
    ["render", "ok.wf", "--size", "400000x1", "-o", "out.png"],
    ["render", "ok.wf", "--size", "40000x1", "--heat", "limit", "-o", "out.png"],
    ["render", "ok.wf", "--size", "400x700", "--frames", "2", "-o", "out.webp"],
    ["render", "ok.wf", "--size", "400x900", "--show"],
    ["render", "ok.wf", "--frames", "999999", "--force", "-o", "f-%d.png"],
    ["shader", "sparse.mf", "--lang", "webfunge"],
])  # fmt: skip
def test_what_does_not_fit_is_refused(here: Path, command: list[str], capsys) -> None:
    assert main([*command, "--max-memory", "10M"]) == LIMIT
    assert_one_line(capsys, "more than the limit of 10 MiB (--max-memory)")


@pytest.mark.parametrize("command", ["run - --lang mirrorfunge", "convert - --from bf --to ref"])
def test_endless_standard_input_is_read_up_to_the_limit(command: str) -> None:
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-m", "planewalk", *command.split(), "--max-memory", "2M"],
            stdin=zeros, capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == LIMIT
    assert done.stderr.startswith("planewalk: standard input takes") and done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_pixels_hold_no_more_than_they_may(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "logs.wf").write_bytes(b"1" * 40 + b">" + b"q" * 8 + b"<")
    command = ["render", "logs.wf", "--size", "1x1", "--max-steps", "1000000", "-o", "out.png"]
    assert main([*command, "--max-memory", "256K"]) == LIMIT
    assert_one_line(capsys, "pixel 0,0 holds more than 256 KiB (--max-memory); nothing was written")
    assert main([*command[:5], "100", *command[6:], "--max-memory", "256K"]) == 0
    with pytest.raises(LimitReached, match=r"pixel 0,0 holds more than 256 KiB \(max_memory=...\)"):
        pw.render("logs.wf", size=(1, 1), max_steps=1_000_000, max_memory=256 << 10)


@pytest.mark.parametrize(("make", "kind"), [(pw.picture, ".png"), (pw.film, ".gif")])
def test_pictures_and_films_of_the_library_are_made_in_time(
    here: Path, make: Callable[..., Any], kind: str
) -> None:
    where = {"at": 1_000_000} if make is pw.picture else {"steps": (1_000_000, None)}
    with pytest.raises(LimitReached, match=r"the limit of 0.1 seconds is reached"):
        make("division.mf", max_time=0.1, **where)
    with pytest.raises(LimitReached, match=r"'pipe.mf' has not ended within the limit of 0.1"):
        make("pipe.mf", max_time=0.1)
    with pytest.raises(LimitReached, match="more than the limit of 10 MiB"):
        make("ok.mf", input="", scale=600, max_memory=10 << 20).save("out" + kind)


def test_a_film_that_was_made_in_time_may_be_shown_later(here: Path) -> None:
    made = pw.film("ok.mf", input="", max_time=100)
    assert made.reel.limits.deadline.left() == math.inf and "</svg>" in made.svg()


def test_the_library_draws_in_time(here: Path) -> None:
    program = pw.load("ok.wf")
    with pytest.raises(LimitReached, match=r"the limit of 0.0001 seconds is reached"):
        pw.render(program, size=(9, 9), max_time=0.0001)
    film = pw.render(program, size=(9, 9), frames=2, max_time=0.0001)
    with pytest.raises(LimitReached, match=r"the limit of 0.0001 seconds is reached"):
        film.save("film.gif")
    assert not (here / "film.gif").exists()
    with pytest.raises(LimitReached, match=r"'pipe.mf' has not ended within the limit of 0.1"):
        pw.convert("pipe.mf", kind="bf", to="ref", max_time=0.1)


def test_the_library_reads_no_further_either(here: Path) -> None:
    with allowing(Limits(memory=1 << 20)), pytest.raises(LimitReached, match="dev/zero"):
        pw.load("/dev/zero", language="mirrorfunge")
    with pytest.raises(LimitReached, match="max_memory"):
        pw.run("sparse.mf", max_memory=1 << 20)
    with pytest.raises(LimitReached, match="max_time") as caught:
        pw.run("pipe.mf", max_time=0.1)
    assert caught.value.reason == "time"


@pytest.mark.parametrize("command", [
    ["run", "pipe.mf"], ["run", "ok.mf", "--input", "pipe.mf"],
    ["explain", "ok.mf", "--input", "pipe.mf"],
    ["convert", "pipe.mf", "--from", "bf", "--to", "ref"], ["run", "ok.wf", "--texture", "pipe.mf"],
])  # fmt: skip
def test_time_runs_while_nobody_writes_into_a_pipe(here: Path, command: list[str], capsys) -> None:
    assert main([*command, "--max-time", "0.1"]) == LIMIT
    assert_one_line(capsys, "limit of 0.1 seconds")


def test_a_pipe_is_read_to_its_end(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def write() -> None:
        with open(here / "pipe.mf", "wb") as pipe:
            pipe.write(b"75")
            pipe.flush()
            pipe.write(b".@")

    writer = threading.Thread(target=write)
    writer.start()
    assert main(["run", "pipe.mf", "--input", "ok.mf"]) == 0
    writer.join()
    assert capsys.readouterr().out == "5"


COMMANDS = [
    ["picture", "--at", "1000000", "-o", "out.svg"],
    ["picture", "--at", "end", "-o", "out.svg", "--force"],
    ["film", "--steps", "0:1000000", "--every", "500000", "-o", "out.svg"],
    ["explain", "--max-steps", "1000000"],
    ["graph", "--max-steps", "1000000", "-o", "out.json"],
    ["disasm", "--max-steps", "1000000"],
    ["bench"],
    ["trace", "--steps", "1000000:"],
    ["run", "--input", "ok.mf"],
]


@pytest.mark.parametrize("command", plainly(COMMANDS[:3], COMMANDS), ids=" ".join)
def test_every_command_ends_in_time(here: Path, command: list[str], capsys) -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert main([command[0], "division.mf", *command[1:], "--max-time", "0.3"]) == LIMIT
    assert_one_line(capsys, "the limit of 0.3 seconds")
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_two_runs_that_are_compared_end_in_time(here: Path, capsys) -> None:
    assert main(["diff", "division.mf", "division.mf", "--max-time", "0.3"]) == LIMIT
    assert_one_line(capsys, "the limit of 0.3 seconds is reached (--max-time)")


def test_who_looks_on_does_not_follow_a_crowd_for_ever(here: Path, capsys, monkeypatch) -> None:
    """Even if nobody has thought of a limit."""
    monkeypatch.setattr("planewalk.view.walk.explain.MOST_VISITS", 500)
    monkeypatch.setattr("planewalk.view.flow.flow.MOST_VISITS", 500)
    monkeypatch.setattr("planewalk.apps.films.MOST_WALKERS", 100)
    assert main(["explain", "bomb.ref"]) == 0
    assert "looked at the first 10 steps" in capsys.readouterr().out
    assert main(["graph", "bomb.ref", "-o", "out.svg"]) == 0
    for command in (["film"], ["picture", "--at", "end", "--max-memory", "1M"]):
        assert main([command[0], "bomb.ref", *command[1:], "-o", "out.svg"]) == 2
        assert_one_line(capsys, "walkers, too many to follow")
    with pytest.raises(pw.PlanewalkError, match="too many to follow"):
        pw.film("bomb.ref")


def test_a_film_keeps_the_frames_that_were_done_in_time(here: Path, capsys, monkeypatch) -> None:
    def count(self: FilmProgress, more: int) -> None:
        self.done += more
        if self.done == 3:
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(FilmProgress, "count", count)
    (here / "walk.mf").write_bytes(b"1$")
    command = ["film", "walk.mf", "--steps", "0:20", "-o", "out.svg", "--max-time", "100"]
    assert main(command) == LIMIT
    assert_one_line(capsys, "(--max-time); out.svg has 3 of 21 frames")
    assert (here / "out.svg").read_text().startswith("<svg")


def test_a_report_takes_no_more_memory_than_the_run(tmp_path: Path) -> None:
    (tmp_path / "wide.ref").write_bytes(b"v" * 20_000)
    (tmp_path / "small.ref").write_bytes(b" ")
    options = ("--json", "--engine", "reference", "--max-memory", "48M")
    usual = peak_of("run", "small.ref", *options, "--max-steps", "9", cwd=str(tmp_path))
    found = peak_of("run", "wide.ref", *options, cwd=str(tmp_path))
    assert usual.code == found.code == LIMIT and "limit of 48 MiB" in found.said
    assert found.size - usual.size < 1.3 * 48 * MB + 32 * MB


def test_a_report_is_cut_where_the_time_is_over(here: Path, capsys, monkeypatch) -> None:
    """While a number is told, however long that one takes."""

    def slowly(number: int) -> str:
        if number == 4:
            signal.raise_signal(signal.SIGALRM)
        return str(number)

    monkeypatch.setattr("planewalk.languages.mirrorfunge.rules.to_decimal", slowly)
    (here / "count.mf").write_bytes(b"12345678@")
    assert main(["run", "count.mf", "--json", "--input", "ok.wf", "--max-time", "100"]) == LIMIT
    said = capsys.readouterr()
    answer = json.loads(said.out)
    assert answer["cut"] == "time" and answer["state"]["stack"] == ["1", "2", "3"]
    assert answer["status"] == "halted" and "only a part of the state" in said.err
    assert main(["run", "ok.mf", "--json", "--input", "ok.wf", "--max-time", "100"]) == 0
    assert "cut" not in json.loads(capsys.readouterr().out)


def test_what_a_program_leaves_is_not_shown_if_there_is_no_time(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "planewalk.languages.gemooy.rules._cells", lambda *_: signal.raise_signal(signal.SIGALRM)
    )
    (here / "one.gemooy").write_bytes(b"$@")
    assert main(["run", "one.gemooy", "--input", "ok.wf", "--max-time", "100"]) == LIMIT
    assert_one_line(capsys, "one.gemooy: halted; there was no time to show what it left")
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_run_that_is_cut_short_is_not_taken_apart(here: Path) -> None:
    """That would take longer than a tenth of a second if it is large."""
    held: list[BaseException] = []
    assert _guarded(["run", "wide.ref", "--max-memory", "10M"], nullcontext(), held) == LIMIT
    assert isinstance(held[0], LimitReached) and held[0].__traceback__ is not None


def test_sessions_are_read_within_limits(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "endless.walk").symlink_to("/dev/zero")
    os.mkfifo(here / "pipe.walk")
    monkeypatch.setattr("planewalk.apps.sessions.MOST_BYTES", 1 << 20)
    with pytest.raises(pw.PlanewalkError, match="larger than any session file"):
        pw.session("endless.walk")
    for name in ("pipe.walk", "pipe.mf"):
        with pytest.raises(LimitReached) as caught:
            dap.load({"program": name}, lambda: True)
        assert caught.value.reason == "time"


def test_sessions_keep_to_their_memory(here: Path) -> None:
    """Long numbers count as well, and what grows is stopped where the limit is."""
    (here / "long.mf").write_bytes(b"9" + b":*" * 13)
    (here / "deep.mf").write_bytes(b"1")
    limit = 1 << 20
    walk = pw.session("long.mf", max_memory=limit, engine="python")
    assert walk.end() == Spent("memory") and walk.state.memory() < limit
    walk = pw.session("deep.mf", max_memory=limit, engine="python")
    assert walk.end() == Spent("memory") and limit < walk.state.memory() < 1.1 * limit


def test_two_runs_that_are_compared_share_their_memory(here: Path, capsys, monkeypatch) -> None:
    shares = []

    def observer(language: Language, state: State, limits: Limits) -> Observer:
        shares.append(limits.memory)
        return Observer(language, state, limits)

    monkeypatch.setattr("planewalk.apps.cli.diff.Observer", observer)
    (here / "field.ref").write_bytes(b"v" * 5_000)
    assert main(["diff", "field.ref", "field.ref", "--max-memory", "2M"]) == LIMIT
    assert "the limit of 2 MiB of memory is reached" in capsys.readouterr().err
    assert shares == [1 << 20, 1 << 20]


def test_frames_that_are_drawn_in_time_are_kept(here: Path, capsys, monkeypatch) -> None:
    def count(self: FilmProgress, more: int) -> None:
        self.done += more
        if self.done == 3 * 8 * 4 * 2:
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(FilmProgress, "count", count)
    command = ["render", "ok.wf", "--size", "8x4", "--frames", "9", "-o", "f-%d.png"]
    assert main([*command, "--max-time", "100"]) == LIMIT
    assert_one_line(capsys, "the limit of 100 seconds is reached (--max-time); ")
    assert 1 <= len(list(here.glob("f-*.png"))) < 9 and not list(here.glob(".planewalk-*"))
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert main(["render", "pipe.wf", *command[2:], "--max-time", "0.1"]) == LIMIT
    assert_one_line(capsys, "'pipe.wf' has not ended within the limit of 0.1 seconds")
