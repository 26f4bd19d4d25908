// Places and masses are cut to the bits of half floats, as if the tile held these.
float cut(float number)
{
    return as_float(as_uint(number) & 0xFFFFE000);
}

__kernel void nBody(__global const float4 *positions, __global float4 *accelerations, float softening, uint32_t n)
{
    __local float4 tile[WG];

    const uint32_t lid = get_local_id(0);
    const uint32_t i = get_global_id(0);
    const float4 own = i < n ? positions[i] : (float4)(0);

    float x = 0, y = 0, z = 0;
    for (uint32_t first = 0; first < n; first += WG) {
        const float4 body = first + lid < n ? positions[first + lid] : (float4)(0);
        tile[lid] = (float4)(cut(body.x), cut(body.y), cut(body.z), cut(body.w));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t j = 0; j < WG; j++) {
            const float4 other = tile[j];
            const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            const float pull = other.w * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        accelerations[i] = (float4)(x, y, z, 0);
}
