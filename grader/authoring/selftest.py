"""`grader selftest`: checks that assignments require on this device what their authors intended.

The model solution must pass everything, with a margin in speed. The skeleton must build and fail every case. The
baseline must compute the right results, and must miss full points for speed unless the assignment allows it to reach
them. Both must agree at the timed sizes, because on a GPU, submissions are compared with the model solution there.
Claims about speed are left out if the assignment does not check speed. If a case of the model solution fails, the timed
sizes are left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.authoring.thresholds import CLEARLY, MARGIN
from grader.common.errors import NoiseError, SolutionError
from grader.common.phrases import sizes_in_words
from grader.course.assignment import Assignment
from grader.course.criteria import Case, SpeedGoal
from grader.course.folders import BASELINE_FILE, MODEL_FILE
from grader.course.rubric import Kind
from grader.course.speed_goals import speed_goal
from grader.course.submissions.submission import FILE_NAME, Task, fresh_seed, read_submission
from grader.course.truth.oracle import load_oracle
from grader.execution.assignment_plans import baseline_plan, control_plan
from grader.execution.outcome import Fetched
from grader.execution.plan import BASELINE, NAIVE, STUDENT, WHOLE
from grader.execution.series import Series
from grader.grading.checks.compilation.program import own_program
from grader.grading.checks.trials.inspection import inspect
from grader.grading.checks.trials.trial import Trial, as_array, make_trial
from grader.grading.device_lock import shared
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases.speed import Preparation
from grader.grading.progress import Progress, prefixed
from grader.grading.timing.digest_verifier import ByReference
from grader.grading.timing.oracle_verifier import ByOracle, OracleInputs
from grader.grading.timing.rounds import Participant
from grader.grading.timing.timing_setup import own_programs, request_session, timing_task
from grader.grading.timing.verifiers import RoundInputs, TimingTask
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check
from grader.results.metrics import Performance
from grader.results.result import Result
from grader.results.verdicts import UNTIMED, Reason, Verdict

UNEQUAL = (
    " Only cases with `data: integers` are wrong. With the rule `rounding`, their results must be equal. "
    "If the kernel divides, remove these cases."
)
"""Advice about a model solution that is right except for rounding."""

EITHER = " The model solution or oracle.py is wrong: compare both with your definition of the results."
"""Advice about a model solution whose results differ from those of oracle.py."""


STOPPED = frozenset({Reason.TIME_LIMIT, Reason.CRASH, Reason.MEMORY_LIMIT, Reason.OUTPUT_LIMIT, Reason.LAUNCH_ERROR})
"""Reasons for which a model solution builds but does not run to its end."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement that must be true of an assignment. `holds` is True if it is, and `seen` is the observed result."""

    claim: str
    holds: bool
    seen: str


@dataclass(frozen=True, kw_only=True)
class OwnResults:
    """Results of the course's own files, which are graded like submissions."""

    model: Result
    skeleton: Result

    @property
    def failed(self) -> tuple[Check, ...]:
        """Checks that the model solution does not pass, without those that only a full validation decides."""
        checks = (check for check in self.model.checks if check.verdict is not Verdict.PASSED)
        return tuple(check for check in checks if check.reason is not Reason.DECIDED_ELSEWHERE)

    @property
    def model_runs(self) -> bool:
        """True if the model solution builds and runs to its end, so that submissions can be compared with it."""
        return all(check.kind is not Kind.BUILD and check.reason not in STOPPED for check in self.failed)


def grade_own(
    assignment: Assignment,
    environment: GradingEnvironment,
    progress: Progress,
    prepare: Preparation,
) -> OwnResults:
    """Grade the model solution and the skeleton."""
    seed = fresh_seed()

    def graded(name: str, path: Path) -> Result:
        task = Task(assignment=assignment, submission=read_submission(path), seed=seed)
        return in_full(grade_submission(task, environment, prefixed(name, progress), prepare))

    return OwnResults(
        model=graded("the model solution", assignment.reference / MODEL_FILE),
        skeleton=graded("the skeleton", assignment.folder / FILE_NAME),
    )


