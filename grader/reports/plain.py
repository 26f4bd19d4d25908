"""Output of rich as the text of a report."""

from collections.abc import Iterable
from io import StringIO

from rich.console import Console, RenderableType
from rich.text import Text


def drawn_as_text(parts: Iterable[RenderableType], *, width: int, color: bool) -> str:
    """Return the parts one below the other, for a terminal of this width. Without colour, the result is plain text."""
    text = StringIO()
    console = Console(
        file=text, width=width, force_terminal=color, color_system="standard" if color else None, highlight=False
    )
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
