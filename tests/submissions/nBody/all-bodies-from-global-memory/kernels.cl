__kernel void nBody(__global const float4 *positions, __global float4 *accelerations, float softening, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    float4 own = positions[i], sum = 0;
    for (uint32_t j = 0; j < n; j++) {
        const float4 other = positions[j];
        const float4 apart = (float4)(other.xyz - own.xyz, 0);
        const float inverse = rsqrt(dot(apart, apart) + softening);
        sum += other.w * inverse * inverse * inverse * apart;
    }
    accelerations[i] = sum;
}
