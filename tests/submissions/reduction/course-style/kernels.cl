// Reduction exercise, group 3
typedef uint uint32_t;

__kernel void reduceSum( __global real* A, __global real* sums
                       , uint32_t n, __local real* scratch
                       ) {
    uint32_t tid   = get_local_id(0);
    uint32_t wgs   = get_local_size(0);
    uint32_t total = get_num_groups(0) * wgs;
    real accum = 0.0f;

    uint32_t i, s;
    for(i = get_group_id(0)*wgs + tid; i < n; i += total) {
        accum += A[i];
    }
    scratch[tid] = accum;
    barrier(CLK_LOCAL_MEM_FENCE);

    // for(s = 1; s < wgs; s *= 2) would pick words that are further and further apart
    for(s = wgs >> 1; s > 0; s >>= 1) {
        if(tid < s) {
            accum += scratch[tid + s];
            scratch[tid] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if(tid == 0) {
        sums[get_group_id(0)] = accum;
    }
}
