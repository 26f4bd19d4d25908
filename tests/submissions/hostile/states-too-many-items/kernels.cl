// grader: global = 999999999 * 1000
// grader: local = 1
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        C[i] = A[i] + B[i];
}
