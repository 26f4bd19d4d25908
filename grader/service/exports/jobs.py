"""Files about the course that cost more than a web process may spend: a clerk makes each, a process of its own.

    web -> order -> exports/ -> a file without a name -> web -> browser

A clerk has a budget of processor time, memory and disk, and gives way to everybody else on the machine. It reads what
students have handed in, compiles nothing, and writes nothing into the database.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from grader.common.record import Record
from grader.service.errors import RefusalError
from grader.service.handover import as_lines
from grader.service.throttle import ConcurrencyLimiter

CLERK = ("-P", "-m", "grader.service.exports")
"""-P: nothing is imported from the working directory."""

PROCESSOR = 180
"""Seconds of processor time that a clerk may use."""

PATIENCE = 600.0
"""Seconds in which the clerk must have had them."""

MEMORY, DISK = 4 * 1024**3, 4 * 1024**3
"""Bytes of a clerk's address space, and of a file that it makes."""

REFUSED = 2
"""The exit code of a clerk that says why it cannot do what it is asked for."""

AT_WORK = ConcurrencyLimiter(
    1, "Another file is being made right now; try again in a moment.", waiting=3, patience=20.0
)
"""One clerk of a web process works at a time; a few more wait for it."""

TOO_LARGE = "This takes more time, memory or disk than is allowed; ask for one assignment alone."


class Paper(StrEnum):
    """What a clerk can make."""

    OVERVIEW = "overview.html"
    SIMILAR = "similar.json"
    GRADES = "grades.csv"
    WORKBOOK = "grades.xlsx"
    JUNIT = "batch.xml"
    ARCHIVE = "course.zip"
    MOODLE = "moodle.zip"
    CANVAS = "canvas.zip"


class PaperOrder(Record):
    """What is asked for: about one assignment, or about all if it is empty. The folders are the course's."""

    paper: Paper
    assignment: str
    assignments: Path
    reference: Path


@contextmanager
def made(order: PaperOrder, database: str, given: bytes = b"") -> Iterator[IO[bytes]]:
    """The file that a clerk makes, from its beginning; whoever takes it closes it. `given` is what an instructor sent
    with the order. Raises RefusalError with the reason if there is none.
    """
    with AT_WORK.one():
        out = TemporaryFile()  # noqa: SIM115 - closed by who takes it
        try:
            _make(order, database, given, out)
            out.seek(0)
            yield out
        except BaseException:
            out.close()
            raise


def _make(order: PaperOrder, database: str, given: bytes, out: IO[bytes]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own module, run by our own Python
            [sys.executable, *CLERK, order.model_dump_json()],
            input=as_lines(database) + given,
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            timeout=PATIENCE,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RefusalError("The machine is too busy to make this file; try again later.") from error
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    if done.returncode == REFUSED:
        raise RefusalError(said)
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGXFSZ} or said.startswith("MemoryError"):
        raise RefusalError(TOO_LARGE)
    if done.returncode:
        raise RuntimeError(f"a clerk ended with status {done.returncode}: {said}")


def limit_this_process() -> None:
    """Hold a clerk to its budget, and let it give way to everybody else."""
    os.nice(10)
    for what, most in ((resource.RLIMIT_CPU, PROCESSOR), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, DISK)):
        resource.setrlimit(what, (most, most))
    signal.alarm(int(PATIENCE))  # whoever asked may be gone
