/* 1. copy A to B unchanged (coalesced)
   2. wait until all words have arrived
   3. read the right word and store it (coalesced again) */
__kernel void coalsTransp(__global real *A, __global real *B, uint32_t height, uint32_t width)
{
    uint32_t x = get_global_id(0), y = get_global_id(1);
    bool ok = x < width && y < height;
    uint32_t me = y * width + x;

    if (ok)
        B[me] = A[me];
    barrier(CLK_GLOBAL_MEM_FENCE);

    real word = 0;
    if (ok) {
        // word number `me` of the result is element (me % height, me / height) of A
        uint32_t i = me % height, j = me / height;
        word = B[i * width + j];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (ok)
        B[me] = word;
}
