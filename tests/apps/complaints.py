"""What every complaint of the command has in common."""

from subprocess import CompletedProcess


def assert_one_clear_line(done: CompletedProcess[bytes], said: str) -> None:
    """Bad input: exit code 2, one line that says why, nothing else."""
    message = done.stderr.decode()
    assert done.returncode == 2, message
    assert said in message
    assert message.startswith("planewalk: ") and message.count("\n") == 1
    assert "Traceback" not in message and done.stdout == b""
