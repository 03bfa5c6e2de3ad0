"""`planewalk run` over real pipes and terminals."""

import base64
import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planewalk.apps.cli.progress import Progress
from planewalk.apps.cli.run import Drain
from planewalk.core.limits import Limits
from planewalk.core.plane import TextPlane
from planewalk.core.state import State
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry
from tests import signals, warm
from tests.patience import PATIENCE

COMMAND = [sys.executable, "-m", "planewalk"]


def planewalk(*words: object, data: bytes = b"", **more) -> subprocess.CompletedProcess[bytes]:
    """The command, in a process of its own."""
    said, environment = [*map(str, words)], more.get("env", os.environ)
    if more.keys() <= {"cwd", "env", "settings", "room"} and warm.can_stand_for(environment):
        settings, room = more.get("settings"), more.get("room")
        return warm.call(said, data, more.get("cwd"), environment, settings=settings, room=room)
    return subprocess.run(
        [*COMMAND, *said], input=data, capture_output=True, timeout=PATIENCE, **more
    )


@pytest.fixture
def program(tmp_path: Path):
    """A function that writes a program and gives its path."""

    def write(source: bytes | str, name: str = "p.mf") -> Path:
        path = tmp_path / name
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return path

    return write


def test_output_is_raw_and_exit_code_0(program) -> None:
    done = planewalk("run", program('"iH",,@'))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"Hi", b"")


def test_the_language_comes_from_option_suffix_or_content(program) -> None:
    assert planewalk("run", program("5.@", "x.txt"), "--lang", "mirrorfunge").stdout == b"5"
    assert planewalk("run", program("5.@", "X.MF")).stdout == b"5"
    picture = planewalk("convert", program("..", "b.txt"), "-o", "-", "--to", "bmp").stdout
    assert planewalk("run", program(picture, "no-suffix")).stdout == b"0\n"
    done = planewalk("run", program("5.@", "x.txt"))
    assert done.returncode == 2
    assert b"--lang" in done.stderr


def test_a_program_from_standard_input_has_empty_input() -> None:
    done = planewalk("run", "-", "--lang", "mirrorfunge", data=b"~.@")
    assert (done.returncode, done.stdout) == (0, b"-1")


def test_input_from_a_file(program, tmp_path: Path) -> None:
    (tmp_path / "numbers").write_bytes(b" -12 rest")
    done = planewalk("run", program("&.@"), "--input", tmp_path / "numbers", data=b"7")
    assert done.stdout == b"-12"


def test_input_is_binary_safe(program) -> None:
    every_byte = bytes(range(256))
    cat = program(b"~v?X!X", "cat.ref")  # on a new row: reads a byte, writes it; then round again
    done = planewalk("run", cat, "--max-steps", 6 * 256, data=every_byte)
    assert done.stdout == every_byte


def test_json_holds_everything(program) -> None:
    done = planewalk("run", program("~.@"), "--json", "--seed", "5", data=b"A")
    answer = json.loads(done.stdout)
    assert answer.pop("seconds") >= 0
    assert answer == {
        "language": "mirrorfunge",
        "status": "halted",
        "steps": 3,
        "output_b64": base64.b64encode(b"65").decode(),
        "state": {"ip": [2, 0], "dir": "right", "stack": [], "string_mode": False},
        "seed": 5,
        "engine": "reference",
    }


def test_a_fresh_seed_is_told_and_repeats_the_run(program) -> None:
    path = program("0ff*f*f*f*f*?.@")
    first = json.loads(planewalk("run", path, "--json").stdout)
    again = json.loads(planewalk("run", path, "--json", "--seed", first["seed"]).stdout)
    other = json.loads(planewalk("run", path, "--json").stdout)
    assert again["output_b64"] == first["output_b64"]
    assert other["seed"] != first["seed"]


@pytest.mark.parametrize(("source", "words", "code", "said"), [
    ("5", ["--max-steps", "7"], 3, "stopped after 7 steps: the limit of 7 steps is reached"),
    ("5", ["--max-time", "0.2"], 3, "the limit of 0.2 seconds is reached (--max-time)"),
    ("1.", ["--max-output", "9"], 3, "the limit of 9 bytes of output is reached"),
    ("5", ["--max-memory", "1M"], 3, "the limit of 1 MiB of memory is reached (--max-memory)"),
])  # fmt: skip
def test_limits_say_so_and_exit_with_3(program, source, words, code, said) -> None:
    done = planewalk("run", program(source), *words)
    assert done.returncode == code
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_the_output_limit_cuts_exactly(program) -> None:
    assert planewalk("run", program("12.."), "--max-output", "5").stdout == b"21212"[:5]
    done = planewalk("run", program("1.@"), "--max-output", "1")
    assert (done.returncode, done.stdout) == (0, b"1")


