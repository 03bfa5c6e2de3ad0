"""The letters of pictures, as the strokes of a pen.

A stroke goes from point to point: a letter for the column, from the left, and a digit for the row,
from the top. `a6a0e6` begins at the lower left, goes up, and ends at the lower right. A stroke of
one point twice is a dot. In the tables below strokes are parted by `/`.

Drawn by hand for being told apart: zero is crossed, one has a foot, dots are fat.
"""

from __future__ import annotations

import re
from unicodedata import normalize


def _table(text: str) -> dict[str, str]:
    """Letters and their strokes, from entries such as `T a0e0/c0c6`."""
    words = text.split()
    return {
        letter: strokes.replace("/", " ")
        for letter, strokes in zip(words[::2], words[1::2], strict=True)
    }


LARGE = _table(r"""
A a6a2c0e2e6/a4e4       B a3d3e4e5d6a6a0d0e1e2d3                        C e1d0b0a1a5b6d6e5
D a0c0e2e4c6a6a0        E e0a0a6e6/a3d3         F e0a0a6/a3d3           G e1d0b0a1a5b6d6e5e3c3
H a0a6/e0e6/a3e3        I a0e0/c0c6/a6e6        J c0e0/d0d5c6b6a5       K a0a6/a3b3/e0b3e6
L a0a6e6                M a6a0c2e0e6            N a6a0/a1e5/e0e6        O b0d0e1e5d6b6a5a1b0
P a6a0d0e1e2d3a3        Q b0d0e1e4c6b6a5a1b0/c4e6                       R a6a0d0e1e2d3a3/b3e6
S e0b0a1a2b3d3e4e5d6a6  T a0e0/c0c6             U a0a5b6d6e5e0          V a0a4c6e4e0
W a0a6c4e6e0            X a0a1e5e6/e0e1a5a6     Y a0a1c3e1e0/c3c6       Z a0e0e1a5a6e6
a b2d2e3e6b6a5b4e4      b a0a6d6e5e3d2a2        c e2b2a3a5b6e6          d e0e6b6a5a3b2e2
e a4e4e3d2b2a3a5b6e6    f e1d0c0b1b6/a3d3       g e5b5a4a3b2e2e6d7b7    h a0a6/a3b2d2e3e6
i c0c0/b2c2c6/b6d6      j d0d0/c2d2d6c7b7       k a0a6/a4b4/d2b4d6      l b0c0c5d6e6
m a6a2b2c3c6/c3d2e3e6   n a2a6/a3b2d2e3e6       o b2d2e3e5d6b6a5a3b2    p a7a2d2e3e4d5a5
q e7e2b2a3a4b5e5        r a2a6/a4c2d2e3         s e2b2a3b4d4e5d6a6      t b0b5c6d6e5/a2d2
u a2a5b6d6e5/e2e6       v a2a4c6e4e2            w a2a5b6c5d6e5e2/c5c4   x a2e6/e2a6
y a2a4b5e5/e2e6d7b7     z a2e2a6e6              0 b0d0e1e5d6b6a5a1b0/b4d2
1 a2c0c6/a6e6           2 a1b0d0e1e2a6e6        3 a0e0c2d2e3e5d6b6a5    4 d6d0a3a4e4
5 e0a0a2d2e3e5d6b6a5    6 d0c0a2a5b6d6e5e4d3a3  7 a0e0e1b4b6
8 b0d0e1e2d3b3a2a1b0/b3a4a5b6d6e5e4d3           9 b6c6e4e1d0b0a1a2b3e3  ! c0c3/c6c6
" b0b2/d0d2             # b0b6/d0d6/a2e2/a4e4   $ e1b1a2b3d3e4d5a5/c0c6
% a0b0b1a1a0/e1a5/d5e5e6d6d5                    & e6a2a1b0c0d1a4a5b6c6e4
' c0c1                  ( d0c1c5d6              ) b0c1c5b6              * c1c5/a2e4/a4e2
+ c1c5/a3e3             , c5c6b7                - a3e3                  . b5c5c6b6b5c6/c5b6
/ e0a6                  : b1c1c2b2b1c2/c1b2/b5c5c6b6b5c6/c5b6
; b1c1c2b2b1c2/c1b2/c5c6b7                      < d0a3d6                = a2e2/a4e4
> b0e3b6                ? a1b0d0e1e2c4/c6c6     @ e6b6a5a1b0d0e1e4c4c2e2
[ d0b0b6d6              \ a0e6                  ] b0d0d6b6              ^ a2c0e2
_ a7e7                  ` b0d2                  { d0c0c2b3c4c6d6        | c0c7
} b0c0c2d3c4c6b6        ~ a3b2d4e3              · c3c3                  ▫ b2d2d4b4b2
… a6a6/c6c6/e6e6        → a3e3/c1e3c5           ← e3a3/c1a3c5           ↑ c6c0/a2c0e2
↓ c0c6/a4c6e4           ı b2c2c6/b6d6           ȷ c2d2d6c7b7
ß a6a1b0d0e1d3c3/d3e4e5d6b6                     ø b2d2e3e5d6b6a5a3b2/a6e2
Ø b0d0e1e5d6b6a5a1b0/a6e0                       æ a2b2c3c6/c3d2e3e4a4a6c6e6
€ e1d0c0b1b5c6d6e5/a2d2/a4d4                    £ e1d0c0b1b6/a3d3/a6e6  ° b0d0d2b2b0
± c0c4/a2e2/a6e6        × b2d4/d2b4
""")
"""Five columns, and seven rows with an eighth below the line."""

