"""Page about one assignment, with rows and tables that fit a terminal of 80 columns."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.authoring.extent import FULL, NOISY, Extent
from grader.authoring.selftest import Claim
from grader.cli.exit_codes import FAILED, PASSED, UNGRADED
from grader.common.phrases import count

FIX = "First fix the problems marked FALSE above."
"""Next step if a section cannot be completed because an earlier statement is false."""


@dataclass
class Page:
    """Page about one assignment, section by section. `failed` counts the statements that are false, and `unchecked`
    lists the questions that `extent` has left open. `start` is a time of the monotonic clock.
    """

    console: Console
    start: float = field(default_factory=time.monotonic)
    failed: int = 0
    unchecked: list[str] = field(default_factory=list)
    extent: Extent = FULL
    _told: set[str] = field(default_factory=set)

    @property
    def verdict(self) -> str:
        """Last line of the page."""
        verb = "is" if self.failed == 1 else "are"
        found = f"{count(self.failed, 'statement')} {verb} FALSE" if self.failed else "all statements are true"
        return f"{found}, but speed was not checked" if self.unchecked else found

    @property
    def is_noisy(self) -> bool:
        """True if questions are open because the machine was too noisy."""
        return self.extent == NOISY

    def leave_open(self, questions: Iterable[str], extent: Extent) -> None:
        """Note questions that this extent leaves open."""
        asked = list(questions)
        self.unchecked += asked
        if asked:
            self.extent = extent

    def head(self, title: str) -> None:
        """Begin a section."""
        self.console.print()
        self.console.print(Rule(Text(title, style="bold"), align="left", characters="-", style="dim"))

    def say(self, statements: Iterable[Claim], of: str = "") -> None:
        """Print a row for each statement. If `of` names a part, the row begins with it. If one observation makes
        several statements false, such as a file that does not build, it is described only once.
        """
        for each in statements:
            seen = "as above" if each.seen in self._told else each.seen
            verdict = Text("true", style="green") if each.holds else Text("FALSE", style="bold red")
            words = f"{of}: {each.claim} ({seen})" if of else f"{each.claim} ({seen})"
            self.console.print(row(verdict, words, width=6))
            if not each.holds:
                self.failed += 1
                self._told.add(each.seen)


def exit_code(pages: Sequence[Page]) -> int:
    """Return the exit code of a validation. It is UNGRADED if no statement is false, but the machine was too noisy."""
    if any(page.failed for page in pages):
        return FAILED
    return UNGRADED if any(page.is_noisy for page in pages) else PASSED


def note(word: str, words: str) -> Table:
    """Return a row for a note, which is not counted as a failure."""
    return row(Text(word, style="yellow"), words, width=9)


def row(word: Text, words: str, width: int) -> Table:
    """Return a row with a word in a column of this width, and the wrapped text in the next column."""
    table = Table.grid(padding=(0, 2))
    table.add_column(width=width)
    table.add_column(overflow="fold")
    table.add_row(word, Text(words))
    return table


def figures(rows: Sequence[Sequence[str]]) -> Padding:
    """Return a table of names and numbers."""
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    for _ in rows[0][1:]:
        table.add_column(justify="right")
    for cells in rows:
        table.add_row(*map(Text, cells))
    return Padding(table, (0, 0, 0, 4), expand=False)
