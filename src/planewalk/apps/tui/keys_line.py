"""The keys that are of use now, on one line."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

WHILE_TYPING = " Enter Do it  Esc Back to the plane  Tab Complete  ↑ Earlier commands"
ALWAYS = 2
"""The last keys, which are always shown: those that list all keys, and quit."""


class KeysLine(Widget):
    """Keys and what they do, which can be clicked, too. It is one text: Textual's footer makes a
    widget for each key anew when typing begins."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys-line--key"}
    DEFAULT_CSS = """
    KeysLine { dock: bottom; height: 1; color: $footer-foreground; background: $footer-background; }
    .keys-line--key { color: $footer-key-foreground; text-style: bold; }
    """

    def on_mount(self) -> None:
        """Redraw when the bindings change."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def render(self) -> Text:
        """As many keys as there is room for, always with the last ones."""
        if self.app.query_one(Input).has_focus:
            return Text(WHILE_TYPING, no_wrap=True, overflow="crop")
        strong, room = self.get_component_rich_style("keys-line--key"), self.size.width
        keys = [self._key(binding, strong) for binding in self._shown()]
        while len(keys) > ALWAYS and sum(key.cell_len for key in keys) > room:
            del keys[-1 - ALWAYS]
        return Text("", no_wrap=True, overflow="crop").join(keys)

    def _key(self, binding: Binding, strong: Style) -> Text:
        pressed = Style.from_meta({"key": binding.key})
        key = Text(f" {self.app.get_key_display(binding)} ", strong + pressed)
        return key.append(f"{binding.description} ", pressed)

    def _shown(self) -> list[Binding]:
        """One of the keys for each action."""
        found: dict[str, Binding] = {}
        for active in self.screen.active_bindings.values():
            if active.binding.show:
                found.setdefault(active.binding.action, active.binding)
        return list(found.values())

    def on_click(self, event: events.Click) -> None:
        key = event.style.meta.get("key")
        if key is not None:
            self.app.simulate_key(key)
