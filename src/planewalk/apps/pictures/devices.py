"""Drawing on graphics processors and CUDA cards, with the CPU as the fallback."""

from __future__ import annotations

from collections.abc import Callable
from warnings import warn

from ...core.base.named import NamedTuple
from ...core.errors import EngineRefused, OptionError
from ...engines.picture import Box, Heat, PixelTally
from .picture_scene import Artist, PictureScene

CPU, GPU, CUDA, AUTO = "cpu", "gpu", "cuda", "auto"
DEVICES = (AUTO, CPU, GPU, CUDA)


class Device(NamedTuple):
    """The device that was asked for. `tell` gets a line if another one is used."""

    name: str
    fast: bool
    tell: Callable[[str], object]


def make_device(name: str, fast: bool, tell: Callable[[str], object] = warn) -> Device:
    """A device, with what was asked for checked."""
    if name not in DEVICES:
        raise OptionError(f"device: expected {', '.join(DEVICES[:-1])} or {CUDA}, not {name!r}")
    if fast and name != CUDA:
        raise OptionError(f"fast: only the device {CUDA} has a fast form")
    return Device(name, fast, tell)


def find_artist(scene: PictureScene, device: Device, exact: Callable[[], Artist]) -> Artist:
    """The artist for a device. Falls back to the exact artist after a line that says why; it is an
    error only if a device that was named is missing."""
    if device.name == CPU:
        return exact()
    if scene.heat is not None:
        device.tell("drawn on the CPU: steps are counted by the exact engine")
        return exact()
    reason = ""
    for find in WAYS[device.name]:
        try:
            return OnDevice(find(scene, device), device, exact)
        except NotThere as missing:
            reason = str(missing)
            if device.name != AUTO:
                raise EngineRefused(f"device {device.name}: {reason}") from None
        except EngineRefused as refused:
            reason = str(refused)
    device.tell(f"drawn on the CPU: {reason}")
    return exact()


class OnDevice:
    """An artist on a device. If it fails, the exact artist continues after a line that says why;
    it is an error if the device was named."""

    def __init__(self, artist: Artist, device: Device, exact: Callable[[], Artist]) -> None:
        self.artist, self.device, self.exact = artist, device, exact

    def paint(self, time: float | None = None, box: Box | None = None) -> bytes:
        try:
            return self.artist.paint(time, box)
        except EngineRefused as failed:
            if self.device.name != AUTO:
                raise EngineRefused(f"device {self.device.name}: {failed}") from None
            self.device.tell(f"drawn on the CPU from here on: {failed}")
        self.artist.close()
        self.artist = self.exact()
        return self.artist.paint(time, box)

    def heat(self, time: float | None = None, box: Box | None = None) -> Heat:
        return self.artist.heat(time, box)

    def take_tally(self) -> PixelTally:
        return self.artist.take_tally()

    def close(self) -> None:
        self.artist.close()


class NotThere(Exception):
    """There is no such device, or it cannot be used."""


def _on_gpu(scene: PictureScene, device: Device) -> Artist:
    from ...engines.gpu.painter import GpuPainter, NoAdapter, make_shader

    shader = make_shader(scene.program, scene.limits)
    try:
        return GpuPainter(shader, scene.seed)
    except NoAdapter as missing:
        raise NotThere(str(missing)) from None


def _on_card(scene: PictureScene, device: Device) -> Artist:
    from ...engines.native.values import Unwritable
    from ...engines.picture.cuda import CudaPainter
    from ...engines.picture.driver import NoCard
    from ..store import DiskStore

    try:
        return CudaPainter(scene.program, scene.limits, scene.seed, DiskStore(), fast=device.fast)
    except NoCard as missing:
        raise NotThere(str(missing)) from None
    except Unwritable as refused:
        raise EngineRefused(f"the card has no code for this program: {refused}") from None


WAYS = {GPU: [_on_gpu], CUDA: [_on_card], AUTO: [_on_card, _on_gpu]}
"""The artists to try for each device; a card first, since it is exact."""
