"""What the judge and a worker say to each other: one JSON object per line, both ways.

The judge asks, the worker answers each request with exactly one reply, in order. Lines before a
reply may report the phase of its session (phase.py). Arrays do not travel in messages but in two files
in the worker's folder, whose sizes the judge fixes:

    in.bin    the payloads of the uploaded buffers, back to back, in the order of `Stage.upload`
    out.bin   the fetched buffers with their guard bands, back to back, in the order of `Fetch.buffers`

In sessions that share their arrays there is a third, which the judge makes anew for each launch:

    rounds/arrays.bin    the buffers of `Launch.shared` with their guard bands, each from the beginning of a page

A worker reports facts only. Everything in a reply comes from a process that ran untrusted code:
the judge validates its form here and believes none of its content.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from grader.protocol.kernel import Amount, Demand, KernelFacts
from grader.protocol.observation import SeenKernel
from grader.protocol.steps import TURNS, BufferSpec, ProgramSource, RepeatSteps, Step
from grader.protocol.wire import FEW, Log, Message, Name, at_most

TEXT_LIMIT = 2 * 1024 * 1024
"""Characters of a preprocessed text: those of a file at its most, with as many of what its macros become."""

REPLY_LIMIT = 4 * 1024 * 1024
"""Bytes of one reply, held before anything of it is parsed; the longest is a preprocessed text."""

INPUT_FILE = "in.bin"
OUTPUT_FILE = "out.bin"
ROUND_FILE = "rounds/arrays.bin"

# --- what a worker is told at its start ------------------------------------------------------


class Limits(Message):
    """Resource limits that a worker puts on itself before it runs anything that is not ours.

    Their defaults stand in the judge's execution/sandbox/rules.py.

    `processes` is None where the sandbox counts them: the kernel would count those of every worker of the same user.
    """

    memory_bytes: int
    cpu_seconds: int
    file_bytes: int
    processes: int | None


class Simulation(Message):
    """What the simulated device is taken to be: work-items in a warp, bytes in a sector of global memory, and banks of
    local memory, each so many bytes wide.
    """

    warp: int = Field(default=32, gt=0)
    sector: int = Field(default=32, gt=0, le=128)
    banks: int = Field(default=32, gt=0)
    bank: int = Field(default=4, gt=0, le=128)


class Job(Message):
    """The first line a worker reads: what it may use, and the device of its sessions.

    With `simulation` the only device is a simulator that watches every access.
    """

    limits: Limits
    device: int = 0
    simulation: Simulation | None = None


# --- requests --------------------------------------------------------------------------------

Arrays = Literal["copied", "shared"]
"""How the content of buffers comes to a worker: copied, as any device can have it, or in memory that it shares with the
judge, for kernels on the host's own processors."""

Process = Literal["new", "used"]
"""Where a session begins, and a text is expanded: in a process that no kernel has run in, or in that of the session
before. A used one is quicker, since its driver has loaded what it needs, and is known to the device."""


Order = Literal["ascending", "mixed"]
"""In which order a simulator runs the work-items of a group. "ascending": one after the other, by local ID. "mixed": in
a shuffled order, in which they also take turns; this order is the same every time.
"""


class ListDevices(Message):
    """Ask for the OpenCL devices; answered by `Devices`."""

    kind: Literal["devices"] = "devices"


class Preprocess(Message):
    """Expand the macros of a text, so that every driver is given the same; answered by `Preprocessed` or `BuildFailed`.

    `definitions` are the macros that are defined before it; `process` says where it is done.
    """

    kind: Literal["preprocess"] = "preprocess"
    source: str
    definitions: dict[str, str]
    process: Process = "new"


class Open(Message):
    """Fork a session: build the programs, make the buffers; answered by `Opened` or `BuildFailed`.

    `sequences` names the launches that `Launch` can ask for, `repeats` those that are run more than once. `arrays` says
    whether the worker copies arrays to and from its buffers, or shares them with the judge. `process` says whether it
    begins in a new process, or goes on in that of the session before, whatever has run there. `order` is for a
    simulator.
    """

    kind: Literal["open"] = "open"
    programs: dict[str, ProgramSource]
    buffers: tuple[BufferSpec, ...] = ()
    sequences: dict[str, tuple[Step, ...]] = Field(default_factory=dict)
    repeats: dict[str, RepeatSteps] = Field(default_factory=dict)
    arrays: Arrays = "copied"
    process: Process = "new"
    order: Order = "ascending"


class Stage(Message):
    """Poison the `upload` and `clear` buffers, then copy the payloads of `upload` in from in.bin.

    Answered by `Done`.
    """

    kind: Literal["stage"] = "stage"
    upload: tuple[str, ...]
    clear: tuple[str, ...]


