"""What shows the inside of a run: disasm, graph, bench, progress, and loops that are proven."""

import ast
import json
import os
import pty
import re
import subprocess
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from llvmlite.binding import parse_assembly

from planewalk.apps.cli import bench
from planewalk.apps.cli import program as cli_program
from planewalk.apps.cli.main import main
from planewalk.apps.insight import Graph
from planewalk.apps.overdue import Overdue
from planewalk.core.errors import LimitReached
from planewalk.core.geometry import Stance
from planewalk.core.limits import Limits, allowing
from planewalk.core.program import Program
from planewalk.core.state import Walker
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry
from planewalk.languages.bmprog.text import text_to_picture
from planewalk.view.code.disasm_native import stretches
from planewalk.view.drawing.theme import hexadecimal
from planewalk.view.flow.dot import flow_dot
from planewalk.view.flow.drawing import (
    ENTRY,
    FAINT,
    INK,
    PAPER,
    BoxShape,
    TipShape,
    WayShape,
    WordsShape,
    flow_picture,
)
from planewalk.view.flow.flow import Flow, FlowEdge, Stretch, flow_of
from planewalk.view.flow.flow_image import flow_image
from planewalk.view.flow.flow_svg import flow_svg
from tests import warm
from tests.apps.terminals import all_of
from tests.apps.test_run import COMMAND, planewalk
from tests.marks import plainly
from tests.patience import PATIENCE

BUSY = ">1$v\n^  <\n"
"""Mirrorfunge that walks in a ring; the state repeats."""
COUNTING = "0>)v\n ^ <\n"
"""Mirrorfunge that walks in a ring and adds one each time."""
HALVING = "0>9+2|v\n ^    <\n"
"""Mirrorfunge that adds and halves each time: LLVM cannot do all rounds at once."""


@pytest.fixture
def example(tmp_path: Path):
    """A function that writes an example out and gives its path."""

    def copy(language: str, file: str) -> Path:
        path = tmp_path / file
        path.write_bytes(find_example(file).read())
        return path

    return copy


@pytest.fixture
def program(tmp_path: Path):
    def write(source: str, name: str = "p.mf") -> Path:
        path = tmp_path / name
        path.write_text(source)
        return path

    return write


# disasm ------------------------------------------------------------------------------------------


def test_disasm_prints_python_that_names_cells(program, tmp_path: Path) -> None:
    path = program(COUNTING)
    text = planewalk("disasm", path, "--max-steps", "5000").stdout.decode()
    ast.parse(text)
    assert "# unit 1: starts at (" in text and "heading" in text
    assert "times, " in text or "once, " in text
    assert "#   row 0: " in text and "# head 0: (" in text and "# out of fuel at (" in text
    planewalk("disasm", path, "--max-steps", "5000", "-o", tmp_path / "out.py")
    assert (tmp_path / "out.py").read_text() == text


@pytest.mark.parametrize(("source", "name", "why"), [
    ("1.@", "p.mf", "3 steps no place was met often enough\n"),
    (".", "p.mf", "often enough; --max-steps makes it longer"),
    ("~.@", "p.mf", "waits for input after 0 steps"),
])  # fmt: skip
def test_disasm_says_in_a_line_why_nothing_was_compiled(program, source, name, why) -> None:
    done = planewalk("disasm", program(source, name), "--max-steps", "4")
    assert done.returncode == 0 and done.stdout.count(b"\n") == 1
    assert why in done.stdout.decode()


def test_disasm_does_not_compile_a_crowd(example) -> None:
    done = planewalk("disasm", example("refunge", "duet.ref"), "--max-steps", "3000")
    assert b"nothing was compiled: several walkers" in done.stdout
    done = planewalk("disasm", example("bmprog", "clock.png"), "--max-steps", "3000")
    assert b"nothing was compiled: BMProg, " in done.stdout
    assert b"runs on an engine of its own" in done.stdout


ONE_OF_EACH = (
    ("gemooy", "counter.gemooy"), ("refunge", "sierpinski.ref"), ("webfunge", "clock.wf"),
    ("mirrorfunge", "mandelbrot.mf"), ("bmprog", "clock.png"),
)  # fmt: skip


