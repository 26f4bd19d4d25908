"""Data of timed rounds that never leave the device: inputs made by a kernel of ours, outputs told by a digest.

A launch on a GPU is worth timing on some hundred megabytes. To make as many secret bytes on the host for each of a
hundred launches, send them to three workers, and compare what comes back, would take minutes in which nobody else can
use the GPU. So the judge sends a secret key, from which a kernel of ours makes the inputs where they are needed: whole
numbers, so that sums of products are exact in any order, or bit patterns where only moving is asked. After the launch,
a kernel returns a digest of the outputs by another key. The trusted worker that runs the model solution
does the same.

Both come from Philox4x64-10, the generator that NumPy has by this name, and that makes the judge's own inputs
(course/truth/inputs.py). Word by word it is a keyed function of the index that nobody is known to predict or to
invert, so words that a kernel has read tell nothing about those that it has not.

The digest is a sum of products, of each word by a factor of its place (Carter and Wegman's universal hashing, 1979; in
this form Lemire and Kaser's, "Strongly universal string hashing is fast", 2014). It is linear, so whoever knows the key
beforehand could forge it; the worker's process holds it back from the device until the launch has ended there.
Then two outputs that differ have the same digest by one key in 2^33 at most, whichever they are: only one of so many
values of a factor, which are as good as equally likely, can make up for a word that differs. So all must be read.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from grader.common.errors import InputError
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.launches import ELEMENT_BYTES, DataKind, ElementType
from grader.course.rubric import Range
from grader.course.truth.inputs import INTEGER_BOUND
from grader.execution.plan import STUDENT, Plan, Script
from grader.kernels import source
from grader.protocol.messages import DeviceFacts
from grader.protocol.steps import Arg, BufferArg, BufferSpec, KernelStep, KeyArg, ProgramSource, ScalarArg

SUPPLY = "supply"
"""The name of the program."""

DIGEST, SUMS = "digest", "sums of the digest"
"""The script that makes the digest, and the buffer that it makes it in: sums for each output. No buffer of an
assignment has such a name."""

KERNELS: dict[tuple[DataKind, ElementType], str] = {
    ("numbers", "float"): "floats",
    ("integers", "float"): "floats",
    ("bits", "float"): "bits",
    ("zeros", "float"): "zeros",
    ("numbers", "int"): "integers",
    ("integers", "int"): "integers",
    ("zeros", "int"): "zeros",
    ("numbers", "uint"): "integers",
    ("integers", "uint"): "integers",
    ("zeros", "uint"): "zeros",
}
"""Which kernel makes the data that an assignment asks for; none makes what an oracle must."""

RANGES: dict[ElementType, Range] = {
    "float": (-INTEGER_BOUND, INTEGER_BOUND),
    "int": (-INTEGER_BOUND, INTEGER_BOUND),
    "uint": (0, 2 * INTEGER_BOUND),
}
"""The least and the largest of the whole numbers, where an assignment does not say."""

ITEMS, GROUP = 262_144, 256
"""Work-items of a launch, and of a work-group: enough to fill a large GPU, and few enough to end with few sums."""

SUM_BYTES = 8 * (ITEMS // GROUP)
"""Of an output's digest: a sum of 64 bits from each work-group."""

SETS = 6
"""Sets of arrays, at most, that launches take in turn. How fast memory is depends on where in it arrays lie: with one
set, model solutions that only move data ran at 0.975 to 1.02 times their own speed in another worker on an H200.
"""

SET_BYTES = 5
"""A set takes up to so many times the bytes that a launch moves, for all participants: twice for the control's program,
once each for the submission, the reference and the copy."""

MEMORY_SHARE = 0.25
"""The part of a device's memory that more than one set may take."""


