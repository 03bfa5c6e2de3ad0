"""A session that goes to a step, and back and forth from there: `to_and_fro.py FILE STEPS`."""

from __future__ import annotations

import sys

import planewalk


def main() -> None:
    path, steps = sys.argv[1], int(sys.argv[2])
    walk = planewalk.session(path, input=sys.stdin.buffer.read(), seed=1)
    walk.goto(steps)
    for part in range(1, 9):
        walk.goto(steps * part // 9)
        walk.back(1_000)


if __name__ == "__main__":
    main()