NATIVE = (["--as", "llvm"], ["--as", "llvm", "--optimised"], ["--as", "asm"])


@pytest.mark.parametrize(
    ("form", "some"),
    plainly([([], ONE_OF_EACH), (NATIVE[2], ONE_OF_EACH[2:4])], product(NATIVE, [ONE_OF_EACH])),
)
def test_disasm_lists_every_language_and_every_form(example, tmp_path: Path, form, some) -> None:
    for language, file in some:
        words = ["disasm", str(example(language, file)), "--max-steps", "20000", *form]
        assert main([*words, "-o", str(tmp_path / "out")]) == 0
        text = (tmp_path / "out").read_text()
        if not form:
            ast.parse(text)
        assert not form or "@unit" in text or "it stays Python: " in text or language == "bmprog"


def test_disasm_lists_ir_that_names_cells(program) -> None:
    path = program(COUNTING)
    text = planewalk("disasm", path, "--max-steps", "5000", "--as", "llvm").stdout.decode()
    module = parse_assembly(text)
    module.verify()
    assert [function.name for function in module.functions if not function.is_declaration] == [
        "unit"
    ]
    lines = text.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("; head 0: (2, 0) "))
    assert lines[head : head + 5] == [
        "; head 0: (2, 0) heading right: ) count",
        ";   2 values on the stack, at most 6 ticks, 6 cells:",
        ";     row 0: 1 to 3",
        ";     row 1: 1 to 3",
        "enter0:",
    ]
    walk = lines.index("  ; (2, 0) heading right: )v")
    assert lines[walk - 1].endswith(":") and lines[walk + 1 : walk + 4] == [
        "  ; (3, 1) heading down: <",
        "  ; (2, 1) heading left: ·^",
        "  ; (1, 0) heading up: >",
    ]
    assert "  br label %head0  ; on to (2, 0) heading right" in lines
    assert "  store i64 1, ptr %exit  ; leave at (2, 0) heading right: ) count" in lines
    assert "  store i64 0, ptr %exit  ; out of fuel at (2, 0) heading right: ) count" in lines
    assert any(line.endswith("i64 0  ; fuel") for line in lines)


def test_disasm_lists_what_llvm_makes_of_it(program) -> None:
    path = program(HALVING)
    plain, optimised, code = (
        planewalk("disasm", path, "--max-steps", "5000", *form).stdout.decode() for form in NATIVE
    )
    parse_assembly(optimised).verify()
    assert "alloca" in plain and "alloca" not in optimised
    for text, mark in ((optimised, ";"), (code, "#")):
        assert f"{mark} head 0: (2, 1) heading left: nothing" in text
        assert f"  {mark} (2, 1) heading left: ·^" in text
    assert "unit:" in code and "define" not in code


def test_a_listing_is_the_same_every_time(program) -> None:
    path = program(COUNTING)
    for form in (["--as", "python"], *NATIVE):
        first, second = (planewalk("disasm", path, *form).stdout for _ in range(2))
        assert first == second and len(first) > 500


def test_disasm_needs_llvmlite_only_for_what_llvm_does(program, tmp_path: Path) -> None:
    (tmp_path / "llvmlite.py").write_text("raise ImportError('not here')")
    hidden = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))

    def disasm(*words: str) -> subprocess.CompletedProcess[bytes]:
        command = [*COMMAND, "disasm", str(program(COUNTING)), "--max-steps", "5000", *words]
        return subprocess.run(
            command, capture_output=True, timeout=PATIENCE, env={**os.environ, "PYTHONPATH": hidden}
        )

    plain = disasm("--as", "llvm")
    assert (plain.returncode, plain.stderr) == (0, b"") and b"define i64 @unit" in plain.stdout
    missing = b"llvmlite is not installed (pip install llvmlite)\n"
    for words, option in ((NATIVE[1], b"--optimised"), (NATIVE[2], b"--as asm")):
        done = disasm(*words)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == b"planewalk: " + option + b": " + missing
    done = disasm("--optimised")
    assert done.returncode == 2 and done.stderr == b"planewalk: --optimised goes with --as llvm\n"