def sets_of(moved: float, device: DeviceFacts) -> int:
    """How many sets a device has room for, where a launch moves so many bytes; raises InputError if not for one."""
    needed = SET_BYTES * moved
    if needed > device.global_memory:
        raise InputError(
            f"{device.name} has {device.global_memory * 1e-9:.1f} GB of memory, but timing would take "
            f"{needed * 1e-9:.1f} GB: give smaller sizes in performance.classes of assignment.yaml."
        )
    return max(1, min(SETS, int(MEMORY_SHARE * device.global_memory // needed)))


def supply_program(plan: Plan) -> ProgramSource:
    """Those of our kernels that the plan runs. To compile all takes drivers longer than the submission's own."""
    steps = [step for script in plan.scripts.values() for step in script.kernels]
    kernels = sorted({step.kernel.upper() for step in steps if step.program == SUPPLY})
    return ProgramSource(source=source("device_data.cl"), options=(f"-DGROUP={GROUP}", *map("-D{}".format, kernels)))


def supply_of(script: str, turn: int = 0) -> str:
    """The name of the script that makes the inputs of another, in a turn of `SpeedGoals.integers`."""
    return f"inputs{f' {turn + 1}' if turn else ''} of the {script}"


def of_set(name: str, number: int) -> str:
    """What a script or a buffer is called in another set than the first."""
    return f"{name} {number + 1}" if number else name


def supplied(assignment: Assignment, plan: Plan, sets: int) -> Plan:
    """The plan so many times over, and beside each script of it one that makes its inputs; and one for the digest of
    what the student's steps produce.
    """
    own = _with_supply(assignment, plan)
    buffers: list[BufferSpec] = []
    scripts: dict[str, Script] = {}
    for number in range(sets):
        of_this = own.on_buffers(partial(of_set, number=number))
        buffers += of_this.buffers
        scripts |= {of_set(name, number): script for name, script in of_this.scripts.items()}
    return replace(plan, buffers=tuple(buffers), scripts=scripts)


def _with_supply(assignment: Assignment, plan: Plan) -> Plan:
    specs = {spec.name: spec for spec in plan.buffers}
    outputs = tuple(name for name in plan.scripts[STUDENT].outputs if assignment.buffers[name].is_judged)
    makers = {
        supply_of(name, turn): Script(steps=tuple(_makers(assignment, script, specs, ranges)), uploads=(), outputs=())
        for name, script in plan.scripts.items()
        if script.uploads
        for turn, ranges in enumerate(assignment.speed_goals.integers)
    }
    digest = Script(
        steps=tuple(_digester(specs[name], number) for number, name in enumerate(outputs)), uploads=(), outputs=(SUMS,)
    )
    sums = BufferSpec(name=SUMS, size=SUM_BYTES * len(outputs), guard=0, poison=0)
    return Plan(buffers=(*plan.buffers, sums), scripts={**plan.scripts, **makers, DIGEST: digest})


def _makers(
    assignment: Assignment, script: Script, specs: Mapping[str, BufferSpec], ranges: Mapping[str, Range]
) -> Iterator[KernelStep]:
    """What steps of ours would have made for the student's is made up like the inputs."""
    for number, name in enumerate(script.uploads):
        buffer = assignment.buffers[name]
        maker = KERNELS[buffer.data or "numbers", buffer.type]
        low, high = ranges.get(name, RANGES[buffer.type])
        span = (ScalarArg(type="int32", value=low), _uint(high - low + 1))
        count = specs[name].size // ELEMENT_BYTES
        yield _step(maker, BufferArg(buffer=name), _uint(count), _uint(number), *span, KeyArg())


def _digester(spec: BufferSpec, number: int) -> KernelStep:
    """With the guard bands, in which nothing must have changed."""
    count = (spec.size + 2 * spec.guard) // ELEMENT_BYTES
    whole = BufferArg(buffer=spec.name, part="whole")
    return _step("digest", whole, _uint(count), _uint(number), BufferArg(buffer=SUMS), KeyArg())


def _uint(value: int) -> ScalarArg:
    return ScalarArg(type="uint32", value=value)


def _step(kernel: str, *args: Arg) -> KernelStep:
    return KernelStep(program=SUPPLY, kernel=kernel, args=args, global_size=(ITEMS,), local_size=(GROUP,))
