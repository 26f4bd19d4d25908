"""Grade synthetic courses of several sizes from downloads in the formats of several platforms, and print the costs.

    python tests/benchmarks/course.py [NUMBER ...] [--jobs N] [--seed N]     e.g. course.py 100 300 1000

A course (synthetic.py) has NUMBER hand-ins in six formats of downloads. They are right, wrong, hostile, empty,
malformed or copied. Each download is a batch that is graded in containers. Gradings are complete, except that they have
few cases, nine timed pairs and short deadlines (synthetic.QUICK). Memory is measured for the command and its stations.
A line is printed for each hand-in that was misplaced or got an unexpected verdict, and the exit code is then 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

from cohort_audit import misplaced, unexpected  # noqa: E402
from synthetic import QUICK, Cohort, batch, course_of, kinds, write_courses  # noqa: E402

from grader.course.catalogue import Course  # noqa: E402
from grader.lms.intake import take_all  # noqa: E402

MEBIBYTE = 1024**2
LOOK_EVERY = 0.25
AT = (0.1, 0.5, 1.0)
"""Fractions of a batch at which memory use is reported, as the maximum within `NEAR` of them."""
NEAR = 0.05

KEPT = {"results", "batch.json", "batch.lock"}
"""Files in a batch's folder that cannot be made again from its results."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """An observation of a running batch: the fraction of gradings done, and the memory of the command and its stations
    in bytes.
    """

    done: float
    command: int
    stations: int


@dataclass(frozen=True, kw_only=True)
class Run:
    """The costs of grading a cohort. `again` and `publishing` are the seconds of two further runs without gradings: one
    in which all reports exist, and one in which none exists.
    """

    shape: str
    handins: int
    gradings: int
    placed: int
    unexpected: int
    seconds: float
    looks: tuple[Look, ...]
    size: int
    publishing: float
    again: float


def main() -> int:
    """Grade a course of each size, and print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("numbers", nargs="*", type=int, default=[100])
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    courses = [(number, grade_course(number, given.seed, given.jobs)) for number in given.numbers]
    print_table(courses, given.jobs)
    return int(any(run.unexpected or run.placed < run.handins for _, runs in courses for run in runs))


def grade_course(number: int, seed: int, jobs: int) -> list[Run]:
    """Grade the cohorts of the course one after the other."""
    cohorts = course_of(number, seed)
    print(f"{number} hand-ins: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds(cohorts).items())))
    work = Path(tempfile.mkdtemp(prefix="course-"))
    try:
        courses = write_courses(work / "courses")
        return [grade_cohort(cohort, courses[cohort.plot.course], work, jobs) for cohort in cohorts if cohort.works]
    finally:
        shutil.rmtree(work)


def grade_cohort(cohort: Cohort, course: Course, work: Path, jobs: int) -> Run:
    """Grade a cohort and compare the results with the expected ones. Then run the batch twice with nothing to grade."""
    out = work / f"results-{cohort.plot.shape}"
    download = cohort.download(work / "downloads" / cohort.plot.shape)
    intake = take_all((download,), tuple(course.load(name) for name in cohort.plot.assignments))
    wrong_places = misplaced(cohort, intake)
    gradings = len({(handin.sha256, handin.assignment) for handin in intake.handins})
    command = [*batch(cohort, download, course, out), "--jobs", str(jobs), "--sandbox", "docker"]
    seconds, looks = follow(command, out, gradings)
    wrong = list(unexpected(cohort, intake, out, course))
    print("\n".join([*wrong_places, *wrong]), end="\n" if wrong_places or wrong else "")
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    again, _ = follow(command, out, gradings)
    for path in out.iterdir():
        if path.name not in KEPT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    publishing, _ = follow(command, out, gradings)
    run = Run(
        shape=cohort.plot.shape,
        handins=len(cohort.works),
        gradings=gradings,
        placed=len(cohort.works) - len(wrong_places),
        unexpected=len(wrong),
        seconds=seconds,
        looks=looks,
        size=size,
        publishing=publishing,
        again=again,
    )
    print(f"  {run.shape:<12}{run.handins:>5} hand-ins{seconds:>8.0f} s{len(wrong):>5} unexpected", flush=True)
    return run


def follow(command: list[str | Path], out: Path, gradings: int) -> tuple[float, tuple[Look, ...]]:
    """Run the command to its end, and observe it at intervals. Return the duration in seconds and the observations."""
    begin, looks = time.monotonic(), []
    judge = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **QUICK}, cwd=ROOT)
    while judge.poll() is None:
        done = len(list((out / "results").glob("*.json"))) / gradings if out.is_dir() else 0.0
        stations = sum(resident(child) for child in children(judge.pid))
        looks.append(Look(done=done, command=resident(judge.pid), stations=stations))
        time.sleep(LOOK_EVERY)
    return time.monotonic() - begin, tuple(looks)