def test_walks_are_told_in_straight_pieces() -> None:
    found = registry.get("mirrorfunge")
    places = [(0, 0), (1, 0), (2, 0), (0, 0), (5, 0)]  # round the torus, and a jump
    walked = [(Stance(x, y, 1, 0), found.table[ord(sign)]) for (x, y), sign in zip(
        places, "1+@):", strict=True)]  # fmt: skip
    walked.append((Stance(5, 1, 0, 1), found.table[ord("v")]))
    assert list(stretches(found, walked)) == [
        "(0, 0) heading right: 1+@",
        "(0, 0) heading right: )",
        "(5, 0) heading right: :",
        "(5, 1) heading down: v",
    ]
    assert list(stretches(found, [])) == []


# graph -------------------------------------------------------------------------------------------


def standing_clock() -> float:
    return 0.0


def flow(source: str | bytes, steps: int = 1000, language: str = "mirrorfunge", **more) -> Flow:
    found, data = registry.get(language), source if isinstance(source, bytes) else source.encode()
    start = Program(found, data).start(0)
    return flow_of(found, start, Limits(steps), standing_clock, **more)


def test_flow_collapses_corridors_and_counts_ways() -> None:
    found = flow("12v\n@./\n", 100)
    first = found.stretches[0]
    assert (first.first, first.last, first.heading, first.entry) == ((0, 0), (2, 0), "right", True)
    assert first.symbols == "12v" and first.times == 1
    assert [(way.source, way.target, way.times) for way in found.ways] == [(0, 1, 1), (1, 2, 1)]
    assert found.stretches[2].ends == 1 and found.status == "halted"


def test_flow_of_a_loop_has_a_way_back() -> None:
    found = flow(BUSY, 400)
    assert found.status == "limit" and found.steps == 400
    back = [way for way in found.ways if way.target <= way.source]
    assert len(back) == 1 and back[0].times > 40


def test_walkers_that_fork_are_followed() -> None:
    walked = flow(find_example("clock.png").read(), 2000, "bmprog")
    into = {way.target for way in walked.ways}
    lonely = [n for n, s in enumerate(walked.stretches) if n not in into and not s.entry]
    assert not lonely, "everybody comes from somewhere"
    assert any(stretch.gone for stretch in walked.stretches)


def test_walkers_keep_to_their_own_ways() -> None:
    """Two signals in rings of their own, which act in turns."""
    found = registry.get("bmprog")
    board = text_to_picture(b">..v\n^..<\n....\n>..v\n^..<\n", ".png")
    state = Program(found, board).start(0)
    heading = {(1, 0): (1, 0), (2, 4): (-1, 0), (3, 3): (0, 1)}
    moving = found.start(text_to_picture(b">", ".png"), found.read_options({"arg": 1}), 0)
    stance = moving.walkers[0].stance
    state.walkers = [
        Walker(stance._replace(x=x, y=y, dx=dx, dy=dy)) for (x, y), (dx, dy) in heading.items()
    ]
    walked = flow_of(found, state, Limits(60), standing_clock)
    assert len(walked.ways) > 4
    for way in walked.ways:
        ends = walked.stretches[way.source].last, walked.stretches[way.target].first
        assert (ends[0][1] < 2) == (ends[1][1] < 2), ends


def test_too_many_stretches_are_cut_with_a_note() -> None:
    cut = flow("12v\n @+.<\n  >  ^\n", 100, most=2)
    assert len(cut.stretches) == 2 and cut.left_out > 0 and cut.stretches[0].entry
    assert "left out" in flow_svg(flow_picture(cut, "p.mf"))


def test_graph_writes_svg_or_json(example, program, tmp_path: Path) -> None:
    for language, file in (("mirrorfunge", "hello.mf"), ("bmprog", "adder.png")):
        path = example(language, file)
        done = planewalk("graph", path, "-o", tmp_path / "flow.svg", "--max-steps", "3000")
        assert (done.returncode, done.stderr) == (0, b"")
        root = ElementTree.parse(tmp_path / "flow.svg").getroot()
        text = "".join(root.itertext())
        assert root.tag.endswith("svg") and "start" in text and file in text
        planewalk("graph", path, "-o", tmp_path / "flow.json", "--max-steps", "3000")
        data = json.loads((tmp_path / "flow.json").read_text())
        assert data["stretches"] and data["steps"] <= 3000
    hungry = planewalk("graph", program("12&.@"), "-o", tmp_path / "flow.svg")
    assert hungry.returncode == 0
    assert b"p.mf: asks for input after 2 steps; --input gives it some" in hungry.stderr
    bad = planewalk("graph", path, "-o", tmp_path / "flow.pdf")
    assert bad.returncode == 2 and b".svg, .png, .dot or .json" in bad.stderr


