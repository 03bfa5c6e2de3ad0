"""The command without its start: a process that has imported everything forks for each call.

What a test calls is a process of its own, with its own folder, environment, pipes and exit code; it
only need not begin by importing. Tests about how a process begins start a real one.
"""

import atexit
import functools
import gc
import json
import os
import resource
import select
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple, NoReturn

from tests import signals
from tests.patience import PATIENCE

ROOT = Path(__file__).parent.parent
NUMBER = struct.Struct("!i")
LATER = """
    planewalk.engines.machine.llvm_engine planewalk.engines.picture
    planewalk.languages.bmprog.engine planewalk.view.film.svg_film planewalk.view.flow.flow_svg
    planewalk.view.walk.explain
    planewalk.view.film.reel planewalk.view.flow.flow_image
    planewalk.view.scene.letter_masks planewalk.view.scene.pixel_painter
    planewalk.view.code.disasm_native
    planewalk.engines.python.python_engine planewalk.engines.scheduling.tiers planewalk.apps.insight
    planewalk.apps.library PIL.Image PIL.PngImagePlugin PIL.GifImagePlugin PIL.ImageDraw
    PIL.ImageFont json difflib tempfile shutil inspect
"""
"""What commands import when they need it ..."""
EXTRAS = ["llvmlite.binding", "av"]
"""... if it is there."""


class Call(NamedTuple):
    """What is asked for; the three standard streams come with it."""

    words: list[str]
    folder: str
    environment: dict[str, str]
    settings: dict[str, Any] = {}
    """Numbers that are others for this call, by their full names."""
    policy: dict[str, Any] = {}
    """What engines do otherwise."""
    room: int | None = None
    """Bytes that a file may have, as on a disk that is nearly full."""


# The process that forks ---------------------------------------------------------------------------


def serve(listener: socket.socket) -> NoReturn:
    """Fork for every call, and tell each caller how that ended, until nobody holds our input."""
    import_all()
    gc.freeze()  # nobody should look through all that was imported in every child
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(0, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj == 0:
                os._exit(0)
            if key.fileobj is listener:
                caller, _ = listener.accept()
                call, streams = receive(caller)
                child = os.fork()
                if child == 0:
                    become(call, streams)
                for stream in streams:
                    os.close(stream)
                caller.sendall(NUMBER.pack(child))
                selector.register(os.pidfd_open(child), selectors.EVENT_READ, (child, caller))
            else:
                selector.unregister(key.fd)
                os.close(key.fd)
                child, caller = key.data
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                with suppress(OSError), caller:  # which may not have waited
                    caller.sendall(NUMBER.pack(code))


def import_all() -> None:
    """Whatever a command may need, but for what opens windows and pages."""
    from importlib import import_module

    from planewalk.apps.cli.main import build_parser
    from planewalk.languages import registry

    build_parser()
    for name in registry.SUFFIXES:
        registry.get(name)
    for name in LATER.split():
        import_module(name)
    for name in EXTRAS:
        with suppress(ImportError):
            import_module(name)


def receive(caller: socket.socket) -> tuple[Call, list[int]]:
    """A call, and its streams."""
    head, streams, *_ = socket.recv_fds(caller, NUMBER.size, 3)
    (length,) = NUMBER.unpack(head)
    with caller.makefile("rb") as file:
        return Call(*json.loads(file.read(length))), list(streams)


def become(call: Call, streams: list[int]) -> NoReturn:
    """Be the command: all that a new process would have is new."""
    from planewalk.engines.base.policy import PATIENT, following
    from planewalk.entry import main

    signals.restore()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(call.folder)
    if call.room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (call.room, call.room))
    os.environ.clear()
    os.environ.update(call.environment)
    time.tzset()
    for name, value in call.settings.items():
        owner, _, attribute = name.rpartition(".")
        setattr(resolve_name(owner), attribute, value)
    sys.argv = ["planewalk", *call.words]
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    with following(PATIENT._replace(**call.policy)) if call.policy else nullcontext():
        code = main()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # taking all apart that was imported would take longer than all the rest


# The tests' side ----------------------------------------------------------------------------------

SHIM = """\
#!{python} -IS
import json, os, socket, struct, sys
call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
caller = socket.socket(socket.AF_UNIX)
caller.connect({address!r})
socket.send_fds(caller, [struct.pack("!i", len(call))], [0, 1, 2])
caller.sendall(call)
with caller.makefile("rb") as answers:
    _, code = struct.unpack("!ii", answers.read(8))
os._exit(code if code >= 0 else 128 - code)
"""
"""The command as shells find it."""


