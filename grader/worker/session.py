"""One session: an OpenCL context with programs and buffers, until the judge closes it."""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from grader.kernel import Demand
from grader.protocol import (
    INPUT_FILE,
    LOG_LIMIT,
    OUTPUT_FILE,
    REQUEST,
    BuildFailed,
    BuildLog,
    Close,
    Devices,
    Done,
    Fetch,
    Job,
    Launch,
    Launched,
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
    StepTime,
    Stopped,
)
from grader.steps import BufferArg, BufferSpec, CopyStep, KernelStep, KeyArg, LocalArg, ScalarArg, Step
from grader.worker import simulator
from grader.worker.facts import demand, device_facts, kernel_facts
from grader.worker.fingerprint import fingerprint
from grader.worker.fork import Channel
from grader.worker.options import build_options, fewer_registers
from grader.worker.preprocess import PreprocessingError, preprocess

warnings.simplefilter("ignore")  # pyopencl warns about non-empty build logs; the judge gets the log itself


def serve(job: Job, channel: Channel) -> None:
    """Answer requests until the judge closes the session."""
    session: Session | None = None
    while line := channel.receive():
        reply: Reply
        match REQUEST.validate_json(line):
            case ListDevices():
                found = tuple(device_facts(index, device) for index, device in enumerate(_devices(job)))
                reply = Devices(worker=fingerprint(), devices=found)
            case Preprocess(source=source, definitions=definitions):
                reply = _preprocess(source, definitions)
            case Open() as request:
                opened = _guarded("opening the session", lambda request=request: _open(job, request))
                session, reply = opened if isinstance(opened, tuple) else (None, opened)
            case Observe():
                reply = simulator.observed()
            case Close():
                return
            case request:
                assert session is not None, "the judge opens a session before it uses one"
                reply = _guarded(request.kind, lambda request=request, session=session: session.handle(request))
        channel.send(reply.model_dump_json())


def _guarded(call: str, action: Any) -> Any:
    """The result of `action`, or the driver's refusal as a reply."""
    try:
        return action()
    except cl.Error as error:
        return Refused(call=call, error=_name(error))
    except MemoryError:
        return Refused(call=call, error="OUT_OF_HOST_MEMORY")


def _name(error: cl.Error) -> str:
    name: str = cl.status_code.to_string(error.code, "error %d")
    return name


UNKNOWN_PROCESSOR = "x86_64-unknown-linux-gnu-generic"
"""How PoCL describes a processor that is newer than it: it compiles for none of that name (PoCL's issue 1049)."""


def _devices(job: Job) -> list[cl.Device]:
    """All that can be used: the simulator for a job that asks for it, else everything but that."""
    try:
        found = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:  # the loader calls "no platform" an error
        return []
    simulated = job.simulation is not None
    return [
        device
        for device in found
        if (device.platform.name.strip() == simulator.PLATFORM) is simulated
        and not device.version.strip().endswith(UNKNOWN_PROCESSOR)
    ]


def _preprocess(source: str, definitions: dict[str, str]) -> Preprocessed | BuildFailed:
    try:
        return Preprocessed(text=preprocess(source, definitions))
    except PreprocessingError as error:
        return BuildFailed(program="", log=str(error)[:LOG_LIMIT])


def _open(job: Job, request: Open) -> "tuple[Session, Opened] | Reply":
    devices = _devices(job)
    if job.device >= len(devices):
        return NoDevice()
    simulator.observed()  # what an earlier session left unread is none of this one's
    device = devices[job.device]
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    built: dict[str, cl.Program] = {}
    for name in request.programs:
        options = build_options(request, name, device, simulated=job.simulation is not None)
        outcome = _build(context, request, name, options)
        if isinstance(outcome, BuildFailed):
            return outcome
        built[name] = outcome
    opened = Opened(
        kernels=tuple(facts for name, program in built.items() for facts in kernel_facts(name, program, device)),
        logs=tuple(BuildLog(program=name, log=_log(program, device)) for name, program in built.items()),
    )
    buffers = {spec.name: DeviceBuffer.make(context, spec) for spec in request.buffers}
    sequences = {
        name: tuple(_prepare(step, built, buffers) for step in steps) for name, steps in request.sequences.items()
    }
    return Session(queue=queue, buffers=buffers, sequences=sequences), opened


def _build(context: cl.Context, request: Open, name: str, options: list[str]) -> "cl.Program | BuildFailed":
    """The built program, or the compiler's log."""
    program = cl.Program(context, request.programs[name].source)
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
    return log[:LOG_LIMIT]


