"""Figures in the course texts: the simulator counts the same numbers, which were originally found by other means."""

import numpy as np
import pytest
from kernels import PRODUCT, REGISTER_PRODUCT, TRANSPOSITION
from project import ROOT
from simulator import Given, watch

PHASES = """\
__kernel void k(__global const float *A, __global float *out, uint heightA, uint widthA)
{
    const uint lx = get_local_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint t = 0; t < widthA; t += 16)
        if (row < heightA && t + lx < widthA)
            sum += A[row * widthA + t + lx];
    if (row < heightA && get_global_id(0) < widthA)
        out[row * widthA + get_global_id(0)] = sum;
}
"""
"""The loading phases of a tiled product, reduced to the part with a condition."""

GUARD = 6
"""The line with the condition around the load of the left operand."""


def product(worker, source, sizes, shape, kernel="k"):
    """Return what the simulator counts for a product of these sizes (height of A, width of B, width of A). The product
    must be correct.
    """
    (height, width, inner), (items, group) = sizes, shape
    random = np.random.default_rng(1)
    a = random.integers(-4, 5, (height, inner)).astype(np.float32)
    b = random.integers(-4, 5, (inner, width)).astype(np.float32)
    args = {
        "A": a,
        "B": b,
        "out": np.zeros((height, width), np.float32),
        "heightA": height,
        "widthB": width,
        "widthA": inner,
    }
    (seen,), results = watch(worker, source, Given(args=args, items=items, group=group), kernels=(kernel,))
    assert np.array_equal(results["out"].view(np.float32).reshape(height, width), a @ b)
    assert not seen.messages
    assert not seen.unset
    return seen


def parted(worker, height):
    """Return how many warp-phases diverge at the guard, and how many there are, for a product of `height` x 100 by 100
    x 100.
    """
    args = {"A": np.ones((height, 100), np.float32), "out": np.zeros((height, 100), np.float32)}
    rows = 16 * -(-height // 16)
    given = Given(args={**args, "heightA": height, "widthA": 100}, items=(112, rows), group=(16, 16))
    (seen,), _ = watch(worker, PHASES, given)
    (found,) = (each for each in seen.branches if each.line == GUARD)
    return np.array([found.diverged, found.reached])


def test_divergence_of_a_tiled_product(simulator):
    """The simulator counts as many diverging warp-phases as the course text. In the text, a 100 x 100 matrix in tiles
    of 16 x 16 has 49 blocks of 8 warps and 7 phases. The load of the left operand's tile diverges in 336 of 2,352
    warp-phases of the 42 inner blocks, and in 14 of 392 of the 7 bottom blocks.
    """
    inner, whole = parted(simulator, 96), parted(simulator, 100)
    assert inner.tolist() == [336, 2352]
    assert (whole - inner).tolist() == [14, 392]


VARIANT = """\
__kernel void k(__global const float *A, __global const float *B, __global float *C,
                uint heightA, uint widthB, uint widthA)
{
    const uint row = get_global_id(1), col = get_global_id(0), lx = get_local_id(0);
"""

PLAIN = (
    VARIANT
    + """\
    float sum = 0;
    for (uint k = 0; k < widthA; k++)
        sum += A[row * widthA + k] * B[k * widthB + col];
    C[row * widthB + col] = sum;
}
"""
)

STAGED = (
    VARIANT
    + """\
    __local float part[32];
    float sum = 0;
    for (uint k0 = 0; k0 < widthA; k0 += 32) {
        part[lx] = A[row * widthA + k0 + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 32; k++)
            sum += part[k] * B[(k0 + k) * widthB + col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * widthB + col] = sum;
}
"""
)

STAGED_TWO_COLUMNS = (
    VARIANT
    + """\
    __local float part[32];
    const uint right = widthB / 2;
    float sum = 0, other = 0;
    for (uint k0 = 0; k0 < widthA; k0 += 32) {
        part[lx] = A[row * widthA + k0 + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 32; k++) {
            sum += part[k] * B[(k0 + k) * widthB + col];
            other += part[k] * B[(k0 + k) * widthB + col + right];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * widthB + col] = sum;
    C[row * widthB + col + right] = other;
}
"""
)

STAGED_TWO_ROWS = (
    VARIANT
    + """\
    __local float part[2][32];
    float sum = 0, other = 0;
    for (uint k0 = 0; k0 < widthA; k0 += 32) {
        part[0][lx] = A[2 * row * widthA + k0 + lx];
        part[1][lx] = A[(2 * row + 1) * widthA + k0 + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 32; k++) {
            const float b = B[(k0 + k) * widthB + col];
            sum += part[0][k] * b;
            other += part[1][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[2 * row * widthB + col] = sum;
    C[(2 * row + 1) * widthB + col] = other;
}
"""
)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("source", "items", "published"),
    [
        pytest.param(PLAIN, (64, 8), 1, id="plain"),
        pytest.param(STAGED, (64, 8), 2, id="one operand staged in local memory"),
        pytest.param(STAGED_TWO_COLUMNS, (32, 8), 2, id="unrolled over two columns"),
        pytest.param(STAGED_TWO_ROWS, (64, 4), 4, id="unrolled over two rows"),
    ],
)
def test_operations_for_each_global_access(simulator, source, items, published):
    """The ratios of floating-point operations to words of global memory are 1, 2, 2 and 4, as in the course text. The
    text ignores loads into local memory and the final stores, which reduce the ratios here by less than a tenth.
    """
    seen = product(simulator, source, (8, 64, 128), (items, (32, 1)))
    words = sum(each.bytes for each in seen.accesses if each.space == 1) / 4
    assert seen.flop == 2 * 8 * 64 * 128
    assert 0.9 * published < seen.flop / words < published


