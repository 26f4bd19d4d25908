"""Makes the pages of a batch: figures take long to draw, so that others draw them while submissions are still graded.

A process of the press takes the processor as a grading does: no page is drawn there while somebody is timed on it.
"""

import hashlib
import os
import zlib
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.batch.workforce.processes import Processes
from grader.common.errors import WorkerError
from grader.common.optional import Fault
from grader.grading.device_lock import shared_cpu
from grader.reports import DrawnPage, overview_page, page
from grader.results.gradebook import Gradebook
from grader.results.result import Result, Ungraded

HANDS = 4
"""Processes that draw, at most: each takes 100 MB, and a page a quarter of a second, less than its grading."""

Links = Mapping[tuple[str, str], str]
"""Where the overview leads, by student and assignment."""


class Press(Protocol):
    """Who makes pages."""

    def start(self) -> None:
        """Get ready, before anybody is timed."""

    def begin(self, told: Result | Ungraded) -> None:
        """Have the page of an outcome made, without waiting for it, unless that was asked already."""

    def page(self, told: Result | Ungraded) -> DrawnPage:
        """The page of an outcome."""

    def overview(self, book: Gradebook, links: Links) -> DrawnPage:
        """The page about the batch."""


class Here:
    """Makes each page in this process, when it is asked for it."""

    def start(self) -> None:
        """Nothing."""

    def begin(self, told: Result | Ungraded) -> None:
        """Nothing."""

    def page(self, told: Result | Ungraded) -> DrawnPage:
        """The page of an outcome."""
        return page(told)

    def overview(self, book: Gradebook, links: Links) -> DrawnPage:
        """The page about the batch."""
        return overview_page(book, links)


HERE = Here()


class Beside:
    """Makes pages in processes beside this one, which start with the first if nobody has them start before; one that
    dies costs no page.
    """

    def __init__(self, locks: Path) -> None:
        """`locks` is the folder in which those lock who use the devices of this host."""
        self._locks = locks
        self._hands = min(HANDS, len(os.sched_getaffinity(0)))
        self._processes = Processes([{}] * self._hands)
        self._begun: dict[str, Future[PackedPage]] = {}

    def start(self) -> None:
        """Start all processes: that takes a processor for half a second each."""
        for _ in range(self._hands):
            self._processes.submit(_nothing, None)

    def begin(self, told: Result | Ungraded) -> None:
        """Have the page of an outcome made, unless that was asked already."""
        source = source_of(told)
        if source not in self._begun:
            self._begun[source] = self._processes.submit(_packed_page, (self._locks, told))

    def page(self, told: Result | Ungraded) -> DrawnPage:
        """The page of an outcome, when it is made; each is handed out once."""
        self.begin(told)
        try:
            packed = self._begun.pop(source_of(told)).result()
            return DrawnPage(text=zlib.decompress(packed.text).decode(), faults=packed.faults)
        except WorkerError:
            return HERE.page(told)

    def overview(self, book: Gradebook, links: Links) -> DrawnPage:
        """The page about the batch; a process that has drawn others draws it sooner than this one could."""
        try:
            made: DrawnPage = self._processes.call(_overview, (book, links))
        except WorkerError:
            return HERE.overview(book, links)
        return made

    def close(self) -> None:
        """End the processes."""
        self._processes.close()


def source_of(told: Result | Ungraded) -> str:
    """The hash of all that the reports of an outcome are made from."""
    return hashlib.sha256(told.model_dump_json().encode()).hexdigest()


def _nothing(_: object) -> None:
    """What a process is asked that is only to start."""


@dataclass(frozen=True, kw_only=True)
class PackedPage:
    """A page as it waits in memory for the others, of which a course has thousands."""

    text: bytes
    faults: tuple[Fault, ...]


def _packed_page(order: tuple[Path, Result | Ungraded]) -> PackedPage:
    locks, told = order
    with shared_cpu(locks):
        made = HERE.page(told)
    return PackedPage(text=zlib.compress(made.text.encode()), faults=made.faults)


def _overview(order: tuple[Gradebook, Links]) -> DrawnPage:
    return HERE.overview(*order)