def test_a_graph_as_pixels_has_all_that_its_svg_has() -> None:
    """A rewritten loop and a fork: broken borders, ways back, curves, labels."""
    found = flow("v\n#\n>X?v\n^  <\n", 60, "refunge")._replace(left_out=1)
    first = found.stretches[0]._replace(changed=True)
    picture = flow_picture(found._replace(stretches=[first, *found.stretches[1:]]), "p.ref")
    kinds = {type(shape) for shape in (*picture.around, *picture.inner)}
    assert kinds == {WordsShape, BoxShape, WayShape, TipShape}
    image = flow_image(picture)
    assert image.size == (2 * round(picture.width), 2 * round(picture.height))
    seen = {colour for _, colour in image.getcolors(1 << 24)}
    assert {hexadecimal(name[1:]) for name in (PAPER, INK, FAINT, ENTRY)} <= seen and len(seen) > 20
    for shape in (*picture.around, *picture.inner):
        if isinstance(shape, BoxShape) and shape.fill:
            by = (0, 0) if shape in picture.around else (picture.across, picture.down)
            spot = (2 * (shape.x + by[0] + shape.radius), 2 * (shape.y + by[1] + 3))
            assert image.getpixel(tuple(map(round, spot))) == hexadecimal(shape.fill[1:])