def children(parent: int) -> Iterator[int]:
    """Yield all descendants of a process."""
    try:
        started = Path(f"/proc/{parent}/task").glob("*/children")
        found = [int(child) for tasks in started for child in tasks.read_text().split()]
    except OSError:
        return
    for child in found:
        yield child
        yield from children(child)


def resident(process: int) -> int:
    """Return the memory that a process uses in bytes, or 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:")), 0)


def memory(looks: tuple[Look, ...], at: float) -> tuple[float, float]:
    """Return the maximum memory in MiB of the command, and of all its stations together, around this fraction of the
    batch.
    """
    closest = min(abs(look.done - at) for look in looks)
    near = [look for look in looks if abs(look.done - at) <= max(NEAR, closest)]
    return max(look.command for look in near) / MEBIBYTE, max(look.stations for look in near) / MEBIBYTE


def print_table(courses: list[tuple[int, list[Run]]], jobs: int) -> None:
    """Print a column for each course. Memory use is measured in the largest batch."""
    rows: dict[str, list[str]] = {}
    for _, runs in courses:
        for name, value in figures(runs).items():
            rows.setdefault(name, []).append(value)
    print(f"\n{'--jobs ' + str(jobs):<44}" + "".join(f"{number:>9}" for number, _ in courses))
    for name, values in rows.items():
        print(f"{name:<44}" + "".join(f"{value:>9}" for value in values))


def figures(runs: list[Run]) -> dict[str, str]:
    """Return the figures for one course."""
    handins, gradings = sum(run.handins for run in runs), sum(run.gradings for run in runs)
    seconds, largest = sum(run.seconds for run in runs), max(runs, key=lambda run: run.handins)
    at = {part: memory(largest.looks, part) for part in AT}
    return {
        "hand-ins": str(handins),
        "placed": str(sum(run.placed for run in runs)),
        "verdicts as expected": str(handins - sum(run.unexpected for run in runs)),
        "not as expected": str(sum(run.unexpected for run in runs)),
        "different files, each graded once": str(gradings),
        "seconds": f"{seconds:.0f}",
        "seconds per hand-in": f"{seconds / handins:.2f}",
        "gradings per minute": f"{60 * gradings / seconds:.1f}",
        f"largest batch, {largest.shape}: hand-ins": str(largest.handins),
        **{f"  command at {part:4.0%} of it, MiB": f"{at[part][0]:.0f}" for part in AT},
        **{f"  stations at {part:4.0%} of it, MiB": f"{at[part][1]:.0f}" for part in AT},
        "results and reports, KiB per hand-in": f"{sum(run.size for run in runs) / 1024 / handins:.0f}",
        "runs that only publish, seconds": f"{sum(run.publishing for run in runs):.1f}",
        "runs with nothing to do, seconds": f"{sum(run.again for run in runs):.1f}",
    }


if __name__ == "__main__":
    sys.exit(main())
