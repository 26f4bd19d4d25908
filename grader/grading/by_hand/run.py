"""`grader run`: times kernels of a submission at any sizes, without grading it.

run -> values set by hand -> build -> data -> launches, each with its transfers to and from the device -> seconds
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median_low
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from grader.common.errors import InputError, NoSimulatorError
from grader.common.phrases import listed, quoted
from grader.course.assignment import Assignment, ByHand, Chosen
from grader.course.criteria import Sizes
from grader.course.elements import WORD_BYTES
from grader.course.expressions import evaluate
from grader.course.submissions.submission import ChosenTask, Submission
from grader.course.truth.comparison import unchanged
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import load_oracle
from grader.execution.assignment_plans import submission_plan
from grader.execution.client import Worker
from grader.execution.outcome import Timing
from grader.execution.plan import STUDENT, SUBMISSION, Script
from grader.grading.by_hand.overrides import settle, to_run
from grader.grading.by_hand.run_options import Run
from grader.grading.checks.compilation.building import Built, build_settled
from grader.grading.checks.simulation.counts import count_memory, memory_run
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.trials.inspection import inspect
from grader.grading.checks.trials.trial import Launched, Trial, make_trial
from grader.grading.device_lock import exclusive, shared, shared_cpu
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress
from grader.protocol.messages import DeviceFacts, Simulation
from grader.results.verdicts import Reason

RUN_KEY = 3
"""Key of the inputs of runs by hand. Inputs of cases, timed rounds and simulated runs have other keys
(checks/simulation/simulated_run.py).
"""


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """A submission to time, and the seed of its data. `repeat` is the number of launches that count, after a warm-up
    launch. If `check` is true, the results are compared with the oracle's.
    """

    submission: Submission
    seed: int
    repeat: int
    check: bool


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Launches of the student's kernels, with times measured by the device's clock and by the judge's clock. `totals`
    are seconds by the judge's clock, from sending the first byte to receiving the last result.

    If the results were `checked`, `problem` is the first problem in them. Otherwise, it is only known if the kernels
    store nothing.
    """

    assignment: Assignment
    sizes: Sizes
    device: DeviceFacts
    launches: tuple[Timing, ...]
    totals: tuple[float, ...]
    checked: bool
    problem: Problem | None

    @property
    def on_device(self) -> tuple[float, ...]:
        """Seconds of each launch by the device's clock, without transfers."""
        return tuple(launch.seconds for launch in self.launches)

    @property
    def turns(self) -> int:
        """Typical number of iterations of the launches, which is the lower median; 1 if nothing is repeated."""
        return median_low(max(1, sum(launch.turns)) for launch in self.launches)

    @property
    def work(self) -> float | None:
        """The work of a launch, in the unit of the rate, for the repetitions that it took. None if the assignment
        does not check speed, because it then does not state the work, or if the kernels do not do any work.
        """
        asked, repeat = self.assignment.performance, self.assignment.repeat
        if asked is None or (self.problem is not None and self.problem.reason is Reason.NOT_WRITTEN):
            return None
        names = self.assignment.names(self.sizes)
        taken = {} if repeat is None or repeat.times not in self.sizes else {str(repeat.times): self.turns}
        return evaluate(asked.work, {**names, **taken})

    @property
    def unit(self) -> str | None:
        """Unit of the rates; None if `work` is None."""
        return None if self.assignment.performance is None else self.assignment.performance.unit

    def rate(self, seconds: float) -> float | None:
        """Rate in `unit`. None without `work`, or if a clock is too coarse to see any time pass."""
        return self.work / seconds * 1e-9 if self.work is not None and seconds > 0 else None


@dataclass(frozen=True, kw_only=True)
class TimedRow:
    """The outcome of a run: times, or the problem that prevented them.

    `intensity` is the number of operations per word of global memory that work-items request, if it was counted.
    """

    label: str
    outcome: Measured | Problem
    intensity: float | None = None

    @property
    def problem(self) -> Problem | None:
        """The problem of the run; None if no problem is known."""
        return self.outcome if isinstance(self.outcome, Problem) else self.outcome.problem


def time_runs(
    runs: Sequence[Run], request: RunRequest, environment: GradingEnvironment, progress: Progress
) -> Iterator[TimedRow]:
    """Time each run in turn, in one worker, and yield its row. If one of several runs is impossible, its row contains
    the reason, as if the run had failed.

    Raises InputError if the only run is impossible.
    """
    with environment.worker() as worker:
        for run in runs:
            progress(run.label)
            with shared_cpu(environment.locks):
                device = worker.ready()
            try:
                assignment = to_run(run.part, request.submission, run.wanted, device)
            except InputError as error:
                if len(runs) == 1:
                    raise
                assignment = Problem(reason=Reason.LAUNCH_SIZES, message=str(error))
            outcome = assignment if isinstance(assignment, Problem) else _time(assignment, request, worker, environment)
            yield TimedRow(label=run.label, outcome=outcome)


