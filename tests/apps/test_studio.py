"""The studio without a browser: what is said to a conversation, and who is let in."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import url2pathname

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import planewalk
from planewalk.apps import sessions
from planewalk.apps.cli import studio as cli_studio
from planewalk.apps.studio import conversation, server
from planewalk.apps.studio.conversation import AHEAD, Conversation
from planewalk.apps.studio.server import SEEN, Studio, Tab
from planewalk.apps.studio.terrain import CellHeat, Roll
from planewalk.engines.choose import choose_engine
from planewalk.engines.native.shelf import Shelf
from planewalk.languages import registry

HOST = "127.0.0.1:8000"


class Clock:
    """A clock that only goes when it is looked at."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def said(talk: Conversation, do: str, **more: Any) -> dict[str, Any]:
    """All answers to a message, as one, the way they come out of JSON."""
    whole: dict[str, Any] = {}
    for answer in json.loads(json.dumps(talk.receive({"do": do, **more}))):
        whole |= answer
    return whole


def opened(text: str = "12+.@", language: str = "mirrorfunge", **more: Any) -> Conversation:
    talk = Conversation(Clock())
    assert "opened" in said(talk, "open", language=language, text=text, **more)
    return talk


def work(talk: Conversation) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    while talk.running:
        answers += talk.work()
    return answers


def test_hello_tells_all_languages_and_examples() -> None:
    hello = said(Conversation(Clock()), "hello")["hello"]
    assert {"refunge", "bmprog"} <= {language["name"] for language in hello["languages"]}
    assert any(example["file"] == "duet.ref" for example in hello["examples"])
    assert hello["version"] == planewalk.__version__
    forms = [form for form, _ in hello["commands"]]
    assert "who X,Y" in forms and "break at 3,4 heading up" in forms and "save FILE" not in forms


