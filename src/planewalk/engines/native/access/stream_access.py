"""Input and output as LLVM IR reads and writes them."""

from __future__ import annotations

from ..abi import OUTPUT_ROOM
from ..values import Unwritable
from .state_values import StateValues


class StreamAccess:
    """The input that is left, and the output that waits to be written."""

    def __init__(self, ir: StateValues) -> None:
        self.ir = ir

    def do_read(self) -> None:
        """Take a byte of input."""
        left = self.ir.define("load i64, ptr %input_left")
        less = self.ir.define(f"sub i64 {left}, 1")
        self.ir.emit(f"  store i64 {less}, ptr %input_left")

    def do_byte(self, value: str) -> None:
        """Write the lowest byte of a number."""
        self._write_byte(self.ir.define(f"trunc {self.ir.word} {value} to i8"))

    def do_bytes(self, data: bytes) -> None:
        """Write bytes that are known."""
        for byte in data:
            self._write_byte(str(byte))

    def do_number(self, value: str) -> None:
        """Write a number in decimal."""
        ir = self.ir
        ir.used.add("digits")
        written = ir.define("load i64, ptr %written")
        place = ir.define(f"getelementptr i8, ptr %output, i64 {written}")
        length = ir.define(f"call i64 @digits(ptr {place}, {ir.word} {value})")
        more = ir.define(f"add i64 {written}, {length}")
        ir.emit(f"  store i64 {more}, ptr %written")

    def _write_byte(self, byte: str) -> None:
        ir = self.ir
        written = ir.define("load i64, ptr %written")
        place = ir.define(f"getelementptr i8, ptr %output, i64 {written}")
        ir.emit(f"  store i8 {byte}, ptr {place}")
        more = ir.define(f"add i64 {written}, 1")
        ir.emit(f"  store i64 {more}, ptr %written")

    def have_room(self, bytes_written: int) -> str:
        """Whether there is room for so many bytes."""
        if bytes_written > OUTPUT_ROOM:
            raise Unwritable("too much output at once")
        written = self.ir.define("load i64, ptr %written")
        most = self.ir.define(f"sub i64 %most_written, {bytes_written}")
        return self.ir.define(f"icmp sle i64 {written}, {most}")
