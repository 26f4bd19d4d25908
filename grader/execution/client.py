"""Runs jobs in sandboxed workers and returns their outcomes.

An outcome is a value, even for a failure: the caller decides who is at fault. Only failures that a kernel cannot cause
(a worker that does not start, a missing device) are raised as errors.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Self

from grader.common.errors import DeviceError, NoSimulatorError, WorkerError
from grader.common.invocation import command
from grader.common.phrases import listed
from grader.common.record import replace
from grader.execution.array_files import ArrayFiles, RoundFile
from grader.execution.layout import copied, divided, poison
from grader.execution.outcome import (
    COMPILING,
    RUNNING,
    Crashed,
    Failure,
    Fetched,
    Garbled,
    OutOfMemory,
    TimedOut,
    Timing,
    Took,
)
from grader.execution.plan import Plan, Script
from grader.execution.replies import Replies
from grader.execution.sandbox import Sandbox, SandboxedWorker
from grader.execution.timeouts import Timeouts
from grader.protocol.messages import (
    BuildFailed,
    Close,
    DeviceFacts,
    Devices,
    Died,
    Done,
    Fetch,
    Job,
    Keyed,
    Launched,
    LaunchRequest,
    ListDevices,
    NoDevice,
    Observe,
    Observed,
    Opened,
    Preprocess,
    Preprocessed,
    Process,
    Refused,
    Simulation,
    Stage,
    Stopped,
    Turn,
    Turned,
)
from grader.protocol.observation import SeenKernel
from grader.protocol.steps import BufferSpec, ProgramSource, pages
from grader.protocol.text import showable
from grader.protocol.wire import Message
from grader.worker.fingerprint import fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Worker:
    """A worker process. It starts at its first use, and again after a failure that ended it."""

    def __init__(self, sandbox: Sandbox, device: int, timeouts: Timeouts, simulation: Simulation | None = None) -> None:
        self._sandbox = sandbox
        self._device = device
        self._simulation = simulation
        self._timeouts = timeouts
        self._process: SandboxedWorker | None = None
        self._replies: Replies | None = None
        self._programs: dict[str, ProgramSource] = {}
        self._plan: Plan | None = None
        self._awaited: Plan | None = None
        self._ahead: deque[Message] = deque()
        """Requests of a run that were sent early. Their replies have not been read yet."""
        self._launched: set[str] = set()
        self._written: Script | None = None
        self._is_frozen = False
        self._is_warming = False
        self._is_closing = False
        self._is_spoiled = False
        """True if the driver has refused a request since the last session began. It may then refuse every further
        request of that process.
        """
        self._goes_on = False
        """True if every session continues in the process of the previous session, regardless of its plan."""
        self._found: Devices | None = None
        """The devices that the worker has reported; None until the worker is ready."""

    def __enter__(self) -> Self:
        if self._process is None:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process and send it the job. Does not wait until the process is ready."""
        self._process = self._sandbox.start()
        self._replies = Replies(self._process)
        self._plan = self._awaited = None
        self._ahead.clear()
        self._is_spoiled = False
        self._launched = set()  # the new process has an empty driver cache
        self._send(Job(limits=self._sandbox.limits(), device=self._device, simulation=self._simulation))
        self._send(ListDevices())
        self._found = None

    def warm_up(self, plan: Plan, programs: Mapping[str, ProgramSource]) -> None:
        """Ask the worker to build the grader's own programs in the process that will build the submission. The driver
        then has already loaded what it needs for a first program. Does not wait.
        """
        self._send(plan.request(programs))
        self._is_warming = True

    def settle(self) -> None:
        """Wait for the end of the warm-up, if `warm_up` was called."""
        self.ready()
        if self._is_warming:
            self._is_warming = False
            if not isinstance(self._reply("warming up", self._timeouts.build), Opened):
                self.stop()  # the grader is at fault; the worker that starts next will report the problem

    @property
    def is_there(self) -> bool:
        """True if the process runs, as far as the judge knows."""
        return self._process is not None and not self._process.has_ended()

    def let_go(self) -> None:
        """Ask the worker to end, so that a later `stop` waits less."""
        if self._process is not None:
            self._process.let_go()

    def stop(self) -> None:
        """End the worker. It can be started again."""
        if self._process is not None:
            self._process.stop()
        self._process = self._replies = None
        self._ahead.clear()
        self._is_frozen = self._is_warming = self._is_closing = False

    def ready(self) -> DeviceFacts:
        """Wait until the worker is ready, and return its device. Raises WorkerError or DeviceError."""
        if self._process is None:
            self.start()
        if self._found is None:
            match self._reply("starting", self._timeouts.start):
                case Devices() as found:
                    self._check_version(found.worker)
                    self._found = found
                case failure:
                    words = self._process.last_words() if self._process else ""
                    self.stop()
                    raise WorkerError(f"a worker could not start: {failure}. {words} Run `grader doctor`.")
        if self._simulation is not None and not self.devices:
            raise NoSimulatorError(f"the simulator is missing here. Run `{command('setup')}`, which installs it.")
        if self._device >= len(self.devices):
            raise DeviceError(f"there is no OpenCL device {self._device}: {self._why_none()}")
        return self.devices[self._device]

    @property
    def devices(self) -> tuple[DeviceFacts, ...]:
        """All devices of the worker, in the order of `Job.device`; empty until the worker is ready."""
        return () if self._found is None else self._found.devices

    def _why_none(self) -> str:
        """Text for the user: why the device is missing, and the next step."""
        if self.devices:
            return f"there are {len(self.devices)}. `{command('devices')}` lists them."
        too_new = () if self._found is None else self._found.too_new
        if too_new:
            return (
                f"{listed(too_new, 'and')} is newer than the OpenCL driver that is installed (PoCL's Python "
                f"package), which cannot compile for it. Run `{command('setup')}`, which installs one that can."
            )
        return f"no OpenCL driver is installed. Run `{command('setup')}`, which installs one."

    def _check_version(self, worker: str) -> None:
        if worker != fingerprint():
            self.stop()
            raise WorkerError(
                "the worker's image was built from another version of grader: build it again, as `grader doctor "
                "--sandbox docker` says."
            )

    def preprocess(self, source: str, definitions: Mapping[str, str], process: Process = "new") -> str | Failure:
        """The text with its macros expanded, as every driver will get it. `process` selects the process that expands
        the text.
        """
        self.settle()
        self.ready()  # starts the worker again if it has failed
        self._send(Preprocess(source=source, definitions=dict(definitions), process=process))
        reply = self._reply("preprocessing", self._timeouts.build)
        return reply.text if isinstance(reply, Preprocessed) else self._unexpected(reply)

    def load(self, programs: Mapping[str, ProgramSource]) -> Self:
        """Set the programs that later sessions build."""
        if programs != self._programs:
            self._launched = set()  # the driver compiles each of them at its first launch
        self._programs = dict(programs)
        return self

    def begin_open(self, plan: Plan) -> None:
        """Request a session, unless it was requested already. Does not wait; `open` does."""
        if self._awaited is plan and self._process is not None:
            return
        self._settle_session()
        if self._process is None:
            self.start()
        self._plan = self._awaited = plan
        self._send(replace(plan, process=self._begins_in(plan)).request(self._programs))
        self._is_spoiled = False

    def _begins_in(self, plan: Plan) -> Process:
        """The process in which the plan's session begins. It is a new one if the driver has refused a request: a GPU's
        driver stops serving a process after one of its kernels has accessed memory that it must not access.
        """
        return "used" if (self._goes_on or plan.process == "used") and not self._is_spoiled else "new"

    def open(self, plan: Plan) -> Opened | Failure:
        """Open a session: the plan's programs are built, and its buffers exist.

        If a session in a used process fails, it is tried again in a new worker. The driver may have reset the device.
        Then everything that the process had on the device is lost, and the driver can report this by any error.
        """
        opened = self._open(plan)
        if plan.process == "new" or isinstance(opened, Opened):
            return opened
        self.stop()
        return self._open(plan)

    def _open(self, plan: Plan) -> Opened | Failure:
        self.begin_open(plan)
        self._awaited = None
        self.ready()
        match self._reply(COMPILING, self._timeouts.build):
            case Opened() as opened:
                return opened
            case NoDevice():
                self.stop()
                return Garbled(what="it says that its device has gone")
            case reply:
                return self._unexpected(reply)

    def begin_run(self, plan: Plan, name: str, arrays: "Mapping[str, NDArray[Any]]") -> None:
        """Request a session, a run of this script, all its buffers, and the observations. Does not wait for them.

        The methods `open`, `run` and `observe` wait for the replies, and must get equal arguments. No other request is
        allowed before them, except for another session, which abandons this one. Do not use this method for timed runs:
        a worker that knows its next requests can answer them early.
        """
        self.begin_open(plan)
        script = self._script(name)
        upload = self._upload(script, arrays)
        self._reserve(script.buffers)
        ahead = (upload, LaunchRequest(sequence=name), Fetch(buffers=script.buffers), Observe())
        for request in ahead:
            self._send(request)
        self._ahead.extend(ahead)

    def hurried(self, seconds: float) -> AbstractContextManager[None]:
        """Limit each request to this many seconds until the end of the block. The start of a worker is not limited."""
        return self._within(seconds, ("build", "first_launch", "launch", "transfer"))

    def impatient(self) -> AbstractContextManager[None]:
        """Limit each launch to `Timeouts.silence` until the end of the block. Small launches should end sooner."""
        return self._within(self._timeouts.silence, ("first_launch", "launch"))

    @contextmanager
    def _within(self, seconds: float, parts: Sequence[str]) -> Iterator[None]:
        usual = self._timeouts
        self._timeouts = usual.model_copy(update={part: min(getattr(usual, part), seconds) for part in parts})
        try:
            yield
        finally:
            self._timeouts = usual

    @contextmanager
    def in_one_process(self) -> Iterator[None]:
        """Run all sessions in one process until the end of the block, even after kernels have run there.

        Use this only if no points depend on the results: an earlier kernel may have changed anything in the process.
        """
        self._goes_on = True
        try:
            yield
        finally:
            self._goes_on = False
            self._end_session()

    def freeze(self) -> None:
        """Stop all processes of the worker until `thaw`, as far as its sandbox can."""
        if self._process is not None and not self._is_frozen:
            self._is_frozen = True
            self._process.freeze()

    def thaw(self) -> None:
        """Let a frozen worker continue."""
        if self._process is not None and self._is_frozen:
            self._is_frozen = False
            self._process.thaw()

    def stage(self, name: str, arrays: "Mapping[str, NDArray[Any]]") -> Done | Failure:
        """Poison the buffers of a script of the plan, and upload its inputs.

        If the session shares its arrays, the worker cannot see the inputs until the launch.
        """
        script = self._script(name)
        if self._shares:
            self._write(script, arrays)
            return Done()
        request = self._ahead[0] if self._ahead else self._upload(script, arrays)
        return self._ask_done(request, "uploading the inputs", self._timeouts.transfer)

    def _upload(self, script: Script, arrays: "Mapping[str, NDArray[Any]]") -> Stage:
        """The request that stages a script's buffers. Writes the inputs to in.bin."""
        self._files.send([arrays[buffer] for buffer in script.uploads])
        return Stage(upload=script.uploads, clear=tuple(name for name in script.outputs if name not in script.uploads))

    def clear(self, names: tuple[str, ...]) -> Done | Failure:
        """Fill these buffers with poison."""
        return self._ask_done(Stage(upload=(), clear=names), "poisoning buffers", self._timeouts.transfer)

    def launch(self, name: str, key: int = 0) -> Timing | Failure:
        """Run a script of the plan to its end. Kernels of the grader that take a key get `key`."""
        steps = len(self._script(name).steps)
        deadline = self._launch_deadline(name)
        shared = self._script(name).buffers if self._shares else ()
        start = time.perf_counter()
        if shared:
            self._round.show()
        self._send(LaunchRequest(sequence=name, key=key, shared=shared))
        reply = self._reply(RUNNING, deadline)
        wall = time.perf_counter() - start
        if isinstance(reply, Launched) and _is_whole(reply, steps):
            self._launched.add(name)
            return Timing(steps=reply.times, wall_seconds=wall, turns=reply.turns, delay=reply.delay_ns * 1e-9)
        return self._unexpected(reply)

    def turn(self, keys: Mapping[str, int], names: tuple[str, ...]) -> Took | Failure:
        """Run these scripts, each with its key, and fetch the named buffers. All of this is one request."""
        deadline = sum(map(self._launch_deadline, keys))
        self._reserve(names)
        launches = tuple(Keyed(sequence=name, key=key) for name, key in keys.items())
        self._send(Turn(launches=launches, fetch=names))
        reply = self._reply(RUNNING, deadline)
        steps = [len(self._script(name).steps) for name in keys]
        if not isinstance(reply, Turned) or not _is_whole_turn(reply, steps):
            return self._unexpected(reply)
        self._launched.update(keys)
        results = self._receive(names)
        if not isinstance(results, dict):
            return results
        seconds = tuple(sum(time.seconds for time in each.times) for each in reply.launches)
        return Took(seconds=seconds, waits=tuple(wait * 1e-9 for wait in reply.waits_ns), results=results)

    def fetch(self, names: tuple[str, ...]) -> dict[str, Fetched] | Failure:
        """The named buffers with their guard bands."""
        assert self._plan is not None
        if self._shares:
            return self._read(names)
        if not self._ahead:
            self._reserve(names)
        reply = self._ask_done(Fetch(buffers=names), "returning the results", self._timeouts.transfer)
        return self._receive(names) if isinstance(reply, Done) else reply

    def _launch_deadline(self, name: str) -> float:
        """Seconds that a script may take. The first launch may take longer, because the driver may compile then."""
        return self._timeouts.launch if name in self._launched else self._timeouts.first_launch

    def _reserve(self, names: tuple[str, ...]) -> None:
        """Reserve space for these buffers in out.bin."""
        self._files.reserve(self._room(names))

    def _room(self, names: tuple[str, ...]) -> int:
        """Bytes of these buffers with their guard bands."""
        return sum(map(copied, map(self._spec, names)))

    def _receive(self, names: tuple[str, ...]) -> dict[str, Fetched] | Failure:
        """The buffers that the worker has written to out.bin."""
        total = self._room(names)
        content = memoryview(self._files.receive(total))
        if len(content) != total:
            return self._unexpected(Garbled(what="its output file is shorter than the judge made it"))
        return divided(content, [self._spec(name) for name in names], copied)

    def _write(self, script: Script, arrays: "Mapping[str, NDArray[Any]]") -> None:
        """Write the file of the next launch: each buffer between its guard bands, in whole pages."""
        pieces: list[NDArray[Any]] = []
        for spec in map(self._spec, script.buffers):
            words, band = pages(spec) // 4, spec.guard // 4
            if spec.name in script.uploads:
                payload = arrays[spec.name].ravel()
                assert payload.nbytes == spec.size, "else all after it would lie elsewhere"
                pieces += [poison(spec, band), payload, poison(spec, words - band - spec.size // 4)]
            else:
                pieces.append(poison(spec, words))
        self._round.write(pieces, sum(piece.nbytes for piece in pieces))
        self._written = script

    def _read(self, names: tuple[str, ...]) -> dict[str, Fetched] | Failure:
        """The named buffers in the file of the last launch. Reads the file up to the last of them."""
        assert self._written is not None, "a file is written before it is read"
        last = max(map(self._written.buffers.index, names))
        specs = [self._spec(name) for name in self._written.buffers[: last + 1]]
        total = sum(map(pages, specs))
        content = self._round.read(total)
        if len(content) != total:
            return self._unexpected(Garbled(what="the file of its arrays is shorter than the judge made it"))
        fetched = divided(content, specs, pages)
        return {name: fetched[name] for name in names}

    def drop(self) -> None:
        """Free the memory that the last launch shared, after it has been read."""
        if self._process is not None:
            self._round.close()

    def observe(self) -> tuple[SeenKernel, ...] | Failure:
        """The simulator's observations of this session's kernels since the last call."""
        self._send(Observe())
        reply = self._reply("reporting what was seen", self._timeouts.transfer)
        return reply.kernels if isinstance(reply, Observed) else self._unexpected(reply)

    def run_once(self, plan: Plan, name: str, arrays: "Mapping[str, NDArray[Any]]") -> dict[str, Fetched] | Failure:
        """Run one script in its own session: open the session, run the script on the arrays, fetch all its buffers, and
        close the session.
        """
        opened = self.open(plan)
        if not isinstance(opened, Opened):
            return opened
        fetched = self.run(name, arrays)
        self.close()
        return fetched

    def run(
        self, name: str, arrays: "Mapping[str, NDArray[Any]]", key: int = 0, fetched: tuple[str, ...] | None = None
    ) -> dict[str, Fetched] | Failure:
        """Run a script in an open session: stage the arrays, launch the script with this key, and fetch the buffers
        named by `fetched`, or all buffers of the script.
        """
        staged = self.stage(name, arrays)
        if not isinstance(staged, Done):
            return staged
        launched = self.launch(name, key)
        if not isinstance(launched, Timing):
            return launched
        return self.fetch(self._script(name).buffers if fetched is None else fetched)

    def close(self) -> None:
        """End the session, if one is open. The process stays, unless closing fails. If the next session continues in
        the same process, this session ends when the next one begins.
        """
        if self._plan is not None and self._begins_in(self._plan) == "new":
            self._end_session()
        self._plan = None

    def _end_session(self) -> None:
        if self._process is not None:
            closed = self._ask_done(Close(), "closing", self._timeouts.transfer)
            if not isinstance(closed, Done):
                self.stop()

    def rest(self) -> None:
        """End the open session, without waiting until its memory is free. A session that was only requested, by
        `begin_open`, ends when the next one begins.
        """
        if self._process is not None and self._plan is not None and self._awaited is None:
            self._send(Close(process=self._begins_in(self._plan)))
            self._is_closing = True
        self._plan = None

    def _settle_session(self) -> None:
        """Wait for the end of a session that is closing, or for the start of a requested session that is not needed any
        more.
        """
        if self._ahead:
            self.stop()
        if self._is_warming:
            self.settle()
        if self._is_closing:
            self._is_closing = False
            if not isinstance(self._reply("closing", self._timeouts.transfer), Done):
                self.stop()
        elif self._process is not None and self._awaited is not None:
            self.ready()
            self._awaited = None
            reply = self._reply(COMPILING, self._timeouts.build)
            if not isinstance(reply, Opened):
                self._unexpected(reply)

    @property
    def _shares(self) -> bool:
        return self._plan is not None and self._plan.arrays == "shared"

    @property
    def _round(self) -> RoundFile:
        assert self._process is not None, "a session is opened before it is used"
        return self._process.files.round

    def _spec(self, name: str) -> BufferSpec:
        assert self._plan is not None, "a session is opened before it is used"
        return next(spec for spec in self._plan.buffers if spec.name == name)

    @property
    def _files(self) -> ArrayFiles:
        assert self._process is not None, "a session is opened before it is used"
        return self._process.files

    def _script(self, name: str) -> Script:
        assert self._plan is not None, "a session is opened before it is used"
        return self._plan.scripts[name]

    def _ask_done(self, request: Message, doing: str, deadline: float) -> Done | Failure:
        self._send(request)
        reply = self._reply(doing, deadline)
        return reply if isinstance(reply, Done) else self._unexpected(reply)

    def _unexpected(self, reply: Any) -> Failure:
        """The failure that this reply means. If the reply belongs to another request, the worker no longer runs the
        grader's code.
        """
        failure = self._failure(reply)
        if self._ahead:
            self.stop()  # the replies to the other early requests are useless
        return failure

    def _failure(self, reply: Any) -> Failure:
        match reply:
            case BuildFailed() | TimedOut():
                return reply
            case Refused() | Stopped():
                self._is_spoiled = True
                return reply
            case Died(out_of_memory=True):
                return OutOfMemory()
            case Died(signal=number, exit_code=code):
                assert self._replies is not None
                return Crashed(signal=number, exit_code=code, words=self._last_line(), doing=self._replies.doing)
            case Garbled() | OutOfMemory():
                self.stop()
                return reply
            case _:
                self.stop()
                return Garbled(what="it answered another question than the judge asked")

    def _last_line(self) -> str:
        """The last line that a driver or compiler wrote before it ended the process, such as "LLVM ERROR: ..."."""
        assert self._process is not None
        return showable(self._process.last_words().rpartition("\n")[2])

    def _send(self, message: Message) -> None:
        """Send a request, unless `begin_run` has sent it already."""
        assert self._process is not None, "a session is opened before it is used"
        if self._ahead:
            asked = self._ahead.popleft()
            assert message == asked, "what was asked ahead is waited for first"
            return
        self._process.send(message.model_dump_json().encode() + b"\n")

    def _reply(self, doing: str, deadline: float) -> Any:
        """The next reply, or the failure that came instead."""
        assert self._replies is not None
        reply = self._replies.next(doing, deadline)
        if isinstance(reply, TimedOut):
            self.stop()
        return reply


def _is_whole(launched: Launched, steps: int) -> bool:
    """True if each step has a time, and no step ends before it begins."""
    return len(launched.times) == steps and all(time.end_ns >= time.start_ns for time in launched.times)


def _is_whole_turn(turned: Turned, steps: Sequence[int]) -> bool:
    """True if the number of launches is right, each launch is whole, and each launch and the fetching has a wait."""
    return len(turned.launches) == len(steps) == len(turned.waits_ns) - 1 and all(
        map(_is_whole, turned.launches, steps)
    )
