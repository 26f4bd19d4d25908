__kernel void coalsTransp(__global real* A, __global real* B,
                          uint32_t height, uint32_t width) {
    __local real sh[TILE * (TILE + 1)];
    uint32_t li = get_local_id(1);
    uint32_t lj = get_local_id(0);
    uint32_t i0 = get_group_id(1) * get_local_size(1);
    uint32_t j0 = get_group_id(0) * get_local_size(0);
    uint32_t me = li * (TILE + 1) + lj;   // my place in the tile

    if (i0 + li < height && j0 + lj < width) {
        sh[me] = A[(i0 + li) * width + (j0 + lj)];
    } else {
        sh[me] = 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // both sides use consecutive lj => coalesced
    if (j0 + li < width && i0 + lj < height) {
        B[(j0 + li) * height + (i0 + lj)] = sh[me];
    }
}
