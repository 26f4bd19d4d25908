"""Stations as processes of their own, kept running: those of `grader serve`, and that of `grader station`.

A station that ends is started again, more slowly each time that it ends soon: one that cannot grade says why, and what
was handed in waits.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.catalogue import Course
from grader.service.database.connecting import DATABASE, Database
from grader.service.database.migrating import require_current

STATION = ("-P", "-m", "grader.service.station")
"""-P: nothing is imported from the working directory."""

SOON, MOST = 1.0, 60.0
"""Seconds before a station that has ended is started again: the first time, and at most."""

STEADY = 120.0
"""Seconds after which a station that ends counts as one that worked."""

LEAVE = 25.0
"""Seconds in which a station must have ended; it gives itself twenty."""


@dataclass(frozen=True, kw_only=True)
class StationCrew:
    """Stations of one machine and one device. `orders` are the settings by which they grade, `variables` those that are
    the machine's own.
    """

    count: int
    course: Path
    orders: str
    variables: Mapping[str, str] = field(default_factory=dict)


def man(crew: StationCrew, url: str, say: Callable[[str], None]) -> None:
    """Keep stations running until interrupted; `say` prints a line. Raises InputError and SetupError."""
    Course(assignments=crew.course / "assignments", reference=crew.course / "reference").require_solutions()
    with closing(Database(url)) as database:
        require_current(database)
    with running(crew, url, say):
        say(f"grading {crew.course} for the service; Ctrl-C ends this.")
        threading.Event().wait()


@contextmanager
def running(crew: StationCrew, url: str, say: Callable[[str], None]) -> Iterator[None]:
    """In the block, the stations run."""
    over = threading.Event()
    command = [sys.executable, *STATION, str(crew.course), crew.orders]
    variables = {**crew.variables, DATABASE: url}
    threads = [
        threading.Thread(target=_keep_running, args=(command, variables, over, say), name=f"station {number}")
        for number in range(crew.count)
    ]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in threads:
            each.join()


def _keep_running(
    command: list[str], variables: Mapping[str, str], over: threading.Event, say: Callable[[str], None]
) -> None:
    pause = SOON
    while not over.is_set():
        begun = time.monotonic()
        # Its standard input is closed when this process ends, however that is.
        process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
            command, stdin=subprocess.PIPE, env={**variables}, start_new_session=True
        )
        while process.poll() is None and not over.wait(0.2):
            pass
        if over.is_set():
            _end(process)
            return
        pause = SOON if time.monotonic() - begun > STEADY else min(MOST, 2 * pause)
        say(f"the station ended with exit code {process.returncode}; another starts in {pause:g} s.")
        over.wait(pause)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(LEAVE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
