"""`planewalk shader`, and `--device`."""

import io
import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import planewalk as library
from planewalk.apps.cli import render as cli_render
from planewalk.apps.cli.main import main
from planewalk.apps.pictures.devices import make_device
from planewalk.core.errors import EngineRefused, OptionError
from planewalk.core.limits import Limits
from planewalk.engines.gpu import painter
from planewalk.engines.picture import Box, Painter, cuda, driver
from tests.apps.test_run import planewalk
from tests.graphics import need_adapter


def write(folder: Path, source: str) -> str:
    file = folder / "p.wf"
    file.write_text(source)
    return str(file)


def test_shader_prints_code(tmp_path: Path) -> None:
    file = write(tmp_path, "0y2y/1y3y/4yS@")
    done = planewalk("shader", file)
    assert done.returncode == 0 and done.stdout.count(b"fn shade(") == 1
    assert b"// 0y2y/1y3y/4yS  from (0, 0) right" in done.stdout
    out = tmp_path / "p.frag"
    assert planewalk("shader", file, "--to", "glsl", "-o", str(out)).returncode == 0
    assert out.read_text().startswith("#version 300 es\n")


@pytest.mark.parametrize("source", ["4y0=@", ">1"])
def test_shader_says_what_it_cannot_translate(tmp_path: Path, source: str) -> None:
    done = planewalk("shader", write(tmp_path, source))
    assert done.returncode == 2 and not done.stdout
    assert b"p.wf: at (" in done.stderr and done.stderr.count(b"\n") == 1


def test_shader_is_for_languages_that_draw(tmp_path: Path) -> None:
    file = tmp_path / "p.mf"
    file.write_text("@")
    done = planewalk("shader", str(file))
    assert done.returncode == 2 and b"do not colour pixels" in done.stderr


@pytest.fixture
def no_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> None:
        raise painter.NoAdapter(painter.NO_ADAPTER)

    monkeypatch.setattr(painter, "find_adapter", find)


@pytest.fixture
def no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARY", "libno-such-driver.so")


def render(tmp_path: Path, source: str, device: str, *more: str) -> tuple[int, bytes | None]:
    out = tmp_path / f"{device}.png"
    size = ("--size", "5x4", "--time", "0.5")
    words = [write(tmp_path, source), *size, "--device", device, *more, "-o", str(out)]
    code = main(["render", *words])
    return code, out.read_bytes() if out.exists() else None


def test_without_a_gpu_the_exact_engine_draws(
    tmp_path: Path, no_adapter: None, no_card: None, capfd: pytest.CaptureFixture[str]
) -> None:
    right = render(tmp_path, "0y5/1y4/4y@", "cpu")
    assert right[0] == 0 and capfd.readouterr().err == ""
    assert render(tmp_path, "0y5/1y4/4y@", "auto") == right
    said = capfd.readouterr().err
    assert painter.NO_ADAPTER in said and said.count("\n") == 1
    assert render(tmp_path, "0y5/1y4/4y@", "gpu") == (2, None)
    said = capfd.readouterr().err
    assert f"device gpu: {painter.NO_ADAPTER}" in said and said.count("\n") == 1


def test_without_a_card_that_was_asked_for_nothing_is_drawn(tmp_path, no_card: None, capfd) -> None:
    for fast in ((), ("--fast",)):
        assert render(tmp_path, "0y5/1y4/4y@", "cuda", *fast) == (2, None)
        said = capfd.readouterr().err
        assert "device cuda: no driver of an NVIDIA card" in said and said.count("\n") == 1


class Card:
    """As much of a card as it takes to find out that a program is not for it."""

    chip = "sm_75"
    closed = 0

    def close(self) -> None:
        Card.closed += 1


def test_what_the_card_has_no_code_for_is_drawn_exactly(tmp_path: Path, monkeypatch, capfd) -> None:
    monkeypatch.setattr(cuda, "Card", Card)
    monkeypatch.setattr(Card, "closed", 0)
    assert render(tmp_path, ">1", "cuda") == render(tmp_path, ">1", "cpu")
    said = capfd.readouterr().err
    assert said.startswith("planewalk: drawn on the CPU: the card has no code")
    assert said.count("drawn on") == 1 and said.count("20 of 20 pixels faulted") == 2
    assert Card.closed == 1