def test_a_fault_names_the_place_and_exits_with_4(program) -> None:
    done = planewalk("run", program("5", "p.wf"))
    assert done.returncode == 4
    assert "fault at (0, 0) after 252 steps: stack overflow" in done.stderr.decode()


def test_webfunge_prints_its_log_and_colour(program) -> None:
    done = planewalk("run", program("7,q01/12/1@", "p.wf"), "--pixel", "3,2", "--size", "10x8")
    assert done.stdout == b"7\n[3, 2, 10, 8, 0]\n0 127 255\n"


def test_bmprog_prints_its_value_and_may_exit_with_it(program) -> None:
    board = program("......\n......\n......\n", "b.txt")
    planewalk("convert", board, "-o", board.with_suffix(".png"))
    path = board.with_suffix(".png")
    assert planewalk("run", path, "--arg", "3").stdout == b"3\n"
    assert planewalk("run", path, "--arg", "3", "--exit-value").returncode == 3
    long = "9" * 5000
    answer = planewalk("run", path, "--arg", long, "--json").stdout
    assert json.loads(answer)["value"] == 3


MEMORY = [
    ("forks.ref", b"Y" * 3 + b"\n" + b"YYY"), ("field.ref", b"v" * 4000), ("output.mf", b"1."),
    ("stack.mf", b"1"), ("number.mf", b"2:*:*:*:*:*:*:*:*:*:*:*"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source"), MEMORY, ids=[name for name, _ in MEMORY])
def test_whatever_grows_meets_the_memory_limit(program, name: str, source: bytes) -> None:
    done = planewalk("run", program(source, name), "--max-memory", "4M", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"], answer["reason"]) == (3, "limit", "memory")


def test_a_reader_that_goes_away_ends_the_run_quietly(program) -> None:
    path = program("1.")
    line = f"{sys.executable} -m planewalk run {path} | head -c 5"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    for variables in (environment, {**environment, "PYTHONUNBUFFERED": "1"}):
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, timeout=PATIENCE, env=variables
        )
        assert (done.stdout, done.stderr) == (b"11111", b"")


def test_interrupting_keeps_the_output(program) -> None:
    process = signals.start(
        [*COMMAND, "run", str(program("1.v\n  <"))], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout and process.stdout.read(1) == b"1"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert said.startswith(b"planewalk: interrupted after ") and said.count(b"\n") == 1


def test_at_a_terminal_output_comes_before_the_wait_and_control_d_ends_input(program) -> None:
    # Prints a question, reads, prints what it read; then the end of input.
    path = program('"?",~.~.@')
    controller, terminal = pty.openpty()
    process = subprocess.Popen([*COMMAND, "run", str(path)], stdin=terminal, stdout=terminal)
    os.close(terminal)

    def read_until(text: bytes) -> bytes:
        seen = b""
        while text not in seen and select.select([controller], [], [], 30)[0]:
            seen += os.read(controller, 1000)
        return seen

    assert b"?" in read_until(b"?")
    os.write(controller, b"A\x04")  # Ctrl-D behind a letter passes the letter on
    assert b"65" in read_until(b"65")
    os.write(controller, b"\x04")  # and now there is nothing: the end
    assert b"-1" in read_until(b"-1")
    assert process.wait(PATIENCE) == 0
    os.close(controller)


def test_max_time_also_ends_waiting_for_input(program) -> None:
    reader, writer = os.pipe()
    done = subprocess.run(
        [*COMMAND, "run", str(program("~.@")), "--max-time", "0.3"],
        stdin=reader, capture_output=True, timeout=PATIENCE,
    )  # fmt: skip
    os.close(reader)
    os.close(writer)
    assert done.returncode == 3
    assert b"0.3 seconds" in done.stderr


def test_odd_but_valid_sources_simply_run(program) -> None:
    for name in ("e.mf", "e.gemooy"):
        assert planewalk("run", program(b"", name)).returncode == 0
    assert planewalk("run", program(b"", "e.ref"), "--max-steps", "3").returncode == 3
    assert planewalk("run", program(b"", "e.wf")).returncode == 3
    assert planewalk("run", program(b"\0\xff\xfe5.@")).stdout == b"5"


def test_the_engine_can_be_set_in_the_environment(program) -> None:
    done = planewalk("run", program("1.@"), env={**os.environ, "PLANEWALK_ENGINE": "turbo"})
    assert done.returncode == 2
    assert b"unknown engine 'turbo'" in done.stderr


def test_the_limit_of_output_counts_all_that_was_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    written = bytearray()
    monkeypatch.setattr("planewalk.apps.cli.run.write", written.extend)
    state = State(TextPlane([""]), [])
    progress = Progress(ReferenceEngine(registry.get("mirrorfunge"), state), False)
    drain = Drain(state, Limits(output=5), False, progress)
    for piece in (b"abc", b"", b"defg", b"hi"):
        state.output += piece
        drain()
    assert written == b"abcde"
