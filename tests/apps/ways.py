"""Ways to walk in a session other than its methods: what is typed, what an editor asks for, and
what a page of the studio says. Each has the methods of `Library`, and looks at what is shown."""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, Self

from planewalk.apps.dap.adapter import Adapter
from planewalk.apps.studio.conversation import Conversation
from planewalk.core.program import Program
from planewalk.debug.session import Session
from planewalk.debug.walkfile import from_bytes
from planewalk.languages import registry
from planewalk.view.console.console import Console
from planewalk.view.scene.frame import Lens
from tests.debug.machine import CONDITIONS, Library, words_of
from tests.debug.timeline import Fact, Moment

Message = dict[str, Any]


def typed(data: bytes) -> str:
    """Bytes as they are typed."""
    return "".join(f"\\x{byte:02x}" for byte in data)


def number_in(pattern: str, line: str) -> int:
    found = re.search(pattern, line)
    assert found, line
    return int(found[1].replace(",", ""))


class Typing(Library):
    """Commands of the console."""

    forks = False

    def __init__(self, walk: Session) -> None:
        super().__init__(walk)
        self.ids: dict[int, int] = {}
        """The numbers of breakpoints."""
        self.begin()

    def begin(self) -> None:
        self.console = Console(self.walk)
        self.watches = self.console.watches

    @classmethod
    def open(cls, program: Program, text: bytes | None, settings: dict[str, Any]) -> Self:
        files: dict[str, bytes] = {}
        way = cls(Session(program, text, 1, write=files.__setitem__, **settings))
        way.files = files
        return way

    files: dict[str, bytes]

    def reopened(self, settings: dict[str, Any]) -> Self:
        assert self.say("save it.walk") == ["saved to it.walk"]
        saved = self.files["it.walk"]
        way = type(self)(
            from_bytes(Session, saved, registry.get, write=self.files.__setitem__, **settings)
        )
        way.files = self.files
        return way

    def say(self, line: str) -> list[str]:
        """Type a command that makes sense."""
        return self.console.perform(line)

    def stands(self, line: str) -> None:
        """Type a command that walks."""
        said = self.say(line)[-1]
        assert said.startswith(f"tick {self.walk.tick:,}"), said

    def goto(self, tick: int) -> None:
        self.stands(f"goto {tick}")

    def forward(self, ticks: int) -> None:
        self.stands(f"step {ticks}")

    def back(self, ticks: int) -> None:
        self.stands(f"back {ticks}")

    def end(self) -> None:
        self.stands("end")

    def switch(self, name: str) -> None:
        self.stands(f"switch {name}")

    def edit_cell(self, x: int, y: int, sign: str) -> None:
        self.say(f"cell {x},{y} = '{sign}'")

    def edit_stack(self, value: int) -> None:
        self.say(f"stack 0 = {value}")

    def edit_input(self, data: bytes) -> None:
        self.say(f"unread = {typed(data)}")

    def feed(self, data: bytes) -> None:
        self.say(f"input {typed(data)}")

    def set_break(self, chosen: int) -> None:
        (line,) = self.say(f"break {words_of(chosen)}")
        self.ids[chosen] = number_in(r"breakpoint (\d+): ", line)

    def unset_break(self, chosen: int) -> None:
        self.say(f"delete {self.ids.pop(chosen)}")

    def run(self) -> None:
        self.stands("run")

    def reverse(self) -> None:
        self.stands("reverse")

    def until(self, chosen: int) -> None:
        self.stands(f"until {words_of(chosen)}")

    def back_until(self, chosen: int) -> None:
        self.stands(f"back until {words_of(chosen)}")

    def is_true_now(self, text: str) -> bool:
        return self.say(f"({text})") == ["true"]  # some are the names of commands as well

    def watch(self, words: str) -> None:
        self.say(f"watch {words}")

    def who(self, x: int, y: int) -> Fact | None:
        (line,) = self.say(f"who {x},{y}")
        return None if "at the beginning" in line else _fact(r"= (.*), was ", line)

    def read(self, x: int, y: int) -> Fact | None:
        (line,) = self.say(f"read {x},{y}")
        return None if line == "never read" else _fact(r"(.*) was read ", line)

    def life(self, x: int, y: int) -> list[Fact | None]:
        first, *lines = self.say(f"life {x},{y}")
        begins = Fact(0, first.removesuffix(" from the beginning"))
        return [begins, *(_fact(r"(.*) at tick ", line) for line in lines)]

    def written_at(self, index: int) -> int | None:
        (line,) = self.say(f"output {index}")
        return None if line.startswith("only") else number_in(r"at tick ([\d,]+)", line)

    def why(self, kind: str, which: Any) -> list[str]:
        asked = ",".join(map(str, which)) if kind == "cell" else which
        lines = self.say(f"why {kind} {asked}")
        return [] if lines == ["there is no such value"] else lines


