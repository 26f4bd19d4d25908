"""Processes of the service that are kept running: the stations, and web processes beside the first.

One that ends is started again, more slowly each time that it ends soon: a station that cannot grade says why, and what
was handed in waits.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.catalogue import Course
from grader.service.db.migrate import require_current
from grader.service.db.session import Database
from grader.service.handover import as_lines

SOON, MOST = 1.0, 60.0
"""Seconds before a process that has ended is started again: the first time, and at most."""

STEADY = 120.0
"""Seconds after which a process that ends counts as one that worked."""

LEAVE = 25.0
"""Seconds in which a process must have ended; a station gives itself twenty."""


@dataclass(frozen=True, kw_only=True)
class ProcessSpec:
    """A process that is to run: a module of ours with its words. `name` is what messages call it, `told` a line
    with secrets that it is told after the address of the database.
    """

    name: str
    module: str
    words: tuple[str, ...]
    variables: Mapping[str, str]
    told: str = field(default="", repr=False)

    @property
    def command(self) -> list[str]:
        """How it is started. -P: nothing is imported from the working directory."""
        return [sys.executable, "-P", "-m", self.module, *self.words]


@dataclass(frozen=True, kw_only=True)
class StationSpec:
    """Stations of one machine and one device. `orders` are the settings by which they grade, `variables` those that are
    the machine's own; `device_class` is empty where the device says it.
    """

    count: int
    course: Path
    orders: str
    device_class: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def processes(self) -> list[ProcessSpec]:
        """One for each station."""
        words = str(self.course), self.orders, self.device_class
        spec = ProcessSpec(name="station", module="grader.service.station", words=words, variables=self.variables)
        return [spec] * self.count


def run_stations(stations: StationSpec, url: str, say: Callable[[str], None]) -> None:
    """Keep stations running until interrupted; `say` prints a line. Raises InputError and SetupError."""
    Course(assignments=stations.course / "assignments", reference=stations.course / "reference").require_solutions()
    with closing(Database(url)) as database:
        require_current(database)
    with running(stations.processes, url, say):
        say(f"grading {stations.course} for the service; Ctrl-C ends this.")
        threading.Event().wait()


@contextmanager
def running(processes: Iterable[ProcessSpec], url: str, say: Callable[[str], None]) -> Iterator[None]:
    """In the block, these processes run, and know the address of the database."""
    over = threading.Event()
    threads = [
        threading.Thread(target=_keep_running, args=(spec, url, over, say), name=f"{spec.name} {number}")
        for number, spec in enumerate(processes)
    ]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in threads:
            each.join()


def _keep_running(spec: ProcessSpec, url: str, over: threading.Event, say: Callable[[str], None]) -> None:
    pause = SOON
    while not over.is_set():
        begun = time.monotonic()
        process = _started(spec, url)
        while process.poll() is None and not over.wait(0.2):
            pass
        if over.is_set():
            _end(process)
            return
        pause = SOON if time.monotonic() - begun > STEADY else min(MOST, 2 * pause)
        say(f"a {spec.name} ended with exit code {process.returncode}; another starts in {pause:g} s.")
        over.wait(pause)


def _started(spec: ProcessSpec, url: str) -> "subprocess.Popen[bytes]":
    """Its standard input is closed when this process ends, however that is."""
    process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
        spec.command, stdin=subprocess.PIPE, env={**spec.variables}, start_new_session=True
    )
    with suppress(BrokenPipeError):  # it has ended already
        assert process.stdin is not None
        process.stdin.write(as_lines(url, *filter(None, [spec.told])))
        process.stdin.flush()
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(LEAVE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
