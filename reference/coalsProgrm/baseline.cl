// Baseline: the whole program in one kernel on the untransposed arrays. Neighbouring
// work-items read along different rows, so no access is coalesced.
__kernel void naiveProgrm(__global const real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    const uint32_t row = get_global_id(0);
    if (row >= height)
        return;

    real accum = 0;
    for (uint32_t col = 0; col < width; col++) {
        const real a = A[row * width + col];
        accum = a * a - accum;
        B[row * width + col] = accum;
    }
}