@pytest.mark.parametrize(
    ("swatch", "words"),
    [
        (lambda sign: None, "Twin: `swatch` gives None for"),
        (lambda sign: (1, 2), "not a colour: three numbers from 0 to 255"),
        (lambda sign: (0, 0, 256), "`swatch` gives (0, 0, 256)"),
        (lambda sign: 1 // 0, "Twin: `swatch` failed: ZeroDivisionError"),
    ],
)
def test_a_language_without_colours_hides_no_other(
    swatch: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bmprog = registry.get("bmprog")
    twin = bmprog._replace(name="twin", title="Twin", looks=bmprog.looks._replace(swatch=swatch))
    known = {name: registry.get(name) for name in registry.names()} | {"twin": twin}
    monkeypatch.setattr(registry, "names", lambda: list(known))
    monkeypatch.setattr(registry, "get", known.__getitem__)
    talk = Conversation(Clock())
    hello = said(talk, "hello")["hello"]
    assert "twin" not in {language["name"] for language in hello["languages"]}
    assert {"bmprog", "refunge"} <= {language["name"] for language in hello["languages"]}
    (line,) = hello["complaints"]
    assert words in line and "\n" not in line
    assert words in said(talk, "open", language="twin", text="..")["error"]


@pytest.mark.exhaustive
def test_every_example_opens_and_steps() -> None:
    talk = Conversation(Clock())
    for example in said(talk, "hello")["hello"]["examples"]:
        answer = said(talk, "example", file=example["file"])
        assert answer["opened"]["language"] == example["language"] and answer["frame"]["tick"] == 0
        assert said(talk, "step")["tick"] <= 1


def frames(talk: Conversation, times: int) -> list[int]:
    """The ticks that are shown of a run after so many slices of it."""
    answers = [answer for _ in range(times) for answer in talk.work()]
    return [answer["frame"]["tick"] for answer in answers if "frame" in answer]


def test_a_page_that_is_slow_is_sent_no_more_frames_than_it_sees() -> None:
    talk = opened(">v\n^<")
    said(talk, "run", paced=True)
    assert len(ticks := frames(talk, 60)) == AHEAD and not talk.work()
    assert not talk.receive({"do": "seen"})
    (more,) = frames(talk, 60)
    assert more > ticks[-1], "the run goes on meanwhile"
    assert not said(talk, "pause")["frame"]["running"]
    said(talk, "run")
    assert len(frames(talk, 60)) > AHEAD, "it did not say that it tells what it sees"


def test_no_run_is_broken_off_to_hear_that_a_frame_was_seen() -> None:
    class Socket:
        said = [{"type": "websocket.receive", "text": SEEN}, {"type": "websocket.disconnect"}]

        async def receive(self) -> Any:
            return self.said.pop(0)

    talk = opened(">v\n^<")
    said(talk, "run", paced=True)
    frames(talk, 60)
    tab = Tab(Socket(), talk, None)  # type: ignore[arg-type]
    asyncio.run(tab._listen())
    assert not tab.inbox and len(frames(talk, 60)) == 1


def test_breakpoints_and_conditions() -> None:
    talk = opened()
    (point,) = said(talk, "break", condition="at 3,0")["frame"]["breaks"]
    said(talk, "run")
    assert work(talk)[-1]["frame"]["tick"] == 3
    assert said(talk, "unbreak", id_of=point["id"])["frame"]["breaks"] == []
    assert said(talk, "until", condition="depth = 1", back=True)["frame"]["tick"] == 1


def test_an_edited_source_shows_the_same_moment() -> None:
    talk = opened()
    said(talk, "goto", tick=3)
    assert said(talk, "reload", text="15+.@")["frame"]["panels"]["stack"] == ["6"]


def test_edits_in_a_row_are_one_branch() -> None:
    talk = opened("!X^A", "refunge")
    said(talk, "goto", tick=1)
    said(talk, "edit", cells=[[0, 0, "?"], [1, 0, "+"]])
    frame = said(talk, "edit", cells=[[2, 0, "-"]])["frame"]
    assert len(frame["branches"]) == 2, "nobody has walked on the first of them"
    frame = said(talk, "look", box=[0, 0, 3, 5])["frame"]
    assert "".join(frame["looks"][look][0] for look in frame["rows"][0]) == "?+-A"
    said(talk, "step")
    assert len(said(talk, "edit", cells=[[0, 0, "A"]])["frame"]["branches"]) == 3


def test_signs_of_a_moment_are_what_the_language_makes_of_them() -> None:
    talk = opened("$@#", "gemooy")
    frame = said(talk, "edit", cells=[[0, 0, "#"]])["frame"]
    assert frame["branch"] == "cell 0,0 = '#' at 0"
    assert "one sign" in said(talk, "edit", cells=[[0, 0, "ab"]])["error"]


def test_branches_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planewalk.apps.studio.conversation.MOST_BRANCHES", 3)
    talk = opened("~~~~~,@", input="xyxyx")
    for _ in range(2):
        said(talk, "edit", input="enp6eno=")
        said(talk, "step")
    assert "at most 3 branches" in said(talk, "edit", input="eg==")["error"]


def test_branches_of_large_states_are_few() -> None:
    """Each keeps the state that it begins with, and histories of its own."""
    talk = opened("~~~~~,@", input="xyxyx")
    assert talk.session is not None
    size = talk.session.state.memory()
    talk.means = talk.means._replace(branches=6 * size)
    said(talk, "goto", tick=3)
    made = 0
    while "frame" in (answer := said(talk, "edit", input="enp6eno=")) and made < 60:
        made += 1
        said(talk, "step")
        said(talk, "back")
    assert "of memory; open it again" in answer["error"] and 0 < made < 7
    assert "of memory" in said(talk, "feed", text="x").get("error", "of memory")


def test_typing_can_step_as_well() -> None:
    talk = opened("12")
    said(talk, "goto", tick=1)
    frame = said(talk, "reload", text="19", ticks=1)["frame"]
    assert frame["tick"] == 2 and frame["panels"]["stack"] == ["9", "1"]


def test_blocks_are_turned_by_the_table() -> None:
    talk = opened()
    answer = said(talk, "turns", how="clockwise")["turns"]
    assert answer["signs"]["/"] == "\\" and answer["inexact"] == "><"
    assert said(talk, "leads")["leads"]["/"]["1,0"] == [0, -1, 0, -1]
    assert "clockwise" in said(talk, "turns", how="sideways")["error"]


def test_nobody_can_write_files(tmp_path: Path) -> None:
    talk = opened()
    target = tmp_path / "evil.walk"
    (answer,) = said(talk, "ask", line=f"save {target}")["answer"]
    assert "without a way to write files" in answer and not target.exists()


def test_causes_light_up() -> None:
    talk = opened("34+.@")
    said(talk, "ask", line="end")
    answer = said(talk, "why", output=0)["causes"]
    there = [tuple(place[:2]) for place in answer["places"]]
    assert sorted(there) == [(0, 0), (1, 0), (2, 0), (3, 0)] and there[:2] == [(3, 0), (2, 0)]
    assert answer["words"][1] == "  '+' (add) at 2,0, tick 2"
    assert "no such value" in said(talk, "why", output=9)["error"]
    said(talk, "goto", tick=2)
    assert said(talk, "why", stack=0)["causes"]["places"] == [[1, 0, "cell"]]


def test_who_wrote_a_cell_and_when() -> None:
    talk = opened("+X!^", "refunge")
    said(talk, "ask", line="end")
    answer = said(talk, "who", cell=[0, 0])["causes"]
    assert answer["places"] == [[1, 0, "computed"]] and answer["tick"] == 1
    assert "held at the beginning" in said(talk, "who", cell=[3, 0])["causes"]["words"][0]


def marks(talk: Conversation) -> dict[str, list[int]]:
    """All marks, however often one must ask."""
    while True:
        answer = said(talk, "marks")["marks"]
        if answer["done"]:
            return dict(answer["marks"])


def test_marks_on_the_line_of_time() -> None:
    talk = opened("~,1.@", input="x")
    said(talk, "break", condition="at 2,0")
    said(talk, "ask", line="end")
    assert marks(talk) == {"output": [2, 4], "input": [1], "break": [2], "fork": []}
    said(talk, "goto", tick=2)
    said(talk, "edit", input="")
    said(talk, "ask", line="end")
    assert marks(talk)["fork"] == [2]
    assert marks(talk)["output"] == [2, 4], "what came before a branch is its past, too"
    said(talk, "unbreak")
    assert "break" not in marks(talk)


def test_a_stack_is_edited_with_numbers_of_any_length() -> None:
    talk = opened("12+.@")
    said(talk, "goto", tick=2)
    frame = said(talk, "edit", stack=0, value="10000000000000000000000")["frame"]
    assert frame["panels"]["stack"] == ["10000000000000000000000", "1"]


def test_runs_to_a_place_once() -> None:
    talk = opened("12+.@")
    said(talk, "break", condition="at 4,0")
    said(talk, "run", until="at 2,0")
    assert work(talk)[-1]["frame"]["tick"] == 2
    said(talk, "run")
    assert work(talk)[-1]["frame"]["tick"] == 4
    assert "error" in said(talk, "run", until="nonsense")


def test_a_board_of_colours_is_edited_as_letters() -> None:
    talk = opened("v.\n>.", "bmprog")
    assert said(talk, "open", language="bmprog", text="v.\n>.")["opened"]["text"] == "v.\n>."
    said(talk, "run")
    assert work(talk)[-1]["frame"]["panels"]["value"] == "1"


def test_pictures_and_shaders() -> None:
    talk = opened("0&@", "webfunge")
    assert said(talk, "shader")["shader"].startswith("#version 300 es")
    assert base64.b64decode(said(talk, "render", size=[4, 3])["picture"])[:4] == b"\x89PNG"
    assert "at most" in said(talk, "render", size=[9999, 3])["error"]


@pytest.mark.parametrize(
    "message",
    [
        None, 5, [], {}, {"do": 7}, {"do": "fly"}, {"do": "step"}, {"do": "open"},
        {"do": "open", "language": "nope", "text": ""}, {"do": "open", "language": 5, "text": ""},
        {"do": "open", "language": "mirrorfunge", "source": "!"},
        {"do": "open", "language": "mirrorfunge", "text": "@", "options": {"no": 1}},
        {"do": "look", "box": [1]}, {"do": "goto", "tick": "x"}, {"do": "goto", "tick": -1},
        {"do": "ask", "line": 5}, {"do": "break", "condition": "at"}, {"do": "__init__"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("first", [True, False])
def test_nonsense_gets_a_line(message: Any, first: bool) -> None:
    talk = Conversation(Clock()) if first else opened()
    answers = talk.receive(message)
    if first or message != {"do": "step"}:
        assert "error" in answers[0] and isinstance(answers[0]["error"], str)
    assert said(talk, "open", language="mirrorfunge", text="@")["opened"]


def test_a_program_that_is_too_large_is_refused() -> None:
    talk = opened()
    answer = said(talk, "open", language="refunge", text="x" * 20_000 + "\n" * 20_000 + "x")
    assert "more than the limit of 256 MiB" in answer["error"]


def test_questions_have_a_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = opened("+X!^", "refunge")
    said(talk, "ask", line="end")
    monkeypatch.setattr("planewalk.apps.studio.conversation.PATIENCE", 0.0)
    assert "given up" in said(talk, "who", cell=[3, 0])["error"]
    assert "given up" in said(talk, "ask", line="life 0,0")["answer"][0]
    assert "given up" in said(talk, "why", output=0)["error"]


def test_a_huge_box_is_cut() -> None:
    talk = opened()
    frame = said(talk, "look", box=[-(10**30), 0, 10**30, 10**30])["frame"]
    assert len(frame["rows"]) <= 513 and len(frame["rows"][0]) <= 513


# Who is let in ------------------------------------------------------------------------------------


TOKEN = "a-token"


def stranger(port: int | None = None) -> TestClient:
    """A visitor without the token."""
    return TestClient(Studio(None, {HOST}, TOKEN, port).app, base_url=f"http://{HOST}")


def client() -> TestClient:
    """A visitor who has the token."""
    visitor = stranger()
    visitor.params = {"token": TOKEN}
    return visitor


def test_the_page_has_a_strict_policy() -> None:
    page = client().get("/")
    assert page.status_code == 200 and "planewalk" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert client().get("/static/main.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/..%2fserver.py", "/static/x.py"])
def test_nothing_else_is_served(path: str) -> None:
    assert client().get(path).status_code == 404


def test_other_hosts_and_origins_are_refused() -> None:
    assert client().get("/", headers={"host": "evil.example"}).status_code == 403
    assert client().get("/", headers={"origin": "http://evil.example"}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        stranger().websocket_connect(
            f"ws://{HOST}/talk?token={TOKEN}", headers={"origin": "http://evil.example"}
        ),
    ):
        pass


def test_any_address_of_this_machine_is_ours_if_all_are_served() -> None:
    """But no name that somebody else may have lead here."""
    visitor, page = stranger(8000), f"/?token={TOKEN}"
    for host in ("192.168.1.7:8000", "[fe80::1]:8000", HOST):
        assert visitor.get(page, headers={"host": host}).status_code == 200
        assert visitor.get(page, headers={"origin": f"http://{host}"}).status_code == 200
    for host in ("192.168.1.7:8001", "192.168.1.7", "evil.example:8000", "fe80::1:8000",
                 "[192.168.1.7]:8000", "[[fe80::1]]:8000", ":8000", ""):  # fmt: skip
        assert visitor.get(page, headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:None", "127.0.0.1", "127.0.0.1:8001", "[::1]:None", "192.168.1.7:8000", ":None"],
)
def test_a_studio_is_called_by_its_host_and_port_alone(host: str) -> None:
    page = f"/?token={TOKEN}"
    assert stranger().get(page).status_code == 200
    assert stranger().get(page, headers={"host": host}).status_code == 403
    twice = stranger().get(page, headers=[("host", HOST), ("host", host)])
    assert twice.status_code == 403


@pytest.mark.parametrize(
    ("host", "port", "names"),
    [
        ("127.0.0.1", 8000, {"127.0.0.1:8000", "localhost:8000"}),
        ("::1", 8000, {"[::1]:8000", "127.0.0.1:8000", "localhost:8000"}),
        ("127.0.0.1", 80, {"127.0.0.1", "localhost"}),
        ("10.1.2.3", 8000, {"10.1.2.3:8000"}),
    ],
)
def test_browsers_leave_out_the_usual_port(host: str, port: int, names: set[str]) -> None:
    assert cli_studio._called(host, port) == names


def started(
    monkeypatch: pytest.MonkeyPatch, host: str, no_browser: bool, look: Callable[[], None]
) -> Studio:
    """The studio that the command would serve; `look` is called while it is open."""

    async def serve(studio: Studio, at: str, port: int, ready: Any) -> None:
        ready()
        look()
        served.append(studio)
        assert at == host

    served: list[Studio] = []
    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(cli_studio, "_free_port", lambda host, port: 8000)
    arguments = Namespace(file=None, port=0, host=host, no_browser=no_browser)
    assert cli_studio.perform(arguments) == 0
    return served[0]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "0.0.0.0"])
def test_the_address_that_is_printed_has_the_token_and_is_served(
    host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = started(monkeypatch, host, True, lambda: None)
    printed = capsys.readouterr().out.split()[-1]
    visitor = TestClient(studio.app, base_url=printed.partition("?")[0])
    assert visitor.get("/").status_code == 403
    assert visitor.get(printed).status_code == 200 and f"?token={studio.token}" in printed
    again = started(monkeypatch, host, True, lambda: None)
    assert len(again.token) >= 32 and again.token != studio.token


def test_no_other_user_reads_the_token_in_the_words_of_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The browser is told of a private page that leads to the studio, and is gone afterwards."""
    told: list[str] = []
    pages: list[str] = []

    def look() -> None:
        path = Path(url2pathname(told[0].removeprefix("file://")))
        if os.name == "posix":
            assert path.parent.stat().st_mode & 0o077 == 0
        pages.append(path.read_text())

    monkeypatch.setattr("webbrowser.open", told.append)
    studio = started(monkeypatch, "127.0.0.1", False, look)
    address = capsys.readouterr().out.split()[-1]
    assert studio.token not in told[0] and f"url={address}" in pages[0]
    assert not Path(url2pathname(told[0].removeprefix("file://"))).parent.exists()


def test_the_token_is_needed_for_the_page_and_talks() -> None:
    for path in ("/", "/?token=", "/?token=wrong", "/static/index.html"):
        assert stranger().get(path).status_code == 403
    for query in ("", "?token=wrong"):
        with (
            pytest.raises(WebSocketDisconnect),
            stranger().websocket_connect(f"ws://{HOST}/talk{query}"),
        ):
            pass
    with stranger().websocket_connect(f"ws://{HOST}/talk?token={TOKEN}") as wire:
        wire.send_json({"do": "hello"})
        assert "hello" in wire.receive_json()


def test_the_token_is_taken_from_no_cookie() -> None:
    """Servers at all ports of a machine are sent those of each other."""
    page = client().get("/")
    assert page.status_code == 200 and "set-cookie" not in page.headers
    for name in ("token", "planewalk", "planewalk-8000"):
        cookie = {"cookie": f"{name}={TOKEN}"}
        assert stranger().get("/", headers=cookie).status_code == 403


def test_whoever_comes_without_the_token_is_told_what_to_do() -> None:
    visitor = stranger()
    page = visitor.get("/?token=wrong")
    assert page.status_code == 403 and page.headers["content-type"].startswith("text/html")
    assert "planewalk studio" in page.text and "/?token=" in page.text and TOKEN not in page.text
    assert page.headers["content-security-policy"] == server.POLICY
    for needed in re.findall(r'(?:href|src)="([^"]+)"', page.text):
        assert visitor.get(needed).status_code == 200


@pytest.mark.parametrize("wrong", ["%C3%A9", "%ff", "\u00e9".encode().decode("latin-1")])
def test_a_token_of_any_bytes_is_refused(wrong: str) -> None:
    page = stranger().get(f"/?token={wrong}")
    assert page.status_code == 403 and "needs its token" in page.text


def test_a_talk_over_the_wire_survives_nonsense() -> None:
    with stranger().websocket_connect(f"ws://{HOST}/talk?token={TOKEN}") as wire:
        wire.send_text("{not json")
        assert "error" in wire.receive_json()
        wire.send_bytes(b"\xff\x00")
        assert "error" in wire.receive_json()
        wire.send_json({"do": "open", "language": "mirrorfunge", "text": "12+.@", "id": 1})
        assert wire.receive_json()["re"] == 1
        wire.receive_json()
        wire.send_json({"do": "run"})
        while not wire.receive_json()["frame"].get("stop"):
            pass


BOMB = "\\|||||||\n" + "YYYYYYYY\n" * 4 + "||||||||\n"


def test_a_message_does_not_wait_for_the_end_of_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 4)
    talk = opened(BOMB, "refunge", tick=8)
    talk.means = talk.means._replace(longest_slice=0.01)
    assert talk.session is not None
    session = talk.session
    for hurried, tick in ((True, 8), (False, 9)):
        said(talk, "run", speed=1)  # one tick at first; of a crowd that doubles that is enough
        talk.hurried = lambda hurried=hurried: hurried
        talk.work()
        assert talk.running and session.tick == tick


def test_a_tab_knows_when_there_is_a_message() -> None:
    talk = opened()
    tab = Tab(None, talk, None)  # type: ignore[arg-type]
    assert not talk.hurried()
    tab.inbox.append("{}")
    assert talk.hurried()


def test_nobody_is_followed_through_a_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = opened(BOMB, "refunge", tick=2)
    assert talk.session is not None
    roll, walkers = Roll(), len(talk.session.state.walkers)
    assert walkers > 1 and roll.numbers(talk.session) == list(range(walkers))
    monkeypatch.setattr(Roll, "MOST_WALKERS", walkers)
    monkeypatch.setattr(
        "planewalk.engines.stepping.observe.Observer.step", None
    )  # whoever follows fails
    talk.session.goto(5)
    assert roll.numbers(talk.session) == list(range(len(talk.session.state.walkers)))


def test_heat_is_given_up_in_the_midst_of_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = opened(BOMB, "refunge", tick=10)  # before, or who opens it slowly asks too often
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 4)
    assert talk.session is not None
    heat = CellHeat()
    assert not heat.count(talk.session, lambda: False, lambda: True)
    assert heat.tick < 10 and heat.count(talk.session, lambda: False) and heat.tick == 10


def test_engines_of_a_program_hand_their_code_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that goes back is another engine's, which need not make all code again."""
    stores: list[Any] = []

    def chosen(*given: Any) -> Any:
        stores.append(given[-1])
        return choose_engine(*given)

    monkeypatch.setattr(sessions, "choose_engine", chosen)
    talk = opened(">1+$v\n^   <\n")
    said(talk, "goto", tick=5_000)
    said(talk, "goto", tick=2)
    assert len(stores) > 1 and isinstance(stores[0], Shelf)
    assert all(store is stores[0] for store in stores)


def rows_of(talk: Conversation) -> list[str]:
    """What stands on the plane at this moment."""
    assert talk.session is not None
    plane, language = talk.session.state.plane, talk.session.language
    left, top, right, bottom = plane.box() or (0, 0, -1, -1)
    return [
        "".join(language.sign(plane, x, y) for x in range(left, right + 1))
        for y in range(top, bottom + 1)
    ]


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ({"lines": ["row", 1, 1]}, ["#@#", "   ", "##@"]),
        ({"lines": ["row", -5, 2]}, ["#@#", "##@"]),
        ({"lines": ["row", 0, -1]}, ["##@"]),
        ({"lines": ["column", 1, 2]}, ["#  @#", "#  #@"]),
        ({"lines": ["column", 0, -2]}, ["#", "@"]),
        ({"turn": "clockwise", "box": [0, 0, 2, 1]}, ["##", "#@", "@#"]),
        ({"turn": "across", "box": [0, 0, 2, 1]}, ["#@#", "@##"]),
        ({"carry": [0, 2], "box": [0, 0, 2, 0]}, ["##@", "#@#"]),
        ({"carry": [0, 2], "box": [0, 0, 2, 0], "copy": True}, ["#@#", "##@", "#@#"]),
    ],
)
def test_blocks_of_a_moment_are_moved_and_turned(block: Any, wanted: list[str]) -> None:
    talk = opened("#@#\n##@\n$", "gemooy")
    frame = said(talk, "edit", block=block)["frame"]
    assert rows_of(talk) == wanted and frame["courses"][1]["edits"] == [{"block": block}]
    again = opened("#@#\n##@\n$", "gemooy", courses=frame["courses"], branch=1)
    assert rows_of(again) == wanted


def test_blocks_keep_what_has_no_sign_and_lose_nothing() -> None:
    talk = opened("ab \ncd ", "refunge")
    said(talk, "ask", line="cell 0,0 = 7")
    said(talk, "edit", block={"lines": ["row", 0, 1]})
    assert rows_of(talk) == ["   ", "\x07b ", "cd "]
    said(talk, "edit", block={"lines": ["column", 0, 1]})
    assert rows_of(talk) == ["   ", " \x07b", " cd"]
    found = said(talk, "edit", block={"lines": ["column", 0, 1]})
    assert "2,1 would fall off" in found["error"] and rows_of(talk) == ["   ", " \x07b", " cd"]
    assert (
        "not on the plane"
        in said(talk, "edit", block={"carry": [9, 0], "box": [0, 0, 2, 1]})["error"]
    )
    assert said(talk, "edit", block={"turn": "down", "box": [0, 0, 2, 2]})["told"] == ["turned"]
    for nonsense in ({}, {"box": [0, 0, 1e9, 1e9], "turn": "down"}, {"lines": ["heap", 0, 1]}, 5):
        assert "error" in said(talk, "edit", block=nonsense)
    fixed = opened("12+.@")
    assert "never changes" in said(fixed, "edit", block={"lines": ["row", 0, 1]})["error"]


@pytest.mark.parametrize(("words", "crowd"), [("4,0 left", 1), ("gone", 0)])
def test_walkers_that_a_command_has_moved_come_back_with_links(words: str, crowd: int) -> None:
    talk = opened("12345@")
    said(talk, "step", ticks=2)
    courses = said(talk, "ask", line=f"walker 0 = {words}")["frame"]["courses"]
    frame = said(Conversation(Clock()), "open", language="mirrorfunge", text="12345@",
                 courses=courses, branch=1, tick=2)  # fmt: skip
    assert "error" not in frame and frame["frame"]["crowd"] == crowd


def test_commands_leave_no_more_branches_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conversation, "MOST_BRANCHES", 2)
    talk = opened("12345@")
    said(talk, "step", ticks=3)
    assert len(said(talk, "ask", line="stack 0 = 7")["frame"]["branches"]) == 2
    assert "at most 2 branches" in said(talk, "ask", line="stack 0 = 8")["error"]


