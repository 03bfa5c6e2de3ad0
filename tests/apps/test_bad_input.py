"""Bad input gets one clear line, exit code 2, and no traceback."""

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import planewalk
from tests.patience import PATIENCE


def png(width: int, height: int, data: bytes = b"") -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        whole = kind + body
        return struct.pack(">I", len(body)) + whole + struct.pack(">I", zlib.crc32(whole))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "ok.mf").write_text("1.@")
    (tmp_path / "ok.wf").write_text("@")
    (tmp_path / "ok.ref").write_text("^")
    (tmp_path / "none.png").write_text("this is text")
    (tmp_path / "empty.png").write_bytes(b"")
    whole = png(2, 1, zlib.compress(b"\0" + b"\xff" * 6))
    (tmp_path / "ok.png").write_bytes(whole)
    noise = bytes(range(256)) * 12
    (tmp_path / "cut.png").write_bytes(png(32, 32, zlib.compress(noise + noise[:32]))[:-150])
    (tmp_path / "bomb.png").write_bytes(png(60_000, 60_000, zlib.compress(bytes(10_000))))
    (tmp_path / "huge.png").write_bytes(png(20_000, 20_000, zlib.compress(bytes(1000))))
    (tmp_path / "circuit.txt").write_text("..>\n.q.\n")
    (tmp_path / "prose.txt").write_text("Dear all,\nwhat a nice day.\n")
    (tmp_path / "loop.bf").write_text("+[>+\n<-]]")
    return tmp_path


