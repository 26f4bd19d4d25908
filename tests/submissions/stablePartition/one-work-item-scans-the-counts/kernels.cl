// Partition exercise, group 3: both places of an element come from one packed count
typedef uint uint32_t;

__kernel void countBlocks( __global int* x, __global uint32_t* counts, uint32_t n, int pivot ) {
    __local uint32_t cnt[WG];
    uint32_t tid = get_local_id(0), t = get_group_id(0);
    uint32_t k, s, c = 0;
    for(k = tid; k < TILE; k += WG) {
        if(t*TILE + k < n) { c += (x[t*TILE + k] < pivot) ? 1 : 0; }
    }
    cnt[tid] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    for(s = WG >> 1; s > 0; s >>= 1) {
        if(tid < s) { cnt[tid] += cnt[tid + s]; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if(tid == 0) { counts[t] = cnt[0]; }
}

__kernel void scanCounts( __global uint32_t* counts, __global uint32_t* starts, uint32_t tiles ) {
    if(get_local_id(0) > 0) { return; }
    uint32_t sum = 0, t;
    for(t = 0; t < tiles; t++) {
        starts[t] = sum;
        sum += counts[t];
    }
    starts[tiles] = sum;
}

__kernel void scatter( __global int* x, __global uint32_t* starts, __global int* result
                     , uint32_t n, int pivot
                     ) {
    __local uint32_t buf[2*WG];
    __local int in[WG*5];
    __local int out[TILE];
    uint32_t tid = get_local_id(0), t = get_group_id(0);
    uint32_t beg = t*TILE, len = min((uint32_t)TILE, n - beg);
    uint32_t k, d, c = 0, cur = 0;

    for(k = tid; k < len; k += WG) { in[k + k/4] = x[beg + k]; }
    barrier(CLK_LOCAL_MEM_FENCE);
    for(k = 0; k < 4; k++) {
        if(4*tid + k < len && in[5*tid + k] < pivot) { c++; }
    }
    buf[tid] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    for(d = 1; d < WG; d <<= 1) {
        uint32_t v = buf[cur + tid];
        if(tid >= d) { v += buf[cur + tid - d]; }
        cur = WG - cur;
        buf[cur + tid] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint32_t low = buf[cur + tid] - c;
    uint32_t all = buf[cur + WG-1];
    for(k = 0; k < 4; k++) {
        uint32_t i = 4*tid + k;
        if(i < len) {
            int v = in[5*tid + k];
            if(v < pivot) { out[low++] = v; } else { out[all + i - low] = v; }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    __global int* lows = result + starts[t];
    __global int* rest = result + starts[get_num_groups(0)] + (beg - starts[t]);
    for(k = tid; k < all; k += WG) { lows[k] = out[k]; }
    for(k = all + tid; k < len; k += WG) { rest[k - all] = out[k]; }
}
