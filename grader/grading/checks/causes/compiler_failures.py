"""Decides whether the points of cases on which the compiler of the device failed are lost or left open.

    the compiler failed, or -> the simulator, which has another compiler, runs the small cases
    results are wrong          -> all right: checks of results and speed are open, and an instructor decides
                               -> anything wrong: the case has failed, for no points

A compiler can also fail silently, by translating a right kernel into a program whose results are wrong. Therefore wrong
results are also left open if the simulator's results are right in both orders of work-items and it finds no wrong
access. In the second order, outputs begin with poison, as on the device. Otherwise, unwritten words of the simulator
are 0, which may be the right result.

A submission can forge every sign of a compiler failure. Therefore such a failure never earns points, and the instructor
decides about the checks that the simulator cannot make. Memory checks are decided as usual because the simulator makes
them.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from grader.common.errors import NoSimulatorError
from grader.common.phrases import first_sentence, sizes_in_words
from grader.course.assignment import Assignment
from grader.course.criteria import Case, Sizes
from grader.course.rubric import Correctness, Kind
from grader.course.truth.oracle import load_oracle
from grader.execution.client import Worker
from grader.execution.outcome import Crashed, Failure, TimedOut
from grader.grading.checks.compilation.building import Build, build_settled
from grader.grading.checks.correctness import Tried, trial_of
from grader.grading.checks.requirements import EARNING
from grader.grading.checks.simulation.sanitizer_run import LARGER, findings_of, simulate
from grader.grading.checks.simulation.simulated_run import SimulatedRun, Subject, run_on_poison, run_on_trial, seen_in
from grader.grading.checks.simulation.simulator_runs import Watched
from grader.grading.checks.trials.trial import Trial
from grader.grading.explain.failures import OF_COMPILERS, FailedError, advice, advice_on, has_compiler_failed, observed
from grader.grading.explain.problem import Problem
from grader.results.check import Check
from grader.results.verdicts import Reason, Verdict

SECONDS = 20.0
"""Time limit in seconds for all simulated cases together. The small cases of an assignment of the course
take 1 to 8 s.
"""

ATOMIC = re.compile(r"\batom(?:ic)?_\w+\s*\(")
"""Pattern of a call of an atomic function. With atomics, results may depend on the order of groups, which is always
ascending in the simulator.
"""

WRONG = {Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN}
"""Reasons of failures that a wrong translation may cause."""

Begin = Callable[[Subject, Trial], SimulatedRun]
"""Function that returns a run on the data of a trial."""

WATCHED: Begin = run_on_trial
"""A run that detects all wrong accesses."""

AS_ON_DEVICE: Begin = partial(run_on_poison, order="mixed")
"""A run with another order of work-items, on memory with the same initial contents as on the device."""


@dataclass(frozen=True, kw_only=True)
class LeftOpen:
    """Reasons why checks of a submission stay open.

    `failed` is the reason for checks on which the compiler failed. `rest` is the reason for checks that only a right
    kernel passes, and for other checks that were not made.
    """

    failed: Problem
    rest: Problem

    def of(self, checks: Iterable[Check], assignment: Assignment) -> tuple[Check, ...]:
        """Return the checks after skipping those that wait for the instructor, which neither earn nor lose points."""
        return tuple(self._of(check, assignment) for check in checks)

    def _of(self, check: Check, assignment: Assignment) -> Check:
        if check.kind in {Kind.BUILD, *Correctness.kinds}:
            return self.failed.skip(check) if check.reason in {*OF_COMPILERS, *WRONG, Reason.NOT_RUN} else check
        waits = check.reason is Reason.NOT_RUN or (assignment.depends_on_cases(check.kind) and check.verdict in EARNING)
        return self.rest.skip(check) if waits else check


def left_open(tried: Sequence[Tried], subject: Subject, watched: Watched) -> LeftOpen | None:
    """Return the reasons why cases on which the compiler failed stay open. Returns None if the compiler did not fail on
    any case, or if a case or a simulated run shows another mistake. A hidden sanitizer check is ignored because
    students see which cases are open.
    """
    failed = [each for each in tried if each.check.verdict is Verdict.FAILED and not each.case.practice]
    failures = [each.failure for each in failed if each.failure is not None and each.is_undecided]
    results = [each for each in failed if each.check.reason in WRONG]
    others = len(failed) - len(failures) - len(results) - sum(each.check.reason is Reason.NOT_RUN for each in failed)
    if others or _is_wrong(subject.task.assignment, watched):
        return None
    if results:
        return _differing(results, subject)
    return _checked(failures[0], subject, [each.case for each in failed]) if failures else None


def _is_wrong(assignment: Assignment, watched: Watched) -> bool:
    """True if the run of the sanitizer shows a mistake and the sanitizer check is not hidden."""
    if assignment.sanitizer is None or assignment.sanitizer.hidden:
        return False
    sanitized = [check for check in watched.checks if check.kind is Kind.SANITIZER]
    found = {check.reason for check in sanitized if check.verdict is Verdict.FAILED} - {Reason.NOT_RUN}
    return bool(found) or any(
        seen.problem is not None for seen in (watched.seen, watched.at_failed) if seen is not None
    )


def unbuilt_open(build: Build, simulator: Worker) -> LeftOpen | None:
    """Return the reasons why a submission with a failed build stays open, as left_open does for its cases.

    The submission is built for the simulator and runs there. Returns None if the compiler is not to blame for the
    failure, or if the simulator finds a mistake.
    """
    task = build.task
    if task is None or build.failure is None or not has_compiler_failed(build.failure):
        return None
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
        seen = simulate(subject, asked.sizes)
        if isinstance(seen, Problem) or seen.problem is not None or findings_of(seen):
            return None
    return _checked(build.failure, subject, task.assignment.correctness.shown)


def timed_open(failed: FailedError) -> FailedError:
    """Return the error that ended a timed run.

    If the compiler failed, it is replaced by an error that leaves the speed open, because the cases are already right.
    """
    failure = failed.failure
    if not isinstance(failure, Crashed | TimedOut) or not has_compiler_failed(failure):
        return failed
    words = f"{observed(failure)} {OPEN_UNTIL} {advice(failure)}"
    return FailedError(Problem(reason=Reason.COMPILER_FAILED, message=words))


def _checked(failure: Failure, subject: Subject, cases: Sequence[Case]) -> LeftOpen | None:
    """Reasons why points stay open if all small cases are right in the simulator; None if one is wrong."""
    try:
        subject.worker.ready()
    except NoSimulatorError:
        return _open(failure, UNCHECKED)
    right = _right_cases(subject, _small(subject.task.assignment, cases), [WATCHED])
    return _open(failure, f"{_right_at(right)}. Larger cases were not checked.") if right else None


def _differing(wrong: Sequence[Tried], subject: Subject) -> LeftOpen | None:
    """Reasons why points stay open if results that are wrong on the device are right in the simulator, in both orders
    of work-items.

    Returns None if a case is also wrong in the simulator, if all cases are too large for it, if there is no simulator,
    or if the results may depend on the order of groups.
    """
    if ATOMIC.search(subject.built.program.source):
        return None
    assignment = subject.task.assignment
    cases = [each.case for each in wrong if prod(each.case.sizes.values()) <= LARGER * _usual(assignment)]
    try:
        subject.worker.ready()
    except NoSimulatorError:
        return None
    right = _right_cases(subject, _small(assignment, cases), [WATCHED, AS_ON_DEVICE])
    return _open_results(subject, wrong[0].check, right) if right else None


def _right_cases(subject: Subject, cases: Iterable[Case], runs: Sequence[Begin]) -> list[Sizes]:
    """Sizes of the cases that the simulator ran within the time limit; empty if the result of one of them is wrong."""
    ends = time.monotonic() + SECONDS
    right: list[Sizes] = []
    for case in cases:
        left = ends - time.monotonic()
        if right and left <= 0:
            break
        with subject.worker.timeouts.hurried(max(1.0, left)):
            if not all(_is_right(subject, case, run) for run in runs):
                return []
        right.append(case.sizes)
    return right


def _is_right(subject: Subject, case: Case, run: Begin) -> bool:
    """True if the simulator's results are right and it does not find a mistake that reports may show."""
    seen = seen_in(run(subject, trial_of(case, subject.built, subject.oracle)))
    if isinstance(seen, Problem) or seen.problem is not None:
        return False
    return subject.task.assignment.hides_sanitizer or not findings_of(seen)


