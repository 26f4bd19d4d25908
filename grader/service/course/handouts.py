"""Renders handouts and guides from Markdown to HTML without scripts."""

import re

from markdown_it import MarkdownIt

GUIDE, GUIDE_PAGE = "reading-your-report.md", "/guide"

SCROLLABLE = {
    "<pre>": '<pre tabindex="0">',
    "<table>": '<div class="wide" tabindex="0"><table>',
    "</table>": "</table></div>",
}
"""Replacements for the markup of elements that may be wider than the page, so that they can be scrolled with the
keyboard. The text of a handout is escaped, so only markup matches.
"""


COMMENT = re.compile(r"<!--.*?-->[ \t]*", re.DOTALL)


def render_handout(text: str) -> str:
    """The HTML of a Markdown text. HTML in the text is escaped. Only links to the web, to the guide and within the page
    are kept, and the authors' comments are removed.
    """
    parser = MarkdownIt("js-default", {"html": False, "linkify": False})
    tokens = parser.parse(COMMENT.sub("", text))
    for child in (child for token in tokens for child in token.children or ()):
        if child.type == "link_open":  # the service does not show files of the course, so their links become text
            child.attrs = _link_attributes(str(child.attrs.get("href", "")))
        if child.type == "image":
            child.type, child.tag, child.children = "text", "", None
    markup: str = parser.renderer.render(tokens, parser.options, {})
    for plain, reachable in SCROLLABLE.items():
        markup = markup.replace(plain, reachable)
    return markup


def _link_attributes(link: str) -> dict[str, str | int | float]:
    target, _, _ = link.partition("#")
    if target.endswith(GUIDE):
        return {"href": GUIDE_PAGE}
    if link.startswith(("https://", "http://")):
        return {"href": link, "rel": "noreferrer"}
    return {"href": link} if link.startswith("#") else {}
