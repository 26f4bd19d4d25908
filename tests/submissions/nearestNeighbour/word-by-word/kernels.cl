// The words of a chunk are contiguous in global memory, so the group copies them in this order.
#define WORDS (4 * CHUNK)

__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local real chunk[WORDS];
    const size_t me = get_global_id(0);
    const bool asked = me < queryCount;
    const size_t mine = asked ? me : 0;    // those past the end ask query 0 again, and keep the answer to themselves
    const float4 where = vload4(mine, queries);
    const uint32_t words = 4 * pointCount;

    uint2 winner = (uint2)(0xffffffff, 0);    // distance and number: distances are whole numbers
    for (uint32_t at = 0; at < words; at += WORDS) {
        for (uint32_t w = get_local_id(0); w < WORDS && at + w < words; w += get_local_size(0))
            chunk[w] = points[at + w];
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint32_t end = min((uint32_t)WORDS, words - at);
        for (uint32_t w = 0; w < end; w += 4) {
            float4 d = (float4)(chunk[w], chunk[w + 1], chunk[w + 2], chunk[w + 3]) - where;
            d *= d;
            const uint32_t square = (uint32_t)(d.x + d.y + d.z + d.w);
            winner = square < winner.x ? (uint2)(square, (at + w) / 4) : winner;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (!asked)
        return;
    nearest[me] = winner.y;
    distance[me] = winner.x;
}
