"""Sets up the participants of timed rounds: the submission, and workers that run grader's own kernels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from grader.course.assignment import Assignment, Chosen, Timed
from grader.course.criteria import DeviceClass, SpeedGoal
from grader.course.folders import BASELINE_FILE
from grader.course.speed_goals import device_class, model_speed, speed_goal
from grader.course.submissions.submission import Task
from grader.course.truth.oracle import Oracle, load_oracle
from grader.execution.assignment_plans import control_plan, reference_plan, timed_plan
from grader.execution.client import Worker
from grader.execution.plan import BASELINE, PEAK, SUBMISSION
from grader.grading.checks.compilation.building import Built, expand
from grader.grading.checks.compilation.program import PEAK_PROGRAM, own_program
from grader.grading.explain.failures import FailedError
from grader.grading.explain.problem import Problem
from grader.grading.timing.digest_verifier import ByReference
from grader.grading.timing.oracle_verifier import ByOracle
from grader.grading.timing.rounds import Participant, Participants, Role
from grader.grading.timing.verifiers import ResultVerifier, TimingTask
from grader.protocol.messages import DeviceFacts
from grader.protocol.steps import ProgramSource


@dataclass(frozen=True, kw_only=True)
class TimingSetup:
    """The participants of timed rounds, and the verifier of their results."""

    verifier: ResultVerifier
    participants: Participants

    @property
    def assignment(self) -> Timed:
        """The assignment with the sizes and constants that are timed on this device."""
        return self.verifier.task.assignment

    @property
    def oracle(self) -> Oracle:
        """The oracle of the assignment."""
        return self.verifier.task.oracle

    @property
    def device(self) -> DeviceFacts:
        """The device of all participants."""
        return self.verifier.task.device

    @property
    def goal(self) -> SpeedGoal:
        """The speed goal of the assignment for this device."""
        return speed_goal(self.assignment, self.device)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Ratios to the speed of the reference at which points change; empty if speed is judged on another device."""
        known = model_speed(self.assignment, self.device)
        return () if known is None else tuple(known * band.fraction for band in self.goal.bands)


@dataclass(frozen=True, kw_only=True)
class OwnParticipants:
    """The participants that run grader's own kernels. They are ready before the submission."""

    verifier: ResultVerifier
    participants: Participants

    def with_submission(self, student: Worker, built: Built) -> TimingSetup:
        """Add the submission's worker."""
        task = self.verifier.task
        plan = timed_plan(_timed(built, task.device), task.sizes, built.bindings)
        submission = Participant(worker=student, plan=self.verifier.prepare(plan))
        return TimingSetup(verifier=self.verifier, participants={Role.SUBMISSION: submission, **self.participants})


def request_own(task: Task, device: DeviceFacts, borrow: Callable[[Role], Worker]) -> OwnParticipants:
    """Borrow workers for grader's own kernels, and request their builds without waiting for them."""
    timed = timing_task(task.assignment, device, task.seed)
    verifier = verifier_for(timed)
    participants = {}
    plans = {
        Role.REFERENCE: reference_plan(timed.assignment, timed.sizes),
        Role.CONTROL: control_plan(timed.assignment, device),
    }
    for role, plan in plans.items():
        participants[role] = Participant(worker=borrow(role), plan=verifier.prepare(plan))
        request_session(participants[role], own_programs(timed.assignment), verifier)
    return OwnParticipants(verifier=verifier, participants=participants)


def timing_task(assignment: Assignment, device: DeviceFacts, seed: int) -> TimingTask:
    """Return the task that is timed on this device, with its sizes and its secret seed."""
    return TimingTask(
        sizes=speed_goal(assignment, device).sizes,
        assignment=assignment.timed_on(device_class(device)),
        oracle=load_oracle(assignment),
        device=device,
        seed=seed,
    )


def own_programs(assignment: Timed) -> dict[str, ProgramSource]:
    """The programs of the model solutions (none in a student kit), of the baseline, and of the kernel that only
    computes.
    """
    models = {name: own_program(assignment, source) for name, source in assignment.model_solutions().items()}
    return {**models, BASELINE: own_program(assignment, assignment.source(BASELINE_FILE)), PEAK: PEAK_PROGRAM}


def request_session(participant: Participant, programs: Mapping[str, ProgramSource], verifier: ResultVerifier) -> None:
    """Request a session with the programs of the participant's plan and of the verifier, without waiting for it."""
    used = {step.program for script in participant.plan.scripts.values() for step in script.kernels}
    ours = {name: program for name, program in programs.items() if name in used}
    participant.worker.load({**ours, **verifier.programs(participant.plan)}).request(participant.plan)


def request_submission(setup: TimingSetup, built: Built) -> Problem | None:
    """Request the submission's session, built with the constants that are timed on this device. The session opens while
    the simulator runs. Returns the problem if its text cannot be expanded with these constants.
    """
    student = setup.participants[Role.SUBMISSION]
    program = built.program
    timed = _timed(built, setup.device)
    if timed.constants != built.task.assignment.constants:
        task = replace(built.task, assignment=timed)
        try:
            program = expand(task, student.worker, student.plan.process).program
        except FailedError as failed:
            return failed.problem
    request_session(student, {SUBMISSION: program}, setup.verifier)
    return None


def _timed(built: Built, device: DeviceFacts) -> Chosen:
    """The assignment as timed on this device, with the launch sizes that the submission has chosen."""
    return Chosen(built.task.assignment.timed_as_chosen(device_class(device)))


VERIFIERS: dict[DeviceClass, Callable[[TimingTask], ResultVerifier]] = {"cpu": ByOracle, "gpu": ByReference}


def verifier_for(task: TimingTask) -> ResultVerifier:
    """Return the verifier that the assignment asks for, or else the usual verifier of the device."""
    kind = "cpu" if task.assignment.speed_goals.verifier == "oracle" else device_class(task.device)
    return VERIFIERS[kind](task)
