// grader: global = ceil_to(n, 64)
// grader: local = 64
__kernel void vectorAdd(__global const real *A, __global const real *B, const uint32_t n, __global real *C)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        C[i] = A[i] + B[i];
}
