// Model solution: transposition with coalesced reads and coalesced writes, and enough of them under way.
//
// A tile of TILE x TILE words with one word per work-item is coalesced, but only one word per work-item is under way.
// With any number of resident groups, that is too few to hide the latency of memory. So a group transposes a BLOCK of
// several tiles, and each work-item has (BLOCK / TILE)^2 independent reads under way before it needs the first. The
// launch has a group for every tile. Groups that are not the first of a block return at once.
//
// Neighbouring work-items access neighbouring words of global memory: first rows of A, and after the transposition of
// the block in local memory, rows of B. The extra column puts the words of a column of the block in different banks.
#define BLOCK 64                       // words along a side; 16,640 bytes of local memory
#define TILES (BLOCK / TILE)           // tiles along a side
#define STEP (TILE * TILE / BLOCK)     // rows of the block that the group covers at a time

__kernel void coalsTransp(__global const real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    __local real block[BLOCK][BLOCK + 1];

    if (get_group_id(0) % TILES != 0 || get_group_id(1) % TILES != 0)
        return;    // the whole group, so no work-item is missing at the barrier

    const uint32_t lid = get_local_id(1) * TILE + get_local_id(0);
    const uint32_t x = lid % BLOCK;                // along a row, in A and in B
    const uint32_t y = lid / BLOCK;                // the first of its rows
    const uint32_t x0 = get_group_id(0) * TILE;    // left column of the block in A
    const uint32_t y0 = get_group_id(1) * TILE;    // top row of the block in A

    #pragma unroll
    for (uint32_t r = y; r < BLOCK; r += STEP)
        if (y0 + r < height && x0 + x < width)
            block[r][x] = A[(y0 + r) * width + (x0 + x)];

    barrier(CLK_LOCAL_MEM_FENCE);    // other work-items read the words of the block

    #pragma unroll
    for (uint32_t r = y; r < BLOCK; r += STEP)
        if (x0 + r < width && y0 + x < height)
            B[(x0 + r) * height + (y0 + x)] = block[x][r];
}