def in_c(source):
    """Return the source with `uint`, OpenCL C's name for `uint32_t`."""
    return source.replace("uint32_t", "uint")


def naive(assignment):
    return (ROOT / "reference" / assignment / "baseline.cl").read_text(encoding="utf-8")


def transposed(worker, source, kernel):
    a = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
    args = {"A": a, "out": np.zeros((96, 64), np.float32), "height": 64, "width": 96}
    (seen,), results = watch(worker, in_c(source), Given(args=args, items=(96, 64), group=(16, 16)), kernels=(kernel,))
    assert np.array_equal(results["out"].view(np.float32).reshape(96, 64), a.T)
    return seen


def stores(seen):
    (found,) = (each for each in seen.accesses if each.space == 1 and each.writes)
    return found


def test_the_naive_transposition(simulator):
    """In the naive transposition, a store request of work-groups of 16 x 16 work-items moves 16 sectors
    instead of 4.
    """
    found = stores(transposed(simulator, naive("coalsTransp"), "naiveTransp"))
    assert (found.sectors / found.requests, found.fewest / found.requests) == (16, 4)


def test_the_tiled_transposition(simulator):
    """The tiled transposition moves the smallest possible number of sectors, 4 per request. With TILE 16, two words of
    a warp share a bank, even if the rows of the tile have 17 words.
    """
    seen = transposed(simulator, TRANSPOSITION, "coalsTransp")
    assert stores(seen).sectors == stores(seen).fewest == 4 * stores(seen).requests
    assert max(each.worst for each in seen.accesses if each.space == 3) == 2


def test_the_naive_program(simulator):
    """In the naive program, neighbouring work-items access different rows, so each request moves 32 sectors instead of
    4.
    """
    a = np.ones((128, 40), np.float32)
    args = {"A": a, "out": np.zeros_like(a), "height": 128, "width": 40}
    given = Given(args=args, items=(128,), group=(128,))
    (seen,), _ = watch(simulator, in_c(naive("coalsProgrm")), given, kernels=("naiveProgrm",))
    for found in (each for each in seen.accesses if each.space == 1):
        assert (found.sectors / found.requests, found.fewest / found.requests) == (32, 4)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("source", "kernel", "shape", "loads"),
    [
        pytest.param(naive("blockMMM"), "naiveMMM", ((256, 32), (16, 16)), 786_432, id="naive"),
        pytest.param(PRODUCT, "blockMMM", ((256, 32), (16, 16)), 49_152, id="tiled"),
        pytest.param(REGISTER_PRODUCT, "rgblkMMM", ((256, 2), (256, 1)), 26_112, id="tiled in registers"),
    ],
)
def test_global_loads_of_products(simulator, source, kernel, shape, loads):
    """For 32 x 48 by 48 x 256, the tiled product loads a sixteenth of the words that the naive one loads, and the
    product in registers even fewer.
    """
    seen = product(simulator, in_c(source), (32, 256, 48), shape, kernel)
    assert sum(each.bytes for each in seen.accesses if each.space == 1 and not each.writes) / 4 == loads
