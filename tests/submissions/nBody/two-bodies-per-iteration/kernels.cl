typedef uint uint32_t;

__kernel void nBody( __global float4* positions, __global float4* accelerations
                   , float softening, uint32_t n
                   ) {
    __local float4 tile[WG];
    int gid = get_global_id(0), lid = get_local_id(0);
    float4 me = positions[gid < n ? gid : n-1];
    float3 even = 0.0f, odd = 0.0f;

    for(int t = 0; t < n; t += WG) {
        // a body without mass pulls nothing
        float4 b = 0.0f;
        if(t+lid < n) {
            b = positions[t+lid];
        }
        tile[lid] = b;
        barrier(CLK_LOCAL_MEM_FENCE);
        for(int j = 0; j < WG; j += 2) {
            float4 p = tile[j], q = tile[j+1];
            float3 dp = p.xyz - me.xyz, dq = q.xyz - me.xyz;
            float ip = rsqrt(dot(dp, dp) + softening), iq = rsqrt(dot(dq, dq) + softening);
            even += p.w*ip*ip*ip * dp;
            odd += q.w*iq*iq*iq * dq;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if(gid < n) {
        accelerations[gid] = (float4)(even + odd, 0.0f);
    }
}
