"""Grade golden submissions with all checks and default settings. Print the rate, and how the time divides into parts.

    python tests/benchmarks/throughput.py [--students N] [--jobs 1 2 ...] [--assignments NAME ...]

Each student hands in for all assignments, or for the named ones. Every second student is right in all of them, and the
others are wrong in all of them. Submissions that run into a time limit are left out. `grader batch` grades the course
in containers with each number of jobs. Then one station in this process grades the course again, to measure the parts.
A line is printed for each unexpected verdict.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import cycle, pairwise
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

from cohort_audit import unexpected  # noqa: E402
from downloads import folders  # noqa: E402
from golden import CORPUS, expectation, reasons_of  # noqa: E402
from synthetic import Cohort, Member, Plot, Work, batch, signed  # noqa: E402

from grader.batch.station import NAME  # noqa: E402
from grader.course.catalogue import Course  # noqa: E402
from grader.course.rubric import Kind  # noqa: E402
from grader.course.submissions.handin import Intake  # noqa: E402
from grader.course.submissions.submission import fresh_seed, parse_submission  # noqa: E402
from grader.grading.grade import grade_coursework  # noqa: E402
from grader.grading.progress import Decided, Progress  # noqa: E402
from grader.grading.settings import load_settings  # noqa: E402
from grader.lms.intake import take_all  # noqa: E402
from grader.reports import REPORTS  # noqa: E402
from grader.results.result import Result  # noqa: E402
from grader.results.verdicts import Reason, Verdict  # noqa: E402

COURSE = Course(assignments=ROOT / "assignments", reference=ROOT / "reference")


def main() -> None:
    """Grade the course with each number of jobs, and then measure the parts."""
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, default=6)
    options.add_argument("--jobs", type=int, nargs="+", default=sorted({1, os.cpu_count() or 1}))
    options.add_argument("--assignments", nargs="+", default=COURSE.names(), metavar="NAME")
    given = options.parse_args()
    cohort = cohort_of(given.students, tuple(given.assignments))
    kinds = Counter(work.kind for work in cohort.works)
    print(
        f"{len(cohort.works)} submissions for {len(given.assignments)} assignments: {dict(kinds)}; all defaults, docker"
    )
    work = Path(tempfile.mkdtemp(prefix="throughput-"))
    try:
        download = cohort.download(work / "download")
        intake = take_all((download,), tuple(COURSE.load(name) for name in given.assignments))
        for jobs in given.jobs:
            print_rate(cohort, intake, [*batch(cohort, download, COURSE, work / f"jobs-{jobs}"), "--jobs", str(jobs)])
        print_parts(intake)
    finally:
        shutil.rmtree(work)


def cohort_of(students: int, names: tuple[str, ...]) -> Cohort:
    """Return students who are alternately right and wrong, with a golden file for each of these assignments."""
    plot = Plot(shape="folders", write=folders, assignments=names, course="shipped", share=1.0)
    pools = {(name, right): cycle(golden(name, right=right)) for name in names for right in (True, False)}
    members = []
    for number in range(students):
        right, name = number % 2 == 0, f"student {number + 1}"
        works = {assignment: work(next(pools[assignment, right]), right, name) for assignment in plot.assignments}
        members.append(Member(name=name, key="", works=works))
    return Cohort(plot=plot, members=tuple(members))


def golden(assignment: str, *, right: bool) -> list[Path]:
    """Return the right or the wrong submissions for an assignment, in a fixed random order."""
    found = [
        folder
        for folder in CORPUS
        if folder.parent.name == assignment and right == expectation(folder).is_right and ends(folder)
    ]
    Random(assignment).shuffle(found)
    return found


def ends(folder: Path) -> bool:
    """True if grading the submission does not run into a time limit."""
    return Reason.TIME_LIMIT not in reasons_of(expectation(folder))


def work(folder: Path, right: bool, name: str) -> Work:
    """Return a submission that contains a student's name."""
    kind = "right" if right else "wrong"
    data = signed((folder / "kernels.cl").read_bytes(), name)
    return Work(kind=kind, about=f"{kind}: {folder.name}", data=data, expected=folder)