SMALL = _table(r"""
A a4a2c0e2e4/a3e3       B a0a4d4e3d2a2/d2e1d0a0                         C e0b0a1a3b4e4
D a0c0e2c4a4a0          E e0a0a4e4/a2c2         F e0a0a4/a2c2           G e0b0a1a3b4e4e2d2
H a0a4/e0e4/a2e2        I b0d0/c0c4/b4d4        J e0e3d4b4a3            K a0a4/a2c2/e0c2e4
L a0a4e4                M a4a0c2e0e4            N a4a0/a1d4d0           O b0d0e1e3d4b4a3a1b0
P a4a0d0e1d2a2          Q b0d0e1e3d4b4a3a1b0/c2e4                       R a4a0d0e1d2a2/c2e4
S e0b0a1b2d2e3d4a4      T a0e0/c0c4             U a0a3b4d4e3e0          V a0a2c4e2e0
W a0a4c2e4e0            X a0e4/e0a4             Y a0c2e0/c2c4           Z a0e0a4e4
a a1c1d2d4b4a3b2d2      b a0a4c4d3d2c1a1        c d1b1a2a3b4d4          d d0d4b4a3a2b1d1
e a3d3d2c1b1a2a3b4d4    f d0c0b1b4/a2c2         g d1b1a2b3d3/d1d4c5a5   h a0a4/a2c2d3d4
i b0b0/a2b2b4/a4c4      j c0c0/b2c2c4b5a5       k a0a4/c1b2d4           l a0b0b3c4d4
m a4a1b1c2c4/c2d1e2e4   n a4a1c1d2d4            o b1c1d2d3c4b4a3a2b1    p a5a1c1d2d3c4a4
q d5d1b1a2a3b4d4        r a1a4/a2b1d1           s d1b1a2b2c3d3c4a4      t b0b3c4d4/a1d1
u a1a3b4d4/d1d4         v a1a3b4c3c1            w a1a3b4c3d4e3e1/c3c2   x a1d4/d1a4
y a1a2b3d3/d1d4c5a5     z a1d1a4d4              0 b0c0d1d3c4b4a3a1b0/b3c1
1 a1b0b4/a4c4           2 a0c0d1a4d4            3 a0d0b2c2d3c4a4        4 c4c0a2a3d3
5 d0a0a2c2d3c4a4        6 c0a2a3b4c4d3c2a2      7 a0d0d1b3b4
8 b0c0d1c2b2a1b0/b2a3b4c4d3c2                   9 b4d2d1c0b0a1b2d2      ! c0c2/c4c4
" b0b1/d0d1             # b0b4/d0d4/a1e1/a3e3   $ e0b0a1b2d2e3d4a4/c0c5
% a0b0b1a1a0/e0a4/d3e3e4d4d3                    & c0b0a1b2c2/b2a3b4c4d3e2/d3e4
' c0c1                  ( c0b1b3c4              ) c0d1d3c4              * b1d3/d1b3/a2e2
+ c0c4/a2e2             , c3c4b5                - a2d2                  . b3c3c4b4b3
/ e0a4                  : b1c1/b3c3             ; b1c1/c3c4b5           < d0c1b1a2b3c3d4
= a1d1/a3d3             > b0c1d1e2d3c3b4        ? a0c0d1c2b2/b4b4       @ e4b4a3a1b0d0e1e2c2c1
[ c0a0a4c4              \ a0e4                  ] c0e0e4c4              ^ a2c0e2
_ a5e5                  ` b0c1                  { d0c0c1b2c3c4d4        | c0c5
} b0c0c1d2c3c4b4        ~ a2b1d3e2              · c2c2                  ▫ b1d1d3b3b1
… a4a4/c4c4/e4e4        → a2e2/c0e2c4           ← e2a2/c0a2c4           ↑ c4c0/a2c0e2
↓ c0c4/a2c4e2
""")
"""Five columns, and five rows with a sixth below the line, for cells that have no room for more."""

