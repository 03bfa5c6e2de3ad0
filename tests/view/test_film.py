"""Scenes of tiny programs in every language, and what painters make of them."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

import planewalk
from planewalk.apps.films import Film
from planewalk.core.base.resources import resource
from planewalk.core.errors import OptionError
from planewalk.core.geometry import Stance
from planewalk.core.instruction import Group
from planewalk.core.limits import USUAL
from planewalk.core.state import State, Walker
from planewalk.languages import registry
from planewalk.languages.bmprog.text import text_to_picture
from planewalk.view.drawing.letters import way
from planewalk.view.drawing.theme import THEMES, contrast
from planewalk.view.scene.film_layout import best_scale, cut, outline
from planewalk.view.scene.scene import Hand, Look, Mark, Scene, block, look_of
from planewalk.view.scene.text_painter import TextPainter
from planewalk.view.walk.follow import Follower, Footprint, cell_of

SVG = "{http://www.w3.org/2000/svg}"
HELLO = '"iH",,@'
FORK = "v+\\.\n  Y.\n  v."
"""Refunge: the hand goes down, the mode is set, and below the mirror the cursor forks."""


def board(text: str) -> bytes:
    return text_to_picture(text.encode(), ".png")


def film(source: str | bytes, language: str, **more: Any) -> Film:
    return planewalk.film(source=source, language=language, seed=1, **more)


def scenes(source: str | bytes, language: str, **more: Any) -> list[Scene]:
    return list(film(source, language, **more).scenes())


def lines(scene: Scene, label: str) -> list[str]:
    (panel,) = [panel for panel in scene.panels if panel.label == label]
    return [line.text for line in panel.lines]


# What a scene holds


def test_a_walker_is_where_the_program_is() -> None:
    shown = scenes(HELLO, "mirrorfunge", trail=3)
    assert [scene.caption for scene in shown[:2]] == ["step 0", "step 1"]
    assert shown[-1].caption == "step 7, ended"
    assert [scene.marks for scene in shown[:3]] == [
        (Mark(0, 0, 1, 0, 0),),
        (Mark(1, 0, 1, 0, 0),),
        (Mark(2, 0, 1, 0, 0),),
    ]
    assert shown[0].trail == ()
    assert shown[2].trail == (Footprint(0, 0, 0, 2), Footprint(1, 0, 0, 1))
    assert len(shown[6].trail) == 3
    assert shown[0].box == (0, 0, 6, 0)
    assert [look.text for look in shown[0].rows[0]] == list(HELLO)
    assert lines(shown[2], "stack") == ["105"]
    assert lines(shown[2], "walker") == ["(2, 0) right, string"]
    assert lines(shown[-1], "output") == ["Hi"]
    assert lines(shown[0], "output") == [""]


def test_cursors_keep_their_numbers_and_have_hands() -> None:
    shown = scenes(FORK, "refunge", steps=(0, 6))
    first, forked = shown[0], shown[4]
    assert first.marks == (Mark(0, 0, 1, 0, 0),) and first.hands == (Hand(0, 0, 0),)
    assert shown[1].hands == (Hand(0, 1, 0),)
    assert forked.marks == (Mark(1, 1, -1, 0, 0), Mark(3, 1, 1, 0, 1))
    assert forked.hands == (Hand(0, 1, 0), Hand(0, 1, 1))
    # Both have gone round an edge two steps later, and are themselves still.
    assert shown[6].marks == (Mark(3, 1, -1, 0, 0), Mark(1, 1, 1, 0, 1))
    assert "add" in lines(forked, "walker")[0]


def test_gemooy_shows_symbols_hand_and_compass() -> None:
    shown = scenes("$ @\n%#", "gemooy", steps=(0, 1))
    assert shown[0].marks == (Mark(0, 0, 1, 1, 0),)
    assert shown[0].hands == (Hand(0, 1, 0),)
    assert [[look.text for look in row] for row in shown[0].rows] == [["", "", "@"], ["", "#", ""]]
    assert lines(shown[0], "walker") == ["(0, 0) southeast; hand (0, 1)"]
    assert [panel.label for panel in shown[0].panels] == ["walker"]


def test_webfunge_shows_stack_and_colour() -> None:
    shown = scenes("100@", "webfunge", pixel=(3, 4), steps=(0, 9))
    assert [panel.label for panel in shown[-1].panels] == ["walker", "stack", "colour"]
    assert lines(shown[-1], "stack") == ["3 4 64 36 0 1 0 0"]
    assert shown[-1].panels[2].lines[0].colour == (255, 0, 0)


def test_places_that_are_no_cells_are_not_drawn() -> None:
    assert cell_of(2.9, -0.5) == (2, -1)
    assert cell_of(float("nan"), 0.0) is None and cell_of(0.0, float("inf")) is None


def test_bmprog_cells_are_colours_and_signals_enter_from_outside() -> None:
    shown = scenes(board("*.v\n:#?"), "bmprog", steps=(0, 2))
    assert shown[0].box == (-1, 0, 2, 1)
    assert shown[0].marks == (Mark(-1, 0, 1, 0, 0),)
    outside, split, blank, down = shown[0].rows[0]
    assert outside.fill is None
    assert (split.text, split.fill) == ("*", (0, 255, 255))
    assert (blank.text, blank.fill) == ("", (255, 255, 255))
    assert (down.text, down.fill) == ("v", (255, 0, 255))
    assert [look.text for look in shown[0].rows[1]] == ["", "", "#", ""]
    assert shown[1].marks == (Mark(0, 0, 1, 0, 0),)
    assert lines(shown[0], "value") == ["0"]
    assert {mark.number for mark in shown[2].marks} == {0, 1}


def test_heat_counts_visits_from_the_first_step_on() -> None:
    ring = ">1$v\n^  <\n"
    (last,) = [*scenes(ring, "mirrorfunge", steps=(4, 20), heat=True)][-1:]
    shares = {(x, y): share for x, y, share in last.heat}
    assert len(shares) == 8 and max(shares.values()) == 1
    assert lines(last, "heat") == ["up to 3 visits"]
    assert scenes(ring, "mirrorfunge", steps=(4, 4), heat=True)[0].heat == ((1, 1, 1.0),)
    picture = planewalk.picture(source=ring, language="mirrorfunge", at=4, heat=True)
    assert len(picture.scene.heat) == 5


@pytest.mark.parametrize("engine", ["auto", "reference", "python", "llvm"])
def test_every_engine_shows_the_same(engine: str) -> None:
    program = board(".v.*.\n.>.^.\n.*.<#")
    for source, language in ((FORK, "refunge"), (HELLO, "mirrorfunge"), (program, "bmprog")):
        plain = scenes(source, language, steps=(0, 40), every=3, engine="reference")
        assert scenes(source, language, steps=(0, 40), every=3, engine=engine) == plain


def test_a_late_beginning_has_its_trail_and_the_same_frames() -> None:
    ring = "0>)v\n ^ <\n"
    early = scenes(ring, "mirrorfunge", steps=(0, 600), trail=5)[500]
    late = scenes(ring, "mirrorfunge", steps=(500, 500), trail=5)[0]
    assert late.trail == early.trail and len(late.trail) == 5
    assert late == early


def test_the_last_state_is_shown_even_between_frames() -> None:
    assert [scene.caption for scene in scenes(HELLO, "mirrorfunge", every=3)] == [
        "step 0",
        "step 3",
        "step 6",
        "step 7, ended",
    ]


def test_what_cannot_be_seen_is_shown_by_its_code() -> None:
    language = registry.get("mirrorfunge")
    assert look_of(language, "\x07") == Look("07", Group.NOTHING)
    assert look_of(language, "\u202e").text == "202E"
    assert look_of(language, "é").text == "é"
    assert look_of(registry.get("refunge"), "\0").text == "·"
    assert look_of(registry.get("refunge"), "·").text == "B7"
    assert look_of(language, " ").text == ""


# Following


def numbers(follower: Follower) -> dict[tuple[Any, Any], int]:
    return {(f.walker.stance.x, f.walker.stance.y): f.number for f in follower.walkers}


def crowd(source: str, *stances: Stance) -> State:
    """A state of Refunge with cursors that stand so."""
    refunge = registry.get("refunge")
    state = refunge.start(source.encode(), refunge.read_options({}), 0)
    state.walkers = [Walker(stance, (0, 0)) for stance in stances]
    return state


def test_walkers_are_followed_over_edges_forks_and_deaths() -> None:
    refunge = registry.get("refunge")
    state = crowd("    \n  Y \n    ", Stance(2, 1, 0, 1), Stance(3, 0, 1, 0))
    follower = Follower(refunge, USUAL, 2).follow(state)
    assert numbers(follower) == {(3, 0): 0, (2, 1): 1}
    follower.advance(1)
    assert numbers(follower) == {(0, 0): 0, (1, 1): 1, (3, 1): 2}
    assert {foot.number for foot in follower.trail()} == {0, 1}
    follower.advance(1)
    further = crowd("    ", Stance(3, 0, 1, 0), Stance(1, 0, 1, 0))
    follower.follow(further)
    assert numbers(follower) == {(1, 0): 0, (3, 0): 1} and follower.trail() == []


def test_two_who_turn_in_one_cell_keep_their_numbers() -> None:
    """Each leaves the way that the other came: who goes straight on is somebody else."""
    state = crowd("   \n / \n   ", Stance(1, 1, 1, 0), Stance(1, 1, 0, -1))
    follower = Follower(registry.get("refunge"), USUAL, 2).follow(state)
    before = {f.walker.stance[2:4]: f.number for f in follower.walkers}
    follower.advance(1)
    after = {f.walker.stance[2:4]: f.number for f in follower.walkers}
    assert after == {(0, -1): before[1, 0], (1, 0): before[0, -1]}


def test_films_that_skip_steps_show_what_those_that_see_all_do() -> None:
    """Behind a gap a fast engine goes on from where it was, not from what was observed."""
    source = resource("planewalk/examples/gemooy/odometer.gemooy").read_bytes()
    look = {"trail": 3, "crop": (0, 0, 16, 16)}
    skipping = scenes(source, "gemooy", steps=(0, 600), every=150, **look)
    assert skipping[0].rows != skipping[-1].rows and len(skipping[-1].trail) == 3
    for at, scene in zip(range(0, 601, 150), skipping, strict=True):
        (alone,) = scenes(source, "gemooy", steps=(at, at), **look)
        assert scene._replace(panels=()) == alone._replace(panels=())


# Painters


LANGUAGES = {
    "mirrorfunge": ('"<&>é\x01",,@', {}),
    "refunge": (FORK, {}),
    "gemooy": ("$ @\n%#", {}),
    "webfunge": ("12+@", {}),
    "bmprog": (board(".v.*.\n.>.^.\n:*.<#"), {"arg": 1}),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_svg_is_well_formed_and_holds_every_glyph(language: str, theme: str) -> None:
    source, options = LANGUAGES[language]
    picture = planewalk.picture(source=source, language=language, at=1, theme=theme, **options)
    root = ElementTree.fromstring(picture.svg())
    cell, written = picture.layout.cell, "".join(paths(root))
    for place, look in places(picture.scene):
        if look.text:
            corner = picture.layout.corner(*place)
            assert way(look.text, cell, cell).at(*corner) in written, look
    assert not list(root.iter(f"{SVG}text"))  # it needs no font
    description = root.findtext(f"{SVG}desc") or ""
    assert picture.scene.caption in description
    assert "walker" in description
    assert "script" not in picture.svg() and "http" not in picture.svg().replace(SVG[1:-1], "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_moving_svg_shows_in_every_frame_what_a_still_shows(language: str) -> None:
    source, options = LANGUAGES[language]
    made = film(source, language, steps=(0, 12), heat=True, **options)
    from planewalk.view.scene.svg_painter import SvgPainter, cells_of

    root = ElementTree.fromstring(made.svg())
    style = root.find(f"{SVG}style")
    assert style is not None and style.text
    painter = SvgPainter(made.layout, made.theme)
    for number, scene in enumerate(made.scenes()):
        seen = set(_visible(root, style.text, made, number))
        over = painter.over(scene)
        _, glyphs = painter.cells(cells_of(scene))
        for part in itertools.chain.from_iterable(over.values()):
            assert _plain(ElementTree.fromstring(part)) in seen, part
        letters = {letter for element in seen for letter in _letters(*element)}
        for part in glyphs:
            assert set(_letters(*_plain(ElementTree.fromstring(part)))) <= letters


def _visible(root: Any, style: str, made: Film, frame: int) -> Iterator[Any]:
    """The elements that are seen in a frame, by the rules of the style sheet."""
    (length,) = re.findall(r"animation:([\d.]+)s", style) or ["0"]
    share = 100 * (frame + 0.5) / made.fps / float(length) if float(length) else 0
    for element in root:
        if element.tag != f"{SVG}g":
            yield _plain(element)
            continue
        name = element.get("class").split()[1]
        (steps,) = re.findall(
            rf"@keyframes p[0-9a-f]{{8}}{name}{{((?:[^{{}}]*{{[^{{}}]*}})*)}}", style
        )
        state = "hidden"
        for percent, what in re.findall(r"([\d.]+)%{visibility:(\w+)}", steps):
            state = what if float(percent) <= share else state
        if state == "visible":
            yield from map(_plain, element)


def _plain(element: Any) -> Any:
    tag = element.tag.removeprefix(SVG)
    attributes = frozenset((key, value) for key, value in element.attrib.items() if key != "class")
    return tag, tuple((element.get("class") or "").split()), attributes


def _letters(tag: str, classes: Any, attributes: Any) -> Iterator[Any]:
    """The letters of an element, each with its colour."""
    rest = dict(attributes)
    for letter in re.findall(r"M[^M]*", rest.pop("d", "")):
        yield letter, classes, frozenset(rest.items())


def paths(root: Any) -> Iterator[str]:
    return (element.get("d") for element in root.iter(f"{SVG}path"))


def places(scene: Scene) -> Iterator[tuple[tuple[int, int], Look]]:
    left, top = scene.box[:2]
    for y, row in enumerate(scene.rows, top):
        for x, look in enumerate(row, left):
            yield (x, y), look


def test_a_moving_svg_stores_only_changes() -> None:
    still = planewalk.picture(source=("x" * 60 + "\n") * 20, language="mirrorfunge").svg()
    moving = film(("x" * 60 + "\n") * 20, "mirrorfunge", steps=(0, 99)).svg()
    assert len(moving) < len(still) + 100 * 1500


@pytest.mark.parametrize("scale", [1, 3, 16])
def test_pixels_are_where_the_layout_says(scale: int) -> None:
    picture = planewalk.picture(
        source=board("v#\n*."), language="bmprog", at=1, trail=0, scale=scale, grid=False
    )
    image = picture.image()
    for place, colour in {(1, 0): (0, 0, 0), (0, 1): (0, 255, 255)}.items():
        x, y = picture.layout.corner(*place)
        assert image.getpixel((x, y)) == colour
        assert image.getpixel((x + scale - 1, y + scale - 1)) == colour
    x, y = picture.layout.corner(0, 0)
    middle = image.getpixel((x + scale // 4, y + scale // 4))
    assert middle == THEMES["light"].walker(0)
    assert image.size == (picture.layout.width, picture.layout.height)
    assert image.width % 2 == image.height % 2 == 0


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("language", ["refunge", "mirrorfunge", "webfunge", "gemooy"])
def test_without_letters_every_value_has_its_own_colour(language: str, theme: str) -> None:
    looks = [look_of(registry.get(language), chr(code)) for code in range(256)]
    colours = {block(THEMES[theme], look): look for look in looks if look.text}
    assert len(colours) == len([look for look in looks if look.text])
    for one, other in itertools.combinations([*colours, THEMES[theme].ground], 2):
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) >= 9


@pytest.mark.parametrize("scale", [1, 2, 5])
def test_small_cells_of_different_values_differ(scale: int) -> None:
    for source, language in (("  #@\n$%", "gemooy"), ("ab12+-", "mirrorfunge")):
        picture = planewalk.picture(source=source, language=language, scale=scale, trail=0)
        marked = {(mark.x, mark.y) for mark in (*picture.scene.marks, *picture.scene.hands)}
        image, colours = picture.image(), set()
        shown = [(at, look) for at, look in places(picture.scene) if at not in marked and look.text]
        for place, _ in shown:
            colours.add(image.getpixel(picture.layout.corner(*place)))
        assert len(shown) > 1 and len(colours) == len({look.text for _, look in shown})


def test_walkers_differ_in_shape_and_point_where_they_go() -> None:
    shapes = {len(set(outline(Mark(0, 0, 1, 0, n), 0, 0, 10))) for n in range(3)}
    assert len(shapes) == 3
    for dx, dy in ((1, 0), (0, 1), (-1, -1), (0.5, -2)):
        points = outline(Mark(0, 0, dx, dy, 0), 0, 0, 10)
        tip = max(points, key=lambda point: point[0] ** 2 + point[1] ** 2)
        assert any(x * dx + y * dy > 0 and abs(x * dy - y * dx) < 1e-9 for x, y in points), tip


def test_themes_can_be_read() -> None:
    def light(colour: tuple[int, int, int]) -> float:
        parts = [c / 255 for c in colour]
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    def ratio(a: tuple[int, int, int], b: tuple[int, int, int]) -> float:
        upper, lower = sorted((light(a), light(b)), reverse=True)
        return (upper + 0.05) / (lower + 0.05)

    for theme in THEMES.values():
        assert ratio(theme.ink, theme.paper) > 7 and ratio(theme.ink, theme.ground) > 7
        for group in Group:
            assert ratio(theme.ink_of(group), theme.ground) > 3, group
        for colour in theme.walkers:
            assert ratio(colour, theme.ground) > 3, colour
            assert ratio(colour, contrast(colour)) > 3, colour
        shades = [light(colour) for colour in theme.heat]
        assert shades == sorted(shades) or shades == sorted(shades, reverse=True)


def test_text_has_no_colours_unless_asked() -> None:
    picture = planewalk.picture(source="1 2\n@日", language="mirrorfunge", at=1)
    assert picture.text().splitlines()[2:6] == ["0│1 2", "   →", "1│@▫", "walker    (1, 0) right"]
    assert "\x1b[" not in picture.text()
    assert "\x1b[0;38;2;" in picture.text(colour=True)
    width = TextPainter(picture.scene, None, True).width
    assert all(len(line) <= width for line in picture.text().splitlines())


def test_planes_are_drawn_as_large_as_there_is_room() -> None:
    sizes = {(7, 3): 28, (75, 4): 16, (151, 9): 10, (512, 512): 1, (9999, 2): 1, (300, 170): 4}
    for (width, height), scale in sizes.items():
        assert best_scale((0, 0, width - 1, height - 1)) == scale


def test_titles_are_cut_where_there_is_no_room() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdef", 4) == "abc…"


# Files


@pytest.mark.parametrize(("suffix", "kind"), [("gif", "GIF"), ("apng", "PNG"), ("webp", "WEBP")])
def test_moving_pictures_are_exact(tmp_path: Path, suffix: str, kind: str) -> None:
    made = film(board(".v.*.\n.>.^.\n:*.<#"), "bmprog", steps=(0, 9), fps=8, heat=True)
    made.save(tmp_path / f"film.{suffix}")
    wanted = list(made.images())
    durations = []
    with Image.open(tmp_path / f"film.{suffix}") as read:
        assert read.format == kind
        assert read.n_frames == len(wanted) == made.frames == 10
        for number, image in enumerate(wanted):
            read.seek(number)
            read.load()
            durations.append(read.info["duration"])
            assert ImageChops.difference(read.convert("RGB"), image).getbbox() is None, number
        assert read.info.get("loop") == 0
    assert sum(durations[:-1]) == pytest.approx(9 * 125, abs=10)
    assert durations[-1] == 1500


def test_a_cast_is_asciicast_2(tmp_path: Path) -> None:
    made = film(HELLO, "mirrorfunge", fps=4)
    made.save(tmp_path / "film.cast")
    head, *events = map(json.loads, (tmp_path / "film.cast").read_text().splitlines())
    assert head["version"] == 2 and head["width"] >= 44 and head["height"] >= 5
    assert len(events) == made.frames + 1
    assert [time for time, _, _ in events[:-1]] == [n / 4 for n in range(made.frames)]
    assert all(kind == "o" and isinstance(text, str) for _, kind, text in events)
    assert len(head["theme"]["palette"].split(":")) == 8
    assert "step 0" in events[0][2] and "\x1b[2J" in events[0][2]
    assert "\x1b[2J" not in events[1][2]
    assert "Mirrorfunge" in events[0][2] and "Hi" in events[6][2]
    assert "Hi" not in events[1][2]


@pytest.mark.parametrize("suffix", ["svg", "gif", "apng", "webp", "cast"])
def test_the_same_run_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    def once() -> bytes:
        path = tmp_path / f"film.{suffix}"
        film("5>?:.@\n  ^ <", "mirrorfunge", steps=(0, 20)).save(path)
        return path.read_bytes()

    assert once() == once()


def test_notebooks_get_what_they_understand() -> None:
    picture = planewalk.picture(source=HELLO, language="mirrorfunge")
    assert picture._repr_svg_().startswith("<svg ")
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert film(HELLO, "mirrorfunge")._repr_svg_().startswith("<svg ")


@pytest.mark.parametrize(("options", "said"), [
    ({"steps": (5, 3)}, "expected steps in order, not 5 to 3"),
    ({"steps": (-1, 3)}, "expected steps in order"),
    ({"every": 0}, "every: expected a whole number, 1 or more"),
    ({"trail": -1}, "trail: expected a whole number, 0 or more"),
    ({"fps": 0}, "expected frames a second"),
    ({"fps": float("nan")}, "expected frames a second"),
    ({"scale": 0}, "scale: expected a whole number, 1 or more"),
    ({"theme": "pink"}, "there are light and dark"),
    ({"crop": (0, 0, 0, 5)}, "0 x 5 cells has nothing to see"),
    ({"crop": (0, 0, 9999, 9999)}, "too much to draw"),
    ({"scale": 100_000}, "pixels is very large"),
    ({"scale": 3, "grid": True}, "grid: cells of 3 pixels have no room for lines"),
    ({"steps": (8, 9)}, "there is no step 8: the program ended after 7"),
])  # fmt: skip
def test_bad_wishes_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        film(HELLO, "mirrorfunge", **options)
