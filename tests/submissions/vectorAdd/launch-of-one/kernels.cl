// A loop as on a CPU, in a launch of a single work-item.
// grader: global = 1
// grader: local = 1
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    uint32_t k = 0;
    while (k < n) {
        C[k] = A[k] + B[k];
        k++;
    }
}