def in_full(result: Result) -> Result:
    """Return the result. Raises NoiseError if speed was not measured, since claims about an assignment need it."""
    speed = result.performance_check
    if speed is not None and speed.reason in UNTIMED:
        raise NoiseError(speed.message)
    return result


def open_points(result: Result) -> float:
    """Return the number of points that only a full validation decides."""
    return sum(check.max_points for check in result.checks if check.reason is Reason.DECIDED_ELSEWHERE)


def open_points_in_words(result: Result) -> str:
    """Return a phrase to follow the points, such as ", 20 not decided", or "" if all points are decided."""
    points = open_points(result)
    return f", {points:g} not decided" if points else ""


def state(
    assignment: Assignment, own: OwnResults, environment: GradingEnvironment, progress: Progress
) -> Iterator[Claim]:
    """Yield all claims, beginning with the claims about the gradings."""
    device, seed = own.model.provenance.device, fresh_seed()
    yield _model_passes(assignment, own)
    speed = own.model.performance_check
    if speed is not None and speed.performance is not None:
        yield from _speed(speed_goal(assignment, device), speed.performance)
    yield _skeleton_fails(own.skeleton)
    progress("the baseline: running the cases")
    yield _baseline_is_right(assignment, environment, seed)
    wrong = any(check.kind is Kind.CORRECTNESS for check in own.failed)
    if assignment.performance is not None and not wrong:  # the timed sizes would only show the error again
        progress("comparing the model solution and the baseline at the timed sizes")
        yield _both_agree(assignment, environment, device, seed)


def _model_passes(assignment: Assignment, own: OwnResults) -> Claim:
    result, failed = own.model, own.failed
    points = f"{result.points:g} of {result.max_points:g} points{open_points_in_words(result)}"
    return Claim(
        claim="the model solution passes every check",
        holds=not failed,
        seen=f"{failed[0].name}: {failed[0].message}{_advice(assignment, own)}" if failed else points,
    )


def _advice(assignment: Assignment, own: OwnResults) -> str:
    """Return advice on a model solution that does not run or has wrong results, or "" if there is no advice."""
    failed = own.failed
    wrong = {check.label for check in failed if check.kind is Kind.CORRECTNESS and check.reason is Reason.WRONG_OUTPUT}
    whole = {case.name for case in assignment.correctness.cases if case.data == "integers"}
    if not own.model_runs:
        return f" Correct {assignment.reference / MODEL_FILE}, and validate again."
    if not wrong:
        return ""
    return UNEQUAL if wrong <= whole else EITHER


def _speed(goal: SpeedGoal, performance: Performance) -> Iterator[Claim]:
    full = goal.bands[0].fraction
    assert performance.fraction_of_reference is not None, "there is a model solution here"
    margin = performance.fraction_of_reference.median / full
    yield Claim(
        claim=f"the model solution is at least {MARGIN:g} times as fast as full points require",
        holds=margin >= MARGIN,
        seen=f"{margin:.2f} times",
    )
    if goal.baseline == "fails":
        naive = 1 / performance.speed_up_over_baseline.median
        yield Claim(
            claim="the baseline clearly misses full points",
            holds=naive <= CLEARLY * full,
            seen=f"it reaches {naive:.2f} of the model solution; full points need {full:.2f}",
        )


def _skeleton_fails(result: Result) -> Claim:
    cases = [check for check in result.checks if check.kind is Kind.CORRECTNESS]
    right = sum(check.verdict is Verdict.PASSED for check in cases)
    builds = result.checks[0].verdict is Verdict.PASSED
    return Claim(
        claim="the skeleton builds and fails every case",
        holds=builds and not right,
        seen=f"{right} of {len(cases)} cases pass" if builds else result.checks[0].message,
    )


def _baseline_is_right(assignment: Assignment, environment: GradingEnvironment, seed: int) -> Claim:
    wrong = _wrong_baseline_case(assignment, environment, seed)
    seen = wrong or f"in {len(_whole_cases(assignment))} cases"
    return Claim(claim="the baseline computes the right results", holds=wrong is None, seen=seen)


def _whole_cases(assignment: Assignment) -> tuple[Case, ...]:
    """Return the cases in which the whole program runs, because the baseline has other kernels."""
    return tuple(case for case in assignment.correctness.cases if not case.alone)