class Fails(Painter):
    """A device that is lost while it draws the third frame."""

    closed = 0

    def __init__(self, shader: Any, seed: int | None) -> None:
        super().__init__(shader.program, Limits(), seed)
        self.left = 2

    def paint(self, time: float | None = None, box: Box | None = None) -> bytes:
        if not self.left:
            raise painter.NoAdapter("the graphics processor failed: Parent device is lost")
        self.left -= 1
        return super().paint(time, box)

    def close(self) -> None:
        type(self).closed += 1


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch, no_card: None) -> type[Fails]:
    class OfThisTest(Fails):
        """Painters are closed beside the run, perhaps when the next test has begun."""

    monkeypatch.setattr(painter, "GpuPainter", OfThisTest)
    return OfThisTest


@pytest.mark.parametrize("name", ["f.apng", "f-%d.png", "f.mp4"])
def test_a_device_that_is_lost_leaves_the_frames_before(
    tmp_path: Path, name: str, fails: type[Fails], capfd: pytest.CaptureFixture[str]
) -> None:
    if name == "f.mp4":
        pytest.importorskip("av")
    out = tmp_path / name
    words = ["--size", "4x2", "--frames", "5", "--device", "gpu", "-o", str(out)]
    assert main(["render", write(tmp_path, "0y1y4y@"), *words]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "device gpu: the graphics processor failed: Parent device is lost; 2 frames" in said
    files = {"f-0.png", "f-1.png"} if "%" in name else {name}
    assert set(os.listdir(tmp_path)) == {"p.wf", *files}


def test_the_exact_engine_goes_on_where_a_device_is_lost(
    tmp_path: Path, fails: type[Fails], capfd: pytest.CaptureFixture[str]
) -> None:
    film = ("--frames", "5", "--fps", "10")
    seen = []
    for device in ("cpu", "auto"):
        out = tmp_path / f"{device}.apng"
        words = ["--size", "4x2", *film, "--device", device, "-o", str(out)]
        assert main(["render", write(tmp_path, "0y1y4y@"), *words]) == 0
        seen.append(out.read_bytes())
    assert seen[0] == seen[1]
    said = capfd.readouterr().err
    assert "drawn on the CPU from here on: the graphics processor failed" in said
    assert said.count("\n") == 1 and fails.closed == 1


def test_the_library_says_that_a_device_is_lost(fails: type[Fails]) -> None:
    program = library.load(source="0y1y4y@", language="webfunge", size=(4, 2))
    with pytest.raises(EngineRefused, match="device gpu: the graphics processor failed"):
        list(library.render(program, frames=3, device="gpu"))
    with pytest.warns(UserWarning, match="drawn on the CPU from here on"):
        assert len(list(library.render(program, frames=3, device="auto"))) == 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("when", ["write_buffer", "read_buffer"])
def test_a_real_device_that_is_lost_is_told_in_one_line(when: str, monkeypatch, capfd) -> None:
    need_adapter()
    program = library.load(source="0y1y4y@", language="webfunge", size=(4, 2))
    lost = painter.GpuPainter(painter.make_shader(program, Limits()))
    queue = type(lost.device.queue)
    real = getattr(queue, when)

    def goes_away(*given: Any) -> Any:
        lost.device.destroy()
        return real(*given)

    assert len(lost.paint()) == 24
    with (
        monkeypatch.context() as patch,
        pytest.raises(painter.NoAdapter, match="failed: Parent device"),
    ):
        patch.setattr(queue, when, goes_away)
        lost.paint()
    lost.close()
    assert capfd.readouterr().err == ""


def test_a_card_is_told_whether_to_be_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    class Recorded(Painter):
        def __init__(self, *given: Any, fast: bool) -> None:
            super().__init__(*given[:3])
            asked.append(fast)

    asked: list[bool] = []
    monkeypatch.setattr(cuda, "CudaPainter", Recorded)
    program = library.load(source="0y1y4y@", language="webfunge", size=(2, 2), time=0.5)
    for words in ({"device": "cuda"}, {"device": "cuda", "fast": True}, {"device": "auto"}):
        assert library.render(program, **words).pixel(1, 0) == (255, 0, 127)
    assert asked == [False, True, False]


@pytest.mark.parametrize("device", ["auto", "gpu", "cuda"])
def test_heat_is_a_matter_of_the_exact_engine(tmp_path: Path, device: str, capfd) -> None:
    heat = ("--heat", "steps")
    assert render(tmp_path, "0yk1@", device, *heat) == render(tmp_path, "0yk1@", "cpu", *heat)
    said = capfd.readouterr().err
    assert "exact engine" in said and said.count("\n") == 1


@pytest.mark.parametrize("address", ["", "tcp://127.0.0.1:1"])
def test_clusters_draw_exactly(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from planewalk.apps.pictures import cluster, processes

    monkeypatch.setattr(cluster, "ClusterStudio", lambda address: "studio")
    monkeypatch.setattr(processes, "ProcessStudio", lambda threads, check: "studio")
    said: list[str] = []
    device = make_device("gpu", False, said.append)
    arguments = Namespace(cluster=address, threads=None)
    assert cli_render.open_studio(arguments, device, lambda: None) == "studio"
    assert len(said) == 1 and "workers of a cluster" in said[0]


def test_fast_is_for_cards(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert render(tmp_path, "@", "gpu", "--fast") == (2, None)
    assert "--fast: only the device cuda" in capfd.readouterr().err


def test_the_library_warns_where_it_draws_on_the_cpu(no_adapter: None, no_card: None) -> None:
    program = library.load(source="0y1y4y@", language="webfunge", size=(2, 2), time=0.5)
    with pytest.warns(UserWarning, match="drawn on the CPU"):
        assert library.render(program, device="auto").pixel(1, 0) == (255, 0, 127)
    with pytest.raises(EngineRefused, match="device gpu: "):
        library.render(program, device="gpu")
    with pytest.raises(OptionError, match="device: expected auto, cpu, gpu or cuda"):
        library.render(program, device="abacus")
    with pytest.raises(OptionError, match="fast: "):
        library.render(program, fast=True)


@pytest.mark.parametrize("device", ["auto", "gpu"])
def test_what_has_no_shader_is_drawn_exactly(tmp_path, device: str, no_card: None, capfd) -> None:
    source = "0y5/1y4/4y:4*d+0=@ @"
    assert render(tmp_path, source, device) == render(tmp_path, source, "cpu")
    said = capfd.readouterr().err
    assert "at (16, 0) =: " in said and said.count("drawn on the CPU") == 1
    assert said.count("20 of 20 pixels hit the step limit; see --heat limit\n") == 2


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wgpu", None)
    with pytest.raises(EngineRefused, match=r"pip install 'planewalk\[gpu\]'"):
        painter.find_adapter()


def test_a_gpu_that_does_not_answer_is_as_none(tmp_path: Path, monkeypatch, capfd) -> None:
    class Sulks:
        def request_device_sync(self) -> None:
            raise RuntimeError("not today\nnor tomorrow")

    pytest.importorskip("wgpu")
    monkeypatch.setattr(painter, "find_adapter", Sulks)
    assert render(tmp_path, "@", "gpu") == (2, None)
    said = capfd.readouterr().err
    assert "cannot be used: not today" in said and said.count("\n") == 1


def test_a_gpu_draws_the_picture(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    need_adapter()
    code, png = render(tmp_path, "0y5/1y4/4y@", "gpu")
    assert code == 0 and png is not None and capfd.readouterr().err == ""
    with Image.open(io.BytesIO(png)) as image:
        assert image.size == (5, 4)
        red, green, blue = image.getpixel((4, 2))
    assert abs(red - 204) <= 1 and (green, blue) == (127, 127)
