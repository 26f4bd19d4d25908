typedef uint uint32_t;

// transposition through local memory
__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real sh[TILE][TILE+1];
    uint32_t gx = get_global_id(0);
    uint32_t gy = get_global_id(1);

    // below A there is nothing to do
    if (gy >= height)
        return;

    sh[get_local_id(1)][get_local_id(0)] = gx < width ? A[gy*width + gx] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint32_t ox = get_group_id(1)*TILE + get_local_id(0);
    uint32_t oy = get_group_id(0)*TILE + get_local_id(1);
    if (ox < height && oy < width)
        B[oy*height + ox] = sh[get_local_id(0)][get_local_id(1)];
}
