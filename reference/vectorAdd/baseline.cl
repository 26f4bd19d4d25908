// Baseline: each work-item adds a run of neighbouring elements, as a thread of a CPU would.
#define RUN 64

__kernel void naiveAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t first = get_global_id(0) * RUN;
    for (uint32_t i = first; i < first + RUN && i < n; i++)
        C[i] = A[i] + B[i];
}
