"""The line that shows what a command is doing."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from grader.grading.bench import Progress


@contextmanager
def progress_line() -> Iterator[Progress]:
    """A line on a terminal's error stream that says what is being done; nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("starting") as status:
        yield lambda doing: status.update(Text(doing, overflow="ellipsis", no_wrap=True))
