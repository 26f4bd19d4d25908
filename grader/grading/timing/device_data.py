"""Data of timed rounds that never leave the device. Kernels of grader generate the inputs and compute a digest of the
outputs.

On a GPU, a launch must process some hundred megabytes to be worth timing, and each of a hundred launches needs that
many secret bytes. It would take minutes to generate these bytes on the host, send them to three workers and compare the
outputs, and no other grading could use the GPU meanwhile. Therefore the judge sends a secret key, and a kernel of
grader generates the inputs on the device from that key. The inputs are whole numbers, so that sums of products are
exact in any order, or bit patterns if the task only moves data. After the launch, a kernel returns a digest of the
outputs by another key. The trusted worker that runs the model solution computes its inputs and its digest in the same
way.

Inputs and factors of the digest come from the generator Philox4x64-10, which NumPy provides as well and which also
generates the judge's own inputs (course/truth/inputs.py). Each word is a keyed function of its index, and no way is
known to predict or to invert this function. Therefore words that a kernel has read do not reveal anything about words
that it has not read.

The digest is the sum of each word times a factor for its place (universal hashing by Carter and Wegman, 1979; in this
form by Lemire and Kaser, "Strongly universal string hashing is fast", 2014). It is linear, so a submission that knew
the key in advance could forge it. Therefore the worker's process sends the key to the device only after the launch has
ended there. Then any two different outputs have equal digests for at most one key in 2^33, because only one of so many
values of a factor, which are practically equally likely, can compensate for a word that differs. Therefore a submission
must read all inputs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from grader.common.errors import InputError
from grader.course.assignment import Assignment
from grader.course.criteria import Range
from grader.course.elements import ELEMENTS, WORD_BYTES, Element, ElementType, Size
from grader.course.launches import DataKind
from grader.execution.plan import STUDENT, Plan, Script
from grader.kernels import source
from grader.protocol.messages import DeviceFacts
from grader.protocol.steps import Arg, BufferArg, BufferSpec, KernelStep, KeyArg, ProgramSource, ScalarArg

SUPPLY = "supply"
"""Name of the program that generates inputs and computes digests."""

DIGEST, SUMS = "digest", "sums of the digest"
"""Names of the script that computes the digest, and of its buffer, which contains sums for each output. Buffers of
assignments cannot have such a name.
"""


WHOLE: dict[tuple[Size, bool], str] = {
    (1, False): "bytes",
    (2, False): "shorts",
    (4, False): "integers",
    (4, True): "floats",
    (8, False): "longs",
    (8, True): "doubles",
}
"""Kernels that generate whole numbers, by the size of a number and whether it is floating. Half has no such kernel,
because sums of halves are not exact above 2,048.
"""


def _kernels(element: Element) -> dict[DataKind, str]:
    """Kernels that generate the data of a type, by kind."""
    whole = WHOLE[element.unit, element.is_floating]
    zeros = "zeros" if element.unit == WORD_BYTES else whole
    kernels: dict[DataKind, str] = {"numbers": whole, "integers": whole, "made": whole, "zeros": zeros}
    return {**kernels, "bits": "bits"} if element.dtype == "float32" else kernels


KERNELS: dict[tuple[DataKind, ElementType], str] = {
    (kind, name): kernel
    for name, element in ELEMENTS.items()
    if element.dtype != "float16"
    for kind, kernel in _kernels(element).items()
}
"""The kernel for each kind and type of data that an assignment can ask for. For `made` data, the kernel
generates whole numbers in the range that the assignment gives, in place of the data from oracle.py.
"""

RANGES: dict[ElementType, Range] = {name: element.integers for name, element in ELEMENTS.items()}
"""Minimum and maximum whole number of each type, if an assignment does not set a range."""

ITEMS, GROUP = 262_144, 256
"""Number of work-items of a launch and of a work-group. They are enough to fill a large GPU, but so few that only few
sums remain.
"""

SUM_BYTES = 8 * (ITEMS // GROUP)
"""Number of bytes of an output's digest, which contains a sum of 64 bits from each work-group."""

SETS = 6
"""Maximum number of sets of arrays, which launches use in turn. Several sets are needed because the speed of memory
depends on the addresses of the arrays. On an H200 with one set, model solutions that only move data ran at 0.975 to
1.02 times their speed in another worker.
"""

