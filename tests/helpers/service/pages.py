"""HTML pages, read as a browser reads them, and payloads that try to inject scripts into them."""

from html.parser import HTMLParser

OWNED = "document.title='owned'"


PAYLOADS = (
    f"<script>{OWNED}</script>",
    f'"><img src=x onerror={OWNED}>',
    f"'/onmouseover={OWNED}/x='",
    f"]]></style></title></svg><svg/onload={OWNED}>",
    "{{7*7}}{%raw%}${7*7}<!--",
    f"javascript:{OWNED}",
    "&lt;b&gt;&#60;b&#62;",
)


class Reader(HTMLParser):
    """The elements of a page with their attributes, and the text that a person reads."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.pieces, self.styles = [], [], []
        self.feed(page)
        self.text = " ".join(" ".join(self.pieces).split())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(attrs)))

    def handle_data(self, data):
        (self.styles if self.elements and self.elements[-1][0] == "style" else self.pieces).append(data)

    @property
    def structure(self):
        return [(tag, [name for name, _ in attrs]) for tag, attrs in self.elements]

    def values(self, *names):
        return [value for _, attrs in self.elements for name, value in attrs if name in names]
