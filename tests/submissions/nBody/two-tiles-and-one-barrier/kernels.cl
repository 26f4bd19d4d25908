// Two tiles take turns, so one barrier per step is enough. The power -1.5 is a call of pow.
__kernel void nBody(__global const float4 *positions, __global float4 *accelerations, float softening, uint32_t n)
{
    __local float4 tiles[2][WG];
    const uint32_t lid = get_local_id(0);
    const uint32_t i = get_global_id(0);
    float4 own = 0;
    if (i < n)
        own = positions[i];

    float4 sum = 0;
    uint32_t turn = 0;
    for (uint32_t first = 0; first < n; first += WG, turn ^= 1) {
        float4 next = 0;
        if (first + lid < n)
            next = positions[first + lid];
        tiles[turn][lid] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t j = 0; j < WG; j++) {
            const float4 other = tiles[turn][j];
            const float4 apart = other - own;
            const float square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z;
            sum += other.w * pow(square + softening, -1.5f) * apart;
        }
    }
    if (i < n)
        accelerations[i] = sum;
}
