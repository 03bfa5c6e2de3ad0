"""Pages of a site that are read: the guide and the reference of each language, all examples."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath
from typing import Any

from ...core.base.resources import resource
from ...core.language import Language
from ...examples import Example, examples_of, gallery
from ...languages import registry
from ...view.language.manual import guide_page
from ..cli.manual import guide_of
from ..studio.encoding import from_base64
from ..studio.thumbnails import thumbnail

GUIDES, EXAMPLES, PICTURES = "guides", "examples.html", "examples"

Files = dict[str, bytes]


def pictures() -> Files:
    """A small picture of each example, by the name of its file."""
    found = {}
    for example in gallery():
        shown = thumbnail(example.file, False)
        made = (shown.get("pictures") or [(shown.get("map") or {}).get("picture")])[0]
        if made:
            found[f"{PICTURES}/{example.file}.png"] = from_base64(made)
    return found


def pages(folder: str, shown: Files) -> Files:
    """The pages; style sheets and the pictures `shown` are in a folder of the site."""
    languages = [registry.get(name) for name in registry.names()]
    made = {EXAMPLES: _page("Examples", _examples(languages, folder, shown), folder, languages)}
    for language in languages:
        made[f"{GUIDES}/{language.name}.html"] = _page(
            language.title, _guide(language), folder, languages, "../"
        )
    return made


def _guide(language: Language) -> str:
    """The guide with its tables, as HTML; what else it might hold is text."""
    from markdown_it import MarkdownIt

    sources = {example.file: example.read for example in examples_of(language)}
    text = guide_page(language, guide_of(language), lambda file: sources[file]())
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("link_open", _link)
    reader.add_render_rule("image", _picture)
    reader.add_render_rule("table_open", lambda *_: '<div class="table"><table>')
    reader.add_render_rule("table_close", lambda *_: "</table></div>")
    page: str = reader.render(text)
    return page


def _link(reader: Any, tokens: Any, at: int, options: Any, environment: Any) -> str:
    """A link, without its target if that is a page that the site does not have."""
    target = str(tokens[at].attrs.get("href", ""))
    known = PurePosixPath(target).stem in registry.names() and target.endswith(".md")
    if known:
        target = f"{PurePosixPath(target).stem}.html"
    is_there = known or target.startswith(("#", "https://"))
    return f'<a href="{escape(target)}">' if is_there else "<a>"


def _picture(reader: Any, tokens: Any, at: int, options: Any, environment: Any) -> str:
    """What a picture shows, in words: pictures of guides do not come along."""
    return f"<em>{escape(tokens[at].content)}</em>"


def _examples(languages: list[Language], folder: str, shown: Files) -> str:
    """All examples, each with a link that opens it."""
    parts = ["<h1>Examples</h1>"]
    for language in languages:
        cards = [_card(each, folder, shown) for each in examples_of(language)]
        if cards:
            parts += [f"<h2>{escape(language.title)}</h2>", '<ul class="cards">', *cards, "</ul>"]
    return "\n".join(parts)


def _card(example: Example, folder: str, shown: Files) -> str:
    name = f"{PICTURES}/{example.file}.png"
    picture = (
        f'<img src="{folder}/{escape(name)}" alt="" loading="lazy">'
        if name in shown
        else "<span></span>"
    )
    return (
        f'<li><a href="./?example={escape(example.file)}">{picture}<b>{escape(example.title)}</b>'
        f"<small>{escape(example.description)}</small></a></li>"
    )


def _page(
    title: str, body: str, folder: str, languages: list[Language], above: str = "./"
) -> bytes:
    """A page with links to the others."""
    about = [("Studio", above), ("Examples", above + EXAMPLES)]
    about += [(one.title, f"{above}{GUIDES}/{one.name}.html") for one in languages]
    links = "".join(
        f'<a href="{escape(target)}"{" aria-current=page" if name == title else ""}>'
        f"{escape(name)}</a>"
        for name, target in about
    )
    page = resource("planewalk.apps.page/static").joinpath("page.html").read_text("utf-8")
    told = {"title": escape(title), "folder": folder, "above": above, "links": links}
    for name, text in told.items():
        page = page.replace(f"{{{name}}}", text)
    return page.replace("{body}", body).encode()
