"""Shows the progress of a command on the error stream."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from grader.cli.wrapping import wrapped
from grader.course.suite import Coursework
from grader.grading.progress import Decided, Progress
from grader.reports.live import STAMP, LiveBoard, stamped
from grader.reports.terminal import INDENT

LOG_INDENT = " " * (STAMP + INDENT)
"""Indentation of further lines about a check. It aligns them with the sentence in LiveBoard."""


@contextmanager
def progress_line() -> Iterator[Progress]:
    """Yield a listener that shows the current step in one line on a terminal, and does nothing elsewhere."""
    console = Console(stderr=True)
    if not _can_erase(console):
        yield lambda _: None
        return
    with console.status("starting") as status:
        yield lambda event: status.update(Text(str(event), overflow="ellipsis", no_wrap=True))


@contextmanager
def steps(start: float) -> Iterator[Progress]:
    """Yield a listener that shows the current step in one line on a terminal. Elsewhere, each step has a line that
    stays, with the seconds since `start`, which is a time of the monotonic clock.
    """
    console = Console(stderr=True)
    if _can_erase(console):
        with progress_line() as progress:
            yield progress
    else:
        yield lambda event: _print(console, stamped(time.monotonic() - start, str(event)))


@contextmanager
def verdicts(coursework: Coursework, start: float) -> Iterator[Progress]:
    """Yield a listener that shows each check of a grading when it is decided. On a terminal, the report replaces these
    lines; elsewhere, they stay. Times are in seconds since `start`, which is a time of the monotonic clock.
    """
    console, board = Console(stderr=True), LiveBoard(coursework)
    if not _can_erase(console):
        yield _logging(console, board, start)
        return
    spinner = Spinner("dots")

    def drawn() -> Group:
        spinner.update(text=Text(board.status(time.monotonic() - start), overflow="ellipsis", no_wrap=True))
        rows = list(board.rows())[1 - console.height :]
        for row in rows:
            row.no_wrap, row.overflow = True, "ellipsis"
        return Group(*rows, spinner)

    with Live(get_renderable=drawn, console=console, transient=True):
        yield board.hear


def _logging(console: Console, board: LiveBoard, start: float) -> Progress:
    def log(event: str | Decided) -> None:
        board.hear(event)
        _print(console, board.line(event, time.monotonic() - start))

    return log


def _print(console: Console, text: str) -> None:
    with suppress(OSError):  # the reader may be gone, but the files must still be written
        told = "\n".join(wrapped(line, console.width, LOG_INDENT) for line in text.splitlines())
        print(told, file=console.file, flush=True)


def _can_erase(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal
