__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t whole = n / 4;    // vectors
    const uint32_t me = get_global_id(0);

    if (me < whole)
        vstore4(vload4(me, A) + vload4(me, B), me, C);
    else if (me == whole)
        for (uint32_t i = 4 * whole; i < n; i++)
            C[i] = A[i] + B[i];
}
// One work-item for each vector, and one for what is left over.
// grader: vectorAdd global = (n / 4 + 1 + 63) / 64 * 64
// grader: vectorAdd local = 64