@dataclass(frozen=True, kw_only=True)
class DeviceBuffer:
    """A buffer with its guard bands (`whole`), and what a kernel is given of it (`payload`)."""

    spec: BufferSpec
    whole: cl.Buffer
    payload: cl.Buffer

    @classmethod
    def make(cls, context: cl.Context, spec: BufferSpec) -> "DeviceBuffer":
        """Allocate it; without guard bands the kernel gets the whole allocation."""
        access = cl.mem_flags.READ_ONLY if spec.read_only else cl.mem_flags.READ_WRITE
        whole = cl.Buffer(context, access, spec.size + 2 * spec.guard)
        payload = whole.get_sub_region(spec.guard, spec.size) if spec.guard else whole
        return cls(spec=spec, whole=whole, payload=payload)


@dataclass(frozen=True, kw_only=True)
class PreparedKernel:
    """A kernel whose arguments are set, but for those that are keys."""

    program: Any
    step: KernelStep
    kernel: Any
    keys: tuple[int, ...]

    def enqueue(self, queue: cl.CommandQueue, key: int) -> cl.Event:
        """Have it launched with this key."""
        for index in self.keys:
            self.kernel.set_arg(index, np.uint64(key))
        return cl.enqueue_nd_range_kernel(queue, self.kernel, self.step.global_size, self.step.local_size)

    def demand(self, device: cl.Device) -> Demand:
        """What its launch asks of the device."""
        return demand(self.program, self.step, device)


@dataclass(frozen=True, kw_only=True)
class PreparedCopy:
    """A copy of the payload of one buffer to another."""

    source: DeviceBuffer
    target: DeviceBuffer

    def enqueue(self, queue: cl.CommandQueue, _: int) -> cl.Event:
        """Have it made."""
        size = min(self.source.spec.size, self.target.spec.size)
        return cl.enqueue_copy(queue, self.target.payload, self.source.payload, byte_count=size)

    def demand(self, _: cl.Device) -> None:
        """Nothing that could be too much."""


Prepared = PreparedKernel | PreparedCopy


def _prepare(step: Step, built: dict[str, Any], buffers: dict[str, DeviceBuffer]) -> Prepared:
    match step:
        case KernelStep():
            program = built[step.program]
            kernel = cl.Kernel(program, step.kernel)
            keys = tuple(index for index, arg in enumerate(step.args) if isinstance(arg, KeyArg))
            for index, arg in enumerate(step.args):
                if index not in keys:
                    kernel.set_arg(index, _argument(arg, buffers))
            return PreparedKernel(program=program, step=step, kernel=kernel, keys=keys)
        case CopyStep():
            return PreparedCopy(source=buffers[step.source], target=buffers[step.target])


def _argument(arg: Any, buffers: dict[str, DeviceBuffer]) -> Any:
    match arg:
        case BufferArg(part="whole"):
            return buffers[arg.buffer].whole
        case BufferArg():
            return buffers[arg.buffer].payload
        case ScalarArg():
            return np.dtype(arg.type).type(arg.value)
        case LocalArg():
            return cl.LocalMemory(arg.size)


@dataclass(frozen=True, kw_only=True)
class Session:
    """What `Stage`, `Launch` and `Fetch` work on."""

    queue: cl.CommandQueue
    buffers: dict[str, DeviceBuffer]
    sequences: dict[str, tuple[Prepared, ...]]

    def handle(self, request: Stage | Launch | Fetch) -> Reply:
        """Carry out one request."""
        match request:
            case Stage():
                self._stage(request)
                return Done()
            case Launch():
                return self._launch(request)
            case Fetch():
                self._fetch(request.buffers)
                return Done()

    def _stage(self, request: Stage) -> None:
        for name in (*request.upload, *request.clear):
            buffer = self.buffers[name]
            if buffer.spec.poison is None:
                continue
            cl.enqueue_fill_buffer(self.queue, buffer.whole, np.uint32(buffer.spec.poison), 0, buffer.whole.size)
        with Path(INPUT_FILE).open("rb") as file:
            for name in request.upload:
                buffer = self.buffers[name]
                payload = np.fromfile(file, dtype=np.uint32, count=buffer.spec.size // 4)
                cl.enqueue_copy(self.queue, buffer.payload, payload)
        self.queue.finish()

    def _launch(self, request: Launch) -> Reply:
        events = []
        for step in self.sequences[request.sequence]:
            try:
                events.append(step.enqueue(self.queue, request.key))
            except cl.Error as error:
                return Refused(call="launch", error=_name(error), demand=step.demand(self.queue.device))
        try:
            self.queue.finish()
        except cl.Error as error:
            return Stopped(error=_name(error))
        return Launched(times=tuple(StepTime(start_ns=e.profile.start, end_ns=e.profile.end) for e in events))

    def _fetch(self, names: tuple[str, ...]) -> None:
        """Write into the file as it stands: the judge made it, and holds it open."""
        descriptor = os.open(OUTPUT_FILE, os.O_WRONLY)
        with os.fdopen(descriptor, "wb") as file:
            for name in names:
                content = np.empty(self.buffers[name].whole.size // 4, dtype=np.uint32)
                cl.enqueue_copy(self.queue, content, self.buffers[name].whole)
                content.tofile(file)
