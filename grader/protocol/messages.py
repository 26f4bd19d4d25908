"""Messages between the judge and a worker: one JSON object per line, in both directions.

The judge sends requests. The worker answers each request with exactly one reply, in order. Lines before a reply may
report the phase of the session (phase.py). Messages contain no arrays. Two files in the worker's folder contain them,
and the judge fixes the sizes of these files:

    in.bin    the payloads of the uploaded buffers, back to back, in the order of `Stage.upload`
    out.bin   the fetched buffers with their guard bands, back to back, in the order of `Fetch.buffers`

Sessions that share their arrays use a third file. The judge makes a new one for each launch:

    rounds/arrays.bin    the buffers of `Launch.shared` with their guard bands, each from the beginning of a page

A worker reports only facts. Every reply comes from a process that ran untrusted code. So the judge validates the form
of a reply here, and trusts none of its content.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from grader.protocol.kernel import Amount, Demand, KernelFacts
from grader.protocol.observation import SeenKernel
from grader.protocol.steps import MOST_RUNS, TURNS, BoundedSteps, BufferSpec, ProgramSource
from grader.protocol.wire import FEW, STEPS, Log, Message, Name, at_most

TEXT_LIMIT = 2 * 1024 * 1024
"""Most characters of a preprocessed text: as many as the largest file has, and as many again for expanded macros."""

REPLY_LIMIT = 4 * 1024 * 1024
"""Most bytes of one reply. The reader keeps the whole reply before it parses any of it. The longest reply is a
preprocessed text.
"""

INPUT_FILE = "in.bin"
OUTPUT_FILE = "out.bin"
ROUND_FILE = "rounds/arrays.bin"

# --- what a worker receives at its start -----------------------------------------------------


class Limits(Message):
    """Resource limits that a worker sets on itself before it runs untrusted code.

    The judge's execution/sandbox/limits.py has their defaults.

    With None for `processes`, the worker sets no such limit. The sandbox then counts the processes, because the OS
    kernel would count the processes of all workers that have the same user.
    """

    memory_bytes: int
    cpu_seconds: int
    file_bytes: int
    processes: int | None


class Simulation(Message):
    """Parameters of the simulated device: work-items per warp, bytes per sector of global memory, number of banks of
    local memory, and the width of a bank in bytes.
    """

    warp: int = Field(default=32, gt=0)
    sector: int = Field(default=32, gt=0, le=128)
    banks: int = Field(default=32, gt=0)
    bank: int = Field(default=4, gt=0, le=128)


class Job(Message):
    """The first line that a worker reads: its resource limits, and the device of its sessions.

    With `simulation`, the only device is a simulator that watches every memory access.
    """

    limits: Limits
    device: int = 0
    simulation: Simulation | None = None


# --- requests --------------------------------------------------------------------------------

Arrays = Literal["copied", "shared"]
"""How a worker gets the content of buffers. "copied" works for every device. "shared" means memory that the worker
shares with the judge, for kernels that run on the host's processors.
"""

Process = Literal["new", "used"]
"""Process in which a session begins, or in which a text is expanded. "new": a process that has run no kernel. "used":
the process of the previous session. A used process is faster: its driver has loaded its libraries, and it already has a
context on the device.
"""


Order = Literal["ascending", "mixed"]
"""Order in which a simulator runs the work-items of a work-group. "ascending": one after the other, by local ID.
"mixed": in a shuffled order, and interleaved. Every run has the same mixed order.
"""


class ListDevices(Message):
    """Ask for the OpenCL devices; answered by `Devices`."""

    kind: Literal["devices"] = "devices"


class Preprocess(Message):
    """Expand the macros of a text, so that every driver gets the same text.

    Answered by `Preprocessed` or `BuildFailed`. `definitions` are macros that are defined before the text. `process`
    selects the process that expands it.
    """

    kind: Literal["preprocess"] = "preprocess"
    source: str
    definitions: dict[str, str]
    process: Process = "new"


class Open(Message):
    """Fork a session: build the programs, make the buffers; answered by `Opened` or `BuildFailed`.

    `sequences` names the sequences that `Launch` can run. `arrays` says whether the worker copies arrays to and from
    its buffers, or shares them with the judge. `process` says whether the session begins in a new process, or in the
    process of the previous session, even if a kernel has run there. `order` matters only to a simulator.
    """

    kind: Literal["open"] = "open"
    programs: dict[str, ProgramSource]
    buffers: tuple[BufferSpec, ...] = ()
    sequences: dict[str, BoundedSteps] = Field(default_factory=dict)
    arrays: Arrays = "copied"
    process: Process = "new"
    order: Order = "ascending"


class Stage(Message):
    """Fill the `upload` and `clear` buffers with poison, then copy the payloads of `upload` from in.bin.

    Answered by `Done`.
    """

    kind: Literal["stage"] = "stage"
    upload: tuple[str, ...]
    clear: tuple[str, ...]


class LaunchRequest(Message):
    """Run one sequence and wait for its end; answered by `Launched`.

    `key` is an argument of some of the grader's own kernels. The buffers of `shared` get their content from the judge's
    file.
    """

    kind: Literal["launch"] = "launch"
    sequence: str
    key: int = Field(default=0, ge=0, lt=2**64)
    shared: tuple[str, ...] = ()


class Keyed(Message):
    """A sequence, and the key that some of the grader's own kernels take as an argument."""

    sequence: str
    key: int = Field(default=0, ge=0, lt=2**64)


