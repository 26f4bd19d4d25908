"""Handouts and guides, from Markdown to markup in which nothing runs."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

GUIDE, GUIDE_PAGE = "reading-your-report.md", "/guide"

REACHABLE = {
    "<pre>": '<pre tabindex="0">',
    "<table>": '<div class="wide" tabindex="0"><table>',
    "</table>": "</table></div>",
}
"""What may be wider than the page, as the keyboard can scroll it. Texts of a handout are escaped: these are markup."""


COMMENT = re.compile(r"<!--.*?-->[ \t]*", re.DOTALL)


def rendered(text: str) -> str:
    """The markup of a page of the course: HTML in it is shown as text; links lead to the web or to the guide. Comments
    are for whoever writes it.
    """
    parser = MarkdownIt("js-default", {"html": False, "linkify": False})
    tokens = parser.parse(COMMENT.sub("", text))
    for token in tokens:
        _mend(token)
    markup: str = parser.renderer.render(tokens, parser.options, {})
    for plain, reachable in REACHABLE.items():
        markup = markup.replace(plain, reachable)
    return markup


def _mend(token: Token) -> None:
    """Files of the course that a handout links to are not on the web: the link's words stay. A picture is its words."""
    for child in token.children or ():
        if child.type == "link_open":
            child.attrs = _where(str(child.attrs.get("href", "")))
        if child.type == "image":
            child.type, child.tag, child.children = "text", "", None


def _where(link: str) -> dict[str, str | int | float]:
    target, _, _ = link.partition("#")
    if target.endswith(GUIDE):
        return {"href": GUIDE_PAGE}
    if link.startswith(("https://", "http://")):
        return {"href": link, "rel": "noreferrer"}
    return {"href": link} if link.startswith("#") else {}