class LaunchRequest(Message):
    """Run one sequence and wait for its end; answered by `Launched`. `key` is for kernels of ours that take one; the
    buffers of `shared` have the content that the judge's file holds.
    """

    kind: Literal["launch"] = "launch"
    sequence: str
    key: int = Field(default=0, ge=0, lt=2**64)
    shared: tuple[str, ...] = ()


class Keyed(Message):
    """A sequence, and the key for kernels of ours that take one."""

    sequence: str
    key: int = Field(default=0, ge=0, lt=2**64)


class Turn(Message):
    """Run sequences, each when the one before it has ended, and then fetch buffers, as `Fetch` does; answered by
    `Turned`. What is timed goes together, so that no answer on its way lies between.
    """

    kind: Literal["turn"] = "turn"
    launches: tuple[Keyed, ...]
    fetch: tuple[str, ...]


class Fetch(Message):
    """Write the named buffers with their guard bands to out.bin; answered by `Done`."""

    kind: Literal["fetch"] = "fetch"
    buffers: tuple[str, ...]


class Observe(Message):
    """Ask what the simulator saw of the kernels that were launched; answered by `Observed`."""

    kind: Literal["observe"] = "observe"


class Close(Message):
    """End the session; answered by `Done`. `process` says where the next one will begin: the process of this one ends
    too, if a kernel has run in it, unless that is the place.
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
    """Where a GPU sits, e.g. "0000:1b:00": tells two of the same name apart. None where the driver does not say."""
    clock: Amount | None = None
    """MHz that the driver gives as the highest; None in results of a grader that did not ask."""


class Devices(Message):
    """All devices of all platforms, in the order that `Job.device` counts them, and which worker this is.

    `too_new` are processors that a driver was found for and cannot compile for, since it is older than they are.
    """

    kind: Literal["devices"] = "devices"
    worker: Name
    devices: Annotated[tuple[DeviceFacts, ...], *at_most(FEW)]
    too_new: Annotated[tuple[Name, ...], *at_most(FEW)] = ()


class Preprocessed(Message):
    """The text without macros or conditions; its lines are where they were."""

    kind: Literal["preprocessed"] = "preprocessed"
    text: str = Field(max_length=TEXT_LIMIT)


class BuildLog(Message):
    """What the compiler said of a program that it built."""

    program: Name
    log: Log


class Opened(Message):
    """The session is ready."""

    kind: Literal["opened"] = "opened"
    kernels: Annotated[tuple[KernelFacts, ...], *at_most(FEW)]
    logs: Annotated[tuple[BuildLog, ...], *at_most(FEW)] = ()


class BuildFailed(Message):
    """The compiler refused a program."""

    kind: Literal["build_failed"] = "build_failed"
    program: Name
    log: Log


class StepTime(Message):
    """Start and end of one step by the device's own clock, in nanoseconds; of one that was repeated, the start of the
    first turn, and an end as if all had followed each other at once.
    """

    start_ns: int = Field(ge=0, lt=2**63)
    end_ns: int = Field(ge=0, lt=2**63)

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return (self.end_ns - self.start_ns) * 1e-9


class Launched(Message):
    """The sequence has run, in so many turns; one time for each of its steps. On arrays that are shared, also how long
    it has waited for a processor: the thread that waited longest.
    """

    kind: Literal["launched"] = "launched"
    times: Annotated[tuple[StepTime, ...], *at_most(FEW)]
    turns: int = Field(default=1, ge=1, le=TURNS)
    delay_ns: int = Field(default=0, ge=0, lt=2**63)


class Turned(Message):
    """What came of each launch of a turn; and nanoseconds by the worker's own clock, of each launch and of fetching."""

    kind: Literal["turned"] = "turned"
    launches: Annotated[tuple[Launched, ...], *at_most(FEW)]
    waits_ns: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**63)], ...], *at_most(FEW)]


class Observed(Message):
    """What the simulator saw of each launch of the session, in order."""

    kind: Literal["observed"] = "observed"
    kernels: Annotated[tuple[SeenKernel, ...], *at_most(TURNS)]


class Done(Message):
    """The request was carried out and there is nothing to say about it."""

    kind: Literal["done"] = "done"


class Refused(Message):
    """An OpenCL call failed: `call` is what we were doing, `error` the driver's name for it, `demand` what a launch
    asked for.
    """

    kind: Literal["refused"] = "refused"
    call: Name
    error: Name
    demand: Demand | None = None


class Stopped(Message):
    """The driver gave up on kernels that it had accepted: on a GPU, what a wild access does in place of a signal."""

    kind: Literal["stopped"] = "stopped"
    error: Name


class NoDevice(Message):
    """There is no device with the index that the job names."""

    kind: Literal["no_device"] = "no_device"


class Died(Message):
    """The session's process ended by itself, by `signal` or with `exit_code`.

    `out_of_memory` is whether its cgroup says that something was killed for that.
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
