"""`grader validate`: checks if an assignment is ready for students.

The steps are: read the assignment -> grade the course's own files (selftest.py) -> grade kernels that avoid the
exercise (rewards.py) -> grade the golden corpus -> propose limits (thresholds.py)
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from grader.authoring.extent import FULL, Extent, leave_out_speed, patiently
from grader.authoring.golden import Golden
from grader.authoring.golden_comparison import differences
from grader.authoring.handout import HANDOUT, facts
from grader.authoring.selftest import Claim, OwnResults, grade_own, in_full, state
from grader.authoring.thresholds import Limit, Proposal, Speeds, propose_goal
from grader.common.errors import InputError, NoSimulatorError, SolutionError
from grader.common.phrases import count, listed
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Case
from grader.course.expressions import evaluate
from grader.course.folders import BASELINE_FILE, ORACLE_FILE
from grader.course.launches import Choices
from grader.course.speed_goals import speed_goal
from grader.course.submissions.submission import FILE_NAME, Task, fresh_seed, read_submission
from grader.course.suite import Coursework
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Oracle, load_oracle
from grader.grading.by_hand.profiling import profile_submission
from grader.grading.checks.compilation.device_needs import extensions, missing_images, missing_types, unfit
from grader.grading.checks.memory_behaviour.measures import MEASURES
from grader.grading.checks.simulation.unsimulated import missing_in_simulator
from grader.grading.explain.problem import Problem
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases.speed import Preparation
from grader.grading.progress import Progress, prefixed
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Performance, Profile
from grader.results.result import Result


@dataclass(frozen=True, kw_only=True)
class Examined:
    """Observations about an assignment, or about one part of a suite.

    `own` is None if the course's own files could not be graded. `baseline` is None if the baseline's accesses could not
    be counted. `extent` is the requested extent, or NOISY if the machine was too noisy.
    """

    assignment: Assignment
    statements: tuple[Claim, ...]
    own: OwnResults | None
    baseline: Profile | None
    extent: Extent = FULL

    @property
    def model_passes(self) -> bool:
        """True if the model solution was graded and passes every check."""
        return self.own is not None and not self.own.failed

    @property
    def model_runs(self) -> bool:
        """True if the model solution builds and runs to its end."""
        return self.own is not None and self.own.model_runs

    @property
    def device(self) -> DeviceFacts:
        """The device on which the course's own files were graded."""
        assert self.own is not None
        return self.own.model.provenance.device


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A graded golden submission, with the differences between its result and the expected one. `extent` is the
    requested extent, or NOISY if the machine was too noisy.
    """

    golden: Golden
    result: Result
    differences: tuple[str, ...]
    extent: Extent = FULL


def is_read(coursework: Coursework) -> Claim:
    """Return the claim that assignment.yaml could be read."""
    kernels = count(len(coursework.parts), "kernel")
    return Claim(claim="assignment.yaml can be used", holds=True, seen=f"{kernels}, {coursework.points:g} points")


def is_complete(coursework: Coursework) -> Claim:
    """Return the claim that students get all files. The files for grader were checked when the assignment was read."""
    missing = [name for name in (FILE_NAME, HANDOUT) if not (coursework.folder / name).is_file()]
    return Claim(
        claim="there are a skeleton and a handout",
        holds=not missing,
        seen=f"add {' and '.join(missing)} to {coursework.folder}" if missing else str(coursework.folder),
    )


def is_current(coursework: Coursework) -> Iterator[Claim]:
    """Yield a claim for each outdated fact in the handout and the skeleton, or a single claim if all facts are
    current.
    """
    found = facts(coursework)
    stale = [fact for fact in found if not fact.agrees]
    if not stale:
        claim = "the handout and the skeleton agree with assignment.yaml"
        yield Claim(claim=claim, holds=True, seen=f"{count(len(found), 'fact')} compared")
    for fact in stale:
        claim = f"{fact.file}, line {fact.line}, agrees with assignment.yaml"
        yield Claim(claim=claim, holds=False, seen=f"it {fact.says}; assignment.yaml {fact.asked}")


def examine(
    assignment: Assignment, environment: GradingEnvironment, progress: Progress, extent: Extent = FULL
) -> Examined:
    """Grade the course's own files and count the baseline's accesses. A file that cannot run makes a claim fail."""
    statements: list[Claim] = []
    own, baseline = None, None

    def graded(prepare: Preparation) -> OwnResults:
        return grade_own(assignment, environment, progress, prepare)

    progress("checking the device")
    statements.extend(_device_claims(assignment, environment))
    if not all(each.holds for each in statements):
        return Examined(assignment=assignment, statements=tuple(statements), own=None, baseline=None, extent=extent)
    try:
        statements.extend(have_new_data(assignment))
        own, extent = patiently(graded, extent)
        statements.extend(state(assignment, own, environment, progress))
        if own.model.profiles:
            baseline = _count_baseline(assignment, environment, progress)
    except (InputError, SolutionError) as error:
        statements.append(
            Claim(claim="the oracle, the model solution and the baseline can be run", holds=False, seen=str(error))
        )
    return Examined(assignment=assignment, statements=tuple(statements), own=own, baseline=baseline, extent=extent)


def have_new_data(assignment: Assignment) -> Iterator[Claim]:
    """Yield a claim that each grading makes new data for cases in which a kernel runs alone, if there are such cases.
    The worker of such a case gets correct intermediate arrays, so a submission could contain copies of them if they
    never changed.
    """
    alone = [case for case in assignment.correctness.cases if case.alone]
    if not alone:
        return
    oracle = load_oracle(assignment)
    fixed = [case.name for case in alone if _is_fixed(assignment, oracle, case)]
    fix = f"use the generator in `inputs` of {ORACLE_FILE}: the data never change in {{}}"
    yield Claim(
        claim="kernels that run alone get new data in each grading",
        holds=not fixed,
        seen=fix.format(listed(fixed, "and")) if fixed else f"in {count(len(alone), 'case')}",
    )


def _is_fixed(assignment: Assignment, oracle: Oracle, case: Case) -> bool:
    """True if two gradings make the same data for a case."""
    one, other = (make_inputs(assignment, oracle, case.sizes, case.data, (fresh_seed(),)) for _ in range(2))
    return all(np.array_equal(one[name], other[name]) for name in one)


def _device_claims(assignment: Assignment, environment: GradingEnvironment) -> Iterator[Claim]:
    """Yield a claim for each reason why this device or the simulator cannot grade the assignment, and a claim if both
    have its types.
    """
    with environment.worker() as worker:
        device = worker.ready()
        missing = [*unfit(assignment, device), missing_types(assignment, worker), missing_images(assignment, worker)]
    if extensions(assignment) and assignment.is_watched:
        with suppress(NoSimulatorError), environment.simulator() as simulator:
            missing.append(missing_types(assignment, simulator) or missing_in_simulator(assignment, simulator))
    claim = "this device and the simulator have what the assignment needs"
    seen = [each for each in dict.fromkeys(missing) if each is not None]
    yield from (Claim(claim=claim, holds=False, seen=each.removesuffix(".")) for each in seen)
    if not seen and extensions(assignment):
        yield Claim(claim=claim, holds=True, seen=listed(list(extensions(assignment)), "and"))


def _count_baseline(assignment: Assignment, environment: GradingEnvironment, progress: Progress) -> Profile | None:
    """Return the baseline's accesses, counted as if the assignment had asked for its kernel. None if the baseline
    failed.
    """
    submission = read_submission(assignment.reference / BASELINE_FILE)
    asked = replace(
        assignment,
        kernel=assignment.baseline[-1].kernel,
        launches=assignment.baseline,
        program=assignment.baseline_program,
        choices=Choices(),
    )
    task = Task(assignment=asked, submission=submission, seed=fresh_seed())
    counted = profile_submission(task, environment, prefixed("the baseline", progress))
    return None if isinstance(counted, Problem) else counted.profile


def judge(
    golden: Golden,
    assignment: Assignment,
    environment: GradingEnvironment,
    progress: Progress,
    extent: Extent = FULL,
) -> Judged:
    """Grade a golden submission and compare the result with the expected one. It is timed only if the expectation
    covers its speed.
    """
    task = Task(assignment=assignment, submission=read_submission(golden.folder), seed=fresh_seed())

    def graded(prepare: Preparation) -> Result:
        return in_full(grade_submission(task, environment, prefixed(golden.name, progress), prepare))

    if golden.expectation.is_timed:
        result, extent = patiently(graded, extent)
    else:
        result = graded(leave_out_speed)
    return Judged(golden=golden, result=result, differences=differences(golden, assignment, result), extent=extent)


# --- proposed limits --------------------------------------------------------------------------


def speeds(seen: Examined, judged: tuple[Judged, ...]) -> Speeds | None:
    """Return the speeds of the baseline and of right submissions on this device, or None if the model solution was not
    timed.
    """
    performance = _performance(seen.own.model) if seen.own else None
    if performance is None:
        return None
    right = {name: _performance(result) for name, result in _right(seen.assignment, judged).items()}
    return Speeds(
        model=_of_model(performance),
        baseline=1 / performance.speed_up_over_baseline.median,
        right={name: _of_model(timed) for name, timed in right.items() if timed is not None},
    )


def _performance(result: Result) -> Performance | None:
    return None if result.performance_check is None else result.performance_check.performance


def _of_model(timed: Performance) -> float:
    assert timed.fraction_of_reference is not None, "there is a model solution here"
    return timed.fraction_of_reference.median


def _right(assignment: Assignment, judged: tuple[Judged, ...]) -> dict[str, Result]:
    """Return the results of the right submissions, by name."""
    expected = ((each, each.golden.expectation) for each in judged)
    return {each.golden.name: each.result for each, of in expected if of.is_right and of.part == assignment.part}


def proposal(seen: Examined, measured: Speeds) -> Proposal:
    """Propose a speed goal that fits the measurements."""
    return propose_goal(speed_goal(seen.assignment, seen.device).points, measured)


def limits(seen: Examined, judged: tuple[Judged, ...]) -> Iterator[Limit]:
    """Yield the limits of memory checks, if the accesses of the model solution were counted."""
    memory = seen.assignment.memory
    profile = _profile(seen.own.model) if seen.own else None
    if memory is None or profile is None:
        return
    right = {name: _profile(result) for name, result in _right(seen.assignment, judged).items()}
    for check in memory.checks:
        measure = MEASURES[check.measure]
        yield Limit(
            check=check,
            asked=evaluate(check.at_most, seen.assignment.names(memory.sizes)),
            model=measure(profile).value,
            baseline=None if seen.baseline is None else measure(seen.baseline).value,
            right={name: measure(counted).value for name, counted in right.items() if counted is not None},
        )


def _profile(result: Result) -> Profile | None:
    """Return the counts of one kernel, or None if nothing was counted."""
    return next(iter(result.profiles.values()), None)
