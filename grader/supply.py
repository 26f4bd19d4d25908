"""Data of timed rounds that never leave the device: inputs made by a kernel of ours, outputs told by a digest.

A launch on a GPU is worth timing on some hundred megabytes. To make as many secret bytes on the host for each of a
hundred launches, send them to three workers, and compare what comes back, would take minutes in which nobody else can
use the GPU. So the judge sends a secret key, from which a kernel of ours makes the inputs where they are needed: small
integers, so that sums of products are exact in any order, or distinct bit patterns where only moving is asked. After
the launch comes another key, and a kernel returns a digest of the outputs by it. The trusted worker that runs the model
solution does the same. Where a bit differs, so do the digests, but for one chance in 2^64.
"""

from collections.abc import Iterator
from functools import partial

from grader.assignment import Assignment
from grader.errors import InputError
from grader.launches import ELEMENT_BYTES, DataKind, ElementType
from grader.plan import STUDENT, Plan, Script
from grader.protocol import DeviceFacts
from grader.steps import Arg, BufferArg, BufferSpec, KernelStep, KeyArg, Program, ScalarArg

SUPPLY = "supply"
"""The name of the program."""

DIGEST, SUMS = "digest", "sums of the digest"
"""The script that makes the digest, and the buffer that it makes it in: two words for each output. No buffer of
an assignment has such a name."""

KERNELS: dict[tuple[DataKind, ElementType], str] = {
    ("numbers", "float"): "integers",
    ("integers", "float"): "integers",
    ("bits", "float"): "bits",
    ("zeros", "float"): "zeros",
    ("numbers", "int"): "whole",
    ("integers", "int"): "whole",
    ("zeros", "int"): "zeros",
    ("numbers", "uint"): "naturals",
    ("integers", "uint"): "naturals",
    ("zeros", "uint"): "zeros",
}
"""Which kernel makes the data that an assignment asks for; none makes what an oracle must."""

ITEMS, GROUP = 262_144, 256
"""Work-items of a launch, and of a work-group: enough to fill a large GPU, and few enough to end with few sums."""

SUPPLY_PROGRAM = Program(
    source="""
uint mix(uint x)    // the finaliser of MurmurHash3 (Austin Appleby, public domain): each bit decides on all
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

uint low_word(ulong key, uint number) { return mix((uint)key + number); }
uint high_word(ulong key, uint number) { return mix((uint)(key >> 32) ^ ~number); }

uint upto16(uint i, uint low, uint high) { return mix(mix(i ^ low) + high) % 17; }

__kernel void integers(__global float *out, uint count, uint number, ulong key)
{
    const uint low = low_word(key, number), high = high_word(key, number);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        out[i] = (int)upto16(i, low, high) - 8;
}

__kernel void whole(__global int *out, uint count, uint number, ulong key)
{
    const uint low = low_word(key, number), high = high_word(key, number);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        out[i] = (int)upto16(i, low, high) - 8;
}

__kernel void naturals(__global uint *out, uint count, uint number, ulong key)
{
    const uint low = low_word(key, number), high = high_word(key, number);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        out[i] = upto16(i, low, high);
}

__kernel void zeros(__global uint *out, uint count, uint number, ulong key)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        out[i] = 0;
}

__kernel void bits(__global uint *out, uint count, uint number, ulong key)
{
    // An odd factor permutes the numbers below 2^31; they are spread over a sign, seven bits of the exponent and the
    // mantissa, so that all are finite.
    const uint odd = low_word(key, number) | 1, offset = high_word(key, number);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint k = i * odd + offset;
        out[i] = ((k & 0x3fffffff) + (64u << 23)) | ((k & 0x40000000) << 1);
    }
}

__kernel void digest(__global const uint *words, uint count, uint number, __global uint *sums, ulong key)
{
    __local uint lows[GROUP], highs[GROUP];
    const uint lid = get_local_id(0), first = low_word(key, number), second = high_word(key, number);
    uint low = 0, high = 0;
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint word = words[i] == 0x80000000u ? 0 : words[i];    // minus nought is nought
        const uint here = mix(word + mix(i ^ first));                // a word counts with its place
        low += here;
        high += mix(here ^ second);
    }
    lows[lid] = low;
    highs[lid] = high;
    for (uint half_of = GROUP / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_of) {
            lows[lid] += lows[lid + half_of];
            highs[lid] += highs[lid + half_of];
        }
    }
    if (lid == 0) {
        atomic_add(&sums[2 * number], lows[0]);
        atomic_add(&sums[2 * number + 1], highs[0]);
    }
}
""",
    options=(f"-DGROUP={GROUP}",),
)


SETS = 6
"""Sets of arrays, at most, that launches take in turn. How fast memory is depends on where in it arrays lie: with one
set, model solutions that only move data ran at 0.975 to 1.02 times their own speed in another worker on an H200.
"""

SET_BYTES = 5
"""A set takes up to so many times the bytes that a launch moves, for all contestants: twice for the control's program,
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


def supply_of(script: str) -> str:
    """The name of the script that makes the inputs of another."""
    return f"inputs of the {script}"


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
    return Plan(buffers=tuple(buffers), scripts=scripts)


def _with_supply(assignment: Assignment, plan: Plan) -> Plan:
    specs = {spec.name: spec for spec in plan.buffers}
    outputs = tuple(name for name in plan.scripts[STUDENT].outputs if assignment.buffers[name].is_judged)
    makers = {
        supply_of(name): Script(steps=tuple(_makers(assignment, script, specs)), uploads=(), outputs=())
        for name, script in plan.scripts.items()
        if script.uploads
    }
    digest = Script(
        steps=tuple(_digester(specs[name], number) for number, name in enumerate(outputs)), uploads=(), outputs=(SUMS,)
    )
    sums = BufferSpec(name=SUMS, size=2 * ELEMENT_BYTES * len(outputs), guard=0, poison=0)
    return Plan(buffers=(*plan.buffers, sums), scripts={**plan.scripts, **makers, DIGEST: digest})


def _makers(assignment: Assignment, script: Script, specs: dict[str, BufferSpec]) -> Iterator[KernelStep]:
    """What steps of ours would have made for the student's is made up like the inputs."""
    for number, name in enumerate(script.uploads):
        buffer = assignment.buffers[name]
        maker = KERNELS[buffer.data or "numbers", buffer.type]
        count = specs[name].size // ELEMENT_BYTES
        yield _step(maker, BufferArg(buffer=name), _uint(count), _uint(number), KeyArg())


def _digester(spec: BufferSpec, number: int) -> KernelStep:
    """With the guard bands, in which nothing must have changed."""
    count = (spec.size + 2 * spec.guard) // ELEMENT_BYTES
    whole = BufferArg(buffer=spec.name, part="whole")
    return _step("digest", whole, _uint(count), _uint(number), BufferArg(buffer=SUMS), KeyArg())


def _uint(value: int) -> ScalarArg:
    return ScalarArg(type="uint32", value=value)


def _step(kernel: str, *args: Arg) -> KernelStep:
    return KernelStep(program=SUPPLY, kernel=kernel, args=args, global_size=(ITEMS,), local_size=(GROUP,))
