// grader: global = 1024
// grader: local = 256
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        C[i] = A[i] + B[i];
}
