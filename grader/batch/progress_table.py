"""Shows the progress of a batch: as a table on a terminal, and as one line per event elsewhere."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from grader.batch.scheduler import Event, Item, Listener
from grader.protocol.text import showable
from grader.reports.statistics import incomplete
from grader.reports.terminal import summary
from grader.reports.words import incomplete_in_words
from grader.results.gradebook import Gradebook
from grader.results.result import Ungraded

RECENT = 8
"""Number of lines about the most recently finished gradings. The newest line is at the bottom."""

RETRIED = "tried again"

RARE = ("open", "from before", RETRIED, "not graded")
"""Outcomes that are shown only if they occur."""

SHOWN = 8
"""Number of running gradings that are listed by name."""


@dataclass(kw_only=True)
class Board:
    """State of a batch of `total` gradings, of which `before` were made by an earlier run."""

    total: int
    before: int
    started: float
    ended: Counter[str] = field(default_factory=Counter)
    """Number of ended attempts, by outcome."""
    running: dict[str, tuple[Item, float]] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)

    @property
    def made(self) -> int:
        """Number of gradings that this run has finished. An attempt that will be repeated does not count."""
        return self.ended.total() - self.ended[RETRIED]

    def note(self, event: Event, now: float) -> None:
        """Update the state after an event."""
        if event.what == "begun":
            self.running[event.item.key] = (event.item, now)
            return
        self.running.pop(event.item.key, None)
        self.ended[_outcome(event)] += 1
        self.recent = [*self.recent, line(event)][-RECENT:]

    def seconds_left(self, now: float) -> float | None:
        """Estimate the remaining seconds from the rate so far. Returns None before the first grading has ended."""
        left = self.total - self.before - self.made
        return left * (now - self.started) / self.made if self.made else None

    def rate(self, now: float) -> float | None:
        """Return the number of gradings per minute, or None before the first grading has ended."""
        return 60 * self.made / (now - self.started) if self.made and now > self.started else None


def _outcome(event: Event) -> str:
    """Return the label under which the table counts the outcome of an attempt."""
    if event.what == "retried":
        return RETRIED
    if event.result is None:
        return "not graded"
    if event.result.passed:
        return "passed"
    return "failed a check" if event.result.failed else "open"


def line(event: Event) -> str:
    """Describe the outcome of an attempt in one line."""
    if event.result is not None:
        words = summary(event.item.name, event.result)
        return f"{words} (will be timed again)" if event.what == "retried" else words
    what = "will be tried again" if event.what == "retried" else "given up"
    outcome = Ungraded(assignment="", submission="", fault=f"{what}: {event.fault}")
    return summary(event.item.name, outcome)


def draw(board: Board, now: float) -> Group:
    """Draw the table, about 80 columns wide."""
    done = board.before + board.made
    rate, left = board.rate(now), board.seconds_left(now)
    head = Table.grid(padding=(0, 2))
    head.add_row(ProgressBar(total=max(1, board.total), completed=done, width=30), f"{done} of {board.total}")
    counts = {**board.ended, "from before": board.before}
    figures = [f"{board.ended[what]} {what}" for what in ("passed", "failed a check")]
    figures += [f"{counts[what]} {what}" for what in RARE if counts.get(what)]
    pace = "" if rate is None or left is None else f"{rate:.3g} a minute, {duration(left)} left"
    running = Table.grid(padding=(0, 2))
    for item, since in [*board.running.values()][:SHOWN]:
        running.add_row(
            "  running", Text(showable(item.name), overflow="ellipsis", no_wrap=True), duration(now - since)
        )
    recent = [Text(f"  {each}", overflow="ellipsis", no_wrap=True, style="dim") for each in board.recent]
    return Group(*recent, head, Text(", ".join(figures)), *([Text(pace)] if pace else []), running)


def duration(seconds: float) -> str:
    """Return a duration in words, for example "40 s", "12 min" or "2 h 5 min"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def outcome_in_words(gradebook: Gradebook, folder: Path) -> str:
    """Describe how a batch ended: how many submissions were graded, which students have no grade and why, and which
    files to read first.
    """
    statuses = Counter(row.status for row in gradebook.rows)
    grades = [row.grade for row in gradebook.rows if row.grade is not None]
    passed = sum(grade.passed for grade in grades)
    lines = [
        (
            f"{statuses['graded']} graded, of which {passed} passed every check; "
            f"{statuses['ungraded']} not graded; {statuses['absent']} without a submission."
        )
    ]
    lines += [incomplete_in_words(each) for each in incomplete(gradebook.rows)]
    lines += [
        f"not graded: {showable(row.student.label)}, {row.assignment}: {showable(row.fault)}"
        for row in gradebook.rows
        if row.status == "ungraded"
    ]
    if statuses["ungraded"]:
        lines.append("Refused files must be handed in again. If anything else is missing, run the same command again.")
    return "\n".join([*lines, f"Begin with {folder / 'index.html'}; grades are in {folder / 'grades.csv'}."])


@contextmanager
def following(total: int, before: int, say: Callable[[str], None]) -> Iterator[Listener]:
    """Yield a listener that shows the progress of a batch during the block, as a table on a terminal or else as one
    line per event.
    """
    console = Console(stderr=True)
    board = Board(total=total, before=before, started=time.monotonic())
    if not console.is_terminal:
        yield lambda event: _tell(event, board, say)
        return
    with Live(draw(board, board.started), console=console, refresh_per_second=4, transient=True) as live:

        def listen(event: Event | None) -> None:
            now = time.monotonic()
            if event is not None:
                board.note(event, now)
            live.update(draw(board, now))

        yield listen


@contextmanager
def counting(total: int, doing: str) -> Iterator[Callable[[], object]]:
    """Yield a function to call after each of `total` pieces of work. On a terminal, a bar shows how many are done."""
    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        work = progress.add_task(doing, total=total)
        yield lambda: progress.advance(work)


def _tell(event: Event | None, board: Board, say: Callable[[str], None]) -> None:
    if event is None:
        return
    board.note(event, time.monotonic())
    if event.what != "begun":
        say(f"[{board.before + board.made} of {board.total}] {line(event)}")
