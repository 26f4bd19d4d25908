"""Measure how stable verdicts about speed are, for a model solution or for submissions near a threshold.

    python tests/benchmarks/verdict_stability.py ASSIGNMENT GRADINGS [SPEED ...] [--beside ATTACK]

Without SPEED, the model solution is graded. SPEED is a multiple of the speed for full points, such as 0.9. To reach it,
the work-groups of the model solution repeat a part of their work. The number of repetitions is read from a curve that
is measured first. A grading consists of one case and the whole performance check, by new workers. Several gradings run
in parallel, and wait for each other when they need exclusive use of the device. With --beside, another grader on this
machine repeatedly grades an ATTACK from tests/submissions/hostile/ and waits in the same way.

`deserved` is the median of all measured fractions for a speed. `flipped` counts verdicts that differ from the one that
this median deserves. `undecided` counts verdicts whose own interval contains the threshold. `spread` is the distance
from the 5th to the 95th percentile of the fractions. `ungraded` counts gradings without a verdict; their reasons are
printed.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from statistics import median, quantiles

import numpy as np

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

from attacks import Attack, corpus, small_assignment, verdict  # noqa: E402

from grader.common.errors import SolutionError, UngradedError  # noqa: E402
from grader.course.assignment import Assignment  # noqa: E402
from grader.course.folders import MODEL_FILE  # noqa: E402
from grader.course.submissions.submission import (  # noqa: E402
    Submission,
    Task,
    fresh_seed,
    parse_submission,
    read_submission,
)
from grader.grading.grade import grade_submission  # noqa: E402
from grader.grading.settings import load_settings  # noqa: E402
from grader.grading.timing.intervals import is_decided  # noqa: E402
from grader.results.check import Check  # noqa: E402
from grader.results.metrics import Interval, Performance  # noqa: E402
from grader.results.verdicts import Verdict  # noqa: E402

POINTS = 8
"""Number of intervals on the curve that maps repetitions to speed."""

TRIES = 4
"""Attempts to measure a point of the curve if noise prevents it."""

KERNEL = re.compile(r"^__kernel void [^{]*\{(.*?)^\}", re.DOTALL | re.MULTILINE)
LOCAL = re.compile(r"^    __local [^=]*;.*\n", re.MULTILINE)
"""Regular expressions for a kernel with its body, and for declarations of local memory, which must stay
outside a loop.
"""

AGAIN = """
    const uint number = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    const uint times = 1 + (MORE + (number * 2654435761u >> 12) % 1000) / 1000;
    for (uint time = 0; time < times; time++) {
    barrier(CLK_LOCAL_MEM_FENCE);
"""
"""Code that makes all work-groups repeat their work about equally often. A kernel that spends most of its time in a few
work-groups would not have a steady speed on many cores.
"""


def main() -> None:
    """Find the repetitions for each speed, grade, and print one row for each speed."""
    attacks = {attack.name: attack for attack in corpus()}
    options = argparse.ArgumentParser()
    options.add_argument("name", metavar="ASSIGNMENT")
    options.add_argument("count", metavar="GRADINGS", type=int)
    options.add_argument("speeds", metavar="SPEED", type=float, nargs="*")
    options.add_argument("--beside", metavar="ATTACK", choices=attacks)
    given = options.parse_args()
    with ProcessPoolExecutor(max(1, (os.cpu_count() or 1) // 4)) as pool:
        print(f"{'':<22} deserved  spread  full  flipped  undecided  ungraded  alone s", flush=True)
        for part in load_settings({}).places.load(given.name).parts:
            assignment = _quick(part)
            slow_for = _tune(assignment, pool) if given.speeds else None
            for speed in given.speeds or [1.0]:
                label, submission = part.kernel, read_submission(part.reference)
                if slow_for:
                    label, submission = f"{part.kernel} {speed:g} x", _slowed(assignment, slow_for(speed))
                start = time.perf_counter()
                with _neighbour(attacks[given.beside]) if given.beside else nullcontext():
                    graded = list(pool.map(partial(_try, assignment, submission), range(given.count)))
                _print(assignment, label, graded)
                print(f"{'':<22} {time.perf_counter() - start:.0f} s for {given.count} gradings", flush=True)


def _quick(assignment: Assignment) -> Assignment:
    """Return the assignment with only one case and the performance check."""
    correctness = assignment.correctness.model_copy(update={"cases": assignment.correctness.shown[:1]})
    return assignment.model_copy(update={"correctness": correctness, "sanitizer": None, "memory": None})


def _slowed(assignment: Assignment, more: int) -> Submission:
    """Return the model solution with work-groups that repeat `more` thousandths of their work."""
    text = (assignment.reference / MODEL_FILE).read_text(encoding="utf-8")
    return parse_submission(Path("kernels.cl"), f"#define MORE {more}\n{KERNEL.sub(_again, text)}".encode())


def _again(kernel: re.Match[str]) -> str:
    """Return the kernel with its body in a loop. A `return` in the body ends only the iteration."""
    whole, body = kernel.group(), kernel.group(1)
    inner = re.sub(r"\breturn;", "continue;", LOCAL.sub("", body))
    return whole.replace(body, "".join(LOCAL.findall(body)) + AGAIN + inner + "    }\n")


def _grade(assignment: Assignment, submission: Submission) -> Check:
    """Grade the submission and return its performance check."""
    settings = load_settings({})
    with settings.open_environment(settings.sandbox_for_ours()) as environment:
        task = Task(assignment=assignment, submission=submission, seed=fresh_seed())
        *_, check = grade_submission(task, environment, lambda _: None).checks
    if check.performance is None:
        raise SolutionError(f"{check.reason}: {check.message}")
    return check


def _measured(assignment: Assignment, submission: Submission) -> Check:
    """Return the performance check. Measure again if the machine was too noisy."""
    for _ in range(TRIES - 1):
        check = _try(assignment, submission, 0)
        if isinstance(check, Check):
            return check
    return _grade(assignment, submission)


def _try(assignment: Assignment, submission: Submission, _: int) -> Check | UngradedError:
    """Return the performance check, or the error that explains why there is no result."""
    try:
        return _grade(assignment, submission)
    except UngradedError as error:
        return error


@contextmanager
def _neighbour(attack: Attack) -> Iterator[None]:
    """Run another grader in a separate process, which repeatedly grades this attack. Print its verdicts at the end."""
    spawn = get_context("spawn")
    verdicts: SimpleQueue[str] = spawn.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        given = (small_assignment(Path(folder), attack), read_submission(attack.folder), verdicts)
        neighbour = spawn.Process(target=_grade_over_and_over, args=given, daemon=True)
        neighbour.start()
        try:
            yield
        finally:
            neighbour.kill()
            neighbour.join()
    seen = Counter(iter(lambda: None if verdicts.empty() else verdicts.get(), None))
    print(f"beside {attack.name}: {', '.join(f'{count} x {each}' for each, count in seen.items())}", flush=True)


def _grade_over_and_over(assignment: Assignment, submission: Submission, verdicts: "SimpleQueue[str]") -> None:
    """Grade until this process is killed or its parent ends. Otherwise, a killed benchmark would leave it running."""
    parent = os.getppid()
    settings = load_settings({})
    with settings.open_environment(settings.sandbox_for_others()) as environment:
        while os.getppid() == parent:
            task = Task(assignment=assignment, submission=submission, seed=fresh_seed())
            try:
                verdicts.put(verdict(grade_submission(task, environment, lambda _: None)))
            except UngradedError:
                verdicts.put("ungraded")


def _performance(check: Check) -> Performance:
    assert check.performance is not None, "_grade returns only checks with a performance"
    return check.performance


def _interval(check: Check) -> Interval:
    fraction = _performance(check).fraction_of_reference
    assert fraction is not None, "the course has a model solution"
    return fraction


def _fraction(check: Check) -> float:
    return _interval(check).median


def _threshold(assignment: Assignment, check: Check) -> float:
    return assignment.speed_goals.classes[_performance(check).device_class].bands[0].fraction


def _tune(assignment: Assignment, pool: ProcessPoolExecutor) -> Callable[[float], int]:
    """Return a function that maps a speed to the argument of _slowed. It interpolates times, which grow linearly with
    the argument.
    """
    model = _measured(assignment, _slowed(assignment, 0))
    most = round(3000 / _threshold(assignment, model))
    more = range(0, most + 1, most // POINTS)
    checks = list(pool.map(partial(_measured, assignment), (_slowed(assignment, each) for each in more)))
    times = [_threshold(assignment, check) / _fraction(check) for check in checks]
    if not times[0] < 1 < times[-1]:
        sys.exit(f"{assignment.name}: the slowed model takes {times[0]:.2g} to {times[-1]:.2g} times the allowed time")
    return lambda speed: round(float(np.interp(1 / speed, times, more)))


def _print(assignment: Assignment, label: str, graded: list[Check | UngradedError]) -> None:
    checks = [each for each in graded if isinstance(each, Check)]
    for error in (each for each in graded if isinstance(each, UngradedError)):
        print(f"{label}: {error}", file=sys.stderr)
    if len(checks) < 2:
        sys.exit(f"{label}: {len(graded) - len(checks)} of {len(graded)} gradings are ungraded")
    fractions = [_fraction(check) for check in checks]
    deserved, threshold = median(fractions), _threshold(assignment, checks[0])
    full = sum(check.verdict is Verdict.PASSED for check in checks)
    flipped = sum((check.verdict is Verdict.PASSED) is not (deserved >= threshold) for check in checks)
    undecided = sum(not is_decided(_interval(check), [threshold]) for check in checks)
    cuts = quantiles(fractions, n=20)
    print(
        f"{label:<22} {deserved / threshold:6.3f} x {(cuts[-1] - cuts[0]) / deserved:7.2%} {full:5d} {flipped:8d}"
        f" {undecided:10d} {len(graded) - len(checks):9d} {median(check.seconds for check in checks):8.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