def print_rate(cohort: Cohort, intake: Intake, command: list[str | Path]) -> None:
    """Grade the course with this command, and print the rate from its start to the last report."""
    begin, (out, jobs) = time.monotonic(), (Path(command[-3]), command[-1])
    subprocess.run([*command, "--sandbox", "docker"], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    seconds, gradings = time.monotonic() - begin, len(intake.handins)
    print(f"--jobs {jobs}: {seconds:6.0f} s, {60 * gradings / seconds:5.1f} a minute")
    results = [Result.model_validate_json(path.read_bytes()) for path in (out / "results").glob("*.json")]
    spent = {kind: sum(seconds_of(result, kind) for result in results) / gradings for kind in Kind}
    rest = sum(result.seconds for result in results) / gradings - sum(spent.values())
    print("  seconds each: " + ", ".join(f"{kind} {value:.2f}" for kind, value in spent.items()) + f", rest {rest:.2f}")
    for line in unexpected(cohort, intake, out, COURSE):
        print(f"  not as expected: {line}")


def print_parts(intake: Intake) -> None:
    """Grade everything again in this process, and print how the time divides into parts."""
    total: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    settings, graded = load_settings({"sandbox": "docker"}), Counter[bool]()
    with settings.open_batch("docker") as environment:
        for handin in intake.handins:
            submission = parse_submission(NAME, handin.data)
            grade = partial(grade_coursework, COURSE.load(handin.assignment), submission, fresh_seed(), environment)
            result, parts = timed(grade)
            if Reason.NOT_MEASURED in {left.reason for left in result.unchecked}:
                print(f"  left out: {handin.student.label}, {handin.assignment}: too noisy")
                continue
            right = all(each.verdict is Verdict.PASSED for each in result.checks if each.kind is Kind.CORRECTNESS)
            graded[right] += 1
            total[right].update(parts)
    print(f"\n{'seconds each, one at a time':<34}{'timed':>10}{'not timed':>10}")
    print(f"{'submissions':<34}{graded[True]:>10}{graded[False]:>10}")
    for part in [*dict.fromkeys((*total[True], *total[False]))]:
        print(
            f"{part:<34}" + "".join(f"{total[right][part] / max(1, graded[right]):>10.2f}" for right in (True, False))
        )
    whole = {right: sum(parts.values()) / max(1, graded[right]) for right, parts in total.items()}
    print(f"{'together':<34}{whole[True]:>10.2f}{whole[False]:>10.2f}")


SAID = {
    "watching every access in the simulator": "simulator",
    "looking for the line that is wrong": "search",
    "waiting for the device": "waiting for the device",
    "timing": "timing",
}
"""Maps the event at the start of a part of a grading to the name of the part."""

WORKERS_START = "the worker's start"

OWN_WORKERS = "asking for our own workers"
"""The part that consists of the time between the checks on the device."""


def timed(grade: Callable[[Progress], Result]) -> tuple[Result, dict[str, float]]:
    """Return a result, and the seconds of its page and of each part of its grading, according to the events."""
    marks = [(WORKERS_START, time.perf_counter())]

    def note(event: str | Decided) -> None:
        if isinstance(event, str) and (event == "building" or event in SAID):
            marks.append((SAID.get(event, OWN_WORKERS), time.perf_counter()))

    result = grade(note)
    marks.append(("page", time.perf_counter()))
    REPORTS["html"](result)
    marks.append(("end", time.perf_counter()))
    parts = dict.fromkeys((name for name, _ in marks[:-1]), 0.0)
    for (name, at), (_, after) in pairwise(marks):  # a part occurs again for each kernel of a suite
        parts[name] += after - at
    checked = {kind: seconds_of(result, kind) for kind in (Kind.BUILD, Kind.CORRECTNESS)}
    parts[OWN_WORKERS] -= sum(checked.values())
    return result, {WORKERS_START: parts.pop(WORKERS_START), **checked, **parts}


def seconds_of(result: Result, kind: Kind) -> float:
    """Return the total seconds of the checks of this kind."""
    return sum(check.seconds for check in result.checks if check.kind is kind)


if __name__ == "__main__":
    main()
