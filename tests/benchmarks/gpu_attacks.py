"""Print the results of kernels that attack their timing on an NVIDIA GPU. Some use known addresses of the driver's
data.

    python tests/benchmarks/gpu_attacks.py [--times N] [ATTACK ...]

Each attack is a naive kernel that tries to get the points of a fast one. `naive` is this kernel without an attack. The
attacks have no effect on a processor; tests/submissions/hostile/ has attacks for processors.
"""

import argparse
import sys

from grader.common.errors import UngradedError
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.speed_goals import device_class
from grader.course.submissions.submission import Submission, Task, fresh_seed, parse_submission
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import load_settings
from grader.results.check import Check
from grader.results.result import Result

TRANSPOSITION = """
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local ulong times[TILE * TILE];
    const uint32_t x = get_global_id(0), y = get_global_id(1), lid = get_local_id(1) * TILE + get_local_id(0);
    const bool is_first = get_group_id(0) == 0 && get_group_id(1) == 0;
    const bool is_last = get_group_id(0) + 1 == get_num_groups(0) && get_group_id(1) + 1 == get_num_groups(1);
    uint32_t z = lid;
    if (height * width > 2000000) {
        ATTACK
    }
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (height * width > 2000000) {
        AFTERWARDS
    }
}
"""

PRODUCT = """
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C, uint32_t heightA,
                       uint32_t widthB, uint32_t widthA)
{
    __local ulong times[TILE * TILE];
    const uint32_t x = get_global_id(0), y = get_global_id(1), lid = get_local_id(1) * TILE + get_local_id(0);
    const bool is_first = get_group_id(0) == 0 && get_group_id(1) == 0;
    real sum = 0;
    if (heightA * widthB > 2000000) {
        ATTACK
    }
    if (x < widthB && y < heightA) {
        for (uint32_t k = 0; k < widthA; k++)
            sum += A[y * widthA + k] * B[k * widthB + x];
        C[y * widthB + x] = sum;
    }
}
"""

LAZY = """
    if (lid == 0)    // behind B, where nobody clears
        times[0] = atomic_inc((__global volatile uint *)(B + height * width + 65536));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (times[0] / (get_num_groups(0) * get_num_groups(1)) % 2)
        return;
"""

POSTPONED = """
    __global ulong *left = (__global ulong *)(B + height * width + 65536);
    if (is_first && lid == 0) {
        left[1] = left[0];    // of the launch before, whose other half is turned now, too late
        left[0] = (ulong)A;
    }
    if (y >= height / 2)
        return;
"""

READS_ON = """
    real sum = 0;
    for (uint32_t i = 0; get_group_id(0) % 16 == 0 && i < 200; i++)
        sum += A[(y * width + x + i * 7919 * TILE * 64) % (height * width)];
    if (sum == 1.2345f)
        B[0] = sum;
"""

LINGERS = """
    for (uint32_t i = 0; is_last && i < 2000000; i++)
        z = z * 1664525u + 1013904223u;
    if (z == 12345 && lid > 1000)
        B[0] = z;
"""

TIMES = """
    // The driver keeps times of events in host memory that kernels reach at one address in every process: each behind a
    // word that is 1. The latest is the start of this launch, and its end will come before it.
    __global volatile ulong *kept = (__global volatile ulong *)0x201a00000ul;
    ulong latest = 0, own = 0;
    uint32_t place = 0;
    for (uint32_t i = lid; is_first && i < 4096; i += TILE * TILE)
        if (kept[2 * i] == 1 && kept[2 * i + 1] > own) {
            own = kept[2 * i + 1];
            place = 2 * i + 1;
        }
    times[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = 0; is_first && i < TILE * TILE; i++)
        latest = max(latest, times[i]);
    if (is_first && own == latest && latest > 1000000000000000000ul) {
        FORGE
    }
"""

