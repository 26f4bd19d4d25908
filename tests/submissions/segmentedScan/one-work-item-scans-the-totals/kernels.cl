// Segmented scan, group 3: flag and sum of a work-item are one int2
typedef uint uint32_t;
#define COMBINE(l, r) ((int2)((l).x | (r).x, (r).x ? (r).y : (l).y + (r).y))

__attribute__((always_inline))
void stepsOf( __local int2* p, uint32_t tid ) {
    uint32_t d;
    for(d = 1; d < WG; d <<= 1) {
        int2 mine = p[tid];
        if(tid >= d) { mine = COMBINE(p[tid-d], mine); }
        barrier(CLK_LOCAL_MEM_FENCE);
        p[tid] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void scanBlocks( __global int* x, __global uchar* flags, __global int* sums
                        , __global int* totals, __global uint32_t* firsts, uint32_t n
                        ) {
    __local int2 p[WG];
    __local int   vals[WG*5];
    __local uchar begs[WG*4];
    uint32_t tid = get_local_id(0), t = get_group_id(0);
    uint32_t k, beg = t*TILE;

    for(k = tid; k < TILE; k += WG) {
        vals[k + k/4] = (beg + k < n) ? x[beg+k] : 0;
        begs[k] = (beg + k < n) ? flags[beg+k] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int2 acc = (int2)(0, 0);
    for(k = 0; k < 4; k++) {
        int2 elem = (int2)(begs[4*tid+k], vals[5*tid+k]);
        acc = COMBINE(acc, elem);
    }
    p[tid] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    stepsOf(p, tid);

    acc = (tid > 0) ? p[tid-1] : (int2)(0, 0);
    for(k = 0; k < 4; k++) {
        int2 elem = (int2)(begs[4*tid+k], vals[5*tid+k]);
        if(elem.x && !acc.x) { firsts[t] = 4*tid + k; }
        acc = COMBINE(acc, elem);
        vals[5*tid+k] = acc.y;
    }
    if(tid == WG-1) {
        totals[t] = acc.y;
        if(!acc.x) { firsts[t] = TILE; }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for(k = tid; k < TILE; k += WG) {
        if(beg + k < n) { sums[beg+k] = vals[k + k/4]; }
    }
}

__kernel void scanTotals( __global int* totals, __global uint32_t* firsts
                        , __global int* carries, uint32_t tiles
                        ) {
    if(get_local_id(0) > 0) { return; }
    uint32_t t;
    int carry = 0;
    for(t = 0; t < tiles; t++) {
        carries[t] = carry;
        carry = (firsts[t] < TILE) ? totals[t] : totals[t] + carry;
    }
}

__kernel void addCarries( __global int* sums, __global uint32_t* firsts
                        , __global int* carries, uint32_t n
                        ) {
    uint32_t beg = get_group_id(0)*TILE;
    uint32_t end = beg + firsts[get_group_id(0)];
    uint32_t i;
    int carry = carries[get_group_id(0)];
    if(carry == 0) { return; }
    for(i = beg + get_local_id(0); i < end && i < n; i += WG) { sums[i] += carry; }
}
