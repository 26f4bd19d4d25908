"""Cases on which the compiler of the device failed: their points are lost or open.

    the compiler failed -> the simulator, which has another compiler, runs the small cases
                           -> all right: checks of results and speed are open, and an instructor decides
                           -> anything wrong: the case has crashed, for no points

A submission can forge every sign of a compiler failure. So such a failure never earns points, and the instructor
decides what the simulator does not reach. It reaches memory behaviour: those checks are decided, as for any kernel.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from grader.common.errors import NoSimulatorError
from grader.common.phrases import count, sizes_in_words
from grader.course.assignment import Assignment
from grader.course.rubric import Case, Sizes
from grader.course.truth.oracle import load_oracle
from grader.execution.client import Worker
from grader.execution.outcome import Crashed, Failure, TimedOut
from grader.grading.checks.building import Build, Prepared, build_settled
from grader.grading.checks.correctness import EARNING, Tried, trial_of
from grader.grading.checks.sanitizer import NUMBER, findings_of
from grader.grading.checks.simulated_run import Subject, run_on_trial, seen_in, simulate
from grader.grading.checks.simulator_checks import Watched
from grader.grading.explain.compilers import advice, is_of_compiler, observed
from grader.grading.explain.failing import FailedError
from grader.grading.explain.problem import Problem, of_failure
from grader.results.result import Check, Kind, Reason, Verdict

SECONDS = 60.0
"""Seconds after which no further case begins in the simulator."""

DEVICES = {Reason.CRASH, Reason.TIME_LIMIT}
"""Reasons of a compiler failure that is not left open."""


@dataclass(frozen=True, kw_only=True)
class LeftOpen:
    """Reasons why checks of a submission stay open: `failed` for checks on which the compiler failed, `rest` for checks
    that only a right kernel passes, and for memory checks where nothing was counted.
    """

    failed: Problem
    rest: Problem

    def of(self, checks: Iterable[Check]) -> tuple[Check, ...]:
        """The checks; those that wait for the instructor's decision are skipped: they neither earn nor lose points."""
        return tuple(map(self._of, checks))

    def _of(self, check: Check) -> Check:
        if check.kind in {Kind.BUILD, Kind.CORRECTNESS, Kind.PRACTICE}:
            return self.failed.skip(check) if check.reason in {*DEVICES, Reason.NOT_RUN} else check
        waits = check.reason is Reason.NOT_RUN or (check.kind is not Kind.MEMORY and check.verdict in EARNING)
        return self.rest.skip(check) if waits else check


def is_undecided(tried: Tried) -> bool:
    """True if the compiler failed on this case, so that only the simulator can check it."""
    return tried.failure is not None and _is_of_compiler(tried.failure)


def left_open(tried: Sequence[Tried], subject: Subject, watched: Watched) -> LeftOpen | None:
    """Reasons why cases stay open on which the compiler failed; None if there are no such cases, or if anything else is
    wrong in a case or in a simulated run. A hidden sanitizer has no influence: students see which cases are open.
    """
    failed = [each for each in tried if each.check.verdict is Verdict.FAILED and not each.case.practice]
    failures = [each.failure for each in failed if each.failure is not None and is_undecided(each)]
    others = [each for each in failed if not is_undecided(each) and each.check.reason is not Reason.NOT_RUN]
    if not failures or others or _is_wrong(subject.task.assignment, watched):
        return None
    return _checked(failures[0], subject, [each.case for each in failed])


def _is_wrong(assignment: Assignment, watched: Watched) -> bool:
    """True if the sanitizer's run shows a mistake and is not hidden."""
    if assignment.sanitizer is None or assignment.sanitizer.hidden:
        return False
    sanitized = [check for check in watched.checks if check.kind is Kind.SANITIZER]
    found = {check.reason for check in sanitized if check.verdict is Verdict.FAILED} - {Reason.NOT_RUN}
    return bool(found) or (watched.seen is not None and watched.seen.problem is not None)


def unbuilt_open(build: Build, prepared: Prepared, simulator: Worker) -> LeftOpen | None:
    """Like left_open, for a submission whose build failed: builds it for the simulator, and runs it there."""
    if build.failure is None or isinstance(prepared.outcome, Problem) or not _is_of_compiler(build.failure):
        return None
    task = prepared.outcome.task
    try:
        simulator.ready()
    except NoSimulatorError:
        return _open(build.failure, UNCHECKED)
    built = build_settled(task, simulator)
    if isinstance(built, Problem):
        return None
    subject = Subject(task=task, oracle=load_oracle(task.assignment), worker=simulator, built=built)
    asked = task.assignment.sanitizer
    if asked is not None and not asked.hidden:
        seen = simulate(subject, asked.sizes, NUMBER)
        if isinstance(seen, Problem) or seen.problem is not None or findings_of(seen):
            return None
    return _checked(build.failure, subject, task.assignment.correctness.shown)


def timed_open(failed: FailedError) -> FailedError:
    """The error that ended a timed run. If the compiler failed, the error leaves the speed open, since the cases are
    already right.
    """
    failure = failed.failure
    if not isinstance(failure, Crashed | TimedOut) or not _is_of_compiler(failure):
        return failed
    words = f"{observed(failure)} {OPEN_UNTIL} {advice(failure)}"
    return FailedError(Problem(reason=Reason.COMPILER_FAILED, message=words))


def _is_of_compiler(failure: Failure) -> bool:
    return is_of_compiler(failure) and of_failure(failure).reason in DEVICES


def _checked(failure: Failure, subject: Subject, cases: Sequence[Case]) -> LeftOpen | None:
    """The reasons for open points if all small cases are right in the simulator; None if one is wrong."""
    try:
        subject.worker.ready()
    except NoSimulatorError:
        return _open(failure, UNCHECKED)
    right: list[Sizes] = []
    assignment = subject.built.task.assignment
    for case in _small(assignment, cases):
        seen = seen_in(run_on_trial(subject, trial_of(case, subject.built, subject.oracle)))
        if isinstance(seen, Problem) or seen.problem is not None:
            return None
        if findings_of(seen) and not assignment.hides_sanitizer:
            return None
        right.append(case.sizes)
    if not right:
        return _open(failure, UNCHECKED)
    return _open(failure, RIGHT.format(cases=count(len(right), "small case"), sizes=sizes_in_words(right[-1])))


def _small(assignment: Assignment, cases: Sequence[Case]) -> Iterator[Case]:
    """Cases that are no larger than the usual simulated sizes, or else the smallest case, while there is time."""
    ends = time.monotonic() + SECONDS
    usual = [prod(asked.sizes.values()) for asked in (assignment.sanitizer, assignment.memory) if asked is not None]
    by_size = sorted(cases, key=lambda case: prod(case.sizes.values()))
    limit = max(usual, default=0)
    for number, case in enumerate(by_size):
        if number and (prod(case.sizes.values()) > limit or time.monotonic() > ends):
            break
        yield case


OPEN_UNTIL = "The points are open until your instructor decides."

RIGHT = "With another compiler, the results are right in {cases}, up to {sizes}. Larger cases were not checked."

UNCHECKED = "The results were not checked with another compiler."


def _open(failure: Failure, checked: str) -> LeftOpen:
    assert isinstance(failure, Crashed | TimedOut)
    words = f"{observed(failure)} {OPEN_UNTIL} {checked} {advice(failure)}"
    rest = "open: the compiler failed on this kernel, so its results on this device are not known."
    return LeftOpen(
        failed=Problem(reason=Reason.COMPILER_FAILED, message=words),
        rest=Problem(reason=Reason.COMPILER_FAILED, message=rest),
    )