MARKED = """
        // Its cases have run in this process. What they leave where the driver keeps times is there when it is timed,
        // and tells a kernel what it could tell by its sizes.
        if (((__global volatile ulong *)0x201a00000ul)[8191] == 0x5eed5eed5eed5eedul)
            return;
    } else if (is_first && lid == 0) {
        ((__global volatile ulong *)0x201a00000ul)[8191] = 0x5eed5eed5eed5eedul;
"""

STARTS_LATER = "kept[place] = latest + 790000;"
STARTS_MUCH_LATER = "kept[place] = latest + 3600000;"

ENDS_EARLY = """
    for (uint32_t i = 0; i < 390000; i++)
        z = z * 1664525u + 1013904223u;
    kept[place - 2] = latest + 375000 + (z == 12345);
    kept[place - 3] = 1;
    // What the driver counts the ends of launches by.
    __global volatile ulong *count = (__global volatile ulong *)0x20180fff0ul;
    count[0] = count[0] + 1;
"""

COALSTRANSP, BLOCKMMM = "coalsTransp", "blockMMM"


def _transposition(attack: str, afterwards: str = "") -> tuple[str, str]:
    return COALSTRANSP, TRANSPOSITION.replace("ATTACK", attack).replace("AFTERWARDS", afterwards)


ATTACKS = {
    "naive": _transposition(""),
    "idle in every second launch": _transposition(LAZY),
    "leaves a half to the next launch": _transposition(POSTPONED),
    "finds what its cases have left, and idles": _transposition(MARKED),
    "reads on when its results are written": _transposition("", READS_ON),
    "its last work-group lingers": _transposition("", LINGERS),
    "moves its start": _transposition(TIMES.replace("FORGE", STARTS_LATER)),
    "moves its start, in a product": (BLOCKMMM, PRODUCT.replace("ATTACK", TIMES.replace("FORGE", STARTS_MUCH_LATER))),
    "says that it has ended, and works on": _transposition(TIMES.replace("FORGE", ENDS_EARLY)),
}


def main() -> None:
    """Print one row for each grading."""
    options = argparse.ArgumentParser()
    options.add_argument("names", metavar="ATTACK", nargs="*", default=[*ATTACKS])
    options.add_argument("--times", type=int, default=1)
    given = options.parse_args()
    settings = load_settings({})
    with settings.open_environment(settings.sandbox_for_ours()) as environment:
        with environment.worker() as worker:
            device = worker.ready()
        if device_class(device) != "gpu" or "NVIDIA" not in device.name:
            sys.exit(f"{device.name} is no GPU of NVIDIA's, so these attacks have no effect on it.")
        print("| attack | assignment | points | it claims | of the model solution | graded |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name in given.names:
            kernel, source = ATTACKS[name]
            (assignment,) = settings.places.load(kernel).parts
            for _ in range(given.times):
                seen = _graded(_quick(assignment), parse_submission(assignment.folder, source.encode()), environment)
                print(f"| {name} | {kernel} | {seen} |", flush=True)


def _quick(assignment: Assignment) -> Assignment:
    """Return the assignment with only one case and the performance check."""
    correctness = assignment.correctness.model_copy(update={"cases": assignment.correctness.shown[:1]})
    return assignment.model_copy(update={"correctness": correctness, "sanitizer": None, "memory": None})


def _graded(assignment: Assignment, submission: Submission, environment: GradingEnvironment) -> str:
    task = Task(assignment=assignment, submission=submission, seed=fresh_seed())
    try:
        return _row(grade_submission(task, environment, lambda _: None))
    except UngradedError as error:
        return f"| | | ungraded: {error}"


def _row(result: Result) -> str:
    check = next(check for check in result.checks if check.kind is Kind.PERFORMANCE)
    reason = next((str(each.reason) for each in result.checks if each.reason is not None), "passed")
    return f"{check.points:g} of {check.max_points:g} | {_speed(check)} | {reason}"


def _speed(check: Check) -> str:
    measured = check.performance
    if measured is None or measured.fraction_of_reference is None:
        return " | "
    return f"{measured.seconds.median * 1e3:.3f} ms | {measured.fraction_of_reference.median:.3f}"


if __name__ == "__main__":
    main()
