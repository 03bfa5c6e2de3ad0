"""Pictures from a graphics processor, through wgpu and whatever adapter there is."""

from __future__ import annotations

import contextlib
import logging
import os
import struct
import tempfile
from array import array
from collections.abc import Iterator
from functools import cache
from typing import Any

from ...core.base.deadline import Pause, no_pause
from ...core.errors import EngineRefused
from ...core.limits import Limits
from ...core.numbers.float32 import f32
from ...core.program import Program
from ..picture import Box, Heat, Painter, PixelTally
from .modules import WORKGROUP, wgsl
from .wgsl import Shader

PIXELS_AT_ONCE = 1 << 20
"""What one order may be: drivers give up on orders that take seconds."""
MOST_STEPS = 1 << 31
NO_WGPU = "wgpu is not installed; pip install 'planewalk[gpu]' brings it"
NO_ADAPTER = "no graphics processor, and no driver that stands in for one, was found"


class NoAdapter(EngineRefused):
    """There is nothing to draw on; the words say why."""


def find_adapter() -> Any:
    """The adapter that wgpu prefers; raises `NoAdapter` where there is none."""
    try:
        wgpu = quiet_wgpu()
    except ImportError:
        raise NoAdapter(NO_WGPU) from None
    try:
        return _adapter(wgpu)
    except Exception:
        raise NoAdapter(NO_ADAPTER) from None


def quiet_wgpu() -> Any:
    """The package wgpu, without its long logs, and drivers' complaints of a missing folder."""
    import wgpu

    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    logging.getLogger("wgpu").setLevel(logging.CRITICAL)
    return wgpu


@cache
def _adapter(wgpu: Any) -> Any:
    """One for all painters: asking for it takes most of a second."""
    return wgpu.gpu.request_adapter_sync(power_preference="high-performance")


def make_shader(program: Program, limits: Limits, pause: Pause = no_pause) -> Shader:
    """The shader of a program; refuses those of which none can be made."""
    steps = program.language.rules.default_steps if limits.steps is None else limits.steps
    return Shader(program, MOST_STEPS if steps is None else min(steps, MOST_STEPS), pause)


class GpuPainter:
    """See `picture.Painter`; this one paints, in 32-bit arithmetic: levels may differ by one.

    Raises `NoAdapter`, later as well if the device is lost, or refuses if the driver does not take
    the shader.
    """

    def __init__(self, shader: Shader, seed: int | None = None) -> None:
        self.program = program = shader.program
        self.seed = (program.language.rules.default_seed or 0) if seed is None else seed
        self.exact = Painter(program, Limits(steps=shader.limit), self.seed)
        self._tally = PixelTally()
        self._certain = shader.certain
        self.adapter = find_adapter()
        try:
            self.device = self.adapter.request_device_sync()
        except Exception as error:
            why = str(error).strip().partition("\n")[0]
            raise NoAdapter(f"the graphics processor cannot be used: {why}") from None
        try:
            self._prepare(shader)
        except BaseException:
            self.close()
            raise

    def _prepare(self, shader: Shader) -> None:
        import wgpu

        try:
            module = self.device.create_shader_module(code=wgsl(shader))
            self.pipeline = self.device.create_compute_pipeline(
                layout="auto", compute={"module": module, "entry_point": "paint"}
            )
        except wgpu.GPUError as error:
            raise EngineRefused(f"the driver does not take the shader: {reason(error)}") from None
        with self._while_it_lasts():
            self._make_buffers(shader, wgpu.BufferUsage)

    def _make_buffers(self, shader: Shader, usage: Any) -> None:
        self.uniform = self.device.create_buffer(size=48, usage=usage.UNIFORM | usage.COPY_DST)
        self.pixels = self.device.create_buffer(
            size=4 * PIXELS_AT_ONCE, usage=usage.STORAGE | usage.COPY_SRC
        )
        buffers = [self.uniform, self.pixels]
        if shader.cells:
            cells = array("I", shader.cells)
            buffers.append(self.device.create_buffer_with_data(data=cells, usage=usage.STORAGE))
        self.bindings = self.device.create_bind_group(
            layout=self.pipeline.get_bind_group_layout(0),
            entries=[
                {"binding": number, "resource": {"buffer": buffer}}
                for number, buffer in enumerate(buffers)
            ],
        )

    @contextlib.contextmanager
    def _while_it_lasts(self) -> Iterator[None]:
        """Devices get lost: drivers are restarted, and cables pulled out."""
        import wgpu

        try:
            yield
        except (wgpu.GPUError, RuntimeError) as error:
            raise NoAdapter(f"the graphics processor failed: {reason(error)}") from None

    def paint(self, time: float | None = None, box: Box | None = None) -> bytes:
        """The rows of a box of the picture, as bytes of red, green and blue."""
        left, top, right, bottom = box or (0, 0, *self.program.size)
        time = self.program.time if time is None else time
        drawn = (right - left) * (bottom - top)
        self._tally = self._tally.plus(PixelTally(drawn, untold=0 if self._certain else drawn))
        across = min(right - left, PIXELS_AT_ONCE)
        rows = max(PIXELS_AT_ONCE // max(across, 1), 1)
        picture = bytearray()
        for y in range(top, bottom, rows):
            for x in range(left, right, across):  # more than one only for a single row
                end = (min(x + across, right), min(y + rows, bottom))
                with self._while_it_lasts():
                    picture += self._piece((x, y, *end), time)
        return bytes(picture)

    def _piece(self, box: Box, time: float) -> bytes:
        left, top, right, bottom = box
        width, height = right - left, bottom - top
        size = self.program.size
        seed = self.seed & ((1 << 64) - 1)
        halves = (seed & 0xFFFFFFFF, seed >> 32)
        data = struct.pack("4I2f2If12x", left, top, width, height, *size, *halves, f32(time))
        self.device.queue.write_buffer(self.uniform, 0, data)
        orders = self.device.create_command_encoder()
        work = orders.begin_compute_pass()
        work.set_pipeline(self.pipeline)
        work.set_bind_group(0, self.bindings)
        work.dispatch_workgroups(-(-width // WORKGROUP), -(-height // WORKGROUP), 1)
        work.end()
        self.device.queue.submit([orders.finish()])
        words = self.device.queue.read_buffer(self.pixels, 0, 4 * width * height)
        return _without_fourth(bytes(words))

    def heat(self, time: float | None = None, box: Box | None = None) -> Heat:
        """How many steps each pixel takes; not a matter of the processor."""
        return self.exact.heat(time, box)

    def take_tally(self) -> PixelTally:
        """How the pixels ended; the processor does not tell."""
        taken, self._tally = self._tally.plus(self.exact.take_tally()), PixelTally()
        return taken

    def close(self) -> None:
        """Give the device back, with all of its memory."""
        self.exact.close()
        self.device.destroy()


def reason(error: Exception) -> str:
    """The last line of what wgpu says; those before are about where it was."""
    return str(error).strip().rpartition("\n")[2].strip()


def _without_fourth(words: bytes) -> bytes:
    """Red, green and blue of every pixel, without the byte that fills up its word."""
    pixels = bytearray(len(words) // 4 * 3)
    for channel in range(3):
        pixels[channel::3] = words[channel::4]
    return bytes(pixels)
