"""Context of one grading: its task, its environment and its workers."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.common.phrases import first_sentence
from grader.course.submissions.task import Task
from grader.execution.client import Worker
from grader.execution.device import share_a_process
from grader.execution.probe import RECOVERY, probe
from grader.grading.device_lock import SharedCpu
from grader.grading.explain.problem import blamed
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Decided, Progress
from grader.grading.timing.participants import Role
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check, Reason
from grader.results.metrics import Roofs
from grader.results.result import Provenance
from grader.results.withholding import shown_at_once


@dataclass(frozen=True, kw_only=True)
class GradingContext:
    """Workers of one grading, with its task, its device and its environment.

    `student` runs the submission on `device`. `simulator` and `counter` simulate it; without idle processors, both are
    one worker. `model_simulator` and the workers in `ours` run only our own kernels.
    """

    task: Task
    environment: GradingEnvironment
    progress: Progress
    student: Worker
    simulator: Worker
    counter: Worker
    model_simulator: Worker
    device: DeviceFacts
    provenance: Provenance
    roofs: Roofs | None
    cpu: SharedCpu
    ours: ExitStack

    @property
    def is_apart(self) -> bool:
        """True if the simulator and timed kernels do not disturb each other."""
        return self.environment.has_plenty and not share_a_process(self.device)

    def borrow(self, role: Role) -> Worker:
        """Borrow a worker for our own kernels, until `leave_the_device` or the end of the grading."""
        return self.ours.enter_context(self.environment.workers.own(role))

    def leave_the_device(self) -> None:
        """Release our own workers, and ask the submission's worker to end: from now on, only simulators work."""
        self.ours.close()
        self.student.let_go()

    def tell(self, checks: Iterable[Check], misordered: str = "") -> None:
        """Report the checks that may be shown now, with reasons for failures that no later phase can explain better."""
        asked = self.task.assignment
        for check in checks:
            if check.kind in shown_at_once(asked):
                sentence = "" if check.reason in EXPLAINED else first_sentence(blamed(check, misordered).message)
                self.progress(Decided(check=check.of_part(asked.part), sentence=sentence))


def enter_submission(
    task: Task, environment: GradingEnvironment, progress: Progress, cpu: SharedCpu, workers: ExitStack
) -> GradingContext:
    """Start the submission's workers, which `workers` ends."""
    started = datetime.now(UTC)
    with cpu:
        student = workers.enter_context(environment.workers.submission())
        simulator = environment.simulator()
        counter = environment.simulator() if environment.spare else simulator
        model_simulator = environment.simulator()
        for worker in (counter, model_simulator):
            workers.callback(worker.stop)  # these start only if there is something to count or to compare
        if task.assignment.is_watched:
            workers.enter_context(simulator)  # starts up while the submission is built
        workers.callback(_let_go, (student, simulator, counter, model_simulator))
        device = student.ready()
        roofs = environment.roofs(device)
        if task.assignment.is_watched and environment.watching.required:
            simulator.ready()
    return GradingContext(
        task=task,
        environment=environment,
        progress=progress,
        student=student,
        simulator=simulator,
        counter=counter,
        model_simulator=model_simulator,
        device=device,
        provenance=environment.provenance(task, device, started),
        roofs=roofs,
        cpu=cpu,
        ours=workers.enter_context(ExitStack()),
    )


def _let_go(workers: Iterable[Worker]) -> None:
    """Ask the workers to end, all at the same time."""
    for worker in workers:
        worker.let_go()


@contextmanager
def thawed(worker: Worker, device: DeviceFacts) -> Iterator[None]:
    """Let the submission's worker run until the end of the block, and freeze it then.

    While a grading has no lock, its worker is frozen, so that another grading can be timed. The worker must be idle at
    the end: a process that waits in vfork cannot be frozen, and is ended (freeze_check.py).
    """
    worker.thaw()
    yield
    if share_a_process(device):
        worker.freeze()


def probe_after(checks: Iterable[Check], environment: GradingEnvironment, device: DeviceFacts) -> None:
    """Test the device after a kernel that crashed or did not end.

    The test is not reported, since a hidden check may be its reason. A driver that had to reset a GPU has also lost the
    data of our own workers there, so these workers end.
    """
    if any(check.reason in {Reason.TIME_LIMIT, Reason.CRASH, Reason.COMPILER_FAILED} for check in checks):
        if not share_a_process(device):
            environment.workers.close_own()
        probe(environment.worker(), RECOVERY)