def _time(
    assignment: ByHand, request: RunRequest, worker: Worker, environment: GradingEnvironment
) -> Measured | Problem:
    device = worker.ready()
    try:
        with shared(device, environment.locks):
            ready = _prepare(assignment, request, worker)
    except FailedError as failed:
        return failed.problem
    with exclusive(device, environment.locks):
        measured = _measure(ready, request, worker)
    worker.close()
    return measured


@dataclass(frozen=True, kw_only=True)
class _Ready:
    """An open session and the data for its script. `trial` contains the expected results if they are to be checked."""

    built: Built
    sizes: Sizes
    script: Script
    arrays: Mapping[str, NDArray[Any]]
    trial: Trial | None

    @property
    def results(self) -> tuple[str, ...]:
        """Names of the arrays that a program would fetch from the device."""
        buffers = self.built.task.assignment.buffers
        return tuple(name for name in self.script.outputs if buffers[name].is_judged)


def _prepare(assignment: ByHand, request: RunRequest, worker: Worker) -> _Ready:
    built = unwrap(build_settled(_task(assignment, request), worker))
    oracle, key = load_oracle(assignment), (request.seed, RUN_KEY)
    (sizes,) = assignment.all_sizes()
    trial = None
    with threadpool_limits(1):  # NumPy's threads would keep spinning on the cores on which kernels are timed
        if request.check or assignment.has_surroundings:  # the oracle computes the inputs that grader's own steps make
            trial = make_trial(assignment, oracle, sizes, "random", key)
        arrays = trial.arrays if trial else make_inputs(assignment, oracle, sizes, "random", key)
    plan = submission_plan(assignment, sizes, built.bindings)
    unwrap(worker.load({SUBMISSION: built.program}).open(plan))
    checked = trial if request.check else None
    return _Ready(built=built, sizes=sizes, script=plan.scripts[STUDENT], arrays=arrays, trial=checked)


def _measure(ready: _Ready, request: RunRequest, worker: Worker) -> Measured | Problem:
    launches: list[Timing] = []
    totals: list[float] = []
    problem: Problem | None = None
    try:
        for _ in range(1 + request.repeat):
            start = time.perf_counter()
            unwrap(worker.session.stage(STUDENT, ready.arrays))
            launches.append(unwrap(worker.session.launch(STUDENT)))
            results = unwrap(worker.session.fetch(ready.results))
            totals.append(time.perf_counter() - start)
            problem = problem or _unstored(ready, results) or _inspect(ready, worker)
    except FailedError as failed:
        return failed.problem
    return Measured(
        assignment=ready.built.task.assignment,
        sizes=ready.sizes,
        device=worker.ready(),
        launches=tuple(launches[1:]),
        totals=tuple(totals[1:]),
        checked=request.check,
        problem=problem,
    )


def _unstored(ready: _Ready, results: Launched) -> Problem | None:
    """The problem of kernels that store nothing; None if any result differs from the data before the launch."""
    for name, fetched in results.items():
        before = ready.arrays[name] if name in ready.script.uploads else None
        if before is None and (fetched.poison is None or np.any(fetched.payload != fetched.poison)):
            return None
        if before is not None and not unchanged(fetched.payload, before):
            return None
    names = listed(map(quoted, results), "and")
    message = f"nothing was stored in {names}, so no rate can be computed."
    return Problem(reason=Reason.NOT_WRITTEN, message=message) if results else None


def _inspect(ready: _Ready, worker: Worker) -> Problem | None:
    """The problem of a wrong result, or of a changed array that must not change; None if all arrays are right or are
    not checked.
    """
    if ready.trial is None:
        return None
    try:
        fetched = unwrap(worker.session.fetch(ready.script.buffers))
    except FailedError as failed:
        return failed.problem
    return inspect(ready.trial, ready.script, fetched)


# --- requests to memory --------------------------------------------------------------------------


def count_intensities(
    runs: Sequence[Run], request: RunRequest, environment: GradingEnvironment, progress: Progress
) -> dict[str, float | None]:
    """Number of operations per word of global memory that work-items request, by the labels of the runs. They are
    counted in the simulator, at the sizes of the assignment's memory checks. The value is None or missing if a run
    cannot be counted.
    """
    with shared_cpu(environment.locks), environment.simulator() as simulator:
        try:
            simulator.ready()
        except NoSimulatorError:
            return {}
        found: dict[str, float | None] = {}
        for run in runs:
            progress(f"{run.label}, in a simulator")
            with suppress(InputError):  # a constant set by hand may be impossible at those sizes
                found[run.label] = _intensity(run, request, simulator, environment.watching.simulation)
    return found


def _intensity(run: Run, request: RunRequest, simulator: Worker, simulation: Simulation) -> float | None:
    asked = run.part.memory
    if asked is None:
        return None
    try:
        built = unwrap(
            build_settled(_task(unwrap(settle(run.part, request.submission, run.wanted)), request), simulator)
        )
        subject = Subject(task=built.task, oracle=load_oracle(run.part), worker=simulator, built=built)
        return WORD_BYTES * unwrap(count_memory(memory_run(subject, asked), simulation)).profile.intensity
    except FailedError:
        return None


def _task(assignment: Chosen, request: RunRequest) -> ChosenTask:
    return ChosenTask(assignment=assignment, submission=request.submission, seed=request.seed)
