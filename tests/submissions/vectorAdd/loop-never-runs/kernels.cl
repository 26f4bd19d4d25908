// The loop compares i with the id that it starts from, not with n.
// grader: global = max(n / 64, 1) * 64
// grader: local = 64
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t gid = get_global_id(0);
    for (uint32_t i = gid; i < gid; i += get_global_size(0))
        C[i] = A[i] + B[i];
}
