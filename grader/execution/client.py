"""Runs jobs in sandboxed workers and returns their outcomes.

An outcome is a value, even if it is a failure, because the caller decides who is at fault. Only failures that a kernel
cannot cause, such as a worker that does not start or a missing device, are raised as errors.

A worker is in one of the states in states.py, which define the requests that it accepts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from grader.execution.connection import Connection, Driver, RequestChannel
from grader.execution.outcome import COMPILING, Failure, Fetched, Garbled
from grader.execution.plan import Plan
from grader.execution.prefetch import Prefetch
from grader.execution.sandbox import ProcessStarter
from grader.execution.session import WorkerSession
from grader.execution.states import Closing, Idle, InSession, NotStarted, Requested, SessionProcess, State, WarmingUp
from grader.execution.timeouts import Timeouts
from grader.execution.worker_process import WorkerProcess
from grader.protocol.messages import (
    Close,
    Done,
    NoDevice,
    Opened,
    Preprocess,
    Preprocessed,
    Process,
    Simulation,
)
from grader.protocol.steps import ProgramSource

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Worker(WorkerProcess):
    """A worker. It starts when it is first used, and again after a failure that ended it."""

    def __init__(
        self, starter: ProcessStarter, device: int, timeouts: Timeouts, simulation: Simulation | None = None
    ) -> None:
        super().__init__(starter, device, timeouts, simulation)
        self._programs: dict[str, ProgramSource] = {}
        self._launched: set[str] = set()
        """Scripts that the current process has launched with the current programs."""
        self._processes = SessionProcess.BY_PLAN
        self._last: State = NotStarted()
        """State after the last request. If the process has been stopped since then, the state is `NotStarted`."""

    @property
    def state(self) -> State:
        """State of the worker, as far as the judge knows it."""
        return self._last if self._is_started else NotStarted()

    def start(self) -> None:
        """Start the process and send it the job. Does not wait until the process is ready."""
        super().start()
        self._launched = set()  # the new process has an empty driver cache
        self._last = Idle()

    def warm_up(self, plan: Plan, programs: Mapping[str, ProgramSource]) -> None:
        """Ask the worker to build grader's own programs in the process that will later build the submission, so that
        the driver has already loaded what it needs for a first program. Does not wait.
        """
        self._settled().send(plan.request(programs))
        self._last = WarmingUp()

    def settle(self) -> None:
        """Wait until the warm-up has ended, if `warm_up` was called."""
        self.ready()
        if self.state == WarmingUp():
            self._settle()

    def load(self, programs: Mapping[str, ProgramSource]) -> Self:
        """Set the programs that later sessions build."""
        if programs != self._programs:
            self._launched = set()  # the driver compiles each of them at its first launch
        self._programs = dict(programs)
        return self

    def preprocess(self, source: str, definitions: Mapping[str, str], process: Process = "new") -> str | Failure:
        """Return the text with its macros expanded, as every driver will get it. `process` selects the process that
        expands it.
        """
        self._settled()
        self.ready()
        connection = self._running()
        connection.send(Preprocess(source=source, definitions=dict(definitions), process=process))
        reply = connection.reply("preprocessing", self.timeouts.now.build)
        return reply.text if isinstance(reply, Preprocessed) else connection.failure(reply)

    def request(self, plan: Plan) -> None:
        """Request a session, unless it was requested already. Does not wait; `open` does."""
        match self.state:
            case Requested(plan=requested) if requested is plan:
                return
        connection = self._settled()
        connection.send(replace(plan, process=self._begins_in(plan, connection)).request(self._programs))
        connection.driver = Driver.SERVING
        self._last = Requested(plan, connection)

    def request_run(self, plan: Plan, name: str, arrays: "Mapping[str, NDArray[Any]]") -> None:
        """Request a session, a run of this script, all its buffers and the observations. Does not wait for them.

        `open`, `WorkerSession.run` and `WorkerSession.observe` wait for the replies, and must be called with equal
        arguments. No other request is allowed before them, except for another session, which abandons this one.
        """
        self.request(plan)
        match self.state:
            case Requested(channel=Connection() as connection):
                self._last = Requested(plan, Prefetch(connection, plan, name, arrays))

    def open(self, plan: Plan) -> Opened | Failure:
        """Open a session, in which the plan's programs are built and its buffers exist.

        If a session in a used process fails, it is tried again in a new worker, because the driver may have reset the
        device. In that case, everything that the process had on the device is lost, and the driver can report this with
        any error.
        """
        opened = self._open(plan)
        if plan.process == "new" or isinstance(opened, Opened):
            return opened
        self.stop()
        return self._open(plan)

    def _open(self, plan: Plan) -> Opened | Failure:
        self.request(plan)
        match self.state:
            case Requested(channel=channel):
                return self._opened(plan, channel)
            case state:
                raise AssertionError(state)

    def _opened(self, plan: Plan, channel: RequestChannel) -> Opened | Failure:
        """Wait for a session that has been requested."""
        self.ready()
        self._last = Idle()
        match channel.reply(COMPILING, self.timeouts.now.build):
            case Opened() as opened:
                self._last = InSession(WorkerSession(plan, channel, self.timeouts, self._launched))
                return opened
            case NoDevice():
                self.stop()
                return Garbled(what="it says that its device has gone")
            case reply:
                return channel.failure(reply)

    @property
    def session(self) -> WorkerSession:
        """The open session."""
        match self.state:
            case InSession(session=session):
                return session
            case state:
                raise AssertionError(f"a session is opened before it is used; the worker is {state}")

    def run_once(self, plan: Plan, name: str, arrays: "Mapping[str, NDArray[Any]]") -> dict[str, Fetched] | Failure:
        """Run one script in its own session: open the session, run the script on the arrays, fetch all its buffers, and
        close the session.
        """
        opened = self.open(plan)
        if not isinstance(opened, Opened):
            return opened
        fetched = self.session.run(name, arrays)
        self.close()
        return fetched

    def close(self) -> None:
        """End the session, if one is open. The process stays, unless closing fails. If the next session will use the
        same process, this session ends only when the next one begins.
        """
        match self.state:
            case InSession(session=session):
                connection = self._running()
                self._last = Idle()
                if self._begins_in(session.plan, connection) == "new":
                    self._end_session(connection)

    def rest(self) -> None:
        """End the open session without waiting until its memory is free. A session that was only requested ends when
        the next one begins.
        """
        match self.state:
            case InSession(session=session):
                connection = self._running()
                connection.send(Close(process=self._begins_in(session.plan, connection)))
                self._last = Closing()

    @contextmanager
    def in_one_process(self) -> Iterator[None]:
        """Run all sessions in one process until the end of the block, even after kernels have run in it.

        Use this only if no points depend on the results, because an earlier kernel may have changed anything in the
        process.
        """
        self._processes = SessionProcess.SAME
        try:
            yield
        finally:
            self._processes = SessionProcess.BY_PLAN
            self._settle()
            if self.state != NotStarted():
                self._end_session(self._running())

    def _begins_in(self, plan: Plan, connection: Connection) -> Process:
        """Return the process in which the plan's session begins. It is a new one if the driver refuses requests in the
        process of the last session.
        """
        may_continue = self._processes is SessionProcess.SAME or plan.process == "used"
        return "used" if may_continue and connection.driver is Driver.SERVING else "new"

    def _end_session(self, connection: Connection) -> None:
        connection.send(Close())
        self._last = Closing()
        self._settle()

    def _settled(self) -> Connection:
        """Return the connection after any reply that is due and that no later request needs. Starts a new process if
        none runs.
        """
        self._settle()
        return self._running()

    def _settle(self) -> None:
        """Wait for any reply that is due and that no later request needs."""
        match self.state, self._connection:
            case WarmingUp(), Connection() as connection:
                self.ready()
                if not isinstance(connection.reply("warming up", self.timeouts.now.build), Opened):
                    connection.stop()  # grader is at fault; the worker that starts next will report the problem
            case Requested(channel=Prefetch()), Connection() as connection:
                connection.stop()  # the replies to its other requests are useless
            case Requested(plan=plan, channel=channel), _:
                self._opened(plan, channel)
            case Closing(), Connection() as connection:
                if not isinstance(connection.reply("closing", self.timeouts.now.transfer), Done):
                    connection.stop()
            case _:
                return
        self._last = Idle()
