"""Shows the progress of a command on the error stream: each check of a grading when it is decided, the time so far, and
the remaining work.

On a terminal, a board is redrawn repeatedly and erased before the report. Elsewhere, as in the log of a pipeline, each
event has a line that stays.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from grader.cli.wrapping import wrapped
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.suite import Coursework
from grader.grading.progress import Decided, Progress
from grader.protocol.text import showable
from grader.reports.groups import STATES
from grader.reports.terminal import INDENT, STYLES
from grader.results.check import Check
from grader.results.verdicts import Verdict
from grader.results.withholding import shown_at_once

STAMP = len("  1.3 s ")
"""Width in columns of the seconds at the beginning of a line in a log."""

LOG_INDENT = " " * (STAMP + INDENT)
"""Indentation of further lines about a check. It aligns them with the sentence in LiveBoard."""


class LiveBoard:
    """The state of a grading so far."""

    def __init__(self, coursework: Coursework) -> None:
        self._asked = Counter((part.part, str(kind)) for part in coursework.parts for kind in shown_at_once(part))
        self._decided: list[Decided] = []
        self._doing = "starting"

    def hear(self, event: str | Decided) -> None:
        """Record a step that begins, or a check that has been decided."""
        if isinstance(event, Decided):
            self._decided.append(self._once(event))
        else:
            self._doing = event

    def _once(self, event: Decided) -> Decided:
        """Return the event without a sentence that was shown before. A build that fails in the same way as an earlier
        part of the suite also loses its reason.
        """
        told = {(each.check.reason, each.sentence) for each in self._decided}
        if (event.check.reason, event.sentence) not in told:
            return event
        check = event.check
        return Decided(check=replace(check, reason=None) if check.kind is Kind.BUILD else check)

    def line(self, event: str | Decided, seconds: float) -> str:
        """Return the line for a log about the last recorded event, `seconds` after the start."""
        if isinstance(event, Decided):
            event = self._decided[-1]
            told = f"{_word(event.check.shown_verdict)}{event.check.name}{_reason(event.check)}"
            below = f"\n{'':{STAMP + INDENT}}{showable(event.sentence)}" if event.sentence else ""
            return stamped(seconds, told) + below
        return stamped(seconds, f"{event} ({self._count})")

    def rows(self) -> Iterator[Text]:
        """Yield the rows for a terminal: one for the passed checks of each group, and one for each other check."""
        passed = Counter(_group(each.check) for each in self._decided if _passed(each))
        for group, number in passed.items():
            many = f": {number} of {self._asked[group]}" if self._asked[group] > 1 else ""
            yield _row(Verdict.PASSED, f"{': '.join(filter(None, group))}{many}")
        for each in self._decided:
            if not _passed(each):
                yield _row(each.check.shown_verdict, f"{each.check.name}{_reason(each.check)}")
                if each.sentence:
                    yield Text(f"{'':{INDENT}}{showable(each.sentence)}")

    def status(self, seconds: float) -> str:
        """Return the current step, the number of decided checks, and the time so far."""
        return f"{self._doing}, {self._count}, {seconds:.0f} s"

    @property
    def _count(self) -> str:
        return f"{len(self._decided)} of {self._asked.total()} checks decided"


def stamped(seconds: float, words: str) -> str:
    """Return a line of a log, which begins with the seconds since the start."""
    return f"{seconds:5.1f} s {showable(words)}"


def _reason(check: Check) -> str:
    return f"  {check.reason}" if check.reason else ""


def _passed(event: Decided) -> bool:
    return event.check.verdict is Verdict.PASSED


def _group(check: Check) -> tuple[str, str]:
    """Return the part of a check, and its kind."""
    return check.part, str(check.kind)


def _row(verdict: Verdict, words: str) -> Text:
    return Text.assemble((_word(verdict), STYLES[STATES[verdict]]), showable(words))


def _word(verdict: Verdict) -> str:
    return f"{STATES[verdict]:<{INDENT}}"


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
