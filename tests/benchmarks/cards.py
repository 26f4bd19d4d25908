"""Measure how fast a batch is graded on one device and on several, for different numbers of jobs.

    python tests/benchmarks/cards.py [DEVICES:JOBS ...] [--students N] [--assignment NAME]

DEVICES are numbers from `grader devices`, such as 0 or 0,1. Each student hands in the model solution with a different
comment. `whole` is the time of the whole command, including its start and the pages that it writes at the end. `each`
is the time that another grading adds to a long batch: the time between results, without the first and the last of each
job.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, kw_only=True)
class Share:
    """The devices that share the work, as on the command line, and the number of jobs."""

    devices: str
    jobs: int


@dataclass(frozen=True, kw_only=True)
class Told:
    """Seconds from the start of a batch to each of its results, and to its end."""

    results: tuple[float, ...]
    end: float

    def each(self, jobs: int) -> str:
        """Return the seconds between results in the middle of the batch, or between all results of a short batch. A
        single result has no such time.
        """
        middle = self.results[jobs:-jobs] if len(self.results) > 3 * jobs else self.results
        return f"{(middle[-1] - middle[0]) / (len(middle) - 1):6.2f} s" if len(middle) > 1 else "     -"


def main() -> None:
    """Measure and print one row for each combination of devices and jobs."""
    options = argparse.ArgumentParser()
    options.add_argument("shares", metavar="DEVICES:JOBS", nargs="*", type=_share, default=[_share("0:1")])
    options.add_argument("--students", type=int, default=26)
    options.add_argument("--assignment", metavar="NAME", default="blockMMM")
    chosen = options.parse_args()
    with TemporaryDirectory() as folder:
        course = Path(folder) / "submissions"
        _hand_in(course, chosen.assignment, chosen.students)
        print("devices  jobs   whole    each")
        for number, share in enumerate(chosen.shares):
            told = _graded(course, Path(folder) / str(number), chosen.assignment, share)
            assert len(told.results) == chosen.students, "the batch did not grade all of them"
            print(f"{share.devices:7} {share.jobs:5} {told.end:6.1f} s {told.each(share.jobs)}", flush=True)
    print(f"{chosen.students} gradings of {chosen.assignment}")


def _share(text: str) -> Share:
    devices, _, jobs = text.partition(":")
    return Share(devices=devices, jobs=int(jobs))


def _hand_in(folder: Path, assignment: str, students: int) -> None:
    source = (ROOT / "reference" / assignment / "kernels.cl").read_text(encoding="utf-8")
    for number in range(students):
        home = folder / f"student{number:03}"
        home.mkdir(parents=True)
        (home / "kernels.cl").write_text(f"{source}\n// {number}\n", encoding="utf-8")


def _graded(course: Path, out: Path, assignment: str, share: Share) -> Told:
    command = [sys.executable, "-m", "grader.cli.main", "batch", str(course), "--assignment", assignment]
    command += ["--out", str(out), "--sandbox", "process", "--device", share.devices, "--jobs", str(share.jobs)]
    start = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as batch:
        assert batch.stdout is not None
        results = tuple(_moments(batch.stdout, start))
    return Told(results=results, end=time.monotonic() - start)


def _moments(lines: Iterable[str], start: float) -> Iterator[float]:
    """Yield the time at which each line with a result appears."""
    return (time.monotonic() - start for line in lines if line.startswith("["))


if __name__ == "__main__":
    main()
