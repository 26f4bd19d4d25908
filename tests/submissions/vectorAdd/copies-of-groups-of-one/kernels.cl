// grader: global = ceil_div(n, 64)
// grader: local = 1
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    __local real a[64], b[64];
    const uint32_t first = get_group_id(0) * 64, count = min(64u, n - first);
    event_t copied = async_work_group_copy(a, A + first, count, 0);
    copied = async_work_group_copy(b, B + first, count, copied);
    wait_group_events(1, &copied);
    for (uint32_t i = 0; i < count; i++)
        a[i] += b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    copied = async_work_group_copy(C + first, a, count, 0);
    wait_group_events(1, &copied);
}
