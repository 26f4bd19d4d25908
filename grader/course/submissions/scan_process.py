"""A student's text is scanned in a process of its own, with a budget of processor time and memory.

    judge -> text -> process: scan -> JSON -> judge

The process runs nothing but our own code, and loads little of it, so that it takes some 30 ms. The budget is far more
than any text needs that is not too large to be handed in: it protects against what we have overlooked.
"""

import json
import resource
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass

from grader.common.errors import WorkerError
from grader.course.forbidden import Construct, Sighting
from grader.course.submissions.scan import Scan, Statement, scan

PROCESSOR = 10
"""Seconds of processor time. A megabyte takes up to 4, and hand-written kernels a hundredth of one."""

MEMORY = 1024**3
"""Bytes. A megabyte of text takes a quarter of it."""

PATIENCE = 120.0
"""Seconds in which the process must have had its processor time: else it is the machine that is too slow."""

OUT_OF_MEMORY = 3
"""The exit code that says so."""


@dataclass(frozen=True, kw_only=True)
class TooCostly:
    """A text that could not be scanned within the budget; `words` say which limit it reached."""

    words: str


def scanned(source: str) -> Scan | TooCostly:
    """The scan of a student's text; raises WorkerError if this machine cannot make it."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "grader.course.submissions.scan_process"],
            input=source.encode("utf-8", "surrogatepass"),
            capture_output=True,
            check=False,
            timeout=PATIENCE,
            start_new_session=True,  # Ctrl-C is for the judge
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkerError(f"the text could not be read by a process of its own: {error}.") from error
    match done.returncode:
        case 0:
            return _unpacked(done.stdout)
        case number if number == -signal.SIGXCPU:
            return TooCostly(words=f"reading it takes more than {PROCESSOR} s")
        case number if number == OUT_OF_MEMORY:
            return TooCostly(words=f"reading it takes more than {MEMORY // 1024**2} MiB of memory")
        case number:
            said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise WorkerError(f"the process that reads texts ended with status {number}: {said}")


def _unpacked(told: bytes) -> Scan:
    found = json.loads(told)
    return Scan(
        sightings=tuple(
            Sighting(construct=Construct(each["construct"]), line=each["line"], text=each["text"])
            for each in found["sightings"]
        ),
        statements=tuple(Statement(**each) for each in found["statements"]),
        defined=frozenset(found["defined"]),
        code=tuple(found["code"]),
    )


def main() -> None:
    """Scan the text on standard input, and write the outcome as JSON."""
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        found = scan(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
        sys.stdout.write(json.dumps(asdict(found) | {"defined": sorted(found.defined)}))
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    main()
