// Two work-items add all elements, in vectors of four, so they always read whole sectors.
// grader: global = 2
// grader: local = 2
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t vectors = n / 4;
    for (uint32_t i = get_global_id(0); i < vectors; i += 2)
        vstore4(vload4(i, A) + vload4(i, B), i, C);
    for (uint32_t i = 4 * vectors + get_global_id(0); i < n; i += 2)
        C[i] = A[i] + B[i];
}