class Turn(Message):
    """Run sequences one after the other, then fetch buffers as `Fetch` does; answered by `Turned`.

    All timed launches are in one request, so that no reply has to travel between them.
    """

    kind: Literal["turn"] = "turn"
    launches: tuple[Keyed, ...]
    fetch: tuple[str, ...]


class Fetch(Message):
    """Write the named buffers with their guard bands to out.bin; answered by `Done`."""

    kind: Literal["fetch"] = "fetch"
    buffers: tuple[str, ...]


class Observe(Message):
    """Ask for the simulator's observations of the launched kernels; answered by `Observed`."""

    kind: Literal["observe"] = "observe"


class Close(Message):
    """End the session; answered by `Done`.

    `process` says where the next session will begin. With "new", the process of this session also ends if a kernel has
    run in it.
    """

    kind: Literal["close"] = "close"
    process: Process = "new"


Request = Annotated[
    ListDevices | Preprocess | Open | Stage | LaunchRequest | Turn | Fetch | Observe | Close,
    Field(discriminator="kind"),
]


# --- replies ---------------------------------------------------------------------------------


class DeviceFacts(Message):
    """An OpenCL device as its driver describes it."""

    index: Amount
    name: Name
    platform: Name
    version: Name
    driver: Name
    type: Literal["cpu", "gpu", "accelerator", "other"]
    compute_units: Amount
    global_memory: Amount
    local_memory: Amount
    max_work_group: Amount
    bus: Name | None
    """PCI address of a GPU, e.g. "0000:1b:00". It distinguishes GPUs of the same name. None if the driver does not
    report it.
    """
    clock: Amount | None = None
    """Highest clock rate in MHz that the driver reports; None in results of earlier versions of the grader."""
    constant_memory: Amount | None = None
    """Bytes of the largest array in constant memory; None in results of earlier versions of the grader."""


class Devices(Message):
    """All devices of all platforms, in the order in which `Job.device` counts them.

    `worker` is the fingerprint of the worker's version. `too_new` lists processors for which a driver was found that
    cannot compile for them, because the driver is older than the processor.
    """

    kind: Literal["devices"] = "devices"
    worker: Name
    devices: Annotated[tuple[DeviceFacts, ...], *at_most(FEW)]
    too_new: Annotated[tuple[Name, ...], *at_most(FEW)] = ()


