"""Runs exports. Making a file about the course costs more resources than a web process may spend, so a separate process
makes each file.

    web -> ExportRequest -> exports/ -> unnamed temporary file -> web -> browser

The export process has limits on processor time, memory and disk space, and a low priority. It reads what students have
handed in, but does not compile it, and does not write to the database.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from grader.common.record import Record
from grader.lms.platforms import PLATFORMS, LearningPlatform
from grader.service.db.handover import as_lines
from grader.service.errors import RefusedError
from grader.service.network.throttle import ConcurrencyLimiter

EXPORT_ARGUMENTS = ("-P", "-m", "grader.service.exports")
"""Arguments for Python. With -P, modules are not imported from the working directory."""

CPU_SECONDS = 180
"""Seconds of processor time that an export may use."""

WALL_SECONDS = 600.0
"""Seconds after which an export is ended even if it has used less processor time."""

MEMORY_BYTES, FILE_BYTES = 4 * 1024**3, 4 * 1024**3
"""Maximum number of bytes of an export's address space, and of the file that it makes."""

EXIT_REFUSED = 2
"""Exit code of an export that cannot be made. Its standard error contains the reason."""

EXPORT_LIMIT = ConcurrencyLimiter(
    1, "Another file is being made right now; try again in a moment.", max_waiting=3, wait_seconds=20.0
)
"""Allows a web process to run one export at a time. A few more requests may wait."""

TOO_LARGE = "This takes more time, memory or disk than is allowed; ask for one assignment alone."


class ExportKind(StrEnum):
    """Name of a file that can be exported."""

    OVERVIEW = "overview.html"
    SIMILAR = "similar.json"
    GRADES = "grades.csv"
    WORKBOOK = "grades.xlsx"
    JUNIT = "batch.xml"
    ARCHIVE = "course.zip"


FILLED: Mapping[str, LearningPlatform] = {
    f"{'-'.join(each.name.lower().split())}.zip": each for each in PLATFORMS if each.grades is not None
}
"""Platforms whose gradebook files grader can fill in, by the name of the zip archive with the filled copy."""


class ExportRequest(Record):
    """A request for a file about one assignment, or about all assignments if `assignment` is empty. The folders belong
    to the course.

    `kind` is an `ExportKind` or a name in FILLED.
    """

    kind: str
    assignment: str
    assignments: Path
    reference: Path


@contextmanager
def export_file(request: ExportRequest, database: str, given: bytes = b"") -> Iterator[IO[bytes]]:
    """The requested file, opened at its beginning; the caller closes it. `given` is the file that an instructor
    uploaded with the request. Raises RefusedError with the reason if the file cannot be made.
    """
    with EXPORT_LIMIT.slot():
        out = TemporaryFile()  # noqa: SIM115 - the caller closes it
        try:
            _run_export(request, database, given, out)
            out.seek(0)
            yield out
        except BaseException:
            out.close()
            raise


def _run_export(request: ExportRequest, database: str, given: bytes, out: IO[bytes]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own module, run by our own Python
            [sys.executable, *EXPORT_ARGUMENTS, request.model_dump_json()],
            input=as_lines(database) + given,
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            timeout=WALL_SECONDS,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RefusedError("The machine is too busy to make this file; try again later.") from error
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    if done.returncode == EXIT_REFUSED:
        raise RefusedError(said)
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGXFSZ} or said.startswith("MemoryError"):
        raise RefusedError(TOO_LARGE)
    if done.returncode:
        raise RuntimeError(f"an export ended with status {done.returncode}: {said}")


def limit_this_process() -> None:
    """Limit this process to the budget of an export, and lower its priority."""
    os.nice(10)
    for what, most in (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
    ):
        resource.setrlimit(what, (most, most))
    signal.alarm(int(WALL_SECONDS))  # in case the web process, which enforces WALL_SECONDS, has ended