BAD = [
    (["run", "missing.mf"], "'missing.mf' does not exist"),
    (["run", "okk.mf"], "did you mean 'ok.mf'?"),
    (["run", "primse.mf"], "did you mean 'primes.mf'?"),
    (["run", "primes.mff"], "did you mean 'primes.mf'?"),
    (["run", "foo.bf"], "'foo.bf' does not exist; check the name\n"),
    (["examples", "show", "foo.bf"], "there is no example 'foo.bf'; planewalk examples lists"),
    (["run", "."], "'.' is a folder"),
    (["run", "ok.mf", "--lang", "mirorfunge"], "did you mean 'mirrorfunge'?"),
    (["run", "circuit.txt"], "circuit.txt: 'q' is no cell"),
    (["run", "prose.txt"], "--lang"),
    (["run", "ok.png", "--arg", "0b12"], "--arg: expected a whole number, 0 or more, not '0b12'"),
    (["run", "ok.png", "--arg", "1__0"], "--arg: expected a whole number, 0 or more, not '1__0'"),
    (["run", "ok.mf", "--table"], "--table: Mirrorfunge programs have no bits of input"),
    (["run", "ok.png", "--table", "--arg", "1"],
     "--table goes through all inputs; leave out --arg"),
    (["run", "ok.png", "--table", "--bits", "1"], "--bits: the program has 0 input bits, not 1"),
    (["run", "ok.png", "--bits", "1"], "add --table"),
    (["picture", "ok.mf", "--at", "fin", "-o", "x.png"], "--at: expected a step or 'end'"),
    (["run", "ok.ref", "--set", "clear-mode=maybe"], "--set clear-mode: expected true or false"),
    (["run", "ok.ref", "--set", "nul=ab"], "--set nul: expected one character"),
    (["run", "ok.ref", "--set", "null=a"], "did you mean 'nul'?"),
    (["run", "ok.ref", "--set", "nul"], "expected KEY=VALUE"),
    (["run", "none.png"], "none.png: this is not a picture that can be read"),
    (["run", "empty.png"], "empty.png: the file is empty"),
    (["run", "cut.png"], "cut.png: the picture is damaged"),
    (["run", "bomb.png"], "bomb.png: the picture has"),
    (["run", "huge.png"], "huge.png: the picture has"),
    (["run", "ok.png", "--arg", "-1"], "--arg: expected a whole number, 0 or more, not '-1'"),
    (["run", "ok.png", "--arg", "1.5"], "--arg: expected a whole number, 0 or more, not '1.5'"),
    (["run", "ok.mf", "--arg", "1"], "Mirrorfunge has no option 'arg'"),
    (["run", "ok.wf", "--pixel", "9,9", "--size", "9x9"], "pixel 9,9 lies outside the picture"),
    (["run", "ok.wf", "--pixel", "9"], "--pixel: expected two whole numbers as X,Y"),
    (["run", "ok.wf", "--size", "0x9"], "--size: a picture of 0 x 9 has no pixels"),
    (["run", "ok.wf", "--time", "noon"], "--time: expected seconds as a number"),
    (["run", "ok.wf", "--texture", "none.png"], "'none.png' is not a picture"),
    (["run", "ok.mf", "--max-steps", "-1"], "--max-steps: expected a whole number, 0 or more"),
    (["run", "ok.mf", "--max-time", "soon"], "--max-time: expected seconds"),
    (["run", "ok.mf", "--max-memory", "1X"], "is not a size"),
    (["run", "ok.mf", "--seed", "x"], "--seed: expected a whole number"),
    (["run", "ok.mf", "--engine", "lvm"], "did you mean 'llvm'?"),
    (["run", "ok.mf", "--input", "missing"], "'missing' does not exist"),
    (["run", "ok.mf", "--input", "."], "'.' is a folder"),
    (["run", "ok.mf", "--exit-value"], "Mirrorfunge programs have no value"),
    (["run"], "required: FILE"),
    (["run", "ok.mf", "ok.wf"], "'ok.wf' is not expected here (see planewalk help run)"),
    (["rum", "ok.mf"], "there is no command or file 'rum'; did you mean run?"),
    (["qqqqq"], "there is no command or file 'qqqqq'; planewalk help lists them all"),
    (["help", "rum"], "there is no command or file 'rum'; did you mean run?"),
    (["missing.mf"], "'missing.mf' does not exist"),
    (["run", "ok.mf", "--max-step", "5"], "no option --max-step; did you mean --max-steps?"),
    (["run", "--max-step=5", "ok.mf"], "no option --max-step; did you mean --max-steps?"),
    (["run", "ok.mf", "-max-steps", "5"], "no option -max-steps; did you mean --max-steps?"),
    (["film", "ok.mf", "--otput", "x.gif"], "film has no option --otput; did you mean --output?"),
    (["ok.mf", "--max-step", "5"], "no option --max-step; did you mean --max-steps?"),
    (["--vesion"], "planewalk has no option --vesion; did you mean --version?"),
    (["film", "ok.mf", "--theme", "drak", "-o", "x.gif"],
     "--theme: expected light or dark, not 'drak'"),
    (["film", "ok.mf", "--theme", "drak", "-o", "x.gif"], "did you mean dark?"),
    (["film", "ok.mf", "--theme", "7", "-o", "x.gif"], "--theme: expected light or dark"),
    (["examples", "cpoy"], "expected list, show or copy, not 'cpoy'; did you mean copy?"),
    (["render", "ok.mf", "-o", "x.png"], "Mirrorfunge programs do not colour pixels"),
    (["render", "ok.wf", "-o", "x.jpg"], "must end in .png"),
    (["render", "ok.wf", "-o", "no/folder/x.png"], "cannot be written"),
    (["render", "ok.wf", "--size", "99999x99999", "-o", "x.png"], "is more than"),
    (["examples", "show", "helo.ref"], "did you mean 'hello.ref'?"),
    (["examples", "copy", "hello"], "there are several examples 'hello': name one of hello.ref"),
    (["examples", "list", "gemoy"], "did you mean 'gemooy'?"),
    (["convert", "circuit.txt", "-o", "x.png"], "'q' is no cell"),
    (["convert", "circuit.txt", "-o", "x.png"], "at (1, 1)"),
    (["convert", "ok.mf", "-o", "x.png"], "there is no way from .mf to .png"),
    (["convert", "ok.png", "-o", "ok.txt", "--from", "png", "--to", "zip"], "there is no way"),
    (["convert", "loop.bf", "-o", "x.ref"], "(3, 1)"),
    (["convert", "loop.bf", "-o", "x.ref", "--eof", "1"], "--eof: expected 0, -1 or keep"),
    (["list", "befunge"], "unknown language 'befunge'"),
    (["explain", "missing.mf"], "'missing.mf' does not exist"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_gets_one_clear_line(here: Path, words: list[str], said: str) -> None:
    done = planewalk(*words, cwd=here)
    assert_one_clear_line(done, said)
    assert not list(here.glob(".planewalk-*")) and not (here / "x.png").exists()


def test_an_unreadable_file_says_so(here: Path) -> None:
    (here / "ok.mf").chmod(0)
    if os.access(here / "ok.mf", os.R_OK):
        (here / "ok.mf").unlink()
        (here / "ok.mf").symlink_to("ok.mf")  # root may read everything but this
    done = planewalk("run", "ok.mf", cwd=here)
    assert done.returncode == 2
    assert b"'ok.mf' cannot be read: " in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["run", "ok.mf"], ["run", "ok.mf", "--json"], ["list"]])
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_is_said_for_output(here: Path, words: list[str], buffered: bool) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    if not buffered:
        environment["PYTHONUNBUFFERED"] = "1"
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "planewalk", *words],
            stdout=full, stderr=subprocess.PIPE, cwd=here, env=environment, timeout=PATIENCE,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == b"planewalk: output cannot be written: No space left on device\n"


def test_a_full_disk_leaves_nothing_behind_when_copying(tmp_path: Path) -> None:
    done = planewalk("examples", "copy", "all", "here", cwd=tmp_path, room=4)
    assert done.returncode == 2
    assert b"cannot be written: File too large" in done.stderr
    assert b"Traceback" not in done.stderr and done.stderr.count(b"\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
