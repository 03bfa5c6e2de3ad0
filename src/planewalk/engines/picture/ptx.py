"""LLVM IR as PTX, the code that NVIDIA's driver takes.

Making code for another machine is done in a process of its own: should LLVM give up on something,
it ends that process and not the one that draws.
"""

from __future__ import annotations

import subprocess
import sys

from ..native.values import Unwritable

TRIPLE = "nvptx64-nvidia-cuda"
SECONDS = 120
"""Far longer than any program takes."""


PROGRAM = f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import main; main()"
"""Imports what this process would, and nothing from the folder we happen to be in."""


def assemble_ptx(text: str, chip: str) -> str:
    """PTX for a chip such as sm_90. Raises `Unwritable` if none comes out."""
    command = [sys.executable, "-P", "-c", PROGRAM, chip, *map(str, sys.path)]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unwritable(f"code for {chip} cannot be made: {error}") from None
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise Unwritable(f"code for {chip} cannot be made: {''.join(last)[:200]}")
    return done.stdout.decode()


def translate(text: str, chip: str) -> str:
    """The same in this process."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=chip, opt=3)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    found: str = machine.emit_assembly(module)
    return found


def main() -> None:
    """Translate what comes in, for the chip that is named first; where to import from is next."""
    sys.stdout.write(translate(sys.stdin.read(), sys.argv[1]))
