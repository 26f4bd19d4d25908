"""Who is timed: the submission, and workers of our own beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from grader.course.assignment import Assignment, Chosen, Timed
from grader.course.folders import BASELINE_FILE
from grader.course.rubric import SpeedGoal
from grader.course.submissions.task import Task
from grader.course.truth.oracle import Oracle, load_oracle
from grader.execution.client import Worker
from grader.execution.device import device_class, model_speed, speed_goal
from grader.execution.plan import BASELINE, PEAK, SUBMISSION, control_plan, reference_plan, timed_plan
from grader.grading.checks.building import Built, expand
from grader.grading.checks.program import PEAK_PROGRAM, own_program
from grader.grading.explain.failures import returns_problem
from grader.grading.timing.contestant import Contestant, Contestants, Role
from grader.grading.timing.referee import Match, Referee, referee_for
from grader.protocol.messages import DeviceFacts
from grader.protocol.steps import ProgramSource


@dataclass(frozen=True, kw_only=True)
class Lineup:
    """Everything that a round needs."""

    referee: Referee
    contestants: Contestants

    @property
    def assignment(self) -> Timed:
        """What is timed on this device."""
        return self.referee.match.assignment

    @property
    def oracle(self) -> Oracle:
        """The assignment's."""
        return self.referee.match.oracle

    @property
    def device(self) -> DeviceFacts:
        """All contestants' own."""
        return self.referee.match.device

    @property
    def goal(self) -> SpeedGoal:
        """What the assignment asks of this device."""
        return speed_goal(self.assignment, self.device)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The ratios to the speed of what is timed beside it at which points change; none if they are decided
        elsewhere.
        """
        known = model_speed(self.assignment, self.device)
        return () if known is None else tuple(known * band.fraction for band in self.goal.bands)


@dataclass(frozen=True, kw_only=True)
class Home:
    """The side of a lineup that is there before a submission is: workers that run our own kernels."""

    referee: Referee
    contestants: Contestants

    def meets(self, student: Worker, built: Built) -> Lineup:
        """The lineup, with the submission's worker."""
        match = self.referee.match
        entry = timed_plan(_timed(built, match.device), match.sizes, built.bindings)
        visitor = Contestant(worker=student, plan=self.referee.prepare(entry))
        return Lineup(referee=self.referee, contestants={Role.SUBMISSION: visitor, **self.contestants})


def line_up(task: Task, device: DeviceFacts, hire: Callable[[Role], Worker]) -> Home:
    """Workers that are hired for our own kernels: they start to build without being waited for."""
    match = match_of(task.assignment, device, task.seed)
    referee = referee_for(match)
    contestants = {}
    plans = {
        Role.REFERENCE: reference_plan(match.assignment, match.sizes),
        Role.CONTROL: control_plan(match.assignment, device),
    }
    for role, plan in plans.items():
        contestants[role] = Contestant(worker=hire(role), plan=referee.prepare(plan))
        begin(contestants[role], own_programs(match.assignment), referee)
    return Home(referee=referee, contestants=contestants)


def match_of(assignment: Assignment, device: DeviceFacts, seed: int) -> Match:
    """What a referee must know of a lineup on this device."""
    return Match(
        sizes=speed_goal(assignment, device).sizes,
        assignment=assignment.timed_on(device_class(device)),
        oracle=load_oracle(assignment),
        device=device,
        seed=seed,
    )


def own_programs(assignment: Timed) -> dict[str, ProgramSource]:
    """The model solutions (none in a student kit), the baseline, and the kernel that only computes."""
    models = {name: own_program(assignment, source) for name, source in assignment.model_solutions().items()}
    return {**models, BASELINE: own_program(assignment, assignment.source(BASELINE_FILE)), PEAK: PEAK_PROGRAM}


def begin(contestant: Contestant, programs: Mapping[str, ProgramSource], referee: Referee) -> None:
    """Ask for a session of what the plan runs of these programs, and of what the referee needs."""
    used = {step.program for script in contestant.plan.scripts.values() for step in script.kernels}
    ours = {name: program for name, program in programs.items() if name in used}
    contestant.worker.load({**ours, **referee.programs(contestant.plan)}).begin_open(contestant.plan)


@returns_problem
def enter(lineup: Lineup, built: Built) -> None:
    """Ask for the submission's session, in which it is built with the constants that are timed on this device; it opens
    while the simulator works.
    """
    student = lineup.contestants[Role.SUBMISSION]
    program = built.program
    timed = _timed(built, lineup.device)
    if timed.constants != built.task.assignment.constants:
        task = replace(built.task, assignment=timed)
        program = ProgramSource(source=expand(task, student.worker, student.plan.process).text)
    begin(student, {SUBMISSION: program}, lineup.referee)


def _timed(built: Built, device: DeviceFacts) -> Chosen:
    """What the submission has chosen stays as it is."""
    return Chosen(built.task.assignment.timed_as_chosen(device_class(device)))
