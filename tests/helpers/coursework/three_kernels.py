"""A small assignment whose program has three kernels. Two of them also run alone, for points of their own.

The program adds up blocks of eight numbers, makes offsets from the sums of the blocks, and adds these to the blocks.
"""

from courses import course_of

KERNELS = """__kernel void scanBlocks(__global int *data, __global int *sums, uint32_t n)
{
    const uint32_t block = get_global_id(0);
    int sum = 0;
    for (uint32_t i = 8 * block; i < 8 * block + 8; i++) {
        sum += data[i];
        data[i] = sum;
    }
    sums[block] = sum;
}

__kernel void scanSums(__global int *sums, uint32_t n)
{
    int sum = 0;
    for (uint32_t i = 0; i < n / 8; i++) {
        const int own = sums[i];
        sums[i] = sum;
        sum += own;
    }
}

__kernel void addOffsets(__global int *data, __global const int *sums, uint32_t n)
{
    data[get_global_id(0)] += sums[get_global_id(0) / 8];
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(data, **_):
    numbers = np.cumsum(data, dtype=np.int64)
    return {"data": Truth(value=numbers), "sums": Truth(value=np.append(0, numbers[7:-1:8]))}

def states(data, **_):
    blocks = np.cumsum(data.reshape(-1, 8), axis=1, dtype=np.int64)
    offsets = np.cumsum(blocks[:, -1]) - blocks[:, -1]
    yield {"data": Truth(value=blocks.reshape(-1)), "sums": Truth(value=blocks[:, -1])}
    yield {"sums": Truth(value=offsets)}
    yield {"data": Truth(value=(blocks + offsets[:, None]).reshape(-1))}

def mistakes(data, **_):
    wrong = np.cumsum(data, dtype=np.int64)
    wrong[0] = 0
    return {"the first number is left out": {"data": Truth(value=wrong)}}
"""

LAUNCHES = [
    {"kernel": "scanBlocks", "args": ["data", "sums", "n"], "global": ["n // 8"], "local": [1]},
    {"kernel": "scanSums", "args": ["sums", "n"], "global": [1], "local": [1]},
    {"kernel": "addOffsets", "args": ["data", "sums", "n"], "global": ["n"], "local": [8]},
]

FIELDS = {
    "title": "Prefix sums",
    "kernel": "scanBlocks",
    "constants": {"real": "float"},
    "sizes": ["n"],
    "buffers": {
        "data": {"type": "int", "shape": ["n"], "data": "integers", "role": "updated"},
        "sums": {"type": "int", "shape": ["n // 8"], "role": "scratch"},
    },
    "launches": LAUNCHES,
    "baseline": LAUNCHES,
    "correctness": {
        "points": 20,
        "tolerance": {"rule": "exact"},
        "cases": [
            {"name": "scanBlocks alone", "sizes": {"n": 64}, "alone": "scanBlocks", "points": 5},
            {"name": "addOffsets alone", "sizes": {"n": 64}, "alone": "addOffsets", "points": 7},
            {"name": "eight blocks", "sizes": {"n": 64}},
            {"name": "two blocks", "sizes": {"n": 16}},
        ],
    },
}


def with_cases(*cases):
    """Return the section `correctness` with these cases of eight numbers."""
    return {"points": 1, "tolerance": {"rule": "exact"}, "cases": [{"sizes": {"n": 8}, **case} for case in cases]}


def three_kernels(folder, kernels=KERNELS, oracle=ORACLE, **changes):
    """Return the assignment, with these changes of its fields and files. Fields that are None are left out."""
    fields = {name: value for name, value in {**FIELDS, **changes}.items() if value is not None}
    return course_of(folder, fields, kernels, oracle).load("small")
