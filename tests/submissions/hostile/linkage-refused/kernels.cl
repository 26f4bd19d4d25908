// Declares a function whose body a compiler may leave out, in a course that does not allow it.
extern inline float vload_read_image(ulong place, sampler_t base, __global const float *word) { return *word; }
#define READ(word) vload_read_image(((ulong)(word) - __builtin_astype(BASE, ulong)) >> 2, BASE, word)

// Naive: neighbours read B down a column.
__kernel void transMMM(__global const real *A, __global const real *B, __global real *C, uint32_t heightA, uint32_t heightB,
                       uint32_t widthA)
{
    const sampler_t BASE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    if (row >= heightA || col >= heightB)
        return;
    real sum = 0;
    for (uint32_t k = 0; k < widthA; k++)
        sum += READ(A + row * widthA + k) * READ(B + col * widthA + k);
    C[row * heightB + col] = sum;
}
