"""Rows of reports on the terminal: lines of the source with their underlined parts, and text after a label. Rows become
the text of a report.
"""

import textwrap
from collections.abc import Iterable, Iterator
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.protocol.text import showable
from grader.reports.excerpt import ExcerptLine


def drawn_as_text(parts: Iterable[RenderableType], *, width: int, color: bool) -> str:
    """Return the parts one below the other, for a terminal of this width. Without colour, the result is plain text."""
    text = StringIO()
    console = Console(
        file=text, width=width, force_terminal=color, color_system="standard" if color else None, highlight=False
    )
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


INDENT_OF_EVENTS = 11
"""Width of the text in front of an event, which appears below its line, in columns."""

INDENT_OF_CODE = 9
"""Width of the text in front of a line of the source, in columns."""


def source_rows(line: ExcerptLine, width: int) -> Iterator[Padding]:
    """Yield the line, and below it a row for each underlined part, with carets for the first part and dashes for
    further ones. An event is shown next to its part if there is room in the row, and otherwise below it.
    """
    yield cropped(f"{line.number:>6} | {line.text}")
    for number, part in enumerate(line.underlined):
        columns = max(min(part.end, width - INDENT_OF_CODE) - part.start, 1)  # the line may be cropped
        row = f"{'':6} | {'':{part.start}}{('-' if number else '^') * columns}"
        if len(part.words) == 1 and len(row) + 1 + len(part.words[0]) <= width:
            yield cropped(f"{row} {part.words[0]}", "red")
        else:
            yield cropped(row, "red")
            rows = (row for words in part.words for row in textwrap.wrap(words, max(width - INDENT_OF_EVENTS, 1)))
            yield from (cropped(f"{'':6} |   {words}", "red") for words in rows)


def cropped(text: str, style: str = "") -> Padding:
    """Return a row that ends with an ellipsis if it is too long for the terminal."""
    return Padding(Text(text, style=style, no_wrap=True, overflow="ellipsis"), 0)


def labelled(label: str, words: str, style: str) -> Table:
    """Return text after a label, such as "help: ..."."""
    return hanging(f"{'':4}{label}: ", Text(showable(words)), style)


def hanging(lead: str, words: Text, style: str = "bold") -> Table:
    """Return text whose continuation lines begin in the column of the first line."""
    table = Table.grid(expand=True)
    table.add_column(width=len(lead), no_wrap=True)
    table.add_column(ratio=1)
    table.add_row(Text(lead, style=style), words)
    return table