SET_BYTES = 5
"""Memory of one set for all participants, as a multiple of the bytes that a launch moves. The control's program takes
two of them; the submission, the reference and the copy take one each."""

MEMORY_SHARE = 0.25
"""Maximum share of a device's memory for more than one set."""


def sets_of(moved: float, device: DeviceFacts) -> int:
    """Number of sets that fit on a device if a launch moves `moved` bytes; raises InputError if not even one fits."""
    needed = SET_BYTES * moved
    if needed > device.global_memory:
        raise InputError(
            f"{device.name} has {device.global_memory * 1e-9:.1f} GB of memory, but timing would take "
            f"{needed * 1e-9:.1f} GB: use smaller sizes in performance.classes of assignment.yaml."
        )
    return max(1, min(SETS, int(MEMORY_SHARE * device.global_memory // needed)))


def supply_program(plan: Plan) -> ProgramSource:
    """The program with only those kernels of grader that the plan runs, because compiling all of them takes longer than
    compiling a submission.
    """
    steps = [step for script in plan.scripts.values() for step in script.kernels]
    kernels = sorted({step.kernel.upper() for step in steps if step.program == SUPPLY})
    return ProgramSource(source=source("device_data.cl"), options=(f"-DGROUP={GROUP}", *map("-D{}".format, kernels)))


def supply_of(script: str, turn: int = 0) -> str:
    """Name of the script that generates the inputs of `script`, with entry `turn` of `SpeedGoals.integers`."""
    return f"inputs{f' {turn + 1}' if turn else ''} of the {script}"


def of_set(name: str, number: int) -> str:
    """Name of a script or a buffer in the set with this number. Names in set 0 are unchanged."""
    return f"{name} {number + 1}" if number else name


def supplied(assignment: Assignment, plan: Plan, sets: int) -> Plan:
    """A plan with `sets` copies of the given plan on separate buffers. For each script, a copy also contains scripts
    that generate its inputs. In addition, it contains a script for the digest of the outputs of the student's steps.
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
    steps = (
        _digester(specs[name], number, ELEMENTS[assignment.buffers[name].type]) for number, name in enumerate(outputs)
    )
    digest = Script(steps=tuple(steps), uploads=(), outputs=(SUMS,))
    sums = BufferSpec(name=SUMS, size=SUM_BYTES * len(outputs), guard=0, poison=0)
    return Plan(buffers=(*plan.buffers, sums), scripts={**plan.scripts, **makers, DIGEST: digest})


def _makers(
    assignment: Assignment, script: Script, specs: Mapping[str, BufferSpec], ranges: Mapping[str, Range]
) -> Iterator[KernelStep]:
    """Steps that generate the inputs of a script. Results of grader's own steps that are inputs of the student's steps
    are generated like all other inputs.
    """
    for number, name in enumerate(script.uploads):
        buffer = assignment.buffers[name]
        maker = KERNELS[buffer.data or "numbers", buffer.type]
        low, high = (0, 0) if buffer.data == "zeros" else ranges.get(name, RANGES[buffer.type])
        span = (ScalarArg(type="int32", value=low), _uint(high - low + 1))
        count = specs[name].size // ELEMENTS[buffer.type].unit
        yield _step(maker, BufferArg(buffer=name), _uint(count), _uint(number), *span, KeyArg())


def _digester(spec: BufferSpec, number: int, element: Element) -> KernelStep:
    """The step that computes the digest of a buffer and of its guard bands, which must not change. The digest omits up
    to three bytes at the end of the last band, which do not fill a word.
    """
    count = (spec.size + 2 * spec.guard) // WORD_BYTES
    whole, real = BufferArg(buffer=spec.name, part="whole"), element.unit if element.is_floating else 0
    return _step("digest", whole, _uint(count), _uint(number), _uint(real), BufferArg(buffer=SUMS), KeyArg())


def _uint(value: int) -> ScalarArg:
    return ScalarArg(type="uint32", value=value)


def _step(kernel: str, *args: Arg) -> KernelStep:
    return KernelStep(program=SUPPLY, kernel=kernel, args=args, global_size=(ITEMS,), local_size=(GROUP,))