def test_walkers_are_moved_and_removed_in_a_moment() -> None:
    talk = opened("12345@")
    said(talk, "step", ticks=2)
    courses = said(talk, "edit", walker=0, value="4,0 left")["frame"]["courses"]
    again = opened("12345@", courses=courses, branch=1, tick=2)
    for each in (talk, again):
        assert each.session is not None
        assert each.session.state.walkers[0].stance[:4] == (4, 0, -1, 0)
    for wrong in ("4,0", "9,0 left", "4,0 elsewhere"):
        assert "error" in said(talk, "edit", walker=0, value=wrong)
    assert said(talk, "edit", walker=0, value="")["frame"]["crowd"] == 0
    assert "error" in said(talk, "edit", walker=0, value="")


def test_of_many_messages_only_the_last_is_shown() -> None:
    talk = opened("12345@")
    step = {"do": "step"}
    assert talk.receive(step, more=True) == [] == talk.receive(step, more=True)
    (frame,) = talk.settle()
    assert frame["frame"]["tick"] == 2 and talk.settle() == []
    assert talk.receive({**step, "id": 7}, more=True)[0]["re"] == 7, "somebody waits for this one"
    assert talk.receive({"do": "fly"}, more=True)[0]["error"]
    opens = {"do": "open", "language": "mirrorfunge", "text": "1@"}
    assert [*talk.receive(opens, more=True)[0]] == ["opened"]
    assert talk.settle()[0]["frame"]["rows"]


