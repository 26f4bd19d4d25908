#define RUN 16
// Each work-item has a run of its own, like the threads of a parallel for.
// grader: global = ceil_to(ceil_div(n, 16), 64)
// grader: local = 64
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t begin = get_global_id(0) * RUN;
    const uint32_t end = min(begin + RUN, n);
    for (uint32_t i = begin; i < end; i++)
        C[i] = A[i] + B[i];
}
