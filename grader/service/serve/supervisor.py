"""Keeps processes of the service running: the stations, and all web processes except the first.

A process that ends is restarted after a pause. The pause grows each time that the process ends soon after its start,
for example because a station cannot grade. In that case the station prints the reason, and attempts wait in the queue.
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
from grader.service.db.handover import as_lines
from grader.service.db.migrate import require_current
from grader.service.db.session import Database

FIRST_RESTART_SECONDS, MAX_RESTART_SECONDS = 1.0, 60.0
"""Seconds before a process that has ended is restarted: the initial pause and the longest one."""

STABLE_SECONDS = 120.0
"""Seconds that a process must have run for the pause to be reset to the initial one."""

STOP_SECONDS = 25.0
"""Seconds that a process has to end before it is killed. A station ends within 20 seconds."""


@dataclass(frozen=True, kw_only=True)
class ProcessSpec:
    """A process to run: a module of the service with its arguments. Messages refer to it by `name`. It reads the
    address of the database from standard input, followed by `secret_line` if that is not empty.
    """

    name: str
    module: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    secret_line: str = field(default="", repr=False)

    @property
    def command(self) -> list[str]:
        """The command of the process. With -P, modules are not imported from the working directory."""
        return [sys.executable, "-P", "-m", self.module, *self.arguments]


@dataclass(frozen=True, kw_only=True)
class StationSpec:
    """Stations for one device of this machine, or one station for the Dask cluster whose scheduler is at the address
    `cluster`. `settings_json` contains the settings for grading, and `variables` the environment with settings of this
    machine. An empty `device_class` means the class of the device.
    """

    count: int
    course: Path
    settings_json: str
    device_class: str = ""
    cluster: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def processes(self) -> list[ProcessSpec]:
        """A process for each station."""
        arguments = str(self.course), self.settings_json, self.device_class, self.cluster
        spec = ProcessSpec(
            name="station", module="grader.service.station", arguments=arguments, environment=self.variables
        )
        return [spec] * self.count


def run_stations(stations: StationSpec, url: str, say: Callable[[str], None]) -> None:
    """Keep stations running until interrupted. `say` prints a line. Raises InputError or SetupError if they cannot
    start.
    """
    Course(assignments=stations.course / "assignments", reference=stations.course / "reference").require_solutions()
    with closing(Database(url)) as database:
        require_current(database)
    with supervised(stations.processes, url, say):
        say(f"grading {stations.course} for the service; Ctrl-C ends this.")
        threading.Event().wait()


@contextmanager
def supervised(processes: Iterable[ProcessSpec], url: str, say: Callable[[str], None]) -> Iterator[None]:
    """Keep these processes running during the block. Each reads the address of the database from its standard input."""
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
    pause = FIRST_RESTART_SECONDS
    while not over.is_set():
        begun = time.monotonic()
        process = _started(spec, url)
        while process.poll() is None and not over.wait(0.2):
            pass
        if over.is_set():
            _end(process)
            return
        pause = (
            FIRST_RESTART_SECONDS if time.monotonic() - begun > STABLE_SECONDS else min(MAX_RESTART_SECONDS, 2 * pause)
        )
        say(f"a {spec.name} ended with exit code {process.returncode}; another starts in {pause:g} s.")
        over.wait(pause)


def _started(spec: ProcessSpec, url: str) -> "subprocess.Popen[bytes]":
    """Start a process. Its standard input closes when this process ends for any reason."""
    process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
        spec.command, stdin=subprocess.PIPE, env={**spec.environment}, start_new_session=True
    )
    with suppress(BrokenPipeError):  # the process has already ended
        assert process.stdin is not None
        process.stdin.write(as_lines(url, *filter(None, [spec.secret_line])))
        process.stdin.flush()
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