ACCENTS = {
    "\u0300": "b0c1",
    "\u0301": "d0c1",
    "\u0302": "b1c0d1",
    "\u0303": "a1b0d1e0",
    "\u0304": "b0d0",
    "\u0307": "c0c0",
    "\u0308": "b0b0 d0d0",
    "\u030a": "b0d0d1b1b0",
    "\u030c": "b0c1d0",
    "\u0327": "c6c7b7",
}
"""Marks over and under large letters, as Unicode has them when it takes letters apart."""

LOWERED = str.maketrans("0123456", "2234566")
"""Where the rows of a capital go to make room for a mark over it."""
DOTLESS = str.maketrans("ij", "ıȷ")

TINY = _table(r"""
0 b0c1c3b4a3a1b0        1 a0b0b4/a4c4           2 a0b0c1a3a4c4          3 a0b0c1b2c3b4a4
4 a0a2c2/c0c4           5 c0a0a2b2c3b4a4        6 c0b0a1a3b4c3b2a2      7 a0c0c1b2b4
8 b0c1b2a1b0/b2c3b4a3b2                         9 a4b4c3c1b0a1b2c2      A a4a1b0c1c4/a2c2
B a0b0c1b2c3b4a4a0/a2b2                         C c0b0a1a3b4c4          D a0b0c1c3b4a4a0
E c0a0a4c4/a2b2         F c0a0a4/a2b2
""")
"""Three columns and five rows: digits of codes, which stand for characters that are not here."""


def large(letter: str) -> str | None:
    """The strokes of a large letter, put together from a letter and its marks if need be."""
    if letter in LARGE:
        return LARGE[letter]
    strokes = _marked(letter)
    return None if letter.isupper() and strokes == _marked(letter.lower()) else strokes


def _marked(letter: str) -> str | None:
    apart = normalize("NFD", letter)
    base, marks = apart[0], apart[1:]
    if base not in LARGE or not marks or not all(mark in ACCENTS for mark in marks):
        return None
    over = any("0" in ACCENTS[mark] for mark in marks)
    if over:
        base = base.translate(DOTLESS)
    strokes = LARGE[base]
    if over and base.isupper():
        strokes = re.sub(r"([a-e]\d)\1", r"\1", strokes.translate(LOWERED))
    return " ".join([strokes, *(ACCENTS[mark] for mark in marks)])
