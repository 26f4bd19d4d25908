// grader: global = ceil_to(n, 64)
// grader: local = 64
void vectorAdd(__global const real *A, __global const real *B, __global real *C, const uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        C[i] = A[i] + B[i];
}
