"""Makes the pages of a batch. Figures take long to draw, so child processes draw them while submissions are graded.

A process that makes pages locks the processor like a grading, so no page is made while a submission is being timed.
"""

import hashlib
import os
import zlib
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from grader.batch.workforce.processes import Processes
from grader.common.errors import WorkerError
from grader.common.optional import Fault
from grader.grading.device_lock import shared_cpu
from grader.reports import DrawnPage, overview_page, page
from grader.results.gradebook import Gradebook
from grader.results.result import Result, Ungraded

MAX_PROCESSES = 4
"""Maximum number of processes that make pages. Each takes 100 MB. A page takes 0.25 s, less than a grading."""

Links = Mapping[tuple[str, str], str]
"""Targets of the overview's links, by student label and assignment."""


class PageRenderer:
    """Makes each page of a batch in this process when it is requested."""

    def start(self) -> None:
        """No-op, because there are no processes to start."""

    def begin(self, told: Result | Ungraded) -> None:
        """No-op, because `page` makes the page."""

    def page(self, told: Result | Ungraded) -> DrawnPage:
        """Make the page of an outcome."""
        return page(told)

    def overview(self, book: Gradebook, links: Links) -> DrawnPage:
        """Make the overview page of the batch."""
        return overview_page(book, links)


INLINE = PageRenderer()


class PoolRenderer(PageRenderer):
    """Makes pages in child processes, which start with the first page unless `start` is called earlier. If a process
    dies, this process makes its page.
    """

    def __init__(self, locks: Path) -> None:
        """Use the lock files in the folder `locks` for the devices of this host."""
        self._locks = locks
        self._count = min(MAX_PROCESSES, len(os.sched_getaffinity(0)))
        self._processes = Processes([{}] * self._count)
        self._begun: dict[str, Future[PackedPage]] = {}

    def start(self) -> None:
        """Start all processes. Each keeps a processor busy for half a second."""
        for _ in range(self._count):
            self._processes.submit(_nothing, None)

    def begin(self, told: Result | Ungraded) -> None:
        """Start making the page of an outcome, unless it was requested before."""
        source = source_of(told)
        if source not in self._begun:
            self._begun[source] = self._processes.submit(_packed_page, (self._locks, told))

    def page(self, told: Result | Ungraded) -> DrawnPage:
        """Wait for the page of an outcome and return it. The page is not kept afterwards."""
        self.begin(told)
        try:
            packed = self._begun.pop(source_of(told)).result()
            return DrawnPage(text=zlib.decompress(packed.text).decode(), faults=packed.faults)
        except WorkerError:
            return INLINE.page(told)

    def overview(self, book: Gradebook, links: Links) -> DrawnPage:
        """Return the overview page. A process that has drawn figures before makes it sooner than this process could."""
        try:
            made: DrawnPage = self._processes.call(_overview, (book, links))
        except WorkerError:
            return INLINE.overview(book, links)
        return made

    def close(self) -> None:
        """End the processes."""
        self._processes.close()


def source_of(told: Result | Ungraded) -> str:
    """Return the hash of all data from which the reports of an outcome are made."""
    return hashlib.sha256(told.model_dump_json().encode()).hexdigest()


def _nothing(_: object) -> None:
    """No-op. Calling it makes a process start."""


@dataclass(frozen=True, kw_only=True)
class PackedPage:
    """A compressed page. Finished pages wait in memory until they are written, and a course can have thousands
    of them.
    """

    text: bytes
    faults: tuple[Fault, ...]


def _packed_page(order: tuple[Path, Result | Ungraded]) -> PackedPage:
    locks, told = order
    with shared_cpu(locks):
        made = INLINE.page(told)
    return PackedPage(text=zlib.compress(made.text.encode()), faults=made.faults)


def _overview(order: tuple[Gradebook, Links]) -> DrawnPage:
    return INLINE.overview(*order)
