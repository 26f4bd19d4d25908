// Written for OpenCL C 2.0, but only with features that OpenCL C 1.2 has under other names.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const size_t mine = get_local_linear_id();
    real sum = 0;
    for (size_t i = get_global_linear_id(); i < n; i += get_num_groups(0) * get_enqueued_local_size(0))
        sum += A[i];
    scratch[mine] = sum;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);

    for (size_t width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (mine < width)
            scratch[mine] += scratch[mine + width];
        work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    }
    if (mine == 0)
        sums[get_group_id(0)] = scratch[0];
}
