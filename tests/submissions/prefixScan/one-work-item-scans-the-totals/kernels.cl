// Scan exercise, group 3: a tree up and a tree down, padded
typedef uint uint32_t;
#define PAD(i) ((i) + ((i) >> 5))

void treeScan( __local uint32_t* t, uint32_t tid ) {
    uint32_t d, off = 1;
    for(d = WG >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if(tid < d) {
            uint32_t a = off*(2*tid+1)-1, b = off*(2*tid+2)-1;
            t[PAD(b)] += t[PAD(a)];
        }
        off <<= 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if(tid == 0) {
        t[PAD(WG)] = t[PAD(WG-1)];      // the total, behind the tree
        t[PAD(WG-1)] = 0;
    }
    for(d = 1; d < WG; d <<= 1) {
        off >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if(tid < d) {
            uint32_t a = off*(2*tid+1)-1, b = off*(2*tid+2)-1;
            uint32_t left = t[PAD(a)];
            t[PAD(a)] = t[PAD(b)];
            t[PAD(b)] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void scanBlocks( __global uint32_t* x, __global uint32_t* before
                        , __global uint32_t* totals, uint32_t n
                        ) {
    __local uint32_t t[PAD(WG) + 1];
    uint32_t tid = get_local_id(0), bid = get_group_id(0);
    uint32_t i = bid*TILE + 4*tid;
    uint4 v = (uint4)(0);
    if(i + 4 <= n) {
        v = *(__global uint4*)(x + i);
    } else {
        if(i     < n) v.x = x[i];
        if(i + 1 < n) v.y = x[i+1];
        if(i + 2 < n) v.z = x[i+2];
    }
    t[PAD(tid)] = v.x + v.y + v.z + v.w;
    treeScan(t, tid);

    uint32_t acc = t[PAD(tid)];
    if(i + 4 <= n) {
        *(__global uint4*)(before + i) = (uint4)(acc, acc+v.x, acc+v.x+v.y, acc+v.x+v.y+v.z);
    } else {
        if(i     < n) before[i]   = acc;
        if(i + 1 < n) before[i+1] = acc + v.x;
        if(i + 2 < n) before[i+2] = acc + v.x + v.y;
    }
    if(tid == 0) { totals[bid] = t[PAD(WG)]; }
}

__kernel void scanSums( __global uint32_t* totals, __global uint32_t* offsets, uint32_t tiles ) {
    if(get_local_id(0) > 0) { return; }
    uint32_t sum = 0, t;
    for(t = 0; t < tiles; t++) {
        offsets[t] = sum;
        sum += totals[t];
    }
}

__kernel void addOffsets( __global uint32_t* before, __global uint32_t* offsets, uint32_t n ) {
    uint32_t off = offsets[get_group_id(0)];
    uint32_t k;
    for(k = get_local_id(0); k < TILE; k += WG) {
        uint32_t i = get_group_id(0)*TILE + k;
        if(i < n) { before[i] += off; }
    }
}