def _usual(assignment: Assignment) -> int:
    """Product of the largest sizes that are always simulated for the assignment; 0 if none are."""
    simulated = (section for section in assignment.sections if section.needs_simulator)
    usual = [prod(sizes.values()) for section in simulated for sizes in section.launch_sizes()]
    return max(usual, default=0)


def _small(assignment: Assignment, cases: Sequence[Case]) -> Iterator[Case]:
    """Cases that are no larger than the sizes that are always simulated, and always the smallest case."""
    by_size = sorted(cases, key=lambda case: prod(case.sizes.values()))
    for number, case in enumerate(by_size):
        if number and prod(case.sizes.values()) > _usual(assignment):
            break
        yield case


OPEN_UNTIL = "The points are open until your instructor decides."


def _right_at(right: Sequence[Sizes]) -> str:
    """Clause with the sizes at which the simulator's results are right."""
    where = "at" if len(right) == 1 else f"in {len(right)} small cases, up to"
    return f"With another compiler, the results are right {where} {sizes_in_words(right[-1])}"


UNCHECKED = "The results were not checked with another compiler."


NOT_KNOWN = Problem(
    reason=Reason.COMPILER_FAILED,
    message="open: the compiler failed on this kernel, so its results on this device are not known.",
)
"""Reason why checks that only a right kernel passes stay open."""


def _open(failure: Failure, checked: str) -> LeftOpen:
    assert isinstance(failure, Crashed | TimedOut)
    words = f"{observed(failure)} {OPEN_UNTIL} {checked} {advice(failure)}"
    return LeftOpen(failed=Problem(reason=Reason.COMPILER_FAILED, message=words), rest=NOT_KNOWN)


def _open_results(subject: Subject, check: Check, right: Sequence[Sizes]) -> LeftOpen:
    """Reasons why points stay open if results are wrong on the device, as in this check, but right with another
    compiler.
    """
    words = (
        f"{first_sentence(check.message)} {_right_at(right)}, and no access is wrong. So this compiler may have "
        f"translated the kernel wrongly. {OPEN_UNTIL} {advice_on(subject.built.program.source)}"
    )
    return LeftOpen(failed=Problem(reason=Reason.COMPILER_FAILED, message=words), rest=NOT_KNOWN)
