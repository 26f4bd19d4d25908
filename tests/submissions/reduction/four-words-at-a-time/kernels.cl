// Reads four words at a time, as one vector. The last work-items of the grid, which have the least to do,
// add the last one to three words.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const size_t lid = get_local_id(0), gid = get_global_id(0), all = get_global_size(0);
    const size_t vectors = n / 4;

    float4 four = (float4)(0.0f);
    for (size_t v = gid; v < vectors; v += all)
        four += vload4(v, A);
    real mine = (four.x + four.z) + (four.y + four.w);

    const size_t rest = 4 * vectors + (all - 1 - gid);
    if (rest < n)
        mine += A[rest];

    scratch[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);

    // two trees' steps in one: a quarter of the work-items adds three words each
    size_t left = WG;
    for (; left >= 4; left /= 4) {
        const size_t quarter = left / 4;
        if (lid < quarter)
            scratch[lid] += scratch[lid + quarter] + scratch[lid + 2 * quarter] + scratch[lid + 3 * quarter];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = left == 2 ? scratch[0] + scratch[1] : scratch[0];
}