def test_what_takes_long_is_answered_by_itself() -> None:
    talk = opened("0y1y4y@", "webfunge")
    tab = Tab(None, talk, None)  # type: ignore[arg-type]
    for message in ({"do": "step"}, {"do": "render", "size": [3, 2]}, {"do": "step"}):
        tab.inbox.append(json.dumps(message))
    assert [next(iter(answer)) for answer in tab.answers()] == ["frame"]
    assert "picture" in tab.answers()[0]


def test_what_people_do_with_a_page_of_gemooy() -> None:
    """Start, stop, step, reset, another speed meanwhile, an edit; and the end is told."""
    clock = Clock()
    talk = Conversation(clock)
    first = said(talk, "example", file="grow.gemooy")
    text, plane = first["opened"]["text"], first["frame"]["rows"]
    said(talk, "run", speed=5)
    clock.now += 0.25
    (slow,) = talk.work()
    said(talk, "run", speed=4000)
    clock.now += 0.25
    (fast,) = talk.work()
    assert slow["frame"]["tick"] < 5 and fast["frame"]["tick"] > 20
    stopped = said(talk, "pause")["frame"]
    assert not stopped["running"] and not talk.work()
    assert said(talk, "step")["frame"]["tick"] == stopped["tick"] + 1
    said(talk, "goto", tick=0)
    assert talk.open_run is not None
    talk.open_run.forget()
    assert said(talk, "look", box=first["frame"]["box"])["frame"]["rows"] == plane
    said(talk, "reload", text=text.replace("#", " "))
    said(talk, "run")
    assert work(talk)[-1]["frame"]["stop"] == "halted"
