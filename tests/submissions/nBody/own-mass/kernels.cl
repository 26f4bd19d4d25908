__kernel void nBody(__global const float4 *positions, __global float4 *accelerations, float softening, uint32_t n)
{
    __local float4 tile[WG];

    const uint32_t lid = get_local_id(0);
    const uint32_t i = get_global_id(0);
    const float4 own = i < n ? positions[i] : (float4)(0);

    float x = 0, y = 0, z = 0;
    for (uint32_t first = 0; first < n; first += WG) {
        tile[lid] = first + lid < n ? positions[first + lid] : (float4)(0);

        barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete before a work-item reads it

        #pragma unroll 8
        for (uint32_t j = 0; j < WG; j++) {
            const float4 body = tile[j];
            const float dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
            const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            const float pull = own.w * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next tile overwrites it
    }

    if (i < n)
        accelerations[i] = (float4)(x, y, z, 0);
}
