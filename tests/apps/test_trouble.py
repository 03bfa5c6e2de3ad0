"""Pixels that fault or hit the step limit are told of, once, and have a colour all the same."""

from pathlib import Path

import pytest

import planewalk as pw
from tests.apps.test_run import planewalk
from tests.marks import plainly

HALF = "0y2%#v_>\n    >1"
"""Every other column runs for ever, the others fault."""
OVERFLOW = "faulted at (5, 1) (stack overflow: more than 256 values)"
SEE = "; see --heat limit"

TOLD = [
    ([], f"6 of 12 pixels {OVERFLOW}, 6 hit the step limit{SEE}"),
    (["--max-steps", "9"], f"12 of 12 pixels hit the step limit{SEE}"),
    (["--size", "1x1", "--max-steps", "9"], f"1 of 1 pixels hit the step limit{SEE}"),
    (["--crop", "1,0,1,3"], f"3 of 3 pixels {OVERFLOW}"),
    (["--supersample", "2"], f"24 of 48 pixels {OVERFLOW}, 24 hit the step limit{SEE}"),
    (["--frames", "3"], f"18 of 36 pixels {OVERFLOW}, 18 hit the step limit{SEE}"),
    (["--threads", "3", "--size", "24x8"],
     f"96 of 192 pixels {OVERFLOW}, 96 hit the step limit{SEE}"),
    (["--frames", "9", "--contact-sheet", "2x1"],
     f"12 of 24 pixels {OVERFLOW}, 12 hit the step limit{SEE}"),
    (["--heat", "limit"], f"6 of 12 pixels {OVERFLOW}, 6 hit the step limit"),
    (["--heat", "steps", "--frames", "2"],
     f"12 of 24 pixels {OVERFLOW}, 12 hit the step limit"),
]  # fmt: skip


SOME = [row for row in TOLD if "--threads" not in row[0] and "--supersample" not in row[0]]


@pytest.mark.parametrize(
    ("words", "told"),
    plainly(SOME, TOLD),
    ids=lambda value: " ".join(value) if isinstance(value, list) else "told",
)
def test_render_says_what_became_of_pixels(tmp_path: Path, words: list[str], told: str) -> None:
    (tmp_path / "p.wf").write_text(HALF)
    words = ["p.wf", "--size", "4x3", "--max-steps", "2000", "-o", "x.gif", *words]
    if "--frames" not in words or "--contact-sheet" in words:
        words[words.index("x.gif")] = "x.png"
    done = planewalk("render", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"planewalk: p.wf: {told}\n"


def test_it_is_said_on_standard_error_whatever_becomes_of_the_picture(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text(">")
    for words in (["--show"], ["-o", "-"]):
        done = planewalk("render", "p.wf", "--size", "2x1", *words, cwd=tmp_path)
        assert done.stderr.decode() == f"planewalk: p.wf: 2 of 2 pixels hit the step limit{SEE}\n"


def test_pixels_that_end_are_nothing_to_talk_about(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text("0y1y4y@")
    assert planewalk("render", "p.wf", "-o", "x.png", cwd=tmp_path).stderr == b""


def test_frames_that_were_there_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text(">")
    words = ["render", "p.wf", "--size", "2x1", "-o", "f-%d.png"]
    planewalk(*words, "--frames", "2", cwd=tmp_path)
    said = planewalk(*words, "--frames", "3", "--resume", cwd=tmp_path).stderr.decode()
    assert said.endswith(f": 2 of 2 pixels hit the step limit, in the frames drawn now{SEE}\n")
    again = planewalk(*words, "--frames", "3", "--resume", cwd=tmp_path).stderr.decode()
    assert again == "planewalk: 3 of 3 frames are there already\n"


def test_faults_in_several_places_are_told_by_one(tmp_path: Path) -> None:
    (tmp_path / "p.wf").write_text("0y2%#v_1\n    >1")
    done = planewalk("render", "p.wf", "--size", "4x3", "-o", "x.png", cwd=tmp_path)
    assert "12 of 12 pixels faulted at (2, 0) and elsewhere (stack overflow" in done.stderr.decode()


def test_pictures_of_the_library_know_it(tmp_path: Path) -> None:
    picture = pw.render(source=HALF, language="webfunge", size=(4, 3), max_steps=2000)
    assert (picture.faulted, picture.limited) == (6, 6)
    assert picture.trouble == f"6 of 12 pixels {OVERFLOW}, 6 hit the step limit"
    good = pw.render(source="@", language="webfunge", size=(4, 3))
    assert (good.faulted, good.limited, good.trouble) == (0, 0, "")


def test_films_of_the_library_know_it(tmp_path: Path) -> None:
    source = "4y1`#v_>\n    >@"
    film = pw.render(source=source, language="webfunge", size=(4, 3), frames=4, fps=1)
    assert [picture.limited for picture in film] == [12, 12, 0, 0]
    assert (film.faulted, film.limited) == (0, 24)
    film.save(tmp_path / "f.gif")
    assert film.trouble == "24 of 48 pixels hit the step limit"


def test_what_a_processor_does_not_tell_is_not_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from planewalk.apps.pictures import devices
    from planewalk.engines.picture import Painter, PixelTally

    class Silent(Painter):
        def take_tally(self) -> PixelTally:
            return PixelTally(12, untold=12)

    monkeypatch.setitem(
        devices.WAYS, "gpu", [lambda scene, device: Silent(scene.program, scene.limits)]
    )
    picture = pw.render(source="@", language="webfunge", size=(4, 3), device="gpu")
    assert (picture.faulted, picture.limited) == (None, None)
    assert picture.trouble.startswith("the graphics processor does not tell whether any of 12 ")
