"""A store for machine code that goes with the test."""


class MemoryStore(dict[str, bytes]):
    """A store in memory, which counts what it is given."""

    puts = 0

    def put(self, key: str, code: bytes) -> None:
        self.puts += 1
        self[key] = code