def _wrong_baseline_case(assignment: Assignment, environment: GradingEnvironment, seed: int) -> str | None:
    """Return a description of the first case that the baseline fails, or None if it passes all."""
    oracle = load_oracle(assignment)
    program = own_program(assignment, assignment.source(BASELINE_FILE))
    cases = _whole_cases(assignment)
    with environment.worker().load({BASELINE: program}) as worker:
        series = Series(worker, {case.name: baseline_plan(assignment, case.sizes) for case in cases})
        for number, case in enumerate(cases):
            trial = make_trial(assignment, oracle, case.sizes, case.data, (seed, 0, number))
            problem = _wrong_case(series, case.name, trial)
            if problem is not None:
                return f"{case.name}: {problem.message}"
    return None


def _wrong_case(series: Series, name: str, trial: Trial) -> Problem | None:
    try:
        fetched = unwrap(series.run(name, trial.arrays))
    except FailedError as failed:
        return failed.problem
    return inspect(trial, series.script(name), fetched)


def _both_agree(assignment: Assignment, environment: GradingEnvironment, device: DeviceFacts, seed: int) -> Claim:
    """Compare the model solution and the baseline at the timed sizes, with the verifier that judges timed rounds."""
    task = timing_task(assignment, device, seed)
    verifier = ByReference(task) if assignment.speed_goals.verifier is None else ByOracle(task)
    with shared(device, environment.locks), environment.worker() as worker:
        control = Participant(worker=worker, plan=verifier.prepare(control_plan(task.assignment, device)))
        request_session(control, own_programs(task.assignment), verifier)
        try:
            unwrap(worker.open(control.plan))
        except FailedError as failed:
            raise SolutionError(f"the kernels of the assignment cannot be timed: {failed.problem.message}") from failed
        turns = range(len(task.assignment.speed_goals.integers))
        wrong = next(filter(None, (_disagreement(task, control, verifier.inputs(turn)) for turn in turns)), None)
    return Claim(
        claim="the model solution and the baseline agree at the timed sizes",
        holds=wrong is None,
        seen=wrong or sizes_in_words(task.sizes),
    )


def _disagreement(task: TimingTask, control: Participant, inputs: RoundInputs) -> str | None:
    """Return the error in the results of the model solution or the baseline on the data of one round, or None if both
    are right.
    """
    script = WHOLE if task.assignment.has_surroundings else STUDENT
    made = {name: _computed(control, inputs, name) for name in (script, NAIVE)}
    return (
        _wrong(inputs.trial, control, made) if isinstance(inputs, OracleInputs) else _difference(task, *made.values())
    )


def _computed(control: Participant, inputs: RoundInputs, script: str) -> dict[str, Fetched]:
    """Return the results of one of the control's scripts, restricted to the arrays that the baseline computes
    as well.
    """
    try:
        inputs.prepare(control, script)
        inputs.supply(control, script)
        unwrap(control.worker.session.launch(inputs.script(script)))
        fetched = unwrap(control.worker.session.fetch(control.plan.scripts[inputs.script(NAIVE)].outputs))
    except FailedError as failed:
        raise SolutionError(f"the {script} failed at the timed sizes: {failed.problem.message}") from failed
    return dict(zip(control.plan.scripts[NAIVE].outputs, fetched.values(), strict=True))


def _wrong(trial: Trial, control: Participant, made: Mapping[str, dict[str, Fetched]]) -> str | None:
    """Return the first error that the oracle finds in either result, or None."""
    for name, fetched in made.items():
        problem = inspect(trial, control.plan.scripts[name], fetched)
        if problem is not None:
            return f"the {name}: {problem.message}"
    return None


def _difference(task: TimingTask, model: dict[str, Fetched], naive: dict[str, Fetched]) -> str | None:
    """Return a description of the arrays in which the two results differ, or None."""
    assignment, sizes = task.assignment, task.sizes
    differ = [
        name
        for name in naive
        if assignment.buffers[name].is_judged
        and not np.array_equal(
            as_array(assignment, name, model[name], sizes), as_array(assignment, name, naive[name], sizes)
        )
    ]
    return f"they differ in {', '.join(differ)}" if differ else None
