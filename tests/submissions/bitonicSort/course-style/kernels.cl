// Exercise 20, group 7
typedef unsigned int uint32_t;

#define ORDER(x, y, ascending) { int lo = min(x, y), hi = max(x, y); x = (ascending) ? lo : hi; y = (ascending) ? hi : lo; }

__kernel void bitonicNear( __global int* data, uint32_t n
                         , uint32_t first, uint32_t last
                         ) {
    __local int lmem[BLOCK];
    uint32_t tid  = get_local_id(0);
    uint32_t gid  = get_global_id(0);
    uint32_t base = get_group_id(0)*BLOCK;
    int active = (gid < n/2);

    // each work-item loads two neighbouring elements
    if(active) {
        lmem[2*tid]   = data[base + 2*tid];
        lmem[2*tid+1] = data[base + 2*tid+1];
    }
    for(uint32_t k = first; k <= last; k <<= 1) {
        uint32_t j = k >> 1;
        while(j >= BLOCK) j >>= 1;
        for( ; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if(active) {
                uint32_t i = (tid / j)*2*j + tid % j;
                ORDER(lmem[i], lmem[i+j], ((base + i) & k) == 0)
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if(active) {
        data[base + 2*tid]   = lmem[2*tid];
        data[base + 2*tid+1] = lmem[2*tid+1];
    }
}

__kernel void bitonicFar( __global int* data, uint32_t n
                        , uint32_t k, uint32_t j
                        ) {
    uint32_t gid = get_global_id(0);
    uint32_t i = (gid / j)*2*j + gid % j;
    if(i + j < n) {
        ORDER(data[i], data[i+j], (i & k) == 0)
    }
}