class Preprocessed(Message):
    """The text without macros or conditions; each line keeps its number."""

    kind: Literal["preprocessed"] = "preprocessed"
    text: str = Field(max_length=TEXT_LIMIT)


class BuildLog(Message):
    """The compiler's log for a program that it built."""

    program: Name
    log: Log


class Opened(Message):
    """The session is ready: the kernels of its programs, and the logs of the builds."""

    kind: Literal["opened"] = "opened"
    kernels: Annotated[tuple[KernelFacts, ...], *at_most(FEW)]
    logs: Annotated[tuple[BuildLog, ...], *at_most(FEW)] = ()


class BuildFailed(Message):
    """The compiler rejected a program; `log` is its output."""

    kind: Literal["build_failed"] = "build_failed"
    program: Name
    log: Log


class StepTime(Message):
    """Start and end of one command by the device's clock, in nanoseconds.

    For a repeated command, the start is the start of its first run, and the end is the start plus the total time of all
    runs, without the gaps between them.
    """

    start_ns: int = Field(ge=0, lt=2**63)
    end_ns: int = Field(ge=0, lt=2**63)

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return (self.end_ns - self.start_ns) * 1e-9


class Launched(Message):
    """The sequence has run: one time for each of its commands. `turns` has the number of iterations of each repetition,
    in the order in which they began. A repetition within another one begins once in each of its iterations.

    `delay_ns` is the time for which the launch waited for a processor, in nanoseconds: the wait of the thread that
    waited longest. It is measured only if the arrays are shared.
    """

    kind: Literal["launched"] = "launched"
    times: Annotated[tuple[StepTime, ...], *at_most(STEPS)]
    turns: Annotated[tuple[Annotated[int, Field(ge=1, le=TURNS)], ...], *at_most(MOST_RUNS)] = ()
    delay_ns: int = Field(default=0, ge=0, lt=2**63)


class Turned(Message):
    """The result of each launch of a `Turn`.

    `waits_ns` has the duration of each launch, and then of fetching each buffer, in order and in nanoseconds by the
    worker's clock.
    """

    kind: Literal["turned"] = "turned"
    launches: Annotated[tuple[Launched, ...], *at_most(FEW)]
    waits_ns: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**63)], ...], *at_most(FEW)]


class Observed(Message):
    """The simulator's observations of each launch of the session, in order."""

    kind: Literal["observed"] = "observed"
    kernels: Annotated[tuple[SeenKernel, ...], *at_most(TURNS)]


class Done(Message):
    """The request was carried out; the reply contains no data."""

    kind: Literal["done"] = "done"


class Refused(Message):
    """An OpenCL call failed. `call` names the activity, `error` is the driver's name of the error, and `demand` lists
    the resources that a launch asked for.
    """

    kind: Literal["refused"] = "refused"
    call: Name
    error: Name
    demand: Demand | None = None


class Stopped(Message):
    """The driver accepted the kernels, but stopped them later. A wild memory access has this effect on a GPU; on a CPU,
    it causes a signal.
    """

    kind: Literal["stopped"] = "stopped"
    error: Name


class NoDevice(Message):
    """The job names the index of a device that does not exist."""

    kind: Literal["no_device"] = "no_device"


class Died(Message):
    """The session's process ended by itself, by `signal` or with `exit_code`.

    `out_of_memory` is true if its cgroup counted a process that was killed for lack of memory.
    """

    kind: Literal["died"] = "died"
    signal: Annotated[int, Field(ge=0, lt=256)] | None
    exit_code: Annotated[int, Field(ge=0, lt=256)] | None
    out_of_memory: bool


Reply = Annotated[
    Devices
    | Preprocessed
    | Opened
    | BuildFailed
    | Launched
    | Turned
    | Observed
    | Done
    | Refused
    | Stopped
    | NoDevice
    | Died,
    Field(discriminator="kind"),
]

REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