def _fact(pattern: str, line: str) -> Fact:
    """What a line says of a deed."""
    value = re.search(pattern, line)
    assert value, line
    return Fact(number_in(r"at tick ([\d,]+), by", line), value[1], line.endswith(", by hand"))


class Editing(Typing):
    """Requests of an editor, and what is typed there where the protocol has no word for it."""

    paces = 0.0, 0.01
    recounts = True
    PLACES: dict[int, tuple[int, int]] = {0: (2, 0), 1: (3, 0)}
    DATA = {3: "0,0"}
    """Which conditions are breakpoints in the margin, and on data."""

    def begin(self) -> None:
        self.adapter = Adapter(lambda arguments, must_end: self.walk, partial(next, count(0.0)))
        self.adapter.clock = lambda: 0.0
        self.set: list[int] = []
        self.ask("initialize")
        self.ask("launch", program="it.mf")
        self.ask("configurationDone")
        assert self.adapter.launched is not None
        self.console = self.adapter.launched.console
        self.watches = self.console.watches

    def ask(self, command: str, **arguments: Any) -> Any:
        """What a request is answered with."""
        request = {"seq": 1, "type": "request", "command": command, "arguments": arguments}
        answer, *self.events = self.adapter.receive(request)
        assert answer["success"], answer
        return answer.get("body")

    def say(self, line: str) -> list[str]:
        answer = self.ask("evaluate", expression=line, context="repl")
        lines: list[str] = answer["result"].split("\n")
        return lines

    def told_to_stop(self) -> None:
        """See that the editor hears of a run that it stands."""
        while self.adapter.running and not any(each["event"] == "stopped" for each in self.events):
            self.events += self.adapter.work()
            if self.walk.stop is None and self.walk.tick == self.walk.limits.steps:
                self.ask("pause")
        assert [each["event"] for each in self.events].count("stopped") == 1

    def forward(self, ticks: int) -> None:
        if not ticks:
            super().forward(ticks)
        for _ in range(ticks):
            self.ask("stepIn")
            self.told_to_stop()

    def back(self, ticks: int) -> None:
        if not ticks:
            super().back(ticks)
        for _ in range(ticks):
            self.ask("stepBack")
            self.told_to_stop()

    def set_break(self, chosen: int) -> None:
        if chosen in (*self.PLACES, *self.DATA):
            self.set.append(chosen)
            self.send_breaks(chosen)
        else:
            super().set_break(chosen)

    def unset_break(self, chosen: int) -> None:
        if chosen in self.set:
            self.set.remove(chosen)
            self.send_breaks(chosen)
        else:
            super().unset_break(chosen)

    def send_breaks(self, chosen: int) -> None:
        """All of that kind, as editors do."""
        every = {one: CONDITIONS[one][1] for one in self.set}
        hits = {one: {"hitCondition": f"{n}"} if n > 1 else {} for one, n in every.items()}
        if chosen in self.DATA:
            some = [{"dataId": self.DATA[one], **hits[one]} for one in self.set if one in self.DATA]
            answer = self.ask("setDataBreakpoints", breakpoints=some)
        else:
            places = {one: self.PLACES[one] for one in self.set if one in self.PLACES}
            some = [{"line": y + 1, "column": x + 1, **hits[i]} for i, (x, y) in places.items()]
            answer = self.ask("setBreakpoints", source={}, breakpoints=some)
        assert all(each["verified"] for each in answer["breakpoints"])

    def run(self) -> None:
        self.ask("continue")
        self.told_to_stop()

    def reverse(self) -> None:
        self.ask("reverseContinue")
        self.told_to_stop()

    def edit_stack(self, value: int) -> None:
        self.ask("setVariable", variablesReference=self.scope("Stack"), name="0", value=str(value))

    def scope(self, name: str) -> int:
        scopes = self.ask("scopes", frameId=0)["scopes"]
        number: int = next(each["variablesReference"] for each in scopes if each["name"] == name)
        return number

    def is_true_now(self, text: str) -> bool:
        answer = self.ask("evaluate", expression=text, context="watch")["result"]
        return bool(answer == "true")

    def check(self, moment: Moment) -> None:
        about = self.ask("variables", variablesReference=self.scope("Run"))["variables"]
        shown = {each["name"]: each["value"] for each in about}
        state = moment.state
        assert shown["tick"] == f"{state.tick:,}"
        assert shown["written"] == f"{len(moment.output):,} bytes"
        assert shown["unread input"].startswith(f"{state.input.unread:,} bytes")
        threads = self.ask("threads")["threads"]
        places = [f"at {one.stance.x},{one.stance.y} " for one in state.walkers]
        assert all(place in one["name"] for place, one in zip(places, threads, strict=False))


