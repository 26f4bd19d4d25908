// One work-item for each element, so that no guard is needed.
// grader: global = n
// grader: local = 64
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    C[i] = A[i] + B[i];
}
