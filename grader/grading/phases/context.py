"""The context of one grading: its task, its environment and its workers."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.common.phrases import first_sentence
from grader.course.submissions.submission import Task
from grader.execution.client import Worker
from grader.execution.device import share_a_process
from grader.execution.probe import RECOVERY, probe
from grader.grading.device_lock import SharedCpu
from grader.grading.explain.problem import WrongParameters, blamed
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Decided, Progress
from grader.grading.timing.rounds import Role
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check
from grader.results.metrics import Roofs
from grader.results.result import Provenance
from grader.results.verdicts import Reason
from grader.results.withholding import shown_at_once


@dataclass(frozen=True, kw_only=True)
class GradingContext:
    """The workers of one grading, with its task, its device and its environment. `student` runs the submission on
    `device`. `simulator` and `counter` simulate it; they are the same worker unless processors are idle.
    `model_simulator` and the workers in `ours` run only grader's own kernels.
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
        """True if the simulator can run next to timed kernels without disturbing them."""
        return self.environment.has_plenty and not share_a_process(self.device)

    def borrow(self, role: Role) -> Worker:
        """Borrow a worker for grader's own kernels, until `leave_the_device` or the end of the grading."""
        return self.ours.enter_context(self.environment.workers.own(role))

    def leave_the_device(self) -> None:
        """Release the workers for grader's own kernels, and ask the submission's worker to end. From now on, only
        simulators run.
        """
        self.ours.close()
        self.student.let_go()

    def begin(self, phase: str) -> None:
        """Report that a phase begins."""
        self.progress(phase)

    def tell(self, checks: Iterable[Check], wrong: WrongParameters | None = None) -> None:
        """Report the checks that may be shown now. The sentence of a failure is included unless a later phase may
        explain it better.
        """
        asked = self.task.assignment
        for check in checks:
            if check.kind in shown_at_once(asked):
                sentence = "" if check.reason in EXPLAINED else first_sentence(blamed(check, wrong).message)
                self.progress(Decided(check=check.of_part(asked.part), sentence=sentence))


def enter_submission(
    task: Task, environment: GradingEnvironment, progress: Progress, cpu: SharedCpu, workers: ExitStack
) -> GradingContext:
    """Start the workers of the submission. The exit stack `workers` ends them."""
    started = datetime.now(UTC)
    with cpu:
        student = workers.enter_context(environment.workers.submission())
        simulator = environment.simulator()
        counter = environment.simulator() if environment.spare else simulator
        model_simulator = environment.simulator()
        for worker in (counter, model_simulator):
            workers.callback(worker.stop)  # these start only when they are first used
        if task.assignment.is_watched:
            workers.enter_context(simulator)  # starts while the submission is built
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
    """Let the submission's worker run during the block, and freeze it at the end. While a grading does not hold a lock,
    its worker is frozen, so that another grading can be timed. The worker must be idle at the end, because a process
    that waits in vfork cannot be frozen and is ended (freeze_check.py).
    """
    worker.thaw()
    yield
    if share_a_process(device):
        worker.freeze()


def probe_after(checks: Iterable[Check], environment: GradingEnvironment, device: DeviceFacts) -> None:
    """Test the device after a kernel that crashed or did not end. The test is not reported because a hidden check may
    be its reason. If the driver had to reset a GPU, it has also lost the data of grader's own workers there, so these
    workers are closed.
    """
    if any(check.reason in {Reason.TIME_LIMIT, Reason.CRASH, Reason.COMPILER_FAILED} for check in checks):
        if not share_a_process(device):
            environment.workers.close_own()
        probe(environment.worker(), RECOVERY)
