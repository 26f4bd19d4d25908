"""One session: an OpenCL context with programs and buffers, until the judge closes it."""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from grader.protocol import (
    INPUT_FILE,
    LOG_LIMIT,
    OUTPUT_FILE,
    REQUEST,
    ArgFacts,
    BuildFailed,
    Close,
    DeviceFacts,
    Devices,
    Done,
    Fetch,
    Job,
    KernelFacts,
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
from grader.steps import BufferArg, BufferSpec, CopyStep, KernelStep, KeyArg, LocalArg, Program, ScalarArg
from grader.worker import simulator
from grader.worker.fingerprint import fingerprint
from grader.worker.fork import Channel
from grader.worker.preprocess import PreprocessingError, preprocess

warnings.simplefilter("ignore")  # pyopencl warns about non-empty build logs; the judge gets the log itself


def serve(job: Job, channel: Channel) -> None:
    """Answer requests until the judge closes the session."""
    session: Session | None = None
    while line := channel.receive():
        reply: Reply
        match REQUEST.validate_json(line):
            case ListDevices():
                found = tuple(_describe(index, device) for index, device in enumerate(_devices(job)))
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


def _describe(index: int, device: cl.Device) -> DeviceFacts:
    kinds = {cl.device_type.CPU: "cpu", cl.device_type.GPU: "gpu", cl.device_type.ACCELERATOR: "accelerator"}
    kind = next((name for bit, name in kinds.items() if device.type & bit), "other")
    return DeviceFacts.model_validate(
        {
            "index": index,
            "name": device.name.strip(),
            "platform": device.platform.name.strip(),
            "version": device.version.strip(),
            "driver": device.driver_version.strip(),
            "type": kind,
            "compute_units": device.max_compute_units,
            "global_memory": device.global_mem_size,
            "local_memory": device.local_mem_size,
            "max_work_group": device.max_work_group_size,
            "bus": _bus(device),
            "clock": device.max_clock_frequency,
        }
    )


def _bus(device: cl.Device) -> str | None:
    """PCI domain, bus and slot by NVIDIA's extension; pyopencl has no name for the one of Khronos yet."""
    if "cl_nv_device_attribute_query" not in device.extensions.split():
        return None
    info = cl.device_info
    domain, bus, slot = map(device.get_info, (info.PCI_DOMAIN_ID_NV, info.PCI_BUS_ID_NV, info.PCI_SLOT_ID_NV))
    return f"{domain:04x}:{bus:02x}:{slot:02x}"


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
    for name, program in request.programs.items():
        outcome = _build(job, context, device, name, program)
        if isinstance(outcome, BuildFailed):
            return outcome
        built[name] = outcome
    kernels = tuple(facts for name, program in built.items() for facts in _kernels(name, program))
    buffers = {spec.name: DeviceBuffer.make(context, spec) for spec in request.buffers}
    sequences = {
        name: tuple(_prepare(step, built, buffers) for step in steps) for name, steps in request.sequences.items()
    }
    return Session(queue=queue, buffers=buffers, sequences=sequences), Opened(kernels=kernels)


UNOPTIMISED = "-cl-opt-disable"
"""So that the simulator counts what the source says, and every variable has bytes that can be watched."""


def _build(job: Job, context: cl.Context, device: cl.Device, name: str, program: Program) -> "cl.Program | BuildFailed":
    """The built program, or the compiler's log."""
    built = cl.Program(context, program.source)
    options = [*program.options, "-cl-kernel-arg-info", *([UNOPTIMISED] if job.simulation is not None else [])]
    try:
        built.build(options, [device])
    except cl.RuntimeError as error:
        if error.code != cl.status_code.BUILD_PROGRAM_FAILURE:
            raise
        log: str = built.get_build_info(device, cl.program_build_info.LOG)
        return BuildFailed(program=name, log=log[:LOG_LIMIT])
    return built


SPACES = {
    cl.kernel_arg_address_qualifier.GLOBAL: "global",
    cl.kernel_arg_address_qualifier.CONSTANT: "constant",
    cl.kernel_arg_address_qualifier.LOCAL: "local",
    cl.kernel_arg_address_qualifier.PRIVATE: "private",
}


def _kernels(name: str, program: Any) -> list[KernelFacts]:
    return [
        KernelFacts(
            program=name,
            name=kernel.get_info(cl.kernel_info.FUNCTION_NAME),
            args=tuple(_arg(kernel, i) for i in range(kernel.get_info(cl.kernel_info.NUM_ARGS))),
        )
        for kernel in program.all_kernels()
    ]


def _arg(kernel: Any, index: int) -> ArgFacts:
    info = cl.kernel_arg_info
    return ArgFacts.model_validate(
        {
            "address_space": SPACES[kernel.get_arg_info(index, info.ADDRESS_QUALIFIER)],
            "type": kernel.get_arg_info(index, info.TYPE_NAME),
            "name": kernel.get_arg_info(index, info.NAME),
        }
    )


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


def _prepare(step: Any, built: dict[str, Any], buffers: dict[str, DeviceBuffer]) -> Any:
    """A function of the queue and the launch's key that enqueues the step and returns its event."""
    match step:
        case KernelStep():
            kernel = cl.Kernel(built[step.program], step.kernel)
            keys = [index for index, arg in enumerate(step.args) if isinstance(arg, KeyArg)]
            for index, arg in enumerate(step.args):
                if index not in keys:
                    kernel.set_arg(index, _argument(arg, buffers))

            def enqueue(queue: Any, key: int) -> Any:
                for index in keys:
                    kernel.set_arg(index, np.uint64(key))
                return cl.enqueue_nd_range_kernel(queue, kernel, step.global_size, step.local_size)

            return enqueue
        case CopyStep():
            source, target = buffers[step.source].payload, buffers[step.target].payload
            size = min(buffers[step.source].spec.size, buffers[step.target].spec.size)
            return lambda queue, _: cl.enqueue_copy(queue, target, source, byte_count=size)


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
    sequences: dict[str, tuple[Any, ...]]

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
        events = [enqueue(self.queue, request.key) for enqueue in self.sequences[request.sequence]]
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
