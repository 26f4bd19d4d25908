__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    scratch[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me > 0)
        return;
    float4 all = 0;
    for (uint32_t i = 0; i < WG / 4; i++)
        all += vload4(i, scratch);
    sums[get_group_id(0)] = all.x + all.y + all.z + all.w;
}