class Paging(Typing):
    """Messages of a page, which puts what it sees together from what is new in each frame."""

    paces = 0.0, 0.0
    joins_edits = True

    def __init__(self, talk: Conversation, about: Message) -> None:
        self.seen: Message = {}
        self.talk, self.about = talk, about
        self.tell("open", **about)
        assert talk.open_run is not None
        self.ids = {}
        self.watches = talk.open_run.console.watches

    @classmethod
    def open(cls, program: Program, text: bytes | None, settings: dict[str, Any]) -> Self:
        about: Message = {"language": program.language.name, "seed": 1}
        about["source"] = b64encode(program.source).decode()
        about |= {} if text is None else {"input": text.decode(errors="surrogateescape")}
        return cls(Conversation(partial(next, count(0.0, 1e-6))), about)

    @property
    def walk(self) -> Session:  # type: ignore[override]
        assert self.talk.session is not None
        return self.talk.session

    def tell(self, do: str, **more: Any) -> Message:
        """Say something that makes sense; gives all answers as one, once a run stands."""
        whole: Message = {}
        for answer in self.talk.receive({"do": do, **more}):
            whole |= self.hear(answer)
        while self.talk.running:
            for answer in self.talk.work():
                self.hear(answer)
            if self.walk.stop is None and self.walk.tick == self.walk.limits.steps:
                self.tell("pause")
        return whole

    def hear(self, answer: Message) -> Message:
        assert "error" not in answer, answer
        frame = answer.get("frame", {})
        seen = self.seen
        before: Message = {} if "rows" in frame else seen
        looks = before.get("looks", []) + frame.get("looks", [])
        panels = {**before.get("panels", {}), **frame.get("panels", {})}
        seen |= frame | {"looks": looks}
        seen["panels"] = {name: held for name, held in panels.items() if held is not None}
        for x, y, look in frame.get("cells", ()):
            seen["rows"][y - seen["box"][1]][x - seen["box"][0]] = look
        return answer

    def reopened(self, settings: dict[str, Any]) -> Self:
        """By a link."""
        names = [each["name"] for each in self.seen["branches"]]
        here = {"branch": names.index(self.seen["branch"]), "tick": self.seen["tick"]}
        kept = {name: self.about[name] for name in ("language", "seed", "source")}
        return type(self)(self.talk, kept | here | {"courses": self.seen["courses"]})

    def say(self, line: str) -> list[str]:
        lines: list[str] = self.tell("ask", line=line)["answer"]
        return lines

    def goto(self, tick: int) -> None:
        self.tell("goto", tick=tick)

    def forward(self, ticks: int) -> None:
        assert self.tell("step", ticks=ticks)["tick"] == self.walk.tick

    def back(self, ticks: int) -> None:
        self.tell("back", ticks=ticks)

    def end(self) -> None:
        self.say("end")

    def switch(self, name: str) -> None:
        self.tell("switch", branch=name)

    def edit_cell(self, x: int, y: int, sign: str) -> None:
        self.tell("edit", cells=[[x, y, sign]])

    def edit_stack(self, value: int) -> None:
        self.tell("edit", stack=0, value=value)

    def edit_input(self, data: bytes) -> None:
        self.tell("edit", input=b64encode(data).decode())

    def feed(self, data: bytes) -> None:
        self.tell("feed", text=data.decode(errors="surrogateescape"))

    def set_break(self, chosen: int) -> None:
        self.tell("break", condition=words_of(chosen))
        self.ids[chosen] = self.seen["breaks"][-1]["id"]

    def unset_break(self, chosen: int) -> None:
        self.tell("unbreak", id_of=self.ids.pop(chosen))

    def run(self) -> None:
        self.tell("run")

    def until(self, chosen: int) -> None:
        self.tell("until", condition=words_of(chosen))

    def back_until(self, chosen: int) -> None:
        self.tell("until", condition=words_of(chosen), back=True)

    def who(self, x: int, y: int) -> Fact | None:
        (line,) = self.tell("who", cell=[x, y])["causes"]["words"]
        return None if "at the beginning" in line else _fact(r"= (.*), was ", line)

    def why(self, kind: str, which: Any) -> list[str]:
        answers = self.talk.receive({"do": "why", kind: list(which) if kind == "cell" else which})
        lines: list[str] = answers[0].get("causes", {"words": []})["words"]
        return lines

    def check(self, moment: Moment) -> None:
        state, stop, seen = moment.state, moment.stop, self.seen
        whole = Lens(self.walk.language).look(state, tuple(seen["box"]), stop=stop).to_json()
        for name in ("tick", "plane", "crowd", "panels", "stop"):
            assert seen.get(name) == whole[name], name
        assert _signs(seen) == _signs(whole)
        assert [one[1:] for one in seen["walkers"]] == [one[1:] for one in whole["walkers"]]
        assert seen["output"]["written"] == len(moment.output)
        assert b64decode(seen["output"]["tail"]) == moment.output
        assert seen["input"]["count"] == state.input.unread
        assert seen["branch"] == self.walk.branch.name


def _signs(frame: Message) -> list[list[str]]:
    return [[frame["looks"][look][0] for look in row] for row in frame["rows"]]


WAYS: dict[str, Callable[..., Any]] = {"console": Typing, "editor": Editing, "page": Paging}
