"""Workers for gradings. The pool decides who starts them, which are used again, and which start early.

    submission   runs one submission, and ends with its grading
    own          runs only grader's own kernels, and is kept for later gradings
    simulator    runs one submission on the simulated device

Keeping a worker saves the time for starting it and for its builds, which is longer than its work in a grading. A kept
worker never runs a submission, so no submission can leave anything in it. A worker that has run a submission is never
kept.

Three things happen in advance. A grading only informs the pool when the device is idle (`note_idle_device`) and when it
must be quiet (`quieten`).

1. The first submission's worker starts with the pool, while the judge imports the grading code (0.4 s).
2. The next submission's worker starts and builds while the previous grading does not need the device alone.
3. In a batch, a spare process is always starting, because a container takes half a second to start.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from grader.common.errors import UngradedError
from grader.common.record import replace
from grader.execution.client import Worker
from grader.execution.device import share_a_process
from grader.execution.plan import NOTHING, SUBMISSION
from grader.execution.probe import PROBE
from grader.execution.sandbox import ProcessStarter, Sandbox, SandboxedWorker
from grader.execution.timeouts import Timeouts
from grader.protocol.messages import DeviceFacts, Limits, Simulation
from grader.protocol.steps import ProgramSource

GRADINGS = 10
"""Number of gradings after which a kept worker is replaced. Its processor time is limited, and each grading uses some
seconds of it.
"""

PLENTY = 2
"""Minimum number of idle processors for work in advance, such as building grader's own kernels before they are known to
be needed, or timing kernels on a GPU while the simulator runs.
"""


class WorkerPool:
    """Workers for the gradings in one sandbox, which are used by one grading at a time.

    `expected` is the number of submissions that will be graded, or 0 if it is unknown. A part of a suite counts as one.
    `idle_processors` is the number of processors that a grading would leave idle. A kept worker is replaced after
    `gradings` gradings.
    """

    def __init__(  # noqa: PLR0913
        self,
        sandbox: Sandbox,
        device: int,
        timeouts: Timeouts,
        *,
        starter: ProcessStarter | None = None,
        expected: float = 0,
        idle_processors: int = 0,
        gradings: float = GRADINGS,
    ) -> None:
        self.sandbox = sandbox
        self.device = device
        self.timeouts = timeouts
        self._starter = starter or sandbox
        self._expected = expected
        self._idle_processors = idle_processors
        self._gradings = gradings
        self._next: Worker | None = None
        """The worker for the next submission, if it has been started."""
        self._kept: dict[str, tuple[Worker, int]] = {}
        """Workers for grader's own kernels that no grading is using, each with the number of gradings in which it was
        used.
        """
        self._leaving: list[Worker] = []
        # Building a program in advance would make the driver load libraries that the first submission may not need.
        self._start_next({})

    def worker(self) -> Worker:
        """Return a new worker for the device. It starts when it is first used, and the caller must stop it."""
        return Worker(self._starter, self.device, self.timeouts)

    def simulator(self, simulation: Simulation) -> Worker:
        """Return a new worker whose device is simulated."""
        seconds = self.timeouts.simulation
        timeouts = replace(self.timeouts, first_launch=seconds, launch=seconds)
        return Worker(self._starter, 0, timeouts, simulation)

    def close(self) -> None:
        """Stop all workers that no grading is using. Can be called more than once."""
        if self._next is not None:
            self._next.stop()
            self._next = None
        self.close_own()

    # --- submissions --------------------------------------------------------------------------

    @contextmanager
    def submission(self) -> Iterator[Worker]:
        """Yield a worker for one submission, which has not run any other. It is stopped at the end of the block."""
        with self._take() as worker:
            yield worker

    def note_idle_device(self) -> None:
        """Note that the next worker may start now, because the grading does not need the device for itself alone."""
        self._start_next({SUBMISSION: PROBE})

    def quieten(self) -> None:
        """Wait until no worker is starting on the device, which would disturb timed launches. A worker that cannot
        start is ignored; the next grading starts another one.
        """
        if self._next is not None:
            try:
                self._next.settle()
            except UngradedError:
                self._next.stop()
                self._next = None

    def _take(self) -> Worker:
        """Return the worker that was started in advance if it still runs, or else a new one."""
        self._expected -= 1
        worker, self._next = self._next, None
        if worker is None or worker.is_there:
            return worker or self.worker()
        worker.stop()
        return self.worker()

    def _start_next(self, programs: Mapping[str, ProgramSource]) -> None:
        """Start the worker for the next submission and make it build these programs, unless it has been started already
        or no submission is expected. Does not wait. If the start fails, this is reported when the worker is needed.
        """
        if self._next is None and self._expected > 0:
            self._next = self.worker()
            try:
                self._next.start()
                self._next.warm_up(NOTHING, programs)
            except UngradedError:
                self._next.stop()
                self._next = None

    # --- our own kernels ----------------------------------------------------------------------

    @contextmanager
    def own(self, name: str) -> Iterator[Worker]:
        """Yield grader's own worker with this name until the end of the block, either the kept one or a new one. An
        error in the block ends it.
        """
        self._wait()
        worker, gradings = self._take_kept(name) or (self.worker(), 0)
        try:
            yield worker
            worker.rest()
        except BaseException:
            worker.stop()
            raise
        if gradings + 1 < self._gradings:
            self._kept[name] = worker, gradings + 1
        else:
            self._let_go(worker)

    def start_own(self, names: Sequence[str]) -> None:
        """Start grader's own workers with these names, if enough processors are idle. They connect to the device only
        at their first request: the driver of a GPU takes longer for three processes at once, and the submission's
        process should be first.
        """
        if self._idle_processors >= PLENTY:
            for name in names:
                self._kept[name] = self.worker(), 0
                self._kept[name][0].start()

    def look(self, name: str) -> DeviceFacts:
        """Return the facts about the device. On a GPU, the worker that reports them is kept as grader's own worker with
        this name, because the next process starts in a tenth of the time while the driver serves another process.
        """
        worker = self.worker()
        self._kept[name] = worker, 0
        device = worker.ready()
        if share_a_process(device):
            self.close_own()
        return device

    def close_own(self) -> None:
        """Stop grader's own workers that no grading is using."""
        while self._kept:
            _, (worker, _) = self._kept.popitem()
            self._let_go(worker)
        self._wait()

    def _take_kept(self, name: str) -> tuple[Worker, int] | None:
        """Return the kept worker with this name, or None if it does not exist or has ended since it was last used."""
        kept = self._kept.pop(name, None)
        if kept is not None and not kept[0].is_there:
            kept[0].stop()
            return None
        return kept

    def _let_go(self, worker: Worker) -> None:
        """Ask a worker to end. Workers end at the same time, because the driver of a GPU takes a tenth of a second for
        each.
        """
        worker.let_go()
        self._leaving.append(worker)

    def _wait(self) -> None:
        """Wait until all workers that were asked to end have ended."""
        while self._leaving:
            self._leaving.pop().stop()


class SpareProcess:
    """Starts the processes of a sandbox, always one in advance. A spare process has not run any submission."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._spare: SandboxedWorker | None = None

    def limits(self) -> Limits:
        """Return the limits that a worker must set on itself."""
        return self._sandbox.limits()

    def start(self) -> SandboxedWorker:
        """Return the spare process, or a new one if there is no spare. Then begin to start the next spare process."""
        process, self._spare = self._spare, None
        if process is None or process.has_ended():  # a restart of the engine ends the spare process
            if process is not None:
                process.stop()
            process = self._sandbox.start()
        try:
            self._spare = self._sandbox.start()
        except BaseException:
            process.stop()
            raise
        return process

    def close(self) -> None:
        """Stop the spare process."""
        if self._spare is not None:
            self._spare.stop()
            self._spare = None
