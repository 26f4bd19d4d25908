"""One session: an OpenCL context with programs and buffers. It lasts until the judge closes it."""

import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyopencl as cl

from grader.protocol.kernel import KernelFacts
from grader.protocol.messages import (
    INPUT_FILE,
    OUTPUT_FILE,
    REQUEST,
    BuildFailed,
    BuildLog,
    Close,
    Devices,
    Done,
    Fetch,
    Job,
    Launched,
    LaunchRequest,
    ListDevices,
    NoDevice,
    Observe,
    Open,
    Opened,
    Preprocess,
    Preprocessed,
    Refused,
    Reply,
    Stage,
    Turn,
    Turned,
)
from grader.protocol.wire import FEW, LOG_LIMIT
from grader.worker import simulator
from grader.worker.fingerprint import fingerprint
from grader.worker.fork import Channel
from grader.worker.opencl.buffers import DeviceArray, SharedMemory, make_array
from grader.worker.opencl.facts import compiles_at_launch, device_facts, kernel_facts
from grader.worker.opencl.options import build_options, fewer_registers
from grader.worker.opencl.preprocess import PreprocessingError, preprocess
from grader.worker.opencl.sequence import Sequence, Tell, name_of
from grader.worker.waiting import waited_since, waits

warnings.simplefilter("ignore")  # pyopencl warns about non-empty build logs; the judge gets the log itself


def serve(job: Job, channel: Channel) -> None:
    """Answer the requests of one session after the other, until the worker ends this process."""
    session: Session | None = None
    while line := channel.receive():
        reply: Reply
        match REQUEST.validate_json(line):
            case ListDevices():
                reply = _listed(job)
            case Preprocess(source=source, definitions=definitions):
                reply = _preprocess(source, definitions)
            case Open() as request:
                session = None  # frees the old buffers before the new ones are made
                session, reply = _opened(job, request, channel)
            case Observe():
                reply = simulator.observed()
            case Close():
                session, reply = None, Done()
            case request:
                assert session is not None, "the judge opens a session before it uses one"
                reply = _guarded(request.kind, lambda request=request, session=session: session.handle(request))
        channel.send(reply.model_dump_json())


def _opened(job: Job, request: Open, channel: Channel) -> "tuple[Session | None, Reply]":
    opened = _guarded("opening the session", lambda: _open(job, request, channel))
    return opened if isinstance(opened, tuple) else (None, opened)


def _guarded(call: str, action: Any) -> Any:
    """The result of `action`, or the driver's refusal as a reply."""
    try:
        return action()
    except cl.Error as error:
        return Refused(call=call, error=name_of(error))
    except MemoryError:
        return Refused(call=call, error="OUT_OF_HOST_MEMORY")


UNKNOWN_PROCESSOR = "x86_64-unknown-linux-gnu-generic"
"""PoCL's description of a processor that is newer than PoCL. PoCL cannot compile for it (PoCL's issue 1049)."""


def _devices(job: Job) -> list[cl.Device]:
    """All usable devices: only the simulator if the job requests it, else all devices except the simulator."""
    return [device for device in _found(job) if not _is_too_new(device)]


def _listed(job: Job) -> Devices:
    return Devices(
        worker=fingerprint(),
        devices=tuple(device_facts(index, device) for index, device in enumerate(_devices(job))),
        too_new=tuple(device.name.strip() for device in _found(job) if _is_too_new(device)),
    )


def _found(job: Job) -> list[cl.Device]:
    try:
        found = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:  # the loader calls "no platform" an error
        return []
    simulated = job.simulation is not None
    return [device for device in found if (device.platform.name.strip() == simulator.PLATFORM) is simulated]


def _is_too_new(device: cl.Device) -> bool:
    is_too_new: bool = device.version.strip().endswith(UNKNOWN_PROCESSOR)
    return is_too_new


def _preprocess(source: str, definitions: dict[str, str]) -> Preprocessed | BuildFailed:
    try:
        return Preprocessed(text=preprocess(source, definitions))
    except PreprocessingError as error:
        return BuildFailed(program="", log=str(error))


def _open(job: Job, request: Open, channel: Channel) -> "tuple[Session, Opened] | Reply":
    devices = _devices(job)
    if job.device >= len(devices):
        return NoDevice()
    simulator.run_in(request.order)
    simulator.observed()  # drops observations of an earlier session that were not read
    device = devices[job.device]
    context = _context(device)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    built: dict[str, cl.Program] = {}
    for name in request.programs:
        options = build_options(request, name, device, simulated=job.simulation is not None)
        outcome = _build(context, request, name, options)
        if isinstance(outcome, BuildFailed):
            return outcome
        built[name] = outcome
    opened = Opened(
        kernels=tuple(islice(_kernels(built, device), FEW)),
        logs=tuple(BuildLog(program=name, log=_log(program, device)) for name, program in built.items()),
    )
    shared = SharedMemory.make(request.buffers) if request.arrays == "shared" else None
    buffers = {
        spec.name: make_array(context, spec, None if shared is None else shared.of(spec)) for spec in request.buffers
    }
    sequences = {name: Sequence.prepare(steps, built, buffers) for name, steps in request.sequences.items()}
    session = Session(
        queue=queue,
        buffers=buffers,
        sequences=sequences,
        shared=shared,
        tell=channel.tell,
        uncompiled=set(sequences) if compiles_at_launch(device) else set(),
    )
    return session, opened


