__kernel void nBody(__global const float4 *positions, __global float4 *accelerations, float softening, uint32_t n)
{
    __local float4 tile[WG];

    const uint32_t i = get_global_id(0);
    const float4 own = positions[min(i, n - 1)];

    float4 sum = 0;
    for (uint32_t first = 0; first < n; first += WG) {
        const uint32_t count = min((uint32_t)WG, n - first);
        if (get_local_id(0) == 0)
            for (uint32_t j = 0; j < count; j++)
                tile[j] = positions[first + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t j = 0; j < count; j++) {
            float4 apart = tile[j] - own;
            apart.w = 0;
            const float inverse = rsqrt(dot(apart, apart) + softening);
            sum += tile[j].w * inverse * inverse * inverse * apart;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        accelerations[i] = sum;
}