@functools.cache
def server() -> str:
    """The folder of the process that forks, started when first needed; it ends with this one.

    There are the socket `calls`, and a command `planewalk` for shells.
    """
    folder = tempfile.mkdtemp(prefix="planewalk-")
    address = os.path.join(folder, "calls")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm", str(listener.fileno())],
            stdin=subprocess.PIPE, cwd=ROOT, pass_fds=[listener.fileno()],
        )  # fmt: skip
    shim = Path(folder, "planewalk")
    shim.write_text(SHIM.format(python=sys.executable, address=address))
    shim.chmod(0o755)
    atexit.register(_stop, process, folder)
    return folder


def _stop(process: subprocess.Popen[bytes], folder: str) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait()
    shutil.rmtree(folder)


def commands() -> list[str]:
    """Folders for the PATH of a shell, so that it finds this command first."""
    return [server()] if can_stand_for(os.environ) else []


def can_stand_for(environment: Mapping[str, str]) -> bool:
    """Whether a fork can be in place of a process with these variables: some of them are read when
    Python begins."""
    differ = os.environ.items() ^ environment.items()
    early = ("PYTHON", "LC_", "LANG")
    return hasattr(os, "pidfd_open") and not any(name.startswith(early) for name, _ in differ)


class Child:
    """A call that is under way, with streams that the test has opened."""

    def __init__(self, call: Call, streams: list[int]) -> None:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(os.path.join(server(), "calls"))
            send(caller, call, streams)
            self._answers = caller.makefile("rb")
        self.pid = self._answer()

    def _answer(self) -> int:
        answer = self._answers.read(NUMBER.size)
        assert answer, "the process that forks for tests has ended"
        (number,) = NUMBER.unpack(answer)
        return int(number)

    def has_ended(self) -> bool:
        return bool(select.select([self._answers], [], [], 0)[0])

    def wait(self) -> int:
        """The exit code, once it has ended."""
        with self._answers:
            return self._answer()


def start(
    words: Iterable[object],
    streams: list[int],
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
    room: int | None = None,
) -> Child:
    """Begin the command with these standard streams, which are its own then."""
    folder, environment = os.path.abspath(cwd or "."), dict(os.environ if env is None else env)
    changed = dict(settings or {}), dict(policy or {})
    return Child(Call([*map(str, words)], folder, environment, *changed, room), streams)


def call(
    words: list[str],
    data: bytes = b"",
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = PATIENCE,
    settings: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
    room: int | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The command, as `subprocess.run` would call it with its output captured."""
    (read, into), (output, write), (errors, write_errors) = os.pipe(), os.pipe(), os.pipe()
    child = start(words, [read, write, write_errors], cwd, env, settings, policy, room)
    late = threading.Timer(timeout, os.kill, (child.pid, signal.SIGKILL))
    late.start()
    with ThreadPoolExecutor(2) as beside:
        beside.submit(_write_all, into, data)
        complaints = beside.submit(_read_all, errors)
        written = _read_all(output)
    code = child.wait()
    late.cancel()
    late.join()
    if code == -signal.SIGKILL:
        raise subprocess.TimeoutExpired(words, timeout)
    return subprocess.CompletedProcess(words, code, written, complaints.result())


class Running:
    """A call that is under way, as `subprocess.Popen` would have it, with nothing to read."""

    def __init__(self, words: Iterable[object], cwd: str | Path | None = None) -> None:
        (output, write), (errors, write_errors) = os.pipe(), os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        self.child = start(words, [nothing, write, write_errors], cwd)
        self.stdout, self._errors = open(output, "rb"), open(errors, "rb")  # noqa: SIM115

    def send_signal(self, number: int) -> None:
        os.kill(self.child.pid, number)

    def end(self, timeout: float = PATIENCE) -> tuple[int, bytes, bytes]:
        """Its exit code, and what it has written; not later than that."""
        late = threading.Timer(timeout, self.send_signal, (signal.SIGKILL,))
        late.start()
        try:
            with ThreadPoolExecutor(1) as beside, self._errors:
                complaints = beside.submit(self._errors.read)
                written = b"" if self.stdout.closed else self.stdout.read()
                return self.child.wait(), written, complaints.result()
        finally:
            late.cancel()
            late.join()
            self.stdout.close()


def send(caller: socket.socket, call: Call, streams: list[int]) -> None:
    """The other side of `receive`; the streams are theirs then."""
    text = json.dumps(call).encode()
    socket.send_fds(caller, [NUMBER.pack(len(text))], streams)
    caller.sendall(text)
    for stream in streams:
        os.close(stream)


def _write_all(stream: int, data: bytes) -> None:
    with suppress(BrokenPipeError), open(stream, "wb") as file:
        file.write(data)


def _read_all(stream: int) -> bytes:
    with open(stream, "rb") as file:
        return file.read()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
