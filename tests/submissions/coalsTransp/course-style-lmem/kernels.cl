typedef uint uint32_t;

// Exercise 1: coalesced transposition, tile comes from the host
__kernel void coalsTransp( __global real*   A,
                           __global real*   B,
                           uint32_t         height,
                           uint32_t         width,
                           __local  real*   lmem ) {
    int gidx = get_global_id(0);
    int gidy = get_global_id(1);
    int lidx = get_local_id(0);
    int lidy = get_local_id(1);

    if( (gidx < width) && (gidy < height) ) {
        lmem[lidy*(TILE+1) + lidx] = A[gidy*width + gidx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // swap the block indices, keep the local ones
    gidx = get_group_id(1)*TILE + lidx;
    gidy = get_group_id(0)*TILE + lidy;
    if( (gidx < height) && (gidy < width) ) {
        B[gidy*height + gidx] = lmem[lidx*(TILE+1) + lidy];
    }
}