def test_large_graphs_are_drawn_in_bands_with_fewer_pixels(monkeypatch: Any) -> None:
    picture = flow_picture(flow("12v\n@./\n", 100), "p.mf")
    whole = flow_image(picture)
    monkeypatch.setattr("planewalk.view.flow.flow_image.BAND", 31)
    assert flow_image(picture).tobytes() == whole.tobytes()
    monkeypatch.setattr("planewalk.view.flow.flow_image.SHARP", 1)
    assert flow_image(picture).size == (whole.width // 2, whole.height // 2)


def test_a_graph_for_graphviz(program, tmp_path: Path) -> None:
    path = program('12v\n@."\n')
    done = planewalk("graph", path, "-o", "-", "--as", "dot")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == 'digraph "p.mf" {' and lines[-1] == "}"
    nodes = [line.split()[0] for line in lines if "label=" in line and "->" not in line]
    ends = {end for line in lines if "->" in line for end in re.findall(r"\bn\d+\b", line)}
    assert nodes == [f"n{at}" for at in range(len(nodes))] and ends == set(nodes)
    assert flow_dot(flow('1"\\', 9), 'a"b\\c').startswith('digraph "a\\"b\\\\c" {')
    assert 'label="1\\"\\\\' in flow_dot(flow('1"\\', 9), "x")


def test_a_graph_is_written_as_asked_whatever_its_name(program, tmp_path: Path) -> None:
    path = program("1.@")
    for words, starts in (
        (["-o", "-"], b"<svg"),
        (["-o", "-", "--as", "png"], b"\x89PNG"),
        (["-o", "-", "--as", "json"], b"{"),
    ):
        assert planewalk("graph", path, *words).stdout.startswith(starts)
    assert planewalk("graph", path, "-o", tmp_path / "x", "--as", "png").returncode == 0
    assert (tmp_path / "x").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(LimitReached, match=r"drawing .* pixels"), allowing(Limits(memory=1000)):
        Graph(flow("1.@"), "p.mf").image()


def test_pictures_escape_text_and_have_a_background() -> None:
    stretch = Stretch((0, 0), (3, 0), "right", '<&>"\x00\x1b', 3, True, True, 1, 0)
    walked = Flow([stretch], [FlowEdge(0, 0, 2)], "halted", 9, 0)
    picture = flow_svg(flow_picture(walked, "a<b>&.mf"))
    root = ElementTree.fromstring(picture)
    text = "".join(root.itertext())
    assert "<text" not in picture and "font" not in picture, "letters are strokes"
    assert '<&>"▫▫' in text and "a<b>&.mf" in text
    assert 'width="100%" height="100%" fill="#' in picture


def test_a_large_graph_is_laid_out() -> None:
    count = 100
    stretches = [
        Stretch((n, 0), (n, 0), "right", "x", n + 1, False, n == 0, 0, 0) for n in range(count)
    ]
    ways = [FlowEdge(n, (n * 7 + k) % count, n + 1) for n in range(count) for k in (1, 90)]
    root = ElementTree.fromstring(
        flow_svg(flow_picture(Flow(stretches, ways, "limit", 1, 0), "big"))
    )
    assert len(list(root.iter())) > count + len(ways)


# bench -------------------------------------------------------------------------------------------


def test_bench_prints_a_table_with_bars(program) -> None:
    long, short = program(COUNTING), program("1.@", "short.mf")
    done = planewalk("bench", long, short, "--seconds", "0.05")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert lines[0] == "p.mf: no end in sight" and "short.mf: 3 steps" in lines
    assert " ".join(lines[1].split()) == "engine whole run ratio code there ratio"
    assert lines[2].split()[0] == "reference" and lines[2].count(" 1.00") == 2
    assert any(bar in done.stdout.decode() for bar in "█#") and max(map(len, lines)) <= 100
    answer = json.loads(planewalk("bench", short, "--seconds", "0.05", "--json").stdout)
    row = answer["measured"][0]
    assert row["engine"] == "reference" and row["ratio"] == row["pace_ratio"] == 1
    assert row["runs"] > 1 and row["ended"] and row["steps"] == 3
    engines = [row["engine"] for row in answer["measured"]]
    assert engines == ["reference", "interpreter", "python", "llvm", "auto"]
    assert answer["disagreements"] == []


def test_bench_leaves_out_what_a_language_does_not_have() -> None:
    """There is no interpreter for programs on floats."""
    done = planewalk("bench", "gradient.wf", "--seconds", "0.05", "--json")
    engines = [row["engine"] for row in json.loads(done.stdout)["measured"]]
    assert engines == ["reference", "python", "llvm", "auto"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_table_of_engines_fits_into_the_terminal(program, width: int) -> None:
    environment = {**os.environ, "COLUMNS": str(width)}
    done = planewalk("bench", program("1.@"), "--seconds", "0.05", env=environment)
    lines = done.stdout.decode().splitlines()
    assert max(map(len, lines)) <= width
    assert ("code there" in lines[1], lines[2][-1] in "█#") == (width > 50, width > 70)


@pytest.fixture
def measured(monkeypatch):
    """A function that lets engines of other kinds be measured, by their names or as all others;
    the stores that they were given are noted."""
    stores = []

    def instead(usual=None, **kinds):
        def choose(name, language, state, limits, store):
            stores.append(store)
            made = kinds.get(name, usual)
            given = (language, state, limits)
            return made(*given) if made else choose_engine(name, *given, store)

        monkeypatch.setattr(bench, "choose_engine", choose)
        return stores

    return instead


def test_bench_counts_on_what_comes_with_planewalk(
    program, measured, monkeypatch, tmp_path
) -> None:
    """And adds nothing to that."""
    stores = measured()
    monkeypatch.setattr(bench, "FOLDER", str(tmp_path / "stock"))
    assert main(["bench", str(program(COUNTING)), "--seconds", "0.1"]) == 0
    assert stores and all(store.folder == str(tmp_path / "stock") for store in stores)
    assert not (tmp_path / "stock").exists()


def test_bench_says_when_runs_are_too_short(program) -> None:
    done = planewalk("bench", program("1@"), "--seconds", "0.05")
    assert done.returncode == 0
    assert b"ends after 2 steps" in done.stderr and b"--input" in done.stderr


@pytest.mark.parametrize("words", [[], ["--json"]], ids=["table", "json"])
def test_bench_tells_what_it_has_measured_when_its_time_is_over(
    program, measured, capfd, words: list[str]
) -> None:
    class Broken(ReferenceEngine):
        def advance(self, ticks: int):
            super().advance(ticks)
            raise Overdue  # as a signal does, in the midst of a stretch

    measured(ReferenceEngine, llvm=Broken)
    command = ["bench", str(program(COUNTING)), "--seconds", "0.1", "--max-time", "99"]
    assert main([*command, "--engines", "reference,python,llvm", *words]) == 3
    told, said = capfd.readouterr()
    assert said.splitlines()[-1] == (
        "planewalk: stopped: the limit of 99 seconds is reached (--max-time); the table has what "
        "was measured by then"
    )
    if words:
        answer = json.loads(told)
        assert [row["engine"] for row in answer["measured"]] == ["reference", "python"]
        assert answer["disagreements"] is None
    else:
        lines = told.splitlines()
        assert [line.split()[0] for line in lines[2:4]] == ["reference", "python"] and not lines[4]


def test_bench_says_when_its_time_is_over_between_two_runs(
    program, measured, monkeypatch, capfd
) -> None:
    """Not that a program cannot start."""
    now = [0.0]

    class Late(ReferenceEngine):
        def advance(self, ticks: int):
            now[0] = 100.0
            return super().advance(ticks)

    measured(ReferenceEngine, python=Late)
    monkeypatch.setattr(cli_program, "time", SimpleNamespace(monotonic=lambda: now[0]))
    command = ["bench", str(program(COUNTING)), "--max-steps", "500", "--max-time", "99"]
    assert main([*command, "--seconds", "0.1", "--engines", "reference,python,llvm"]) == 3
    told, said = capfd.readouterr()
    assert [line.split()[0] for line in told.splitlines()[2:4]] == ["reference", "python"]
    assert said.splitlines()[-1].startswith(
        "planewalk: stopped: the limit of 99 seconds is reached"
    )


def test_bench_reads_input_and_knows_its_engines(program, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("7")
    path = program("&.@")
    done = planewalk("bench", path, "--input", tmp_path / "in", "--seconds", "0.05")
    assert done.returncode == 0
    done = planewalk("bench", path, "--engines", "refrence", "--seconds", "0.05")
    assert done.returncode == 2 and b"did you mean 'reference'" in done.stderr


def test_bench_says_when_engines_disagree(program, measured, capfd) -> None:
    class Wrong(ReferenceEngine):
        def advance(self, ticks: int):
            stop = super().advance(ticks)
            if self.state.tick > 1000:
                self.state.stack[:] = [*self.state.stack, 5]
            return stop

    measured(python=Wrong)
    assert main(["bench", str(program(COUNTING)), "--seconds", "0.1"]) == 4
    said = capfd.readouterr().err
    assert "python and reference DISAGREE at step " in said and "different stack" in said


# progress ----------------------------------------------------------------------------------------


AT_ONCE = {f"planewalk.apps.cli.progress.{name}": 0 for name in ("PATIENCE", "EVERY")}
"""As if a second went by in no time."""


def at_terminal(*words: object, joined: bool = False) -> bytes:
    """What comes to a terminal on standard error; standard output may join it."""
    controller, terminal = pty.openpty()
    nothing = os.open(os.devnull, os.O_RDWR)
    output = os.dup(terminal if joined else nothing)
    child = warm.start(words, [nothing, output, terminal], settings=AT_ONCE)
    said = all_of(controller)
    child.wait()
    os.close(controller)
    return said


def test_a_long_run_says_how_far_it_is_and_wipes_it_away(program) -> None:
    said = at_terminal("run", program(BUSY), "--max-steps", "5000")
    assert b" steps, " in said and b" engine" in said and b"steps/s" in said
    assert said.rindex(b"\x1b[K") > said.rindex(b" engine")
    assert said.rstrip().endswith(b"(--max-steps)")


def test_progress_is_silent_where_it_would_disturb(program) -> None:
    words = ("run", program(BUSY), "--max-steps", "5000")
    assert b" engine" not in at_terminal(*words, "--no-progress")
    assert b" engine" not in planewalk(*words, settings=AT_ONCE).stderr
    assert b" engine" in planewalk(*words, "--progress", settings=AT_ONCE).stderr
    printing = program("1.", "printing.mf")
    said = at_terminal("run", printing, "--max-steps", "5000", joined=True)
    assert b" engine" not in said and said.startswith(b"1111")


def test_a_short_run_says_nothing(program) -> None:
    said = planewalk("run", program(BUSY), "--max-steps", "500", "--progress").stderr
    assert b" engine" not in said
