// The last tile ends at the last body. A division by the third power takes the place of the reciprocal root.
kernel void nBody(global const float4 *restrict positions, global float4 *restrict accelerations, float softening, uint n)
{
    local float4 staged[WG];
    const size_t body = get_global_id(0);
    const float3 here = positions[min(body, (size_t)n - 1)].xyz;
    float3 total = (float3)(0.0f);

    for (uint tile = 0; tile * WG < n; ++tile) {
        const uint mine = tile * WG + get_local_id(0);
        if (mine < n)
            staged[get_local_id(0)] = positions[mine];
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint end = min((uint)WG, n - tile * WG);
        for (uint j = 0; j < end; ++j) {
            const float3 d = staged[j].xyz - here;
            const float s = dot(d, d) + softening;
            total += d * (staged[j].w / (s * sqrt(s)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (body < n)
        vstore3(total, 0, (global float *)(accelerations + body));
}
