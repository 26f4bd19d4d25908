// grader: global = ceil_to(n, 64)
// grader: local = 64
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    __local real sum[64];
    const uint32_t i = get_global_id(0), first = get_group_id(0) * 64;
    if (i < n)
        sum[get_local_id(0)] = A[i] + B[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(C + first, sum, min(64u, n - first), 0);
}