@cache
def _context(device: cl.Device) -> cl.Context:
    """One context for all builds of this process. PoCL loads its library of functions once for each context. This takes
    longer than the build of most programs.
    """
    return cl.Context([device])


def _kernels(built: "dict[str, cl.Program]", device: cl.Device) -> Iterator[KernelFacts]:
    return (facts for name, program in built.items() for facts in kernel_facts(name, program, device))


def _build(context: cl.Context, request: Open, name: str, options: list[str]) -> "cl.Program | BuildFailed":
    """The built program, or the compiler's log. Builds again with fewer registers if a launch would lack registers."""
    program = cl.Program(context, request.programs[name].text)
    (device,) = context.devices
    try:
        program.build(options, [device])
    except cl.RuntimeError as error:
        if error.code != cl.status_code.BUILD_PROGRAM_FAILURE:
            raise
        return BuildFailed(program=name, log=_log(program, device))
    more = fewer_registers(request, name, _log(program, device))
    return _build(context, request, name, [*options, *more]) if more and more[0] not in options else program


def _log(program: Any, device: cl.Device) -> str:
    log: str = program.get_build_info(device, cl.program_build_info.LOG)
    return log[:LOG_LIMIT]  # shortened here, so that a huge log is not copied again


def _output() -> BinaryIO:
    """Open the file for results. It must not be replaced, because the judge has it open."""
    return os.fdopen(os.open(OUTPUT_FILE, os.O_WRONLY), "wb")


@dataclass(frozen=True, kw_only=True)
class Session:
    """State of an open session, which `Stage`, `Launch`, `Turn` and `Fetch` use."""

    queue: cl.CommandQueue
    buffers: dict[str, DeviceArray]
    sequences: dict[str, Sequence]
    shared: SharedMemory | None
    tell: Tell
    uncompiled: set[str]
    """Names of the sequences that the driver will compile at their first launch. This launch reports its phases."""

    def handle(self, request: Stage | LaunchRequest | Turn | Fetch) -> Reply:
        """Carry out one request."""
        match request:
            case Stage():
                self._stage(request)
                return Done()
            case LaunchRequest():
                return self._launch(request)
            case Turn():
                return self._turn(request)
            case Fetch():
                self._fetch(request.buffers)
                return Done()

    def _stage(self, request: Stage) -> None:
        for name in (*request.upload, *request.clear):
            buffer = self.buffers[name]
            if buffer.spec.poison is not None:
                buffer.poison(self.queue, buffer.spec.poison)
        for name in request.clear:
            buffer = self.buffers[name]
            if buffer.spec.element and buffer.spec.poison is not None:
                element = np.frombuffer(bytes.fromhex(buffer.spec.element), dtype=np.uint8)
                cl.enqueue_copy(self.queue, buffer.payload, np.resize(element, buffer.spec.size))
        with Path(INPUT_FILE).open("rb") as file:
            for name in request.upload:
                buffer = self.buffers[name]
                buffer.upload(self.queue, np.fromfile(file, dtype=np.uint8, count=buffer.spec.size))
        self.queue.finish()

    def _launch(self, request: LaunchRequest) -> Reply:
        if self.shared is None:
            return self._run(request.sequence, request.key)
        self.shared.fill(request.shared)
        before = waits()
        reply = self._run(request.sequence, request.key)
        return reply.model_copy(update={"delay_ns": waited_since(before)}) if isinstance(reply, Launched) else reply

    def _run(self, name: str, key: int) -> Reply:
        tell = self.tell if name in self.uncompiled else None
        self.uncompiled.discard(name)
        return self.sequences[name].run(self.queue, key, tell)

    def _turn(self, request: Turn) -> Reply:
        """Run the launches one after the other, and fetch the buffers. The device gets a key only with its launch, when
        all earlier launches have ended.
        """
        moments = [time.perf_counter_ns()]
        launches: list[Launched] = []
        for each in request.launches:
            reply = self._run(each.sequence, each.key)
            if not isinstance(reply, Launched):
                return reply
            launches.append(reply)
            moments.append(time.perf_counter_ns())
        with _output() as file:
            for name in request.fetch:
                self.buffers[name].fetched(self.queue).tofile(file)
                moments.append(time.perf_counter_ns())
        return Turned(launches=tuple(launches), waits_ns=tuple(end - start for start, end in pairwise(moments)))

    def _fetch(self, names: tuple[str, ...]) -> None:
        """Write the buffers into the file for results."""
        with _output() as file:
            for name in names:
                self.buffers[name].fetched(self.queue).tofile(file)
